/* SPDX-License-Identifier: MIT
 * `check --deep`: no findings about data that the rules made, a finding for every wrong number (docs/operating.md 4). */
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "store/fetched.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/installation_check.h"
#include "store/operator/upgrade.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"
#include "store/queue/redeliver.h"
#include "store/removal/campaigns.h"
#include "store/removal/erase.h"

enum { LEADS = 12, ALL_EVENTS = 0xfff };

static struct command
change(const struct world *w, const char *email, enum lead_action action)
{
	return (struct command){
		.kind = COMMAND_CHANGE,
		.campaign_id = w->campaign,
		.account_id = w->account,
		.as.change = { .action = action, .lead = { .identity = LEAD_BY_EMAIL, .value = slice_of(email) } },
	};
}

static void
run(struct world *w, struct command command)
{
	struct outcome outcome;
	execute(w->store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_NONE);
}

static const char *
email(struct world *w, size_t number)
{
	return numbered_email(w->pool, "lead", number);
}

/* Each lead is referred by the previous one; every address occurs twice. */
static void
sign_up_chain(struct world *w)
{
	struct slice referrer = SLICE_NONE;
	for (size_t i = 0; i < LEADS; i++) {
		struct command command = signup(w, w->campaign, email(w, i));
		command.as.signup.referrer_id = referrer;
		command.as.signup.ip = pool_printf(w->pool, "192.0.2.%zu", i / 2);
		run(w, command);
		referrer = find_lead(w, w->campaign, LEAD_BY_EMAIL, email(w, i)).social_id;
	}
}

/* One delivery succeeds, one fails and will be sent again, one will be tried again, and one is new. */
static void
deliver_some(struct world *w, uint64_t webhook)
{
	struct due_deliveries fetched = fetch(w, webhook, 4);
	assert_int_equal(fetched.count, 4);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200),
		outcome_of(&fetched.items[1], DELIVERY_FAILED, 404), outcome_of(&fetched.items[2], DELIVERY_PENDING, 500) };
	assert_int_equal(record_outcomes(w, outcomes, ARRAY_SIZE(outcomes)), 0);
	enum redelivery what;
	assert_int_equal(store_redeliver(w->store, &fetched.items[1].id, 1, &what, NULL, NULL), RESULT_OK);
	assert_int_equal(what, REDELIVERY_QUEUED);
}

/* A campaign in which every kind of count and booking occurs. */
static void
make_history(struct world *w)
{
	struct campaign_settings settings = plain_campaign();
	settings.points_signup = 5;
	settings.points_direct = 70000; /* more than two bytes of a score */
	settings.points_indirect = 3;
	settings.points_verified = 2;
	settings.waitlist = true;
	settings.max_per_ip = 2;
	assert_int_equal(set_campaign(w, w->campaign, settings), RESULT_OK);
	count_addresses(w);
	uint64_t webhook = add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	sign_up_chain(w);
	struct command points = { .kind = COMMAND_POINTS, .campaign_id = w->campaign, .account_id = w->account };
	struct lead_reference first = { .identity = LEAD_BY_EMAIL, .value = slice_of(email(w, 0)) };
	points.as.points = (struct points_call){ &first, 1, -99999, 0, SLICE("slip") };
	run(w, points);
	for (size_t i = 0; i < LEADS; i += 3)
		run(w, change(w, email(w, i), LEAD_VERIFY));
	run(w, change(w, email(w, 1), LEAD_BLOCK));
	run(w, change(w, email(w, 6), LEAD_BLOCK));
	run(w, change(w, email(w, 6), LEAD_APPROVE));
	run(w, change(w, email(w, 2), LEAD_UNWAITLIST));
	run(w, change(w, email(w, 3), LEAD_OPTOUT));
	run(w, change(w, email(w, 4), LEAD_DELETE));
	run(w, change(w, email(w, LEADS - 1), LEAD_BLOCK));
	deliver_some(w, webhook);
}

static struct finding *
check(struct world *w, size_t *count)
{
	struct finding *findings;
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, count);
	return findings;
}

static void
assert_nothing_found(struct world *w)
{
	size_t count;
	struct finding *findings = check(w, &count);
	for (size_t i = 0; i < count; i++)
		print_error("%.*s: %.*s\n", SLICE_ARGS(findings[i].what), SLICE_ARGS(findings[i].detail));
	assert_int_equal(count, 0);
}

static int
open_history(void **state)
{
	int status = world_open(state);
	if (status == 0)
		make_history(*state);
	return status;
}

static void
consistent_data_has_no_findings(void **state)
{
	struct world *w = *state;
	assert_nothing_found(w);
	assert_int_equal(store_clean_up(w->store), RESULT_OK); /* removes the entries of the deleted lead */
	assert_nothing_found(w);
	root_run("UPDATE t_campaigns SET max_per_ip = 0");
	root_run("UPDATE t_campaign_counters SET ip_counted_to = 0");
	root_run("DELETE FROM t_ip_leads");
	assert_nothing_found(w);
}

/* Each change makes one wrong number or row; `detail` is a part of the finding. */
static const struct {
	const char *change, *undo, *what, *detail;
} cases[] = {
#define COUNTER(column)                                                                                              \
	{                                                                                                            \
		"UPDATE t_campaign_counters SET " column " = " column " + 1",                                        \
		    "UPDATE t_campaign_counters SET " column " = " column " - 1", "campaign_counters", column " is " \
	}
	COUNTER("lead_count"),
	COUNTER("verified"),
	COUNTER("waitlisted"),
	COUNTER("removed_from_waitlist"),
	COUNTER("fraudulent"),
	COUNTER("opted_out"),
	COUNTER("referred"),
#define REFERRAL_SUM(column)                                                                                     \
	{                                                                                                        \
		"UPDATE t_campaign_counters SET " column " = " column " + 1",                                    \
		    "UPDATE t_campaign_counters SET " column " = " column " - 1", "referral_sums", column " is " \
	}
	REFERRAL_SUM("referred_verified"),
	REFERRAL_SUM("referrers"),
	{ "UPDATE t_campaign_counters SET last_subscription_number = last_subscription_number - 1",
	    "UPDATE t_campaign_counters SET last_subscription_number = last_subscription_number + 1", "campaign_counters",
	    "last_subscription_number is too low" },
#define HOURS(column)                                                                                                         \
	{                                                                                                                     \
		"UPDATE t_lead_hours SET " column " = " column " + 1", "UPDATE t_lead_hours SET " column " = " column " - 1", \
		    "lead_hours", "1 found: campaign "                                                                        \
	}
	HOURS("lead_count"),
	HOURS("verified"),
	HOURS("waitlisted"),
	HOURS("removed_from_waitlist"),
	HOURS("fraudulent"),
	HOURS("opted_out"),
	HOURS("referred"),
	HOURS("referred_verified"),
	HOURS("referrers"),
	{ "UPDATE t_lead_hours SET hour = hour + 1000000 ORDER BY hour DESC LIMIT 1",
	    "UPDATE t_lead_hours SET hour = hour - 1000000 ORDER BY hour DESC LIMIT 1", "lead_hours", "(2 rows)" },
	{ "UPDATE t_leads SET source_class = 2 ORDER BY id LIMIT 1", "UPDATE t_leads SET source_class = 1 ORDER BY id LIMIT 1",
	    "lead_hours", "(2 rows)" },
	{ "UPDATE t_score_entries SET delta = delta + 1 WHERE reason = 'signup' ORDER BY lead_id LIMIT 1",
	    "UPDATE t_score_entries SET delta = delta - 1 WHERE reason = 'signup' ORDER BY lead_id LIMIT 1", "scores",
	    "1 found: lead " },
	{ "UPDATE t_score_histogram SET s0 = s0 + 1 ORDER BY node LIMIT 1",
	    "UPDATE t_score_histogram SET s0 = s0 - 1 ORDER BY node LIMIT 1", "score_histogram", "(1 places)" },
	{ "UPDATE t_score_histogram SET s15 = s15 + 1 ORDER BY node DESC LIMIT 1",
	    "UPDATE t_score_histogram SET s15 = s15 - 1 ORDER BY node DESC LIMIT 1", "score_histogram", "(1 places)" },
	{ "INSERT INTO t_score_histogram (node, s7) VALUES (1, 1)", "DELETE FROM t_score_histogram WHERE node = 1",
	    "score_histogram", "campaign 0" },
#define LEAD_COUNT(column)                                                                                                 \
	{                                                                                                                  \
		"UPDATE t_leads SET " column " = " column " + 1 ORDER BY id LIMIT 1",                                      \
		    "UPDATE t_leads SET " column " = " column " - 1 ORDER BY id LIMIT 1", "referral_counts", column " is " \
	}
	LEAD_COUNT("referrals"),
	LEAD_COUNT("unverified_direct"),
	LEAD_COUNT("unverified_indirect"),
	LEAD_COUNT("verified_direct"),
	LEAD_COUNT("verified_indirect"),
	{ "UPDATE t_referral_links SET credit = credit + 1 WHERE credit > 0 ORDER BY lead_id DESC LIMIT 1",
	    "UPDATE t_referral_links SET credit = credit - 1 WHERE credit > 0 ORDER BY lead_id DESC LIMIT 1", "referral_credit",
	    " by lead " },
	{ "UPDATE t_referral_links SET level = 99 WHERE level = 1 ORDER BY lead_id DESC LIMIT 1",
	    "UPDATE t_referral_links SET level = 1 WHERE level = 99", "referral_links", "is not linked to its referrer" },
	{ "UPDATE t_referral_links SET counted = counted MOD 3 + 1 WHERE level = 1 ORDER BY lead_id DESC LIMIT 1",
	    "UPDATE t_referral_links SET counted = (counted + 1) MOD 3 + 1 WHERE level = 1 ORDER BY lead_id DESC LIMIT 1",
	    "referral_links", "is not counted as it is" },
	{ "UPDATE t_ip_leads SET leads = leads + 1 LIMIT 1", "UPDATE t_ip_leads SET leads = leads - 1 LIMIT 1", "ip_leads",
	    "(1 addresses)" },
	{ "INSERT INTO t_ip_leads VALUES (7, 'x', 1)", "DELETE FROM t_ip_leads WHERE ip = 'x'", "ip_leads", "campaign 7" },
	{ "INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms) VALUES (1, 1, 1, 1, 1)",
	    "DELETE FROM t_due WHERE id = 1", "due", "delivery 1 (has no event)" },
	{ "UPDATE t_due SET id = id + 1000000 ORDER BY id DESC LIMIT 1",
	    "UPDATE t_due SET id = id - 1000000 ORDER BY id DESC LIMIT 1", "due", "(is not of its event)" },
	{ "INSERT INTO t_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) SELECT id, event_id, webhook_id, "
	  "'failed', 1, 1 FROM t_due ORDER BY id "
	  "DESC "
	  "LIMIT 1",
	    "DELETE FROM t_deliveries ORDER BY id DESC LIMIT 1", "due", "(does not go on from where it ended)" },
	{ "UPDATE t_due SET attempts_before = attempts + 1 ORDER BY id DESC LIMIT 1",
	    "UPDATE t_due SET attempts_before = 0 ORDER BY id DESC LIMIT 1", "due",
	    "(has fewer attempts than before it was sent again)" },
	{ "UPDATE t_deliveries SET event_id = event_id + 1000000 ORDER BY id DESC LIMIT 1",
	    "UPDATE t_deliveries SET event_id = event_id - 1000000 ORDER BY id DESC LIMIT 1", "deliveries", "(has no event)" },
	{ "UPDATE t_deliveries SET id = id + 1000000 ORDER BY id DESC LIMIT 1",
	    "UPDATE t_deliveries SET id = id - 1000000 ORDER BY id DESC LIMIT 1", "deliveries", "(is not of its event)" },
	{ "UPDATE t_events SET deliveries = deliveries + 1 ORDER BY id LIMIT 1",
	    "UPDATE t_events SET deliveries = deliveries - 1 ORDER BY id LIMIT 1", "events", "(deliveries is 2, counted 1)" },
	{ "UPDATE t_due SET event_id = event_id + 1000000 ORDER BY id DESC LIMIT 1",
	    "UPDATE t_due SET event_id = event_id - 1000000 ORDER BY id DESC LIMIT 1", "events",
	    "(deliveries is 1, counted 0)" },
	{ "INSERT INTO t_score_entries VALUES (999999, 'signup', 0, 0, 1, 1, NULL, 0)",
	    "DELETE FROM t_score_entries WHERE lead_id = 999999", "score_entries", "lead 999999 (does not exist)" },
	{ "UPDATE t_referral_links SET ancestor_id = ancestor_id + 1000000 WHERE credit > 0 ORDER BY lead_id DESC LIMIT 1",
	    "UPDATE t_referral_links SET ancestor_id = ancestor_id - 1000000 WHERE credit > 0 ORDER BY lead_id DESC LIMIT 1",
	    "score_entries", "did not refer" },
	{ "INSERT INTO t_deleted_leads SELECT MIN(id) FROM t_leads", "DELETE FROM t_deleted_leads ORDER BY lead_id LIMIT 1",
	    "deleted_leads", "1 found: lead " },
	{ "INSERT INTO t_lead_hours (campaign_id, hour, source_class) VALUES (999999, 1, 1)",
	    "DELETE FROM t_lead_hours WHERE campaign_id = 999999", "missing_parents", "lead_hours of campaign 999999 (1)" },
	{ "INSERT INTO t_tags VALUES (1, 999999, 'x', NULL, 0)", "DELETE FROM t_tags", "missing_parents",
	    "tags of campaign 999999 (1)" },
	{ "INSERT INTO t_actions (id, campaign_id, text) VALUES (1, 999999, 'x')", "DELETE FROM t_actions", "missing_parents",
	    "actions of campaign" },
	{ "INSERT INTO t_reward_levels VALUES (1, 999999, 'x', 0, 0)", "DELETE FROM t_reward_levels", "missing_parents",
	    "reward_levels of campaign" },
	{ "INSERT INTO t_bulk_jobs (id, campaign_id, action, lead_ids, total, created_ms) VALUES (1, 999999, 'tag', '', 0, 0)",
	    "DELETE FROM t_bulk_jobs", "missing_parents", "bulk_jobs of campaign" },
	{ "INSERT INTO t_bulk_schedule (campaign_id, served_ms) VALUES (999999, 0)", "DELETE FROM t_bulk_schedule",
	    "missing_parents", "bulk_schedule of campaign" },
	{ "UPDATE t_campaigns SET id = id + 1000000", "UPDATE t_campaigns SET id = id - 1000000", "missing_parents",
	    "leads of campaign " },
	{ "UPDATE t_campaigns SET account_id = account_id + 1000000",
	    "UPDATE t_campaigns SET account_id = account_id - 1000000", "missing_parents", "(has no account)" },
	{ "INSERT INTO t_campaigns (id, account_id, name, created_ms) SELECT 999999, MIN(id), 'x', 0 FROM t_accounts",
	    "DELETE FROM t_campaigns WHERE id = 999999", "missing_parents", "campaign 999999 (has no counters)" },
	{ "INSERT INTO t_api_keys (id, account_id, name, hash, created_ms) VALUES (1, 999999, 'x', '', 0)",
	    "DELETE FROM t_api_keys", "missing_parents", "key 1 (has no account)" },
	{ "UPDATE t_webhook_status SET webhook_id = webhook_id + 1000000",
	    "UPDATE t_webhook_status SET webhook_id = webhook_id - 1000000", "missing_parents", "(has no status)" },
};

static bool
is_reported(const struct finding *findings, size_t count, const char *what, const char *detail)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, slice_of(what)))
			return strstr(findings[i].detail.data, detail) != NULL && slice_present(findings[i].hint);
	return false;
}

static void
each_wrong_number_is_found(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t count;
		root_run("%s", cases[i].change);
		struct finding *findings = check(w, &count);
		if (!is_reported(findings, count, cases[i].what, cases[i].detail))
			fail_msg("%s: not reported, %zu others, the first: %.*s", cases[i].change, count,
			    SLICE_ARGS(count > 0 ? findings[0].detail : SLICE_NONE));
		root_run("%s", cases[i].undo);
	}
	assert_nothing_found(w);
}

/* A few are named, all are counted. */
static void
many_differences_are_one_finding(void **state)
{
	struct world *w = *state;
	size_t count;
	root_run("UPDATE t_leads SET verified_indirect = verified_indirect + 1");
	struct finding *findings = check(w, &count);
	root_run("UPDATE t_leads SET verified_indirect = verified_indirect - 1");
	assert_int_equal(count, 1);
	assert_slice(findings[0].what, "referral_counts");
	uint32_t leads = find_campaign(w, w->campaign).counters.leads;
	assert_true(strtoul(findings[0].detail.data, NULL, 10) >= leads && leads > 5);
	assert_true(slice_ends_with(findings[0].detail, SLICE(", …")));
}

static bool
sign_up_until_stopped(struct store *store, const struct world *world, unsigned index)
{
	struct pool *pool = pool_new();
	bool all = true;
	for (size_t i = 0; all && __atomic_load_n(&shared[0], __ATOMIC_ACQUIRE) == 0; i++) {
		struct command command =
		    signup(world, world->campaign, pool_printf(pool, "p%u-%zu@example.org", index, i).data);
		struct outcome outcome;
		command.as.signup.referrer_id = pool_copy(pool, (struct slice){ (const char *)&shared[1], 10 });
		execute(store, pool, &command, 1, &outcome);
		all = outcome.failure == FAILURE_NONE;
	}
	pool_free(&pool);
	return all;
}

/* Each check sees a single state: concurrent sign-ups cause no findings. */
static void
sign_ups_go_on_meanwhile(void **state)
{
	struct world *w = *state;
	struct lead referrer = find_lead(w, w->campaign, LEAD_BY_EMAIL, email(w, 0));
	memcpy(&shared[1], referrer.social_id.data, referrer.social_id.size);
	processes_start(w, 2, sign_up_until_stopped);
	uint32_t before = find_campaign(w, w->campaign).counters.leads;
	int64_t end_ms = clock_monotonic_ms() + 20000;
	size_t checks = 0;
	while (clock_monotonic_ms() < end_ms && (checks < 10 || find_campaign(w, w->campaign).counters.leads < before + 100)) {
		assert_nothing_found(w);
		checks++;
	}
	__atomic_store_n(&shared[0], 1, __ATOMIC_RELEASE);
	assert_true(processes_end());
	assert_true(find_campaign(w, w->campaign).counters.leads >= before + 100);
}

/* docs/operating.md 7.5: its rows are deleted in pieces, and a process that is killed leaves the rest to the dispatcher. */
static void
an_unfinished_removal_is_no_finding(void **state)
{
	struct world *w = *state;
	static const char *const within_a_piece[] = { "DELETE FROM t_score_entries WHERE lead_id IN",
		"DELETE FROM t_referral_links WHERE lead_id IN" };
	struct removal_counts counts = { 0 };
	bool done = false;
	assert_int_equal(store_remove_campaign(w->store, w->campaign), RESULT_OK);
	assert_nothing_found(w);
	for (size_t i = 0; i < ARRAY_SIZE(within_a_piece); i++) {
		root_run("%s (SELECT id FROM t_leads WHERE campaign_id = %" PRIu64 ") LIMIT 3", within_a_piece[i], w->campaign);
		assert_nothing_found(w);
	}
	while (!done) {
		assert_int_equal(store_continue_removal(w->store, w->campaign, &counts, &done), RESULT_OK);
		assert_nothing_found(w);
	}
}

/* An error of the server is a finding, and ends the check. */
static void
a_broken_table_is_a_finding(void **state)
{
	struct world *w = *state;
	uint32_t from;
	size_t count;
	struct finding *findings;
	struct store *other = store_with_prefix("broken_");
	assert_int_equal(store_upgrade(other, &from), RESULT_OK);
	root_run("ALTER TABLE broken_score_entries DROP COLUMN requested");
	store_check(other, w->pool, NULL, CHECK_DEEP, &findings, &count);
	assert_true(is_reported(findings, count, "statements", "requested"));
	store_free(&other);
	assert_nothing_found(w);
	sign_up_many(w, "later", 1);
}

#define HISTORY_TEST(name) cmocka_unit_test_setup_teardown(name, open_history, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		HISTORY_TEST(each_wrong_number_is_found),
		HISTORY_TEST(many_differences_are_one_finding),
		HISTORY_TEST(sign_ups_go_on_meanwhile),
		HISTORY_TEST(an_unfinished_removal_is_no_finding),
		HISTORY_TEST(consistent_data_has_no_findings),
		HISTORY_TEST(a_broken_table_is_a_finding),
	};
	return WORLD_MAIN(tests);
}
