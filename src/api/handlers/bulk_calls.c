/* SPDX-License-Identifier: MIT */
#include "api/handlers/bulk_calls.h"

#include <inttypes.h>

#include "api/call/bulk_arguments.h"
#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"

static void
answer_queued(struct call *call, struct slice message, struct slice name, size_t matched)
{
	struct json_writer writer = call_begin(call);
	call->response->status = 202;
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), message);
	json_put_u64(&writer, name, matched);
	json_end_object(&writer);
}

/* The client cannot know when there is room; 60 s is arbitrary. */
static void
refuse(struct call *call)
{
	call_add_header(call, "Retry-After", SLICE("60"));
	call_fail(call, FAILURE_TOO_MANY_JOBS);
}

/* False: the call has failed. */
static bool
read_points(struct call *call, struct points_call *points)
{
	struct bulk_leads leads;
	bool given;
	if (!param_read_points(call, &given, &points->points))
		return false;
	if (!given)
		return call_fail(call, FAILURE_MISSING_POINTS);
	if (!bulk_read_leads(call, &leads))
		return false;
	points->leads = leads.items;
	points->lead_count = leads.count;
	return param_read_text(call, PARAM_MESSAGE, &points->message);
}

void
handle_points(struct call *call)
{
	struct points_call points = { .account_jobs = call->api->options->account_bulk_jobs };
	if (!read_points(call, &points))
		return;
	if (points.lead_count == 0) {
		call_fail(call, FAILURE_LEADS_NOT_FOUND);
		return;
	}
	const struct outcome outcome = call_execute(call, &(struct command){ .kind = COMMAND_POINTS, .as.points = points });
	if (outcome.failure == FAILURE_TOO_MANY_JOBS)
		refuse(call);
	else if (outcome.failure == FAILURE_NONE && outcome.queued > 0)
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), outcome.queued);
	else if (outcome.failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Custom Points added\"}"));
}

/* What a bulk call changes. */
struct change {
	enum lead_action action;
	enum { OF_LEADS, OF_REFERRERS } whose;
	struct bulk_leads leads;
	struct bulk_tags tags;
	struct slice argument;
};

/* What is verified of leads that are named by an address is that address, unless the call says otherwise. */
static struct slice
argument_of(const struct change *change)
{
	if (change->action != LEAD_VERIFY || slice_present(change->argument) || change->leads.count == 0)
		return change->argument;
	return lead_named_channel(change->leads.items[0].identity);
}

/* Queues the change, and answers with the number of leads. */
static void
queue(struct call *call, const struct change *change)
{
	struct bulk_queued queued;
	if (!call_may_wait(call, WAIT_BULK_JOBS))
		return;
	const struct bulk_request request = {
		.account_id = call->account_id,
		.campaign_id = call->campaign.id,
		.account_jobs = call->api->options->account_bulk_jobs,
		.action = change->action,
		.tag_ids = change->tags.ids,
		.tag_count = change->tags.count,
		.argument = argument_of(change),
		.leads = change->leads.items,
		.lead_count = change->leads.count,
		.made_by = call->key.id == 0 ? SLICE_NONE : pool_printf(call->request->pool, "key %" PRIu64, call->key.id),
		.referrers = change->whose == OF_REFERRERS,
	};
	enum result result =
	    request.lead_count == 0 ? RESULT_NOT_FOUND : store_queue_bulk(call->api->store, NULL, &request, &queued);
	if (result == RESULT_TOO_MANY)
		refuse(call);
	else if (result == RESULT_NOT_FOUND)
		call_fail(call, FAILURE_NO_LEADS);
	else if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (change->action == LEAD_DELETE)
		answer_queued(call, SLICE("Your leads have been queued for deletion"), SLICE("deleted"), queued.leads);
	else
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), queued.leads);
}

void
handle_bulk_change(struct call *call)
{
	struct change change = { .whose = OF_LEADS };
	if (!lead_action_parse(call->request->segments[2], &change.action))
		call_fail(call, FAILURE_INVALID_ACTION);
	else if (bulk_read_leads(call, &change.leads) && (change.action != LEAD_TAG || bulk_read_tag(call, &change.tags)) &&
		 bulk_read_argument(call, change.action, &change.argument))
		queue(call, &change);
}

void
handle_bulk_delete(struct call *call)
{
	struct change change = { .action = LEAD_DELETE };
	if (bulk_read_leads(call, &change.leads))
		queue(call, &change);
}

void
handle_bulk_tags(struct call *call)
{
	struct change change = { .action = LEAD_TAG };
	if (bulk_read_leads(call, &change.leads) && bulk_read_tags(call, &change.tags))
		queue(call, &change);
}

void
handle_tag_referrers(struct call *call)
{
	struct change change = { .action = LEAD_TAG, .whose = OF_REFERRERS };
	if (bulk_read_leads(call, &change.leads) && bulk_read_tags(call, &change.tags))
		queue(call, &change);
}

void
handle_tag_referrers_of_path(struct call *call)
{
	uint64_t id;
	struct change change = { .action = LEAD_TAG, .whose = OF_REFERRERS, .tags = { &id, 1 } };
	if (bulk_read_leads(call, &change.leads) && definitions_read_tag(call, call->request->segments[3], TAG_BY_ID, &id))
		queue(call, &change);
}
