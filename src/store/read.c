/* SPDX-License-Identifier: MIT
 * Reads for the API: keys, campaigns, leads. */
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

enum result
store_find_lead(struct store *store, struct pool *pool, uint64_t campaign_id, enum lead_identity identity, struct slice value,
    struct lead *lead)
{
	static const enum statement statements[] = {
		[LEAD_BY_EMAIL] = SQL_SELECT_LEAD_BY_EMAIL,
		[LEAD_BY_PHONE] = SQL_SELECT_LEAD_BY_PHONE,
		[LEAD_BY_SOCIAL_ID] = SQL_SELECT_LEAD_BY_SOCIAL_ID,
	};
	struct slice stored = identity == LEAD_BY_EMAIL   ? lead_email_hash(pool, campaign_id, value)
			      : identity == LEAD_BY_PHONE ? lead_phone_hash(pool, campaign_id, value)
							  : value;
	struct db_value values[] = { db_bytes(stored), DB_U64(campaign_id) };
	struct db_rows rows;
	enum result result =
	    db_query(store->db, pool, statements[identity], &(struct db_arguments){ .values = values, .count = 2 }, &rows);
	if (result != RESULT_OK)
		return result;
	if (rows.count == 0)
		return RESULT_NOT_FOUND;
	*lead = store_lead_from_row(&rows, 0);
	return RESULT_OK;
}
