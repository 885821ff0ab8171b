/* SPDX-License-Identifier: MIT
 * Reads: keys, campaigns, single leads, definitions. */
#include "store/read.h"

#include <stdlib.h>

#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

#define SELECT_LEAD                                    \
	"SELECT " LEAD_COLUMNS " FROM {prefix}leads l" \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"

#define SELECT_CAMPAIGN SELECT_CAMPAIGN_USING("")

/* All kinds in one statement, with a number for the kind; missing values are 0 of the right type. The rules need no
 * descriptions. */
#define SELECT_DEFINITIONS(description, campaigns)                                                                   \
	"SELECT 1, id, campaign_id, name, CAST(points AS SIGNED), CAST(0 AS UNSIGNED), FALSE, " description          \
	" FROM {prefix}tags"                                                                                         \
	" WHERE campaign_id " campaigns                                                                              \
	" UNION ALL SELECT 2, id, campaign_id, text, CAST(points AS SIGNED), COALESCE(tag_id, CAST(0 AS UNSIGNED))," \
	" public, link"                                                                                              \
	" FROM {prefix}actions"                                                                                      \
	" WHERE campaign_id " campaigns                                                                              \
	" UNION ALL SELECT 3, id, campaign_id, subject, CAST(required_points AS SIGNED), CAST(0 AS UNSIGNED),"       \
	" emailed, NULL"                                                                                             \
	" FROM {prefix}reward_levels"                                                                                \
	" WHERE campaign_id " campaigns

DB_STATEMENT(sql_select_key,
    "SELECT k.id, k.account_id, a.suspended_ms IS NOT NULL, a.per_minute, k.last_used_ms, " NOW ", k.rights,"
    " k.campaign_ids, k.expires_ms"
    " FROM {prefix}api_keys k"
    " JOIN {prefix}accounts a ON a.id = k.account_id"
    " WHERE k.hash = ? AND k.revoked_ms IS NULL AND (k.expires_ms IS NULL OR k.expires_ms > " NOW ")");
DB_STATEMENT(sql_touch_key, "UPDATE {prefix}api_keys"
			    " SET last_used_ms = ?"
			    " WHERE id = ? AND (last_used_ms IS NULL OR last_used_ms < ?)");
DB_STATEMENT(sql_select_definitions_to_cache, SELECT_DEFINITIONS("NULL", "IN ({list})"));
DB_STATEMENT(sql_load_leads_by_email, SELECT_LEAD " WHERE l.email_hash IN ({list})");
DB_STATEMENT(sql_load_leads_by_phone, SELECT_LEAD " WHERE l.phone_hash IN ({list})");
DB_STATEMENT(sql_load_leads_by_social_id, SELECT_LEAD " WHERE l.social_id IN ({list})");
DB_STATEMENT(sql_load_leads_by_id, SELECT_LEAD " WHERE l.id IN ({list})");
DB_STATEMENT(sql_select_campaign, SELECT_CAMPAIGN " WHERE c.id = ?");
DB_STATEMENT(sql_select_campaigns_of_account,
    SELECT_CAMPAIGN_USING("FORCE INDEX (by_account)") " WHERE c.account_id = ? AND c.id > ? ORDER BY c.id LIMIT ?");
DB_STATEMENT(sql_select_all_campaigns, SELECT_CAMPAIGN_USING("FORCE INDEX (PRIMARY)") " WHERE c.id > ? ORDER BY c.id LIMIT ?");
DB_STATEMENT(sql_select_definitions_of_campaign, SELECT_DEFINITIONS("description", "= ?"));

enum {
	KEY_ID,
	KEY_ACCOUNT_ID,
	KEY_SUSPENDED,
	KEY_PER_MINUTE,
	KEY_LAST_USED_MS,
	KEY_NOW_MS,
	KEY_RIGHTS,
	KEY_CAMPAIGNS,
	KEY_EXPIRES_MS
};
enum { HOUR_MS = 3600 * 1000 };

/* A list that was stored by store_add_key. */
static void
read_campaigns(struct slice list, struct api_key *key)
{
	struct slice item;
	while (key->campaign_count < KEY_CAMPAIGNS_MAX && slice_next_item(&list, &item))
		if (slice_to_u64(item, INT64_MAX, &key->campaigns[key->campaign_count]))
			key->campaign_count++;
}

enum result
store_find_key(struct store *store, const unsigned char hash[32], struct api_key *key)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	struct db_value value = db_bytes((struct slice){ (const char *)hash, 32 });
	enum result result = store_query_one(store, pool, &rows, &sql_select_key, value);
	if (result == RESULT_OK) {
		*key = (struct api_key){
			.id = db_get_u64(&rows, 0, KEY_ID),
			.account_id = db_get_u64(&rows, 0, KEY_ACCOUNT_ID),
			.account_suspended = db_get_bool(&rows, 0, KEY_SUSPENDED),
			.account_per_minute = db_get_time(&rows, 0, KEY_PER_MINUTE),
			.last_used_ms = db_get_time(&rows, 0, KEY_LAST_USED_MS),
			.now_ms = db_get_i64(&rows, 0, KEY_NOW_MS),
			.expires_ms = db_get_time(&rows, 0, KEY_EXPIRES_MS),
			.rights = (rights)db_get_u64(&rows, 0, KEY_RIGHTS),
		};
		read_campaigns(db_get_bytes(&rows, 0, KEY_CAMPAIGNS), key);
	}
	pool_free(&pool);
	return result;
}

enum result
store_touch_key(struct store *store, const struct api_key *key)
{
	int64_t hour = key->now_ms - key->now_ms % HOUR_MS;
	if (key->last_used_ms >= hour)
		return RESULT_OK;
	return store_run(store, &sql_touch_key, DB_I64(hour), DB_U64(key->id), DB_I64(hour));
}

enum result
store_find_campaign(struct store *store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms)
{
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, &sql_select_campaign, DB_U64(id));
	if (result != RESULT_OK)
		return result;
	*campaign = store_campaign_from_row(&rows, 0);
	*now_ms = db_get_i64(&rows, 0, CAMPAIGN_NOW_MS);
	return RESULT_OK;
}

enum result
store_list_campaigns(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct campaign **campaigns, size_t *count, int64_t *now_ms)
{
	const struct db_value after = DB_U64(part.after), limit = DB_U64(part.limit);
	struct db_rows rows;
	enum result result = account_id == 0 ? store_query(store, pool, &rows, &sql_select_all_campaigns, after, limit)
					     : store_query(store, pool, &rows, &sql_select_campaigns_of_account,
						   DB_U64(account_id), after, limit);
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

enum result
store_query_leads(
    struct store *store, struct pool *pool, enum lead_identity identity, struct db_list list, struct db_rows *rows)
{
	static const struct db_statement *const statements[] = {
		[LEAD_BY_EMAIL] = &sql_load_leads_by_email,
		[LEAD_BY_PHONE] = &sql_load_leads_by_phone,
		[LEAD_BY_SOCIAL_ID] = &sql_load_leads_by_social_id,
		[LEAD_BY_ID] = &sql_load_leads_by_id,
	};
	return store_query_lists(store, pool, statements[identity], &list, 1, rows);
}

enum result
store_find_lead(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference, struct lead *lead)
{
	struct db_value value = store_reference_value(pool, campaign_id, reference);
	struct db_rows rows;
	enum result result = store_query_leads(store, pool, reference->identity, (struct db_list){ &value, 1 }, &rows);
	if (result != RESULT_OK)
		return result;
	/* a social id or an id may belong to another campaign */
	if (rows.count == 0 || db_get_u64(&rows, 0, LEAD_campaign_id) != campaign_id)
		return RESULT_NOT_FOUND;
	*lead = store_lead_from_row(&rows, 0);
	return RESULT_OK;
}

/* Numbers of the kinds in the statements. */
enum { DEFINITION_TAG = 1, DEFINITION_ACTION, DEFINITION_REWARD_LEVEL };
enum {
	DEFINITION_KIND,
	DEFINITION_ID,
	DEFINITION_CAMPAIGN_ID,
	DEFINITION_NAME,
	DEFINITION_POINTS,
	DEFINITION_TAG_ID,
	DEFINITION_SWITCH,     /* emailed, public */
	DEFINITION_DESCRIPTION /* link */
};

static void
add_definition(const struct db_rows *rows, size_t row, struct tag *tag, struct action *action, struct reward_level *reward,
    struct definitions *to)
{
	uint64_t id = db_get_u64(rows, row, DEFINITION_ID);
	struct slice name = db_get_bytes(rows, row, DEFINITION_NAME);
	int64_t points = db_get_i64(rows, row, DEFINITION_POINTS);
	switch (db_get_i64(rows, row, DEFINITION_KIND)) {
	case DEFINITION_TAG:
		tag[to->tag_count++] =
		    (struct tag){ id, name, db_get_bytes(rows, row, DEFINITION_DESCRIPTION), (int32_t)points };
		break;
	case DEFINITION_ACTION:
		action[to->action_count++] =
		    (struct action){ id, name, (int32_t)points, db_get_u64(rows, row, DEFINITION_TAG_ID),
			    db_get_bool(rows, row, DEFINITION_SWITCH), db_get_bytes(rows, row, DEFINITION_DESCRIPTION) };
		break;
	default:
		reward[to->reward_count++] =
		    (struct reward_level){ id, name, (uint32_t)points, db_get_bool(rows, row, DEFINITION_SWITCH) };
	}
}

struct definitions
store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id)
{
	size_t own = 0;
	for (size_t i = 0; i < rows->count; i++)
		own += db_get_u64(rows, i, DEFINITION_CAMPAIGN_ID) == campaign_id;
	struct tag *tags = POOL_ARRAY(pool, own, struct tag);
	struct action *actions = POOL_ARRAY(pool, own, struct action);
	struct reward_level *rewards = POOL_ARRAY(pool, own, struct reward_level);
	struct definitions definitions = { .tags = tags, .actions = actions, .rewards = rewards };
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_u64(rows, i, DEFINITION_CAMPAIGN_ID) == campaign_id)
			add_definition(rows, i, tags, actions, rewards, &definitions);
	qsort(tags, definitions.tag_count, sizeof(*tags), compare_ids);
	qsort(actions, definitions.action_count, sizeof(*actions), compare_ids);
	qsort(rewards, definitions.reward_count, sizeof(*rewards), compare_ids);
	return definitions;
}

enum result
store_query_definitions(struct store *store, struct pool *pool, struct db_list campaigns, struct db_rows *rows)
{
	const struct db_list lists[] = { campaigns, campaigns, campaigns };
	return store_query_lists(store, pool, &sql_select_definitions_to_cache, lists, ARRAY_SIZE(lists), rows);
}

enum result
store_find_definitions(struct store *store, struct pool *pool, uint64_t campaign_id, struct definitions *definitions)
{
	const struct db_value id = DB_U64(campaign_id);
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_definitions_of_campaign, id, id, id);
	*definitions = store_definitions_from_rows(pool, &rows, campaign_id);
	return result;
}
