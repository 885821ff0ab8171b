/* SPDX-License-Identifier: MIT */
#include "api/handlers/webhook_calls.h"

#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "os/random.h"
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
	if (slice_present(secret)) {
		json_put_text(&writer, SLICE("secret"), secret);
	}
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
		call_fail(call, result == RESULT_TOO_MANY    ? FAILURE_TOO_MANY_WEBHOOKS
				: result == RESULT_NOT_FOUND ? FAILURE_CAMPAIGN_NOT_FOUND
							     : call_failure(result));
}

/* The URL is not checked, so that every registered one can be removed. */
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
	json_key(writer, SLICE("last_status"));
	if (webhook->status != 0)
		json_i64(writer, webhook->status);
	else
		json_null(writer);
	json_put_time(writer, SLICE("last_delivery_at"), webhook->last_delivery_ms);
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
