/* SPDX-License-Identifier: MIT
 * The lead that an operation is about, named by its email address, phone number or social_id. */
#pragma once

#include "operation/operation.h"
#include "operation/value_types.h"

enum { LEAD_NAMES_MAX = 3 };

/* The names that a call gives. */
struct named_lead {
	struct lead_reference references[LEAD_NAMES_MAX];
	size_t count;
	struct slice typed; /* the last one, as it was given */
};

extern const struct value_type value_lead_email, value_lead_phone, value_lead_social_id; /* struct named_lead */
#define LEAD_PARAMETERS(type, member)                                                                                         \
	OPTION("email", value_lead_email, offsetof(type, member)), OPTION("phone", value_lead_phone, offsetof(type, member)), \
	    OPTION("social_id", value_lead_social_id, offsetof(type, member))
/* All arguments of an operation that only names a lead. */
extern const struct parameter lead_parameters[LEAD_NAMES_MAX];

/* Returns false for a text that is not a valid address, number or id. */
MUST_CHECK bool lead_reference_parse(
    struct pool *pool, enum lead_identity identity, struct slice text, struct lead_reference *lead);
/* Returns 0 if exactly one is given, else EX_USAGE after reporting it. */
MUST_CHECK int named_lead_check(struct operation_call *call, const struct named_lead *named);
/* Finds the one lead that is given, of the campaign in call->id, with all that is stored of its sign-up if `lead` is to have
 * its origin. Returns 0, or a status after reporting that it does not exist. */
MUST_CHECK int named_lead_find(struct operation_call *call, const struct named_lead *named, struct lead *lead);
MUST_CHECK int named_lead_find_with_origin(struct operation_call *call, const struct named_lead *named, struct lead *lead);
/* Returns the status of a search for a lead, as operation_answer does; RESULT_NOT_FOUND: of the lead. */
MUST_CHECK int named_lead_answer(struct operation_call *call, enum result result);
