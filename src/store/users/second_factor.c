/* SPDX-License-Identifier: MIT */
#include "store/users/second_factor.h"

#include "base/panic.h"
#include "store/query.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "store/users/user_sessions.h"

DB_STATEMENT(
    sql_lock_totp, "SELECT totp_enabled_ms IS NOT NULL, totp_secret IS NOT NULL FROM {prefix}users WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_set_totp, "UPDATE {prefix}users SET totp_secret = ?, totp_step = 0 WHERE id = ? AND totp_enabled_ms IS NULL");
DB_STATEMENT(sql_select_new_totp, "SELECT totp_secret, " NOW " FROM {prefix}users"
				  " WHERE id = ? AND totp_enabled_ms IS NULL AND totp_secret IS NOT NULL");
DB_STATEMENT(sql_enable_totp, "UPDATE {prefix}users SET totp_enabled_ms = " NOW ", totp_step = ? WHERE id = ?");
DB_STATEMENT(
    sql_remove_totp, "UPDATE {prefix}users SET totp_secret = NULL, totp_enabled_ms = NULL, totp_step = 0 WHERE id = ?");
DB_STATEMENT(sql_delete_recovery_codes, "DELETE FROM {prefix}recovery_codes WHERE user_id = ?");
DB_STATEMENT(
    sql_insert_recovery_code, "INSERT INTO {prefix}recovery_codes (user_id, hash) VALUES {each}(?, ?){between}, {end}");

static struct seal_place
place_of(uint64_t user_id)
{
	return (struct seal_place){ "users.totp_secret", user_id };
}

bool
store_seals_totp(const struct store *store)
{
	return seal_has_key(store->secrets_keys);
}

enum result
second_factor_open(struct store *store, struct pool *pool, uint64_t user_id, struct slice stored, struct slice *secret)
{
	return store_open(store, pool, place_of(user_id), stored, secret);
}

enum result
second_factor_delete_codes(struct store *store, uint64_t user_id)
{
	return store_run(store, &sql_delete_recovery_codes, DB_U64(user_id));
}

enum result
second_factor_remove(struct store *store, uint64_t user_id)
{
	const enum result result = store_change_one(store, &sql_remove_totp, DB_U64(user_id));
	return result == RESULT_OK ? second_factor_delete_codes(store, user_id) : result;
}

/* *enabled: there is a second factor; *begun: there is a secret. */
static enum result
lock_totp(struct store *store, struct pool *pool, uint64_t user_id, bool *enabled, bool *begun)
{
	enum { ENABLED, HAS_SECRET };
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_lock_totp, DB_U64(user_id));
	*enabled = result == RESULT_OK && db_get_bool(&rows, 0, ENABLED);
	*begun = result == RESULT_OK && db_get_bool(&rows, 0, HAS_SECRET);
	return result;
}

enum result
store_begin_totp(struct store *store, uint64_t user_id, struct slice secret)
{
	bool enabled, begun;
	require(store_seals_totp(store));
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_totp(store, txn.pool, user_id, &enabled, &begun);
		if (txn.result == RESULT_OK && enabled)
			txn.result = RESULT_REFUSED;
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_set_totp,
			    db_bytes(seal(store->secrets_keys, txn.pool, place_of(user_id), secret)), DB_U64(user_id));
	}
	return txn.result;
}

enum result
store_find_new_totp(struct store *store, struct pool *pool, uint64_t user_id, struct slice *secret, int64_t *now_ms)
{
	enum { SECRET, NOW_MS };
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_new_totp, DB_U64(user_id));
	if (result != RESULT_OK)
		return result;
	*now_ms = db_get_i64(&rows, 0, NOW_MS);
	return second_factor_open(store, pool, user_id, db_get_bytes(&rows, 0, SECRET), secret);
}

static enum result
put_recovery_codes(struct store *store, struct pool *pool, uint64_t user_id, const struct digest recovery[RECOVERY_CODES])
{
	struct row_list codes = store_row_list(pool, &sql_insert_recovery_code, RECOVERY_CODES);
	for (size_t i = 0; i < RECOVERY_CODES; i++)
		store_add_row(&codes, DB_U64(user_id), db_bytes(digest_slice(&recovery[i])));
	const enum result result = second_factor_delete_codes(store, user_id);
	return result == RESULT_OK ? store_run_lists(store, &codes) : result;
}

enum result
store_enable_totp(struct store *store, uint64_t user_id, uint64_t step, const struct digest recovery[RECOVERY_CODES],
    const unsigned char session[32])
{
	bool enabled, begun;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = lock_totp(store, txn.pool, user_id, &enabled, &begun);
		if (txn.result == RESULT_OK && (enabled || !begun))
			txn.result = RESULT_NOT_FOUND;
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_enable_totp, DB_U64(step), DB_U64(user_id));
		if (txn.result == RESULT_OK)
			txn.result = sessions_end_others(store, user_id, session);
		if (txn.result == RESULT_OK)
			txn.result = put_recovery_codes(store, txn.pool, user_id, recovery);
	}
	return txn.result;
}

enum result
store_replace_recovery_codes(struct store *store, uint64_t user_id, const struct digest recovery[RECOVERY_CODES])
{
	bool enabled, begun;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = lock_totp(store, txn.pool, user_id, &enabled, &begun);
		if (txn.result == RESULT_OK && !enabled)
			txn.result = RESULT_NOT_FOUND;
		if (txn.result == RESULT_OK)
			txn.result = put_recovery_codes(store, txn.pool, user_id, recovery);
	}
	return txn.result;
}

enum result
store_remove_totp(struct store *store, uint64_t user_id, const unsigned char session[32])
{
	bool enabled, begun;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_totp(store, txn.pool, user_id, &enabled, &begun);
		if (txn.result == RESULT_OK)
			txn.result = second_factor_remove(store, user_id);
		if (txn.result == RESULT_OK)
			txn.result = sessions_end_others(store, user_id, session);
	}
	return txn.result;
}
