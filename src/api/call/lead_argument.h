/* SPDX-License-Identifier: MIT
 * The lead that a call is about (docs/api.md 4.1.1). Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"
#include "identity/email.h"
#include "identity/phone.h"

/* The lead whose token the caller has sent, which makes it the lead's owner (docs/api.md 4.1.11). Without a valid token the
 * value is absent. */
MUST_CHECK bool lead_read_owner(struct call *call, struct lead_reference *own);
/* The lead of the token, of the social id, of the email address or of the phone number: the first of these that the call has.
 * `own` is set only for a token. */
MUST_CHECK bool lead_read(struct call *call, struct lead_reference *lead);
/* Like lead_read, but ignores email addresses and phone numbers. */
MUST_CHECK bool lead_read_social_id(struct call *call, struct lead_reference *lead);

/* The email address of the call; zeros if it has none. */
MUST_CHECK bool lead_read_email(struct call *call, struct email *email);
/* The phone number of the call, as typed and in E.164; absent if there is none. Also contains what is wrong with it. */
struct typed_number {
	struct slice typed, number;
	enum phone_fault fault;
};
MUST_CHECK bool lead_read_number(struct call *call, struct typed_number *number);
/* The phone number of the call in E.164; absent if there is no valid one. Never fails the call. */
struct slice lead_typed_number(const struct call *call);
