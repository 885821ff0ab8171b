/* SPDX-License-Identifier: MIT
 * Accounts and their API keys. */
#include <string.h>

#include "identity/random_secret.h"
#include "identity/rights.h"
#include "limit/window.h"
#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/operator/accounts.h"

static const struct parameter add_parameters[] = { OPERAND("name", value_name, 0) };

static int
run_account_add(struct operation_call *call)
{
	const struct slice name = *ARGUMENTS(call, struct slice);
	uint64_t id;
	const enum result result = store_add_account(call->store, &call->precondition, name, &id);
	const int status = operation_answer_id(call, result, id);
	if (status == EX_OK)
		output_text(call->output, "name", name);
	return status;
}

static int
run_account_list(struct operation_call *call)
{
	const uint64_t own = caller_account(call->caller);
	struct account_row *accounts;
	struct list_part part = value_large_part(call);
	size_t count;
	if (own != 0) /* the only account that the caller may see */
		part = (struct list_part){ .after = part.after < own ? own - 1 : own, .limit = 1 };
	enum result result = store_list_accounts(call->store, call->pool, part, &accounts, &count);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (own == 0 && count == part.limit)
		operation_next_id(call, accounts[count - 1].id);
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

static const struct parameter setting_rows[] = { SETTING("time_zone", value_time_zone, 0) };
static const struct settings_table settings_table = SETTINGS_OF(setting_rows, struct slice, "an account");

static int
run_account_set(struct operation_call *call)
{
	struct slice time_zone;
	settings_assign(call, &time_zone);
	return operation_answer_id(call, store_set_time_zone(call->store, call->id, time_zone), call->id);
}

/* Suspends the account if the variant is true; otherwise resumes it. */
static int
run_account_suspend(struct operation_call *call)
{
	const enum result result = call->operation->variant ? store_suspend_account(call->store, call->id)
							    : store_resume_account(call->store, call->id);
	return operation_answer_id(call, result, call->id);
}

static bool
parse_per_minute(struct value_reading *reading, struct slice text, void *place)
{
	uint64_t per_minute = 0;
	const bool by_default = slice_equal(text, SLICE("default")), valid = slice_to_u64(text, LIMIT_MAX, &per_minute);
	*(int64_t *)place = by_default ? -1 : (int64_t)per_minute; /* the values that store_limit_account takes */
	reading->message = pool_printf(
	    reading->pool, "expected default or a number of calls from 0 to %d, not %.*s", LIMIT_MAX, SLICE_ARGS(text));
	return by_default || valid;
}
static const struct value_type value_per_minute = { .parse = parse_per_minute };
static const struct parameter limit_parameters[] = { OPERAND("per_minute", value_per_minute, 0) };

static int
run_account_limit(struct operation_call *call)
{
	return operation_answer_id(call, store_limit_account(call->store, call->id, *ARGUMENTS(call, int64_t)), call->id);
}

/* ---- keys ---- */

static bool
parse_rights(struct value_reading *reading, struct slice text, void *place)
{
	return rights_parse(text, place, &reading->invalid);
}
static const struct value_type value_rights = { .parse = parse_rights,
	.expected = "ingest, stats, leads, change, hooks, manage, account, several with commas, or full, numbers, viewer, all",
	.form = VALUE_LIST };

static bool
parse_campaigns(struct value_reading *reading, struct slice text, void *place)
{
	struct new_key *key = place;
	struct slice item;
	uint64_t *ids = POOL_ARRAY(reading->pool, KEY_CAMPAIGNS_MAX, uint64_t);
	key->campaigns = ids;
	while (slice_next_item(&text, &item))
		if (key->campaign_count == KEY_CAMPAIGNS_MAX || !value_is_id(item, &ids[key->campaign_count++]))
			return false;
	return key->campaign_count > 0;
}
static const struct value_type value_key_campaigns = { .parse = parse_campaigns,
	.expected = "ids of campaigns, with commas, at most 32",
	.form = VALUE_LIST,
	.empty_array = CAMPAIGNS_IN_ARRAY };

#define PLACE(member) offsetof(struct new_key, member)
static const struct parameter key_parameters[] = {
	OPTION("name", value_name, PLACE(name)),
	OPTION("rights", value_rights, PLACE(rights)),
	OPTION("campaigns", value_key_campaigns, 0),
	OPTION("expires", value_time, PLACE(expires_ms)),
};
#undef PLACE
static const struct new_key key_defaults = { .name = SLICE("default"), .rights = RIGHTS_FULL_KEY, .expires_ms = -1 };

/* A new key has no more rights than its creator, and expires no later than the key that creates it. Returns false after
 * reporting an error. */
static bool
grant(struct operation_call *call, struct new_key *key)
{
	const int64_t end_ms = call->caller == NULL ? 0 : call->caller->expires_ms;
	if (end_ms > 0 && key->expires_ms < 0)
		key->expires_ms = end_ms;
	if (end_ms > 0 && key->expires_ms > end_ms) {
		operation_fail_value(call, PROBLEM_FORBIDDEN, "expires", "a key does not outlive the key that makes it");
		return false;
	}
	if ((key->rights & ~caller_rights(call->caller)) != 0) {
		operation_fail(call, PROBLEM_FORBIDDEN, "a key cannot have rights that its maker does not have");
		return false;
	}
	return true;
}

static void
output_rights(struct output *output, struct pool *pool, rights set)
{
	size_t count;
	const struct slice *words = rights_words(pool, set, &count);
	output_texts(output, "rights", words, count);
}

static int
run_key_add(struct operation_call *call)
{
	struct new_key key = *ARGUMENTS(call, struct new_key);
	uint64_t id;
	key.account_id = call->id;
	if (!grant(call, &key))
		return EX_NOPERM;
	const struct slice secret = secret_make(call->pool, SECRET_API_KEY);
	const struct digest hash = secret_hash(secret);
	memcpy(key.hash, hash.bytes, sizeof(key.hash));
	const enum result result = store_add_key(
	    call->store, &call->precondition, &key, operation_maximum(call, call->conf->limits.keys_per_account), &id);
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_CONFLICT, TOO_MANY_IN_ACCOUNT("keys"));
	if (result == RESULT_REFUSED)
		return operation_fail_value(call, PROBLEM_INVALID, "campaigns", "the account has no campaign of these ids");
	const int status = operation_answer_id(call, result, id);
	if (status != EX_OK)
		return status;
	output_text(call->output, "name", key.name);
	output_secret(call->output, "key", secret);
	return EX_OK;
}

static int
run_key_list(struct operation_call *call)
{
	struct api_key_row *keys;
	const struct list_part part = value_large_part(call);
	size_t count;
	enum result result = store_find_account(call->store, call->id);
	if (result == RESULT_OK)
		result = store_list_keys(call->store, call->pool, call->id, part, &keys, &count);
	if (result == RESULT_OK && count == part.limit)
		operation_next_id(call, keys[count - 1].id);
	for (size_t i = 0; result == RESULT_OK && i < count; i++) {
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
	return operation_answer(call, result);
}

static int
run_key_revoke(struct operation_call *call)
{
	return operation_answer_id(call, store_revoke_key(call->store, call->id), call->id);
}

OPERATION(account_add, "account add", "NAME", "add an account", run_account_add, PARAMETERS(add_parameters, struct slice),
    HTTP(POST, "accounts", RIGHT_ACCOUNT), .audience = FOR_OPERATORS, .effect = CREATES);
OPERATION(account_list, "account list", "[--limit N] [--after N]", "list the accounts", run_account_list,
    PARAMETERS(value_large_part_parameters, struct list_part), .shape = OUTPUT_ARRAY,
    HTTP(GET, "accounts", RIGHT_STATS | RIGHT_ACCOUNT));
OPERATION(account_set, "account set", "ACCOUNT SETTING=VALUE...", "change settings of an account", run_account_set,
    .subject = &subject_account, .settings = &settings_table, HTTP(PATCH, "accounts/{account}", RIGHT_ACCOUNT),
    .effect = CHANGES);
OPERATION(account_suspend, "account suspend", "ACCOUNT", "refuse all calls on its campaigns", run_account_suspend,
    .variant = true, .subject = &subject_account, HTTP(POST, "accounts/{account}/suspend", RIGHT_ACCOUNT),
    .audience = FOR_OPERATORS, .effect = CHANGES);
OPERATION(account_resume, "account resume", "ACCOUNT", "accept calls on its campaigns again", run_account_suspend,
    .variant = false, .subject = &subject_account, HTTP(POST, "accounts/{account}/resume", RIGHT_ACCOUNT),
    .audience = FOR_OPERATORS, .effect = CHANGES);
OPERATION(account_limit, "account limit", "ACCOUNT PER_MINUTE|default", "set how many calls its keys may make",
    run_account_limit, .subject = &subject_account, PARAMETERS(limit_parameters, int64_t),
    HTTP(POST, "accounts/{account}/limit", RIGHT_ACCOUNT), .audience = FOR_OPERATORS, .effect = CHANGES);
OPERATION(key_add, "key add", "ACCOUNT [--name NAME] [--rights LIST] [--campaigns LIST] [--expires TIME]",
    "add an API key, shown once", run_key_add, .subject = &subject_account, PARAMETERS(key_parameters, struct new_key),
    .defaults = &key_defaults, HTTP(POST, "accounts/{account}/keys", RIGHT_ACCOUNT), .effect = CREATES, .needs_password = true);
OPERATION(key_list, "key list", "ACCOUNT [--limit N] [--after N]", "list the keys of an account", run_key_list,
    .subject = &subject_account, PARAMETERS(value_large_part_parameters, struct list_part), .shape = OUTPUT_ARRAY,
    HTTP(GET, "accounts/{account}/keys", RIGHT_ACCOUNT));
OPERATION(key_revoke, "key revoke", "KEY_ID", "revoke a key", run_key_revoke, .subject = &subject_key,
    HTTP(DELETE, "keys/{key}", RIGHT_ACCOUNT), .effect = CHANGES, .access = ENDS_ACCESS, .needs_password = true);
