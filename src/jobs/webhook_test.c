/* SPDX-License-Identifier: MIT */
#include "jobs/webhook_test.h"

#include <stddef.h>

#include "base/utf8.h"
#include "deliver/send/single_attempt.h"
#include "jobs/job_fields.h"
#include "store/find.h"
#include "store/operator/webhook_admin.h"
#include "store/queue/due_deliveries.h"
#include "webhook/retry.h"
#include "webhook/webhook_url.h"

/* The payload of a made-up lead with the next number of the campaign. */
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
	*payload = buffer_take(&with_event, pool);
	buffer_free(&whole);
	return good;
}

static enum result
make_delivery(const struct job_settings *settings, struct store *store, struct pool *pool, uint64_t webhook_id,
    struct due_delivery *delivery, int64_t *now_ms)
{
	const struct payload_settings *payload;
	struct webhook_details webhook;
	struct campaign campaign;
	enum result result = store_find_webhook(store, pool, webhook_id, &webhook);
	if (result == RESULT_OK)
		result = store_test_delivery(store, pool, webhook_id, delivery);
	if (result == RESULT_OK)
		result = store_find_campaign(store, pool, webhook.row.campaign_id, &campaign, now_ms);
	if (result == RESULT_OK)
		result = store_payload_settings(store, &payload);
	if (result != RESULT_OK)
		return result;
	delivery->form = webhook.row.form || webhook_url_wants_form(webhook.row.url, settings->form_urls);
	delivery->form_brackets = campaign.compat;
	return render(pool, payload, campaign, *now_ms, &delivery->payload) ? RESULT_OK : RESULT_FAILED;
}

enum result
job_test_webhook(
    const struct job_settings *settings, struct store *store, struct pool *pool, uint64_t webhook_id, struct webhook_test *test)
{
	struct due_delivery delivery;
	struct attempt_result attempt;
	int64_t now_ms;
	const enum result result = make_delivery(settings, store, pool, webhook_id, &delivery, &now_ms);
	if (result != RESULT_OK)
		return result;
	*test = (struct webhook_test){ .sealed = delivery.destination->sealed };
	if (test->sealed)
		return RESULT_OK;
	if (!single_attempt_send(pool, &settings->sender, &delivery, now_ms, &attempt))
		return RESULT_REFUSED;
	const bool respelled = webhook_url_is_respelled(delivery.destination->url, attempt.location);
	*test = (struct webhook_test){
		.ok = attempt.error == SENDER_OK &&
		      retry_is_taken(attempt.status, respelled ? SLICE_NONE : delivery.destination->accepts),
		.moved = slice_present(attempt.location) &&
			 (respelled || attempt.status == 301 || attempt.status == 307 || attempt.status == 308),
		.status = (uint64_t)attempt.status,
		.duration_ms = (uint64_t)attempt.duration_ms,
		.error = sender_error_name(attempt.error),
		.location = attempt.location,
		.answer = attempt.status == 0 && attempt.answer.size == 0 ? SLICE_NONE : utf8_sanitized(pool, attempt.answer),
	};
	return RESULT_OK;
}

#define PLACE(member) offsetof(struct webhook_test, member)
const struct job_field webhook_test_fields[] = {
	{ "ok", JOB_FIELD_BOOLEAN, PLACE(ok) },
	{ "status", JOB_FIELD_ID, PLACE(status) },
	{ "location", JOB_FIELD_TEXT, PLACE(location) },
	{ "moved", JOB_FIELD_BOOLEAN, PLACE(moved) },
	{ "error", JOB_FIELD_TEXT, PLACE(error) },
	{ "duration_ms", JOB_FIELD_NUMBER, PLACE(duration_ms) },
	{ "answer", JOB_FIELD_TEXT, PLACE(answer) },
	{ .name = NULL },
};
