/* SPDX-License-Identifier: MIT
 * All failures of the API: status, stable code and exact message (docs/api.md 2). */
#pragma once

/* X(name, HTTP status, `error`, `message`). A comment says what completes the message. */
/* clang-format off */
#define FAILURE_LIST(X) \
	X(BAD_REQUEST, 400, "bad_request", "The request body did not arrive completely") \
	X(NO_LEADS, 400, "no_leads", "No leads to update") \
	X(INVALID_TOKEN, 401, "invalid_token", "A valid token is required") \
	X(FORBIDDEN_ORIGIN, 403, "forbidden_origin", "Sign-ups from this site are not allowed") \
	X(FORBIDDEN_ADDRESS, 403, "forbidden_address", "Not allowed from this address") \
	X(MISSING_RIGHT, 403, "missing_right", "The API key does not have the right to do this") \
	X(CAMPAIGN_NOT_FOUND, 404, "campaign_not_found", "Campaign not found") \
	X(LEAD_NOT_FOUND, 404, "lead_not_found", "No lead found") \
	X(LEADS_NOT_FOUND, 404, "leads_not_found", "No leads found") \
	X(ACTION_NOT_FOUND, 404, "action_not_found", "Action not found") \
	X(TAG_NOT_FOUND, 404, "tag_not_found", "Tag not found") \
	X(WEBHOOK_NOT_FOUND, 404, "webhook_not_found", "Webhook not found") \
	X(INVALID_CODE, 404, "invalid_code", "Verification code is not valid") \
	X(NOT_FOUND, 404, "not_found", "Not found") \
	X(METHOD_NOT_ALLOWED, 405, "method_not_allowed", "Method not allowed") \
	X(MISSING_EMAIL_AND_PHONE, 406, "missing_identifier", "Please include an email or phone_number") \
	X(INVALID_EMAIL, 406, "invalid_email", "Email is not valid") \
	X(INVALID_PHONE_NUMBER, 406, "invalid_phone_number", "Phone number is not valid") \
	X(INVALID_PARAMETER, 406, "invalid_parameter", "Invalid parameter") /* replaced by the parameter and the rule */ \
	X(PROOF_REQUIRED, 406, "proof_required", "Proof of work is required") \
	X(PROOF_INVALID, 406, "proof_invalid", "Proof of work is not valid") /* the reason */ \
	X(INVALID_JSON, 406, "invalid_json", "Please verify your JSON payload") /* the position of the error */ \
	X(MISSING_API_KEY, 409, "missing_api_key", "An API key is required") \
	X(INVALID_API_KEY, 409, "invalid_api_key", "Invalid API access") \
	X(MISSING_LEAD_IDENTIFIER, 409, "missing_identifier", "Please include a lead id or email") \
	X(INVALID_EVENT, 409, "invalid_event", "Invalid event type: ") /* the name */ \
	X(INVALID_ACTION, 409, "invalid_action", "Invalid action") \
	X(MIXED_IDENTIFIERS, 409, "mixed_identifiers", "Please use one identifier type per request") \
	X(ALREADY_VERIFIED, 409, "already_verified", "Lead already verified") \
	X(MISSING_CODE, 409, "missing_code", "Verification code not found") \
	X(INVALID_URL, 409, "invalid_url", "Url must start with http") \
	X(FORBIDDEN_URL, 409, "forbidden_url", "Url is not allowed") \
	X(MISSING_EVENT, 409, "missing_event", "Please include an event") \
	X(MISSING_NAME, 409, "missing_name", "Please include a name") \
	X(TOO_MANY_WEBHOOKS, 409, "too_many_webhooks", "Too many webhooks") \
	X(MISSING_POINTS, 409, "missing_points", "No points value found") \
	X(MAX_POINTS_EXCEEDED, 409, "max_points_exceeded", "Max Points Exceeded") \
	X(ACCOUNT_SUSPENDED, 409, "account_suspended", "Account is suspended") \
	X(TOO_MANY_ITEMS, 413, "too_many_items", "Too many items to update or delete") \
	X(BODY_TOO_LARGE, 413, "body_too_large", "Request body is too large") \
	X(UNSUPPORTED_MEDIA_TYPE, 415, "unsupported_media_type", "Unsupported media type") \
	X(CONFLICTING_IDENTIFIERS, 422, "conflicting_identifiers", "Email and phone number belong to different leads") \
	X(CAMPAIGN_ENDED, 423, "campaign_ended", "Campaign has ended") \
	X(RATE_LIMITED, 429, "rate_limited", "Rate limit exceeded") \
	X(TOO_MANY_JOBS, 429, "too_many_jobs", "Too many bulk calls are queued") \
	X(TOO_MANY_PAYLOADS, 429, "too_many_payloads", "Too many payloads are stored") \
	X(ANSWER_TOO_LARGE, 500, "answer_too_large", "The answer is too large") \
	X(INTERNAL, 500, "internal_error", "Internal error") \
	X(UNAVAILABLE, 503, "unavailable", "Service unavailable, please retry")

/* clang-format on */

#define FAILURE_NAME(name, status, code, message) FAILURE_##name,
enum failure { FAILURE_NONE, FAILURE_LIST(FAILURE_NAME) FAILURE_COUNT };
#undef FAILURE_NAME

struct failure_info {
	int status;          /* HTTP */
	const char *code;    /* `error` */
	const char *message; /* `message`, or its beginning */
};

/* For any failure except FAILURE_NONE. */
const struct failure_info *failure_info(enum failure failure);
