/* SPDX-License-Identifier: MIT
 * Campaigns and their numbers, and what monitors ask. */
#include "api/call.h"

#include "base/clock.h"

void
handle_health(struct call *call)
{
	call_answer(call, SLICE("{\"status\":\"ok\"}"));
}

enum { READY_MS = 2000 };

/* A schema that is not ours is as bad as no database: there is nothing that can be served. */
void
handle_ready(struct call *call)
{
	const struct api_backend *backend = call->api->backend;
	if (!call_may_wait(call, WAIT_READ))
		return;
	if (backend->ready(backend->context, clock_monotonic_ms() + READY_MS) == RESULT_OK)
		call_answer(call, SLICE("{\"status\":\"ok\"}"));
	else
		call_fail(call, FAILURE_UNAVAILABLE);
}

static void
write_campaign(struct json_writer *writer, const struct campaign *campaign, int64_t now_ms)
{
	char created[CLOCK_RFC3339_SIZE];
	clock_rfc3339(campaign->created_ms, created);
	json_begin_object(writer);
	json_key(writer, SLICE("id"));
	json_u64(writer, campaign->id);
	json_key(writer, SLICE("name"));
	json_string(writer, campaign->name);
	json_key(writer, SLICE("lead_count"));
	json_u64(writer, (uint64_t)campaign->counters.leads + campaign->jump_start);
	json_key(writer, SLICE("state"));
	json_string(writer, campaign_has_ended(campaign, now_ms) ? SLICE("ended") : SLICE("active"));
	json_key(writer, SLICE("created_at"));
	json_string(writer, slice_of(created));
	json_end_object(writer);
}

void
handle_campaigns(struct call *call)
{
	struct campaign *campaigns;
	size_t count;
	enum result result =
	    store_list_campaigns(call->api->store, call->request->pool, call->account_id, &campaigns, &count, &call->now_ms);
	if (result != RESULT_OK) {
		call_fail(call, call_failure(result));
		return;
	}
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_campaign(&writer, &campaigns[i], call->now_ms);
	json_end_array(&writer);
}

static void
write_number(struct json_writer *writer, struct slice name, uint64_t number)
{
	json_key(writer, name);
	json_u64(writer, number);
}

void
handle_stats(struct call *call)
{
	const struct campaign_counters *counters = &call->campaign.counters;
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_key(&writer, SLICE("leads"));
	json_begin_object(&writer);
	write_number(&writer, SLICE("total"), counters->leads);
	write_number(&writer, SLICE("total_with_jumpstart"), (uint64_t)counters->leads + call->campaign.jump_start);
	write_number(&writer, SLICE("verified"), counters->verified);
	write_number(&writer, SLICE("waitlisted"), counters->waitlisted);
	write_number(&writer, SLICE("removed_from_waitlist"), counters->removed_from_waitlist);
	write_number(&writer, SLICE("fraudulent"), counters->fraudulent);
	write_number(&writer, SLICE("opted_out"), counters->opted_out);
	write_number(&writer, SLICE("referred"), counters->referred);
	json_end_object(&writer);
	json_end_object(&writer);
}
