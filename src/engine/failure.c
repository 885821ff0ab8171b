/* SPDX-License-Identifier: MIT */
#include "engine/failure.h"

#include "base/panic.h"

static const struct failure_text texts[] = {
	[FAILURE_BAD_REQUEST] = { 400, "bad_request", "The request body did not arrive completely" },
	[FAILURE_NO_LEADS] = { 400, "no_leads", "No leads to update" },
	[FAILURE_INVALID_TOKEN] = { 401, "invalid_token", "A valid token is required" },
	[FAILURE_FORBIDDEN_ORIGIN] = { 403, "forbidden_origin", "Sign-ups from this site are not allowed" },
	[FAILURE_FORBIDDEN_ADDRESS] = { 403, "forbidden_address", "Not allowed from this address" },
	[FAILURE_MISSING_RIGHT] = { 403, "missing_right", "The API key does not have the right to do this" },
	[FAILURE_CAMPAIGN_NOT_FOUND] = { 404, "campaign_not_found", "Campaign not found" },
	[FAILURE_LEAD_NOT_FOUND] = { 404, "lead_not_found", "No lead found" },
	[FAILURE_LEADS_NOT_FOUND] = { 404, "leads_not_found", "No leads found" },
	[FAILURE_ACTION_NOT_FOUND] = { 404, "action_not_found", "Action not found" },
	[FAILURE_TAG_NOT_FOUND] = { 404, "tag_not_found", "Tag not found" },
	[FAILURE_WEBHOOK_NOT_FOUND] = { 404, "webhook_not_found", "Webhook not found" },
	[FAILURE_INVALID_CODE] = { 404, "invalid_code", "Verification code is not valid" },
	[FAILURE_NOT_FOUND] = { 404, "not_found", "Not found" },
	[FAILURE_METHOD_NOT_ALLOWED] = { 405, "method_not_allowed", "Method not allowed" },
	[FAILURE_MISSING_EMAIL_AND_PHONE] = { 406, "missing_identifier", "Please include an email or phone_number" },
	[FAILURE_INVALID_EMAIL] = { 406, "invalid_email", "Email is not valid" },
	[FAILURE_INVALID_PHONE_NUMBER] = { 406, "invalid_phone_number", "Phone number is not valid" },
	[FAILURE_INVALID_PARAMETER] = { 406, "invalid_parameter", "Invalid parameter" },
	[FAILURE_PROOF_REQUIRED] = { 406, "proof_required", "Proof of work is required" },
	[FAILURE_PROOF_INVALID] = { 406, "proof_invalid", "Proof of work is not valid" },
	[FAILURE_INVALID_JSON] = { 406, "invalid_json", "Please verify your JSON payload" },
	[FAILURE_MISSING_API_KEY] = { 409, "missing_api_key", "An API key is required" },
	[FAILURE_INVALID_API_KEY] = { 409, "invalid_api_key", "Invalid API access" },
	[FAILURE_MISSING_LEAD_IDENTIFIER] = { 409, "missing_identifier", "Please include a lead id or email" },
	[FAILURE_INVALID_EVENT] = { 409, "invalid_event", "Invalid event type: " },
	[FAILURE_INVALID_ACTION] = { 409, "invalid_action", "Invalid action" },
	[FAILURE_MIXED_IDENTIFIERS] = { 409, "mixed_identifiers", "Please use one identifier type per request" },
	[FAILURE_ALREADY_VERIFIED] = { 409, "already_verified", "Lead already verified" },
	[FAILURE_MISSING_CODE] = { 409, "missing_code", "Verification code not found" },
	[FAILURE_INVALID_URL] = { 409, "invalid_url", "Url must start with http" },
	[FAILURE_FORBIDDEN_URL] = { 409, "forbidden_url", "Url is not allowed" },
	[FAILURE_MISSING_EVENT] = { 409, "missing_event", "Please include an event" },
	[FAILURE_MISSING_NAME] = { 409, "missing_name", "Please include a name" },
	[FAILURE_TOO_MANY_WEBHOOKS] = { 409, "too_many_webhooks", "Too many webhooks" },
	[FAILURE_MISSING_POINTS] = { 409, "missing_points", "No points value found" },
	[FAILURE_MAX_POINTS_EXCEEDED] = { 409, "max_points_exceeded", "Max Points Exceeded" },
	[FAILURE_ACCOUNT_SUSPENDED] = { 409, "account_suspended", "Account is suspended" },
	[FAILURE_TOO_MANY_ITEMS] = { 413, "too_many_items", "Too many items to update or delete" },
	[FAILURE_BODY_TOO_LARGE] = { 413, "body_too_large", "Request body is too large" },
	[FAILURE_UNSUPPORTED_MEDIA_TYPE] = { 415, "unsupported_media_type", "Unsupported media type" },
	[FAILURE_CONFLICTING_IDENTIFIERS] = { 422, "conflicting_identifiers",
	    "Email and phone number belong to different leads" },
	[FAILURE_CAMPAIGN_ENDED] = { 423, "campaign_ended", "Campaign has ended" },
	[FAILURE_RATE_LIMITED] = { 429, "rate_limited", "Rate limit exceeded" },
	[FAILURE_TOO_MANY_JOBS] = { 429, "too_many_jobs", "Too many bulk calls are queued" },
	[FAILURE_TOO_MANY_PAYLOADS] = { 429, "too_many_payloads", "Too many payloads are stored" },
	[FAILURE_ANSWER_TOO_LARGE] = { 500, "answer_too_large", "The answer is too large" },
	[FAILURE_INTERNAL] = { 500, "internal_error", "Internal error" },
	[FAILURE_UNAVAILABLE] = { 503, "unavailable", "Service unavailable, please retry" },
};

const struct failure_text *
failure_text(enum failure failure)
{
	require(failure > FAILURE_NONE && failure <= FAILURE_UNAVAILABLE);
	return &texts[failure];
}
