/* SPDX-License-Identifier: MIT
 * Installation, keys, leads and webhooks: the functions of the API with their documented results. Operators, batches and the
 * dispatcher have tests of their own. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "captured_log.h"
#include "engine/events.h"
#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
#include "store/operator/upgrade.h"
#include "store/queue/shards.h"
#include "store/schema.h"
#include "world.h"

/* The number of tables with a prefix. */
/* docs/architecture.md 9: programs refuse another version of the schema, also when they started without the database. */
static void
nothing_is_changed_on_another_schema(void **state)
{
	static const unsigned char owner[DISPATCH_OWNER_SIZE] = "the dispatcher!";
	struct world *w = *state;
	struct store *store = store_with_prefix("foreign_");
	const struct payload_settings *settings;
	struct command command = signup(w, w->campaign, "a@example.org");
	struct outcome outcome;
	uint32_t from;
	uint64_t id, held;
	bool created;
	struct webhook_put put = {
		.campaign_id = 1, .url = SLICE("https://a.example/"), .secret = SLICE("whsec_"), .maximum = 1
	};
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	root_run("INSERT INTO foreign_campaigns (id, account_id, name, created_ms) VALUES (1, 1, '', 0)");
	root_run("INSERT INTO foreign_campaign_counters (campaign_id) VALUES (1)");
	root_run("INSERT INTO foreign_schema_version VALUES (%u, 0)", store_schema_wanted() + 1);
	capture_log();
	execute(store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_INTERNAL);
	assert_int_equal(store_payload_settings(store, &settings), RESULT_FAILED);
	assert_int_equal(store_put_webhook(store, NULL, &put, &id, &created), RESULT_FAILED);
	assert_int_equal(store_shards_lease(store, owner, 1000, &held), RESULT_FAILED);
	assert_int_equal(store_recover(store, owner, NULL, 0), RESULT_FAILED);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " error test["), 1);
	assert_non_null(strstr(log, pool_printf(w->pool, " wrong_schema found=%u wanted=%u hint=\"install the newer version",
					store_schema_wanted() + 1, store_schema_wanted())
					.data));
	assert_int_equal(root_number("SELECT COUNT(*) FROM foreign_webhooks"), 0);
	assert_int_equal(root_number("SELECT COUNT(owner) FROM foreign_dispatch_shards"), 0);
	root_run("DELETE FROM foreign_schema_version WHERE version > %u", store_schema_wanted());
	assert_int_equal(store_payload_settings(store, &settings), RESULT_OK);
	assert_int_equal(store_put_webhook(store, NULL, &put, &id, &created), RESULT_OK);
	assert_int_equal(store_shards_lease(store, owner, 1000, &held), RESULT_OK);
	store_free(&store);
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
	assert_int_equal(store_add_account(store, NULL, SLICE("A"), &id), RESULT_UNAVAILABLE);
	execute(store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_UNAVAILABLE);
	store_free(&store);
}

/* docs/api.md 3: found by its hash until it is revoked; its last use is recorded to the hour. */
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
	struct new_key added = { UNKNOWN_ID, SLICE("Key"), { 0 }, RIGHTS_FULL_KEY, -1, NULL, 0 };
	memcpy(added.hash, hash, sizeof(hash));
	assert_int_equal(store_add_key(w->store, NULL, &added, INT64_MAX, &id), RESULT_NOT_FOUND);
	added.account_id = w->account;
	assert_int_equal(store_add_key(w->store, NULL, &added, INT64_MAX, &id), RESULT_OK);
	assert_int_equal(store_find_key(w->store, other, &key), RESULT_NOT_FOUND);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_OK);
	assert_int_equal(key.id, id);
	assert_int_equal(key.account_id, w->account);
	assert_int_equal(key.rights, RIGHTS_FULL_KEY);
	assert_true(api_key_covers(&key, UNKNOWN_ID));
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
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, LIST_ALL, &rows, &count), RESULT_OK);
	assert_int_equal(count, 1);
	assert_slice(rows->name, "Key");
	assert_int_equal(rows->revoked_ms, -1);
	assert_int_equal(store_revoke_key(w->store, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(store_revoke_key(w->store, id), RESULT_OK);
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, LIST_ALL, &rows, &count), RESULT_OK);
	int64_t revoked_ms = rows->revoked_ms;
	assert_true(revoked_ms > 0);
	assert_int_equal(store_revoke_key(w->store, id), RESULT_OK);
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, LIST_ALL, &rows, &count), RESULT_OK);
	assert_true(rows->revoked_ms == revoked_ms);
	assert_int_equal(store_find_key(w->store, hash, &key), RESULT_NOT_FOUND);
	assert_int_equal(store_list_keys(w->store, w->pool, UNKNOWN_ID, LIST_ALL, &rows, &count), RESULT_OK);
	assert_int_equal(count, 0);
}

/* docs/manage.md 2: rights, campaigns of its account, and an expiry. */
static void
a_key_may_be_limited(void **state)
{
	struct world *w = *state;
	const uint64_t own = w->campaign, foreign = UNKNOWN_ID;
	struct new_key added = { w->account, SLICE("Key"), { 2, 7 }, RIGHT_STATS | RIGHT_LEADS, -1, &foreign, 1 };
	struct api_key key;
	struct api_key_row *rows;
	size_t count;
	uint64_t id;
	memcpy(added.hash + 8, &w->account, sizeof(w->account));
	assert_int_equal(store_add_key(w->store, NULL, &added, INT64_MAX, &id), RESULT_REFUSED);
	added.campaigns = &own;
	assert_int_equal(store_add_key(w->store, NULL, &added, INT64_MAX, &id), RESULT_OK);
	assert_int_equal(store_find_key(w->store, added.hash, &key), RESULT_OK);
	assert_int_equal(key.rights, RIGHT_STATS | RIGHT_LEADS);
	assert_true(api_key_covers(&key, own));
	assert_false(api_key_covers(&key, foreign));
	assert_int_equal(store_list_keys(w->store, w->pool, w->account, LIST_ALL, &rows, &count), RESULT_OK);
	assert_int_equal(rows[count - 1].rights, key.rights);
	assert_slice(rows[count - 1].campaigns, pool_printf(w->pool, "%" PRIu64, own).data);
	root_run("UPDATE t_api_keys SET expires_ms = %" PRIi64 " WHERE id = %" PRIu64, key.now_ms + 3600000, id);
	assert_int_equal(store_find_key(w->store, added.hash, &key), RESULT_OK);
	root_run("UPDATE t_api_keys SET expires_ms = %" PRIi64 " WHERE id = %" PRIu64, key.now_ms, id);
	assert_int_equal(store_find_key(w->store, added.hash, &key), RESULT_NOT_FOUND);
}

/* Identities are bytes, and belong to one campaign. */
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
	lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org");
	assert_true(lead.subscription_number == 1 && lead.counter == 1 && lead.campaign_id == w->campaign);
	assert_slice(lead.phone, "+14155552671");
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_PHONE, "+14155552671").id, lead.id);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_SOCIAL_ID, lead.social_id.data).id, lead.id);
	struct lead_reference by_id = { .identity = LEAD_BY_ID, .id = lead.id };
	assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, &by_id, &same), RESULT_OK);
	assert_slice(same.email, "ada@example.org");
	assert_int_equal(store_find_lead(w->store, w->pool, other, &by_id, &same), RESULT_NOT_FOUND);
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
	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++) {
		struct lead_reference reference = { .identity = strangers[i].identity, .value = strangers[i].value };
		assert_int_equal(
		    store_find_lead(w->store, w->pool, strangers[i].campaign, &reference, &same), RESULT_NOT_FOUND);
	}
	assert_int_equal(find_campaign(w, w->campaign).counters.leads, 1);
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

/* docs/api.md 4.1.7: the same URL again; docs/api.md 1.3: more than 20 webhooks of a campaign */
static void
a_webhook_is_put_by_its_url(void **state)
{
	struct world *w = *state;
	struct webhook_put put = { .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 1,
		.source = SLICE("crm"),
		.format = FORMAT_FORM,
		.secret = SLICE("whsec_one"),
		.maximum = 1 };
	uint64_t id, again;
	bool created;
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &id, &created), RESULT_OK);
	assert_true(created);
	put = (struct webhook_put){ .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 6,
		.secret = SLICE("whsec_two"),
		.maximum = 1 };
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &again, &created), RESULT_OK);
	assert_false(created);
	assert_true(again == id);
	struct webhook_row row = only_webhook(w);
	assert_true(row.id == id && row.campaign_id == w->campaign && row.events == 6 && row.form);
	assert_slice(row.source, "crm");
	assert_int_equal(root_number("SELECT secret = 'whsec_one' FROM t_webhooks WHERE id = %" PRIu64, id), 1);
	assert_true(row.state == WEBHOOK_ACTIVE && row.failing_since_ms == -1 && row.last_delivery_ms == -1 && row.status == 0);
	put.url = SLICE("https://A.example/");
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &again, &created), RESULT_TOO_MANY);
	put.maximum = 2;
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &again, &created), RESULT_OK);
	assert_true(created && again != id);
	put.campaign_id = UNKNOWN_ID;
	assert_int_equal(store_put_webhook(w->store, NULL, &put, &again, &created), RESULT_NOT_FOUND);
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://A.example/")), RESULT_OK);
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://A.example/")), RESULT_NOT_FOUND);
	assert_int_equal(only_webhook(w).id, id);
	assert_int_equal(store_remove_webhook_id(w->store, NULL, id), RESULT_OK);
	assert_int_equal(store_remove_webhook_id(w->store, NULL, id), RESULT_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhook_status WHERE webhook_id = %" PRIu64, id), 0);
}

/* docs/deliveries.md 3, 410: registering the same URL again activates it; a disabled one stays disabled */
static void
a_gone_webhook_is_activated_by_its_url(void **state)
{
	static const struct {
		const char *from;
		enum webhook_state to;
	} cases[] = { { "gone", WEBHOOK_ACTIVE }, { "disabled", WEBHOOK_DISABLED }, { "active", WEBHOOK_ACTIVE } };
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1), again;
	const struct webhook_put put = { .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 2,
		.secret = SLICE("whsec_two"),
		.maximum = 1 };
	bool created;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		root_run("UPDATE t_webhooks SET state = '%s' WHERE id = %" PRIu64, cases[i].from, id);
		root_run("UPDATE t_webhook_status SET failures = 6, failing_since_ms = 5 WHERE webhook_id = %" PRIu64, id);
		assert_int_equal(store_put_webhook(w->store, NULL, &put, &again, &created), RESULT_OK);
		assert_false(created);
		assert_true(again == id);
		struct webhook_row row = only_webhook(w);
		assert_int_equal(row.state, cases[i].to);
		assert_int_equal(row.failing_since_ms, i == 0 ? -1 : 5);
		assert_int_equal(row.events, 2);
	}
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
	if (store_put_webhook(store, NULL, &put, &shared[index], &created) != RESULT_OK)
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
	enum result result = store_put_webhook(store, NULL, &put, &shared[index], &created);
	return result == RESULT_OK || result == RESULT_TOO_MANY;
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
		WORLD_TEST(nothing_is_changed_on_another_schema),
		WORLD_TEST(no_database_is_unavailable),
		WORLD_TEST(a_key_is_found_until_it_is_revoked),
		WORLD_TEST(a_key_may_be_limited),
		WORLD_TEST(a_lead_is_found_by_each_identity),
		WORLD_TEST(a_webhook_is_put_by_its_url),
		WORLD_TEST(a_gone_webhook_is_activated_by_its_url),
		WORLD_TEST(webhooks_put_at_once_are_one_and_keep_the_maximum),
		WORLD_TEST(payload_settings_are_read_once),
	};
	return WORLD_MAIN(tests);
}
