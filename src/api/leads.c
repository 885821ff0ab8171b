/* SPDX-License-Identifier: MIT
 * Create or update a lead; look one up. */
#include "api/call.h"

#include "base/clock.h"
#include "core/email.h"
#include "core/payload.h"
#include "core/social_id.h"

void
handle_signup(struct call *call)
{
	struct command command;
	const struct command *commands[] = { &command };
	struct outcome outcome;
	if (campaign_has_ended(&call->campaign, call->now_ms)) {
		call_fail(call, FAILURE_CAMPAIGN_ENDED);
		return;
	}
	if (!call_parse_signup(call, &command))
		return;
	int64_t deadline_ms = clock_monotonic_ms() + call->api->options->request_timeout_ms;
	store_execute(call->api->store, call->request->pool, commands, 1, deadline_ms, &outcome);
	if (outcome.failure != FAILURE_NONE)
		call_fail_with(call, outcome.failure, outcome.detail);
	else
		call_answer(call, outcome.body);
}

/* What a look-up goes by: the first of social_id and kid, email, phone_number (contract.md 4.1). */
static bool
parse_identity(struct call *call, enum lead_identity *identity, struct slice *value)
{
	struct slice social_id, kid, phone;
	struct email email;
	if (!call_text(call, "social_id", &social_id) || !call_text(call, "kid", &kid))
		return false;
	if (!slice_present(social_id))
		social_id = kid;
	if (slice_present(social_id)) {
		*identity = LEAD_BY_SOCIAL_ID;
		if (social_id_parse(call->request->pool, social_id, value))
			return true;
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
		return false;
	}
	if (!call_parse_email(call, &email))
		return false;
	*identity = LEAD_BY_EMAIL;
	*value = email.key;
	if (slice_present(email.key))
		return true;
	if (!call_parse_phone(call, &phone))
		return false;
	*identity = LEAD_BY_PHONE;
	*value = phone;
	if (!slice_present(phone))
		call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER);
	return slice_present(phone);
}

void
handle_lookup(struct call *call)
{
	enum lead_identity identity;
	struct slice value;
	struct payload_view view;
	struct lead lead;
	const struct payload_settings *settings;
	if (!parse_identity(call, &identity, &value) || !call_parse_view(call, &view))
		return;
	enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, identity, value, &lead);
	if (result == RESULT_OK)
		result = store_payload_settings(call->api->store, &settings);
	if (result != RESULT_OK) {
		call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_LEAD_NOT_FOUND : call_failure(result));
		return;
	}
	struct payload_subject subject = payload_subject_of(&call->campaign, &lead);
	payload_write(&call->response->body, settings, &subject, view);
}
