/* SPDX-License-Identifier: MIT */
#include "store/operator/accounts.h"

#include "engine/id_list.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_account, "INSERT INTO {prefix}accounts (id, name, created_ms) VALUES (?, ?, " NOW ")");
DB_STATEMENT(sql_select_accounts, "SELECT id, name, suspended_ms, per_minute, created_ms, time_zone FROM {prefix}accounts"
				  " WHERE id > ? ORDER BY id LIMIT ?");
DB_STATEMENT(sql_select_account, "SELECT id FROM {prefix}accounts WHERE id = ?");
DB_STATEMENT_SHARED(sql_lock_account, "SELECT id FROM {prefix}accounts WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_select_accounts_of_campaigns, "SELECT account_id FROM {prefix}campaigns WHERE id IN ({list})");
DB_STATEMENT(sql_select_campaigns_with_account, "SELECT id FROM {prefix}campaigns WHERE account_id = ? ORDER BY id");
DB_STATEMENT(sql_lock_settings_of, "UPDATE {prefix}campaign_counters FORCE INDEX (PRIMARY)"
				   " SET settings_version = settings_version + 1"
				   " WHERE campaign_id IN ({list})");
DB_STATEMENT(sql_suspend_account, "UPDATE {prefix}accounts SET suspended_ms = COALESCE(suspended_ms, " NOW ") WHERE id = ?");
DB_STATEMENT(sql_resume_account, "UPDATE {prefix}accounts SET suspended_ms = NULL WHERE id = ?");
DB_STATEMENT(sql_limit_account, "UPDATE {prefix}accounts SET per_minute = ? WHERE id = ?");
DB_STATEMENT(sql_set_time_zone, "UPDATE {prefix}accounts SET time_zone = ? WHERE id = ?");

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

/* Like every insert, not repeated if it may have been committed: there would be two rows. */
enum result
store_add_account(struct store *store, const struct precondition *precondition, struct slice name, uint64_t *id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_take_id(store, txn.pool, precondition, ID_ACCOUNT, id);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_insert_account, DB_U64(*id), db_bytes(name));
	}
	return txn.result;
}

enum result
store_list_accounts(struct store *store, struct pool *pool, struct list_part part, struct account_row **accounts, size_t *count)
{
	enum { ID, NAME, SUSPENDED_MS, PER_MINUTE, CREATED_MS, TIME_ZONE };
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_accounts, DB_U64(part.after), DB_U64(part.limit));
	*accounts = POOL_ARRAY(pool, rows.count, struct account_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*accounts)[i] = (struct account_row){
			.id = db_get_u64(&rows, i, ID),
			.name = db_get_bytes(&rows, i, NAME),
			.suspended_ms = db_get_time(&rows, i, SUSPENDED_MS),
			.created_ms = db_get_i64(&rows, i, CREATED_MS),
			.per_minute = db_get_time(&rows, i, PER_MINUTE),
			.time_zone = db_get_bytes(&rows, i, TIME_ZONE),
		};
	return result;
}

enum result
store_find_account(struct store *store, uint64_t id)
{
	return store_exists(store, &sql_select_account, DB_U64(id));
}

enum result
store_check_owner(struct store *store, struct pool *pool, uint64_t account_id, const uint64_t *campaigns, size_t count)
{
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = campaigns[i];
	const struct db_list list = store_id_list(pool, ids, count);
	const enum result result = store_query_lists(store, pool, &sql_select_accounts_of_campaigns, &list, 1, &rows);
	bool own = rows.count == list.count;
	for (size_t i = 0; i < rows.count; i++)
		own = own && db_get_u64(&rows, i, 0) == account_id;
	return result == RESULT_OK && !own ? RESULT_REFUSED : result;
}

/* After this, no sign-up to these campaigns is under way. The account is locked: it gets no new campaigns. */
static enum result
lock_settings_of(struct store *store, struct pool *pool, uint64_t account_id)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_campaigns_with_account, DB_U64(account_id));
	const struct db_list ids = { rows.values, rows.count };
	for (size_t from = 0; result == RESULT_OK && from < ids.count; from += DB_LIST_MAX)
		result = db_execute(store->db, &sql_lock_settings_of, &DB_LIST_AND_VALUES(store_list_piece(ids, from)), NULL);
	return result;
}

static enum result
change_account(struct store *store, const struct db_statement *change, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_change_one(store, change, DB_U64(id));
		if (txn.result == RESULT_OK)
			txn.result = lock_settings_of(store, txn.pool, id);
	}
	return txn.result;
}

enum result
store_suspend_account(struct store *store, uint64_t id)
{
	return change_account(store, &sql_suspend_account, id);
}

enum result
store_resume_account(struct store *store, uint64_t id)
{
	return change_account(store, &sql_resume_account, id);
}

enum result
store_limit_account(struct store *store, uint64_t id, int64_t per_minute)
{
	return store_change_one(store, &sql_limit_account, db_time(per_minute), DB_U64(id));
}

enum result
store_set_time_zone(struct store *store, uint64_t id, struct slice time_zone)
{
	return store_change_one(store, &sql_set_time_zone, db_bytes(time_zone), DB_U64(id));
}

/* ---- keys ---- */

/* The account is locked: the count stays valid until the key is inserted. */
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
	return store_change_one(store, &sql_insert_key, DB_U64(id), DB_U64(key->account_id), db_bytes(key->name),
	    db_raw(key->hash, 32), DB_U64(key->rights), db_bytes(id_list_of(pool, key->campaigns, key->campaign_count)),
	    db_time(key->expires_ms));
}

/* Not repeated if it may have been committed: there would be two rows. */
enum result
store_add_key(
    struct store *store, const struct precondition *precondition, const struct new_key *key, uint64_t maximum, uint64_t *id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_exists(store, &sql_lock_account, DB_U64(key->account_id));
		if (txn.result == RESULT_OK)
			txn.result = store_check_owner(store, txn.pool, key->account_id, key->campaigns, key->campaign_count);
		if (txn.result == RESULT_OK)
			txn.result = make_room(store, txn.pool, key->account_id, maximum);
		if (txn.result == RESULT_OK)
			txn.result = store_take_id(store, txn.pool, precondition, ID_API_KEY, id);
		if (txn.result == RESULT_OK)
			txn.result = insert_key(store, txn.pool, key, *id);
	}
	return txn.result;
}

enum result
store_list_keys(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part, struct api_key_row **keys,
    size_t *count)
{
	enum { ID, ACCOUNT_ID, NAME, CREATED_MS, LAST_USED_MS, REVOKED_MS, EXPIRES_MS, KEY_RIGHTS, CAMPAIGNS };
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
