/* SPDX-License-Identifier: MIT
 * Reads for the API: keys, campaigns, leads and what campaigns define. */
#include <stdlib.h>

#include "store/private.h"

enum { KEY_ID, KEY_ACCOUNT_ID, KEY_SUSPENDED, KEY_LAST_USED_MS, KEY_NOW_MS };
enum { HOUR_MS = 3600 * 1000 };

enum result
store_find_key(struct store *store, const unsigned char hash[32], struct api_key *key)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	struct db_value value = db_bytes((struct slice){ (const char *)hash, 32 });
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_KEY, &(struct db_arguments){ .values = &value, .count = 1 }, &rows);
	if (result == RESULT_OK && rows.count == 0)
		result = RESULT_NOT_FOUND;
	else if (result == RESULT_OK)
		*key = (struct api_key){
			.id = db_get_u64(&rows, 0, KEY_ID),
			.account_id = db_get_u64(&rows, 0, KEY_ACCOUNT_ID),
			.account_suspended = db_get_bool(&rows, 0, KEY_SUSPENDED),
			.last_used_ms = db_get_time(&rows, 0, KEY_LAST_USED_MS),
			.now_ms = db_get_i64(&rows, 0, KEY_NOW_MS),
		};
	pool_free(&pool);
	return result;
}

enum result
store_touch_key(struct store *store, const struct api_key *key)
{
	int64_t hour = key->now_ms - key->now_ms % HOUR_MS;
	struct db_value values[] = { DB_I64(hour), DB_U64(key->id), DB_I64(hour) };
	if (key->last_used_ms >= hour)
		return RESULT_OK;
	return db_execute(
	    store->db, SQL_TOUCH_KEY, &(struct db_arguments){ .values = values, .count = ARRAY_SIZE(values) }, NULL);
}

enum result
store_find_campaign(struct store *store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms)
{
	struct db_rows rows;
	struct db_value value = DB_U64(id);
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_CAMPAIGN, &(struct db_arguments){ .values = &value, .count = 1 }, &rows);
	if (result != RESULT_OK)
		return result;
	if (rows.count == 0)
		return RESULT_NOT_FOUND;
	*campaign = store_campaign_from_row(&rows, 0);
	*now_ms = db_get_i64(&rows, 0, CAMPAIGN_NOW_MS);
	return RESULT_OK;
}

enum result
store_list_campaigns(
    struct store *store, struct pool *pool, uint64_t account_id, struct campaign **campaigns, size_t *count, int64_t *now_ms)
{
	struct db_rows rows;
	struct db_value value = DB_U64(account_id);
	struct db_arguments arguments = { .values = &value, .count = account_id == 0 ? 0 : 1 };
	enum result result = db_query(
	    store->db, pool, account_id == 0 ? SQL_SELECT_ALL_CAMPAIGNS : SQL_SELECT_CAMPAIGNS_OF_ACCOUNT, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	*campaigns = POOL_ARRAY(pool, rows.count, struct campaign);
	*count = rows.count;
	*now_ms = 0;
	for (size_t i = 0; i < rows.count; i++) {
		(*campaigns)[i] = store_campaign_from_row(&rows, i);
		*now_ms = db_get_i64(&rows, i, CAMPAIGN_NOW_MS);
	}
	return RESULT_OK;
}

static enum result
select_leads(struct store *store, struct pool *pool, enum statement statement, const struct db_value *values, size_t count,
    struct lead **leads, size_t *lead_count)
{
	struct db_rows rows;
	enum result result =
	    db_query(store->db, pool, statement, &(struct db_arguments){ .values = values, .count = count }, &rows);
	*leads = POOL_ARRAY(pool, rows.count, struct lead);
	*lead_count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*leads)[i] = store_lead_from_row(&rows, i);
	return result;
}

enum result
store_find_lead(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference, struct lead *lead)
{
	static const enum statement statements[] = {
		[LEAD_BY_EMAIL] = SQL_SELECT_LEAD_BY_EMAIL,
		[LEAD_BY_PHONE] = SQL_SELECT_LEAD_BY_PHONE,
		[LEAD_BY_SOCIAL_ID] = SQL_SELECT_LEAD_BY_SOCIAL_ID,
		[LEAD_BY_ID] = SQL_SELECT_LEAD_BY_ID,
	};
	struct db_value values[] = { store_reference_value(pool, campaign_id, reference), DB_U64(campaign_id) };
	struct lead *found;
	size_t count;
	enum result result =
	    select_leads(store, pool, statements[reference->identity], values, ARRAY_SIZE(values), &found, &count);
	if (result == RESULT_OK && count == 0)
		result = RESULT_NOT_FOUND;
	if (result == RESULT_OK)
		*lead = found[0];
	return result;
}

enum { HISTOGRAM_NODE, HISTOGRAM_SLOTS };

enum result
store_read_histogram(
    struct store *store, struct pool *pool, uint64_t *nodes, size_t node_count, struct rank_node **rows, size_t *row_count)
{
	struct db_list list = store_id_list(pool, nodes, node_count);
	struct db_rows found;
	enum result result = store_query_lists(store, pool, SQL_SELECT_HISTOGRAM, &list, 1, &found);
	*rows = POOL_ARRAY(pool, found.count, struct rank_node);
	*row_count = found.count;
	for (size_t i = 0; i < found.count; i++) {
		(*rows)[i].node = db_get_u64(&found, i, HISTOGRAM_NODE);
		for (size_t slot = 0; slot < RANK_SLOTS; slot++)
			(*rows)[i].leads[slot] = db_get_i64(&found, i, HISTOGRAM_SLOTS + slot);
	}
	return result;
}

/* The kinds as the statements number them. */
enum { DEFINITION_TAG = 1, DEFINITION_ACTION, DEFINITION_REWARD_LEVEL };
enum {
	DEFINITION_KIND,
	DEFINITION_ID,
	DEFINITION_CAMPAIGN_ID,
	DEFINITION_NAME,
	DEFINITION_POINTS,
	DEFINITION_TAG_ID,
	DEFINITION_EMAILED,
	DEFINITION_DESCRIPTION
};

/* Every definition begins with its id. */
static int
compare_definitions(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static void
add_definition(const struct db_rows *rows, size_t row, struct tag *tag, struct action *action, struct reward_level *reward,
    struct definitions *to)
{
	uint64_t id = db_get_u64(rows, row, DEFINITION_ID), campaign_id = db_get_u64(rows, row, DEFINITION_CAMPAIGN_ID);
	struct slice name = db_get_bytes(rows, row, DEFINITION_NAME);
	int64_t points = db_get_i64(rows, row, DEFINITION_POINTS);
	switch (db_get_i64(rows, row, DEFINITION_KIND)) {
	case DEFINITION_TAG:
		tag[to->tag_count++] =
		    (struct tag){ id, campaign_id, name, db_get_bytes(rows, row, DEFINITION_DESCRIPTION), (int32_t)points };
		break;
	case DEFINITION_ACTION:
		action[to->action_count++] =
		    (struct action){ id, campaign_id, name, (int32_t)points, db_get_u64(rows, row, DEFINITION_TAG_ID) };
		break;
	default:
		reward[to->reward_count++] = (struct reward_level){ id, campaign_id, name, (uint32_t)points,
			db_get_bool(rows, row, DEFINITION_EMAILED) };
	}
}

static struct definitions
definitions_from_rows(struct pool *pool, const struct db_rows *rows)
{
	struct tag *tags = POOL_ARRAY(pool, rows->count, struct tag);
	struct action *actions = POOL_ARRAY(pool, rows->count, struct action);
	struct reward_level *rewards = POOL_ARRAY(pool, rows->count, struct reward_level);
	struct definitions definitions = { .tags = tags, .actions = actions, .rewards = rewards };
	for (size_t i = 0; i < rows->count; i++)
		add_definition(rows, i, tags, actions, rewards, &definitions);
	qsort(tags, definitions.tag_count, sizeof(*tags), compare_definitions);
	qsort(actions, definitions.action_count, sizeof(*actions), compare_definitions);
	qsort(rewards, definitions.reward_count, sizeof(*rewards), compare_definitions);
	return definitions;
}

enum result
store_read_definitions(struct store *store, struct pool *pool, struct db_list campaigns, struct definitions *definitions)
{
	const struct db_list lists[] = { campaigns, campaigns, campaigns };
	struct db_rows rows;
	enum result result = store_query_lists(store, pool, SQL_SELECT_DEFINITIONS, lists, ARRAY_SIZE(lists), &rows);
	*definitions = definitions_from_rows(pool, &rows);
	return result;
}

enum result
store_find_definitions(struct store *store, struct pool *pool, uint64_t campaign_id, struct definitions *definitions)
{
	struct db_value id = DB_U64(campaign_id), values[] = { id, id, id };
	struct db_rows rows;
	enum result result = db_query(store->db, pool, SQL_SELECT_DEFINITIONS_OF_CAMPAIGN,
	    &(struct db_arguments){ .values = values, .count = ARRAY_SIZE(values) }, &rows);
	*definitions = definitions_from_rows(pool, &rows);
	return result;
}

static enum result
read_ranks(struct store *store, struct pool *pool, const struct campaign *campaign, const struct lead *leads, size_t count,
    struct payload_subject *subjects)
{
	uint64_t *nodes = POOL_ARRAY(pool, count * RANK_LEVELS, uint64_t);
	struct rank_node *rows;
	size_t row_count;
	for (size_t i = 0; i < count; i++) {
		struct rank_place places[RANK_LEVELS];
		rank_places(campaign->id, leads[i].score, places);
		for (size_t level = 0; level < RANK_LEVELS; level++)
			nodes[i * RANK_LEVELS + level] = places[level].node;
	}
	enum result result = store_read_histogram(store, pool, nodes, count * RANK_LEVELS, &rows, &row_count);
	for (size_t i = 0; i < count; i++)
		subjects[i].score_rank = 1 + rank_leads_above(rows, row_count, campaign->id, leads[i].score);
	return result;
}

enum result
store_show_leads(struct store *store, struct pool *pool, const struct campaign *campaign, const struct lead *leads,
    size_t count, struct payload_subject **subjects)
{
	struct definitions *definitions = POOL_NEW(pool, struct definitions);
	struct db_value id = DB_U64(campaign->id);
	bool defined = false;
	*subjects = POOL_ARRAY(pool, count, struct payload_subject);
	for (size_t i = 0; i < count; i++) {
		(*subjects)[i] =
		    (struct payload_subject){ .campaign = campaign, .lead = &leads[i], .definitions = definitions };
		defined = defined || slice_present(leads[i].tag_ids) || slice_present(leads[i].action_ids);
	}
	enum result result = read_ranks(store, pool, campaign, leads, count, *subjects);
	if (result == RESULT_OK && defined)
		result = store_read_definitions(store, pool, (struct db_list){ &id, 1 }, definitions);
	return result;
}

/* A page ends with its limit; `end` is the first number that was not looked at, 0: there is none. */
static struct lead_page
make_page(struct lead *leads, size_t count, size_t limit, uint32_t end)
{
	if (count > limit)
		return (struct lead_page){ leads, limit, limit == 0 ? 0 : leads[limit - 1].subscription_number };
	return (struct lead_page){ leads, count, end == 0 ? 0 : end - 1 };
}

static enum result
list_all(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page)
{
	struct db_value values[] = { DB_U64(campaign_id), DB_U64(filter->after), DB_U64(filter->limit + 1) };
	struct lead *leads;
	size_t count;
	enum result result = select_leads(store, pool, SQL_SELECT_LEADS_BY_NUMBER, values, ARRAY_SIZE(values), &leads, &count);
	*page = make_page(leads, count, filter->limit, 0);
	return result;
}

static enum result
list_filtered(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, struct lead_page *page)
{
	struct db_value from[] = { DB_U64(campaign_id), DB_U64(f->after), DB_U64(LEAD_PAGE_ROWS_MAX) };
	struct db_rows behind;
	struct lead *leads;
	size_t count;
	enum result result = db_query(store->db, pool, SQL_SELECT_NUMBER_BEHIND,
	    &(struct db_arguments){ .values = from, .count = ARRAY_SIZE(from) }, &behind);
	if (result != RESULT_OK)
		return result;
	uint32_t end = behind.count == 0 ? 0 : (uint32_t)db_get_u64(&behind, 0, 0);
	struct db_value values[] = { DB_U64(campaign_id), DB_U64(f->after),
		DB_U64(end == 0 ? UINT64_C(1) << 32 : end), /* numbers have 32 bits */
		DB_I64(f->verified), DB_I64(f->verified), DB_I64(f->waitlisted), DB_I64(f->waitlisted), DB_I64(f->fraudulent),
		DB_I64(f->fraudulent), DB_I64(f->opted_out), DB_I64(f->opted_out), DB_U64(f->tag_id), DB_U64(f->tag_id),
		DB_I64(f->since_ms), DB_U64(f->limit + 1) };
	result = select_leads(store, pool, SQL_SELECT_FILTERED_LEADS, values, ARRAY_SIZE(values), &leads, &count);
	*page = make_page(leads, count, f->limit, end);
	return result;
}

enum result
store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page)
{
	bool filtered = filter->verified >= 0 || filter->waitlisted >= 0 || filter->fraudulent >= 0 || filter->opted_out >= 0 ||
			filter->tag_id != 0 || filter->since_ms > 0;
	return (filtered ? list_filtered : list_all)(store, pool, campaign_id, filter, page);
}

enum result
store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count)
{
	struct db_value values[] = { DB_U64(campaign_id), DB_U64(limit) };
	return select_leads(store, pool, SQL_SELECT_LEADERS, values, ARRAY_SIZE(values), leads, count);
}
