/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign (docs/deliveries.md 1). */
#include "api/call.h"

#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/events.h"
#include "webhook/signature.h"
#include "webhook/webhook_url.h"

/* What a webhook subscribes to: each event once, in the order in which they were named. */
struct subscription {
	uint32_t events; /* EVENT_BITs */
	enum event_type order[EVENT_TYPES];
	size_t count;
};

static bool
subscribe(struct call *call, const struct http_value *value, struct subscription *to)
{
	enum event_type type;
	if (value->type != HTTP_STRING || !event_parse(value->text, &type)) {
		call_fail_with(call, FAILURE_INVALID_EVENT, value->text);
		return false;
	}
	if ((to->events & EVENT_BIT(type)) == 0)
		to->order[to->count++] = type;
	to->events |= EVENT_BIT(type);
	return true;
}

/* `event` and `events`, each one name or several. */
static bool
parse_events(struct call *call, struct subscription *to)
{
	static const char *const names[] = { "event", "events" };
	*to = (struct subscription){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct http_value *value = http_params_value(call->params, slice_of(names[i]));
		if (value == NULL || value->type == HTTP_NULL || (value->type == HTTP_STRING && value->text.size == 0))
			continue;
		if (value->type != HTTP_ARRAY && !subscribe(call, value, to))
			return false;
		for (size_t k = 0; k < value->item_count; k++)
			if (!subscribe(call, &value->items[k], to))
				return false;
	}
	if (to->count == 0)
		call_fail(call, FAILURE_MISSING_EVENT);
	return to->count != 0;
}

static bool
parse_url(struct call *call, struct slice *text)
{
	if (!call_text(call, "url", text))
		return false;
	enum webhook_url_result result =
	    slice_present(*text) ? webhook_url_judge(call->request->pool, *text, call->api->options->webhook_addresses)
				 : WEBHOOK_URL_INVALID;
	if (result != WEBHOOK_URL_OK)
		call_fail(call, result == WEBHOOK_URL_FORBIDDEN ? FAILURE_FORBIDDEN_URL : FAILURE_INVALID_URL);
	return result == WEBHOOK_URL_OK;
}

static bool
parse_format(struct call *call, bool *form, bool *given)
{
	struct slice text;
	if (!call_text(call, "format", &text))
		return false;
	*given = slice_present(text);
	*form = slice_equal(text, SLICE("form"));
	if (!*given || *form || slice_equal(text, SLICE("json")))
		return true;
	call_fail_parameter(call, SLICE("format"), "must be json or form");
	return false;
}

static void
answer_created(struct call *call, const struct subscription *subscribed, uint64_t id, struct slice secret)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_key(&writer, SLICE("message"));
	json_string(&writer, SLICE("Webhook Created"));
	json_key(&writer, SLICE("referenceId"));
	json_u64(&writer, id);
	json_key(&writer, SLICE("events"));
	json_begin_array(&writer);
	for (size_t i = 0; i < subscribed->count; i++)
		json_string(&writer, event_name(subscribed->order[i]));
	json_end_array(&writer);
	if (slice_present(secret)) {
		json_key(&writer, SLICE("secret"));
		json_string(&writer, secret);
	}
	json_end_object(&writer);
}

void
handle_put_webhook(struct call *call)
{
	unsigned char random[SIGNATURE_SECRET_RANDOM];
	struct webhook_put put = { .campaign_id = call->campaign.id, .maximum = call->api->options->webhooks_per_campaign };
	struct subscription subscribed;
	bool form, format_given, created;
	uint64_t id;
	if (!parse_url(call, &put.url) || !parse_events(call, &subscribed) || !call_text(call, "source", &put.source) ||
	    !parse_format(call, &form, &format_given) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	put.events = subscribed.events;
	random_bytes(random, sizeof(random));
	put.secret = signature_secret_make(call->request->pool, random);
	explicit_bzero(random, sizeof(random));
	put.form = format_given ? &form : NULL;
	enum result result = store_put_webhook(call->api->store, &put, &id, &created);
	if (result == RESULT_OK)
		answer_created(call, &subscribed, id, created ? put.secret : SLICE_NONE); /* shown once */
	else
		call_fail(call, result == RESULT_INVALID     ? FAILURE_TOO_MANY_WEBHOOKS
				: result == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND
							     : call_failure(result));
}

/* Whatever was registered can be removed, so the URL is not judged. */
void
handle_remove_webhook(struct call *call)
{
	struct slice url;
	if (!call_text(call, "url", &url) || !call_may_wait(call, WAIT_CAMPAIGN))
		return;
	enum result result =
	    slice_present(url) ? store_remove_webhook(call->api->store, call->campaign.id, url) : RESULT_NOT_FOUND;
	if (result == RESULT_OK)
		call_answer(call, SLICE("{\"message\":\"Webhook Deleted\"}"));
	else
		call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_WEBHOOK_NOT_FOUND : call_failure(result));
}

static void
put_time(struct json_writer *writer, struct slice key, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];
	json_key(writer, key);
	if (ms >= 0)
		clock_rfc3339(ms, text);
	json_string_or_null(writer, ms >= 0 ? slice_of(text) : SLICE_NONE);
}

static void
write_webhook(struct json_writer *writer, const struct webhook_row *webhook)
{
	json_begin_object(writer);
	json_key(writer, SLICE("referenceId"));
	json_u64(writer, webhook->id);
	json_key(writer, SLICE("url"));
	json_string(writer, webhook->url);
	json_key(writer, SLICE("events"));
	json_begin_array(writer);
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		if (webhook->events & EVENT_BIT(i))
			json_string(writer, event_name((enum event_type)i));
	json_end_array(writer);
	json_key(writer, SLICE("source"));
	json_string_or_null(writer, webhook->source);
	json_key(writer, SLICE("format"));
	json_string(writer, webhook->form ? SLICE("form") : SLICE("json"));
	json_key(writer, SLICE("state"));
	json_string(writer, slice_of(webhook_shown_state(webhook->state, webhook->failing_since_ms)));
	put_time(writer, SLICE("failing_since"), webhook->failing_since_ms);
	json_key(writer, SLICE("last_status"));
	if (webhook->status != 0)
		json_i64(writer, webhook->status);
	else
		json_null(writer);
	put_time(writer, SLICE("last_delivery_at"), webhook->last_delivery_ms);
	json_end_object(writer);
}

void
handle_list_webhooks(struct call *call)
{
	struct webhook_row *webhooks;
	size_t count;
	enum result result = store_list_webhooks(call->api->store, call->request->pool, call->campaign.id, &webhooks, &count);
	if (result != RESULT_OK) {
		call_fail(call, call_failure(result));
		return;
	}
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_webhook(&writer, &webhooks[i]);
	json_end_array(&writer);
}
