/* SPDX-License-Identifier: MIT
 * Reads and changes of operators: accounts, campaigns, deliveries, the state of the installation. Modules: store/operator. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "engine/events.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/installation_check.h"
#include "store/operator/operator_status.h"
#include "store/operator/upgrade.h"
#include "store/queue/clean_up.h"
#include "store/schema.h"
#include "store/world.h"

enum { EDITS = 8 };

static const int64_t far_ms = INT64_C(32503680000000); /* the year 3000 */

static bool
has_finding(const struct finding *findings, size_t count, struct slice what)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, what))
			return slice_present(findings[i].detail) && slice_present(findings[i].hint);
	return false;
}

/* The finding about connections, on a new connection, if the server allows this account that many; absent: there is none. */
static struct finding
connections_found(struct world *w, unsigned workers, const char *limit)
{
	const struct connection_needs needs = { .workers = workers,
		.per_worker = 1,
		.committer = workers == 0 ? 0 : 1,
		.dispatcher = 1,
		.mailer = 1,
		.texter = 1,
		.command = 1 };
	struct finding *findings;
	size_t count;
	root_run("%s", limit);
	struct store *other = store_new(&world_options);
	store_check(other, w->pool, &needs, CHECK_QUICK, &findings, &count);
	store_free(&other);
	assert_true(count <= 1);
	return count == 1 ? findings[0] : (struct finding){ .what = SLICE_NONE };
}

#define OF_ACCOUNT "ALTER USER " PRIVATE_SERVER_USER "@localhost WITH MAX_USER_CONNECTIONS "

/* docs/operating.md 2.2 */
static void
the_check_counts_connections(void **state)
{
	struct world *w = *state;
	struct finding found = connections_found(w, 16, "SET GLOBAL max_connections = 20");
	assert_slice(found.what, "connection_limit");
	assert_slice(found.detail,
	    "the programs need up to 21 connections (workers 16, committer 1, dispatcher 1, mailer 1, texter 1, leadhook 1),"
	    " max_connections is 20");
	assert_slice(found.hint, "raise max_connections to 21, or set server.workers to 15");
	assert_false(slice_present(connections_found(w, 16, "SET GLOBAL max_connections = 21").what));
	root_run("SET GLOBAL max_connections = 151");
	found = connections_found(w, 16, OF_ACCOUNT "5");
	assert_slice(found.detail,
	    "the programs need up to 21 connections (workers 16, committer 1, dispatcher 1, mailer 1, texter 1, leadhook 1),"
	    " max_user_connections is 5");
	assert_slice(found.hint, "raise max_user_connections to 21");
	assert_false(slice_present(connections_found(w, 0, OF_ACCOUNT "5").what));
	found = connections_found(w, 0, OF_ACCOUNT "4");
	assert_slice(found.hint, "raise max_user_connections to 5");
	assert_false(slice_present(connections_found(w, 16, OF_ACCOUNT "0").what));
}

static void
the_check_finds_what_is_wrong(void **state)
{
	struct world *w = *state;
	struct finding *findings;
	size_t count;
	uint32_t from;
	const char *failed;
	store_check(w->store, w->pool, NULL, CHECK_QUICK, &findings, &count);
	assert_int_equal(count, 0);
	struct store *other = store_with_prefix("broken_");
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	assert_true(has_finding(findings, count, SLICE("schema_version")));
	assert_int_equal(store_upgrade(other, &from), RESULT_OK);
	root_run("ALTER TABLE broken_due DROP COLUMN attempts");
	assert_int_not_equal(store_check_statements(other, &failed), RESULT_OK);
	assert_non_null(strstr(failed, "sql_"));
	assert_non_null(strstr(store_error_text(other), "attempts"));
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	assert_true(has_finding(findings, count, SLICE("statements")));
	root_run("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	root_run("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
	assert_true(has_finding(findings, count, SLICE("durability")));
	assert_false(has_finding(findings, count, SLICE("packet_size")));
	root_run("SET GLOBAL max_allowed_packet = 1047552");
	store_free(&other);
	other = store_new(&world_options); /* a connection keeps the settings of its start */
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	root_run("SET GLOBAL max_allowed_packet = 1048576");
	assert_true(has_finding(findings, count, SLICE("packet_size")));
	store_free(&other);
	struct store_options wrong_login = world_options;
	wrong_login.password = "wrong";
	other = store_new(&wrong_login);
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	assert_true(has_finding(findings, count, SLICE("connection")));
	store_free(&other);
}

static void
accounts_are_listed_in_order(void **state)
{
	struct world *w = *state;
	struct account_row *rows;
	size_t count;
	uint64_t id;
	assert_int_equal(store_add_account(w->store, NULL, SLICE("Zo\xc3\xab \xf0\x9f\x8e\x89"), &id), RESULT_OK);
	assert_true(id > w->account);
	assert_int_equal(store_list_accounts(w->store, w->pool, LIST_ALL, &rows, &count), RESULT_OK);
	assert_int_equal(rows[count - 1].id, id);
	assert_slice(rows[count - 1].name, "Zo\xc3\xab \xf0\x9f\x8e\x89");
	assert_int_equal(rows[count - 1].suspended_ms, -1);
	assert_true(rows[count - 1].created_ms > 0);
	for (size_t i = 1; i < count; i++)
		assert_true(rows[i - 1].id < rows[i].id);
}

static struct account_row
find_account(const struct world *w)
{
	struct account_row *rows;
	size_t count;
	assert_int_equal(store_list_accounts(w->store, w->pool, LIST_ALL, &rows, &count), RESULT_OK);
	for (size_t i = 0; i < count; i++)
		if (rows[i].id == w->account)
			return rows[i];
	fail_msg("there is no account %" PRIu64, w->account);
	return rows[0];
}

/* docs/operating.md 4: account suspend, resume and limit. */
static void
accounts_are_suspended_and_limited(void **state)
{
	const struct world *w = *state;
	assert_int_equal(store_suspend_account(w->store, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(store_limit_account(w->store, UNKNOWN_ID, 1), RESULT_NOT_FOUND);
	assert_int_equal(find_account(w).per_minute, -1);
	assert_int_equal(store_suspend_account(w->store, w->account), RESULT_OK);
	assert_int_equal(store_limit_account(w->store, w->account, 0), RESULT_OK);
	const struct account_row suspended = find_account(w);
	assert_true(suspended.suspended_ms > 0 && suspended.per_minute == 0);
	assert_int_equal(store_suspend_account(w->store, w->account), RESULT_OK); /* twice is fine */
	assert_int_equal(find_account(w).suspended_ms, suspended.suspended_ms);
	assert_int_equal(store_resume_account(w->store, w->account), RESULT_OK);
	assert_int_equal(store_limit_account(w->store, w->account, -1), RESULT_OK);
	assert_true(find_account(w).suspended_ms == -1 && find_account(w).per_minute == -1);
}

static void
a_campaign_keeps_its_settings(void **state)
{
	struct world *w = *state;
	struct campaign_settings settings = {
		.name = SLICE("Caf\xc3\xa9"),
		.ends_ms = far_ms,
		.jump_start = UINT32_MAX,
		.require_key = true,
		.compat = true,
		.landing_url = SLICE("https://landing.example/?a=b"),
		.status_url = SLICE("https://status.example/"),
		.points_signup = 1,
		.points_direct = 2,
		.points_indirect = 3,
		.points_verified = 4,
		.require_verification = true,
		.waitlist = true,
		.max_per_ip = 5,
		.blocked_email_domains = SLICE("a.example, b.example"),
		.blocked_referrers = SLICE("c.example"),
		.allowed_networks = SLICE("10.0.0.0/8 2001:db8::/32"),
	};
	uint64_t id;
	struct campaign found;
	int64_t now_ms;
	assert_int_equal(store_add_campaign(w->store, NULL, UNKNOWN_ID, &settings, INT64_MAX, &id), RESULT_NOT_FOUND);
	assert_int_equal(store_add_campaign(w->store, NULL, w->account, &settings, INT64_MAX, &id), RESULT_OK);
	found = find_campaign(w, id);
	assert_int_equal(found.account_id, w->account);
	assert_slices_equal(found.name, settings.name);
	assert_true(found.ends_ms == settings.ends_ms && found.ended_ms == -1);
	assert_true(
	    found.jump_start == UINT32_MAX && found.require_key && found.compat && !found.privacy && !found.account_suspended);
	assert_slices_equal(found.landing_url, settings.landing_url);
	assert_slices_equal(found.status_url, settings.status_url);
	assert_false(slice_present(found.thankyou_url));
	assert_true(found.points_signup == 1 && found.points_direct == 2 && found.points_indirect == 3);
	assert_true(found.points_verified == 4 && found.require_verification && found.waitlist && found.max_per_ip == 5);
	assert_slices_equal(found.blocked_email_domains, settings.blocked_email_domains);
	assert_slices_equal(found.blocked_referrers, settings.blocked_referrers);
	assert_slices_equal(found.allowed_networks, settings.allowed_networks);
	assert_int_equal(found.counters.leads, 0);
	assert_true(campaign_judges_addresses(&found)); /* without leads there is nothing to count */
	settings = plain_campaign();
	assert_int_equal(set_campaign(w, UNKNOWN_ID, settings), RESULT_NOT_FOUND);
	assert_int_equal(set_campaign(w, id, settings), RESULT_OK);
	assert_int_equal(set_campaign(w, id, settings), RESULT_OK);
	found = find_campaign(w, id);
	assert_true(found.privacy && !found.require_key && !found.compat && found.ends_ms == -1 && found.jump_start == 0);
	assert_false(slice_present(found.landing_url) || slice_present(found.blocked_email_domains));
	assert_true(found.points_direct == 0 && found.max_per_ip == 0 && found.ip_counted_to == 0 && !found.waitlist);
	assert_int_equal(store_find_campaign(w->store, w->pool, UNKNOWN_ID, &found, &now_ms), RESULT_NOT_FOUND);
}

static void
campaigns_are_listed_by_account(void **state)
{
	struct world *w = *state;
	struct campaign *rows;
	size_t count, all;
	int64_t now_ms;
	uint64_t second = add_campaign(w);
	assert_int_equal(store_list_campaigns(w->store, w->pool, w->account, LIST_ALL, &rows, &count, &now_ms), RESULT_OK);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].id, w->campaign);
	assert_int_equal(rows[1].id, second);
	assert_true(now_ms >= rows[1].created_ms);
	assert_int_equal(store_list_campaigns(w->store, w->pool, 0, LIST_ALL, &rows, &all, &now_ms), RESULT_OK);
	assert_true(all >= 2 && rows[all - 1].id == second);
	assert_int_equal(store_list_campaigns(w->store, w->pool, UNKNOWN_ID, LIST_ALL, &rows, &count, &now_ms), RESULT_OK);
	assert_int_equal(count, 0);
}

/* "Ends it now, or opens it again (an end time that has passed is then removed)." */
static void
a_campaign_ends_and_opens_again(void **state)
{
	struct world *w = *state;
	assert_int_equal(store_end_campaign(w->store, NULL, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(store_end_campaign(w->store, NULL, w->campaign), RESULT_OK);
	int64_t ended_ms = find_campaign(w, w->campaign).ended_ms;
	assert_true(ended_ms > 0);
	assert_int_equal(store_end_campaign(w->store, NULL, w->campaign), RESULT_OK);
	assert_true(find_campaign(w, w->campaign).ended_ms == ended_ms);
	assert_int_equal(store_reopen_campaign(w->store, NULL, w->campaign), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).ended_ms, -1);
	set_end(w, w->campaign, 5);
	assert_int_equal(store_reopen_campaign(w->store, NULL, w->campaign), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).ends_ms, -1);
	set_end(w, w->campaign, far_ms);
	assert_int_equal(store_reopen_campaign(w->store, NULL, w->campaign), RESULT_OK);
	assert_true(find_campaign(w, w->campaign).ends_ms == far_ms);
}

/* docs/api.md 4.6: `state` is one of the settings */
static void
the_state_is_set_with_the_other_settings(void **state)
{
	struct world *w = *state;
	struct campaign_settings settings = plain_campaign();
	uint64_t id;
	settings.request = CAMPAIGN_ENDS;
	assert_int_equal(store_add_campaign(w->store, NULL, w->account, &settings, INT64_MAX, &id), RESULT_OK);
	assert_true(find_campaign(w, id).ended_ms > 0);
	settings.request = CAMPAIGN_STAYS;
	assert_int_equal(set_campaign(w, id, settings), RESULT_OK);
	assert_true(find_campaign(w, id).ended_ms > 0);
	settings.request = CAMPAIGN_OPENS;
	settings.ends_ms = 5; /* the end time has passed: as with store_end_campaign, it is removed */
	assert_int_equal(set_campaign(w, id, settings), RESULT_OK);
	assert_true(find_campaign(w, id).ended_ms == -1 && find_campaign(w, id).ends_ms == -1);
	settings.request = CAMPAIGN_ENDS;
	assert_int_equal(set_campaign(w, id, settings), RESULT_OK);
	assert_true(find_campaign(w, id).ended_ms > 0);
}

static bool
has_ended(struct world *w)
{
	struct campaign campaign;
	int64_t now_ms;
	assert_int_equal(store_find_campaign(w->store, w->pool, w->campaign, &campaign, &now_ms), RESULT_OK);
	return campaign_has_ended(&campaign, now_ms);
}

/* A campaign whose end time has passed, which the dispatcher may or may not have recorded. */
static void
add_over(struct world *w, bool noted)
{
	w->campaign = add_campaign(w);
	set_end(w, w->campaign, 5);
	if (noted)
		assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).ended_ms, noted ? 5 : -1);
	assert_true(has_ended(w));
}

/* docs/api.md 6: the end time "holds by itself …; the dispatcher only records it" */
static void
an_end_time_holds_noted_or_not(void **state)
{
	struct world *w = *state;
	for (int noted = 0; noted < 2; noted++) {
		add_over(w, noted);
		set_end(w, w->campaign, 5);
		assert_true(has_ended(w));
		set_end(w, w->campaign, 6);
		assert_true(has_ended(w));
		set_end(w, w->campaign, far_ms);
		assert_false(has_ended(w));
		add_over(w, noted);
		set_end(w, w->campaign, -1);
		assert_false(has_ended(w));
		add_over(w, noted);
		assert_int_equal(set_campaign(w, w->campaign, plain_campaign()), RESULT_OK);
		assert_false(has_ended(w));
	}
}

/* docs/api.md 6: no end time reopens a campaign that was ended by command, in either order. */
static void
a_campaign_ended_by_command_stays_ended(void **state)
{
	struct world *w = *state;
	for (int noted = 0; noted < 2; noted++) {
		add_over(w, noted);
		assert_int_equal(store_end_campaign(w->store, NULL, w->campaign), RESULT_OK);
		set_end(w, w->campaign, far_ms);
		assert_true(has_ended(w));
	}
	w->campaign = add_campaign(w);
	assert_int_equal(store_end_campaign(w->store, NULL, w->campaign), RESULT_OK);
	set_end(w, w->campaign, far_ms);
	assert_true(has_ended(w));
	set_end(w, w->campaign, -1);
	assert_true(has_ended(w));
}

static bool
refuse(void *context UNUSED, struct campaign_settings *settings)
{
	settings->jump_start = 99;
	return false;
}

static bool
add_one(void *context UNUSED, struct campaign_settings *settings)
{
	settings->jump_start++;
	return true;
}

static bool
edit_often(struct store *store, const struct world *world, unsigned index UNUSED)
{
	bool all = true;
	for (unsigned i = 0; i < EDITS; i++)
		all = change_campaign(store, world->campaign, add_one, NULL) == RESULT_OK && all;
	return all;
}

/* Concurrent changes of different settings are both stored. */
static void
concurrent_edits_are_all_stored(void **state)
{
	struct world *w = *state;
	processes_start(w, PROCESSES_MAX, edit_often);
	assert_true(processes_end());
	assert_int_equal(find_campaign(w, w->campaign).jump_start, PROCESSES_MAX * EDITS);
	assert_int_equal(change_campaign(w->store, w->campaign, refuse, NULL), RESULT_REFUSED);
	assert_int_equal(find_campaign(w, w->campaign).jump_start, PROCESSES_MAX * EDITS);
	assert_int_equal(change_campaign(w->store, UNKNOWN_ID, refuse, NULL), RESULT_NOT_FOUND);
}

/* The result of the next store_ready; RESULT_OK: the real one. */
static enum result readiness;

enum result __real_store_ready(struct store *store, uint32_t *found);
enum result __wrap_store_ready(struct store *store, uint32_t *found);

enum result
__wrap_store_ready(struct store *store, uint32_t *found)
{
	enum result result = readiness == RESULT_OK ? __real_store_ready(store, found) : readiness;
	readiness = RESULT_OK;
	return result;
}

static void
the_status_counts(void **state)
{
	struct world *w = *state;
	struct store_status before, after;
	assert_int_equal(store_get_status(w->store, w->pool, &before), RESULT_OK);
	add_webhook(w, add_campaign(w), "https://a.example/", 1);
	add_webhook(w, w->campaign, "https://a.example/", 1);
	sign_up_many(w, "lead", 3);
	root_run("UPDATE t_due SET due_ms = due_ms + 3600000 ORDER BY id DESC LIMIT 1");
	assert_int_equal(store_get_status(w->store, w->pool, &after), RESULT_OK);
	assert_int_equal(after.figures.accounts - before.figures.accounts, 0);
	assert_int_equal(after.figures.campaigns - before.figures.campaigns, 1);
	assert_int_equal(after.figures.leads - before.figures.leads, 3);
	assert_int_equal(after.figures.webhooks - before.figures.webhooks, 2);
	assert_int_equal(after.figures.due_now - before.figures.due_now, 2);
	assert_int_equal(after.figures.due_later - before.figures.due_later, 1);
	assert_in_range(after.figures.oldest_due_ms, 1, after.figures.now_ms);
	assert_int_equal(after.schema_version, store_schema_wanted());
	assert_true(slice_present(after.server_version));
}

/* due_now: deliveries that a dispatcher can fetch now */
static void
the_status_counts_what_can_be_taken_now(void **state)
{
	static const struct {
		const char *change; /* to one of three deliveries that have been due for a minute */
		uint64_t now;
		int64_t since_ms; /* when the oldest is due, or -1 */
	} cases[] = {
		{ "UPDATE t_due SET due_ms = due_ms", 3, MINUTE_MS },
		{ "UPDATE t_due SET due_ms = due_ms + 3600000 ORDER BY id LIMIT 1", 2, MINUTE_MS },
		{ "UPDATE t_webhook_status SET hold_until_ms = UNIX_TIMESTAMP() * 1000 + 3600000", 0, -1 },
		{ "UPDATE t_webhook_status SET hold_until_ms = UNIX_TIMESTAMP() * 1000 - 30000", 3, MINUTE_MS / 2 },
		{ "UPDATE t_webhooks SET state = 'disabled'", 0, -1 },
		{ "UPDATE t_webhooks SET state = 'gone'", 0, -1 },
		{ "UPDATE t_due JOIN t_webhooks w SET w.id = w.id + 1000000, due_ms = due_ms + 3600000", 3, 0 },
	};
	struct world *w = *state;
	struct store_status status;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		root_run("DELETE FROM t_due");
		root_run("DELETE FROM t_webhooks");
		w->campaign = add_campaign(w);
		add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
		sign_up_many(w, "lead", 3);
		root_run("UPDATE t_due SET due_ms = due_ms - %" PRId64, MINUTE_MS);
		root_run("%s", cases[i].change);
		assert_int_equal(store_get_status(w->store, w->pool, &status), RESULT_OK);
		assert_int_equal(status.figures.due_now, cases[i].now);
		assert_int_equal(status.figures.due_later, 3 - cases[i].now);
		if (cases[i].since_ms < 0)
			assert_int_equal(status.figures.oldest_due_ms, -1);
		else
			assert_in_range(
			    status.figures.now_ms - status.figures.oldest_due_ms, cases[i].since_ms, cases[i].since_ms + 10000);
	}
}

/* A connection that is lost between two of its statements must not make the version 0. */
static void
the_status_is_all_or_nothing(void **state)
{
	static const enum result results[] = { RESULT_UNAVAILABLE, RESULT_CONFLICT, RESULT_FAILED };
	struct world *w = *state;
	struct store_status status;
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		readiness = results[i];
		assert_int_equal(store_get_status(w->store, w->pool, &status), results[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_check_finds_what_is_wrong),
		WORLD_TEST(the_check_counts_connections),
		WORLD_TEST(accounts_are_listed_in_order),
		WORLD_TEST(accounts_are_suspended_and_limited),
		WORLD_TEST(a_campaign_keeps_its_settings),
		WORLD_TEST(campaigns_are_listed_by_account),
		WORLD_TEST(a_campaign_ends_and_opens_again),
		WORLD_TEST(the_state_is_set_with_the_other_settings),
		WORLD_TEST(an_end_time_holds_noted_or_not),
		WORLD_TEST(a_campaign_ended_by_command_stays_ended),
		WORLD_TEST(concurrent_edits_are_all_stored),
		WORLD_TEST(the_status_counts),
		WORLD_TEST(the_status_counts_what_can_be_taken_now),
		WORLD_TEST(the_status_is_all_or_nothing),
	};
	return WORLD_MAIN(tests);
}
