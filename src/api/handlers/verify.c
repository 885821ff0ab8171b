/* SPDX-License-Identifier: MIT
 * The code that was sent to a lead's phone number (docs/api.md 4.1.9). */
#include "api/parameters.h"

#include "store/codes/phone_codes.h"

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

/* False: the call has failed. */
static bool
find_lead(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, reference, lead);
	if (result != RESULT_OK)
		return call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_LEAD_NOT_FOUND : call_failure(result));
	if (lead->verified_phone)
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

/* The code is removed last: if the call ends before the lead is verified, it can be sent again. */
void
handle_verify_phone_number(struct call *call)
{
	struct arguments arguments;
	struct lead lead;
	if (!call_read(call, GROUP_LEAD | GROUP_CODE, &arguments) || !find_lead(call, &arguments.lead, &lead))
		return;
	const struct slice code = without_gaps(call->request->pool, arguments.code);
	if (!try_code(call, &lead, code))
		return;
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = lead.id };
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.campaign_id = call->campaign.id,
		.account_id = call->account_id,
		.as.change = { .action = LEAD_VERIFY, .lead = reference, .argument = SLICE("phone"), .address = lead.phone },
	};
	if (call_execute(call, &command).failure != FAILURE_NONE)
		return;
	if (phone_code_remove(call->api->store, lead.id, lead.phone, code) != RESULT_OK)
		log_info("code_left"); /* it expires; the lead is verified, so it is of no use */
	call_answer(call, SLICE("{\"message\":\"Lead verified\"}"));
}
