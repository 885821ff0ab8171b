/* SPDX-License-Identifier: MIT
 * The parameters of a sign-up (docs/api.md 4.4). */
#pragma once

#include "api/call/lead_argument.h"

/* The call that signs up. All have the fields of a lead, and some have additional parameters. */
enum signup_way {
	SIGNUP_BY_FORM,    /* additional: a token, proof of work, points */
	SIGNUP_BY_PAYLOAD, /* of an inbound webhook; additional: points */
	SIGNUP_BY_TAGGING
};

/* Slices that were not sent are absent. */
struct signup_arguments {
	struct signup signup;
	struct typed_number number; /* if it has a fault, it is left out */
	struct slice proof, stamp;  /* docs/api.md 8, as typed */
	bool trapped;               /* the honeypot of the form is filled */
};

/* False: the call has failed. */
MUST_CHECK bool signup_read(struct call *call, enum signup_way way, struct signup_arguments *arguments);
/* The lead as JSON, with a member `ignored` if something of the sign-up was left out (docs/api.md 4.4). */
struct slice signup_note_ignored(struct call *call, const struct signup_arguments *arguments, struct slice lead);
