/* SPDX-License-Identifier: MIT
 * What a call that can fail answers, where the caller has to choose what to do next. */
#ifndef LEADHOOK_BASE_RESULT_H
#define LEADHOOK_BASE_RESULT_H

enum result {
	RESULT_OK = 0,
	RESULT_NOT_FOUND,   /* there is no such thing; nothing was changed */
	RESULT_INVALID,     /* the input is wrong: doing it again will not help */
	RESULT_CONFLICT,    /* somebody else was faster (deadlock, duplicate key): the whole transaction may be run again */
	RESULT_UNAVAILABLE, /* out of reach or out of resources for now; nothing was changed; try later */
	RESULT_UNKNOWN,     /* the connection broke during COMMIT: it may be done or not */
	RESULT_FAILED       /* a defect or a broken installation; logged where it was found */
};

/* "ok", "not found", … for logs. */
const char *result_text(enum result result);

#endif
