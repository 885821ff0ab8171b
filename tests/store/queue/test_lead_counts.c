/* SPDX-License-Identifier: MIT
 * Counts by hour: leads are counted again while sign-ups go on (docs/architecture.md 9.3), attempts as their outcomes are
 * recorded; what statistics read from both (docs/statistics.md). */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "store/fetched.h"
#include "store/operator/installation_check.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/lead_counts.h"
#include "store/queue/outcomes.h"
#include "store/stats.h"

enum { PIECE = 1000 };

#define SUM(column) "SELECT COALESCE(SUM(" column "), 0) FROM t_lead_hours WHERE campaign_id = %" PRIu64

static uint32_t
counted_from(const struct world *w)
{
	return (uint32_t)root_number(
	    "SELECT hours_counted_from FROM t_campaign_counters WHERE campaign_id = %" PRIu64, w->campaign);
}

static bool
count_piece(struct world *w)
{
	bool done;
	assert_int_equal(store_count_hours(w->store, w->campaign, &done), RESULT_OK);
	return done;
}

static unsigned
count_all(struct world *w)
{
	unsigned pieces = 1;
	while (!count_piece(w))
		pieces++;
	return pieces;
}

static void
assert_nothing_found(struct world *w)
{
	struct finding *findings;
	size_t count;
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	for (size_t i = 0; i < count; i++)
		print_error("%.*s: %.*s\n", SLICE_ARGS(findings[i].what), SLICE_ARGS(findings[i].detail));
	assert_int_equal(count, 0);
}

/* The beginning of a rebuild, with nothing to clear. */
static void
uncount(struct world *w)
{
	root_run("DELETE FROM t_lead_hours WHERE campaign_id = %" PRIu64, w->campaign);
	assert_int_equal(store_recount_hours(w->store, w->campaign), RESULT_OK);
}

static void
delete_lead(struct world *w, const char *email)
{
	const struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, email);
	const struct command command = change_of(w, lead.id, LEAD_DELETE);
	run_all(w, &command, 1);
}

/* The latest leads come first; sign-ups and changes of leads on both sides of the mark are counted once. */
static void
leads_are_counted_again_meanwhile(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "old", PIECE + 200);
	uncount(w);
	struct command command = signup(w, w->campaign, "uncounted@example.org");
	run_all(w, &command, 1);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 0);
	assert_false(count_piece(w));
	assert_int_equal(counted_from(w), PIECE + 202);
	command = signup(w, w->campaign, "counted@example.org");
	run_all(w, &command, 1);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 1);
	assert_nothing_found(w);
	assert_false(count_piece(w));
	assert_int_equal(counted_from(w), 202);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), PIECE + 1);
	delete_lead(w, "old0@example.org");
	delete_lead(w, "old500@example.org");
	assert_int_equal(root_number(SUM("deleted"), w->campaign), 1);
	assert_nothing_found(w);
	assert_true(count_piece(w));
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), PIECE + 200);
	assert_nothing_found(w);
}

/* Lead `last` is verified and referred by lead 0; each other lead is referred by the one before it. */
static void
refer_many(struct world *w, size_t last)
{
	for (size_t i = 0; i <= last; i++) {
		struct command command = signup(w, w->campaign, numbered_email(w->pool, "r", i));
		if (i > 0)
			command.as.signup.referrer_id =
			    find_lead(w, w->campaign, LEAD_BY_EMAIL, numbered_email(w->pool, "r", i == last ? 0 : i - 1))
				.social_id;
		run_all(w, &command, 1);
	}
	const struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, numbered_email(w->pool, "r", last));
	const struct command verification = change_of(w, lead.id, LEAD_VERIFY);
	run_all(w, &verification, 1);
}

static void
assert_referrals(struct world *w, bool complete, int64_t referred_verified, int64_t referrers)
{
	struct campaign_stats stats;
	const struct stats_request request = { -1, -1, 1 };
	assert_int_equal(store_campaign_stats(w->store, w->pool, w->campaign, &request, &stats), RESULT_OK);
	assert_int_equal(stats.complete, complete);
	assert_int_equal(root_number(SUM("referred_verified"), w->campaign), referred_verified);
	assert_int_equal(root_number(SUM("referrers"), w->campaign), referrers);
	struct campaign_overview overview = { .campaign_id = w->campaign };
	assert_int_equal(store_campaign_overviews(w->store, w->pool, 0, &overview, 1), RESULT_OK);
	assert_int_equal(overview.referrers, complete ? referrers : -1);
	assert_nothing_found(w);
}

static void
referrals_are_counted_again(void **state)
{
	struct world *w = *state;
	refer_many(w, 3); /* 0 <- 1 <- 2, 0 <- 3 */
	assert_referrals(w, true, 1, 2);
	delete_lead(w, "r3@example.org");
	assert_referrals(w, true, 0, 2);
	delete_lead(w, "r2@example.org");
	assert_referrals(w, true, 0, 2); /* the lead that lead 1 referred has been deleted since */
	assert_int_equal(store_recount_hours(w->store, w->campaign), RESULT_OK);
	struct command command = signup(w, w->campaign, "meanwhile@example.org");
	command.as.signup.referrer_id = find_lead(w, w->campaign, LEAD_BY_EMAIL, "r0@example.org").social_id;
	run_all(w, &command, 1);
	assert_referrals(w, false, 0, 2); /* as it was counted before */
	assert_false(count_piece(w));
	assert_referrals(w, false, 0, 0);
	assert_int_equal(count_all(w), 1);
	assert_referrals(w, true, 0, 2);
	assert_int_equal(root_number(SUM("referred"), w->campaign), 2);
	assert_int_equal(root_number(SUM("deleted"), w->campaign), 2);
}

/* Deleted leads cannot be counted again. */
static void
a_new_count_keeps_the_deleted(void **state)
{
	struct world *w = *state;
	bool done;
	sign_up_many(w, "lead", 3);
	delete_lead(w, "lead1@example.org");
	root_run("UPDATE t_lead_hours SET lead_count = 77, verified = 5, referrers = 4, referred_verified = 3 WHERE "
		 "campaign_id = %" PRIu64,
	    w->campaign);
	assert_int_equal(store_recount_hours(w->store, w->campaign), RESULT_OK);
	assert_int_equal(count_all(w), 2);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 2);
	assert_int_equal(root_number(SUM("verified + referrers + referred_verified"), w->campaign), 0);
	assert_int_equal(root_number(SUM("deleted"), w->campaign), 1);
	assert_nothing_found(w);
	assert_int_equal(store_recount_hours(w->store, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(store_count_hours(w->store, UNKNOWN_ID, &done), RESULT_NOT_FOUND);
}

/* It counts what is not counted yet, drops what removed webhooks and campaigns have left, then rests. */
static void
the_dispatcher_maintains_the_counts(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 3);
	uncount(w);
	root_run("INSERT INTO t_webhook_hours (webhook_id, hour) SELECT 999998, seq FROM seq_1_to_1500");
	root_run("INSERT INTO t_lead_hours (campaign_id, hour, source_class) SELECT 999998, seq, 1 FROM seq_1_to_1500");
	root_run("INSERT INTO t_lead_sources (campaign_id, day, kind, value, signups) SELECT 999998, seq, 1, 'a', 1 FROM "
		 "seq_1_to_1500");
	assert_int_equal(store_maintain_hours(w->store), RESULT_OK);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 3);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhook_hours WHERE webhook_id = 999998"), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_lead_hours WHERE campaign_id = 999998"), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_lead_sources WHERE campaign_id = 999998"), 0);
	assert_nothing_found(w);
	uncount(w);
	assert_int_equal(store_maintain_hours(w->store), RESULT_OK);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 0);
	root_run("UPDATE t_installation SET value = value - 600001 WHERE name = 'hours_counted_ms'");
	assert_int_equal(store_maintain_hours(w->store), RESULT_OK);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 3);
	root_run("DELETE FROM t_installation WHERE name = 'hours_counted_ms'");
}

/* A pass of many pieces takes several calls. */
static void
a_long_count_goes_on_at_once(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 1);
	uncount(w);
	root_run("INSERT INTO t_lead_hours (campaign_id, hour, source_class, lead_count) SELECT %" PRIu64
		 ", seq, 1, 1 FROM seq_1_to_25000",
	    w->campaign);
	assert_int_equal(store_maintain_hours(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_installation WHERE name = 'hours_counted_ms'"), 0);
	assert_int_equal(store_maintain_hours(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_installation WHERE name = 'hours_counted_ms'"), 1);
	assert_int_equal(root_number(SUM("lead_count"), w->campaign), 1);
	root_run("DELETE FROM t_installation WHERE name = 'hours_counted_ms'");
	root_run("DELETE FROM t_lead_hours WHERE lead_count = 0");
}

/* Imports a lead that was created in this hour. */
static void
sign_up_at(struct world *w, const char *email, uint64_t hour)
{
	const struct import import = {
		.signup = { .email = slice_of(email), .email_key = slice_of(email), .source = SLICE("shop") },
		.created_ms = (int64_t)hour * HOUR_MS,
		.verified_email = true
	};
	struct command command = { .kind = COMMAND_IMPORT, .campaign_id = w->campaign, .account_id = w->account };
	command.as.import = &import;
	struct outcome outcome;
	execute(w->store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_NONE);
}

static void
statistics_are_sums_of_hours(void **state)
{
	struct world *w = *state;
	enum { DAY = STATS_DAY_HOURS, FIRST = 20000 * DAY };
	struct campaign_stats stats;
	const struct stats_request days = { INT64_C(3600000) * (FIRST + 5), INT64_C(3600000) * (FIRST + 30), DAY };
	const struct stats_request hours = { INT64_C(3600000) * (FIRST + 1) + 1, INT64_C(3600000) * (FIRST + 4) - 1, 1 };
	sign_up_at(w, "before@example.org", FIRST - 1);
	sign_up_at(w, "a@example.org", FIRST);
	sign_up_at(w, "b@example.org", FIRST + 3);
	sign_up_at(w, "c@example.org", FIRST + 3);
	sign_up_at(w, "d@example.org", FIRST + 2 * DAY - 1);
	sign_up_at(w, "after@example.org", FIRST + 2 * DAY);
	delete_lead(w, "c@example.org");
	assert_int_equal(store_campaign_stats(w->store, w->pool, w->campaign, &days, &stats), RESULT_OK);
	assert_true(stats.complete);
	assert_true(stats.period.from == FIRST && stats.period.until == FIRST + 2 * DAY);
	assert_int_equal(stats_points(&stats.period), 2);
	assert_true(stats.total.counters.leads == 3 && stats.total.counters.verified == 3 && stats.total.deleted == 1);
	assert_true(stats.points[0].counters.leads == 2 && stats.points[0].deleted == 1);
	assert_true(stats.points[1].counters.leads == 1 && stats.points[1].deleted == 0);
	assert_int_equal(stats.before.counters.leads, 1);
	assert_memory_equal(&stats.sources[SOURCE_IMPORT], &stats.total, sizeof(stats.total));
	assert_int_equal(stats.sources[SOURCE_DIRECT].counters.leads, 0);
	assert_int_equal(store_campaign_stats(w->store, w->pool, w->campaign, &hours, &stats), RESULT_OK);
	assert_int_equal(stats_points(&stats.period), 3);
	assert_int_equal(stats.points[2].counters.leads, 1);
	assert_int_equal(stats.total.counters.leads, 1);
	assert_int_equal(stats.before.counters.leads, 2); /* including those of the hour before the day */
	assert_int_equal(store_campaign_stats(w->store, w->pool, UNKNOWN_ID, &days, &stats), RESULT_NOT_FOUND);
}

static void
periods_have_limits(void **state UNUSED)
{
	const int64_t hour = HOUR_MS, now_ms = 1000 * 24 * hour + 1;
	static const struct {
		int64_t since_hour, until_hour;
		unsigned step;
		uint64_t from, until; /* 0: refused */
	} cases[] = {
		{ -1, -1, 1, 24001 - 30, 24001 },
		{ -1, -1, 24, 24024 - 30 * 24, 24024 },
		{ 23999, 99999, 1, 23999, 24001 },
		{ 10, 10, 1, 0, 0 },
		{ 10, 9, 1, 0, 0 },
		{ 24001, -1, 1, 0, 0 },
		{ 22901, -1, 1, 22901, 24001 },
		{ 22900, -1, 1, 0, 0 },
		{ 0, -1, 24, 0, 24024 },
		{ -1, 0, 1, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct stats_request request = { cases[i].since_hour < 0 ? -1 : cases[i].since_hour * hour,
			cases[i].until_hour < 0 ? -1 : cases[i].until_hour * hour, cases[i].step };
		struct stats_period period;
		const char *problem = stats_period(&request, now_ms, &period);
		assert_int_equal(problem == NULL, cases[i].until > 0);
		if (problem == NULL)
			assert_true(period.from == cases[i].from && period.until == cases[i].until);
	}
}

/* Each campaign is counted separately, including those without sign-ups. */
static void
the_overview_has_two_weeks(void **state)
{
	struct world *w = *state;
	const uint64_t now_ms =
			   (uint64_t)root_number("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"),
		       today = now_ms / HOUR_MS / STATS_DAY_HOURS;
	struct campaign_overview overviews[] = { { .campaign_id = w->campaign }, { .campaign_id = add_campaign(w) } };
	sign_up_at(w, "today@example.org", today * STATS_DAY_HOURS);
	sign_up_at(w, "first@example.org", (today - OVERVIEW_DAYS + 1) * STATS_DAY_HOURS);
	sign_up_at(w, "before@example.org", (today - OVERVIEW_DAYS + 1) * STATS_DAY_HOURS - 1);
	delete_lead(w, "today@example.org");
	assert_int_equal(store_campaign_overviews(w->store, w->pool, (int64_t)now_ms, overviews, 2), RESULT_OK);
	for (size_t i = 0; i < OVERVIEW_DAYS; i++) {
		assert_int_equal(overviews[0].signups[i], i == 0 || i == OVERVIEW_DAYS - 1);
		assert_int_equal(overviews[1].signups[i], 0);
	}
}

/* One delivery succeeds at once, one will be tried again, one fails, and one was not sent. */
static void
attempts_are_counted_with_their_outcomes(void **state)
{
	struct world *w = *state;
	const uint64_t webhook = add_webhook(w, w->campaign, "https://a.example/", 1);
	sign_up_many(w, "lead", 5);
	struct due_deliveries fetched = fetch(w, webhook, 5);
	assert_int_equal(fetched.count, 5);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200),
		outcome_of(&fetched.items[1], DELIVERY_PENDING, 503), outcome_of(&fetched.items[2], DELIVERY_FAILED, 404),
		outcome_of(&fetched.items[3], DELIVERY_FAILED, 0), outcome_of(&fetched.items[4], DELIVERY_PENDING, 0) };
	outcomes[0].duration_ms = 30;
	outcomes[1].duration_ms = 600;
	outcomes[1].started_ms_ago = HOUR_MS;
	outcomes[2].duration_ms = 30;
	outcomes[3].not_made = true;
	outcomes[3].attempt--;
	outcomes[4].duration_ms = 30000;
	outcomes[4].error = SLICE("timeout");
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	/* stale: nothing is counted */
	assert_int_equal(record_outcomes(w, outcomes, 3), 3);
	struct webhook_stats stats;
	const struct stats_request request = { -1, -1, 1 };
	assert_int_equal(store_webhook_stats(w->store, w->pool, webhook, &request, &stats), RESULT_OK);
	const struct attempt_counts expected = { { 4, 1, 2, 1, 0, 1, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1 } };
	assert_memory_equal(&stats.total, &expected, sizeof(expected));
	const size_t last = stats_points(&stats.period) - 1;
	assert_int_equal(stats.points[last].counts[ATTEMPT_MADE] + stats.points[last - 1].counts[ATTEMPT_MADE], 4);
	assert_int_equal(
	    root_number(
		"SELECT answers_5xx FROM t_webhook_hours WHERE webhook_id = %" PRIu64 " ORDER BY hour LIMIT 1", webhook),
	    1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhook_hours WHERE webhook_id = %" PRIu64, webhook), 2);
	assert_int_equal(stats.counted_from_ms, root_number("SELECT created_ms FROM t_webhooks WHERE id = %" PRIu64, webhook));
	assert_int_equal(store_webhook_stats(w->store, w->pool, UNKNOWN_ID, &request, &stats), RESULT_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(leads_are_counted_again_meanwhile),
		WORLD_TEST(referrals_are_counted_again),
		WORLD_TEST(a_new_count_keeps_the_deleted),
		WORLD_TEST(the_dispatcher_maintains_the_counts),
		WORLD_TEST(a_long_count_goes_on_at_once),
		WORLD_TEST(statistics_are_sums_of_hours),
		cmocka_unit_test(periods_have_limits),
		WORLD_TEST(the_overview_has_two_weeks),
		WORLD_TEST(attempts_are_counted_with_their_outcomes),
	};
	return WORLD_MAIN(tests);
}
