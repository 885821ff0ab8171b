/* SPDX-License-Identifier: MIT
 * Ends of deliveries: pending ones are rows of `due`, ended ones of `deliveries`. */
#include "unit.h"

#include <inttypes.h>

#include "engine/events.h"
#include "os/clock.h"
#include "store/fetched.h"
#include "store/hooks/webhooks.h"

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_deliveries");
	root_run("UPDATE t_dispatch_shards SET owner = NULL, lease_until_ms = 0");
	return world_open(state);
}

#define DELIVERY_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static void
outcomes_are_recorded(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 6);
	struct due_deliveries fetched = fetch(w, webhook, ALL_ROWS);
	struct delivery_outcome outcomes[] = {
		outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 204),
		outcome_of(&fetched.items[1], DELIVERY_PENDING, 500),
		outcome_of(&fetched.items[2], DELIVERY_PENDING, 0),
		outcome_of(&fetched.items[3], DELIVERY_FAILED, 404),
	};
	assert_int_equal(fetched.count, 6);
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND last_status = 204 AND attempts = 1", webhook), 1);
	assert_int_equal(root_number(DELIVERIES " AND state = 'failed' AND last_status = 404 AND attempts = 1", webhook), 1);
	assert_int_equal(
	    root_number(DELIVERIES " AND ended_ms > (UNIX_TIMESTAMP() - 60) * 1000 AND event_id < id", webhook), 2);
	assert_int_equal(root_number(DUE " AND last_status IS NULL AND last_error = 'timeout'", webhook), 1);
	assert_int_equal(root_number(DUE " AND last_status = 500 AND last_error IS NULL", webhook), 1);
	assert_int_equal(root_number(DUE " AND event_id < id AND shard = %u", webhook, webhook_shard(webhook)), 4);
	/* two wait for their next attempt, two are unchanged */
	assert_int_equal(root_number(DUE " AND attempts = 1 AND due_ms > UNIX_TIMESTAMP() * 1000", webhook), 2);
	assert_int_equal(root_number(DUE " AND attempts = 0 AND due_ms <= UNIX_TIMESTAMP(NOW(3)) * 1000", webhook), 2);
	/* a success at once has its figures in its own row; other attempts have rows of their own */
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND duration_ms = 12 AND answer = 'answer' AND "
						"started_ms = ended_ms - 12",
			     webhook),
	    1);
	assert_int_equal(
	    root_number(DELIVERIES " AND COALESCE(started_ms, duration_ms, answer) IS NULL AND state = 'failed'", webhook), 1);
	assert_int_equal(root_number(ATTEMPTS " AND a.attempt = 1 AND a.answer = 'answer' AND "
					      "a.duration_ms = 12",
			     webhook, webhook),
	    3);
	assert_int_equal(root_number(ATTEMPTS " AND a.status IS NULL AND a.error = 'timeout'", webhook, webhook), 1);
}

/* The webhook's state follows its last attempt. */
static void
a_webhook_fails_and_recovers(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	struct webhook_row *rows;
	size_t count;
	struct due_deliveries fetched = fetch(w, webhook, ALL_ROWS);
	struct delivery_outcome bad = outcome_of(&fetched.items[0], DELIVERY_PENDING, 503);
	bad.webhook_hold_ms = LONG_MS;
	record_outcomes(w, &bad, 1);
	assert_int_equal(store_list_webhooks(w->store, w->pool, w->campaign, &rows, &count), RESULT_OK);
	int64_t since = rows->failing_since_ms;
	assert_true(since > 0);
	assert_int_equal(rows->status, 503);
	assert_int_equal(rows->last_delivery_ms, -1);
	bad = outcome_of(&fetched.items[1], DELIVERY_PENDING, 0);
	record_outcomes(w, &bad, 1);
	assert_int_equal(store_list_webhooks(w->store, w->pool, w->campaign, &rows, &count), RESULT_OK);
	assert_true(rows->failing_since_ms == since);
	assert_int_equal(rows->status, 0);
	struct delivery_outcome good = outcome_of(&fetched.items[2], DELIVERY_DELIVERED, 200);
	record_outcomes(w, &good, 1);
	assert_int_equal(store_list_webhooks(w->store, w->pool, w->campaign, &rows, &count), RESULT_OK);
	assert_int_equal(rows->failing_since_ms, -1);
	assert_true(rows->last_delivery_ms >= since);
	assert_int_equal(rows->state, WEBHOOK_ACTIVE);
}

/* Deliveries under way are left alone, so that their attempts are recorded. */
static void
pending_deliveries_end_in_chunks(void **state)
{
	static const size_t expected[] = { 4, 3, 0 };
	struct world *w = *state;
	uint64_t other = add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t webhook = make_due(w, 10);
	struct due_deliveries fetched = fetch(w, webhook, 3);
	const uint64_t ids[] = { fetched.items[0].id, fetched.items[1].id, fetched.items[2].id };
	const struct id_set under_way = { ids, 3 };
	struct delivery_outcome outcomes[2];
	size_t done;
	root_run("DELETE FROM t_webhooks WHERE id = %" PRIu64, webhook);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(store_fail_pending(w->store, webhook, &under_way, 4, &done), RESULT_OK);
		assert_int_equal(done, expected[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		outcomes[i] = outcome_of(&fetched.items[i], i == 0 ? DELIVERY_DELIVERED : DELIVERY_PENDING, 200);
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, 4, &done), RESULT_OK);
	assert_int_equal(done, 2);
	assert_int_equal(root_number(DUE, webhook), 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'failed' AND last_error = 'webhook_gone'", webhook), 9);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered'", webhook), 1);
	assert_int_equal(root_number(DUE, other), 10);
}

/* Of outcomes that are recorded together, the last one sets the webhook's status. */
static void
outcomes_at_once_are_one_row_of_the_webhook(void **state)
{
	static const struct {
		int statuses[3]; /* in this order */
		bool failing, as_before, delivered;
	} cases[] = {
		{ { 500, 0, 503 }, true, false, false }, /* the webhook was not failing before */
		{ { 0, 500, 404 }, true, true, false },
		{ { 500, 200, 500 }, true, false, true },
		{ { 500, 500, 200 }, false, false, true },
		{ { 200, 200, 410 }, true, false, true },
	};
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3 * ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct due_deliveries fetched = fetch(w, webhook, 3);
		struct delivery_outcome outcomes[3];
		struct webhook_row *rows;
		size_t count;
		root_run("UPDATE t_webhook_status SET failing_since_ms = %s, last_delivery_ms = NULL, hold_until_ms = 0 "
			 "WHERE webhook_id = %" PRIu64,
		    i == 0 ? "NULL" : "7", webhook);
		for (size_t k = 0; k < 3; k++) {
			bool ok = cases[i].statuses[k] == 200;
			outcomes[k] =
			    outcome_of(&fetched.items[k], ok ? DELIVERY_DELIVERED : DELIVERY_PENDING, cases[i].statuses[k]);
			outcomes[k].webhook_hold_ms = k == 2 ? LONG_MS : 1;
			outcomes[k].webhook_failures = (unsigned)(10 * k);
			outcomes[k].webhook_probes = (unsigned)k;
		}
		assert_int_equal(record_outcomes(w, outcomes, 3), 0);
		assert_int_equal(store_list_webhooks(w->store, w->pool, w->campaign, &rows, &count), RESULT_OK);
		assert_int_equal(rows->status, cases[i].statuses[2]);
		assert_true((rows->failing_since_ms >= 0) == cases[i].failing);
		assert_true((rows->failing_since_ms == 7) == cases[i].as_before);
		assert_true((rows->last_delivery_ms > 0) == cases[i].delivered);
		assert_int_equal(
		    root_number("SELECT hold_until_ms > (UNIX_TIMESTAMP() + 30) * 1000 FROM t_webhook_status WHERE "
				"webhook_id = %" PRIu64 " AND failures = 20 AND probes = 2",
			webhook),
		    1);
	}
}

/* An outcome after the removal of its webhook does not bring the status back. */
static void
a_removed_webhook_gets_no_status(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct due_deliveries fetched = fetch(w, webhook, 2);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200),
		outcome_of(&fetched.items[1], DELIVERY_PENDING, 500) };
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	assert_int_equal(record_outcomes(w, outcomes, 2), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhook_status WHERE webhook_id = %" PRIu64, webhook), 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered'", webhook), 1);
	assert_int_equal(root_number(DUE " AND attempts = 1", webhook), 1);
}

/* The number of statements does not depend on the number of outcomes. */
static void
many_outcomes_cost_no_more_statements(void **state)
{
	static const size_t sizes[] = { 9, 63, 150 };
	struct world *w = *state;
	uint64_t webhooks[3];
	int64_t cost[ARRAY_SIZE(sizes)];
	for (size_t i = 0; i < ARRAY_SIZE(webhooks); i++)
		webhooks[i] = add_webhook(
		    w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data, EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "lead", 80);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct delivery_outcome *outcomes = POOL_ARRAY(w->pool, sizes[i], struct delivery_outcome);
		size_t count = 0;
		for (size_t k = 0; k < ARRAY_SIZE(webhooks); k++) {
			struct due_deliveries fetched = fetch(w, webhooks[k], sizes[i] / 3);
			for (size_t n = 0; n < fetched.count; n++, count++)
				outcomes[count] =
				    outcome_of(&fetched.items[n], count % 3 == 0 ? DELIVERY_PENDING : DELIVERY_DELIVERED, 200);
		}
		assert_int_equal(count, sizes[i]);
		int64_t before = root_questions();
		assert_int_equal(record_outcomes(w, outcomes, count), 0);
		cost[i] = root_questions() - before;
	}
	assert_in_range(cost[0], 5, 12); /* the first one includes preparing its statements */
	assert_in_range(cost[1], 5, cost[0]);
	assert_in_range(cost[2], 5, cost[0] + 2);
}

/* Rows are fetched, recorded and ended while sign-ups are not committed yet. */
static void
the_dispatcher_does_not_wait_for_sign_ups(void **state)
{
	enum { ROWS = 200, SOME = 40 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, ROWS);
	struct delivery_outcome outcomes[SOME];
	size_t done;
	root_run("ANALYZE TABLE t_due");
	int64_t first = root_number("SELECT MIN(id) FROM t_due"), last = root_number("SELECT MAX(id) FROM t_due");
	root_run("DELETE FROM t_webhooks WHERE id = %" PRIu64, webhook);
	root_run("BEGIN");
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms) VALUES (%" PRId64 ", 1, 1, 1, 1), (%" PRId64
		 ", 1, 1, 1, 1)",
	    first + 1, last + 1);
	int64_t began_ms = clock_monotonic_ms();
	struct due_deliveries fetched = fetch(w, webhook, SOME);
	for (size_t i = 0; i < fetched.count; i++)
		outcomes[i] = outcome_of(&fetched.items[i], i % 2 == 0 ? DELIVERY_DELIVERED : DELIVERY_PENDING, 200);
	assert_int_equal(record_outcomes(w, outcomes, fetched.count), 0);
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, SOME, &done), RESULT_OK);
	assert_in_range(clock_monotonic_ms() - began_ms, 0, 4000);
	root_run("ROLLBACK");
	assert_int_equal(fetched.count, SOME);
	assert_int_equal(done, SOME);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DELIVERY_TEST(outcomes_are_recorded),
		DELIVERY_TEST(a_webhook_fails_and_recovers),
		DELIVERY_TEST(pending_deliveries_end_in_chunks),
		DELIVERY_TEST(outcomes_at_once_are_one_row_of_the_webhook),
		DELIVERY_TEST(a_removed_webhook_gets_no_status),
		DELIVERY_TEST(many_outcomes_cost_no_more_statements),
		DELIVERY_TEST(the_dispatcher_does_not_wait_for_sign_ups),
	};
	return WORLD_MAIN(tests);
}
