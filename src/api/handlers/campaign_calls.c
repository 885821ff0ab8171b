/* SPDX-License-Identifier: MIT */
#include "api/handlers/campaign_calls.h"

#include "api/call/bots.h"
#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/campaign_definitions.h"
#include "api/call/fetch.h"
#include "os/clock.h"

void
handle_health(struct call *call)
{
	call_answer(call, SLICE("{\"status\":\"ok\"}"));
}

enum { READY_MS = 2000 };

/* With another schema version no call can be served, as without a database. */
void
handle_ready(struct call *call)
{
	const struct api_backend *backend = call->api->backend;
	if (!call_may_wait(call, WAIT_READ))
		return;
	if (backend->ready(backend->context, call->request->pool, clock_monotonic_ms() + READY_MS) == RESULT_OK)
		call_answer(call, SLICE("{\"status\":\"ok\"}"));
	else
		call_fail(call, FAILURE_UNAVAILABLE);
}

static void
write_campaign(const struct call *call, struct json_writer *writer, const struct campaign *campaign)
{
	char created[CLOCK_RFC3339_SIZE];
	clock_rfc3339(campaign->created_ms, created);
	json_begin_object(writer);
	json_put_u64(writer, SLICE("id"), campaign->id);
	json_put_text(writer, SLICE("name"), campaign->name);
	json_name(writer, SLICE("lead_count"));
	if (rights_suffice(call_rights(call), RIGHTS_TO_COUNT, false))
		json_u64(writer, (uint64_t)campaign->counters.leads + campaign->jump_start);
	else
		json_null(writer);
	json_put_text(writer, SLICE("state"), campaign_has_ended(campaign, call->now_ms) ? SLICE("ended") : SLICE("active"));
	json_put_text(writer, SLICE("created_at"), slice_of(created));
	json_end_object(writer);
}

/* Removes those that the key is not for. */
static void
drop_uncovered(const struct api_key *key, struct campaign *campaigns, size_t *count)
{
	size_t covered = 0;
	for (size_t i = 0; i < *count; i++)
		if (api_key_covers(key, campaigns[i].id))
			campaigns[covered++] = campaigns[i];
	*count = covered;
}

bool
call_list_campaigns(struct call *call, struct campaign **campaigns, size_t *count)
{
	struct list_read read = { .call = call };
	while (fetch_reads(&read))
		read.result = store_list_campaigns(
		    read.store, call->request->pool, call->account_id, LIST_ALL, campaigns, count, &call->now_ms);
	if (read.result != RESULT_OK)
		return call_fail(call, call_failure(read.result));
	drop_uncovered(&call->key, *campaigns, count);
	return true;
}

void
handle_campaigns(struct call *call)
{
	struct campaign *campaigns;
	size_t count;
	if (!call_list_campaigns(call, &campaigns, &count))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_campaign(call, &writer, &campaigns[i]);
	json_end_array(&writer);
}

void
handle_stats(struct call *call)
{
	const struct campaign_counters *counters = &call->campaign.counters;
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_key(&writer, SLICE("leads"));
	json_begin_object(&writer);
	json_put_u64(&writer, SLICE("total"), counters->leads);
	json_put_u64(&writer, SLICE("total_with_jumpstart"), (uint64_t)counters->leads + call->campaign.jump_start);
	json_put_u64(&writer, SLICE("verified"), counters->verified);
	json_put_u64(&writer, SLICE("waitlisted"), counters->waitlisted);
	json_put_u64(&writer, SLICE("removed_from_waitlist"), counters->removed_from_waitlist);
	json_put_u64(&writer, SLICE("fraudulent"), counters->fraudulent);
	json_put_u64(&writer, SLICE("opted_out"), counters->opted_out);
	json_put_u64(&writer, SLICE("referred"), counters->referred);
	json_end_object(&writer);
	json_end_object(&writer);
}

static void
write_action(struct json_writer *writer, const struct action *action)
{
	json_begin_object(writer);
	json_put_u64(writer, SLICE("id"), action->id);
	json_put_text(writer, SLICE("text"), action->text);
	json_put_i64(writer, SLICE("points"), action->points);
	json_key(writer, SLICE("tag_id"));
	if (action->tag_id != 0)
		json_u64(writer, action->tag_id);
	else
		json_null(writer);
	json_key(writer, SLICE("public"));
	json_boolean(writer, action->public);
	json_put_text(writer, SLICE("link"), action->link);
	json_end_object(writer);
}

void
handle_list_actions(struct call *call)
{
	struct definitions definitions;
	if (!definitions_read(call, &definitions))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < definitions.action_count; i++)
		write_action(&writer, &definitions.actions[i]);
	json_end_array(&writer);
}

static void
write_tag(struct json_writer *writer, const struct tag *tag)
{
	json_begin_object(writer);
	json_put_u64(writer, SLICE("id"), tag->id);
	json_put_text(writer, SLICE("name"), tag->name);
	json_put_text(writer, SLICE("description"), tag->description);
	json_put_i64(writer, SLICE("points"), tag->points);
	json_end_object(writer);
}

void
handle_list_tags(struct call *call)
{
	struct definitions definitions;
	if (!definitions_read(call, &definitions))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_array(&writer);
	for (size_t i = 0; i < definitions.tag_count; i++)
		write_tag(&writer, &definitions.tags[i]);
	json_end_array(&writer);
}

/* A sign-up without a key may have to solve one (docs/api.md 8.2). */
void
handle_challenge(struct call *call)
{
	const struct slice challenge = call_make_challenge(call);
	if (slice_present(challenge))
		call_answer(call, challenge);
}
