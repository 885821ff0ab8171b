/* SPDX-License-Identifier: MIT
 * Every way in which a call of the API can fail: status, stable code and message, word for word (docs/api.md 2). */
#ifndef LEADHOOK_ENGINE_FAILURE_H
#define LEADHOOK_ENGINE_FAILURE_H

enum failure {
	FAILURE_NONE = 0,
	FAILURE_BAD_REQUEST, /* a body shorter than announced, an ambiguous X-Forwarded-For */
	FAILURE_NO_LEADS,
	FAILURE_CAMPAIGN_NOT_FOUND,
	FAILURE_LEAD_NOT_FOUND,
	FAILURE_LEADS_NOT_FOUND,
	FAILURE_ACTION_NOT_FOUND,
	FAILURE_TAG_NOT_FOUND,
	FAILURE_WEBHOOK_NOT_FOUND,
	FAILURE_NOT_FOUND,
	FAILURE_METHOD_NOT_ALLOWED,
	FAILURE_MISSING_EMAIL_AND_PHONE,
	FAILURE_INVALID_EMAIL,
	FAILURE_INVALID_PHONE_NUMBER,
	FAILURE_INVALID_PARAMETER, /* the message names the parameter and the rule */
	FAILURE_INVALID_JSON,      /* the message adds where it broke */
	FAILURE_MISSING_API_KEY,
	FAILURE_INVALID_API_KEY,
	FAILURE_MISSING_LEAD_IDENTIFIER,
	FAILURE_INVALID_EVENT, /* the message adds the name */
	FAILURE_INVALID_ACTION,
	FAILURE_MIXED_IDENTIFIERS,
	FAILURE_INVALID_URL,
	FAILURE_FORBIDDEN_URL,
	FAILURE_MISSING_EVENT,
	FAILURE_TOO_MANY_WEBHOOKS,
	FAILURE_MISSING_POINTS,
	FAILURE_MAX_POINTS_EXCEEDED,
	FAILURE_ACCOUNT_SUSPENDED,
	FAILURE_TOO_MANY_ITEMS,
	FAILURE_BODY_TOO_LARGE,
	FAILURE_UNSUPPORTED_MEDIA_TYPE,
	FAILURE_CONFLICTING_IDENTIFIERS,
	FAILURE_CAMPAIGN_ENDED,
	FAILURE_RATE_LIMITED,
	FAILURE_TOO_MANY_JOBS,
	FAILURE_INTERNAL,
	FAILURE_UNAVAILABLE
};

struct failure_text {
	int status;          /* HTTP */
	const char *code;    /* `error` */
	const char *message; /* `message`, or its beginning where the enum says that something is added */
};

/* Of any failure but FAILURE_NONE. */
const struct failure_text *failure_text(enum failure failure);

#endif
