/* SPDX-License-Identifier: MIT
 * The result of a call that can fail in several ways, and the reasons for failed logins to a database. */
#pragma once

enum result {
	RESULT_OK = 0,
	RESULT_NOT_FOUND,    /* not found; nothing was changed */
	RESULT_WRONG_SCHEMA, /* the tables of the database are those of another version of this program */
	RESULT_REFUSED,      /* refused by a rule, for the reason that the call gives; nothing was changed */
	RESULT_TOO_MANY,     /* a maximum is reached; nothing was changed */
	RESULT_OUTDATED,     /* the settings have been changed since the caller read them; nothing was changed */
	RESULT_REPEATED,     /* an earlier call with the same request key did this; nothing was changed */
	RESULT_CONFLICT, /* conflict with another transaction (deadlock, duplicate key): the whole transaction can be retried */
	RESULT_UNAVAILABLE, /* unreachable or out of resources; nothing was changed; retry later */
	RESULT_UNKNOWN,     /* the connection broke during COMMIT: the transaction may be committed or not */
	RESULT_FAILED       /* a defect or a broken installation; logged where it was detected */
};

/* Why a database server denied access, or was not trusted with the password. */
enum denial {
	DENIAL_NONE,
	DENIAL_ACCOUNT,  /* wrong name or password */
	DENIAL_HOST,     /* no account may connect from this host */
	DENIAL_DATABASE, /* the database does not exist, or the account has no rights to it */
	DENIAL_TLS,
	DENIAL_PLUGIN /* the plugin for authentication is not supported */
};

/* "ok", "not found", … for logs. */
const char *result_text(enum result result);
