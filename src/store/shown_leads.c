/* SPDX-License-Identifier: MIT
 * Leads as payloads, pages and leaderboards show them: the most frequent reads, with as few statements as possible.
 *
 * Settings, definitions and ranks are cached under the versions that come with each answer. Versions are read first, so cached
 * data may be newer than its version, but never older. Where that would be visible, as with a lead and its rank, the rank comes
 * with its version. If that version differs, everything is read again, the last time in a snapshot. */
#include "store/shown_leads.h"

#include <string.h>

#include "base/panic.h"
#include "store/campaign_cache.h"
#include "store/find.h"
#include "store/query.h"
#include "store/rank_cache.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

#define LEADER_COLUMNS "l.id, l.subscription_number, l.social_id, l.email, l.email_key, l.phone, l.custom_fields, l.score"

#define STATE_COLUMNS "n.lead_count, n.verified, n.fraudulent, n.settings_version, n.leads_version"

/* Leads with the state of their campaigns, joined in this order: the index of leads comes first. */
#define LOOK_UP(identity, index)                                                                   \
	"SELECT " SHOWN_COLUMNS ", " STATE_COLUMNS " FROM {prefix}leads l FORCE INDEX (" index ")" \
	" STRAIGHT_JOIN {prefix}campaign_counters n ON n.campaign_id = l.campaign_id"              \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"                                         \
	" WHERE l." identity " IN ({list})"

DB_STATEMENT(sql_look_up_by_email, LOOK_UP("email_hash", "by_email"));
DB_STATEMENT(sql_look_up_by_phone, LOOK_UP("phone_hash", "by_phone"));
DB_STATEMENT(sql_look_up_by_social_id, LOOK_UP("social_id", "by_social_id"));
DB_STATEMENT(sql_look_up_by_id, LOOK_UP("id", "PRIMARY"));
DB_STATEMENT(sql_select_state, "SELECT " STATE_COLUMNS " FROM {prefix}campaign_counters n WHERE n.campaign_id = ?");
DB_STATEMENT(sql_select_leaders, "SELECT " LEADER_COLUMNS " FROM {prefix}leads l FORCE INDEX (by_score)"
				 " WHERE l.campaign_id = ? AND l.fraudulent = FALSE"
				 " ORDER BY l.score_order, l.subscription_number"
				 " LIMIT ?");

/* Columns: STATE_COLUMNS. */
struct state {
	uint64_t campaign_id;
	uint32_t leads, verified, fraudulent;
	struct campaign_versions versions;
};

static struct state
read_state(uint64_t campaign_id, struct row_reader *r)
{
	struct state state = { .campaign_id = campaign_id };
	state.leads = row_u32(r);
	state.verified = row_u32(r);
	state.fraudulent = row_u32(r);
	state.versions.settings = row_u64(r);
	state.versions.leads = row_u64(r);
	return state;
}

static enum result
find_state(struct store *store, struct pool *pool, uint64_t campaign_id, struct state *state)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_state, DB_U64(campaign_id));
	if (result == RESULT_OK)
		*state = read_state(campaign_id, ROW(&rows, 0));
	return result;
}

/* Fraudulent leads have no rank. Leads without points are in no histogram: they are the leads that remain. */
static bool
shares_rank(const struct campaign *campaign, const struct lead *lead, const struct rank *rank)
{
	const int64_t left =
	    (int64_t)payload_known_leads(campaign, lead) - campaign->counters.fraudulent - (int64_t)(rank->rank - 1);
	return (lead->score > 0 ? (int64_t)rank->leads : left) > (lead->fraudulent ? 0 : 1);
}

/* The cached campaign, with its current numbers of leads. */
static enum result
read_subjects(struct store *store, struct pool *pool, const struct state *state, const struct lead *leads, size_t count,
    struct payload_subject **subjects)
{
	const struct versioned_campaign shown = { state->campaign_id, state->versions };
	struct campaign *campaign = POOL_NEW(pool, struct campaign);
	struct rank *ranks = POOL_ARRAY(pool, count, struct rank);
	enum result result = store_cache_campaigns(store, pool, &shown, 1);
	const struct cached_campaign *cached = result == RESULT_OK ? store_cached_campaign(store, state->campaign_id) : NULL;
	if (result == RESULT_OK && cached == NULL)
		result = RESULT_NOT_FOUND;
	for (size_t i = 0; i < count; i++)
		ranks[i].score = leads[i].score;
	if (result == RESULT_OK)
		result = store_rank(store, pool, state->campaign_id, state->versions.leads, ranks, count);
	if (result != RESULT_OK)
		return result;
	*campaign = cached->campaign;
	campaign->counters.leads = state->leads;
	campaign->counters.verified = state->verified;
	campaign->counters.fraudulent = state->fraudulent;
	*subjects = POOL_ARRAY(pool, count, struct payload_subject);
	for (size_t i = 0; i < count; i++)
		(*subjects)[i] = (struct payload_subject){ .campaign = campaign,
			.lead = &leads[i],
			.definitions = &cached->definitions,
			.score_rank = ranks[i].rank,
			.shares_rank = shares_rank(campaign, &leads[i], &ranks[i]) };
	return RESULT_OK;
}

/* A lead that was looked up. */
struct shown {
	struct lead lead;
	struct state state;
};

/* Runs the look-ups that use this identity with one statement; found[i] stays NULL when there is no lead. */
static enum result
find_by(struct store *store, struct pool *pool, enum lead_identity identity, const struct look_up *const *look_ups,
    size_t count, const struct shown **found)
{
	static const struct db_statement *const statements[] = {
		[LEAD_BY_EMAIL] = &sql_look_up_by_email,
		[LEAD_BY_PHONE] = &sql_look_up_by_phone,
		[LEAD_BY_SOCIAL_ID] = &sql_look_up_by_social_id,
		[LEAD_BY_ID] = &sql_look_up_by_id,
	};
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_list list = { values, 0 };
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		if (look_ups[i]->reference.identity == identity)
			values[list.count++] = store_reference_value(pool, look_ups[i]->campaign_id, &look_ups[i]->reference);
	enum result result = store_query_lists(store, pool, statements[identity], &list, 1, &rows);
	struct shown *shown = POOL_ARRAY(pool, rows.count, struct shown);
	for (size_t row = 0; row < rows.count; row++) {
		struct row_reader *r = ROW(&rows, row);
		const struct lead lead = row_shown_lead(r);
		shown[row] = (struct shown){ lead, read_state(lead.campaign_id, r) };
		for (size_t i = 0; i < count; i++)
			if (look_ups[i]->reference.identity == identity && look_ups[i]->campaign_id == lead.campaign_id &&
			    lead_is_named(&lead, &look_ups[i]->reference))
				found[i] = &shown[row];
	}
	return result;
}

static enum result
find_all(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, const struct shown **found)
{
	enum result result = RESULT_OK;
	for (int identity = LEAD_BY_EMAIL; identity <= LEAD_BY_ID && result == RESULT_OK; identity++)
		result = find_by(store, pool, (enum lead_identity)identity, look_ups, count, found);
	return result;
}

enum result
store_look_up(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference,
    struct payload_subject **subject)
{
	const struct look_up look_up = { .campaign_id = campaign_id, .reference = *reference }, *one = &look_up;
	struct consistent_read read = { .store = store };
	while (store_reads(&read)) {
		const struct shown *found = NULL;
		read.result = find_all(store, pool, &one, 1, &found);
		if (read.result == RESULT_OK)
			read.result = found == NULL ? RESULT_NOT_FOUND
						    : read_subjects(store, pool, &found->state, &found->lead, 1, subject);
	}
	return read.result;
}

static bool
same_state(const struct state *a, const struct state *b)
{
	return a->campaign_id == b->campaign_id && a->leads == b->leads && a->versions.settings == b->versions.settings &&
	       a->versions.leads == b->versions.leads;
}

static struct slice
rendered(struct store *store, struct pool *pool, const struct payload_subject *subject, const struct look_up *look_up)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	json_writer_init(&writer, &out);
	const struct standing_view view = { &store->payload, look_up->view.full, subject->campaign->leaderboard_names,
		look_up->style };
	if (look_up->standing)
		payload_write_standing(&writer, pool, subject->lead, subject->score_rank, &view);
	else
		payload_write(&out, &store->payload, subject, look_up->view);
	if (!buffer_ok(&out))
		panic("a payload beyond PAYLOAD_MAX_BYTES"); /* the settings' limits keep every lead below it */
	struct slice json = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

/* Answers the first look-up and the later ones whose campaign had the same state; sets `found` to NULL for them. */
static enum result
answer_group(struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count,
    const struct shown **found, struct outcome *outcomes)
{
	const struct state state = found[0]->state;
	struct lead *leads = POOL_ARRAY(pool, count, struct lead);
	size_t *places = POOL_ARRAY(pool, count, size_t), together = 0;
	struct payload_subject *subjects;
	for (size_t i = 0; i < count; i++) {
		if (found[i] == NULL || !same_state(&found[i]->state, &state))
			continue;
		leads[together] = found[i]->lead;
		places[together++] = i;
		found[i] = NULL;
	}
	enum result result = read_subjects(store, pool, &state, leads, together, &subjects);
	for (size_t i = 0; i < together && result == RESULT_OK; i++) {
		const struct lead *lead = subjects[i].lead;
		outcomes[places[i]] = (struct outcome){ .body = rendered(store, pool, &subjects[i], look_ups[places[i]]),
			.versions = state.versions,
			.place = { lead->score, lead->subscription_number, lead->fraudulent } };
	}
	return result;
}

static enum result
answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes)
{
	const struct shown **found = POOL_ARRAY(pool, count, const struct shown *);
	for (size_t i = 0; i < count; i++)
		outcomes[i] = (struct outcome){ .failure = FAILURE_LEAD_NOT_FOUND };
	enum result result = find_all(store, pool, look_ups, count, found);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		if (found[i] != NULL)
			result = answer_group(store, pool, look_ups + i, count - i, found + i, outcomes + i);
	return result;
}

void
store_answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes)
{
	enum result result = store_read_installation(store);
	struct consistent_read read = { .store = store };
	while (result == RESULT_OK && store_reads(&read))
		read.result = answer_look_ups(store, pool, look_ups, count, outcomes);
	result = result == RESULT_OK ? read.result : result;
	for (size_t i = 0; i < count && result != RESULT_OK; i++)
		outcomes[i] = (struct outcome){ .failure = result == RESULT_FAILED ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE };
}

enum result
store_find_versions(struct store *store, struct pool *pool, uint64_t campaign_id, struct campaign_versions *versions)
{
	struct state state;
	const enum result result = find_state(store, pool, campaign_id, &state);
	if (result == RESULT_OK)
		*versions = state.versions;
	return result;
}

enum result
store_show_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads, size_t count,
    struct payload_subject **subjects)
{
	struct consistent_read read = { .store = store };
	while (store_reads(&read)) {
		struct state state;
		read.result = find_state(store, pool, campaign_id, &state);
		if (read.result == RESULT_OK)
			read.result = read_subjects(store, pool, &state, leads, count, subjects);
	}
	return read.result;
}

/* Columns: LEADER_COLUMNS. */
static struct lead
read_leader(uint64_t campaign_id, struct row_reader *r)
{
	struct lead lead = { .id = row_u64(r), .campaign_id = campaign_id };
	lead.subscription_number = row_u32(r);
	lead.social_id = row_bytes(r);
	lead.email = row_bytes(r);
	lead.email_key = row_bytes(r);
	lead.phone = row_bytes(r);
	lead.custom_fields = row_bytes(r);
	lead.score = row_u32(r);
	return lead;
}

enum result
store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_leaders, DB_U64(campaign_id), DB_U64(limit));
	*leads = POOL_ARRAY(pool, rows.count, struct lead);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*leads)[i] = read_leader(campaign_id, ROW(&rows, i));
	return result;
}
