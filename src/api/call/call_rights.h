/* SPDX-License-Identifier: MIT
 * What the caller may do and see. */
#pragma once

#include "api/call/api_call.h"

/* What the caller may do in the account: the rights of its key, or of the URL of an inbound webhook. RIGHTS_NONE: it has
 * neither. */
rights call_rights(const struct call *call);
MUST_CHECK bool call_has_right(const struct call *call, enum right right);
/* Fails, because the caller has no key, or one without the right that it needs here. */
bool call_fail_stranger(struct call *call);
/* The lead with this social id, if the token makes the caller its owner (docs/api.md 4.1.11): *own names it while the token is
 * valid, and has no value where it is not. False: the call has failed. */
MUST_CHECK bool call_find_owner(struct call *call, struct slice social_id, struct slice token, struct lead_reference *own);
/* Whether the caller may see the lead that it names so. False: the call has failed. */
MUST_CHECK bool call_may_see(struct call *call, const struct lead_reference *lead);
