/* SPDX-License-Identifier: MIT
 * The rules against bots for sign-ups without a key (docs/api.md 8). */
#pragma once

#include "api/call/signup_arguments.h"

enum bots_verdict {
	BOTS_PASS,
	BOTS_FAIL,   /* the call has failed */
	BOTS_PRETEND /* a bot: answer it as if it had signed up */
};

/* Checks the rules, and stores in the sign-up whether proof of work was given. */
enum bots_verdict call_check_bots(struct call *call, const struct signup_arguments *arguments, struct signup *signup);
/* Called after a sign-up: the rate of sign-ups with proof decides how difficult the next challenges are. */
void call_count_proof(struct call *call, const struct signup *signup);
/* The body of the answer to a bot: the lead that the sign-up would have made, in this view. */
struct slice call_pretend_lead(struct call *call, const struct signup *signup, struct payload_view view);

/* A new challenge for the campaign; absent: the call has failed. */
struct slice call_make_challenge(struct call *call);
