/* SPDX-License-Identifier: MIT
 * What changes of users, their logins and their links share; and their clean-up. */
#include "store/users/parts.h"

#include "identity/login_throttle.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/users/users.h"

DB_STATEMENT(sql_delete_sessions_of_user, "DELETE FROM {prefix}sessions WHERE user_id = ?");
DB_STATEMENT(sql_delete_other_sessions, "DELETE FROM {prefix}sessions WHERE user_id = ? AND hash <> ?");
DB_STATEMENT(sql_delete_recovery_codes, "DELETE FROM {prefix}recovery_codes WHERE user_id = ?");
DB_STATEMENT(sql_set_password, "UPDATE {prefix}users SET password = ?, password_ms = " NOW " WHERE id = ?");
DB_STATEMENT(
    sql_remove_totp, "UPDATE {prefix}users SET totp_secret = NULL, totp_enabled_ms = NULL, totp_step = 0 WHERE id = ?");
DB_STATEMENT(sql_delete_attempts, "DELETE FROM {prefix}login_attempts WHERE hash = ?");
DB_STATEMENT(sql_delete_old_sessions, "DELETE FROM {prefix}sessions WHERE created_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_invitations, "DELETE FROM {prefix}invitations WHERE expires_ms < " NOW " LIMIT ?");
DB_STATEMENT(sql_delete_old_attempts, "DELETE FROM {prefix}login_attempts WHERE until_ms < " NOW " - ? LIMIT ?");

enum result
users_end_sessions(struct store *store, uint64_t user_id, uint64_t *count)
{
	return db_execute(store->db, &sql_delete_sessions_of_user, &DB_VALUES(DB_U64(user_id)), count);
}

enum result
users_end_other_sessions(struct store *store, uint64_t user_id, const unsigned char hash[32])
{
	return store_run(
	    store, &sql_delete_other_sessions, DB_U64(user_id), db_bytes((struct slice){ (const char *)hash, 32 }));
}

enum result
users_remove_recovery_codes(struct store *store, uint64_t user_id)
{
	return store_run(store, &sql_delete_recovery_codes, DB_U64(user_id));
}

enum result
users_set_password(struct store *store, uint64_t user_id, struct slice hash)
{
	return store_change_one(store, &sql_set_password, db_bytes(hash), DB_U64(user_id));
}

enum result
users_remove_totp(struct store *store, uint64_t user_id)
{
	const enum result result = store_change_one(store, &sql_remove_totp, DB_U64(user_id));
	return result == RESULT_OK ? users_remove_recovery_codes(store, user_id) : result;
}

enum result
users_attempts_hash(struct store *store, struct slice email, struct digest *hash)
{
	const struct payload_settings *settings;
	const struct slice pieces[] = { SLICE("leadhook login v1:"), email };
	const enum result result = store_payload_settings(store, &settings);
	if (result == RESULT_OK)
		*hash = digest_hmac_sha256(settings->server_secret, pieces, ARRAY_SIZE(pieces));
	return result;
}

enum result
users_clear_attempts(struct store *store, struct slice email)
{
	struct digest hash;
	const enum result result = users_attempts_hash(store, email, &hash);
	return result == RESULT_OK ? store_run(store, &sql_delete_attempts, db_bytes(digest_slice(&hash))) : result;
}

enum { CHUNK = 1000, CHUNKS = 20, SESSION_LONGEST_MS = 24 * 3600 * 1000 /* as users.session_max may be */ };

static enum result
drop_old(struct store *store, const struct db_statement *statement, const struct db_arguments *arguments)
{
	uint64_t dropped = CHUNK;
	enum result result = RESULT_OK;
	for (unsigned i = 0; i < CHUNKS && result == RESULT_OK && dropped == CHUNK; i++)
		result = db_execute(store->db, statement, arguments, &dropped);
	return result;
}

enum result
store_clean_up_users(struct store *store)
{
	enum result result = drop_old(store, &sql_delete_old_sessions, &DB_VALUES(DB_I64(SESSION_LONGEST_MS), DB_U64(CHUNK)));
	if (result == RESULT_OK)
		result = drop_old(store, &sql_delete_old_invitations, &DB_VALUES(DB_U64(CHUNK)));
	return result == RESULT_OK
		   ? drop_old(store, &sql_delete_old_attempts, &DB_VALUES(DB_I64(LOGIN_FAILURES_MS), DB_U64(CHUNK)))
		   : result;
}
