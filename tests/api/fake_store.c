/* SPDX-License-Identifier: MIT
 * The store: campaigns, keys, leads and their lists. */
#include "fake_store.h"

#include <string.h>

#include "engine/decide/decide.h"
#include "engine/id_list.h"
#include "fake_rows.h"
#include "fake_webhooks.h"
#include "identity/random_secret.h"
#include "identity/signed_token.h"
#include "identity/social_id.h"
#include "store/bulk.h"
#include "store/find.h"
#include "store/lead_pages.h"
#include "store/schema.h"
#include "store/shown_leads.h"

enum { NOW_S = 1795232293 };

struct store {
	struct pool *pool;
	struct working_set set; /* every row, always loaded */
	struct id_range lead_ids, history_ids, points_call_ids;
	struct id_supply id_supply;
	struct rank_node *nodes; /* the histogram, by number */
	size_t node_count;
	struct fake_webhooks *webhooks;
	uint64_t next_social_id;
	size_t reads[FAKE_CAMPAIGNS + 1], changes[FAKE_CAMPAIGNS + 1]; /* 0: of unknown campaigns */
};

static const struct payload_settings settings = {
	.base_url = { "https://lead.example", 20 },
	.avatar_url = { "https://avatar.example/{hash}", 29 },
	.server_secret = { "secret", 6 },
};

static size_t
place_of(uint64_t campaign_id)
{
	return campaign_id <= FAKE_CAMPAIGNS ? (size_t)campaign_id : 0;
}

void
fake_note_read(struct store *store, uint64_t campaign_id)
{
	store->reads[place_of(campaign_id)]++;
}

void
fake_note_change(struct store *store, uint64_t campaign_id)
{
	store->changes[place_of(campaign_id)]++;
}

size_t
fake_reads(const struct store *store, uint64_t campaign_id)
{
	return store->reads[place_of(campaign_id)];
}

size_t
fake_changes(const struct store *store, uint64_t campaign_id)
{
	return store->changes[place_of(campaign_id)];
}

struct fake_webhooks *
fake_webhooks_of(struct store *store)
{
	return store->webhooks;
}

static struct working_campaign *
find_campaign(const struct store *store, uint64_t id)
{
	for (size_t i = 0; i < store->set.campaign_count; i++)
		if (store->set.campaigns[i].campaign.id == id)
			return &store->set.campaigns[i];
	return NULL;
}

uint64_t
fake_account(const struct store *store, uint64_t campaign_id)
{
	const struct working_campaign *found = find_campaign(store, campaign_id);
	return found == NULL ? 0 : found->campaign.account_id;
}

static bool
is_meant(const struct lead_reference *reference, const struct lead *lead)
{
	switch (reference->identity) {
	case LEAD_BY_EMAIL:
		return slice_equal(reference->value, lead->email_key);
	case LEAD_BY_PHONE:
		return slice_equal(reference->value, lead->phone);
	case LEAD_BY_SOCIAL_ID:
		return slice_equal(reference->value, lead->social_id);
	case LEAD_BY_ID:
		break;
	}
	return reference->id == lead->id;
}

static const struct lead *
find_lead(const struct store *store, uint64_t campaign_id, const struct lead_reference *reference)
{
	for (size_t i = 0; i < store->set.lead_count; i++) {
		const struct working_lead *lead = store->set.leads[i];
		if (!lead->gone && lead->lead.campaign_id == campaign_id && is_meant(reference, &lead->lead))
			return &lead->lead;
	}
	return NULL;
}

struct slice
fake_social_id(const struct store *store, uint64_t campaign_id)
{
	for (size_t i = 0; i < store->set.lead_count; i++)
		if (store->set.leads[i]->lead.campaign_id == campaign_id)
			return store->set.leads[i]->lead.social_id;
	return SLICE_NONE;
}

struct slice
fake_opt_out_token(const struct store *store, uint64_t campaign_id)
{
	const struct lead_token_owner lead = { .campaign_id = campaign_id, .social_id = fake_social_id(store, campaign_id) };
	return lead_token(store->pool, settings.server_secret, LEAD_TOKEN_OPT_OUT, &lead);
}

/* Updates the histogram as a commit does. */
static void
move_scores(struct store *store, struct decision *decision)
{
	decide_rank_changes(store->pool, decision);
	const struct rank_node *changes = decision->rank_changes;
	const size_t change_count = decision->rank_change_count;
	struct rank_node *merged = POOL_ARRAY(store->pool, store->node_count + change_count, struct rank_node);
	size_t count = store->node_count;
	if (count > 0)
		memcpy(merged, store->nodes, count * sizeof(*merged));
	for (size_t i = 0; i < change_count; i++) {
		struct rank_node *node = rank_find(merged, store->node_count, changes[i].node);
		if (node == NULL)
			merged[count++] = changes[i];
		else
			for (size_t bucket = 0; bucket < RANK_BUCKETS; bucket++)
				node->leads[bucket] += changes[i].leads[bucket];
	}
	rank_sort(merged, count);
	store->nodes = merged;
	store->node_count = count;
}

/* Updates the rows as a commit does. */
static void
settle(struct store *store, struct decision *decision)
{
	struct working_set *set = &store->set;
	struct ip_count *counts = POOL_ARRAY(store->pool, set->ip_count_count + decision->ip_move_count, struct ip_count);
	size_t count = 0;
	for (size_t i = 0; i < set->ip_count_count; i++)
		counts[count++] = set->ip_counts[i];
	for (size_t i = 0; i < decision->ip_move_count; i++)
		counts[count++] = decision->ip_moves[i]; /* several rows of one address are added up */
	set->ip_counts = counts;
	set->ip_count_count = count;
	for (size_t i = 0; i < set->lead_count; i++)
		set->leads[i]->change = ROW_AS_LOADED;
	for (size_t i = 0; i < set->link_count; i++)
		set->links[i]->change = ROW_AS_LOADED;
	for (size_t i = 0; i < set->campaign_count; i++)
		set->campaigns[i].changed = false;
	move_scores(store, decision);
}

static void
carry_out(struct store *store, const struct command *command, struct outcome *outcome, struct decision *decision)
{
	struct slice social_id = social_id_make(store->pool, store->next_social_id++);
	store->id_supply.social_ids = &social_id;
	decide(store->pool, &(struct batch_commands){ &command, outcome, 1 }, &store->set, &store->id_supply, decision);
	settle(store, decision);
}

static void
execute(
    void *context, struct pool *pool UNUSED, const struct command *command, int64_t deadline_ms UNUSED, struct outcome *outcome)
{
	struct store *store = context;
	struct decision decision;
	const struct rank_node *nodes = store->nodes; /* the nodes before the change */
	size_t node_count = store->node_count;
	fake_note_read(store, command->campaign_id);
	carry_out(store, command, outcome, &decision);
	if (decision.changes)
		fake_note_change(store, command->campaign_id);
	decide_render(store->pool, &(struct batch_commands){ &command, outcome, 1 }, &settings, nodes, node_count, &decision);
}

static struct payload_subject
subject_of(const struct store *store, const struct lead *lead)
{
	const struct working_campaign *campaign = find_campaign(store, lead->campaign_id);
	return (struct payload_subject){ .campaign = &campaign->campaign,
		.lead = lead,
		.definitions = campaign->definitions,
		.score_rank = rank_leads_above(store->nodes, store->node_count, lead->campaign_id, lead->score) + 1 };
}

static struct slice
shown(struct store *store, const struct lead *lead, const struct look_up *look_up)
{
	struct payload_subject subject = subject_of(store, lead);
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	json_writer_init(&writer, &out);
	if (look_up->standing)
		payload_write_standing(&writer, store->pool, lead, subject.score_rank,
		    &(struct standing_view){ .settings = &settings, .full = look_up->view.full, .style = look_up->style });
	else
		payload_write(&out, &settings, &subject, look_up->view);
	struct slice json = pool_copy(store->pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

static void
look_up(
    void *context, struct pool *pool UNUSED, const struct look_up *look_up, int64_t deadline_ms UNUSED, struct outcome *outcome)
{
	struct store *store = context;
	fake_note_read(store, look_up->campaign_id);
	const struct lead *lead = find_lead(store, look_up->campaign_id, &look_up->reference);
	*outcome = (struct outcome){ .failure = FAILURE_LEAD_NOT_FOUND };
	if (lead != NULL)
		*outcome = (struct outcome){ .body = shown(store, lead, look_up),
			.place = { lead->score, lead->subscription_number, lead->fraudulent } };
}

void
store_answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes)
{
	for (size_t i = 0; i < count; i++)
		look_up(store, pool, look_ups[i], 0, &outcomes[i]);
}

enum result
store_look_up(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference,
    struct payload_subject **subject)
{
	fake_note_read(store, campaign_id);
	const struct lead *lead = find_lead(store, campaign_id, reference);
	if (lead == NULL)
		return RESULT_NOT_FOUND;
	*subject = POOL_NEW(pool, struct payload_subject);
	**subject = subject_of(store, lead);
	return RESULT_OK;
}

static enum result
find_key(void *context, struct pool *pool UNUSED, const unsigned char hash[32], int64_t deadline_ms UNUSED, struct api_key *key)
{
	static const struct slice keys[] = { SLICE(FAKE_KEY), SLICE(FAKE_OTHER_KEY), SLICE(FAKE_SUSPENDED_KEY) };
	const struct store *store = context;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct digest known = secret_hash(keys[i]);
		if (memcmp(known.bytes, hash, sizeof(known.bytes)) != 0)
			continue;
		*key = (struct api_key){ .id = i + 1,
			.account_id = FAKE_ACCOUNT + i,
			.account_suspended = FAKE_ACCOUNT + i == FAKE_SUSPENDED_ACCOUNT,
			.now_ms = store->set.now_ms,
			.rights = RIGHTS_FULL_KEY };
		return RESULT_OK;
	}
	return RESULT_NOT_FOUND;
}

/* Not counted as a read, because reading the account of a campaign is allowed. */
void
store_set_deadline(struct store *store UNUSED, int64_t deadline_ms UNUSED)
{
}

bool
store_was_late(const struct store *store UNUSED)
{
	return false;
}

enum result
store_find_campaign(struct store *store, struct pool *pool UNUSED, uint64_t id, struct campaign *campaign, int64_t *now_ms)
{
	const struct working_campaign *found = find_campaign(store, id);
	if (found == NULL)
		return RESULT_NOT_FOUND;
	*campaign = found->campaign;
	*now_ms = store->set.now_ms;
	return RESULT_OK;
}

static enum result
backend_campaign(
    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms UNUSED, struct campaign *campaign, int64_t *now_ms)
{
	return store_find_campaign(context, pool, id, campaign, now_ms);
}

static enum result
ready(void *context UNUSED, struct pool *pool UNUSED, int64_t deadline_ms UNUSED)
{
	return RESULT_OK;
}

struct api_backend
fake_backend(struct store *store)
{
	return (struct api_backend){
		.context = store,
		.execute = execute,
		.look_up = look_up,
		.find_key = find_key,
		.find_campaign = backend_campaign,
		.ready = ready,
	};
}

enum result
store_ready(struct store *store UNUSED, uint32_t *found)
{
	*found = 0;
	return RESULT_OK;
}

enum result
store_payload_settings(struct store *store UNUSED, const struct payload_settings **found)
{
	*found = &settings;
	return RESULT_OK;
}

enum result
store_list_campaigns(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part UNUSED,
    struct campaign **campaigns, size_t *count, int64_t *now_ms)
{
	*campaigns = POOL_ARRAY(pool, store->set.campaign_count, struct campaign);
	*count = 0;
	*now_ms = store->set.now_ms;
	for (size_t i = 0; i < store->set.campaign_count; i++) {
		const struct campaign *campaign = &store->set.campaigns[i].campaign;
		if (account_id != 0 && campaign->account_id != account_id)
			continue;
		fake_note_read(store, campaign->id);
		(*campaigns)[(*count)++] = *campaign;
	}
	return RESULT_OK;
}

/* All reads are consistent. */
bool
store_reads(struct consistent_read *read)
{
	return read->runs++ == 0;
}

bool
store_in_snapshot(const struct store *store UNUSED)
{
	return false;
}

enum result
store_find_versions(struct store *store, struct pool *pool UNUSED, uint64_t campaign_id, struct campaign_versions *versions)
{
	fake_note_read(store, campaign_id);
	*versions = (struct campaign_versions){ 1, 1 + store->changes[place_of(campaign_id)] };
	return RESULT_OK;
}

enum result
store_find_lead(struct store *store, struct pool *pool UNUSED, uint64_t campaign_id, const struct lead_reference *reference,
    struct lead *lead)
{
	fake_note_read(store, campaign_id);
	const struct lead *found = find_lead(store, campaign_id, reference);
	if (found != NULL)
		*lead = *found;
	return found == NULL ? RESULT_NOT_FOUND : RESULT_OK;
}

enum result
store_show_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads, size_t count,
    struct payload_subject **subjects)
{
	fake_note_read(store, campaign_id);
	*subjects = POOL_ARRAY(pool, count, struct payload_subject);
	for (size_t i = 0; i < count; i++)
		(*subjects)[i] = subject_of(store, &leads[i]);
	return RESULT_OK;
}

static bool
passes(int wanted, bool is)
{
	return wanted < 0 || (wanted != 0) == is;
}

static bool
is_listed(const struct lead *lead, const struct lead_filter *filter)
{
	return lead->subscription_number > filter->after && passes(filter->verified, lead_is_verified(lead)) &&
	       passes(filter->waitlisted, lead->waitlisted) && passes(filter->fraudulent, lead->fraudulent) &&
	       passes(filter->opted_out, lead->opted_out) &&
	       (filter->tag_id == 0 || id_list_has(lead->tag_ids, filter->tag_id)) && lead->created_ms >= filter->since_ms;
}

/* Leads are stored in the order of their sign-up. */
enum result
store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page)
{
	fake_note_read(store, campaign_id);
	*page = (struct lead_page){ .leads = POOL_ARRAY(pool, store->set.lead_count, struct lead) };
	for (size_t i = 0; i < store->set.lead_count; i++) {
		const struct working_lead *lead = store->set.leads[i];
		if (lead->gone || lead->lead.campaign_id != campaign_id || !is_listed(&lead->lead, filter))
			continue;
		if (page->count == filter->limit) {
			page->next = page->leads[page->count - 1].subscription_number;
			break;
		}
		page->leads[page->count++] = lead->lead;
	}
	return RESULT_OK;
}

/* The position of a score among sorted ones, after equal scores. */
static size_t
place_among(const struct lead *leads, size_t count, uint32_t score)
{
	size_t place = 0;
	while (place < count && leads[place].score >= score)
		place++;
	return place;
}

enum result
store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count)
{
	fake_note_read(store, campaign_id);
	*leads = POOL_ARRAY(pool, store->set.lead_count + 1, struct lead);
	*count = 0;
	for (size_t i = 0; i < store->set.lead_count; i++) {
		const struct working_lead *lead = store->set.leads[i];
		if (lead->gone || lead->lead.fraudulent || lead->lead.campaign_id != campaign_id)
			continue;
		size_t place = place_among(*leads, *count, lead->lead.score);
		memmove(*leads + place + 1, *leads + place, (*count - place) * sizeof(**leads));
		(*leads)[place] = lead->lead;
		(*count)++;
	}
	if (*count > limit)
		*count = limit;
	return RESULT_OK;
}

enum result
store_find_definitions(struct store *store, struct pool *pool UNUSED, uint64_t campaign_id, struct definitions *definitions)
{
	const struct working_campaign *found = find_campaign(store, campaign_id);
	fake_note_read(store, campaign_id);
	*definitions = found == NULL ? (struct definitions){ 0 } : *found->definitions;
	return RESULT_OK;
}

/* Queued jobs are never run, because no test needs that. */
enum result
store_queue_bulk(struct store *store, const struct precondition *precondition UNUSED, const struct bulk_request *request,
    struct bulk_queued *queued)
{
	const struct lead *found[BULK_LEADS_MAX];
	fake_note_read(store, request->campaign_id);
	*queued = (struct bulk_queued){ .job_id = 1 };
	for (size_t i = 0; i < request->lead_count; i++) {
		const struct lead *lead = find_lead(store, request->campaign_id, &request->leads[i]);
		bool known = lead == NULL;
		for (size_t k = 0; k < queued->leads && !known; k++)
			known = found[k] == lead;
		if (!known)
			found[queued->leads++] = lead;
	}
	if (queued->leads > 0)
		fake_note_change(store, request->campaign_id);
	return queued->leads > 0 ? RESULT_OK : RESULT_NOT_FOUND;
}

/* Adds a lead that scores, and a lead that it has referred. */
static void
sign_up(struct store *store, uint64_t campaign_id)
{
	struct command command = { .campaign_id = campaign_id, .account_id = 0 };
	struct signup *signup = &command.as.signup;
	struct outcome outcome;
	struct decision decision;
	signup->email = signup->email_key = SLICE(FAKE_EMAIL);
	signup->phone = SLICE(FAKE_PHONE);
	carry_out(store, &command, &outcome, &decision);
	signup->email = signup->email_key = SLICE("bob@example.net");
	signup->phone = SLICE_NONE;
	signup->referrer_id = fake_social_id(store, campaign_id);
	carry_out(store, &command, &outcome, &decision);
}

struct store *
fake_store_new(struct pool *pool)
{
	struct store *store = POOL_NEW(pool, struct store);
	store->pool = pool;
	store->webhooks = fake_webhooks_new(pool);
	store->next_social_id = 1;
	store->set.now_ms = (int64_t)NOW_S * 1000;
	store->lead_ids = store->history_ids = store->points_call_ids = (struct id_range){ 1, UINT64_MAX };
	store->id_supply = (struct id_supply){
		.lead_ids = &store->lead_ids,
		.history_ids = &store->history_ids,
		.points_call_ids = &store->points_call_ids,
		.custom_fields = { 50, 16384, 0 },
	};
	fake_rows_add(pool, &store->set);
	for (uint64_t id = 1; id <= FAKE_CAMPAIGNS; id++) {
		sign_up(store, id);
		fake_webhooks_add(store, id);
	}
	fake_rows_settle(&store->set); /* the settings that the campaigns' owners have chosen */
	memset(store->reads, 0, sizeof(store->reads));
	memset(store->changes, 0, sizeof(store->changes));
	return store;
}
