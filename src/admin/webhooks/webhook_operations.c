/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign and their settings (docs/deliveries.md 1 to 4). */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "admin/jobs/job_operations.h"
#include "engine/events.h"
#include "jobs/job_parameters.h"
#include "operation/operation.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"
#include "os/random.h"
#include "store/hooks/webhooks.h"
#include "store/operator/webhook_admin.h"
#include "store/webhook_health.h"
#include "webhook/retry.h"
#include "webhook/signature.h"
#include "webhook/webhook_url.h"

enum { SCHEDULE_BYTES_MAX = 255 /* size of the column */, RATE_MAX = 10000 };

/* ---- settings ---- */

static bool
parse_url(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(struct slice *)place = text;
	return text.size > 0 && text.size <= WEBHOOK_URL_MAX;
}

static bool
parse_events(struct value_reading *reading, struct slice text, void *place)
{
	uint32_t events = 0;
	while (slice_next_item(&text, &reading->invalid)) {
		enum event_type event;
		if (!event_parse(reading->invalid, &event))
			return false;
		events |= EVENT_BIT(event);
	}
	*(uint32_t *)place = events;
	return events != 0;
}

static bool
parse_schedule(struct value_reading *reading, struct slice text, void *place)
{
	const struct slice trimmed = slice_trim(text);
	struct retry_schedule schedule;
	*(struct slice *)place = trimmed.size > 0 ? trimmed : SLICE_NONE;
	if (trimmed.size == 0)
		return true;
	/* a list of only separators is refused: without delays there would be a single attempt */
	return trimmed.size <= SCHEDULE_BYTES_MAX && retry_schedule_parse(trimmed, &schedule, &reading->invalid) &&
	       schedule.count > 0;
}

/* Accepts only the redirects with which form handlers and scripts answer after they have done their work. Other statuses mean
 * that the work was not done. */
static bool
parse_accepts(struct value_reading *reading, struct slice text, void *place)
{
	static const struct slice lists[] = { SLICE_NONE, SLICE("302"), SLICE("303"), SLICE("302,303") };
	unsigned given = 0;
	while (slice_next_item(&text, &reading->invalid)) {
		const struct slice item = reading->invalid;
		const unsigned bit = slice_equal(item, lists[1]) ? 1 : slice_equal(item, lists[2]) ? 2 : 0;
		if (bit == 0)
			return false;
		given |= bit;
	}
	*(struct slice *)place = lists[given];
	return true;
}

static const struct value_type value_destination = {
	.parse = parse_url, .size = sizeof(struct slice), .expected = "an http or https URL of at most 2048 bytes"
};
static const struct value_type value_events = {
	.parse = parse_events, .size = sizeof(uint32_t), .form = VALUE_LIST, .expected = "names of events, separated by commas"
};
static const struct slice format_names[] = { SLICE("json"), SLICE("form") };
static const struct value_type value_format = { WORD_TYPE(bool, format_names, 2), .expected = "json or form" };
static const struct value_type value_schedule = { .parse = parse_schedule,
	.size = sizeof(struct slice),
	.form = VALUE_LIST,
	.expected = "at most 32 durations from 1s to 7d, at most 255 bytes, or nothing" };
static const struct value_type value_accepts = {
	.parse = parse_accepts, .size = sizeof(struct slice), .form = VALUE_LIST, .expected = "302, 303, or both, or nothing"
};
static const struct value_type value_rate = { NUMBER_TYPE(uint32_t, 0, RATE_MAX),
	.expected = "deliveries a second, 0 to 10000; 0: no limit" };

#define PLACE(member) offsetof(struct webhook_settings, member)
static const struct parameter setting_rows[] = {
	{ "url", &value_destination, PLACE(url), 0, "" },
	SETTING("events", value_events, PLACE(events)),
	SETTING("source", value_source, PLACE(source)),
	SETTING("format", value_format, PLACE(form)),
	SETTING("schedule", value_schedule, PLACE(schedule)),
	SETTING("accepts", value_accepts, PLACE(accepts)),
	SETTING("rate", value_rate, PLACE(rate)),
	OPTION_WITH("ca_file", value_host_file, PLACE(ca_file), PARAMETER_OPERATOR),
	OPTION_WITH("client_certificate", value_host_file, PLACE(client_certificate), PARAMETER_OPERATOR),
	OPTION_WITH("client_key", value_host_file, PLACE(client_key), PARAMETER_OPERATOR),
};
#undef PLACE
static const struct settings_table settings_table = SETTINGS_OF(setting_rows, struct webhook_settings, "a webhook");

/* Applies the same rules as a registration through the API. Returns false after reporting a URL that is not allowed. */
static bool
check_url(struct operation_call *call, struct slice url)
{
	switch (webhook_url_judge(call->pool, url, call->wiring->webhook_addresses)) {
	case WEBHOOK_URL_OK:
		return true;
	case WEBHOOK_URL_INVALID:
		operation_fail_value(call, PROBLEM_INVALID, "url",
		    "the URL is not valid; it must start with http:// or https:// and have at most 2048 bytes");
		return false;
	case WEBHOOK_URL_FORBIDDEN:
		operation_fail_value(call, PROBLEM_INVALID, "url",
		    "webhooks may not be sent to this address or port; the administrator can permit it "
		    "(dispatch.allow_networks, deny_ports)");
		return false;
	}
	return false;
}

static struct slice
new_secret(struct pool *pool)
{
	unsigned char random[SIGNATURE_SECRET_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice secret = signature_secret_make(pool, random);
	explicit_bzero(random, sizeof(random));
	return secret;
}

/* Warns if the webhook, which existed already, is disabled, or if its redirects make each delivery go to it again. */
static void
warn_of_state(struct operation_call *call, uint64_t id)
{
	struct webhook_details webhook;
	if (store_find_webhook(call->store, call->pool, id, &webhook) != RESULT_OK)
		return;
	const int status = webhook.row.status;
	if (webhook.row.state == WEBHOOK_DISABLED)
		operation_warn(call,
		    "warning: webhook %" PRIu64 " is disabled, its deliveries wait: leadhook webhook enable %" PRIu64, id, id);
	else if (webhook.row.failing_since_ms >= 0 && status >= 300 && status < 400)
		operation_warn(call,
		    "warning: webhook %" PRIu64
		    " answers with a redirect (%d), and gets each delivery again: leadhook webhook test %" PRIu64
		    " says what to do",
		    id, status, id);
}

static bool
parse_event(struct value_reading *reading, struct slice text, void *place)
{
	enum event_type event;
	if (!event_parse(text, &event)) {
		reading->message = pool_printf(reading->pool, "Invalid event type: %.*s", SLICE_ARGS(text));
		return false;
	}
	*(uint32_t *)place |= EVENT_BIT(event);
	return true;
}
static const struct value_type value_each_event = { .parse = parse_event, .form = VALUE_EACH };

struct webhook_add {
	struct slice url, source;
	uint32_t events;
	bool form;
};
#define PLACE(member) offsetof(struct webhook_add, member)
static const struct parameter add_parameters[] = {
	OPERAND("url", value_text, PLACE(url)),
	OPERAND("events", value_each_event, PLACE(events)),
	OPTION("format", value_format, PLACE(form)),
	OPTION("source", value_text, PLACE(source)),
};
#undef PLACE

static int
run_webhook_add(struct operation_call *call)
{
	const struct webhook_add *arguments = ARGUMENTS(call, struct webhook_add);
	struct webhook_put put = { .campaign_id = call->id,
		.url = arguments->url,
		.source = arguments->source,
		.events = arguments->events,
		.maximum = call->conf->limits.webhooks_per_campaign };
	uint64_t id;
	bool created;
	if (!check_url(call, put.url))
		return EX_DATAERR;
	if (parameter_is_given(call, "format"))
		put.format = arguments->form ? FORMAT_FORM : FORMAT_JSON;
	put.secret = new_secret(call->pool);
	enum result result = store_put_webhook(call->store, &call->precondition, &put, &id, &created);
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_CONFLICT,
		    "the campaign has %zu webhooks already (limits.webhooks_per_campaign)", put.maximum);
	int status = operation_answer_id(call, result, id);
	if (status != EX_OK)
		return status;
	output_secret(call->output, "secret", created ? put.secret : SLICE_NONE);
	if (!created)
		warn_of_state(call, id);
	return EX_OK;
}

static void
add_events(struct output *output, uint32_t events)
{
	struct slice names[EVENT_TYPES];
	size_t count = 0;
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		if ((events & EVENT_BIT(i)) != 0)
			names[count++] = event_name((enum event_type)i);
	output_texts(output, "events", names, count);
}

/* The fields of GET outbound-webhook. */
static void
add_webhook(struct output *output, const struct webhook_row *webhook)
{
	output_record(output);
	output_u64(output, "referenceId", webhook->id);
	output_text(output, "url", webhook->url);
	output_keep_private(output); /* it may have a token */
	add_events(output, webhook->events);
	output_text(output, "source", webhook->source);
	output_text(output, "format", webhook->form ? SLICE("form") : SLICE("json"));
	output_text(output, "state", slice_of(webhook_shown_state(webhook->state, webhook->failing_since_ms)));
	output_time(output, "failing_since", webhook->failing_since_ms);
	output_u64_or_null(output, "last_status", (uint64_t)webhook->status);
	output_time(output, "last_delivery_at", webhook->last_delivery_ms);
}

/* Adds the other fields that lists show; `webhook show` has the exact numbers of one webhook. */
static void
add_health(struct operation_call *call, const struct webhook_row *webhook, const struct webhook_health *health)
{
	struct output *recent = output_new(call->pool, OUTPUT_OBJECT);
	output_record(recent);
	output_u64(recent, "attempts", health->attempts);
	output_u64(recent, "delivered", health->delivered);
	output_u64(recent, "failed", health->failed);
	output_boolean(call->output, "gone", webhook->state == WEBHOOK_GONE);
	output_time(call->output, "oldest_due", health->oldest_due_ms);
	output_nested(call->output, "last_24_hours", recent);
}

static int
run_webhook_list(struct operation_call *call)
{
	struct webhook_row *webhooks;
	struct campaign campaign;
	size_t count;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_list_webhooks(call->store, call->pool, call->id, &webhooks, &count);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	struct webhook_health *healths = POOL_ARRAY(call->pool, count, struct webhook_health);
	for (size_t i = 0; i < count; i++)
		healths[i] = (struct webhook_health){ .id = webhooks[i].id, .oldest_due_ms = -1 };
	result = store_add_oldest_due(call->store, call->pool, healths, count);
	if (result == RESULT_OK)
		result = store_add_recent_attempts(call->store, call->pool, now_ms, healths, count);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		add_webhook(call->output, &webhooks[i]);
		add_health(call, &webhooks[i], &healths[i]);
	}
	return EX_OK;
}

/* Outputs everything that is shown of a webhook. */
static void
add_details(const struct operation_call *call, struct output *output, const struct webhook_details *webhook)
{
	const bool open = webhook->row.state == WEBHOOK_ACTIVE && webhook->failures >= call->conf->dispatch.breaker_failures;
	add_webhook(output, &webhook->row);
	output_u64(output, "campaign", webhook->row.campaign_id);
	output_boolean(output, "gone", webhook->row.state == WEBHOOK_GONE); /* its receiver disabled it */
	output_text(output, "last_error", webhook->last_error);
	output_u64(output, "failures", webhook->failures);
	output_text(output, "breaker", open ? SLICE("open") : SLICE("closed"));
	output_time(output, "held_until", webhook->held_until_ms);
	output_text(output, "schedule", webhook->settings.schedule);
	output_id_list(output, "accepts", slice_present(webhook->settings.accepts) ? webhook->settings.accepts : SLICE(""));
	output_u64_or_null(output, "rate", webhook->settings.rate);
	output_text(output, "ca_file", webhook->settings.ca_file);
	output_text(output, "client_certificate", webhook->settings.client_certificate);
	output_text(output, "client_key", webhook->settings.client_key);
	output_time(output, "previous_secret_until", webhook->previous_until_ms);
	output_u64(output, "pending", webhook->pending);
	output_time(output, "oldest_due", webhook->oldest_due_ms);
}

static int
run_webhook_show(struct operation_call *call)
{
	struct webhook_details webhook;
	const enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	if (result == RESULT_OK)
		add_details(call, call->output, &webhook);
	return operation_answer(call, result);
}

/* The operator provides a client certificate for one receiver, so only an operator may choose another receiver. */
static bool
check_may_move(struct operation_call *call, const struct webhook_settings *settings)
{
	if (!slice_present(settings->client_certificate) || caller_is_operator(call->caller))
		return true;
	operation_fail(call, PROBLEM_FORBIDDEN, "only an operator may set url: the webhook has a client_certificate");
	return false;
}

static bool
apply_settings(void *context, struct webhook_settings *settings)
{
	struct operation_call *call = context;
	settings_assign(call, settings);
	if (slice_present(settings->url) && !(check_may_move(call, settings) && check_url(call, settings->url)))
		return false;
	if (slice_present(settings->client_key) && !slice_present(settings->client_certificate)) {
		operation_fail(call, PROBLEM_INVALID, "a client_key needs a client_certificate");
		return false;
	}
	return true;
}

/* Only a warning, because the dispatcher may run on another host or as another user. */
static void
warn_unreadable(struct operation_call *call, const char *setting, struct slice path)
{
	if (settings_have(call, setting) && slice_present(path) && access(pool_string(call->pool, path), R_OK) != 0)
		operation_warn(call, "warning: %s cannot be read here: %.*s", setting, SLICE_ARGS(path));
}

static int
run_webhook_set(struct operation_call *call)
{
	struct webhook_change change = { .edit = apply_settings, .context = call };
	const struct webhook_settings *after = &change.after.settings;
	enum result result = store_edit_webhook(call->store, call->pool, &call->precondition, call->id, &change);
	if (change.before.row.id != 0) { /* it was read, even if the change was refused */
		struct output *before = output_new(call->pool, OUTPUT_OBJECT);
		add_details(call, before, &change.before);
		call->before = output_public_json(call->pool, before);
	}
	if (change.url_taken)
		return operation_fail_value(call, PROBLEM_INVALID, "url", "another webhook of the campaign has this URL");
	if (result == RESULT_REFUSED)
		return EX_DATAERR; /* already reported */
	if (result != RESULT_OK)
		return operation_answer(call, result);
	warn_unreadable(call, "ca_file", after->ca_file);
	warn_unreadable(call, "client_certificate", after->client_certificate);
	warn_unreadable(call, "client_key", after->client_key);
	add_details(call, call->output, &change.after);
	return EX_OK;
}

/* Enables the webhook if the variant is true; otherwise disables it. */
static int
run_webhook_enable(struct operation_call *call)
{
	enum result result = call->operation->variant ? store_enable_webhook(call->store, &call->precondition, call->id)
						      : store_disable_webhook(call->store, &call->precondition, call->id);
	return result == RESULT_OK ? run_webhook_show(call) : operation_answer(call, result);
}

static int
run_webhook_rotate(struct operation_call *call)
{
	const struct slice secret = new_secret(call->pool);
	enum result result =
	    store_rotate_secret(call->store, &call->precondition, call->id, secret, call->conf->dispatch.rotation_overlap);
	/* shown even if the outcome is unknown, because no other command shows the secret */
	if (result == RESULT_OK || result == RESULT_UNKNOWN) {
		output_record(call->output);
		output_secret(call->output, "secret", secret);
	}
	if (result == RESULT_UNKNOWN)
		return operation_fail(call, PROBLEM_UNCERTAIN,
		    "the connection was lost: the webhook may have the new secret; give it to the receiver, beside the old "
		    "one, before "
		    "you rotate again");
	return operation_answer(call, result);
}

static int
run_webhook_remove(struct operation_call *call)
{
	return operation_answer_id(call, store_remove_webhook_id(call->store, &call->precondition, call->id), call->id);
}

static const struct parameter test_parameters[] = {
	OPTION_WITH("queue", value_on, 0, PARAMETER_SHELL | PARAMETER_ON_BY_HTTP),
};

static int
run_webhook_test(struct operation_call *call)
{
	const struct job_test test = { .webhook_id = call->id };
	struct webhook_details webhook;
	if (!*ARGUMENTS(call, bool))
		return call->wiring->send_test(call, JOB_WEBHOOK_TEST, &test);
	const enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	return result == RESULT_OK
		   ? queued_job_add(call, webhook.row.campaign_id, JOB_WEBHOOK_TEST, job_test_parameters(call->pool, &test))
		   : operation_answer(call, result);
}

OPERATION(webhook_add, "webhook add", "CAMPAIGN URL EVENT...", "add a webhook; its secret is shown once", run_webhook_add,
    .subject = &subject_campaign, PARAMETERS(add_parameters, struct webhook_add),
    HTTP(POST, "campaigns/{campaign}/webhooks", RIGHT_HOOKS | RIGHT_LEADS), .all_rights = true, .effect = CREATES,
    .needs_password = true, .versioned = true);
OPERATION(webhook_list, "webhook list", "CAMPAIGN", "list the webhooks of a campaign", run_webhook_list,
    .subject = &subject_campaign, .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns/{campaign}/webhooks", RIGHT_HOOKS),
    .versioned = true);
OPERATION(webhook_show, "webhook show", "WEBHOOK", "show a webhook and its state", run_webhook_show,
    .subject = &subject_webhook, HTTP(GET, "webhooks/{webhook}", RIGHT_HOOKS), .versioned = true);
OPERATION(webhook_set, "webhook set", "WEBHOOK SETTING=VALUE...", "change settings of a webhook", run_webhook_set,
    .subject = &subject_webhook, .settings = &settings_table, HTTP(PATCH, "webhooks/{webhook}", RIGHT_HOOKS | RIGHT_LEADS),
    .all_rights = true, .effect = CHANGES, .versioned = true, .shows_result = true);
OPERATION(webhook_enable, "webhook enable", "WEBHOOK", "send to a disabled webhook again", run_webhook_enable, .variant = true,
    .subject = &subject_webhook, HTTP(POST, "webhooks/{webhook}/enable", RIGHT_HOOKS), .effect = CHANGES, .versioned = true,
    .shown_by = &operation_webhook_show, .shows_result = true);
OPERATION(webhook_disable, "webhook disable", "WEBHOOK", "stop sending to a webhook; its deliveries wait", run_webhook_enable,
    .variant = false, .subject = &subject_webhook, HTTP(POST, "webhooks/{webhook}/disable", RIGHT_HOOKS), .effect = CHANGES,
    .versioned = true, .shown_by = &operation_webhook_show, .shows_result = true);
OPERATION(webhook_rotate, "webhook rotate", "WEBHOOK", "give a webhook a new secret, shown once", run_webhook_rotate,
    .subject = &subject_webhook, HTTP(POST, "webhooks/{webhook}/rotate", RIGHT_HOOKS | RIGHT_LEADS), .all_rights = true,
    .effect = CHANGES, .needs_password = true, .versioned = true, .shown_by = &operation_webhook_show);
OPERATION(webhook_test, "webhook test", "WEBHOOK [--queue]", "send a test delivery and show the response", run_webhook_test,
    .subject = &subject_webhook, PARAMETERS(test_parameters, bool), HTTP(POST, "webhooks/{webhook}/test", RIGHT_HOOKS),
    .effect = QUEUES);
OPERATION(webhook_remove, "webhook remove", "WEBHOOK", "remove a webhook", run_webhook_remove, .subject = &subject_webhook,
    HTTP(DELETE, "webhooks/{webhook}", RIGHT_HOOKS), .effect = CHANGES, .needs_password = true, .versioned = true,
    .shown_by = &operation_webhook_show);
