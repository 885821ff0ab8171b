/* SPDX-License-Identifier: MIT
 * docs/architecture.md 9.1: before a partition is dropped, its pending deliveries end as
 * failed (expired), logged and counted. Rows of other tables expire at ages of their own. Modules: store/queue. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "captured_log.h"
#include "os/clock.h"
#include "store/days.h"
#include "store/fetched.h"
#include "store/operator/deliveries.h"
#include "store/operator/installation_check.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"

static const char *const tables[] = { "events", "deliveries", "attempts" };

/* Events and deliveries, by the day of the event's id. */
#define EVENTS "SELECT COUNT(*) FROM t_events WHERE id >> 36 = %" PRIu64
#define PENDING "SELECT COUNT(*) FROM t_due WHERE event_id >> 36 = %" PRIu64
#define ENDED "SELECT COUNT(*) FROM t_deliveries WHERE event_id >> 36 = %" PRIu64

static uint64_t
first_retained(void)
{
	return today() - RETENTION_DAYS;
}

/* Lets the dispatcher maintain days again at once. */
static void
maintain(struct store *store)
{
	end_rest();
	assert_int_equal(store_clean_up(store), RESULT_OK);
}

static bool
is_paused(void)
{
	return root_number("SELECT COUNT(*) FROM t_installation WHERE name = 'history_rests_until_ms' AND value > "
			   "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000") == 1;
}

/* ---- dropped days ---- */

/* One day per call, the oldest first; nothing of the retention's first day is lost, not even at its edges. */
static void
expired_days_are_dropped(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained();
	const uint64_t lost[] = { id_of(retained - 2), id_of(retained - 1) - 2, id_of(retained - 1), id_of(retained) - 2 };
	const uint64_t left[] = { id_of(retained), id_of(retained + 1) - 2, id_of(today()) };
	remake_days(retained - 2, today() + AHEAD);
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		plant_event(lost[i], PLANTED_ENDED);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		plant_event(left[i], PLANTED_ENDED);
	capture_log();
	maintain(w->store);
	assert_int_equal(tables_with(retained - 2), 0);
	assert_int_equal(tables_with(retained - 1), 3);
	assert_false(is_paused()); /* there is more to do */
	maintain(w->store);
	maintain(w->store);
	maintain(w->store);
	const char *log = captured_log();
	assert_true(is_paused());
	assert_int_equal(tables_with(retained - 1), 0);
	for (uint64_t day = retained; day <= today() + AHEAD; day++)
		assert_int_equal(tables_with(day), 3);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s", tables[i]), ARRAY_SIZE(left));
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE id = %" PRIu64, left[i]), 1);
	assert_int_equal(count_in(log, "info test"), 2);
	const char *first = strstr(log, "history_dropped day=");
	assert_non_null(first);
	const int64_t date = date_of(retained - 2);
	struct slice text =
	    pool_printf(w->pool, "%" PRId64 "-%02" PRId64 "-%02" PRId64, date / 10000, date / 100 % 100, date % 100);
	assert_memory_equal(first + strlen("history_dropped day="), text.data, text.size);
	assert_int_equal(count_in(log, "warning test"), 0);
}

static struct store *
store_with_retention(int64_t retention_ms)
{
	struct store_options options = world_options;
	options.retention_ms = retention_ms;
	return store_new(&options);
}

/* "an event of today is the mark by which a lost COMMIT is recognised", also for a COMMIT at midnight. */
static void
today_and_yesterday_are_never_dropped(void **state UNUSED)
{
	const uint64_t now = today();
	struct store *store = store_with_retention(1);
	remake_days(now - 3, now + AHEAD);
	plant_event(id_of(now - 1), PLANTED_ENDED);
	plant_event(id_of(now), PLANTED_PENDING);
	for (int i = 0; i < 5; i++)
		maintain(store);
	assert_int_equal(tables_with(now - 2), 0);
	assert_int_equal(tables_with(now - 1), 3);
	assert_int_equal(root_number(EVENTS, now - 1), 1);
	assert_int_equal(root_number(PENDING, now), 1);
	store_free(&store);
}

static void
without_a_retention_nothing_is_dropped(void **state UNUSED)
{
	const uint64_t old = today() - 50;
	struct store *store = store_with_retention(0);
	remake_days(old, today() + AHEAD);
	plant_event(id_of(old), PLANTED_PENDING);
	maintain(store);
	maintain(store);
	assert_int_equal(tables_with(old), 3);
	assert_int_equal(root_number(PENDING, old), 1);
	store_free(&store);
}

/* After a long time without maintenance: days are made first, then dropped. */
static void
missed_days_are_made_then_dropped(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained();
	remake_days(1, 0);
	plant_event(id_of(retained - 1), PLANTED_ENDED);
	plant_event(id_of(retained), PLANTED_ENDED);
	maintain(w->store);
	assert_false(is_paused());
	assert_int_equal(root_number(EVENTS, retained - 1), 1);
	maintain(w->store);
	assert_int_equal(root_number(EVENTS, retained - 1), 0);
	assert_int_equal(root_number(EVENTS, retained), 1);
}

/* ---- pending deliveries ---- */

/* All of them, including those that are due later or under way, and those with ids of the next day. */
static void
pending_deliveries_expire(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained();
	remake_days(retained - 1, today() + AHEAD);
	uint64_t webhook = make_due(w, 1);
	root_run("UPDATE t_events SET id = (id & 68719476735) | %" PRIu64, id_of(retained - 1));
	root_run("UPDATE t_due SET event_id = (event_id & 68719476735) | %" PRIu64 ", id = event_id + 1", id_of(retained - 1));
	struct due_deliveries fetched = fetch(w, webhook, 1);
	assert_int_equal(fetched.count, 1);
	plant_event(id_of(retained - 1), PLANTED_PENDING);
	plant_event(id_of(retained) - 1, PLANTED_PENDING);
	plant_event(id_of(retained), PLANTED_PENDING);
	root_run("UPDATE t_due SET last_status = 503 WHERE id = %" PRIu64, id_of(retained - 1) + 1);
	end_rest();
	/* the day cannot be dropped while another connection reads it: its rows can be seen */
	root_run("START TRANSACTION");
	root_run("SELECT id FROM t_deliveries");
	capture_log();
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	const char *log = captured_log();
	assert_int_equal(count_in(log, "deliveries_expired deliveries=3 "), 1);
	root_run("COMMIT");
	assert_int_equal(root_number(PENDING, retained - 1), 0);
	assert_int_equal(root_number(PENDING, retained), 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deliveries WHERE state = 'failed' AND last_error = 'expired' AND "
				     "webhook_id = %d AND attempts = 2 AND format = 'json' AND ended_ms > 0",
			     PLANTED_WEBHOOK),
	    2);
	assert_int_equal(root_number("SELECT last_status FROM t_deliveries WHERE id = %" PRIu64, id_of(retained - 1) + 1), 503);
	assert_int_equal(tables_with(retained - 1), 3);
	assert_true(is_paused());
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, &outcome, 1), 1);
	maintain(w->store);
	assert_int_equal(tables_with(retained - 1), 0);
	assert_int_equal(root_number(PENDING, retained), 1);
	/* a delivery with an id of the next day is dropped with that day */
	assert_int_equal(root_number(ENDED, retained - 1), 1);
	assert_true(in_day("deliveries", id_of(retained), retained));
}

/* Deliveries expire in chunks, with a limit for one call: other maintenance must not wait. */
static void
many_deliveries_expire_in_chunks(void **state)
{
	enum { AT_ONCE = 10000, ALL = 10600 };
	struct world *w = *state;
	const uint64_t retained = first_retained(), old = retained - 1;
	remake_days(old, today() + AHEAD);
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT %" PRIu64
		 " + 2 * seq + 1, %" PRIu64 " + 2 * seq, 1, %d, 'json', 0 FROM seq_1_to_%d",
	    id_of(old), id_of(old), PLANTED_WEBHOOK, ALL);
	maintain(w->store);
	assert_int_equal(root_number(PENDING, old), ALL - AT_ONCE);
	assert_int_equal(root_number(ENDED, old), AT_ONCE);
	assert_int_equal(tables_with(old), 3);
	assert_false(is_paused());
	maintain(w->store);
	assert_int_equal(root_number(PENDING, old), 0);
	assert_int_equal(tables_with(old), 0);
}

/* ---- interruptions ---- */

static void
assert_check_is_clean(struct world *w, struct store *store)
{
	struct finding *findings;
	size_t count;
	store_check(store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	for (size_t i = 0; i < count; i++)
		print_error("%.*s: %.*s\n", SLICE_ARGS(findings[i].what), SLICE_ARGS(findings[i].detail));
	assert_int_equal(count, 0);
}

static void
assert_listed(struct world *w, size_t count)
{
	struct delivery_filter filter = { .state = -1, .event = -1, .since_ms = -1, .until_ms = -1, .limit = 100 };
	struct delivery_list list;
	assert_int_equal(store_list_deliveries(w->store, w->pool, &filter, &list), RESULT_OK);
	assert_int_equal(list.count, count);
	assert_int_equal(list.next, 0);
}

/* After a kill between two tables, reads are consistent, no matter what the retention is by then; the next call continues. */
static void
a_half_dropped_day_is_consistent(void **state)
{
	/* as in partitions.c */
	static const char *const in_order[] = { "deliveries", "attempts", "events" };
	struct world *w = *state;
	const uint64_t retained = first_retained(), old = retained - 1;
	for (size_t gone = 0; gone <= ARRAY_SIZE(in_order); gone++) {
		struct store *for_ever = store_with_retention(0);
		remake_days(old, today() + AHEAD);
		plant_event(id_of(old), PLANTED_ENDED);
		plant_event(id_of(retained), PLANTED_ENDED);
		for (size_t i = 0; i < gone; i++)
			root_run("ALTER TABLE t_%s DROP PARTITION d%" PRId64, in_order[i], date_of(old));
		assert_check_is_clean(w, w->store);
		assert_check_is_clean(w, for_ever);
		assert_listed(w, gone == 0 ? 2 : 1);
		maintain(w->store);
		assert_int_equal(tables_with(old), 0);
		for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
			assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s", tables[i]), 1);
		assert_check_is_clean(w, w->store);
		assert_listed(w, 1);
		store_free(&for_ever);
	}
}

/* Errors in complete days are still found. */
static void
the_check_still_finds_what_is_wrong(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained();
	struct finding *findings;
	size_t count;
	remake_days(retained, today() + AHEAD);
	plant_event(id_of(retained), PLANTED_ENDED);
	assert_check_is_clean(w, w->store);
	root_run("UPDATE t_events SET deliveries = 2");
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	assert_int_equal(count, 1);
	assert_true(slice_equal(findings[0].what, SLICE("events")));
	root_run("DELETE FROM t_events");
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	assert_int_equal(count, 1);
	assert_true(slice_equal(findings[0].what, SLICE("deliveries")));
}

/* A delivery that is sent again while its day is dropped: its event stays until the delivery has ended. */
static void
a_delivery_sent_again_meanwhile_expires_too(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained(), old = retained - 1;
	remake_days(old, today() + AHEAD);
	plant_event(id_of(old), PLANTED_PENDING);
	root_run("ALTER TABLE t_deliveries DROP PARTITION d%" PRId64, date_of(old));
	maintain(w->store);
	assert_int_equal(tables_with(old), 0);
	assert_int_equal(root_number(PENDING, old), 0);
	assert_check_is_clean(w, w->store);
	assert_listed(w, 0);
}

/* The last of the three tables is in use: the day is dropped from the others, and from this one later. */
static void
a_table_in_use_is_tried_again_later(void **state)
{
	struct world *w = *state;
	const uint64_t retained = first_retained(), old = retained - 1;
	remake_days(old, today() + AHEAD);
	plant_event(id_of(old), PLANTED_ENDED);
	root_run("BEGIN");
	assert_int_equal(root_number(EVENTS, old), 1);
	capture_log();
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	const char *log = captured_log();
	assert_int_equal(count_in(log, "history_days_failed result=conflict"), 1);
	assert_int_equal(count_in(log, "history_dropped"), 0);
	root_run("ROLLBACK");
	assert_true(is_paused());
	assert_int_equal(root_number(EVENTS, old), 1);
	assert_int_equal(tables_with(old), 1);
	sign_up_many(w, "later", 2);
	maintain(w->store);
	assert_int_equal(tables_with(old), 0);
}

/* An ALTER that waits for the server's own purge may take longer than a concurrent ALTER waits for it: the latter is repeated
 * later. */
static bool
one_of_two(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	enum { WAIT_MS = 1000, EARLY_MS = 50 }; /* "WAIT 1"; the server's clock differs */
	bool good = true;
	size_t slow = 0;
	capture_log();
	for (int i = 0; good && i < 4; i++) {
		const int64_t begun_ms = clock_monotonic_ms();
		good = store_clean_up(store) == RESULT_OK;
		slow += clock_monotonic_ms() - begun_ms >= WAIT_MS - EARLY_MS;
	}
	const char *log = captured_log();
	const size_t given_up = count_in(log, "history_days_failed result=conflict");
	good = good && given_up <= slow && count_in(log, "history_days_failed") == given_up && count_in(log, "error test") == 0;
	if (!good)
		print_error("%s", log);
	return good;
}

/* Two dispatchers at the same time, because a lease has just changed owner. A missing partition is not a failure. */
static void
two_at_once_are_harmless(void **state)
{
	enum { PENDING_ROWS = 700 };
	struct world *w = *state;
	const uint64_t retained = first_retained();
	remake_days(retained - 3, today() + AHEAD);
	for (uint64_t day = retained - 3; day < retained; day++)
		root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT %" PRIu64
			 " + 2 * seq + 1, %" PRIu64 " + 2 * seq, 1, %d, 'json', 0 FROM seq_1_to_%d",
		    id_of(day), id_of(day), PLANTED_WEBHOOK, PENDING_ROWS);
	plant_event(id_of(retained), PLANTED_PENDING);
	processes_start(w, 2, one_of_two);
	assert_true(processes_end());
	for (int i = 0; i < 4; i++)
		maintain(w->store);
	for (uint64_t day = retained - 3; day < retained; day++) {
		assert_int_equal(tables_with(day), 0);
		assert_int_equal(root_number(PENDING, day), 0);
	}
	assert_int_equal(tables_with(retained), 3);
	assert_int_equal(root_number(PENDING, retained), 1);
	assert_check_is_clean(w, w->store);
}

/* ---- rows of other tables ---- */

/* docs/architecture.md 8: proofs are kept for an hour after they expire, sent codes for a day. docs/manage.md 1.5: idempotency
 * keys are stored for seven days. */
static void
rows_expire_at_their_age(void **state)
{
	enum { MARGIN_MS = 600000 /* twice the period that a row of sendings counts */ };
	struct world *w = *state;
	static const struct {
		const char *table, *key, *columns; /* `seq` is the key, `at` the time */
		int64_t age_ms;
	} rows[] = {
		{ "lead_codes", "lead_id", "seq, 0, 'a', 'c', at, 0", 0 },
		{ "sent_codes", "message_id", "seq, 1, 'n', 'p', at", DAY_MS },
		{ "sendings", "scope_id", "0, 0, seq, at DIV 300000, 1", DAY_MS },
		{ "used_proofs", "nonce", "seq, at", HOUR_MS },
		{ "inbound_calls", "id",
		    "seq, 1, 1, TRUE, 'refused', NULL, NULL, NULL, NULL, NULL, 1, 'b', NULL, 1, 0, 1, 1, at", 0 },
		{ "request_keys", "hash", "seq, 'p', 1, at", 7 * DAY_MS },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		root_run("DELETE FROM t_%s", rows[i].table);
		root_run(
		    "INSERT INTO t_%s SELECT %s FROM (SELECT seq, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3))"
		    " DIV 1000 - %" PRId64 " + IF(seq = 1, -%d, %d) AS at FROM seq_1_to_2) t",
		    rows[i].table, rows[i].columns, rows[i].age_ms, MARGIN_MS, MARGIN_MS);
	}
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s", rows[i].table), 1);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s WHERE %s LIKE '2%%'", rows[i].table, rows[i].key), 1);
		root_run("DELETE FROM t_%s", rows[i].table);
	}
}

/* docs/api.md 4.1.9: the codes of a deleted lead are removed, too. */
static void
codes_of_deleted_leads_are_removed(void **state)
{
	struct world *w = *state;
	root_run("INSERT INTO t_lead_codes SELECT seq, channel, 'a', 'c', UNIX_TIMESTAMP() * 1000 + 600000, 0"
		 " FROM seq_9000001_to_9000002 JOIN (SELECT 0 AS channel UNION SELECT 1) c");
	root_run("INSERT INTO t_deleted_leads (lead_id) VALUES (9000001)");
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_lead_codes WHERE lead_id = 9000001"), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_lead_codes WHERE lead_id = 9000002"), 2);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads"), 0);
	root_run("DELETE FROM t_lead_codes");
}

static int
close_days(void **state)
{
	remake_days(today(), today() + AHEAD); /* planted rows have no campaign, lead or webhook */
	return world_close(state);
}
#define DAYS_TEST(name) cmocka_unit_test_setup_teardown(name, world_open, close_days)

int
main(void)
{
	const struct CMUnitTest tests_of_days[] = {
		DAYS_TEST(expired_days_are_dropped),
		DAYS_TEST(today_and_yesterday_are_never_dropped),
		DAYS_TEST(without_a_retention_nothing_is_dropped),
		DAYS_TEST(missed_days_are_made_then_dropped),
		DAYS_TEST(pending_deliveries_expire),
		DAYS_TEST(many_deliveries_expire_in_chunks),
		DAYS_TEST(a_half_dropped_day_is_consistent),
		DAYS_TEST(the_check_still_finds_what_is_wrong),
		DAYS_TEST(a_delivery_sent_again_meanwhile_expires_too),
		DAYS_TEST(a_table_in_use_is_tried_again_later),
		DAYS_TEST(two_at_once_are_harmless),
		WORLD_TEST(rows_expire_at_their_age),
		WORLD_TEST(codes_of_deleted_leads_are_removed),
	};
	return DAYS_MAIN(tests_of_days);
}
