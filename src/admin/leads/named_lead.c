/* SPDX-License-Identifier: MIT */
#include "admin/leads/named_lead.h"

#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "store/operator/timeline.h"

bool
lead_reference_parse(struct pool *pool, enum lead_identity identity, struct slice text, struct lead_reference *lead)
{
	struct email email;
	lead->identity = identity;
	if (identity == LEAD_BY_PHONE)
		return phone_parse(pool, text, SLICE_NONE, &lead->value);
	if (identity == LEAD_BY_SOCIAL_ID)
		return social_id_parse(pool, text, &lead->value);
	if (!email_parse(pool, text, &email))
		return false;
	lead->value = email.key;
	return true;
}

static bool
parse_name(struct value_reading *reading, struct slice text, void *place)
{
	struct named_lead *named = place;
	const enum lead_identity identity = reading->type == &value_lead_email   ? LEAD_BY_EMAIL
					    : reading->type == &value_lead_phone ? LEAD_BY_PHONE
										 : LEAD_BY_SOCIAL_ID;
	named->typed = text;
	return lead_reference_parse(reading->pool, identity, text, &named->references[named->count++]);
}
const struct value_type value_lead_email = { .parse = parse_name, .expected = "an email address" };
const struct value_type value_lead_phone = { .parse = parse_name, .expected = "a phone number that begins with +" };
const struct value_type value_lead_social_id = { .parse = parse_name, .expected = "the social_id of a lead" };

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
	const int status = named_lead_check(call, named);
	if (status != EX_OK)
		return status;
	const enum result result = operation_find_campaign(call, NULL);
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
