/* SPDX-License-Identifier: MIT
 * The lead that an operation is about, named by its email address, phone number or social_id. */
#pragma once

#include "operation/operation.h"
#include "operation/value_types.h"

enum { LEAD_NAMES_MAX = 3 };

/* The names of a lead that a call gives. */
struct named_lead {
	struct lead_reference references[LEAD_NAMES_MAX];
	size_t count;
	struct slice typed; /* the last name, as it was given */
};

extern const struct value_type value_lead_email, value_lead_phone, value_lead_social_id; /* struct named_lead */
#define LEAD_PARAMETERS(type, member)                                                                                         \
	OPTION("email", value_lead_email, offsetof(type, member)), OPTION("phone", value_lead_phone, offsetof(type, member)), \
	    OPTION("social_id", value_lead_social_id, offsetof(type, member))
/* The parameters of an operation that takes nothing but a lead. */
extern const struct parameter lead_parameters[LEAD_NAMES_MAX];

/* Returns false for a text that is not a valid address, number or id. */
MUST_CHECK bool lead_reference_parse(
    struct pool *pool, enum lead_identity identity, struct slice text, struct lead_reference *lead);
/* Returns 0 if exactly one name is given; otherwise reports the usage and returns EX_USAGE. */
MUST_CHECK int named_lead_check(struct operation_call *call, const struct named_lead *named);
/* Finds the lead of that name in the campaign call->id; the second function also reads the origin of its sign-up. Returns 0, or
 * a status after reporting the error. */
MUST_CHECK int named_lead_find(struct operation_call *call, const struct named_lead *named, struct lead *lead);
MUST_CHECK int named_lead_find_with_origin(struct operation_call *call, const struct named_lead *named, struct lead *lead);
/* As operation_answer, for a search in which RESULT_NOT_FOUND is about the lead. */
MUST_CHECK int named_lead_answer(struct operation_call *call, enum result result);
