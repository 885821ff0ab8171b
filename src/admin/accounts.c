/* SPDX-License-Identifier: MIT
 * Accounts and their API keys. */
#include <string.h>
#include <sysexits.h>

#include "admin/commands.h"
#include "base/random.h"
#include "identity/api_key.h"
#include "limit/rule.h"
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
	struct account_row *accounts;
	size_t count;
	enum result result = store_list_accounts(call->store, call->pool, &accounts, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", accounts[i].id);
		output_text(call->output, "name", accounts[i].name);
		output_time(call->output, "created_at", accounts[i].created_ms);
		output_time(call->output, "suspended_at", accounts[i].suspended_ms);
		if (accounts[i].per_minute < 0)
			output_text(call->output, "per_minute", SLICE_NONE);
		else
			output_i64(call->output, "per_minute", accounts[i].per_minute);
	}
	return EX_OK;
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

int
admin_key_add(struct admin_call *call)
{
	const char *option = call->options[OPTION_NAME];
	struct slice name = option == NULL ? SLICE("default") : slice_of(option);
	unsigned char random[API_KEY_RANDOM];
	uint64_t id;
	if (!admin_name(call, name))
		return EX_DATAERR;
	random_bytes(random, sizeof(random));
	struct slice key = api_key_make(call->pool, random);
	explicit_bzero(random, sizeof(random));
	struct digest hash = api_key_hash(key);
	enum result result = store_add_key(call->store, call->id, name, hash.bytes, &id);
	int status = admin_answer_id(call, result, id);
	if (status != EX_OK)
		return status;
	output_text(call->output, "name", name);
	output_text(call->output, "key", key);
	return EX_OK;
}

int
admin_key_list(struct admin_call *call)
{
	struct api_key_row *keys;
	size_t count;
	enum result result = store_find_account(call->store, call->id);
	if (result == RESULT_OK)
		result = store_list_keys(call->store, call->pool, call->id, &keys, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", keys[i].id);
		output_text(call->output, "name", keys[i].name);
		output_time(call->output, "created_at", keys[i].created_ms);
		output_time(call->output, "last_used_at", keys[i].last_used_ms);
		output_time(call->output, "revoked_at", keys[i].revoked_ms);
	}
	return EX_OK;
}

int
admin_key_revoke(struct admin_call *call)
{
	return admin_answer_id(call, store_revoke_key(call->store, call->id), call->id);
}
