/* SPDX-License-Identifier: MIT
 * Leads are counted by the values of their sources, each once, a while after their sign-up (docs/statistics.md 2.1,
 * docs/architecture.md 9.3). Modules: store/queue/lead_counts, store/sources. */
#include "unit.h"

#include <inttypes.h>

#include "store/queue/lead_counts.h"
#include "store/removal/campaigns.h"
#include "store/sources.h"
#include "store/stats.h"
#include "store/world.h"

enum { PIECE = 1000, PIECES = 20, TODAY_VALUES = SOURCE_VALUES_MAX };

static uint32_t
counted_to(uint64_t campaign_id)
{
	return (uint32_t)root_number(
	    "SELECT sources_counted_to FROM t_campaign_counters WHERE campaign_id = %" PRIu64, campaign_id);
}

static uint64_t
signups(const struct world *w, enum source_kind kind, const char *value)
{
	return (uint64_t)root_number("SELECT COALESCE(SUM(signups), 0) FROM t_lead_sources WHERE campaign_id = %" PRIu64
				     " AND kind = %d AND value = '%s'",
	    w->campaign, (int)kind, value);
}

static uint64_t
all_signups(const struct world *w, enum source_kind kind)
{
	return (uint64_t)root_number("SELECT COALESCE(SUM(signups), 0) FROM t_lead_sources WHERE campaign_id = %" PRIu64
				     " AND kind = %d",
	    w->campaign, (int)kind);
}

static uint64_t
signups_of_day(const struct world *w, unsigned day)
{
	return (uint64_t)root_number("SELECT COALESCE(SUM(signups), 0) FROM t_lead_sources WHERE campaign_id = %" PRIu64
				     " AND day = %u",
	    w->campaign, day);
}

static unsigned
count_all(struct world *w)
{
	struct source_pass pass = { 0 };
	unsigned calls = 0;
	for (bool left = true; left; calls++)
		assert_int_equal(store_count_sources(w->store, &pass, &left), RESULT_OK);
	return calls;
}

static void
sign_up_from(struct world *w, const char *email, const char *utm)
{
	struct command command = signup(w, w->campaign, email);
	command.as.signup.utm = slice_of(utm);
	run_all(w, &command, 1);
}

/* What was counted stays, even when the lead is deleted or signs up again. */
static void
each_lead_is_counted_once(void **state)
{
	struct world *w = *state;
	sign_up_from(w, "a@example.org", "{\"source\":\"news\",\"medium\":\"mail\",\"campaign\":\"Spring\"}");
	sign_up_from(w, "b@example.org", "{\"source\":\"news\"}");
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "news"), 0);
	count_all(w);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "news"), 2);
	assert_int_equal(signups(w, SOURCE_UTM_MEDIUM, "mail"), 1);
	assert_int_equal(signups(w, SOURCE_UTM_CAMPAIGN, "Spring"), 1);
	assert_int_equal(all_signups(w, SOURCE_SITE), 0);
	sign_up_from(w, "a@example.org", "{\"source\":\"news\"}");
	const struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "b@example.org");
	const struct command deletion = change_of(w, lead.id, LEAD_DELETE);
	run_all(w, &deletion, 1);
	count_all(w);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "news"), 2);
	assert_int_equal(counted_to(w->campaign), 2);
}

/* Either all leads of a piece are counted and the mark moves, or nothing happens. */
static void
a_piece_is_one_transaction(void **state)
{
	struct world *w = *state;
	bool left;
	sign_up_many(w, "lead", PIECE + 20);
	root_run("UPDATE t_leads SET utm = '{\"source\":\"a\"}' WHERE campaign_id = %" PRIu64, w->campaign);
	root_run("CREATE TRIGGER t_break BEFORE UPDATE ON t_campaign_counters FOR EACH ROW"
		 " IF NEW.sources_counted_to > %d THEN SIGNAL SQLSTATE '45000'; END IF",
	    PIECE);
	struct source_pass pass = { 0 };
	assert_int_equal(store_count_sources(w->store, &pass, &left), RESULT_FAILED);
	root_run("DROP TRIGGER t_break");
	assert_int_equal(counted_to(w->campaign), PIECE);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "a"), PIECE);
	/* as the next dispatcher does */
	count_all(w);
	assert_int_equal(counted_to(w->campaign), PIECE + 20);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "a"), PIECE + 20);
}

static bool
count_in_process(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	struct source_pass pass = { 0 };
	enum result result = RESULT_OK;
	for (bool left = true; left && (result == RESULT_OK || result == RESULT_CONFLICT);)
		result = store_count_sources(store, &pass, &left);
	return result == RESULT_OK;
}

static void
dispatchers_count_at_the_same_time(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 4 * PIECE);
	root_run("UPDATE t_leads SET utm = '{\"source\":\"a\"}' WHERE campaign_id = %" PRIu64, w->campaign);
	processes_start(w, 4, count_in_process);
	assert_true(processes_end());
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "a"), 4 * PIECE);
}

/* An import adds a lead with a low number while a dispatcher has read the leads and waits for the lock of the counters. */
static void
a_lead_that_is_imported_meanwhile_is_counted(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 10);
	root_run("UPDATE t_leads SET utm = '{\"source\":\"a\"}', subscription_number = 2 * subscription_number"
		 " WHERE campaign_id = %" PRIu64 " ORDER BY subscription_number DESC",
	    w->campaign);
	root_run("UPDATE t_campaign_counters SET last_subscription_number = 20 WHERE campaign_id = %" PRIu64, w->campaign);
	root_run("START TRANSACTION");
	root_run("UPDATE t_campaign_counters SET leads_version = leads_version + 1 WHERE campaign_id = %" PRIu64, w->campaign);
	processes_start(w, 1, count_in_process);
	assert_true(root_wait_for(1, ROW_LOCK_WAITS));
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, utm, created_ms, updated_ms)"
		 " VALUES (60000000, %" PRIu64 ", 7, 'imported', '{\"source\":\"a\"}', 0, 0)",
	    w->campaign);
	root_run("DELETE FROM t_leads WHERE campaign_id = %" PRIu64 " AND subscription_number = 4", w->campaign);
	root_run("COMMIT");
	assert_true(processes_end());
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "a"), 10);
	assert_int_equal(signups_of_day(w, 0), 1);
	assert_int_equal(counted_to(w->campaign), 20);
}

/* A campaign with many leads from before an upgrade does not delay the others. */
static void
campaigns_take_turns(void **state)
{
	struct world *w = *state;
	bool left;
	sign_up_many(w, "lead", 2 * PIECE);
	struct command command = signup(w, add_campaign(w), "other@example.org");
	run_all(w, &command, 1);
	struct source_pass pass = { 0 };
	root_run("CREATE TRIGGER t_break BEFORE UPDATE ON t_campaign_counters FOR EACH ROW"
		 " IF NEW.sources_counted_to > %d THEN SIGNAL SQLSTATE '45000'; END IF",
	    PIECE);
	assert_int_equal(store_count_sources(w->store, &pass, &left), RESULT_FAILED);
	root_run("DROP TRIGGER t_break");
	assert_int_equal(counted_to(w->campaign), PIECE);
	assert_int_equal(counted_to(command.campaign_id), 1);
	count_all(w);
}

/* The dispatcher rests when each lead has been counted, and not before. */
static void
a_long_count_takes_several_calls(void **state)
{
	struct world *w = *state;
	count_all(w);
	sign_up_many(w, "lead", 1);
	assert_int_equal(count_all(w), 1);
	root_run("UPDATE t_leads SET subscription_number = 50000 WHERE campaign_id = %" PRIu64, w->campaign);
	root_run("UPDATE t_campaign_counters SET last_subscription_number = 50000 WHERE campaign_id = %" PRIu64, w->campaign);
	assert_int_equal(count_all(w), 1);
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, created_ms, updated_ms) SELECT "
		 "50000000 + seq, "
		 "%" PRIu64 ", 50000 + seq, LPAD(seq, 10, '0'), 0, 0 FROM seq_1_to_%d",
	    w->campaign, PIECES * PIECE + 1);
	root_run("UPDATE t_campaign_counters SET last_subscription_number = %d WHERE campaign_id = %" PRIu64,
	    50000 + PIECES * PIECE + 1, w->campaign);
	assert_int_equal(count_all(w), 2);
	assert_int_equal(counted_to(w->campaign), 50000 + PIECES * PIECE + 1);
}

/* Imported leads can have numbers below those that were counted. */
static void
imports_below_the_mark_are_counted(void **state)
{
	struct world *w = *state;
	static const uint32_t numbers[] = { 9, 4, 20, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct import import = { .signup = { .email = slice_of(numbered_email(w->pool, "i", i)),
						   .email_key = slice_of(numbered_email(w->pool, "i", i)),
						   .utm = SLICE("{\"source\":\"old\"}") },
			.number = numbers[i],
			.created_ms = INT64_C(86400000) * 100 };
		struct command command = { .kind = COMMAND_IMPORT, .campaign_id = w->campaign, .account_id = w->account };
		command.as.import = &import;
		run_all(w, &command, 1);
		assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "old"), numbers[i] == 4 ? i + 1 : i);
		count_all(w);
		assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "old"), i + 1);
	}
	assert_int_equal(counted_to(w->campaign), 21);
	assert_int_equal(
	    root_number("SELECT SUM(signups) FROM t_lead_sources WHERE campaign_id = %" PRIu64 " AND day = 100", w->campaign),
	    4);
}

/* A day has a maximum number of values of a kind; known values still count, all others count as one. */
static void
values_have_a_maximum(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", TODAY_VALUES + 30);
	root_run("UPDATE t_leads SET utm = CONCAT('{\"source\":\"s', subscription_number, '\",\"medium\":\"m\"}'), "
		 "created_ms = 86400000 * IF(subscription_number <= 10, 100, 200) WHERE campaign_id = %" PRIu64,
	    w->campaign);
	count_all(w);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, ""), 20);
	assert_int_equal(all_signups(w, SOURCE_UTM_SOURCE), TODAY_VALUES + 30);
	assert_int_equal(signups(w, SOURCE_UTM_MEDIUM, "m"), TODAY_VALUES + 30);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_lead_sources WHERE campaign_id = %" PRIu64 " AND kind = 0", w->campaign),
	    TODAY_VALUES + 10 + 1);
	sign_up_from(w, "new@example.org", "{\"source\":\"new\"}");
	sign_up_from(w, "known@example.org", "{\"source\":\"s11\"}");
	root_run("UPDATE t_leads SET created_ms = 86400000 * 200 WHERE campaign_id = %" PRIu64, w->campaign);
	count_all(w);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, ""), 21);
	assert_int_equal(signups(w, SOURCE_UTM_SOURCE, "s11"), 2);
}

static void
statistics_are_sums_of_days(void **state)
{
	struct world *w = *state;
	struct campaign_sources sources;
	const int64_t day_ms = 86400000;
	struct sources_request request = { { 101 * day_ms + 5, 103 * day_ms - 5, STATS_DAY_HOURS }, SOURCE_UTM_SOURCE,
		SOURCE_SITE, 1 };
	root_run("INSERT INTO t_lead_sources (campaign_id, day, kind, value, signups) VALUES (%" PRIu64 ", 100, 0, 'a', 50),"
		 " (%" PRIu64 ", 101, 0, 'a', 1), (%" PRIu64 ", 101, 0, 'b', 2), (%" PRIu64 ", 102, 0, 'b', 3), (%" PRIu64
		 ", 102, 0, '', 2), (%" PRIu64 ", 103, 0, 'a', 50), (%" PRIu64 ", 102, 3, 'x.example', 7), (%" PRIu64
		 ", 102, 200, 'later', 7)",
	    w->campaign, w->campaign, w->campaign, w->campaign, w->campaign, w->campaign, w->campaign, w->campaign);
	assert_int_equal(store_campaign_sources(w->store, w->pool, w->campaign, &request, &sources), RESULT_OK);
	assert_int_equal(sources.count, 3);
	assert_true(sources.items[0].kind == SOURCE_UTM_SOURCE && sources.items[0].signups == 5);
	assert_true(slice_equal(sources.items[0].value, SLICE("b")));
	assert_false(slice_present(sources.items[1].value));
	assert_int_equal(sources.items[1].signups, 3); /* all others */
	assert_true(sources.items[2].kind == SOURCE_SITE && sources.items[2].signups == 7);
	request.limit = 2;
	assert_int_equal(store_campaign_sources(w->store, w->pool, w->campaign, &request, &sources), RESULT_OK);
	assert_int_equal(sources.count, 4);
	assert_true(slice_equal(sources.items[1].value, SLICE("a")) && sources.items[1].signups == 1);
	assert_true(!slice_present(sources.items[2].value) && sources.items[2].signups == 2);
	request.first = SOURCE_SITE;
	assert_int_equal(store_campaign_sources(w->store, w->pool, w->campaign, &request, &sources), RESULT_OK);
	assert_int_equal(sources.count, 1);
	assert_int_equal(store_campaign_sources(w->store, w->pool, UNKNOWN_ID, &request, &sources), RESULT_NOT_FOUND);
	request.period.since_ms = request.period.until_ms;
	request.period.until_ms = 0;
	assert_int_equal(store_campaign_sources(w->store, w->pool, w->campaign, &request, &sources), RESULT_REFUSED);
	assert_non_null(sources.problem);
}

static void
a_removal_deletes_the_counts(void **state)
{
	struct world *w = *state;
	struct removal_counts counts = { 0 };
	bool done = false;
	sign_up_from(w, "a@example.org", "{\"source\":\"news\"}");
	count_all(w);
	root_run("INSERT INTO t_lead_sources (campaign_id, day, kind, value, signups) SELECT %" PRIu64
		 ", seq, 0, 'v', 1 FROM seq_1_to_2500",
	    w->campaign);
	assert_int_equal(store_remove_campaign(w->store, w->campaign), RESULT_OK);
	while (!done)
		assert_int_equal(store_continue_removal(w->store, w->campaign, &counts, &done), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_lead_sources WHERE campaign_id = %" PRIu64, w->campaign), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(each_lead_is_counted_once),
		WORLD_TEST(a_piece_is_one_transaction),
		WORLD_TEST(dispatchers_count_at_the_same_time),
		WORLD_TEST(a_lead_that_is_imported_meanwhile_is_counted),
		WORLD_TEST(campaigns_take_turns),
		WORLD_TEST(a_long_count_takes_several_calls),
		WORLD_TEST(imports_below_the_mark_are_counted),
		WORLD_TEST(values_have_a_maximum),
		WORLD_TEST(statistics_are_sums_of_days),
		WORLD_TEST(a_removal_deletes_the_counts),
	};
	return WORLD_MAIN(tests);
}
