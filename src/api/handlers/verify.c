/* SPDX-License-Identifier: MIT */
#include "api/handlers/verify.h"

#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/lead_argument.h"
#include "api/call/limits.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "api/handlers/mail_link.h"
#include "identity/typed.h"

static bool
is_stranger(const struct call *call)
{
	return !call_has_right(call, RIGHT_CHANGE);
}

/* A lead with an id of 0 where there is none. Of a stranger it has a number in any case: its code is tried like any other, so
 * that the answer takes as long. False: the call has failed. */
static bool
find_lead(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	*lead = (struct lead){ .id = 0 };
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, reference, lead);
	if (result != RESULT_OK && (result != RESULT_NOT_FOUND || !is_stranger(call)))
		return call_fail_result(call, result, FAILURE_LEAD_NOT_FOUND);
	if (is_stranger(call)) {
		lead->phone = slice_present(lead->phone) ? lead->phone : SLICE("");
		return true;
	}
	if (lead->verified_phone)
		return call_fail(call, FAILURE_ALREADY_VERIFIED);
	return slice_present(lead->phone) || call_fail(call, FAILURE_INVALID_CODE);
}

/* The social id of a lead is in its referral link, and its email address is no secret either: a caller that has no more than
 * these does not use up the tries of a code. */
static bool
may_name(struct call *call, const struct lead_reference *reference)
{
	return !is_stranger(call) || reference->own || reference->identity == LEAD_BY_PHONE || call_fail_stranger(call);
}

bool
call_try_code(struct call *call, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict)
{
	const enum result result = lead_code_try(call->api->store, code, digits, verdict);
	return result == RESULT_OK || call_fail(call, call_failure(result));
}

/* The code is removed last: if the call ends before the lead is verified, it can be sent again. */
bool
call_verify_by_code(struct call *call, const struct lead_code *code, struct slice digits, struct outcome *outcome)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.as.change = {
			.action = LEAD_VERIFY,
			.lead = { .identity = LEAD_BY_ID, .id = code->lead_id },
			.argument = lead_channel_name(code->channel),
			.address = code->address,
		},
	};
	*outcome = is_stranger(call) ? call_execute_proof(call, &command.as.change) : call_execute(call, &command);
	if (outcome->failure != FAILURE_NONE)
		return false;
	if (lead_code_remove(call->api->store, code, digits) != RESULT_OK)
		log_info("code_left"); /* it expires */
	return true;
}

static bool
read_code(struct call *call, struct slice *typed)
{
	return param_read_text(call, PARAM_CODE, typed) && (slice_present(*typed) || call_fail(call, FAILURE_MISSING_CODE));
}

void
handle_verify_phone_number(struct call *call)
{
	struct lead_reference reference;
	struct slice typed;
	struct lead lead;
	enum lead_code_verdict verdict;
	struct outcome outcome;
	if (is_stranger(call) && !call_sends_codes(call)) {
		call_fail_stranger(call);
		return;
	}
	if (!read_code(call, &typed) || !lead_read(call, &reference) || !may_name(call, &reference) ||
	    !find_lead(call, &reference, &lead))
		return;
	const struct lead_code code = { CHANNEL_PHONE, lead.id, lead.phone };
	const struct slice digits = typed_code(call->request->pool, typed);
	if (!call_try_code(call, &code, digits, &verdict))
		return;
	if (verdict != LEAD_CODE_RIGHT)
		call_fail(call, FAILURE_INVALID_CODE);
	else if (call_verify_by_code(call, &code, digits, &outcome))
		call_answer(call, SLICE("{\"message\":\"Lead verified\"}"));
}
