/* SPDX-License-Identifier: MIT */
#include "store/users/logins.h"

#include "base/utf8.h"
#include "crypto/digest.h"
#include "identity/login_throttle.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "store/users/second_factor.h"
#include "store/users/user_sessions.h"

DB_STATEMENT(sql_insert_attempts, "INSERT INTO {prefix}login_attempts (hash, failures, until_ms) VALUES (?, 0, 0)"
				  " ON DUPLICATE KEY UPDATE failures = failures");
DB_STATEMENT(sql_lock_attempts, "SELECT failures, until_ms, " NOW " FROM {prefix}login_attempts WHERE hash = ? FOR UPDATE");
DB_STATEMENT(sql_delete_attempts, "DELETE FROM {prefix}login_attempts WHERE hash = ?");
DB_STATEMENT(sql_update_attempts, "UPDATE {prefix}login_attempts SET failures = ?, until_ms = ? WHERE hash = ?");
#define SELECT_LOGIN_USER                                                                                                  \
	"SELECT id, email, name, IF(disabled_ms IS NULL, password, NULL), IF(totp_enabled_ms IS NULL, NULL, totp_secret)," \
	" totp_step, " NOW " FROM {prefix}users"
DB_STATEMENT(sql_select_login_user, SELECT_LOGIN_USER " WHERE email = ?");
DB_STATEMENT(sql_lock_login_user, SELECT_LOGIN_USER " WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_note_login,
    "UPDATE {prefix}users"
    " SET last_login_ms = " NOW ", password = COALESCE(?, password), totp_step = GREATEST(totp_step, ?)"
    " WHERE id = ?");
DB_STATEMENT(sql_set_password, "UPDATE {prefix}users SET password = ?, password_ms = " NOW " WHERE id = ?");
DB_STATEMENT(sql_use_recovery_code, "DELETE FROM {prefix}recovery_codes WHERE user_id = ? AND hash = ?");
DB_STATEMENT(sql_insert_session,
    "INSERT INTO {prefix}sessions (hash, user_id, created_ms, last_used_ms, confirmed_ms, ip, user_agent)"
    " VALUES (?, ?, " NOW ", " NOW ", " NOW ", ?, ?)");
DB_STATEMENT(sql_confirm_session, "UPDATE {prefix}sessions SET confirmed_ms = " NOW " WHERE hash = ? AND user_id = ?");

enum { IP_MAX = 45, USER_AGENT_MAX = 255 };

/* ---- failed logins ---- */

/* The key of an address's row. */
static enum result
hash_address(struct store *store, struct slice email, struct digest *hash)
{
	const struct payload_settings *settings;
	const struct slice pieces[] = { SLICE("leadhook login v1:"), email };
	const enum result result = store_payload_settings(store, &settings);
	if (result == RESULT_OK)
		*hash = digest_hmac_sha256(settings->server_secret, pieces, ARRAY_SIZE(pieces));
	return result;
}

/* Locks the row of an address; inserts it if it does not exist. */
static enum result
lock_attempts(
    struct store *store, struct pool *pool, const struct digest *hash, struct login_throttle *throttle, int64_t *now_ms)
{
	enum { FAILURES, UNTIL_MS, NOW_MS };
	struct db_rows rows;
	const struct db_value value = db_bytes(digest_slice(hash));
	enum result result = store_run(store, &sql_insert_attempts, value);
	if (result == RESULT_OK)
		result = store_query_one(store, pool, &rows, &sql_lock_attempts, value);
	if (result != RESULT_OK)
		return result;
	*throttle = (struct login_throttle){ store_get_u32(&rows, 0, FAILURES), db_get_i64(&rows, 0, UNTIL_MS) };
	*now_ms = db_get_i64(&rows, 0, NOW_MS);
	return RESULT_OK;
}

static enum result
update_attempts(struct store *store, const struct digest *hash, const struct login_throttle *throttle)
{
	return store_change_one(
	    store, &sql_update_attempts, DB_U64(throttle->failures), DB_I64(throttle->until_ms), db_bytes(digest_slice(hash)));
}

enum result
store_count_login(struct store *store, struct slice email, int64_t *wait_ms)
{
	struct digest hash;
	struct login_throttle throttle;
	int64_t now_ms;
	const enum result result = hash_address(store, email, &hash);
	if (result != RESULT_OK)
		return result;
	/* if the outcome is unknown, the attempt may be counted twice, but it is always counted */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_attempts(store, txn.pool, &hash, &throttle, &now_ms);
		if (txn.result != RESULT_OK)
			continue;
		*wait_ms = login_throttle_wait_ms(&throttle, now_ms);
		if (*wait_ms > 0)
			continue;
		login_throttle_count(&throttle, now_ms);
		txn.result = update_attempts(store, &hash, &throttle);
	}
	return txn.result;
}

enum result
store_uncount_login(struct store *store, struct slice email)
{
	struct digest hash;
	struct login_throttle throttle;
	int64_t now_ms;
	const enum result result = hash_address(store, email, &hash);
	if (result != RESULT_OK)
		return result;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = lock_attempts(store, txn.pool, &hash, &throttle, &now_ms);
		if (txn.result != RESULT_OK)
			continue;
		login_throttle_uncount(&throttle, now_ms);
		txn.result = update_attempts(store, &hash, &throttle);
	}
	return txn.result;
}

enum result
logins_clear_failures(struct store *store, struct slice email)
{
	struct digest hash;
	const enum result result = hash_address(store, email, &hash);
	return result == RESULT_OK ? store_run(store, &sql_delete_attempts, db_bytes(digest_slice(&hash))) : result;
}

/* ---- logins ---- */

enum result
logins_set_password(struct store *store, uint64_t user_id, struct slice password)
{
	return store_change_one(store, &sql_set_password, db_bytes(password), DB_U64(user_id));
}

enum { LOGIN_ID, LOGIN_EMAIL, LOGIN_NAME, LOGIN_PASSWORD, LOGIN_TOTP, LOGIN_TOTP_STEP, LOGIN_NOW_MS };

enum result
store_find_login_user(struct store *store, struct pool *pool, struct slice email, struct login_user *user)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_login_user, db_bytes(email));
	if (result != RESULT_OK)
		return result;
	*user = (struct login_user){
		.id = db_get_u64(&rows, 0, LOGIN_ID),
		.email = db_get_bytes(&rows, 0, LOGIN_EMAIL),
		.name = db_get_bytes(&rows, 0, LOGIN_NAME),
		.password = db_get_bytes(&rows, 0, LOGIN_PASSWORD),
		.totp_step = db_get_u64(&rows, 0, LOGIN_TOTP_STEP),
		.now_ms = db_get_i64(&rows, 0, LOGIN_NOW_MS),
	};
	const struct slice sealed = db_get_bytes(&rows, 0, LOGIN_TOTP);
	return slice_present(sealed) ? second_factor_open(store, pool, user->id, sealed, &user->totp) : RESULT_OK;
}

/* Uses up the code, if the user has not changed since it was verified and the code was not used. */
static enum result
use_proof(struct store *store, struct pool *pool, const struct login_proof *proof)
{
	struct db_rows rows;
	const struct login_user *user = proof->user;
	enum result result = store_query_one(store, pool, &rows, &sql_lock_login_user, DB_U64(user->id));
	if (result != RESULT_OK)
		return result;
	const bool needs_code = slice_present(db_get_bytes(&rows, 0, LOGIN_TOTP));
	const bool has_code = proof->totp_step > 0 || proof->recovery != NULL;
	if (!slice_equal(db_get_bytes(&rows, 0, LOGIN_PASSWORD), user->password) || needs_code != has_code ||
	    (proof->totp_step > 0 && proof->totp_step <= db_get_u64(&rows, 0, LOGIN_TOTP_STEP)))
		return RESULT_NOT_FOUND;
	if (proof->recovery != NULL)
		result = store_change_one(store, &sql_use_recovery_code, DB_U64(user->id), db_raw(proof->recovery, 32));
	if (result == RESULT_OK)
		result = store_change_one(
		    store, &sql_note_login, db_bytes(proof->rehashed), DB_U64(proof->totp_step), DB_U64(user->id));
	return result == RESULT_OK ? logins_clear_failures(store, user->email) : result;
}

static enum result
insert_session(struct store *store, uint64_t user_id, const struct new_session *session)
{
	return store_run(store, &sql_insert_session, db_raw(session->hash, 32), DB_U64(user_id),
	    db_bytes(slice_sub(session->ip, 0, IP_MAX)), db_bytes(utf8_cut(session->user_agent, USER_AGENT_MAX)));
}

enum result
store_open_session(struct store *store, const struct login_proof *proof, const struct new_session *session)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = use_proof(store, txn.pool, proof);
		if (txn.result == RESULT_OK)
			txn.result = insert_session(store, proof->user->id, session);
	}
	return txn.result;
}

enum result
store_confirm_session(struct store *store, const struct login_proof *proof, const unsigned char hash[32])
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = use_proof(store, txn.pool, proof);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_confirm_session, db_raw(hash, 32), DB_U64(proof->user->id));
	}
	return txn.result;
}

enum result
store_change_password(
    struct store *store, const struct login_proof *proof, struct slice password, const struct new_session *session)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = use_proof(store, txn.pool, proof);
		if (txn.result == RESULT_OK)
			txn.result = logins_set_password(store, proof->user->id, password);
		if (txn.result == RESULT_OK)
			txn.result = sessions_end(store, proof->user->id, NULL);
		if (txn.result == RESULT_OK)
			txn.result = insert_session(store, proof->user->id, session);
	}
	return txn.result;
}
