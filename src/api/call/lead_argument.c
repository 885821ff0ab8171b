/* SPDX-License-Identifier: MIT */
#include "api/call/lead_argument.h"

#include "api/call/call_answers.h"
#include "api/call/param_values.h"
#include "identity/social_id.h"

/* `social_id/token`, as in the address of a lead's page. A wrong token proves nothing. */
bool
lead_read_owner(struct call *call, struct lead_reference *own)
{
	struct slice text, id;
	*own = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = SLICE_NONE };
	if (!param_read_text(call, PARAM_TOKEN, &text))
		return false;
	const size_t slash = slice_find(text, '/');
	if (!slice_present(text) || !social_id_parse(call->request->pool, slice_sub(text, 0, slash), &id))
		return true;
	return call_find_owner(call, id, slice_sub(text, slash + 1, text.size), own);
}

/* Reads both the token and the social id, so that a malformed social id is an error even with a token. */
static bool
read_token_and_id(struct call *call, struct lead_reference *lead)
{
	struct slice typed, id;
	if (!lead_read_owner(call, lead) || !param_read_text(call, PARAM_SOCIAL_ID, &typed))
		return false;
	if (!slice_present(typed))
		return true;
	if (!social_id_parse(call->request->pool, typed, &id))
		return call_fail(call, FAILURE_LEAD_NOT_FOUND);
	if (!lead->own)
		lead->value = id;
	return true;
}

bool
lead_read_email(struct call *call, struct email *email)
{
	struct slice typed;
	*email = (struct email){ .key = SLICE_NONE };
	return param_read_text(call, PARAM_EMAIL, &typed) &&
	       (!slice_present(typed) || email_parse(call->request->pool, typed, email) ||
		   call_fail_with(call, FAILURE_INVALID_EMAIL, email_fault(typed)));
}

bool
lead_read_number(struct call *call, struct typed_number *number)
{
	struct slice country_code;
	*number = (struct typed_number){ .fault = PHONE_GOOD };
	if (!param_read_text(call, PARAM_PHONE_NUMBER, &number->typed) ||
	    !param_read_text(call, PARAM_COUNTRY_CODE, &country_code))
		return false;
	if (slice_present(number->typed))
		number->fault = phone_read(call->request->pool, number->typed, country_code, &number->number);
	if (number->fault != PHONE_GOOD && phone_is_blank(call->request->pool, number->typed, country_code))
		number->fault = PHONE_GOOD;
	return true;
}

struct slice
lead_typed_number(const struct call *call)
{
	const struct slice typed = http_params_text(call->params, SLICE("phone_number")),
			   country_code = http_params_text(call->params, SLICE("country_code"));
	struct slice number;
	return phone_parse(call->request->pool, typed, country_code, &number) ? number : SLICE_NONE;
}

static bool
read_address(struct call *call, struct lead_reference *lead)
{
	struct email email;
	struct typed_number number;
	if (!lead_read_email(call, &email))
		return false;
	*lead = (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = email.key };
	if (slice_present(email.key))
		return true;
	if (!lead_read_number(call, &number))
		return false;
	*lead = (struct lead_reference){ .identity = LEAD_BY_PHONE, .value = number.number };
	return number.fault == PHONE_GOOD || call_fail_with(call, FAILURE_INVALID_PHONE_NUMBER, phone_fault_text(number.fault));
}

bool
lead_read(struct call *call, struct lead_reference *lead)
{
	return read_token_and_id(call, lead) && (slice_present(lead->value) || read_address(call, lead)) &&
	       (slice_present(lead->value) || call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER));
}

bool
lead_read_social_id(struct call *call, struct lead_reference *lead)
{
	return read_token_and_id(call, lead) &&
	       (slice_present(lead->value) || call_fail(call, FAILURE_MISSING_LEAD_IDENTIFIER));
}
