/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign and their settings (docs/deliveries.md 1 to 4). */
#include <inttypes.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/operations.h"
#include "engine/events.h"
#include "operation/value_types.h"
#include "os/random.h"
#include "operation/wiring.h"
#include "store/operator/admin.h"
#include "store/webhook_health.h"
#include "webhook/signature.h"
#include "webhook/webhook_url.h"

#define PLACE(member) offsetof(struct webhook_settings, member)
static const char file[] = "an absolute path of at most 1024 bytes, or nothing";

static const struct value_setting setting_table[] = {
	{ "url", value_destination, PLACE(url), "an http or https URL of at most 2048 bytes" },
	{ "events", value_events, PLACE(events), "names of events, separated by commas" },
	{ "source", value_source, PLACE(source), "a text, or nothing" },
	{ "format", value_format, PLACE(form), "json or form" },
	{ "schedule", value_schedule, PLACE(schedule), "at most 32 durations from 1s to 7d, at most 255 bytes, or nothing" },
	{ "accepts", value_accepts, PLACE(accepts), "302, 303, or both, or nothing" },
	{ "rate", value_rate, PLACE(rate), "deliveries a second, 0 to 10000; 0: no limit" },
	{ "ca_file", value_file, PLACE(ca_file), file },
	{ "client_certificate", value_file, PLACE(client_certificate), file },
	{ "client_key", value_file, PLACE(client_key), file },
};
const struct value_settings admin_webhook_settings = { setting_table, ARRAY_SIZE(setting_table), "a webhook", 3 };

/* Reads the operands from the third on. Reports an unknown event and returns false. */
static bool
read_events(struct admin_call *call, uint32_t *events)
{
	*events = 0;
	for (size_t i = 2; i < call->operand_count; i++) {
		enum event_type event;
		if (!event_parse(slice_of(call->operands[i]), &event)) {
			admin_fail_operand(call, "events", "Invalid event type: %s", call->operands[i]);
			return false;
		}
		*events |= EVENT_BIT(event);
	}
	return true;
}

/* The rules are those of the API's registration. Reports a URL that is not allowed and returns false. */
static bool
check_url(struct admin_call *call, struct slice url)
{
	switch (webhook_url_judge(call->pool, url, call->wiring->webhook_addresses)) {
	case WEBHOOK_URL_OK:
		return true;
	case WEBHOOK_URL_INVALID:
		admin_fail_operand(call, "url", "the URL is not valid; it must start with http:// or https:// and have at most 2048 bytes");
		return false;
	case WEBHOOK_URL_FORBIDDEN:
		admin_fail_operand(call, "url",
		    "webhooks may not be sent to this address or port; the administrator can permit it (dispatch.allow_networks, deny_ports)");
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

/* Why a webhook that exists gets nothing, or gets it again and again. */
static void
warn_of_state(struct admin_call *call, uint64_t id)
{
	struct webhook_details webhook;
	if (store_find_webhook(call->store, call->pool, id, &webhook) != RESULT_OK)
		return;
	const int status = webhook.row.status;
	if (webhook.row.state == WEBHOOK_DISABLED)
		admin_warn(call, "warning: webhook %" PRIu64 " is disabled, its deliveries wait: leadhook webhook enable %" PRIu64, id, id);
	else if (webhook.row.failing_since_ms >= 0 && status >= 300 && status < 400)
		admin_warn(call, "warning: webhook %" PRIu64 " answers with a redirect (%d), and gets each delivery again: leadhook webhook test %" PRIu64
			   " says what to do", id, status, id);
}

int
admin_webhook_add(struct admin_call *call)
{
	struct webhook_put put = { .campaign_id = call->id,
		.url = slice_of(call->operands[1]),
		.source = slice_of(call->options[OPTION_SOURCE]),
		.maximum = call->conf->limits.webhooks_per_campaign };
	uint64_t id;
	bool form = false, created;
	static const struct value_option format = { OPTION_FORMAT, value_format, 0, "json or form" };
	if (!check_url(call, put.url) || !read_events(call, &put.events) || !values_take(call, &format, 1, &form))
		return EX_DATAERR;
	if (call->options[OPTION_FORMAT] != NULL)
		put.format = form ? FORMAT_FORM : FORMAT_JSON;
	put.secret = new_secret(call->pool);
	enum result result = store_put_webhook(call->store, &put, &id, &created);
	if (result == RESULT_TOO_MANY)
		return admin_fail(call, PROBLEM_CONFLICT,
		    "the campaign has %zu webhooks already (limits.webhooks_per_campaign)", put.maximum);
	int status = admin_answer_id(call, result, id);
	if (status != EX_OK)
		return status;
	output_secret(call->output, "secret", created ? put.secret : SLICE_NONE);
	if (!created)
		warn_of_state(call, id);
	return EX_OK;
}

static void
add_events(struct admin_call *call, uint32_t events)
{
	struct slice *names = POOL_ARRAY(call->pool, EVENT_TYPES, struct slice);
	size_t count = 0;
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		if ((events & EVENT_BIT(i)) != 0)
			names[count++] = event_name((enum event_type)i);
	output_texts(call->output, "events", names, count);
}

/* The fields of GET outbound-webhook. */
static void
add_webhook(struct admin_call *call, const struct webhook_row *webhook)
{
	output_record(call->output);
	output_u64(call->output, "referenceId", webhook->id);
	output_text(call->output, "url", webhook->url);
	output_keep_private(call->output); /* it may have a token */
	add_events(call, webhook->events);
	output_text(call->output, "source", webhook->source);
	output_text(call->output, "format", webhook->form ? SLICE("form") : SLICE("json"));
	output_text(call->output, "state", slice_of(webhook_shown_state(webhook->state, webhook->failing_since_ms)));
	output_time(call->output, "failing_since", webhook->failing_since_ms);
	output_u64_or_null(call->output, "last_status", (uint64_t)webhook->status);
	output_time(call->output, "last_delivery_at", webhook->last_delivery_ms);
}

/* What a list of many shows in addition; the exact numbers of one are those of `webhook show`. */
static void
add_health(struct admin_call *call, const struct webhook_row *webhook, const struct webhook_health *health)
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

int
admin_webhook_list(struct admin_call *call)
{
	struct webhook_row *webhooks;
	struct campaign campaign;
	size_t count;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_list_webhooks(call->store, call->pool, call->id, &webhooks, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	struct webhook_health *healths = POOL_ARRAY(call->pool, count, struct webhook_health);
	for (size_t i = 0; i < count; i++)
		healths[i] = (struct webhook_health){ .id = webhooks[i].id, .oldest_due_ms = -1 };
	result = store_add_oldest_due(call->store, call->pool, healths, count);
	if (result == RESULT_OK)
		result = store_add_recent_attempts(call->store, call->pool, now_ms, healths, count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		add_webhook(call, &webhooks[i]);
		add_health(call, &webhooks[i], &healths[i]);
	}
	return EX_OK;
}

int
admin_webhook_show(struct admin_call *call)
{
	struct webhook_details webhook;
	enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	const bool open = webhook.row.state == WEBHOOK_ACTIVE && webhook.failures >= call->conf->dispatch.breaker_failures;
	add_webhook(call, &webhook.row);
	output_u64(call->output, "campaign", webhook.row.campaign_id);
	output_boolean(call->output, "gone", webhook.row.state == WEBHOOK_GONE); /* its receiver disabled it */
	output_text(call->output, "last_error", webhook.last_error);
	output_u64(call->output, "failures", webhook.failures);
	output_text(call->output, "breaker", open ? SLICE("open") : SLICE("closed"));
	output_time(call->output, "held_until", webhook.held_until_ms);
	output_text(call->output, "schedule", webhook.settings.schedule);
	output_id_list(call->output, "accepts", slice_present(webhook.settings.accepts) ? webhook.settings.accepts : SLICE(""));
	output_u64_or_null(call->output, "rate", webhook.settings.rate);
	output_text(call->output, "ca_file", webhook.settings.ca_file);
	output_text(call->output, "client_certificate", webhook.settings.client_certificate);
	output_text(call->output, "client_key", webhook.settings.client_key);
	output_time(call->output, "previous_secret_until", webhook.previous_until_ms);
	output_u64(call->output, "pending", webhook.pending);
	output_time(call->output, "oldest_due", webhook.oldest_due_ms);
	return EX_OK;
}

struct edit {
	struct admin_call *call;
	struct webhook_settings *settings; /* the settings after the change */
};

/* A client certificate is the operator's, for the receiver that the operator has chosen. */
static bool
may_move(struct admin_call *call, const struct webhook_settings *settings)
{
	if (!slice_present(settings->client_certificate) || caller_is_operator(call->caller))
		return true;
	admin_fail(call, PROBLEM_FORBIDDEN, "only an operator may set url: the webhook has a client_certificate");
	return false;
}

static bool
apply_settings(void *context, struct webhook_settings *settings)
{
	const struct edit *edit = context;
	if (!values_apply(edit->call, 1, settings))
		return false;
	if (slice_present(settings->url) && !(may_move(edit->call, settings) && check_url(edit->call, settings->url)))
		return false;
	if (slice_present(settings->client_key) && !slice_present(settings->client_certificate)) {
		admin_fail(edit->call, PROBLEM_INVALID, "a client_key needs a client_certificate");
		return false;
	}
	*edit->settings = *settings;
	return true;
}

/* Only a warning, because the dispatcher may run on another host or as another user. */
static void
warn_unreadable(struct admin_call *call, const char *setting, struct slice path)
{
	if (values_have(call, 1, setting) && slice_present(path) && access(pool_string(call->pool, path), R_OK) != 0)
		admin_warn(call, "warning: %s cannot be read here: %.*s", setting, SLICE_ARGS(path));
}

int
admin_webhook_set(struct admin_call *call)
{
	struct webhook_settings settings;
	bool url_taken;
	enum result result =
	    store_edit_webhook(call->store, call->id, apply_settings, &(struct edit){ call, &settings }, &url_taken);
	if (url_taken)
		return admin_fail_operand(call, "url", "another webhook of the campaign has this URL");
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* already reported */
	if (result != RESULT_OK)
		return admin_answer(call, result);
	warn_unreadable(call, "ca_file", settings.ca_file);
	warn_unreadable(call, "client_certificate", settings.client_certificate);
	warn_unreadable(call, "client_key", settings.client_key);
	return admin_webhook_show(call);
}

/* The variant: whether to enable it, else it is disabled. */
int
admin_webhook_enable(struct admin_call *call)
{
	enum result result =
	    call->command->variant ? store_enable_webhook(call->store, call->id) : store_disable_webhook(call->store, call->id);
	return result == RESULT_OK ? admin_webhook_show(call) : admin_answer(call, result);
}

int
admin_webhook_rotate(struct admin_call *call)
{
	const struct slice secret = new_secret(call->pool);
	enum result result = store_rotate_secret(call->store, call->id, secret, call->conf->dispatch.rotation_overlap);
	/* a secret that may be in use is shown, because no other command shows it */
	if (result == RESULT_OK || result == RESULT_UNKNOWN) {
		output_record(call->output);
		output_secret(call->output, "secret", secret);
	}
	if (result == RESULT_UNKNOWN)
		return admin_fail(call, PROBLEM_UNCERTAIN,
		    "the connection was lost: the webhook may have the new secret; give it to the receiver, beside the old "
		    "one, before "
		    "you rotate again");
	return admin_answer(call, result);
}

int
admin_webhook_remove(struct admin_call *call)
{
	return admin_answer_id(call, store_remove_webhook_id(call->store, call->id), call->id);
}
