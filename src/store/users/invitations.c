/* SPDX-License-Identifier: MIT
 * Links by which users set a password. */
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "store/users/parts.h"
#include "store/users/users.h"

#define SELECT_INVITATION                                                          \
	"SELECT i.user_id, u.account_id, u.email, u.name, i.purpose, i.expires_ms" \
	" FROM {prefix}invitations i"                                              \
	" STRAIGHT_JOIN {prefix}users u ON u.id = i.user_id"                       \
	" WHERE i.hash = ? AND i.expires_ms > " NOW " AND u.disabled_ms IS NULL"

DB_STATEMENT(sql_select_invitation, SELECT_INVITATION);
DB_STATEMENT(sql_lock_invited_user, "SELECT id FROM {prefix}users WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_delete_invitation, "DELETE FROM {prefix}invitations WHERE hash = ?");

enum { INVITED_ID, INVITED_ACCOUNT_ID, INVITED_EMAIL, INVITED_NAME, INVITED_PURPOSE, INVITED_EXPIRES_MS };

enum result
store_find_invitation(struct store *store, struct pool *pool, const unsigned char hash[32], struct invited_user *user)
{
	struct db_rows rows;
	const enum result result =
	    store_query_one(store, pool, &rows, &sql_select_invitation, db_bytes((struct slice){ (const char *)hash, 32 }));
	if (result == RESULT_OK)
		*user = (struct invited_user){
			.id = db_get_u64(&rows, 0, INVITED_ID),
			.account_id = store_get_id(&rows, 0, INVITED_ACCOUNT_ID),
			.email = db_get_bytes(&rows, 0, INVITED_EMAIL),
			.name = db_get_bytes(&rows, 0, INVITED_NAME),
			.purpose = slice_equal(db_get_bytes(&rows, 0, INVITED_PURPOSE), SLICE("welcome")) ? INVITATION_WELCOME
													  : INVITATION_RESET,
			.expires_ms = db_get_i64(&rows, 0, INVITED_EXPIRES_MS),
		};
	return result;
}

/* The user is locked first: a link that an operator replaces meanwhile is not used, nor one of a user who is disabled. */
static enum result
use_invitation(struct store *store, struct pool *pool, const unsigned char hash[32], struct slice password)
{
	struct invited_user user;
	const struct db_value hashed = db_bytes((struct slice){ (const char *)hash, 32 });
	enum result result = store_find_invitation(store, pool, hash, &user);
	if (result == RESULT_OK)
		result = store_exists(store, &sql_lock_invited_user, DB_U64(user.id));
	if (result == RESULT_OK)
		result = store_find_invitation(store, pool, hash, &user);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_delete_invitation, hashed);
	if (result == RESULT_OK)
		result = users_set_password(store, user.id, password);
	if (result == RESULT_OK)
		result = users_end_sessions(store, user.id, NULL);
	return result == RESULT_OK ? users_clear_attempts(store, user.email) : result;
}

enum result
store_use_invitation(struct store *store, const unsigned char hash[32], struct slice password)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = use_invitation(store, txn.pool, hash, password);
	return txn.result;
}
