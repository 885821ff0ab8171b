/* SPDX-License-Identifier: MIT
 * The caller of a request; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Finds the caller: a key, or a user by the cookie of a session. */
MUST_CHECK bool request_identify(struct manage_request *request);
/* The token in the cookie, or absent. */
struct slice request_token(const struct manage_request *request);
/* Whether a browser has sent the request from a page of the service itself. */
MUST_CHECK bool request_is_own_page(struct manage_request *request);
/* Sets the cookie; an absent token removes it. */
void request_set_cookie(struct manage_request *request, struct slice token);
/* Whether a user has entered the password recently; keys have none. */
MUST_CHECK bool request_demand_confirmation(struct manage_request *request);
