/* SPDX-License-Identifier: MIT
 * Inbound webhooks of a campaign (docs/inbound.md 1, 3). */
#include <sysexits.h>

#include "admin/operations.h"
#include "identity/api_key.h"
#include "operation/wiring.h"
#include "webhook/mapping.h"

static struct slice
url_of(struct admin_call *call, uint64_t campaign_id, struct slice token)
{
	return inbound_url(call->pool, slice_of(call->conf->server.base_url), campaign_id, token);
}

/* Reads --map, of which one empty value means none. Returns 0, or a status after reporting the error. */
static int
read_map(struct admin_call *call, struct inbound_put *put)
{
	struct payload_map map = { .count = 0 };
	put->set_map = call->texts[ADMIN_MAPS].count > 0;
	for (size_t i = 0; i < call->texts[ADMIN_MAPS].count; i++) {
		const struct slice text = slice_of(call->texts[ADMIN_MAPS].items[i]);
		const size_t equals = slice_find(text, '=');
		const struct slice target = slice_sub(text, 0, equals), path = slice_sub(text, equals + 1, text.size);
		if (call->texts[ADMIN_MAPS].count == 1 && text.size == 0)
			return EX_OK;
		if (equals == text.size)
			return admin_fail_option(call, PROBLEM_INVALID, OPTION_MAP, "expected PARAMETER=PATH, not %s",
			    call->texts[ADMIN_MAPS].items[i]);
		const char *problem = mapping_check(target, path);
		if (problem == NULL)
			problem = mapping_add(call->pool, &map, target, path);
		if (problem != NULL)
			return admin_fail_option(
			    call, PROBLEM_INVALID, OPTION_MAP, "%s %s", call->texts[ADMIN_MAPS].items[i], problem);
	}
	put->map = mapping_write(call->pool, &map);
	return EX_OK;
}

/* Reads --tag, of which 0 means none. Returns 0, or a status after reporting the error. */
static int
read_tag(struct admin_call *call, struct inbound_put *put)
{
	const char *text = call->options[OPTION_TAG];
	struct definitions definitions;
	put->set_tag = text != NULL;
	if (text == NULL || slice_equal(slice_of(text), SLICE("0")))
		return EX_OK;
	if (!admin_id(call, text, "tag", &put->tag_id))
		return EX_DATAERR;
	const enum result result = store_find_definitions(call->store, call->pool, put->campaign_id, &definitions);
	if (result == RESULT_OK && definitions_tag(&definitions, put->tag_id) == NULL)
		return admin_fail(call, PROBLEM_INVALID, "the campaign has no tag %s", text);
	return admin_answer(call, result);
}

/* Adds or changes the webhook. *fresh: it was added, with the token. Returns 0, or a status after reporting the error. */
static int
put(struct admin_call *call, struct inbound_put *put, struct slice token, uint64_t *id, bool *fresh)
{
	const struct digest hash = api_key_hash(token);
	put->source = slice_of(call->options[OPTION_SOURCE]);
	put->hash = hash.bytes;
	put->maximum = call->conf->limits.inbound_per_campaign;
	int status = read_map(call, put);
	if (status == EX_OK)
		status = read_tag(call, put);
	if (status != EX_OK)
		return status;
	const enum result result = store_put_inbound(call->store, put, id, fresh);
	if (result == RESULT_TOO_MANY)
		return admin_fail(call, PROBLEM_CONFLICT,
		    "the campaign has %zu inbound webhooks already (limits.inbound_per_campaign)", put->maximum);
	return admin_answer(call, result);
}

int
admin_inbound_add(struct admin_call *call)
{
	const struct slice token = inbound_token_make(call->pool);
	struct inbound_put wanted = { .campaign_id = call->id, .name = slice_of(call->operands[1]) };
	bool fresh;
	uint64_t id;
	if (!admin_name(call, wanted.name))
		return EX_DATAERR;
	const int status = put(call, &wanted, token, &id, &fresh);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	output_u64(call->output, "id", id);
	output_secret(call->output, "url", fresh ? url_of(call, wanted.campaign_id, token) : SLICE_NONE);
	if (!fresh)
		admin_warn(call, "the campaign has an inbound webhook of this name: it is changed, and its URL stays");
	return EX_OK;
}

static void
add_webhook(struct admin_call *call, const struct inbound_webhook *webhook)
{
	output_record(call->output);
	output_u64(call->output, "id", webhook->id);
	output_text(call->output, "name", webhook->name);
	output_u64_or_null(call->output, "tag_id", webhook->tag_id);
	output_text(call->output, "source", webhook->source);
	output_u64(call->output, "calls", webhook->calls);
	output_u64(call->output, "created", webhook->created);
	output_u64(call->output, "updated", webhook->updated);
	output_u64(call->output, "refused", webhook->refused);
	output_u64(call->output, "stored", webhook->stored);
	output_time(call->output, "last_call_at", webhook->last_call_ms);
	output_time(call->output, "previous_url_until", webhook->previous_until_ms);
	output_json(call->output, "map", slice_present(webhook->map) ? webhook->map : SLICE("{}"));
}

int
admin_inbound_list(struct admin_call *call)
{
	struct inbound_webhook *webhooks;
	struct campaign campaign;
	size_t count;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_list_inbound(call->store, call->pool, call->id, &webhooks, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++)
		add_webhook(call, &webhooks[i]);
	return EX_OK;
}

int
admin_inbound_show(struct admin_call *call)
{
	struct inbound_webhook webhook;
	const enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	add_webhook(call, &webhook);
	output_u64(call->output, "campaign", webhook.campaign_id);
	output_u64(call->output, "stored_bytes", webhook.stored_bytes);
	output_time(call->output, "created_at", webhook.created_ms);
	return EX_OK;
}

int
admin_inbound_set(struct admin_call *call)
{
	struct inbound_webhook webhook;
	bool fresh;
	uint64_t id;
	const enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	struct inbound_put wanted = { .id = webhook.id, .campaign_id = webhook.campaign_id };
	const int status = put(call, &wanted, inbound_token_make(call->pool), &id, &fresh);
	return status == EX_OK ? admin_inbound_show(call) : status;
}

int
admin_inbound_rotate(struct admin_call *call)
{
	const struct slice token = inbound_token_make(call->pool);
	const struct digest hash = api_key_hash(token);
	struct inbound_webhook webhook;
	enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result == RESULT_OK)
		result = store_rotate_inbound(call->store, call->id, hash.bytes, call->options[OPTION_NOW] == NULL);
	/* a URL that may be in use is shown, because no other command shows it */
	if (result == RESULT_OK || result == RESULT_UNKNOWN) {
		output_record(call->output);
		output_u64(call->output, "id", call->id);
		output_secret(call->output, "url", url_of(call, webhook.campaign_id, token));
	}
	if (result == RESULT_UNKNOWN)
		return admin_fail(call, PROBLEM_UNCERTAIN,
		    "the connection was lost: the webhook may have the new URL; try it before you rotate again");
	return admin_answer(call, result);
}

int
admin_inbound_remove(struct admin_call *call)
{
	return admin_answer_id(call, store_remove_inbound(call->store, call->id), call->id);
}
