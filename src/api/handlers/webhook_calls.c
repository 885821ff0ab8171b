/* SPDX-License-Identifier: MIT */
#include "api/handlers/webhook_calls.h"

#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/param_values.h"
#include "base/utf8.h"
#include "identity/random_secret.h"
#include "os/random.h"
#include "store/hooks/webhooks.h"
#include "webhook/mapping.h"
#include "webhook/signature.h"
#include "webhook/webhook_url.h"

/* The events of a webhook, without duplicates, in the given order. */
struct subscription {
	uint32_t events; /* EVENT_BITs */
	enum event_type order[EVENT_TYPES];
	size_t count;
};

static bool
subscribe(struct call *call, const struct http_value *value, struct subscription *to)
{
	enum event_type type;
	if (value->type != HTTP_STRING || !event_parse(value->text, &type))
		return call_fail_with(call, FAILURE_INVALID_EVENT, value->text);
	if ((to->events & EVENT_BIT(type)) == 0)
		to->order[to->count++] = type;
	to->events |= EVENT_BIT(type);
	return true;
}

/* Reads one or more names of events. */
static bool
read_events(struct call *call, struct subscription *subscription)
{
	const struct param *parameter = &param_table[PARAM_EVENTS];
	const struct http_value *values;
	for (size_t i = 0; param_has_name(parameter, i); i++) {
		const size_t count = param_values(call, parameter->names[i], &values);
		for (size_t k = 0; k < count; k++)
			if (!subscribe(call, &values[k], subscription))
				return false;
	}
	return subscription->count != 0 || call_fail(call, FAILURE_MISSING_EVENT);
}

static bool
check_url(struct call *call, struct slice url)
{
	const enum webhook_url_result result =
	    slice_present(url) ? webhook_url_judge(call->request->pool, url, call->api->options->webhook_addresses)
			       : WEBHOOK_URL_INVALID;
	if (result == WEBHOOK_URL_INVALID && url.size > WEBHOOK_URL_MAX)
		return call_fail_with(call, FAILURE_INVALID_URL,
		    pool_printf(call->request->pool, "Url is longer than %d bytes", WEBHOOK_URL_MAX));
	return result == WEBHOOK_URL_OK ||
	       call_fail(call, result == WEBHOOK_URL_FORBIDDEN ? FAILURE_FORBIDDEN_URL : FAILURE_INVALID_URL);
}

static void
answer_created(struct call *call, const struct subscription *subscribed, uint64_t id, struct slice secret)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), SLICE("Webhook Created"));
	json_put_u64(&writer, SLICE("referenceId"), id);
	json_key(&writer, SLICE("events"));
	json_begin_array(&writer);
	for (size_t i = 0; i < subscribed->count; i++)
		json_string(&writer, event_name(subscribed->order[i]));
	json_end_array(&writer);
	if (slice_present(secret))
		json_put_text(&writer, SLICE("secret"), secret);
	json_end_object(&writer);
}

static bool
is_format(struct slice text)
{
	return slice_equal(text, SLICE("form")) || slice_equal(text, SLICE("json"));
}

static enum format_change
chosen_format(struct slice format)
{
	if (!slice_present(format))
		return FORMAT_UNCHANGED;
	return slice_equal(format, SLICE("form")) ? FORMAT_FORM : FORMAT_JSON;
}

/* Sets URL, events, source and format. False: the call has failed. */
static bool
read_webhook(struct call *call, struct webhook_put *put, struct subscription *subscription)
{
	struct slice format;
	if (!param_read_text(call, PARAM_URL, &put->url) || !check_url(call, put->url) || !read_events(call, subscription) ||
	    !param_read_text(call, PARAM_SOURCE, &put->source) ||
	    !param_read_checked(call, PARAM_FORMAT, is_format, "must be json or form", &format))
		return false;
	put->events = subscription->events;
	put->format = chosen_format(format);
	return true;
}

static void
fail_put(struct call *call, enum result result)
{
	if (result == RESULT_TOO_MANY)
		call_fail(call, FAILURE_TOO_MANY_WEBHOOKS);
	else
		call_fail_result(call, result, FAILURE_CAMPAIGN_NOT_FOUND);
}

void
handle_put_webhook(struct call *call)
{
	unsigned char random[SIGNATURE_SECRET_RANDOM];
	struct subscription subscription = { .count = 0 };
	struct webhook_put put = { .campaign_id = call->campaign.id, .maximum = call->api->options->webhooks_per_campaign };
	bool created;
	uint64_t id;
	if (!read_webhook(call, &put, &subscription) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	random_bytes(random, sizeof(random));
	put.secret = signature_secret_make(call->request->pool, random);
	explicit_bzero(random, sizeof(random));
	enum result result = store_put_webhook(call->api->store, NULL, &put, &id, &created);
	if (result == RESULT_OK)
		answer_created(call, &subscription, id, created ? put.secret : SLICE_NONE); /* shown once */
	else
		fail_put(call, result);
}

/* The URL is not checked, so that any registered URL can be removed. */
void
handle_remove_webhook(struct call *call)
{
	struct slice url;
	if (!param_read_text(call, PARAM_URL, &url) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	if (!slice_present(url)) {
		call_fail(call, FAILURE_INVALID_URL);
		return;
	}
	enum result result = store_remove_webhook(call->api->store, call->campaign.id, url);
	if (result == RESULT_OK)
		call_answer(call, SLICE("{\"message\":\"Webhook Deleted\"}"));
	else
		call_fail_result(call, result, FAILURE_WEBHOOK_NOT_FOUND);
}

static void
write_webhook(struct json_writer *writer, const struct webhook_row *webhook)
{
	json_begin_object(writer);
	json_put_u64(writer, SLICE("referenceId"), webhook->id);
	json_put_text(writer, SLICE("url"), webhook->url);
	json_key(writer, SLICE("events"));
	json_begin_array(writer);
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		if (webhook->events & EVENT_BIT(i))
			json_string(writer, event_name((enum event_type)i));
	json_end_array(writer);
	json_put_text(writer, SLICE("source"), webhook->source);
	json_put_text(writer, SLICE("format"), webhook->form ? SLICE("form") : SLICE("json"));
	json_put_text(writer, SLICE("state"), slice_of(webhook_shown_state(webhook->state, webhook->failing_since_ms)));
	json_put_time(writer, SLICE("failing_since"), webhook->failing_since_ms);
	json_put_id(writer, SLICE("last_status"), (uint64_t)webhook->status);
	json_put_time(writer, SLICE("last_delivery_at"), webhook->last_delivery_ms);
	json_end_object(writer);
}

void
handle_list_webhooks(struct call *call)
{
	struct webhook_row *webhooks;
	size_t count;
	if (!call_check_result(
		call, store_list_webhooks(call->api->store, call->request->pool, call->campaign.id, &webhooks, &count)))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_webhook(&writer, &webhooks[i]);
	json_end_array(&writer);
}

/* ---- inbound webhooks ---- */

#define MAP_START "map["

/* Reads the tag; 0 removes it. */
static bool
read_tag(struct call *call, struct inbound_put *put)
{
	struct slice text;
	if (!param_read_text(call, PARAM_TAG_ID, &text))
		return false;
	put->set_tag = slice_present(text);
	return !put->set_tag || slice_equal(text, SLICE("0")) || definitions_read_tag(call, text, TAG_BY_ID, &put->tag_id);
}

/* Reads the source. An empty text removes it, null does not. */
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

/* The target of `map[target]`; absent for any other parameter. */
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

/* Whether the value is an empty array, which PHP writes for an object without members. */
static bool
is_empty_map(const struct http_value *value)
{
	return value->type == HTTP_ARRAY ? value->item_count == 0 : value->text.size == 0 && value->type != HTTP_BOOLEAN;
}

/* Reads the map: `map[email]=data.email` of a form, or any number of members of an object. An empty `map` removes the stored
 * rules. */
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

/* `url` is absent if it must not be shown again. */
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
	const struct payload_settings *settings;
	bool fresh;
	uint64_t id;
	if (!read_settings(call, &put) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	if (!slice_present(put.name) && put.rotate) {
		call_fail(call, FAILURE_MISSING_NAME);
		return;
	}
	const struct slice token = secret_make(call->request->pool, SECRET_INBOUND);
	const struct digest hash = secret_hash(token);
	put.hash = hash.bytes;
	if (!call_read_settings(call, &settings)) /* first, so that nothing is changed if there can be no answer */
		return;
	const struct slice url = inbound_url(call->request->pool, settings->base_url, call->campaign.id, token);
	const enum result result = store_put_inbound(call->api->store, NULL, &put, &id, &fresh);
	if (result == RESULT_OK)
		answer_put(call, id, fresh ? url : SLICE_NONE);
	else
		fail_put(call, result);
}

/* Finds an inbound webhook by its URL, id or name. The reference may point to *hash. False: the call has failed. */
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
		*hash = secret_hash(inbound_token_of_url(url));
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
	json_put_id(writer, SLICE("tag_id"), webhook->tag_id);
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
	if (!call_check_result(
		call, store_list_inbound(call->api->store, call->request->pool, call->campaign.id, &webhooks, &count)))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_inbound(&writer, &webhooks[i]);
	json_end_array(&writer);
}
