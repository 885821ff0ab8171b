/* SPDX-License-Identifier: MIT */
#include "store/operator/accounts.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_account, "INSERT INTO {prefix}accounts (id, name, created_ms) VALUES (?, ?, " NOW ")");
DB_STATEMENT(sql_select_accounts, "SELECT id, name, suspended_ms, per_minute, created_ms, time_zone FROM {prefix}accounts"
				  " WHERE id > ? ORDER BY id LIMIT ?");
DB_STATEMENT(sql_select_account, "SELECT id FROM {prefix}accounts WHERE id = ?");
DB_STATEMENT_SHARED(sql_lock_account, "SELECT id FROM {prefix}accounts WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_select_campaigns_with_account, "SELECT id FROM {prefix}campaigns WHERE account_id = ? ORDER BY id");
DB_STATEMENT(sql_lock_settings_of, "UPDATE {prefix}campaign_counters FORCE INDEX (PRIMARY)"
				   " SET settings_version = settings_version + 1"
				   " WHERE campaign_id IN ({list})");
DB_STATEMENT(sql_suspend_account, "UPDATE {prefix}accounts SET suspended_ms = COALESCE(suspended_ms, " NOW ") WHERE id = ?");
DB_STATEMENT(sql_resume_account, "UPDATE {prefix}accounts SET suspended_ms = NULL WHERE id = ?");
DB_STATEMENT(sql_limit_account, "UPDATE {prefix}accounts SET per_minute = ? WHERE id = ?");
DB_STATEMENT(sql_set_time_zone, "UPDATE {prefix}accounts SET time_zone = ? WHERE id = ?");

/* Like every insert, not repeated when it may have been committed: there would be two rows. */
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

enum { ACCOUNT_ID, ACCOUNT_NAME, ACCOUNT_SUSPENDED_MS, ACCOUNT_PER_MINUTE, ACCOUNT_CREATED_MS, ACCOUNT_TIME_ZONE };

enum result
store_list_accounts(struct store *store, struct pool *pool, struct list_part part, struct account_row **accounts, size_t *count)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_accounts, DB_U64(part.after), DB_U64(part.limit));
	*accounts = POOL_ARRAY(pool, rows.count, struct account_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*accounts)[i] = (struct account_row){
			.id = db_get_u64(&rows, i, ACCOUNT_ID),
			.name = db_get_bytes(&rows, i, ACCOUNT_NAME),
			.suspended_ms = db_get_time(&rows, i, ACCOUNT_SUSPENDED_MS),
			.created_ms = db_get_i64(&rows, i, ACCOUNT_CREATED_MS),
			.per_minute = db_get_time(&rows, i, ACCOUNT_PER_MINUTE),
			.time_zone = db_get_bytes(&rows, i, ACCOUNT_TIME_ZONE),
		};
	return result;
}

enum result
store_find_account(struct store *store, uint64_t id)
{
	return store_exists(store, &sql_select_account, DB_U64(id));
}

/* Afterwards no sign-up to these campaigns is under way. The account is locked: it gets no new campaigns. */
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
