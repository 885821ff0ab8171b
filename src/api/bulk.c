/* SPDX-License-Identifier: MIT
 * Bulk calls: what they ask for is queued, and done by the dispatcher (docs/api.md 4.1). */
#include "api/call.h"

/* `tag_id` or `tag`, its name. */
static bool
parse_tag(struct call *call, struct bulk_request *request)
{
	if (!call_parse_tag(call, "tag_id", TAG_BY_ID, &request->tag_id) ||
	    (request->tag_id == 0 && !call_parse_tag(call, "tag", TAG_BY_NAME, &request->tag_id)))
		return false;
	if (request->tag_id == 0)
		call_fail(call, FAILURE_TAG_NOT_FOUND);
	return request->tag_id != 0;
}

static bool
parse_channel(struct call *call, struct bulk_request *request)
{
	static const char name[] = "channel";
	if (!call_text(call, name, &request->word))
		return false;
	if (!slice_present(request->word) || slice_equal(request->word, SLICE("email")) ||
	    slice_equal(request->word, SLICE("phone")))
		return true;
	call_fail_parameter(call, slice_of(name), "must be email or phone");
	return false;
}

static bool
parse_reason(struct call *call, struct bulk_request *request)
{
	static const char name[] = "reason";
	if (!call_text(call, name, &request->word))
		return false;
	if (request->word.size <= LEAD_WORD_MAX_BYTES)
		return true;
	call_fail_parameter(
	    call, slice_of(name), pool_printf(call->request->pool, "is longer than %d bytes", LEAD_WORD_MAX_BYTES).data);
	return false;
}

/* What some of them need beside the leads. */
static bool (*const parsers[LEAD_ACTIONS])(struct call *call, struct bulk_request *request) = {
	[LEAD_TAG] = parse_tag,
	[LEAD_VERIFY] = parse_channel,
	[LEAD_BLOCK] = parse_reason,
};

static void
answer_queued(struct call *call, struct slice message, struct slice name, size_t matched)
{
	struct json_writer writer = call_begin(call);
	call->response->status = 202;
	json_begin_object(&writer);
	json_key(&writer, SLICE("message"));
	json_string(&writer, message);
	json_key(&writer, name);
	json_u64(&writer, matched);
	json_end_object(&writer);
}

/* When there is room again depends on the dispatcher. */
static void
refuse(struct call *call)
{
	if (!http_response_header(call->response, "Retry-After", SLICE("60")))
		log_error("header_refused", LOG_STR("name", "Retry-After"));
	call_fail(call, FAILURE_TOO_MANY_JOBS);
}

/* False: the call has failed. */
static bool
queue(struct call *call, enum lead_action action, size_t *matched)
{
	struct bulk_request request = {
		.account_id = call->account_id,
		.campaign_id = call->campaign.id,
		.account_jobs = call->api->options->account_bulk_jobs,
		.action = action,
	};
	struct lead_reference *leads;
	if (!call_parse_leads(call, &leads, &request.lead_count) ||
	    (parsers[action] != NULL && !parsers[action](call, &request)) || !call_may_wait(call, WAIT_QUEUE))
		return false;
	request.leads = leads;
	*matched = 0;
	enum result result = request.lead_count == 0 ? RESULT_OK : store_queue_bulk(call->api->store, &request, matched);
	if (result == RESULT_INVALID)
		refuse(call);
	else if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (*matched == 0)
		call_fail(call, FAILURE_NO_LEADS);
	return result == RESULT_OK && *matched > 0;
}

void
handle_bulk_change(struct call *call)
{
	enum lead_action action;
	size_t matched;
	if (!lead_action_parse(call->request->segments[2], &action))
		call_fail(call, FAILURE_INVALID_ACTION);
	else if (queue(call, action, &matched))
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), matched);
}

void
handle_bulk_delete(struct call *call)
{
	size_t matched;
	if (queue(call, LEAD_DELETE, &matched))
		answer_queued(call, SLICE("Your leads have been queued for deletion"), SLICE("deleted"), matched);
}
