/* SPDX-License-Identifier: MIT
 * API keys, as operators and owners manage them. */
#include "store/operator/keys.h"

#include "engine/id_list.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_account_of_campaign, "SELECT account_id FROM {prefix}campaigns WHERE id = ?");
DB_STATEMENT(sql_insert_key,
    "INSERT INTO {prefix}api_keys (id, account_id, name, hash, rights, campaign_ids, expires_ms, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, " NOW ")");
DB_STATEMENT(sql_select_keys,
    "SELECT id, account_id, name, created_ms, last_used_ms, revoked_ms, expires_ms, rights, campaign_ids"
    " FROM {prefix}api_keys FORCE INDEX (by_account)"
    " WHERE account_id = ? AND id > ?"
    " ORDER BY id LIMIT ?");
#define HAS_ENDED "(revoked_ms IS NOT NULL OR COALESCE(expires_ms <= " NOW ", FALSE))"
DB_STATEMENT(sql_count_keys, "SELECT COUNT(*), COUNT(IF(" HAS_ENDED ", NULL, 1)) FROM {prefix}api_keys FORCE INDEX (by_account)"
			     " WHERE account_id = ?");
DB_STATEMENT(sql_select_ended_keys, "SELECT id FROM {prefix}api_keys FORCE INDEX (by_account)"
				    " WHERE account_id = ? AND " HAS_ENDED " ORDER BY id LIMIT ?");
DB_STATEMENT(sql_delete_keys, "DELETE t FROM " ROWS_WITH_IDS("api_keys"));
DB_STATEMENT(sql_revoke_key, "UPDATE {prefix}api_keys SET revoked_ms = COALESCE(revoked_ms, " NOW ") WHERE id = ?");

static enum result
check_campaigns(struct store *store, struct pool *pool, const struct new_key *key)
{
	struct db_rows rows;
	for (size_t i = 0; i < key->campaign_count; i++) {
		const enum result result =
		    store_query_one(store, pool, &rows, &sql_select_account_of_campaign, DB_U64(key->campaigns[i]));
		if (result == RESULT_NOT_FOUND || (result == RESULT_OK && db_get_u64(&rows, 0, 0) != key->account_id))
			return RESULT_REFUSED;
		if (result != RESULT_OK)
			return result;
	}
	return RESULT_OK;
}

/* The account is locked: the count holds until the key is inserted. */
static enum result
make_room(struct store *store, struct pool *pool, uint64_t account_id, uint64_t maximum)
{
	enum { ALL, USABLE };
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, &sql_count_keys, DB_U64(account_id));
	if (result != RESULT_OK)
		return result;
	const uint64_t all = db_get_u64(&rows, 0, ALL);
	if (db_get_u64(&rows, 0, USABLE) >= maximum)
		return RESULT_TOO_MANY;
	if (all < maximum)
		return RESULT_OK;
	result = store_query(store, pool, &rows, &sql_select_ended_keys, DB_U64(account_id), DB_U64(all - maximum + 1));
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_keys, rows.values, rows.count, NULL) : result;
}

static enum result
insert_key(struct store *store, struct pool *pool, const struct new_key *key, uint64_t id)
{
	const struct db_value hash = db_bytes((struct slice){ (const char *)key->hash, sizeof(key->hash) });
	return store_change_one(store, &sql_insert_key, DB_U64(id), DB_U64(key->account_id), db_bytes(key->name), hash,
	    DB_U64(key->rights), db_bytes(id_list_of(pool, key->campaigns, key->campaign_count)), db_time(key->expires_ms));
}

/* Not repeated when it may have been committed: there would be two rows. */
enum result
store_add_key(
    struct store *store, const struct precondition *precondition, const struct new_key *key, uint64_t maximum, uint64_t *id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_exists(store, &sql_lock_account, DB_U64(key->account_id));
		if (txn.result == RESULT_OK)
			txn.result = check_campaigns(store, txn.pool, key);
		if (txn.result == RESULT_OK)
			txn.result = make_room(store, txn.pool, key->account_id, maximum);
		if (txn.result == RESULT_OK)
			txn.result = store_take_id(store, txn.pool, precondition, ID_API_KEY, id);
		if (txn.result == RESULT_OK)
			txn.result = insert_key(store, txn.pool, key, *id);
	}
	return txn.result;
}

enum { ID, ACCOUNT_ID, NAME, CREATED_MS, LAST_USED_MS, REVOKED_MS, EXPIRES_MS, KEY_RIGHTS, CAMPAIGNS };

enum result
store_list_keys(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part, struct api_key_row **keys,
    size_t *count)
{
	struct db_rows rows;
	enum result result =
	    store_query(store, pool, &rows, &sql_select_keys, DB_U64(account_id), DB_U64(part.after), DB_U64(part.limit));
	*keys = POOL_ARRAY(pool, rows.count, struct api_key_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*keys)[i] = (struct api_key_row){
			.id = db_get_u64(&rows, i, ID),
			.account_id = db_get_u64(&rows, i, ACCOUNT_ID),
			.name = db_get_bytes(&rows, i, NAME),
			.created_ms = db_get_i64(&rows, i, CREATED_MS),
			.last_used_ms = db_get_time(&rows, i, LAST_USED_MS),
			.revoked_ms = db_get_time(&rows, i, REVOKED_MS),
			.expires_ms = db_get_time(&rows, i, EXPIRES_MS),
			.rights = (rights)db_get_u64(&rows, i, KEY_RIGHTS),
			.campaigns = db_get_bytes(&rows, i, CAMPAIGNS),
		};
	return result;
}

enum result
store_revoke_key(struct store *store, uint64_t id)
{
	return store_change_one(store, &sql_revoke_key, DB_U64(id));
}
