/* SPDX-License-Identifier: MIT
 * The lead that a call is about (docs/api.md 4.1.1). Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"
#include "identity/email.h"
#include "identity/phone.h"

/* The lead whose token the caller has sent, which makes it the lead's owner (docs/api.md 4.1.11). Without a valid token the
 * value is absent. */
MUST_CHECK bool lead_read_owner(struct call *call, struct lead_reference *own);
/* The lead of a token, otherwise of a social id, of an email address, or of a phone number, in this order. Only that of a token
 * has `own`. */
MUST_CHECK bool lead_read(struct call *call, struct lead_reference *lead);
/* The same without addresses. */
MUST_CHECK bool lead_read_social_id(struct call *call, struct lead_reference *lead);

/* The email address of the call; zeros: there is none. */
MUST_CHECK bool lead_read_email(struct call *call, struct email *email);
/* The phone number of the call: as typed, and in E.164; absent: there is none. Returns what is wrong with it. */
struct typed_number {
	struct slice typed, number;
	enum phone_fault fault;
};
MUST_CHECK bool lead_read_number(struct call *call, struct typed_number *number);
/* The same number in E.164, without a failure; absent: there is no valid one. */
struct slice lead_typed_number(const struct call *call);
