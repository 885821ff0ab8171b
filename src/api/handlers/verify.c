/* SPDX-License-Identifier: MIT
 * The code that was sent to a lead's phone number (docs/api.md 4.1.9, 4.1.14). Callers without a key do not see which numbers
 * are those of leads. */
#include "api/fetch.h"
#include "api/pages.h"
#include "api/parameters.h"

#include "store/codes/phone_codes.h"
#include "store/messages.h"

/* Spaces and hyphens, with which codes are written. */
static struct slice
without_gaps(struct pool *pool, struct slice typed)
{
	char *text = pool_alloc(pool, typed.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < typed.size; i++)
		if (typed.data[i] != ' ' && typed.data[i] != '-')
			text[size++] = typed.data[i];
	text[size] = '\0';
	return (struct slice){ text, size };
}

static bool
is_stranger(const struct call *call)
{
	return call->account_id == 0;
}

/* False: the call has failed. */
static bool
find_lead(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, reference, lead);
	if (result != RESULT_OK)
		return call_fail(call, result != RESULT_NOT_FOUND ? call_failure(result)
				       : is_stranger(call)        ? FAILURE_INVALID_CODE
								  : FAILURE_LEAD_NOT_FOUND);
	if (lead->verified_phone && !is_stranger(call))
		return call_fail(call, FAILURE_ALREADY_VERIFIED);
	return slice_present(lead->phone) || call_fail(call, FAILURE_INVALID_CODE);
}

/* False: the call has failed. */
static bool
try_code(struct call *call, const struct lead *lead, struct slice code)
{
	enum phone_code_verdict verdict;
	const enum result result = phone_code_try(call->api->store, lead->id, lead->phone, code, &verdict);
	if (result != RESULT_OK)
		return call_fail(call, call_failure(result));
	return verdict == PHONE_CODE_RIGHT || call_fail(call, FAILURE_INVALID_CODE);
}

/* The code is removed last: if the call ends before the lead is verified, it can be sent again. False: the call has failed. */
static bool
verify(struct call *call, const struct lead *lead, struct slice code)
{
	struct command command = {
		.kind = COMMAND_CHANGE,
		.campaign_id = call->campaign.id,
		.account_id = call->account_id,
		.as.change = {
			.action = LEAD_VERIFY,
			.lead = { .identity = LEAD_BY_ID, .id = lead->id },
			.argument = lead_channel_name(CHANNEL_PHONE),
			.address = lead->phone,
			.by_lead = is_stranger(call),
		},
	};
	if (is_stranger(call)) {
		command.as.change.ip = call->has_client ? ip_address_format(call->request->pool, &call->client) : SLICE_NONE;
		command.as.change.user_agent = call_header_text(call, call->request->user_agent);
	}
	if (call_execute(call, &command).failure != FAILURE_NONE)
		return false;
	if (phone_code_remove(call->api->store, lead->id, lead->phone, code) != RESULT_OK)
		log_info("code_left"); /* it expires; the lead is verified, so it is of no use */
	return true;
}

void
handle_verify_phone_number(struct call *call)
{
	struct arguments arguments;
	struct lead lead;
	if (is_stranger(call) && !call_sends_codes(call)) {
		call_fail(call, FAILURE_MISSING_API_KEY);
		return;
	}
	if (!call_read(call, GROUP_LEAD | GROUP_CODE, &arguments) || !find_lead(call, &arguments.lead, &lead))
		return;
	const struct slice code = without_gaps(call->request->pool, arguments.code);
	if (try_code(call, &lead, code) && verify(call, &lead, code))
		call_answer(call, SLICE("{\"message\":\"Lead verified\"}"));
}

/* ---- the page ---- */

static bool
has_codes(struct call *call)
{
	return call_sends_codes(call) || call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
}

static struct slice
text_of(const struct call *call, struct slice name)
{
	struct slice text;
	return http_value_string(http_params_value(call->params, name), &text) ? text : SLICE_NONE;
}

/* A form for the number. */
static void
show_number_form(struct call *call, enum page_value verdict)
{
	struct page page = call_begin_page(call);
	const struct page_fields fields = {
		.items = { { .name = SLICE("phone_number"), .type = PAGE_FIELD_TEL, .required = true } }, .count = 1
	};
	struct page_form form = {
		.fields = &fields, .values = { text_of(call, SLICE("phone_number")) }, .verdicts = { verdict }
	};
	form.action = page_path(&page, SLICE("/code"));
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_plain_form(&page, &form, TEXT_CODE_TITLE, TEXT_CODE_NUMBER, TEXT_CODE_RESEND);
}

static void
show_code_form(struct call *call, struct slice number, enum page_value verdict)
{
	struct page page = call_begin_page(call);
	const struct page_hidden hidden = { SLICE("phone_number"), number };
	const struct page_code code = { .address = number,
		.by_phone = true,
		.verdict = verdict,
		.hidden = &hidden,
		.hidden_count = 1,
		.can_resend = true };
	call_try_looks(call, &page);
	call_page_headers(call, &page, PAGE_SECRET);
	page_write_code(&page, &code);
}

void
handle_code_page(struct call *call)
{
	if (!has_codes(call))
		return;
	const struct slice number = call_typed_number(call);
	if (slice_present(number))
		show_code_form(call, number, PAGE_VALUE_OK);
	else
		show_number_form(call, PAGE_VALUE_OK);
}

/* A lead with an id of 0 where there is none: its code is tried like any other. False: the call has failed. */
static bool
find_by_number(struct call *call, struct slice number, struct lead *lead)
{
	const struct lead_reference reference = { .identity = LEAD_BY_PHONE, .value = number };
	*lead = (struct lead){ .id = 0, .phone = number };
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, &reference, lead);
	return result == RESULT_OK || result == RESULT_NOT_FOUND || call_fail(call, call_failure(result));
}

/* Requests a code, if there is such a lead. The answer is the same for every number. */
static void
request_code(struct call *call, struct slice number)
{
	struct lead lead;
	const bool may_request = call_pass_code(call);
	if (!find_by_number(call, number, &lead))
		return;
	if (lead.id != 0 && may_request) {
		const struct made_message message = { call->campaign.id, lead.id, MESSAGE_CODE, 0 };
		const enum result result = store_request_messages(call->api->store, &message, 1);
		if (result != RESULT_OK) {
			call_fail(call, call_failure(result));
			return;
		}
	}
	show_code_form(call, number, PAGE_VALUE_OK);
}

static void
show_verified(struct call *call, const struct lead *lead)
{
	struct outcome outcome;
	const struct look_up look_up = {
		.campaign_id = call->campaign.id,
		.reference = { .identity = LEAD_BY_ID, .id = lead->id },
		.view.own = true,
	};
	fetch_lead(call, call->api->store, &look_up, &outcome);
	const struct slice url = outcome.failure == FAILURE_NONE
				     ? call_payload_text(call->request->pool, outcome.body, SLICE("status_url"))
				     : SLICE_NONE; /* the number is verified anyway */
	if (!call_redirect(call, url))
		call_answer_message(call, TEXT_CONFIRMED_TITLE, TEXT_CONFIRMED_TEXT);
}

static void
type_code(struct call *call, struct slice number, struct slice code)
{
	struct lead lead;
	enum phone_code_verdict verdict;
	if (!find_by_number(call, number, &lead))
		return;
	const enum result result = phone_code_try(call->api->store, lead.id, number, code, &verdict);
	if (result != RESULT_OK) {
		call_fail(call, call_failure(result));
		return;
	}
	if (verdict != PHONE_CODE_RIGHT) {
		show_code_form(call, number, PAGE_VALUE_INVALID);
		call->response->status = 406;
	} else if (verify(call, &lead, code)) {
		show_verified(call, &lead);
	}
}

void
handle_code(struct call *call)
{
	if (!has_codes(call))
		return;
	const struct slice number = call_typed_number(call), typed = text_of(call, SLICE("code"));
	const bool resends = http_params_find(call->params, SLICE("resend")) != NULL;
	if (!slice_present(number)) {
		show_number_form(call, text_of(call, SLICE("phone_number")).size > 0 ? PAGE_VALUE_INVALID : PAGE_VALUE_MISSING);
		call->response->status = 406;
	} else if (resends || !slice_present(typed)) {
		request_code(call, number);
	} else {
		type_code(call, number, without_gaps(call->request->pool, typed));
	}
}
