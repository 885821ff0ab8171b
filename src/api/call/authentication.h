/* SPDX-License-Identifier: MIT
 * Authentication (docs/api.md 3): the key of a request, or the token of a link. Functions that return false have failed the
 * call. */
#pragma once

#include "api/call/api_call.h"

/* Checks the authentication that the route needs, and the limits before it. */
MUST_CHECK bool call_authenticate(struct call *call);
/* Looks for a key in the body without parsing it. */
void call_look_for_key(struct call *call);
/* Whether the key or the campaign may be in the body, according to that search. */
MUST_CHECK bool call_body_may_identify(const struct call *call);
/* If they may be in the body, checks the other limits before the body is parsed. */
MUST_CHECK bool call_may_read_body(struct call *call);
/* Reads the key again, with the parameters of the body. Returns false if the key is another one or cannot be read: the call
 * must be authenticated again. */
MUST_CHECK bool call_confirm_key(struct call *call);
/* Counts a call whose parameters cannot be read, if it has not counted yet. */
MUST_CHECK bool call_count_unread(struct call *call);
/* Called at the end of the call. If a large body was parsed to find a key and contained no valid one, counts a wrong key, and
 * removes the known key. */
void call_note_unproven(struct call *call);
