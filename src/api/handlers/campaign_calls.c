/* SPDX-License-Identifier: MIT */
#include "api/handlers/campaign_calls.h"

#include "api/call/bots.h"
#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/fetch.h"
#include "os/clock.h"

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

/* Removes the campaigns for which the key is not valid. */
static void
drop_uncovered(const struct api_key *key, struct campaign *campaigns, size_t *count)
{
	size_t covered = 0;
	for (size_t i = 0; i < *count; i++)
		if (api_key_covers(key, campaigns[i].id))
			campaigns[covered++] = campaigns[i];
	*count = covered;
}

/* The campaigns of the key's account, by id, and the time. False: the call has failed. */
static bool
list_campaigns(struct call *call, struct campaign **campaigns, size_t *count)
{
	struct list_read read = { .call = call };
	while (fetch_reads(&read))
		read.result = store_list_campaigns(
		    read.store, call->request->pool, call->account_id, LIST_ALL, campaigns, count, &call->now_ms);
	if (!call_check_result(call, read.result))
		return false;
	drop_uncovered(&call->key, *campaigns, count);
	return true;
}

void
handle_campaigns(struct call *call)
{
	struct campaign *campaigns;
	size_t count;
	if (!list_campaigns(call, &campaigns, &count))
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
	json_put_id(writer, SLICE("tag_id"), action->tag_id);
	json_put_boolean(writer, SLICE("public"), action->public);
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

/* Answers with a challenge, which a sign-up without a key may have to solve (docs/api.md 8.2). */
void
handle_challenge(struct call *call)
{
	const struct slice challenge = call_make_challenge(call);
	if (slice_present(challenge))
		call_answer(call, challenge);
}

/* ---- calls of older clients (docs/api.md 4.1.6) ---- */

/* Writes what plugins copy into a page of their own. To them, a campaign is both a page and a list. */
static void
write_landing_page(struct json_writer *writer, const struct campaign *campaign)
{
	static const struct slice empty[] = { SLICE("open_graph_description"), SLICE("open_graph_image"),
		SLICE("meta_description"), SLICE("favicon_link") };
	json_begin_object(writer);
	json_put_u64(writer, SLICE("page_id"), campaign->id);
	json_put_u64(writer, SLICE("list_id"), campaign->id);
	json_put_text(writer, SLICE("list_name"), campaign->name);
	json_put_text(writer, SLICE("title"), campaign->name);
	json_put_text(writer, SLICE("page_title"), campaign->name);
	json_put_text(writer, SLICE("open_graph_title"), campaign->name);
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		json_put_text(writer, empty[i], SLICE(""));
	json_end_object(writer);
}

void
handle_landing_pages(struct call *call)
{
	struct campaign *campaigns;
	size_t count;
	if (!list_campaigns(call, &campaigns, &count))
		return;
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_key(&writer, SLICE("pages"));
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		write_landing_page(&writer, &campaigns[i]);
	json_end_array(&writer);
	json_end_object(&writer);
}

/* The password is the key, which was verified before (docs/api.md 4.1.8). */
void
handle_authenticate(struct call *call)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("api_key"), call->key_text);
	json_end_object(&writer);
}
