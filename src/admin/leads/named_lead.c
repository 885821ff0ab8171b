/* SPDX-License-Identifier: MIT */
#include "admin/leads/named_lead.h"

#include <stddef.h>
#include <sysexits.h>

#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "operation/value_types.h"
#include "store/operator/timeline.h"

static bool
parse_email(struct value_reading *reading, struct slice text, void *place)
{
	struct named_lead *named = place;
	struct email email;
	if (!email_parse(reading->pool, text, &email))
		return false;
	named->references[named->count++] = (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = email.key };
	named->typed = text;
	return true;
}

static bool
parse_phone(struct value_reading *reading, struct slice text, void *place)
{
	struct named_lead *named = place;
	struct lead_reference *reference = &named->references[named->count++];
	reference->identity = LEAD_BY_PHONE;
	named->typed = text;
	return phone_parse(reading->pool, text, SLICE_NONE, &reference->value);
}

static bool
parse_social_id(struct value_reading *reading, struct slice text, void *place)
{
	struct named_lead *named = place;
	struct lead_reference *reference = &named->references[named->count++];
	reference->identity = LEAD_BY_SOCIAL_ID;
	named->typed = text;
	return social_id_parse(reading->pool, text, &reference->value);
}

const struct value_type value_lead_email = { .parse = parse_email, .expected = "an email address" };
const struct value_type value_lead_phone = { .parse = parse_phone, .expected = "a phone number that begins with +" };
const struct value_type value_lead_social_id = { .parse = parse_social_id, .expected = "the social_id of a lead" };

const struct parameter lead_parameters[LEAD_NAMES_MAX] = {
	OPTION("email", value_lead_email, 0),
	OPTION("phone", value_lead_phone, 0),
	OPTION("social_id", value_lead_social_id, 0),
};

int
named_lead_check(struct operation_call *call, const struct named_lead *named)
{
	return named->count == 1
		   ? EX_OK
		   : operation_fail(call, PROBLEM_USAGE, "%s takes %s", call->operation->words, call->operation->usage);
}

int
named_lead_answer(struct operation_call *call, enum result result)
{
	return result == RESULT_NOT_FOUND ? operation_fail(call, PROBLEM_NOT_FOUND, "there is no such lead")
					  : operation_answer(call, result);
}

int
named_lead_find(struct operation_call *call, const struct named_lead *named, struct lead *lead)
{
	struct campaign campaign;
	const enum result result = operation_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	return named_lead_answer(call, store_find_lead(call->store, call->pool, call->id, &named->references[0], lead));
}

int
named_lead_find_with_origin(struct operation_call *call, const struct named_lead *named, struct lead *lead)
{
	const int status = named_lead_find(call, named, lead);
	return status == EX_OK ? operation_answer(call, store_find_origin(call->store, call->pool, lead)) : status;
}
