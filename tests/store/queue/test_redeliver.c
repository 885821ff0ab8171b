/* SPDX-License-Identifier: MIT
 * Deliveries are sent again (docs/deliveries.md 3.2) with their id, event and format, while dispatchers run. */
#include "unit.h"

#include <inttypes.h>

#include "engine/events.h"
#include "os/clock.h"
#include "store/fetched.h"
#include "store/hooks/webhooks.h"
#include "store/operator/deliveries.h"
#include "store/operator/installation_check.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

static const struct delivery_filter any = { .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = SIZE_MAX };

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_deliveries");
	root_run("DELETE FROM t_attempts");
	root_run("DELETE FROM t_events");
	root_run("UPDATE t_dispatch_shards SET owner = NULL, lease_until_ms = 0");
	return world_open(state);
}

#define REDELIVER_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static enum redelivery
redeliver(struct world *w, uint64_t id)
{
	enum redelivery what;
	assert_int_equal(store_redeliver(w->store, &id, 1, &what, NULL, NULL), RESULT_OK);
	return what;
}

/* The id of a delivery that ended in this state, after one attempt. */
static uint64_t
make_ended(struct world *w, uint64_t webhook, enum delivery_state state, int status)
{
	struct due_deliveries fetched = fetch(w, webhook, 1);
	assert_int_equal(fetched.count, 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, state, status);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	return fetched.items->id;
}

static void
assert_sound(struct world *w)
{
	struct finding *findings;
	size_t count;
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	for (size_t i = 0; i < count; i++)
		print_error("%.*s: %.*s\n", SLICE_ARGS(findings[i].what), SLICE_ARGS(findings[i].detail));
	assert_int_equal(count, 0);
}

/* docs/deliveries.md 3.2: "new attempts of the same delivery"; the schedule begins again, the numbers of attempts continue */
static void
an_ended_delivery_is_due_again(void **state)
{
	static const enum delivery_state states[] = { DELIVERY_FAILED, DELIVERY_DELIVERED };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct slice message_id = SLICE_NONE, payload = SLICE_NONE;
	root_run("UPDATE t_due SET format = 'form'"); /* differs from its webhook's current format */
	for (unsigned i = 0; i < 4; i++) {
		struct due_deliveries fetched = fetch(w, webhook, ALL_ROWS);
		assert_int_equal(fetched.count, 1);
		assert_int_equal(fetched.items->attempt, i + 1);
		assert_int_equal(fetched.items->attempts_before, i);
		assert_true(fetched.items->form);
		if (i > 0) {
			assert_slices_equal(fetched.items->message_id, message_id);
			assert_slices_equal(fetched.items->payload, payload);
		}
		message_id = fetched.items->message_id;
		payload = fetched.items->payload;
		struct delivery_outcome outcome = outcome_of(fetched.items, states[i % 2], 200 + (int)i);
		assert_int_equal(record_outcomes(w, &outcome, 1), 0);
		assert_int_equal(redeliver(w, fetched.items->id), REDELIVERY_QUEUED);
		assert_int_equal(root_number(DUE " AND due_ms <= UNIX_TIMESTAMP(NOW(3)) * 1000 AND last_status = %u"
						 " AND shard = %u",
				     webhook, 200 + i, webhook_shard(webhook)),
		    1);
		assert_int_equal(root_number(DELIVERIES " AND attempts = %u", webhook, i + 1), 1);
		assert_sound(w);
	}
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts"), 4);
}

/* The figures of the only attempt of a success become a row of `attempts`: each attempt is in one place. */
static void
the_only_attempt_stays_logged(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	uint64_t id = make_ended(w, webhook, DELIVERY_DELIVERED, 204);
	const int64_t started_ms = root_number("SELECT started_ms FROM t_deliveries");
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts"), 0);
	assert_int_equal(redeliver(w, id), REDELIVERY_QUEUED);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts WHERE delivery_id = %" PRIu64 " AND attempt = 1 AND "
				     "started_ms = %" PRId64
				     " AND duration_ms = 12 AND status = 204 AND error IS NULL AND answer = 'answer'",
			     id, started_ms),
	    1);
	assert_int_equal(root_number(DELIVERIES " AND COALESCE(started_ms, duration_ms, answer) IS NULL", webhook), 1);
	assert_true(make_ended(w, webhook, DELIVERY_DELIVERED, 200) == id);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts"), 2);
	assert_int_equal(
	    root_number(DELIVERIES " AND attempts = 2 AND COALESCE(started_ms, duration_ms, answer) IS NULL", webhook), 1);
	assert_int_equal(redeliver(w, id), REDELIVERY_QUEUED);
	assert_sound(w);
}

/* A delivery that waits for its next attempt is due at once, with its whole schedule; one that is due keeps its time. */
static void
a_waiting_delivery_is_due_at_once(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	uint64_t failed = make_ended(w, webhook, DELIVERY_PENDING, 500);
	int64_t due_ms = root_number("SELECT due_ms FROM t_due WHERE attempts = 0");
	uint64_t fresh = (uint64_t)root_number("SELECT id FROM t_due WHERE attempts = 0");
	assert_int_equal(root_number(DUE " AND due_ms > (UNIX_TIMESTAMP() + 30) * 1000", webhook), 1);
	assert_int_equal(redeliver(w, failed), REDELIVERY_QUEUED);
	assert_int_equal(redeliver(w, fresh), REDELIVERY_QUEUED);
	assert_int_equal(
	    root_number(DUE " AND due_ms <= UNIX_TIMESTAMP(NOW(3)) * 1000 AND attempts = 1 AND attempts_before = 1", webhook),
	    1);
	assert_int_equal(root_number("SELECT due_ms FROM t_due WHERE attempts = 0 AND attempts_before = 0"), due_ms);
	assert_sound(w);
}

/* docs/deliveries.md 3.2: a delivery that is sent again during an attempt is due at once after its failure, with its whole
 * schedule; a success ends it. */
static void
sent_again_during_an_attempt(void **state)
{
	static const enum delivery_state states[] = { DELIVERY_PENDING, DELIVERY_FAILED, DELIVERY_DELIVERED };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	uint64_t id = make_ended(w, webhook, DELIVERY_PENDING, 500);
	for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
		root_run("UPDATE t_due SET due_ms = 5, attempts_before = 0");
		struct due_deliveries fetched = fetch(w, webhook, 1);
		struct delivery_outcome outcome = outcome_of(fetched.items, states[i], 500);
		assert_int_equal(redeliver(w, id), REDELIVERY_QUEUED);
		assert_int_equal(record_outcomes(w, &outcome, 1), 0);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts"), i + 2);
		if (states[i] == DELIVERY_DELIVERED)
			break;
		assert_int_equal(root_number(DUE " AND attempts = %u AND attempts_before = attempts AND due_ms <= "
						 "UNIX_TIMESTAMP(NOW(3)) * 1000 AND last_status = 500",
				     webhook, i + 2),
		    1);
		assert_int_equal(root_number(DELIVERIES, webhook), 0);
	}
	assert_int_equal(root_number(DUE, webhook), 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND attempts = 4", webhook), 1);
	assert_sound(w);
}

/* This applies to both ended and pending deliveries. Those that only have to wait are queued, and reported. */
static void
unsendable_deliveries_are_not_queued(void **state)
{
	static const struct {
		const char *change, *undo;
		enum redelivery expected;
	} cases[] = {
		{ "UPDATE t_webhooks SET id = id + 1000000", "UPDATE t_webhooks SET id = id - 1000000", REDELIVERY_NO_WEBHOOK },
		{ "UPDATE t_events SET id = id + 1000000 ORDER BY id DESC", "UPDATE t_events SET id = id - 1000000 ORDER BY id",
		    REDELIVERY_NO_EVENT },
		/* its deliveries wait */
		{ "UPDATE t_webhooks SET state = 'gone'", "UPDATE t_webhooks SET state = 'active'", REDELIVERY_HELD },
		{ "UPDATE t_webhooks SET state = 'disabled'", "UPDATE t_webhooks SET state = 'active'", REDELIVERY_HELD },
		{ "UPDATE t_webhook_status SET hold_until_ms = 1 << 42", "UPDATE t_webhook_status SET hold_until_ms = 5",
		    REDELIVERY_HELD },
	};
	struct world *w = *state;
	root_run("DELETE FROM t_webhooks");
	uint64_t webhook = make_due(w, 2);
	uint64_t ended = make_ended(w, webhook, DELIVERY_FAILED, 500);
	uint64_t waiting = (uint64_t)root_number("SELECT id FROM t_due");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		root_run("%s", cases[i].change);
		assert_int_equal(redeliver(w, ended), cases[i].expected);
		assert_int_equal(redeliver(w, waiting), cases[i].expected);
		root_run("%s", cases[i].undo);
		assert_int_equal(root_number(DUE, webhook), cases[i].expected == REDELIVERY_HELD ? 2 : 1);
	}
	assert_int_equal(redeliver(w, UNKNOWN_ID), REDELIVERY_MISSING);
}

/* docs/deliveries.md 3.2: "with 1,000 attempts or more it is not sent again", ended or pending */
static void
a_delivery_is_sent_again_up_to_a_number_of_attempts(void **state)
{
	static const struct {
		unsigned attempts;
		enum redelivery expected;
		int64_t due;
	} cases[] = {
		{ 1001, REDELIVERY_AT_LIMIT, 1 },
		{ 1000, REDELIVERY_AT_LIMIT, 1 },
		{ 999, REDELIVERY_QUEUED, 2 },
	};
	struct world *w = *state;
	root_run("DELETE FROM t_webhooks");
	uint64_t webhook = make_due(w, 2);
	uint64_t ended = make_ended(w, webhook, DELIVERY_FAILED, 500);
	uint64_t waiting = (uint64_t)root_number("SELECT id FROM t_due WHERE webhook_id = %" PRIu64, webhook);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		root_run("UPDATE t_due SET attempts = %u WHERE id = %" PRIu64, cases[i].attempts, waiting);
		root_run("UPDATE t_deliveries SET attempts = %u WHERE id = %" PRIu64, cases[i].attempts, ended);
		assert_int_equal(redeliver(w, ended), cases[i].expected);
		assert_int_equal(redeliver(w, waiting), cases[i].expected);
		assert_int_equal(root_number(DUE, webhook), cases[i].due);
	}
}

/* Each of many ids has its result; an id that is named twice counts once. */
static void
each_id_gets_its_result(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	uint64_t ended = make_ended(w, webhook, DELIVERY_DELIVERED, 200);
	struct due_deliveries fetched = fetch(w, webhook, 2);
	const uint64_t ids[] = { fetched.items[0].id, UNKNOWN_ID, ended, fetched.items[1].id, ended };
	enum redelivery what[ARRAY_SIZE(ids)];
	assert_int_equal(store_redeliver(w->store, ids, ARRAY_SIZE(ids), what, NULL, NULL), RESULT_OK);
	assert_int_equal(what[0], REDELIVERY_QUEUED);
	assert_int_equal(what[1], REDELIVERY_MISSING);
	assert_int_equal(what[2], REDELIVERY_QUEUED);
	assert_int_equal(what[3], REDELIVERY_QUEUED);
	assert_int_equal(what[4], REDELIVERY_QUEUED);
	assert_int_equal(root_number(DUE, webhook), 3);
}

enum { ROUNDS = 60, MOST_ROUNDS = 100 * ROUNDS, RACED = 20, RACERS = 4, WEBHOOK = 1, IDS = 2, RECORDED = IDS + RACED };

/* Goes on until the dispatcher has made some attempts, even if it gets little processor time. */
static bool
goes_on(unsigned round)
{
	return round < ROUNDS || (shared[RECORDED] <= RACED && round < MOST_ROUNDS);
}

/* The last process is the dispatcher, the others are operators. */
static bool
race(struct store *store, const struct world *world UNUSED, unsigned index)
{
	struct due_request request = { .webhook_id = shared[WEBHOOK], .rows = 5 };
	enum redelivery what[RACED];
	for (unsigned round = 0; goes_on(round); round++) {
		struct pool *pool = pool_new();
		struct due_deliveries due = { 0 };
		struct delivery_outcome outcomes[RACED];
		size_t stale = 0;
		enum result result;
		request.last = (struct due_position){ 0 };
		if (index < RACERS - 1)
			result = store_redeliver(store, shared + IDS, RACED, what, NULL, NULL);
		else
			result = store_fetch_due(store, pool, &request, 1, &no_ids, &due);
		for (size_t i = 0; result == RESULT_OK && i < due.count; i++)
			outcomes[i] = outcome_of(&due.items[i], i % 2 == 0 ? DELIVERY_DELIVERED : DELIVERY_FAILED, 200);
		for (unsigned tries = 1; due.count > 0 && (tries == 1 || result == RESULT_CONFLICT); tries++) {
			if (tries > 1)
				store_back_off(tries < STORE_ATTEMPTS ? tries : STORE_ATTEMPTS);
			result = store_record_outcomes(store, owners[0], outcomes, due.count);
		}
		for (size_t i = 0; i < due.count; i++)
			stale += outcomes[i].stale ? 1 : 0;
		pool_free(&pool);
		if (due.count > 0 && result == RESULT_OK)
			shared[RECORDED] += due.count;
		if ((result != RESULT_OK && result != RESULT_CONFLICT) || stale > 0)
			return false;
	}
	return true;
}

/* "Race-free against a running dispatcher": no number of an attempt is used twice, none is lost, every state is valid. */
static void
operators_and_dispatchers_race(void **state)
{
	struct world *w = *state;
	shared[WEBHOOK] = make_due(w, RACED);
	for (uint64_t i = 0; i < RACED; i++)
		shared[IDS + i] = make_ended(w, shared[WEBHOOK], DELIVERY_FAILED, 500);
	processes_start(w, RACERS, race);
	assert_true(processes_end());
	assert_sound(w);
	/* each delivery has as many attempts as the log has rows for it, and the number of its last attempt is that count */
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_deliveries d JOIN (SELECT delivery_id, COUNT(*) AS logged, MAX(attempt) "
			"AS last FROM t_attempts GROUP BY delivery_id) a ON a.delivery_id = d.id "
			"WHERE d.attempts = a.logged AND a.logged = a.last"),
	    RACED);
	assert_true(root_number("SELECT COUNT(*) FROM t_attempts") > 2 * RACED);
}

static bool
redeliver_one(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	enum redelivery what;
	return store_redeliver(store, &shared[1], 1, &what, NULL, NULL) == RESULT_OK && what == REDELIVERY_QUEUED;
}

/* A call waits while an outcome is being recorded: the count of attempts continues from the result. */
static void
an_outcome_being_recorded_is_waited_for(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	shared[1] = make_ended(w, webhook, DELIVERY_FAILED, 500);
	root_run("START TRANSACTION");
	root_run("UPDATE t_deliveries SET attempts = 7 WHERE id = %" PRIu64, shared[1]);
	processes_start(w, 1, redeliver_one);
	bool waited = root_wait_for(1, ROW_LOCK_WAITS);
	root_run("COMMIT");
	assert_true(processes_end());
	assert_true(waited);
	assert_int_equal(root_number(DUE " AND attempts = 7 AND attempts_before = 7", webhook), 1);
}

/* The rows that were visited. */
enum { VISITED_MAX = 16 };
struct visits {
	struct world *w;
	size_t count;
	uint64_t last, ids[VISITED_MAX];
	bool redelivers, stops;
};

static enum result
visit(void *context, const struct delivery_row *deliveries, size_t count)
{
	struct visits *v = context;
	for (size_t i = 0; i < count; i++) {
		assert_true(v->last == 0 || deliveries[i].id < v->last);
		v->last = deliveries[i].id;
		v->ids[(v->count + i) % VISITED_MAX] = v->last;
		if (v->redelivers)
			assert_int_equal(redeliver(v->w, deliveries[i].id), REDELIVERY_QUEUED);
	}
	v->count += count;
	return v->stops ? RESULT_CONFLICT : RESULT_OK;
}

static enum result
visit_all(struct visits *v, const struct delivery_filter *filter)
{
	struct delivery_walk walk = { .deadline_ms = CLOCK_NEVER };
	const enum result result = store_visit_deliveries(v->w->store, filter, &walk, visit, v);
	assert_true(result != RESULT_OK || walk.done);
	return result;
}

/* All matching deliveries are visited once each, in order, even though they change in the meantime, and no matter how many
 * others there are. */
static void
all_that_fit_are_visited(void **state)
{
	enum { MANY = DELIVERIES_EXAMINED + 40000, PLACE = 1000000000 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	struct delivery_filter filter = any;
	for (size_t i = 0; i < 3; i++)
		make_ended(w, webhook, DELIVERY_FAILED, 500);
	uint64_t last = (uint64_t)root_number("SELECT MAX(id) FROM t_deliveries");
	root_run("INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT %" PRIu64
		 " + seq, 1, %" PRIu64 ", 'failed', 1, 1 FROM seq_1_to_%d",
	    last + PLACE, webhook, MANY); /* without events */
	filter.webhook_id = webhook;
	filter.state = DELIVERY_FAILED;
	struct visits visits = { .w = w, .redelivers = true };
	assert_int_equal(visit_all(&visits, &filter), RESULT_OK);
	assert_int_equal(visits.count, 3);
	assert_int_equal(root_number(DUE, webhook), 3);
	root_run("DELETE FROM t_deliveries WHERE id > %" PRIu64, last);
	filter.state = DELIVERY_PENDING;
	filter.limit = 2;
	visits = (struct visits){ .w = w };
	assert_int_equal(visit_all(&visits, &filter), RESULT_OK);
	assert_int_equal(visits.count, 2);
	visits = (struct visits){ .w = w, .stops = true };
	assert_int_equal(visit_all(&visits, &any), RESULT_CONFLICT);
}

/* A visit continues at any place, even between the deliveries of one event, and after a page that was the last before the
 * deadline. */
static void
a_visit_goes_on_where_it_ended(void **state)
{
	enum { LEADS = 2, HOOKS = 3, OTHERS = 3 * DB_LIST_MAX, PLACE = 1000 };
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	add_webhook(w, w->campaign, "https://c.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	make_due(w, LEADS);
	struct delivery_filter filters[] = { any, any, any };
	const size_t sizes[] = { LEADS * HOOKS, LEADS * HOOKS, HOOKS };
	filters[1].campaign_id = w->campaign;
	filters[2].lead_social_id = find_lead(w, w->campaign, LEAD_BY_EMAIL, numbered_email(w->pool, "due", 1)).social_id;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct visits all = { .w = w };
		assert_int_equal(visit_all(&all, &filters[i]), RESULT_OK);
		assert_int_equal(all.count, sizes[i]);
		for (size_t k = 0; k < all.count; k++) {
			struct visits rest = { .w = w };
			struct delivery_walk walk = { .below = all.ids[k], .deadline_ms = CLOCK_NEVER };
			assert_int_equal(store_visit_deliveries(w->store, &filters[i], &walk, visit, &rest), RESULT_OK);
			assert_int_equal(rest.count, all.count - k - 1);
			assert_true(rest.count == 0 || rest.ids[0] == all.ids[k + 1]);
		}
	}
	filters[1].campaign_id++;
	struct visits none = { .w = w };
	assert_int_equal(visit_all(&none, &filters[1]), RESULT_OK);
	assert_int_equal(none.count, 0);
	root_run(
	    "INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT MAX(u.id) + %d + seq, 1, "
	    "1, 'delivered', 1, 1 FROM t_due u JOIN seq_1_to_%d GROUP BY seq",
	    PLACE, OTHERS); /* without events */
	struct visits late = { .w = w };
	struct delivery_walk walk = { .deadline_ms = 0 };
	size_t calls = 0;
	for (; !walk.done; calls++)
		assert_int_equal(store_visit_deliveries(w->store, &any, &walk, visit, &late), RESULT_OK);
	assert_int_equal(late.count, LEADS * HOOKS);
	assert_in_range(calls, 12, 14);
}

/* docs/operating.md 4, `delivery show`: the row with its campaign, payload and URL, and its attempts in order. */
static void
a_delivery_is_found_with_its_log(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct delivery_details found;
	uint64_t id = make_ended(w, webhook, DELIVERY_FAILED, 0);
	assert_int_equal(redeliver(w, id), REDELIVERY_QUEUED);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	assert_int_equal(store_find_delivery(w->store, w->pool, id, &found), RESULT_OK);
	assert_int_equal(found.row.state, DELIVERY_PENDING);
	assert_int_equal(found.row.attempts, 1);
	assert_int_equal(found.row.leased_by.size, DISPATCH_OWNER_SIZE);
	assert_memory_equal(found.row.leased_by.data, owners[0], DISPATCH_OWNER_SIZE);
	assert_true(found.row.due_ms > 0 && found.row.due_ms <= found.row.now_ms);
	assert_int_equal(store_shards_release(w->store, owners[0]), RESULT_OK);
	assert_int_equal(store_find_delivery(w->store, w->pool, id, &found), RESULT_OK);
	assert_false(slice_present(found.row.leased_by));
	assert_slices_equal(found.row.last_error, SLICE("timeout"));
	assert_int_equal(found.row.campaign_id, w->campaign);
	assert_slice(found.url, "https://a.example/hook");
	assert_slices_equal(found.message_id, fetched.items->message_id);
	assert_slices_equal(found.payload, fetched.items->payload);
	assert_true(found.row.created_ms > 0 && found.row.created_ms <= found.row.now_ms);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_DELIVERED, 204);
	outcome.answer = SLICE("\xff\x00");
	outcome.webhook_failures = 3;
	outcome.webhook_hold_ms = LONG_MS;
	lease(w, owners[0], LONG_MS);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(store_find_delivery(w->store, w->pool, id, &found), RESULT_OK);
	assert_int_equal(found.row.state, DELIVERY_DELIVERED);
	assert_false(slice_present(found.row.leased_by));
	assert_int_equal(found.row.webhook_failures, 3);
	assert_true(found.row.webhook_hold_until_ms > found.row.now_ms);
	assert_int_equal(found.attempt_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(found.attempts[i].attempt, i + 1);
		assert_int_equal(found.attempts[i].duration_ms, 12);
		assert_int_equal(found.attempts[i].status, i == 0 ? 0 : 204);
		assert_slices_equal(found.attempts[i].error, i == 0 ? SLICE("timeout") : SLICE_NONE);
		assert_slices_equal(found.attempts[i].answer, i == 0 ? SLICE("answer") : outcome.answer);
	}
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	assert_int_equal(store_find_delivery(w->store, w->pool, id, &found), RESULT_OK);
	assert_false(slice_present(found.url));
	assert_int_equal(found.row.webhook_state, WEBHOOK_MISSING);
	assert_int_equal(store_find_delivery(w->store, w->pool, UNKNOWN_ID, &found), RESULT_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		REDELIVER_TEST(an_ended_delivery_is_due_again),
		REDELIVER_TEST(a_waiting_delivery_is_due_at_once),
		REDELIVER_TEST(the_only_attempt_stays_logged),
		REDELIVER_TEST(sent_again_during_an_attempt),
		REDELIVER_TEST(unsendable_deliveries_are_not_queued),
		REDELIVER_TEST(a_delivery_is_sent_again_up_to_a_number_of_attempts),
		REDELIVER_TEST(each_id_gets_its_result),
		REDELIVER_TEST(operators_and_dispatchers_race),
		REDELIVER_TEST(an_outcome_being_recorded_is_waited_for),
		REDELIVER_TEST(all_that_fit_are_visited),
		REDELIVER_TEST(a_visit_goes_on_where_it_ended),
		REDELIVER_TEST(a_delivery_is_found_with_its_log),
	};
	return WORLD_MAIN(tests);
}
