/* SPDX-License-Identifier: MIT
 * The test of a webhook: sends one delivery of an invented lead and shows the outcome (leadhook(1), webhook test). */
#include <sysexits.h>

#include "admin/admin.h"
#include "admin/commands.h"
#include "base/utf8.h"
#include "store/operator/admin.h"
#include "webhook/webhook_url.h"

/* The payload of an invented lead with the next number of the campaign. */
static bool
render(
    struct pool *pool, const struct payload_settings *settings, struct campaign campaign, int64_t now_ms, struct slice *payload)
{
	const struct lead lead = {
		.campaign_id = campaign.id,
		.subscription_number = campaign.last_subscription_number + 1,
		.counter = 1,
		.social_id = SLICE("0000000000"),
		.email = SLICE("test@example.org"),
		.email_key = SLICE("test@example.org"),
		.custom_fields = SLICE("{\"first_name\":\"Test\",\"last_name\":\"Lead\"}"),
		.ip = SLICE("192.0.2.1"),
		.created_ms = now_ms,
	};
	static const struct definitions none = { 0 };
	struct buffer whole, with_event;
	campaign.counters.leads++;
	const struct payload_subject subject = {
		.campaign = &campaign, .lead = &lead, .definitions = &none, .score_rank = campaign.counters.leads
	};
	buffer_init(&whole, PAYLOAD_MAX_BYTES);
	buffer_init(&with_event, PAYLOAD_MAX_BYTES);
	payload_write(&whole, settings, &subject, payload_webhook_view(&campaign));
	payload_write_test(&with_event, buffer_slice(&whole));
	const bool good = buffer_ok(&whole) && buffer_ok(&with_event);
	*payload = pool_copy(pool, buffer_slice(&with_event));
	buffer_free(&whole);
	buffer_free(&with_event);
	return good;
}

/* Makes the test delivery; RESULT_NOT_FOUND: no such webhook. */
static enum result
make_delivery(struct admin_call *call, struct due_delivery *delivery, int64_t *now_ms)
{
	const struct payload_settings *settings;
	struct webhook_details webhook;
	struct campaign campaign;
	enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	if (result == RESULT_OK)
		result = store_test_delivery(call->store, call->pool, call->id, delivery);
	if (result == RESULT_OK)
		result = store_find_campaign(call->store, call->pool, webhook.row.campaign_id, &campaign, now_ms);
	if (result == RESULT_OK)
		result = store_payload_settings(call->store, &settings);
	if (result != RESULT_OK)
		return result;
	delivery->form = webhook.row.form || webhook_url_wants_form(webhook.row.url, slice_of(call->conf->dispatch.form_urls));
	delivery->form_brackets = campaign.compat;
	return render(call->pool, settings, campaign, *now_ms, &delivery->payload) ? RESULT_OK : RESULT_FAILED;
}

int
admin_webhook_test(struct admin_call *call)
{
	struct due_delivery delivery;
	struct admin_attempt attempt;
	int64_t now_ms;
	enum result result = make_delivery(call, &delivery, &now_ms);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (delivery.destination->sealed)
		return admin_fail(call, PROBLEM_CONFIG,
		    "URL or secret of the webhook cannot be opened: server.secrets_key does not have its key (leadhook check)");
	if (!call->wiring->deliver(call->pool, &delivery, now_ms, &attempt))
		return admin_fail(call, PROBLEM_INTERNAL, "nothing can be sent from here");
	const bool good = !slice_present(attempt.error) && attempt.status >= 200 && attempt.status < 300;
	output_record(call->output);
	output_boolean(call->output, "ok", good);
	output_u64_or_null(call->output, "status", (uint64_t)attempt.status);
	output_text(call->output, "error", attempt.error);
	output_u64(call->output, "duration_ms", (uint64_t)attempt.duration_ms);
	output_text(call->output, "answer", attempt.status == 0 ? SLICE_NONE : utf8_sanitized(call->pool, attempt.answer));
	return good ? EX_OK : EX_UNAVAILABLE;
}
