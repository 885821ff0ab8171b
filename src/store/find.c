/* SPDX-License-Identifier: MIT */
#include "store/find.h"

#include <stdlib.h>

#include "base/duration.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

#define SELECT_LEAD                                    \
	"SELECT " LEAD_COLUMNS " FROM {prefix}leads l" \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"

#define SELECT_CAMPAIGN SELECT_CAMPAIGN_USING("")

/* All kinds in one statement, with a number for the kind; missing values are 0 in the right type. The rules need no
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
    "SELECT k.id, k.account_id, a.suspended_ms IS NOT NULL, a.per_minute, k.last_used_ms, " NOW ", k.expires_ms,"
    " k.rights, k.campaign_ids"
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
DB_STATEMENT(sql_select_settings_version, "SELECT settings_version FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_select_definitions_of_campaign, SELECT_DEFINITIONS("description", "= ?"));

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
	enum result result = store_query_one(store, pool, &rows, &sql_select_key, db_raw(hash, 32));
	if (result == RESULT_OK) {
		struct row_reader *r = ROW(&rows, 0);
		*key = (struct api_key){ .id = row_u64(r) };
		key->account_id = row_u64(r);
		key->account_suspended = row_bool(r);
		key->account_per_minute = row_time(r);
		key->last_used_ms = row_time(r);
		key->now_ms = row_i64(r);
		key->expires_ms = row_time(r);
		key->rights = (rights)row_u64(r);
		read_campaigns(row_bytes(r), key);
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
	struct row_reader *r = ROW(&rows, 0);
	*campaign = row_campaign(r);
	*now_ms = row_i64(r);
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
		struct row_reader *r = ROW(&rows, i);
		(*campaigns)[i] = row_campaign(r);
		*now_ms = row_i64(r);
	}
	return RESULT_OK;
}

enum result
store_read_settings_version(struct store *store, uint64_t campaign_id, uint64_t *version)
{
	return store_read_number(store, version, &sql_select_settings_version, DB_U64(campaign_id));
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
	if (rows.count == 0)
		return RESULT_NOT_FOUND;
	const struct lead found = row_lead(ROW(&rows, 0));
	if (found.campaign_id != campaign_id) /* a social id or an id may belong to another campaign */
		return RESULT_NOT_FOUND;
	*lead = found;
	return RESULT_OK;
}

/* Columns of SELECT_DEFINITIONS. `is_on`: public, emailed. `text`: the description, the link. */
enum { KIND, ID, CAMPAIGN_ID, NAME, POINTS, TAG_ID, IS_ON, TEXT };

static void
add_definition(const struct db_rows *rows, size_t row, struct tag *tag, struct action *action, struct reward_level *reward,
    struct definitions *to)
{
	enum { TAG = 1, ACTION = 2 };
	const uint64_t id = db_get_u64(rows, row, ID), kind = db_get_u64(rows, row, KIND);
	const struct slice name = db_get_bytes(rows, row, NAME), text = db_get_bytes(rows, row, TEXT);
	const int64_t points = db_get_i64(rows, row, POINTS);
	const bool is_on = db_get_bool(rows, row, IS_ON);
	if (kind == TAG)
		tag[to->tag_count++] = (struct tag){ id, name, text, (int32_t)points };
	else if (kind == ACTION)
		action[to->action_count++] =
		    (struct action){ id, name, (int32_t)points, db_get_u64(rows, row, TAG_ID), is_on, text };
	else
		reward[to->reward_count++] = (struct reward_level){ id, name, (uint32_t)points, is_on };
}

struct definitions
store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id)
{
	size_t own = 0;
	for (size_t i = 0; i < rows->count; i++)
		own += db_get_u64(rows, i, CAMPAIGN_ID) == campaign_id;
	struct tag *tags = POOL_ARRAY(pool, own, struct tag);
	struct action *actions = POOL_ARRAY(pool, own, struct action);
	struct reward_level *rewards = POOL_ARRAY(pool, own, struct reward_level);
	struct definitions definitions = { .tags = tags, .actions = actions, .rewards = rewards };
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_u64(rows, i, CAMPAIGN_ID) == campaign_id)
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
