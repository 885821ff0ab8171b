/* SPDX-License-Identifier: MIT */
#include "api/handlers/inbound_webhooks.h"

#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "base/utf8.h"
#include "identity/api_key.h"
#include "webhook/mapping.h"

#define MAP_START "map["

/* 0 removes the tag. */
static bool
read_tag(struct call *call, struct inbound_put *put)
{
	struct slice text;
	if (!param_read_text(call, PARAM_TAG_ID, &text))
		return false;
	put->set_tag = slice_present(text);
	return !put->set_tag || slice_equal(text, SLICE("0")) || definitions_read_tag(call, text, TAG_BY_ID, &put->tag_id);
}

/* An empty text, but not null, removes the source. */
static bool
read_source(struct call *call, struct slice *source)
{
	const struct http_param *given;
	if (!param_read_given(call, PARAM_SOURCE, &given, source))
		return false;
	if (given != NULL && given->value.type == HTTP_STRING && !slice_present(*source))
		*source = SLICE("");
	return true;
}

/* The target of `map[target]`; absent: another parameter. */
static struct slice
map_target(struct slice name)
{
	if (!slice_starts_with(name, SLICE(MAP_START)) || !slice_ends_with(name, SLICE("]")))
		return SLICE_NONE;
	return slice_sub(name, sizeof(MAP_START) - 1, name.size - 1);
}

static bool
add_rule(struct call *call, struct payload_map *mapping, struct slice target, const struct http_param *param)
{
	struct slice path;
	if (memmem(target.data, target.size, "][", 2) != NULL) /* an object in the map */
		return call_fail_parameter(call, param->name, "must be one text");
	if (!param_text_of(call, param, &path))
		return false;
	const char *problem = mapping_check(target, slice_present(path) ? path : SLICE(""));
	if (problem == NULL)
		problem = mapping_add(call->request->pool, mapping, target, path);
	return problem == NULL || call_fail_parameter(call, param->name, problem);
}

/* PHP writes an empty array for an object without members. */
static bool
is_empty_map(const struct http_value *value)
{
	return value->type == HTTP_ARRAY ? value->item_count == 0 : value->text.size == 0 && value->type != HTTP_BOOLEAN;
}

/* `map[email]=data.email` of a form, or the members of an object, as many as there are; an empty `map` removes those that are
 * stored. */
static bool
read_map(struct call *call, struct inbound_put *put)
{
	struct payload_map mapping = { .count = 0 };
	const struct http_param *whole = http_params_find(call->params, param_name(PARAM_MAP));
	if (whole != NULL && !is_empty_map(&whole->value))
		return call_fail_parameter(
		    call, whole->name, "must be an object, or empty; in a form it is map[email]=data.email");
	for (size_t i = 0; i < http_params_count(call->params); i++) {
		const struct http_param *param = http_params_at(call->params, i);
		const struct slice target = map_target(param->name);
		if (slice_present(target) && !add_rule(call, &mapping, target, param))
			return false;
	}
	put->set_map = whole != NULL || mapping.count > 0;
	put->map = mapping_write(call->request->pool, &mapping);
	return true;
}

enum { NAME_CHARACTERS_MAX = 200 };

static bool
is_short_name(struct slice text)
{
	uint32_t character;
	size_t count = 0;
	while (utf8_next(&text, &character))
		count++;
	return count <= NAME_CHARACTERS_MAX;
}

static bool
read_name(struct call *call, struct slice *name)
{
	return param_read_checked(call, PARAM_NAME, is_short_name, "is longer than 200 characters", name);
}

/* False: the call has failed. */
static bool
read_settings(struct call *call, struct inbound_put *put)
{
	return read_source(call, &put->source) && read_name(call, &put->name) && read_tag(call, put) && read_map(call, put) &&
	       param_read_boolean(call, PARAM_ROTATE, &put->rotate);
}

static enum result
make_url(struct call *call, struct slice token, struct slice *url)
{
	const struct payload_settings *settings;
	const enum result result = store_payload_settings(call->api->store, &settings);
	if (result == RESULT_OK)
		*url = inbound_url(call->request->pool, settings->base_url, call->campaign.id, token);
	return result;
}

/* `url`: absent: it is not shown again. */
static void
answer_put(struct call *call, uint64_t id, struct slice url)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), SLICE("Inbound Webhook Created"));
	json_put_u64(&writer, SLICE("id"), id);
	if (slice_present(url))
		json_put_text(&writer, SLICE("url"), url);
	json_end_object(&writer);
}

void
handle_put_inbound(struct call *call)
{
	struct inbound_put put = { .campaign_id = call->campaign.id, .maximum = call->api->options->inbound_per_campaign };
	struct slice url = SLICE_NONE;
	bool fresh;
	uint64_t id;
	if (!read_settings(call, &put) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	if (!slice_present(put.name) && put.rotate) {
		call_fail(call, FAILURE_MISSING_NAME);
		return;
	}
	const struct slice token = inbound_token_make(call->request->pool);
	const struct digest hash = api_key_hash(token);
	put.hash = hash.bytes;
	enum result result = make_url(call, token, &url); /* before the change, so that none is made without an answer */
	if (result == RESULT_OK)
		result = store_put_inbound(call->api->store, NULL, &put, &id, &fresh);
	if (result == RESULT_OK)
		answer_put(call, id, fresh ? url : SLICE_NONE);
	else
		call_fail(call, result == RESULT_TOO_MANY    ? FAILURE_TOO_MANY_WEBHOOKS
				: result == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND
							     : call_failure(result));
}

/* By its URL, id or name. *hash holds what the reference points to. False: the call has failed. */
static bool
read_reference(struct call *call, struct inbound_reference *reference, struct digest *hash)
{
	const struct http_param *given;
	struct slice url, id;
	if (!param_read_text(call, PARAM_URL, &url) || !param_read_given(call, PARAM_ID, &given, &id))
		return false;
	if (slice_present(id) && (!slice_to_u64(id, INT64_MAX, &reference->id) || reference->id == 0))
		return call_fail_parameter(call, given->name, "must be a number from 1");
	if (slice_present(url)) {
		*hash = api_key_hash(inbound_token_of_url(url));
		reference->hash = hash->bytes;
	}
	return read_name(call, &reference->name);
}

void
handle_remove_inbound(struct call *call)
{
	struct inbound_reference reference = { .id = 0 };
	struct digest hash;
	uint64_t id = 0;
	if (!read_reference(call, &reference, &hash) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	const bool named = reference.id != 0 || slice_present(reference.name) || reference.hash != NULL;
	enum result result =
	    named ? store_identify_inbound(call->api->store, call->campaign.id, &reference, &id) : RESULT_NOT_FOUND;
	if (result == RESULT_OK)
		result = store_remove_inbound(call->api->store, NULL, id);
	if (result == RESULT_OK)
		call_answer(call, SLICE("{\"message\":\"Inbound Webhook Deleted\"}"));
	else
		call_fail_result(call, result, FAILURE_WEBHOOK_NOT_FOUND);
}

static void
write_inbound(struct json_writer *writer, const struct inbound_webhook *webhook)
{
	json_begin_object(writer);
	json_put_u64(writer, SLICE("id"), webhook->id);
	json_put_text(writer, SLICE("name"), webhook->name);
	json_key(writer, SLICE("tag_id"));
	if (webhook->tag_id != 0)
		json_u64(writer, webhook->tag_id);
	else
		json_null(writer);
	json_put_text(writer, SLICE("source"), webhook->source);
	json_put_raw(writer, SLICE("map"), slice_present(webhook->map) ? webhook->map : SLICE("{}"));
	json_put_u64(writer, SLICE("calls"), webhook->calls);
	json_put_u64(writer, SLICE("created"), webhook->created);
	json_put_u64(writer, SLICE("updated"), webhook->updated);
	json_put_u64(writer, SLICE("refused"), webhook->refused);
	json_put_u64(writer, SLICE("stored"), webhook->stored);
	json_put_time(writer, SLICE("last_call_at"), webhook->last_call_ms);
	json_put_time(writer, SLICE("previous_url_until"), webhook->previous_until_ms);
	json_end_object(writer);
}

void
handle_list_inbound(struct call *call)
{
	struct inbound_webhook *webhooks;
	size_t count;
	const enum result result =
	    store_list_inbound(call->api->store, call->request->pool, call->campaign.id, &webhooks, &count);
	if (result != RESULT_OK) {
		call_fail(call, call_failure(result));
		return;
	}
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_inbound(&writer, &webhooks[i]);
	json_end_array(&writer);
}
