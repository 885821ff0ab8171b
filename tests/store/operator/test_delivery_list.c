/* SPDX-License-Identifier: MIT
 * The operator's list of pending and ended deliveries, and what one shows (docs/operating.md 4). Modules: store/operator. */
#include "unit.h"

#include <inttypes.h>

#include "engine/events.h"
#include "store/fetched.h"
#include "store/operator/deliveries.h"

static const struct delivery_filter any = { .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = 100 };

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_deliveries");
	root_run("UPDATE t_dispatch_shards SET owner = NULL, lease_until_ms = 0");
	return world_open(state);
}

#define DELIVERY_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static struct delivery_list
list(struct world *w, struct delivery_filter filter)
{
	struct delivery_list list;
	assert_int_equal(store_list_deliveries(w->store, w->pool, &filter, &list), RESULT_OK);
	return list;
}

/* The whole list, in order. */
static size_t
count_deliveries(struct world *w, struct delivery_filter filter)
{
	struct delivery_list found = list(w, filter);
	assert_true(found.next == 0 || found.count == filter.limit);
	for (size_t i = 1; i < found.count; i++)
		assert_true(found.deliveries[i - 1].id > found.deliveries[i].id);
	return found.count;
}

static void
deliveries_are_listed_by_filter(void **state)
{
	struct world *w = *state;
	struct delivery_filter filter = any;
	uint64_t hook = add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t all = add_webhook(w, w->campaign, "https://b.example/", 3);
	sign_up_many(w, "lead", 3);
	sign_up_many(w, "lead", 1);
	struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org");
	filter.webhook_id = hook;
	assert_int_equal(count_deliveries(w, filter), 3);
	filter.webhook_id = all;
	assert_int_equal(count_deliveries(w, filter), 4);
	filter.event = EVENT_REPEAT_SIGNUP;
	assert_int_equal(count_deliveries(w, filter), 1);
	filter = any;
	filter.lead_social_id = lead.social_id;
	assert_int_equal(count_deliveries(w, filter), 3);
	filter.webhook_id = hook;
	assert_int_equal(count_deliveries(w, filter), 1);
	filter.limit = 1; /* counts the rows that match the filter */
	assert_int_equal(count_deliveries(w, filter), 1);
	filter = any;
	filter.webhook_id = all;
	filter.limit = 2;
	assert_int_equal(count_deliveries(w, filter), 2);
	filter.limit = 100;
	filter.state = DELIVERY_PENDING;
	assert_int_equal(count_deliveries(w, filter), 4);
	filter.state = DELIVERY_FAILED;
	assert_int_equal(count_deliveries(w, filter), 0);
	filter.state = -1;
	filter.since_ms = lead.created_ms;
	assert_int_equal(count_deliveries(w, filter), 4);
	filter.until_ms = lead.created_ms;
	assert_int_equal(count_deliveries(w, filter), 0);
}

/* Both tables are one list. */
static void
each_state_is_listed(void **state)
{
	static const size_t counts[] = { [DELIVERY_PENDING] = 3, [DELIVERY_DELIVERED] = 1, [DELIVERY_FAILED] = 1 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 5);
	struct due_deliveries fetched = fetch(w, webhook, 4);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 204),
		outcome_of(&fetched.items[1], DELIVERY_FAILED, 404), outcome_of(&fetched.items[2], DELIVERY_PENDING, 0) };
	assert_int_equal(record_outcomes(w, outcomes, 3), 0);
	const struct delivery_row expected[] = {
		{ .id = fetched.items[0].id, .state = DELIVERY_DELIVERED, .attempts = 1, .last_status = 204 },
		{ .id = fetched.items[1].id, .state = DELIVERY_FAILED, .attempts = 1, .last_status = 404 },
		{ .id = fetched.items[2].id, .state = DELIVERY_PENDING, .attempts = 1, .last_error = SLICE("timeout") },
		{ .id = fetched.items[3].id, .state = DELIVERY_PENDING },
	};
	for (int of_webhook = 0; of_webhook < 2; of_webhook++) {
		struct delivery_filter filter = any;
		filter.webhook_id = of_webhook ? webhook : 0;
		struct delivery_list all = list(w, filter);
		assert_int_equal(all.count, 5);
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
			const struct delivery_row *row = all.deliveries;
			while (row < all.deliveries + all.count && row->id != expected[i].id)
				row++;
			assert_true(row < all.deliveries + all.count);
			assert_int_equal(row->state, expected[i].state);
			assert_int_equal(row->attempts, expected[i].attempts);
			assert_int_equal(row->last_status, expected[i].last_status);
			assert_slices_equal(row->last_error, expected[i].last_error);
			assert_true((row->due_ms > 0) == (row->state == DELIVERY_PENDING));
			assert_int_equal(row->event, EVENT_NEW_SIGNUP);
			assert_int_equal(row->lead_social_id.size, 10);
		}
		for (filter.state = 0; filter.state < (int)ARRAY_SIZE(counts); filter.state++)
			assert_int_equal(list(w, filter).count, counts[filter.state]);
	}
}

/* A delivery that is sent again keeps its id: it is pending while it is in `due`, and its row is replaced at its end. */
static void
a_delivery_sent_again_ends_again(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_FAILED, 500);
	root_run("CREATE TABLE t_copy AS SELECT * FROM t_due");
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(list(w, any).deliveries->state, DELIVERY_FAILED);
	root_run("INSERT INTO t_due SELECT * FROM t_copy");
	root_run("UPDATE t_due SET attempts = 1, attempts_before = 1");
	root_run("DROP TABLE t_copy");
	assert_int_equal(list(w, any).count, 1);
	assert_int_equal(list(w, any).deliveries->state, DELIVERY_PENDING);
	outcome.state = DELIVERY_DELIVERED;
	outcome.status = 200;
	outcome.attempt = 2;
	outcome.attempts_before = 1;
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND last_status = 200 AND attempts = 2", webhook), 1);
	assert_int_equal(root_number(DUE, webhook), 0);
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms, attempts) SELECT id, event_id, %u, "
		 "webhook_id, 1, 3"
		 " FROM t_deliveries",
	    webhook_shard(webhook));
	size_t done;
	root_run("DELETE FROM t_webhooks WHERE id = %" PRIu64, webhook);
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, 1, &done), RESULT_OK);
	assert_int_equal(
	    root_number(DELIVERIES " AND state = 'failed' AND last_error = 'webhook_gone' AND attempts = 3", webhook), 1);
}

/* leadhook(1), delivery show: "its last 100 attempts", in their order. */
static void
the_last_attempts_are_shown(void **state)
{
	struct world *w = *state;
	struct delivery_details shown;
	const uint64_t webhook = make_due(w, 1);
	const struct due_deliveries fetched = fetch(w, webhook, 1);
	root_run("INSERT INTO t_attempts (delivery_id, attempt, started_ms, duration_ms) SELECT %" PRIu64
		 ", seq, 1, 1 FROM seq_1_to_130",
	    fetched.items->id);
	assert_int_equal(store_find_delivery(w->store, w->pool, fetched.items->id, &shown), RESULT_OK);
	assert_int_equal(shown.attempt_count, 100);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(shown.attempts[i].attempt, 31 + i);
}

/* No more is read than is listed, no matter how many other deliveries there are. */
static void
rare_states_are_found_by_index(void **state)
{
	enum { ROWS = 20000 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_FAILED, 404);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	root_run("INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT id + seq, event_id, "
		 "webhook_id, 'delivered', 1, 1 FROM t_deliveries, seq_1000_to_%d",
	    ROWS);
	root_run("ANALYZE TABLE t_deliveries");
	for (size_t i = 0; i < 6; i++) {
		struct delivery_filter filter = any;
		filter.webhook_id = i < 3 ? 0 : webhook;
		filter.state = i % 3 == 0 ? DELIVERY_FAILED : i % 3 == 1 ? DELIVERY_PENDING : -1;
		size_t expected = filter.state < 0 ? filter.limit : 1;
		assert_int_equal(list(w, filter).count, expected); /* prepares the statements */
		int64_t before = root_rows_read();
		assert_int_equal(list(w, filter).count, expected);
		assert_in_range(root_rows_read() - before, 1, filter.state < 0 ? ROWS / 2 : ROWS / 100);
	}
}

/* A list of rare deliveries ends and reports that it was cut. */
static void
a_list_reads_a_limited_number_of_rows(void **state)
{
	enum { ROWS = DELIVERIES_EXAMINED + DELIVERIES_EXAMINED / 2 };
	struct world *w = *state;
	struct delivery_filter filter = any;
	uint64_t webhook = make_due(w, 1);
	filter.event = EVENT_NEW_SIGNUP;
	assert_int_equal(list(w, filter).count, 1);
	/* newer than the delivery in the list, but without an event */
	root_run("INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT u.id + seq, 1, "
		 "u.webhook_id, "
		 "'delivered', 1, 1 FROM t_due u, seq_1_to_%d",
	    ROWS);
	/* only one of them has an event; it is among those that are read but not examined */
	root_run("UPDATE t_deliveries SET event_id = (SELECT event_id FROM t_due) WHERE id = (SELECT id + %d FROM t_due)",
	    ROWS - DELIVERIES_EXAMINED - DELIVERIES_EXAMINED / 4);
	for (size_t i = 0; i < 2; i++) {
		filter.webhook_id = i == 0 ? 0 : webhook;
		struct delivery_list found = list(w, filter);
		assert_int_equal(found.count, 0);
		assert_true(found.next > 0);
		struct delivery_filter rest = filter;
		rest.after = found.next;
		assert_int_equal(count_deliveries(w, rest), 2);
	}
	root_run("DELETE FROM t_deliveries ORDER BY id LIMIT %d", ROWS - DELIVERIES_EXAMINED / 2);
	assert_int_equal(count_deliveries(w, filter), 1);
}

/* Small pages until the end: the ids, each once and in order. */
static size_t
page_through(struct world *w, struct delivery_filter filter, uint64_t *ids, size_t maximum)
{
	size_t count = 0;
	filter.limit = maximum < 100 ? 2 : 33;
	do {
		const struct delivery_list found = list(w, filter);
		for (size_t i = 0; i < found.count; i++) {
			assert_true(count < maximum && (count == 0 || found.deliveries[i].id < ids[count - 1]));
			ids[count++] = found.deliveries[i].id;
		}
		assert_true(found.next == 0 || filter.after == 0 || found.next < filter.after);
		filter.after = found.next;
	} while (filter.after != 0);
	return count;
}

/* A lead's deliveries are found by its events, no matter how many there are, and by their webhooks. */
static void
a_lead_has_many_deliveries(void **state)
{
	enum { EVENTS = 70, WEBHOOKS = 30 };
	struct world *w = *state;
	struct delivery_filter filter = any;
	uint64_t last = 0;
	for (size_t i = 0; i < WEBHOOKS; i++)
		last = add_webhook(w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data,
		    EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REPEAT_SIGNUP));
	sign_up_many(w, "other", 2);
	for (size_t i = 0; i < EVENTS; i++)
		sign_up_many(w, "lead", 1);
	filter.lead_social_id = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org").social_id;
	filter.limit = 10000;
	assert_int_equal(count_deliveries(w, filter), EVENTS * WEBHOOKS);
	uint64_t *ids = POOL_ARRAY(w->pool, EVENTS * WEBHOOKS, uint64_t);
	assert_int_equal(page_through(w, filter, ids, EVENTS * WEBHOOKS), EVENTS * WEBHOOKS);
	filter.webhook_id = last;
	assert_int_equal(page_through(w, filter, ids, EVENTS), EVENTS);
	filter.event = EVENT_NEW_SIGNUP; /* the oldest */
	assert_int_equal(page_through(w, filter, ids, 1), 1);
}

/* leadhook(1), delivery list --campaign: the deliveries of all its webhooks, pending and ended, and none of other campaigns */
static void
a_campaign_has_the_deliveries_of_its_webhooks(void **state)
{
	enum { MOST = 64 };
	struct world *w = *state;
	struct delivery_filter filter = any, lead = any;
	uint64_t ids[MOST], same[MOST];
	const uint64_t other = add_campaign(w);
	const uint64_t foreign = add_webhook(w, other, "https://c.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	const uint64_t second = add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	const uint64_t first = make_due(w, 6);
	const struct command elsewhere = signup(w, other, "lead1@example.org");
	run_all(w, &elsewhere, 1);
	struct due_deliveries fetched = fetch(w, first, 3);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_FAILED, 404),
		outcome_of(&fetched.items[1], DELIVERY_DELIVERED, 204),
		outcome_of(&fetched.items[2], DELIVERY_DELIVERED, 200) };
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	filter.campaign_id = w->campaign;
	assert_int_equal(count_deliveries(w, filter), 12);
	assert_int_equal(page_through(w, filter, ids, MOST), 12);
	filter.webhook_id = second;
	assert_int_equal(page_through(w, filter, same, MOST), 6);
	filter.webhook_id = foreign;
	assert_int_equal(count_deliveries(w, filter), 0);
	filter.webhook_id = 0;
	filter.state = DELIVERY_DELIVERED;
	assert_int_equal(page_through(w, filter, same, MOST), 2);
	filter.state = DELIVERY_PENDING;
	assert_int_equal(page_through(w, filter, same, MOST), 9);
	filter.campaign_id = other;
	assert_int_equal(count_deliveries(w, filter), 1);
	lead.lead_social_id = find_lead(w, w->campaign, LEAD_BY_EMAIL, "due1@example.org").social_id;
	lead.campaign_id = w->campaign;
	assert_int_equal(page_through(w, lead, same, MOST), 2);
	lead.campaign_id = other;
	assert_int_equal(count_deliveries(w, lead), 0);
}

/* No matter how many rows are in between, each call reads a limited number, and the next one continues. */
static void
a_campaign_with_a_backlog_is_read_in_pieces(void **state)
{
	enum { OTHERS = 9000, OWN = 4 };
	struct world *w = *state;
	struct delivery_filter filter = any;
	uint64_t ids[OWN];
	const uint64_t second = add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	const uint64_t first = make_due(w, OWN / 2);
	struct due_deliveries fetched = fetch(w, first, 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	const uint64_t last = (uint64_t)root_number("SELECT MAX(id) FROM t_due") + 1;
	filter.campaign_id = w->campaign;
	/* the backlog of another campaign does not matter */
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT %" PRIu64 " + seq, 1, 0, 1000000, "
		 "'json', 1 FROM seq_1_to_%d",
	    last, OTHERS);
	assert_int_equal(list(w, filter).count, OWN);
	int64_t before = root_rows_read();
	assert_int_equal(list(w, filter).count, OWN);
	assert_in_range(root_rows_read() - before, OWN, 100);
	/* these have no event, so they are not listed */
	root_run(
	    "UPDATE t_due SET webhook_id = %" PRIu64 ", shard = %u WHERE webhook_id = 1000000", second, webhook_shard(second));
	root_run("INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT %" PRIu64 " + seq, 1, "
		 "%" PRIu64 ", 'delivered', 1, 1 FROM seq_%d_to_%d",
	    last, second, OTHERS, 2 * OTHERS);
	root_run("ANALYZE TABLE t_due, t_deliveries");
	assert_true(list(w, filter).count == 0 && list(w, filter).next > last);
	before = root_rows_read();
	list(w, filter);
	assert_in_range(root_rows_read() - before, DELIVERIES_EXAMINED, 12 * DELIVERIES_EXAMINED);
	assert_int_equal(page_through(w, filter, ids, OWN), OWN);
}

/* leadhook(1), delivery list --status: by the answer to the last attempt; an attempt with an error has no complete answer */
static void
answers_are_a_filter(void **state)
{
	static const struct {
		enum answer_class class;
		size_t expected;
	} cases[] = { { ANY_ANSWER, 6 }, { ANSWER_1XX, 0 }, { ANSWER_2XX, 2 }, { ANSWER_4XX, 1 }, { ANSWER_5XX, 1 },
		{ NO_ANSWER, 1 } };
	struct world *w = *state;
	struct due_deliveries fetched = fetch(w, make_due(w, 6), 5);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_FAILED, 404),
		outcome_of(&fetched.items[1], DELIVERY_DELIVERED, 204), outcome_of(&fetched.items[2], DELIVERY_DELIVERED, 200),
		outcome_of(&fetched.items[3], DELIVERY_PENDING, 503), outcome_of(&fetched.items[4], DELIVERY_PENDING, 0) };
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct delivery_filter filter = any;
		filter.answer = cases[i].class;
		assert_int_equal(count_deliveries(w, filter), cases[i].expected);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DELIVERY_TEST(a_delivery_sent_again_ends_again),
		DELIVERY_TEST(the_last_attempts_are_shown),
		DELIVERY_TEST(deliveries_are_listed_by_filter),
		DELIVERY_TEST(each_state_is_listed),
		DELIVERY_TEST(rare_states_are_found_by_index),
		DELIVERY_TEST(a_list_reads_a_limited_number_of_rows),
		DELIVERY_TEST(a_lead_has_many_deliveries),
		DELIVERY_TEST(a_campaign_has_the_deliveries_of_its_webhooks),
		DELIVERY_TEST(a_campaign_with_a_backlog_is_read_in_pieces),
		DELIVERY_TEST(answers_are_a_filter),
	};
	return WORLD_MAIN(tests);
}
