/* SPDX-License-Identifier: MIT
 * Forms that a browser sends without a script. Their answers are for people: a redirection or a page instead of JSON
 * (docs/api.md 4.1.10). */
#pragma once

#include "api/call/api_call.h"

/* Whether a browser sent a form without a script. */
MUST_CHECK bool call_is_form(const struct call *call);
/* Turns the answer to such a form into a redirection or a page. Does nothing for other calls. */
void call_finish_form(struct call *call);
