/* SPDX-License-Identifier: MIT
 * Result of a call that can fail, for callers that must handle the cases differently; reasons of failed logins. */
#ifndef LEADHOOK_BASE_RESULT_H
#define LEADHOOK_BASE_RESULT_H

enum result {
	RESULT_OK = 0,
	RESULT_NOT_FOUND, /* not found; nothing was changed */
	RESULT_INVALID,   /* invalid input: a retry will not help */
	RESULT_TOO_MANY,  /* a maximum is reached; nothing was changed */
	RESULT_CONFLICT, /* conflict with another transaction (deadlock, duplicate key): the whole transaction can be retried */
	RESULT_UNAVAILABLE, /* unreachable or out of resources; nothing was changed; retry later */
	RESULT_UNKNOWN,     /* the connection broke during COMMIT: the transaction may be committed or not */
	RESULT_FAILED       /* a defect or a broken installation; logged where it was detected */
};

/* Why a database server denied access, or was not trusted with the password. */
enum denial {
	DENIAL_NONE,
	DENIAL_ACCOUNT,  /* name or password */
	DENIAL_HOST,     /* no account may connect from this one */
	DENIAL_DATABASE, /* it does not exist, or the account has no rights on it */
	DENIAL_TLS,
	DENIAL_PLUGIN /* for authentication */
};

/* "ok", "not found", … for logs. */
const char *result_text(enum result result);

#endif
