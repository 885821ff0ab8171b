/* SPDX-License-Identifier: MIT
 * docs/architecture.md 9.1: partitions are made a week ahead; a sign-up never fails without one. An ALTER TABLE waits a second
 * for its lock, and is repeated later */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "captured_log.h"
#include "engine/events.h"
#include "os/clock.h"
#include "store/days.h"
#include "store/fetched.h"
#include "store/operator/installation_check.h"
#include "store/operator/upgrade.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"

static void
upgrade(struct store *store)
{
	uint32_t from;
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
}

static void
maintain(struct world *w)
{
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
}

/* The days from `first` to a week from now have partitions, and no other day has. */
static void
assert_days_from(struct world *w, uint64_t first)
{
	static const char *const tables[] = { "events", "deliveries", "attempts" };
	struct slice wanted = SLICE("");
	for (uint64_t day = first; day <= today() + AHEAD; day++) {
		wanted = pool_printf(w->pool, "%.*sd%" PRId64 ",", SLICE_ARGS(wanted), date_of(day));
		assert_int_equal(tables_with(day), 3);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_string_equal(days_of(w->pool, tables[i]), pool_printf(w->pool, "%.*slater", SLICE_ARGS(wanted)).data);
}

/* Runs first, before any other change of the tables. */
static void
installing_makes_today_and_a_week(void **state)
{
	struct world *w = *state;
	assert_days_from(w, today());
	sign_up_many(w, "a", 3);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (d%" PRId64 ")", date_of(today())), 0);
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "b", 3);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (d%" PRId64 ")", date_of(today())), 3);
}

/* Existing rows are moved, even at the edges of their day; none is lost. `upgrade` and the dispatcher do the same. */
static void
existing_rows_move_into_their_days(void **state)
{
	struct world *w = *state;
	const uint64_t now = today(), old = now - 3;
	for (int dispatcher = 0; dispatcher < 2; dispatcher++) {
		remake_days(1, 0);
		plant_event(id_of(old), PLANTED_ENDED);
		plant_event(id_of(old + 1) - 2, PLANTED_ENDED); /* its delivery has the last id of the day */
		plant_event(id_of(old + 1), PLANTED_ENDED);
		plant_event(id_of(now) + 5, PLANTED_ENDED);
		plant_event(id_of(now + AHEAD + 1), PLANTED_ENDED);
		if (dispatcher)
			maintain(w);
		else
			upgrade(w->store);
		assert_days_from(w, old);
		assert_true(in_day("events", id_of(old), old));
		assert_true(in_day("events", id_of(old + 1) - 2, old));
		assert_true(in_day("deliveries", id_of(old + 1) - 1, old));
		assert_true(in_day("attempts", id_of(old + 1) - 1, old));
		assert_true(in_day("events", id_of(old + 1), old + 1));
		assert_true(in_day("events", id_of(now) + 5, now));
		assert_true(in_day("attempts", id_of(now) + 6, now));
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (later)"), 1);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_events"), 5);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_deliveries"), 5);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts"), 5);
	}
}

/* The number of days made at once is limited; older rows are in the first of them. */
static void
very_old_rows_go_into_the_first_day(void **state)
{
	struct world *w = *state;
	enum { MOST = 60 };
	remake_days(1, 0);
	plant_event(1000, PLANTED_ENDED);
	plant_event(id_of(today()), PLANTED_ENDED);
	upgrade(w->store);
	assert_days_from(w, today() - MOST);
	assert_true(in_day("events", 1000, today() - MOST));
	assert_true(in_day("deliveries", 1001, today() - MOST));
}

/* After some days without maintenance, the days with events get their partitions, in all three tables. */
static void
missed_days_are_made(void **state)
{
	struct world *w = *state;
	const uint64_t now = today();
	remake_days(now - 9, now - 8);
	plant_event(id_of(now - 3), PLANTED_PENDING);
	plant_event(id_of(now), PLANTED_ENDED);
	upgrade(w->store);
	assert_int_equal(tables_with(now - 8), 3);
	for (uint64_t day = now - 7; day < now - 3; day++)
		assert_int_equal(tables_with(day), 0);
	for (uint64_t day = now - 3; day <= now + AHEAD; day++)
		assert_int_equal(tables_with(day), 3);
	assert_true(in_day("events", id_of(now - 3), now - 3));
	remake_days(now - 9, now - 8);
	upgrade(w->store);
	assert_int_equal(tables_with(now - 1), 0);
	assert_int_equal(tables_with(now), 3);
}

/* On a new day, one more day is made, even if a killed run left some tables without it. */
static void
a_day_is_added_every_day(void **state)
{
	struct world *w = *state;
	const uint64_t now = today();
	remake_days(now - 1, now + AHEAD - 1);
	maintain(w);
	assert_days_from(w, now - 1);
	root_run("ALTER TABLE t_attempts DROP PARTITION d%" PRId64, date_of(now + AHEAD));
	assert_int_equal(tables_with(now + AHEAD), 2);
	end_rest();
	maintain(w);
	assert_days_from(w, now - 1);
}

static void
doing_it_twice_changes_nothing(void **state)
{
	struct world *w = *state;
	remake_days(1, 0);
	upgrade(w->store);
	int64_t before = alters();
	upgrade(w->store);
	maintain(w);
	assert_int_equal(alters(), before);
	assert_days_from(w, today());
}

/* Maintenance runs every few minutes, in any process: cron starts a new one every minute. */
static void
maintenance_pauses_for_some_minutes(void **state)
{
	static const char rest_ms[] = "SELECT value - TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 FROM "
				      "t_installation WHERE name = 'history_rests_until_ms'";
	struct world *w = *state;
	const uint64_t last = today() + AHEAD;
	remake_days(last - AHEAD, last);
	maintain(w);
	assert_in_range(root_number(rest_ms), 2 * 60 * 1000, 10 * 60 * 1000);
	root_run("ALTER TABLE t_events DROP PARTITION d%" PRId64, date_of(last));
	maintain(w);
	struct store *other = store_new(&world_options);
	assert_int_equal(store_clean_up(other), RESULT_OK);
	assert_int_equal(tables_with(last), 2);
	/* a clock that was once wrong does not stop it for years */
	root_run("UPDATE t_installation SET value = value + 86400000 WHERE name = 'history_rests_until_ms'");
	assert_int_equal(tables_with(last), 2);
	assert_int_equal(store_clean_up(other), RESULT_OK);
	assert_int_equal(tables_with(last), 3);
	store_free(&other);
}

/* A long read of the history: statements after the ALTER TABLE would wait as long as it does. */
static void
a_table_in_use_is_left_alone(void **state)
{
	enum { GIVES_UP_MS = 5000 /* the server waits its second up to twice, and the test may be slow */ };
	struct world *w = *state;
	const uint64_t now = today();
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	remake_days(now, now + AHEAD - 1);
	root_run("BEGIN");
	root_number("SELECT COUNT(*) FROM t_deliveries");
	int64_t began = clock_monotonic_ms();
	capture_log();
	maintain(w);
	int64_t took = clock_monotonic_ms() - began;
	maintain(w); /* it is not repeated at once */
	bool quick = clock_monotonic_ms() - began - took < 500;
	const char *log = captured_log();
	assert_in_range(took, 900, GIVES_UP_MS);
	assert_true(quick);
	assert_int_equal(count_in(log, "warning test"), 1);
	assert_int_equal(count_in(log, "history_days_failed result=conflict"), 1);
	assert_int_equal(count_in(log, "error test"), 0);
	sign_up_many(w, "meanwhile", 3); /* with the same connection */
	root_run("ROLLBACK");
	assert_int_equal(tables_with(now + AHEAD), 0);
	assert_int_equal(tables_with(now), 3);
	end_rest();
	maintain(w);
	assert_days_from(w, now);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (d%" PRId64 ")", date_of(now)), 3);
	upgrade(w->store);
}

/* `upgrade` reports that a table is in use, and must be started again. */
static void
an_upgrade_that_finds_a_table_in_use_fails(void **state)
{
	struct world *w = *state;
	uint32_t from;
	remake_days(1, 0);
	root_run("BEGIN");
	root_number("SELECT COUNT(*) FROM t_deliveries");
	assert_int_equal(store_upgrade(w->store, &from), RESULT_CONFLICT);
	root_run("ROLLBACK");
	upgrade(w->store);
	assert_days_from(w, today());
}

/* Missing rights are logged, and do not stop other maintenance. */
static void
a_failure_does_not_stop_other_maintenance(void **state)
{
	struct world *w = *state;
	const uint64_t now = today();
	remake_days(now, now + AHEAD - 1);
	root_run("REVOKE ALTER ON " PRIVATE_SERVER_DATABASE ".* FROM " PRIVATE_SERVER_USER "@localhost");
	struct store *store = store_new(&world_options);
	capture_log();
	enum result result = store_clean_up(store), again = store_clean_up(store);
	const char *log = captured_log();
	root_run("GRANT ALTER ON " PRIVATE_SERVER_DATABASE ".* TO " PRIVATE_SERVER_USER "@localhost");
	store_free(&store);
	assert_int_equal(result, RESULT_OK);
	assert_int_equal(again, RESULT_OK);
	assert_int_equal(count_in(log, "history_days_failed result=failed"), 1);
	assert_int_equal(count_in(log, "database_error"), 1);
	end_rest();
	maintain(w);
	assert_days_from(w, now);
}

enum { SIGN_UPS = 40 };

/* Two processes make the days at the same time, and two dispatchers maintain them, during sign-ups. */
static bool
one_of_many(struct store *store, const struct world *world, unsigned index)
{
	uint32_t from;
	bool good = true;
	if (index < 2)
		return store_upgrade(store, &from) == RESULT_OK;
	if (index < 4)
		return store_clean_up(store) == RESULT_OK;
	for (size_t i = 0; good && i < SIGN_UPS; i++) {
		struct pool *pool = pool_new();
		struct command command = signup(world, world->campaign, numbered_email(pool, "many", i));
		struct outcome outcome;
		execute(store, pool, &command, 1, &outcome);
		good = outcome.failure == FAILURE_NONE;
		pool_free(&pool);
	}
	return good;
}

static void
several_at_once_are_harmless(void **state)
{
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	remake_days(1, 0);
	processes_start(w, 5, one_of_many);
	assert_true(processes_end());
	assert_days_from(w, today());
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (d%" PRId64 ")", date_of(today())), SIGN_UPS);
}

/* Statements stay prepared as long as the connection lasts, even those for many rows: they work with the new partitions. */
static void
prepared_statements_survive_the_change(void **state)
{
	struct world *w = *state;
	enum { LEADS = 5 };
	remake_days(1, 0);
	uint64_t webhook = make_due(w, LEADS);
	struct due_deliveries first = fetch(w, webhook, 2);
	assert_int_equal(first.count, 2);
	struct delivery_outcome outcomes[] = { outcome_of(&first.items[0], DELIVERY_DELIVERED, 200),
		outcome_of(&first.items[1], DELIVERY_FAILED, 404) };
	assert_int_equal(record_outcomes(w, outcomes, 2), 0);
	struct due_deliveries second = fetch(w, webhook, 2);
	assert_int_equal(second.count, 2);
	struct store *other = store_new(&world_options);
	upgrade(other);
	store_free(&other);
	outcomes[0] = outcome_of(&second.items[0], DELIVERY_DELIVERED, 200);
	outcomes[1] = outcome_of(&second.items[1], DELIVERY_FAILED, 404);
	assert_int_equal(record_outcomes(w, outcomes, 2), 0);
	sign_up_many(w, "more", LEADS);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deliveries PARTITION (d%" PRId64 ")", date_of(today())), 4);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_attempts PARTITION (d%" PRId64 ")", date_of(today())), 2);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events PARTITION (d%" PRId64 ")", date_of(today())), 2 * LEADS);
}

static const struct finding *
found(struct world *w, struct slice what)
{
	struct finding *findings;
	size_t count;
	store_check(w->store, w->pool, NULL, CHECK_QUICK, &findings, &count);
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, what))
			return &findings[i];
	return NULL;
}

static void
the_check_finds_missing_days(void **state)
{
	struct world *w = *state;
	const uint64_t now = today();
	remake_days(now, now + AHEAD - 1); /* today has just begun */
	assert_null(found(w, SLICE("partitions")));
	remake_days(now, now + AHEAD - 2);
	const struct finding *finding = found(w, SLICE("partitions"));
	assert_non_null(finding);
	assert_non_null(
	    strstr(finding->detail.data, pool_printf(w->pool, "%" PRId64 "-", date_of(now + AHEAD - 1) / 10000).data));
	assert_non_null(strstr(finding->hint.data, "leadhook upgrade"));
	remake_days(1, 0);
	assert_non_null(found(w, SLICE("partitions")));
	upgrade(w->store);
	assert_null(found(w, SLICE("partitions")));
	root_run(
	    "ALTER TABLE t_attempts DROP PARTITION d%" PRId64 ", d%" PRId64, date_of(now + AHEAD), date_of(now + AHEAD - 1));
	assert_non_null(found(w, SLICE("partitions")));
}

static void
the_check_finds_days_past_the_retention(void **state)
{
	struct world *w = *state;
	const uint64_t now = today(), first_retained = now - RETENTION_DAYS;
	remake_days(first_retained - 2, now + AHEAD);
	assert_null(found(w, SLICE("retention")));
	remake_days(first_retained - 3, now + AHEAD);
	const struct finding *finding = found(w, SLICE("retention"));
	assert_non_null(finding);
	assert_true(slice_present(finding->detail));
	assert_non_null(strstr(finding->hint.data, "leadhook-dispatch"));
	assert_null(found(w, SLICE("partitions")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(installing_makes_today_and_a_week),
		WORLD_TEST(existing_rows_move_into_their_days),
		WORLD_TEST(very_old_rows_go_into_the_first_day),
		WORLD_TEST(missed_days_are_made),
		WORLD_TEST(a_day_is_added_every_day),
		WORLD_TEST(doing_it_twice_changes_nothing),
		WORLD_TEST(maintenance_pauses_for_some_minutes),
		WORLD_TEST(a_table_in_use_is_left_alone),
		WORLD_TEST(an_upgrade_that_finds_a_table_in_use_fails),
		WORLD_TEST(a_failure_does_not_stop_other_maintenance),
		WORLD_TEST(several_at_once_are_harmless),
		WORLD_TEST(prepared_statements_survive_the_change),
		WORLD_TEST(the_check_finds_missing_days),
		WORLD_TEST(the_check_finds_days_past_the_retention),
	};
	return DAYS_MAIN(tests);
}
