/* SPDX-License-Identifier: MIT
 * Inbound webhooks of a campaign (docs/inbound.md 1, 3). */
#include <inttypes.h>

#include "identity/random_secret.h"
#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/hooks/inbound.h"
#include "webhook/mapping.h"

static struct slice
url_of(struct operation_call *call, uint64_t campaign_id, struct slice token)
{
	return inbound_url(call->pool, slice_of(call->conf->server.base_url), campaign_id, token);
}

struct inbound_details {
	struct slice name; /* of a new webhook */
	uint64_t tag_id;   /* 0: none */
	struct slice source;
	struct value_pairs map;
};

static const struct value_type value_details_tag = { NUMBER_TYPE(uint64_t, 0, INT64_MAX), .expected = "the id of a tag, or 0",
	.noun = "tag", .kind = OWNED_TAG };
static const struct value_type value_map = { .parse = value_parse_pair, .form = VALUE_PAIRS };
#define PLACE(member) offsetof(struct inbound_details, member)
#define DETAILS                                                                                       \
	OPTION("tag", value_details_tag, PLACE(tag_id)), OPTION("source", value_text, PLACE(source)), \
	    OPTION("map", value_map, PLACE(map))
static const struct parameter add_parameters[] = { OPERAND("name", value_name, PLACE(name)), DETAILS };
static const struct parameter set_parameters[] = { DETAILS };
#undef PLACE

/* Reads the map; a single empty value means none. Returns 0, or a status after reporting the error. */
static int
read_map(struct operation_call *call, const struct value_pairs *given, struct inbound_put *put)
{
	struct payload_map map = { .count = 0 };
	put->set_map = given->count > 0;
	for (size_t i = 0; i < given->count; i++) {
		const struct value_pair *pair = &given->items[i];
		const struct slice text = value_pair_text(call->pool, pair);
		if (given->count == 1 && text.size == 0)
			return EX_OK;
		if (!slice_present(pair->value))
			return operation_fail_value(
			    call, PROBLEM_INVALID, "map", "expected PARAMETER=PATH, not %.*s", SLICE_ARGS(text));
		const char *problem = mapping_check(pair->name, pair->value);
		if (problem == NULL)
			problem = mapping_add(call->pool, &map, pair->name, pair->value);
		if (problem != NULL)
			return operation_fail_value(call, PROBLEM_INVALID, "map", "%.*s %s", SLICE_ARGS(text), problem);
	}
	put->map = mapping_write(call->pool, &map);
	return EX_OK;
}

/* Checks that the campaign has the tag, if one is given. Returns 0, or a status after reporting the error. */
static int
check_tag(struct operation_call *call, const struct inbound_put *put)
{
	struct definitions definitions;
	if (put->tag_id == 0)
		return EX_OK;
	const enum result result = store_find_definitions(call->store, call->pool, put->campaign_id, &definitions);
	if (result == RESULT_OK && definitions_tag(&definitions, put->tag_id) == NULL)
		return operation_fail(call, PROBLEM_INVALID, "the campaign has no tag %" PRIu64, put->tag_id);
	return operation_answer(call, result);
}

/* Adds or changes the webhook. *fresh: whether it was added, with the token. Returns 0, or a status after reporting an error.
 */
static int
put(struct operation_call *call, struct inbound_put *put, struct slice token, uint64_t *id, bool *fresh)
{
	const struct inbound_details *details = ARGUMENTS(call, struct inbound_details);
	const struct digest hash = secret_hash(token);
	put->source = details->source;
	put->set_tag = parameter_is_given(call, "tag");
	put->tag_id = details->tag_id;
	put->hash = hash.bytes;
	put->maximum = call->conf->limits.inbound_per_campaign;
	int status = read_map(call, &details->map, put);
	if (status == EX_OK)
		status = check_tag(call, put);
	if (status != EX_OK)
		return status;
	const enum result result = store_put_inbound(call->store, &call->precondition, put, id, fresh);
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_CONFLICT,
		    "the campaign has %zu inbound webhooks already (limits.inbound_per_campaign)", put->maximum);
	return operation_answer(call, result);
}

static int
run_inbound_add(struct operation_call *call)
{
	const struct slice token = secret_make(call->pool, SECRET_INBOUND);
	struct inbound_put wanted = { .campaign_id = call->id, .name = ARGUMENTS(call, struct inbound_details)->name };
	bool fresh;
	uint64_t id;
	const int status = put(call, &wanted, token, &id, &fresh);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	output_u64(call->output, "id", id);
	output_secret(call->output, "url", fresh ? url_of(call, wanted.campaign_id, token) : SLICE_NONE);
	if (!fresh)
		operation_warn(call, "the campaign has an inbound webhook of this name: it is changed, and its URL stays");
	return EX_OK;
}

static void
add_webhook(struct operation_call *call, const struct inbound_webhook *webhook)
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

static int
run_inbound_list(struct operation_call *call)
{
	struct inbound_webhook *webhooks;
	size_t count;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = store_list_inbound(call->store, call->pool, call->id, &webhooks, &count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_webhook(call, &webhooks[i]);
	return operation_answer(call, result);
}

static int
run_inbound_show(struct operation_call *call)
{
	struct inbound_webhook webhook;
	const enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	add_webhook(call, &webhook);
	output_u64(call->output, "campaign", webhook.campaign_id);
	output_u64(call->output, "stored_bytes", webhook.stored_bytes);
	output_time(call->output, "created_at", webhook.created_ms);
	return EX_OK;
}

static int
run_inbound_set(struct operation_call *call)
{
	struct inbound_webhook webhook;
	bool fresh;
	uint64_t id;
	const enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	struct inbound_put wanted = { .id = webhook.id, .campaign_id = webhook.campaign_id };
	const int status = put(call, &wanted, secret_make(call->pool, SECRET_INBOUND), &id, &fresh);
	return status == EX_OK ? run_inbound_show(call) : status;
}

static const struct parameter rotate_parameters[] = { OPTION("now", value_on, 0) };

static int
run_inbound_rotate(struct operation_call *call)
{
	const struct slice token = secret_make(call->pool, SECRET_INBOUND);
	const struct digest hash = secret_hash(token);
	struct inbound_webhook webhook;
	enum result result = store_find_inbound(call->store, call->pool, call->id, &webhook);
	if (result == RESULT_OK)
		result = store_rotate_inbound(
		    call->store, &call->precondition, call->id, hash.bytes, *ARGUMENTS(call, bool) ? 0 : INBOUND_OVERLAP_HOURS);
	/* shown even if the outcome is unknown, because no other command shows the URL */
	if (result == RESULT_OK || result == RESULT_UNKNOWN) {
		output_record(call->output);
		output_u64(call->output, "id", call->id);
		output_secret(call->output, "url", url_of(call, webhook.campaign_id, token));
	}
	if (result == RESULT_UNKNOWN)
		return operation_fail(call, PROBLEM_UNCERTAIN,
		    "the connection was lost: the webhook may have the new URL; try it before you rotate again");
	return operation_answer(call, result);
}

static int
run_inbound_remove(struct operation_call *call)
{
	return operation_answer_id(call, store_remove_inbound(call->store, &call->precondition, call->id), call->id);
}

OPERATION(inbound_add, "inbound add", "CAMPAIGN NAME [--tag ID] [--source TEXT] [--map PARAMETER=PATH]...",
    "add an inbound webhook; its URL is shown once", run_inbound_add, .subject = &subject_campaign,
    PARAMETERS(add_parameters, struct inbound_details),
    HTTP(POST, "campaigns/{campaign}/inbound", RIGHT_HOOKS | RIGHT_LEADS | RIGHT_CHANGE), .all_rights = true, .effect = CREATES,
    .access = GRANTS_ACCESS, .needs_password = true, .versioned = true);
OPERATION(inbound_list, "inbound list", "CAMPAIGN", "list the inbound webhooks of a campaign", run_inbound_list,
    .subject = &subject_campaign, .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns/{campaign}/inbound", RIGHT_HOOKS),
    .versioned = true);
OPERATION(inbound_show, "inbound show", "INBOUND", "show an inbound webhook", run_inbound_show, .subject = &subject_inbound,
    HTTP(GET, "inbound/{inbound}", RIGHT_HOOKS), .versioned = true);
OPERATION(inbound_set, "inbound set", "INBOUND [--tag ID] [--source TEXT] [--map PARAMETER=PATH]...",
    "change an inbound webhook", run_inbound_set, .subject = &subject_inbound,
    PARAMETERS(set_parameters, struct inbound_details),
    HTTP(PATCH, "inbound/{inbound}", RIGHT_HOOKS | RIGHT_LEADS | RIGHT_CHANGE), .all_rights = true, .effect = CHANGES,
    .access = GRANTS_ACCESS, .versioned = true, .shown_by = &operation_inbound_show, .shows_result = true);
OPERATION(inbound_rotate, "inbound rotate", "INBOUND [--now]", "give an inbound webhook a new URL, shown once",
    run_inbound_rotate, .subject = &subject_inbound, PARAMETERS(rotate_parameters, bool),
    HTTP(POST, "inbound/{inbound}/rotate", RIGHT_HOOKS | RIGHT_LEADS | RIGHT_CHANGE), .all_rights = true, .effect = CHANGES,
    .access = GRANTS_ACCESS, .needs_password = true, .versioned = true, .shown_by = &operation_inbound_show);
OPERATION(inbound_remove, "inbound remove", "INBOUND", "remove an inbound webhook and its log", run_inbound_remove,
    .subject = &subject_inbound, HTTP(DELETE, "inbound/{inbound}", RIGHT_HOOKS), .effect = CHANGES, .needs_password = true,
    .versioned = true, .shown_by = &operation_inbound_show);
