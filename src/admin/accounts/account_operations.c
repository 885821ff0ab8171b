/* SPDX-License-Identifier: MIT
 * Accounts and their API keys. */
#include <stddef.h>
#include <string.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "identity/api_key.h"
#include "identity/rights.h"
#include "limit/rule.h"
#include "operation/value_types.h"
#include "os/random.h"
#include "store/operator/admin.h"

int
admin_account_add(struct admin_call *call)
{
	struct slice name = slice_of(call->operands[0]);
	uint64_t id;
	if (!admin_name(call, name))
		return EX_DATAERR;
	enum result result = store_add_account(call->store, name, &id);
	int status = admin_answer_id(call, result, id);
	if (status == EX_OK)
		output_text(call->output, "name", name);
	return status;
}

int
admin_account_list(struct admin_call *call)
{
	const uint64_t own = caller_account(call->caller);
	struct account_row *accounts;
	struct list_part part;
	size_t count;
	if (!values_take_large_part(call, &part))
		return EX_DATAERR;
	if (own != 0) /* the only one that the caller sees */
		part = (struct list_part){ .after = part.after < own ? own - 1 : own, .limit = 1 };
	enum result result = store_list_accounts(call->store, call->pool, part, &accounts, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (own == 0 && count > 0)
		admin_end_part(call, part, count, accounts[count - 1].id);
	for (size_t i = 0; i < count; i++) {
		if (!caller_sees(call->caller, accounts[i].id, 0))
			continue;
		output_record(call->output);
		output_u64(call->output, "id", accounts[i].id);
		output_text(call->output, "name", accounts[i].name);
		output_time(call->output, "created_at", accounts[i].created_ms);
		output_time(call->output, "suspended_at", accounts[i].suspended_ms);
		if (accounts[i].per_minute < 0)
			output_text(call->output, "per_minute", SLICE_NONE);
		else
			output_i64(call->output, "per_minute", accounts[i].per_minute);
		output_text(call->output, "time_zone", accounts[i].time_zone);
	}
	return EX_OK;
}

struct account_settings {
	struct slice time_zone;
};
static const struct value_setting setting_table[] = {
	{ "time_zone", value_time_zone, offsetof(struct account_settings, time_zone),
	    "a time zone such as Europe/Berlin, or nothing for UTC" },
};
const struct value_settings admin_account_settings = { setting_table, ARRAY_SIZE(setting_table), "an account", 0 };

int
admin_account_set(struct admin_call *call)
{
	struct account_settings settings;
	if (!values_apply(call, 1, &settings))
		return EX_DATAERR;
	return admin_answer_id(call, store_set_time_zone(call->store, call->id, settings.time_zone), call->id);
}

/* The variant: whether to suspend it. */
int
admin_account_suspend(struct admin_call *call)
{
	return admin_answer_id(call, store_suspend_account(call->store, call->id, call->command->variant), call->id);
}

int
admin_account_limit(struct admin_call *call)
{
	struct slice text = slice_of(call->operands[1]);
	uint64_t per_minute;
	if (slice_equal(text, SLICE("default")))
		return admin_answer_id(call, store_limit_account(call->store, call->id, -1), call->id);
	if (!slice_to_u64(text, LIMIT_MAX, &per_minute))
		return admin_fail(call, PROBLEM_INVALID, "expected default or a number of calls from 0 to %d, not %s",
		    LIMIT_MAX, call->operands[1]);
	return admin_answer_id(call, store_limit_account(call->store, call->id, (int64_t)per_minute), call->id);
}

/* ---- keys ---- */

static bool
read_rights(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	return rights_parse(text, place, bad);
}

#define PLACE(member) offsetof(struct new_key, member)
static const struct value_option key_options[] = {
	{ OPTION_NAME, value_name, PLACE(name), "1 to 200 characters" },
	{ OPTION_RIGHTS, read_rights, PLACE(rights),
	    "ingest, stats, leads, change, hooks, manage, account, several with commas, or full, numbers, viewer, all" },
	{ OPTION_EXPIRES, value_time, PLACE(expires_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
};

/* Reads --campaigns. Returns false after reporting the error: EX_DATAERR. */
static bool
read_campaigns(struct admin_call *call, struct new_key *key)
{
	struct slice list = slice_of(call->options[OPTION_CAMPAIGNS]), item;
	uint64_t *ids = POOL_ARRAY(call->pool, KEY_CAMPAIGNS_MAX, uint64_t);
	bool good = true;
	key->campaigns = ids;
	while (good && slice_next_item(&list, &item)) {
		good = key->campaign_count < KEY_CAMPAIGNS_MAX && admin_is_id(item, &ids[key->campaign_count]);
		key->campaign_count++;
	}
	if (!good || (call->options[OPTION_CAMPAIGNS] != NULL && key->campaign_count == 0)) {
		admin_fail_option(call, PROBLEM_INVALID, OPTION_CAMPAIGNS, "expected ids of campaigns, with commas, at most %d",
		    KEY_CAMPAIGNS_MAX);
		return false;
	}
	return true;
}

/* A key has no more rights than the caller that makes it, and does not outlive the key that makes it. Returns false after
 * reporting the error. */
static bool
grant(struct admin_call *call, struct new_key *key)
{
	const int64_t end_ms = call->caller == NULL ? 0 : call->caller->expires_ms;
	if (end_ms > 0 && key->expires_ms < 0)
		key->expires_ms = end_ms;
	if (end_ms > 0 && key->expires_ms > end_ms) {
		admin_fail_option(call, PROBLEM_FORBIDDEN, OPTION_EXPIRES, "a key does not outlive the key that makes it");
		return false;
	}
	if ((key->rights & ~caller_rights(call->caller)) != 0) {
		admin_fail(call, PROBLEM_FORBIDDEN, "a key cannot have rights that its maker does not have");
		return false;
	}
	return true;
}

static struct slice
new_secret(struct pool *pool)
{
	unsigned char random[API_KEY_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice secret = api_key_make(pool, random);
	explicit_bzero(random, sizeof(random));
	return secret;
}

static void
output_rights(struct output *output, struct pool *pool, rights set)
{
	size_t count;
	const struct slice *words = rights_words(pool, set, &count);
	output_texts(output, "rights", words, count);
}

int
admin_key_add(struct admin_call *call)
{
	struct new_key key = { .account_id = call->id, .name = SLICE("default"), .rights = RIGHTS_FULL_KEY, .expires_ms = -1 };
	uint64_t id;
	if (!values_take(call, key_options, ARRAY_SIZE(key_options), &key) || !read_campaigns(call, &key))
		return EX_DATAERR;
	if (!grant(call, &key))
		return EX_NOPERM;
	const struct slice secret = new_secret(call->pool);
	const struct digest hash = api_key_hash(secret);
	memcpy(key.hash, hash.bytes, sizeof(key.hash));
	const enum result result =
	    store_add_key(call->store, &key, admin_maximum(call, call->conf->limits.keys_per_account), &id);
	if (result == RESULT_TOO_MANY)
		return admin_fail(call, PROBLEM_CONFLICT, ADMIN_TOO_MANY("keys"));
	if (result == RESULT_INVALID)
		return admin_fail_option(call, PROBLEM_INVALID, OPTION_CAMPAIGNS, "the account has no campaign of these ids");
	const int status = admin_answer_id(call, result, id);
	if (status != EX_OK)
		return status;
	output_text(call->output, "name", key.name);
	output_secret(call->output, "key", secret);
	return EX_OK;
}

int
admin_key_list(struct admin_call *call)
{
	struct api_key_row *keys;
	struct list_part part;
	size_t count;
	if (!values_take_large_part(call, &part))
		return EX_DATAERR;
	enum result result = store_find_account(call->store, call->id);
	if (result == RESULT_OK)
		result = store_list_keys(call->store, call->pool, call->id, part, &keys, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (count > 0)
		admin_end_part(call, part, count, keys[count - 1].id);
	for (size_t i = 0; i < count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", keys[i].id);
		output_text(call->output, "name", keys[i].name);
		output_time(call->output, "created_at", keys[i].created_ms);
		output_time(call->output, "last_used_at", keys[i].last_used_ms);
		output_time(call->output, "revoked_at", keys[i].revoked_ms);
		output_time(call->output, "expires_at", keys[i].expires_ms);
		output_rights(call->output, call->pool, keys[i].rights);
		output_id_list(call->output, "campaigns", keys[i].campaigns);
	}
	return EX_OK;
}

int
admin_key_revoke(struct admin_call *call)
{
	return admin_answer_id(call, store_revoke_key(call->store, call->id), call->id);
}
