/* SPDX-License-Identifier: MIT
 * Installing, what operators ask, what the API reads, and webhooks: each function of store/store.h and store/admin.h with the
 * results that it documents. Batches and the dispatcher have tests of their own. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/events.h"
#include "world.h"

enum { HOUR_MS = 3600 * 1000, NOBODY = 999999 };

/* How many tables have a prefix. */
#define TABLES "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%s%%'"

static struct store *
store_with_prefix(const char *prefix)
{
	struct store_options options = world_options;
	options.prefix = prefix;
	return store_new(&options);
}

/* "each is safe to run twice"; the version is recorded; the installation keeps its id and its secret. */
static void
installing_twice_is_safe(void **state UNUSED)
{
	struct store *store = store_with_prefix("fresh_");
	uint32_t from, to, found;
	const char *failed;
	assert_int_equal(store_ready(store, &found), RESULT_INVALID);
	assert_int_equal(found, 0);
	assert_int_equal(store_upgrade(store, false, &from, &to), RESULT_OK);
	assert_int_equal(root_number(TABLES, "fresh\\_"), 0);
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(to, store_schema_wanted());
	assert_int_equal(store_ready(store, &found), RESULT_OK);
	assert_int_equal(found, store_schema_wanted());
	assert_int_equal(root_number("SELECT MAX(version) FROM fresh_schema_version"), store_schema_wanted());
	assert_int_equal(root_number("SELECT COUNT(*) FROM fresh_dispatch_shards WHERE owner IS NULL"), 64);
	assert_int_equal(store_check_statements(store, &failed), RESULT_OK);
	root_run("CREATE TABLE fresh_facts_then AS SELECT * FROM fresh_meta");
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_OK);
	assert_int_equal(from, to);
	assert_int_equal(root_number("SELECT COUNT(*) FROM fresh_meta NATURAL JOIN fresh_facts_then"), 2);
	store_free(&store);
	assert_null(store);
}

/* "a run that was killed is simply started again": at any statement, so here with some tables and without a version. */
static void
an_install_that_was_killed_is_started_again(void **state UNUSED)
{
	struct store *store = store_with_prefix("killed_");
	uint32_t from, to, found;
	const char *failed;
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_OK);
	root_run("DROP TABLE killed_schema_version, killed_due, killed_leads");
	root_run("DELETE FROM killed_dispatch_shards WHERE shard > 10");
	root_run("UPDATE killed_id_blocks SET next = 77 WHERE name = 'lead'");
	root_run("DELETE FROM killed_meta");
	assert_int_equal(store_ready(store, &found), RESULT_INVALID);
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(store_ready(store, &found), RESULT_OK);
	assert_int_equal(store_check_statements(store, &failed), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM killed_dispatch_shards"), 64);
	assert_int_equal(root_number("SELECT next FROM killed_id_blocks WHERE name = 'lead'"), 77);
	assert_int_equal(root_number("SELECT COUNT(*) FROM killed_meta"), 2);
	store_free(&store);
}

static void
a_newer_database_is_refused(void **state UNUSED)
{
	struct store *store = store_with_prefix("newer_");
	uint32_t from, to, found;
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_OK);
	root_run("INSERT INTO newer_schema_version VALUES (%u, 0)", store_schema_wanted() + 1);
	assert_int_equal(store_ready(store, &found), RESULT_INVALID);
	assert_int_equal(found, store_schema_wanted() + 1);
	assert_int_equal(store_upgrade(store, true, &from, &to), RESULT_INVALID);
	assert_int_equal(store_upgrade(store, false, &from, &to), RESULT_OK);
	assert_int_equal(from, store_schema_wanted() + 1);
	store_free(&store);
}

static bool
has_finding(const struct finding *findings, size_t count, struct slice what)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, what))
			return slice_present(findings[i].detail) && slice_present(findings[i].mend);
	return false;
}

static void
the_check_finds_what_is_wrong(void **state)
{
	struct world *w = *state;
	struct finding *findings;
	size_t count;
	uint32_t from, to;
	const char *failed;
	assert_int_equal(store_check(w->store, w->pool, &findings, &count), RESULT_OK);
	assert_int_equal(count, 0);
	struct store *other = store_with_prefix("broken_");
	assert_int_equal(store_check(other, w->pool, &findings, &count), RESULT_OK);
	assert_true(has_finding(findings, count, SLICE("schema_version")));
	assert_int_equal(store_upgrade(other, true, &from, &to), RESULT_OK);
	root_run("ALTER TABLE broken_due DROP COLUMN attempts");
	assert_int_not_equal(store_check_statements(other, &failed), RESULT_OK);
	assert_non_null(strstr(failed, "CLAIM"));
	assert_non_null(strstr(store_error_text(other), "attempts"));
	assert_int_equal(store_check(other, w->pool, &findings, &count), RESULT_OK);
	assert_true(has_finding(findings, count, SLICE("statements")));
	root_run("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
	assert_int_equal(store_check(other, w->pool, &findings, &count), RESULT_OK);
	root_run("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
	assert_true(has_finding(findings, count, SLICE("durability")));
	store_free(&other);
	struct store_options nobody = world_options;
	nobody.password = "wrong";
	other = store_new(&nobody);
	assert_int_equal(store_check(other, w->pool, &findings, &count), RESULT_OK);
	assert_true(has_finding(findings, count, SLICE("connection")));
	store_free(&other);
}

static void
no_database_is_unavailable(void **state)
{
	struct world *w = *state;
	struct store_options nowhere = world_options;
	nowhere.socket = "/nonexistent/socket";
	struct store *store = store_new(&nowhere);
	struct campaign campaign;
	struct command command = signup(w, w->campaign, "a@example.org");
	struct outcome outcome;
	uint32_t found;
	int64_t now_ms;
	uint64_t id;
	assert_int_equal(store_ready(store, &found), RESULT_UNAVAILABLE);
	assert_int_equal(store_find_campaign(store, w->pool, 1, &campaign, &now_ms), RESULT_UNAVAILABLE);
	assert_int_equal(store_add_account(store, SLICE("A"), &id), RESULT_UNAVAILABLE);
	execute(store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_UNAVAILABLE);
	store_free(&store);
}

static void
accounts_are_listed_in_order(void **state)
{
	struct world *w = *state;
	struct account_row *rows;
	size_t count;
	uint64_t id;
	assert_int_equal(store_add_account(w->store, SLICE("Zo\xc3\xab \xf0\x9f\x8e\x89"), &id), RESULT_OK);
	assert_true(id > w->account);
	assert_int_equal(store_list_accounts(w->store, w->pool, &rows, &count), RESULT_OK);
	assert_int_equal(rows[count - 1].id, id);
	assert_slice(rows[count - 1].name, "Zo\xc3\xab \xf0\x9f\x8e\x89");
	assert_int_equal(rows[count - 1].suspended_ms, -1);
	assert_true(rows[count - 1].created_ms > 0);
	for (size_t i = 1; i < count; i++)
		assert_true(rows[i - 1].id < rows[i].id);
}

/* contract 3: found by its hash until it is revoked; used to the hour. */
static void
a_key_is_found_until_it_is_revoked(void **state)
{
	struct world *w = *state;
	unsigned char hash[32] = { 1, 0, 2 }, other[32] = { 3 };
	struct api_key key;
	struct api_key_row *rows;
	size_t count;
	uint64_t id;
	memcpy(hash + 8, &w->account, sizeof(w->account));
	assert_int_equal(store_add_key(w->store, NOBODY, SLICE("Key"), hash, &id), RESULT_NOT_FOUND);
	assert_int_equal(store_add_key(w->store, w->account, SLICE("Key"), hash, &id), RESULT_OK);
	assert_int_equal(store_find_key(w->store, other, &key), RESULT_NOT_FOUND);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_OK);
	assert_int_equal(key.id, id);
	assert_int_equal(key.account_id, w->account);
	assert_false(key.account_suspended);
	assert_int_equal(key.last_used_ms, -1);
	assert_int_equal(store_touch_key(w->store, &key), RESULT_OK);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_OK);
	assert_int_equal(key.last_used_ms % HOUR_MS, 0);
	assert_in_range(key.now_ms - key.last_used_ms, 0, HOUR_MS - 1);
	int64_t before = root_questions();
	assert_int_equal(store_touch_key(w->store, &key), RESULT_OK);
	assert_int_equal(root_questions(), before);
	root_run("UPDATE t_accounts SET suspended_ms = 1 WHERE id = %" PRIu64, w->account);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_OK);
	assert_true(key.account_suspended);
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, &rows, &count), RESULT_OK);
	assert_int_equal(count, 1);
	assert_slice(rows->name, "Key");
	assert_int_equal(rows->revoked_ms, -1);
	assert_int_equal(store_revoke_key(w->store, NOBODY), RESULT_NOT_FOUND);
	assert_int_equal(store_revoke_key(w->store, id), RESULT_OK);
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, &rows, &count), RESULT_OK);
	int64_t revoked_ms = rows->revoked_ms;
	assert_true(revoked_ms > 0);
	assert_int_equal(store_revoke_key(w->store, id), RESULT_OK);
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, &rows, &count), RESULT_OK);
	assert_true(rows->revoked_ms == revoked_ms);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_NOT_FOUND);
	assert_int_equal(store_list_keys(w->store, w->pool, NOBODY, &rows, &count), RESULT_OK);
	assert_int_equal(count, 0);
}

static struct campaign
find_campaign(struct world *w, uint64_t id)
{
	struct campaign campaign;
	int64_t now_ms;
	assert_int_equal(store_find_campaign(w->store, w->pool, id, &campaign, &now_ms), RESULT_OK);
	assert_true(now_ms >= campaign.created_ms);
	return campaign;
}

static void
a_campaign_keeps_its_settings(void **state)
{
	struct world *w = *state;
	struct campaign_settings settings = {
		.name = SLICE("Caf\xc3\xa9"),
		.ends_ms = INT64_C(32503680000000),
		.jump_start = UINT32_MAX,
		.require_key = true,
		.landing_url = SLICE("https://landing.example/?a=b"),
		.status_url = SLICE("https://status.example/"),
	};
	uint64_t id;
	struct campaign found;
	int64_t now_ms;
	assert_int_equal(store_add_campaign(w->store, NOBODY, &settings, &id), RESULT_NOT_FOUND);
	assert_int_equal(store_add_campaign(w->store, w->account, &settings, &id), RESULT_OK);
	found = find_campaign(w, id);
	assert_int_equal(found.account_id, w->account);
	assert_slices_equal(found.name, settings.name);
	assert_true(found.ends_ms == settings.ends_ms && found.ended_ms == -1);
	assert_true(found.jump_start == UINT32_MAX && found.require_key && !found.privacy && !found.account_suspended);
	assert_slices_equal(found.landing_url, settings.landing_url);
	assert_slices_equal(found.status_url, settings.status_url);
	assert_false(slice_present(found.thankyou_url));
	assert_int_equal(found.lead_count, 0);
	settings = plain_campaign();
	assert_int_equal(store_set_campaign(w->store, NOBODY, &settings), RESULT_NOT_FOUND);
	assert_int_equal(store_set_campaign(w->store, id, &settings), RESULT_OK);
	assert_int_equal(store_set_campaign(w->store, id, &settings), RESULT_OK);
	found = find_campaign(w, id);
	assert_true(found.privacy && !found.require_key && found.ends_ms == -1 && found.jump_start == 0);
	assert_false(slice_present(found.landing_url));
	assert_int_equal(store_find_campaign(w->store, w->pool, NOBODY, &found, &now_ms), RESULT_NOT_FOUND);
}

static void
campaigns_are_listed_by_account(void **state)
{
	struct world *w = *state;
	struct campaign *rows;
	size_t count, all;
	int64_t now_ms;
	uint64_t second = add_campaign(w);
	assert_int_equal(store_list_campaigns(w->store, w->pool, w->account, &rows, &count, &now_ms), RESULT_OK);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].id, w->campaign);
	assert_int_equal(rows[1].id, second);
	assert_true(now_ms >= rows[1].created_ms);
	assert_int_equal(store_list_campaigns(w->store, w->pool, 0, &rows, &all, &now_ms), RESULT_OK);
	assert_true(all >= 2 && rows[all - 1].id == second);
	assert_int_equal(store_list_campaigns(w->store, w->pool, NOBODY, &rows, &count, &now_ms), RESULT_OK);
	assert_int_equal(count, 0);
}

/* "Ends it now, or opens it again (an end time that has passed is then removed)." */
static void
a_campaign_ends_and_opens_again(void **state)
{
	struct world *w = *state;
	struct campaign_settings settings = plain_campaign();
	assert_int_equal(store_end_campaign(w->store, NOBODY, true), RESULT_NOT_FOUND);
	assert_int_equal(store_end_campaign(w->store, w->campaign, true), RESULT_OK);
	int64_t ended_ms = find_campaign(w, w->campaign).ended_ms;
	assert_true(ended_ms > 0);
	assert_int_equal(store_end_campaign(w->store, w->campaign, true), RESULT_OK);
	assert_true(find_campaign(w, w->campaign).ended_ms == ended_ms);
	assert_int_equal(store_end_campaign(w->store, w->campaign, false), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).ended_ms, -1);
	settings.ends_ms = 5;
	assert_int_equal(store_set_campaign(w->store, w->campaign, &settings), RESULT_OK);
	assert_int_equal(store_end_campaign(w->store, w->campaign, false), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).ends_ms, -1);
	settings.ends_ms = INT64_C(32503680000000);
	assert_int_equal(store_set_campaign(w->store, w->campaign, &settings), RESULT_OK);
	assert_int_equal(store_end_campaign(w->store, w->campaign, false), RESULT_OK);
	assert_true(find_campaign(w, w->campaign).ends_ms == settings.ends_ms);
}

/* Identities are bytes, and of one campaign. */
static void
a_lead_is_found_by_each_identity(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "ada@example.org");
	struct outcome outcome;
	struct lead lead, same;
	uint64_t other = add_campaign(w);
	command.as.signup.phone = SLICE("+14155552671");
	command.as.signup.uid = SLICE("");
	execute(w->store, w->pool, &command, 1, &outcome);
	assert_int_equal(
	    store_find_lead(w->store, w->pool, w->campaign, LEAD_BY_EMAIL, SLICE("ada@example.org"), &lead), RESULT_OK);
	assert_true(lead.subscription_number == 1 && lead.counter == 1 && lead.campaign_id == w->campaign);
	assert_slice(lead.phone, "+14155552671");
	assert_int_equal(
	    store_find_lead(w->store, w->pool, w->campaign, LEAD_BY_PHONE, SLICE("+14155552671"), &same), RESULT_OK);
	assert_int_equal(same.id, lead.id);
	assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, LEAD_BY_SOCIAL_ID, lead.social_id, &same), RESULT_OK);
	assert_int_equal(same.id, lead.id);
	const struct {
		uint64_t campaign;
		enum lead_identity identity;
		struct slice value;
	} strangers[] = {
		{ other, LEAD_BY_EMAIL, SLICE("ada@example.org") },
		{ other, LEAD_BY_PHONE, SLICE("+14155552671") },
		{ other, LEAD_BY_SOCIAL_ID, lead.social_id },
		{ w->campaign, LEAD_BY_EMAIL, SLICE("Ada@example.org") },
		{ w->campaign, LEAD_BY_PHONE, SLICE("14155552671") },
		{ w->campaign, LEAD_BY_SOCIAL_ID, SLICE("") },
		{ w->campaign, LEAD_BY_SOCIAL_ID, SLICE("' OR '1'='1") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
		assert_int_equal(
		    store_find_lead(w->store, w->pool, strangers[i].campaign, strangers[i].identity, strangers[i].value, &same),
		    RESULT_NOT_FOUND);
	assert_int_equal(find_campaign(w, w->campaign).lead_count, 1);
}

static struct webhook_row
only_webhook(struct world *w)
{
	struct webhook_row *rows;
	size_t count;
	assert_int_equal(store_list_webhooks(w->store, w->pool, w->campaign, &rows, &count), RESULT_OK);
	assert_int_equal(count, 1);
	return rows[0];
}

/* delivery.md 1: "same URL again (byte for byte)"; "more than 20 a campaign" */
static void
a_webhook_is_put_by_its_url(void **state)
{
	static const bool form = true;
	struct world *w = *state;
	struct webhook_put put = { .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 1,
		.source = SLICE("crm"),
		.form = &form,
		.secret = SLICE("whsec_one"),
		.maximum = 1 };
	uint64_t id, again;
	bool created;
	assert_int_equal(store_put_webhook(w->store, &put, &id, &created), RESULT_OK);
	assert_true(created);
	put = (struct webhook_put){ .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 6,
		.secret = SLICE("whsec_two"),
		.maximum = 1 };
	assert_int_equal(store_put_webhook(w->store, &put, &again, &created), RESULT_OK);
	assert_false(created);
	assert_true(again == id);
	struct webhook_row row = only_webhook(w);
	assert_true(row.id == id && row.campaign_id == w->campaign && row.events == 6 && row.form);
	assert_true(slice_equal(row.source, SLICE("crm")) && slice_equal(row.secret, SLICE("whsec_one")));
	assert_true(row.state == WEBHOOK_ACTIVE && row.failing_since_ms == -1 && row.last_delivery_ms == -1 && row.status == 0);
	put.url = SLICE("https://A.example/");
	assert_int_equal(store_put_webhook(w->store, &put, &again, &created), RESULT_INVALID);
	put.maximum = 2;
	assert_int_equal(store_put_webhook(w->store, &put, &again, &created), RESULT_OK);
	assert_true(created && again != id);
	put.campaign_id = NOBODY;
	assert_int_equal(store_put_webhook(w->store, &put, &again, &created), RESULT_NOT_FOUND);
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://A.example/")), RESULT_OK);
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://A.example/")), RESULT_NOT_FOUND);
	assert_int_equal(only_webhook(w).id, id);
	assert_int_equal(store_remove_webhook_id(w->store, id), RESULT_OK);
	assert_int_equal(store_remove_webhook_id(w->store, id), RESULT_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhook_status WHERE webhook_id = %" PRIu64, id), 0);
}

static bool
put_one_url(struct store *store, const struct world *world, unsigned index)
{
	char secret[32];
	snprintf(secret, sizeof(secret), "whsec_%u", index);
	struct webhook_put put = { .campaign_id = world->campaign,
		.url = SLICE("https://a.example/"),
		.events = 1,
		.secret = slice_of(secret),
		.maximum = 1 };
	bool created = false;
	if (store_put_webhook(store, &put, &shared[index], &created) != RESULT_OK)
		return false;
	shared[PROCESSES_MAX + index] = created;
	return true;
}

static bool
put_own_url(struct store *store, const struct world *world, unsigned index)
{
	char url[64];
	snprintf(url, sizeof(url), "https://a.example/%u", index);
	struct webhook_put put = {
		.campaign_id = world->campaign, .url = slice_of(url), .events = 1, .secret = SLICE("whsec_one"), .maximum = 3
	};
	bool created;
	enum result result = store_put_webhook(store, &put, &shared[index], &created);
	return result == RESULT_OK || result == RESULT_INVALID;
}

static void
webhooks_put_at_once_are_one_and_keep_the_maximum(void **state)
{
	enum { PROCESSES = 8 };
	struct world *w = *state;
	uint64_t created = 0;
	processes_start(w, PROCESSES, put_one_url);
	assert_true(processes_end());
	for (size_t i = 0; i < PROCESSES; i++) {
		assert_true(shared[i] == only_webhook(w).id);
		created += shared[PROCESSES_MAX + i];
	}
	assert_int_equal(created, 1);
	processes_start(w, PROCESSES, put_own_url);
	assert_true(processes_end());
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhooks WHERE campaign_id = %" PRIu64, w->campaign), 3);
}

static size_t
count_deliveries(struct world *w, struct delivery_filter filter)
{
	struct delivery_row *rows;
	size_t count;
	assert_int_equal(store_list_deliveries(w->store, w->pool, &filter, &rows, &count), RESULT_OK);
	for (size_t i = 1; i < count; i++)
		assert_true(rows[i - 1].id > rows[i].id);
	return count;
}

static void
deliveries_are_listed_by_filter(void **state)
{
	struct world *w = *state;
	static const struct delivery_filter any = { .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = 100 };
	struct delivery_filter filter = any;
	uint64_t hook = add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t all = add_webhook(w, w->campaign, "https://b.example/", 3);
	struct lead lead;
	sign_up_many(w, "lead", 3);
	sign_up_many(w, "lead", 1);
	assert_int_equal(
	    store_find_lead(w->store, w->pool, w->campaign, LEAD_BY_EMAIL, SLICE("lead0@example.org"), &lead), RESULT_OK);
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
	filter.limit = 1; /* counts what passes the filter */
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
	assert_int_equal(after.accounts - before.accounts, 0);
	assert_int_equal(after.campaigns - before.campaigns, 1);
	assert_int_equal(after.leads - before.leads, 3);
	assert_int_equal(after.webhooks - before.webhooks, 2);
	assert_int_equal(after.due_now - before.due_now, 2);
	assert_int_equal(after.due_later - before.due_later, 1);
	assert_in_range(after.oldest_due_ms, 1, after.now_ms);
	assert_int_equal(after.schema_version, store_schema_wanted());
	assert_true(slice_present(after.server_version));
}

static void
payload_settings_are_read_once(void **state)
{
	struct world *w = *state;
	const struct payload_settings *settings;
	assert_int_equal(store_payload_settings(w->store, &settings), RESULT_OK);
	assert_slice(settings->base_url, "https://lead.example");
	assert_int_equal(settings->server_secret.size, 32);
	int64_t before = root_questions();
	assert_int_equal(store_payload_settings(w->store, &settings), RESULT_OK);
	assert_int_equal(root_questions(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(installing_twice_is_safe),
		WORLD_TEST(an_install_that_was_killed_is_started_again),
		WORLD_TEST(a_newer_database_is_refused),
		WORLD_TEST(the_check_finds_what_is_wrong),
		WORLD_TEST(no_database_is_unavailable),
		WORLD_TEST(accounts_are_listed_in_order),
		WORLD_TEST(a_key_is_found_until_it_is_revoked),
		WORLD_TEST(a_campaign_keeps_its_settings),
		WORLD_TEST(campaigns_are_listed_by_account),
		WORLD_TEST(a_campaign_ends_and_opens_again),
		WORLD_TEST(a_lead_is_found_by_each_identity),
		WORLD_TEST(a_webhook_is_put_by_its_url),
		WORLD_TEST(webhooks_put_at_once_are_one_and_keep_the_maximum),
		WORLD_TEST(deliveries_are_listed_by_filter),
		WORLD_TEST(the_status_counts),
		WORLD_TEST(payload_settings_are_read_once),
	};
	return WORLD_MAIN(tests);
}
