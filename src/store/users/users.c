/* SPDX-License-Identifier: MIT */
#include "store/users/users.h"

#include "engine/id_list.h"
#include "store/operator/accounts.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "store/users/logins.h"
#include "store/users/second_factor.h"
#include "store/users/user_sessions.h"

#define USER_COLUMNS                                                                                                   \
	"id, account_id, email, name, role, campaigns, password IS NOT NULL, totp_enabled_ms IS NOT NULL, created_ms," \
	" last_login_ms, disabled_ms"

DB_STATEMENT(sql_select_user_of_email, "SELECT id FROM {prefix}users WHERE email = ?");
DB_STATEMENT(sql_insert_user, "INSERT INTO {prefix}users (id, account_id, email, name, role, campaigns, created_ms)"
			      " VALUES (?, ?, ?, ?, ?, ?, " NOW ")");
DB_STATEMENT(
    sql_select_users, "SELECT " USER_COLUMNS " FROM {prefix}users FORCE INDEX (PRIMARY) WHERE id > ? ORDER BY id LIMIT ?");
DB_STATEMENT(sql_select_users_of_account, "SELECT " USER_COLUMNS " FROM {prefix}users FORCE INDEX (by_account)"
					  " WHERE account_id = ? AND id > ?"
					  " ORDER BY id LIMIT ?");
DB_STATEMENT(sql_select_user, "SELECT " USER_COLUMNS " FROM {prefix}users WHERE id = ?");
DB_STATEMENT(sql_lock_user, "SELECT " USER_COLUMNS " FROM {prefix}users WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_count_users, "SELECT COUNT(*) FROM {prefix}users FORCE INDEX (by_account) WHERE account_id = ?");
DB_STATEMENT(sql_lock_operators, "SELECT id, disabled_ms FROM {prefix}users FORCE INDEX (by_account)"
				 " WHERE account_id IS NULL"
				 " ORDER BY id"
				 " FOR UPDATE");
DB_STATEMENT(sql_update_user, "UPDATE {prefix}users SET name = ?, role = ?, campaigns = ? WHERE id = ?");
DB_STATEMENT(sql_disable_user, "UPDATE {prefix}users SET disabled_ms = COALESCE(disabled_ms, " NOW ") WHERE id = ?");
DB_STATEMENT(sql_enable_user, "UPDATE {prefix}users SET disabled_ms = NULL WHERE id = ?");
DB_STATEMENT(sql_delete_user, "DELETE FROM {prefix}users WHERE id = ?");
DB_STATEMENT(sql_reset_user, "UPDATE {prefix}users SET password = NULL, password_ms = NULL WHERE id = ?");
DB_STATEMENT(sql_insert_invitation, "INSERT INTO {prefix}invitations (hash, user_id, purpose, created_ms, expires_ms)"
				    " VALUES (?, ?, ?, " NOW ", " NOW " + ?)");
DB_STATEMENT(sql_select_invitation, "SELECT i.user_id, u.account_id, u.email, u.name, i.purpose, i.expires_ms"
				    " FROM {prefix}invitations i"
				    " STRAIGHT_JOIN {prefix}users u ON u.id = i.user_id"
				    " WHERE i.hash = ? AND i.expires_ms > " NOW " AND u.disabled_ms IS NULL");
DB_STATEMENT(sql_delete_invitation, "DELETE FROM {prefix}invitations WHERE hash = ?");
DB_STATEMENT(sql_delete_invitations_of_user, "DELETE FROM {prefix}invitations WHERE user_id = ?");

const struct user_manager user_manager_shell = { .shell = true, .rights = RIGHTS_ALL, .users_max = INT64_MAX };

/* A role of a later version becomes the one with the fewest rights. */
static enum role
role_of(uint64_t number)
{
	return number < ROLES ? (enum role)number : ROLE_VIEWER;
}

static struct user_row
user_from_row(const struct db_rows *rows, size_t row)
{
	enum { ID, ACCOUNT_ID, EMAIL, NAME, ROLE, CAMPAIGNS, HAS_PASSWORD, HAS_TOTP, CREATED_MS, LAST_LOGIN_MS, DISABLED_MS };
	return (struct user_row){
		.id = db_get_u64(rows, row, ID),
		.account_id = store_get_id(rows, row, ACCOUNT_ID),
		.email = db_get_bytes(rows, row, EMAIL),
		.settings = { .name = db_get_bytes(rows, row, NAME),
		    .role = role_of(db_get_u64(rows, row, ROLE)),
		    .campaigns = db_get_bytes(rows, row, CAMPAIGNS) },
		.has_password = db_get_bool(rows, row, HAS_PASSWORD),
		.has_totp = db_get_bool(rows, row, HAS_TOTP),
		.created_ms = db_get_i64(rows, row, CREATED_MS),
		.last_login_ms = db_get_time(rows, row, LAST_LOGIN_MS),
		.disabled_ms = db_get_time(rows, row, DISABLED_MS),
	};
}

/* ---- rules of managing users ---- */

static bool
are_in_list(struct slice ids, struct slice list)
{
	uint64_t id;
	while (id_list_next(&ids, &id))
		if (!id_list_has(list, id))
			return false;
	return true;
}

/* Whether the manager may manage a user with these settings, in any way. */
static bool
may_manage(const struct user_manager *manager, const struct user_settings *settings)
{
	if (manager->shell)
		return true;
	if (settings->role == ROLE_OPERATOR && manager->account_id != 0)
		return false;
	if ((role_rights(settings->role) & ~manager->rights) != 0)
		return false;
	return !slice_present(manager->campaigns) ||
	       (slice_present(settings->campaigns) && are_in_list(settings->campaigns, manager->campaigns));
}

static bool
is_of_manager(const struct user_manager *manager, uint64_t account_id)
{
	return manager->shell || manager->account_id == 0 || manager->account_id == account_id;
}

static enum result
refuse(enum user_refusal *refusal, enum user_refusal why)
{
	*refusal = why;
	return RESULT_REFUSED;
}

/* Whether all campaigns of the list belong to the account. */
static enum result
check_campaigns(struct store *store, struct pool *pool, uint64_t account_id, struct slice campaigns, enum user_refusal *refusal)
{
	uint64_t *ids = POOL_ARRAY(pool, USER_CAMPAIGNS_MAX, uint64_t);
	struct slice rest = campaigns;
	uint64_t id;
	size_t count = 0;
	while (id_list_next(&rest, &id) && count < USER_CAMPAIGNS_MAX)
		ids[count++] = id;
	if (rest.size > 0)
		return refuse(refusal, USER_NO_CAMPAIGN);
	const enum result result = store_check_owner(store, pool, account_id, ids, count);
	return result == RESULT_REFUSED ? refuse(refusal, USER_NO_CAMPAIGN) : result;
}

/* Whether a user of the account may have these settings, and whether the manager may grant them. */
static enum user_refusal
judge_settings(const struct user_manager *manager, uint64_t account_id, const struct user_settings *settings)
{
	if ((settings->role == ROLE_OPERATOR) != (account_id == 0))
		return USER_WRONG_ROLE;
	if (slice_present(settings->campaigns) && !role_takes_campaigns(settings->role))
		return USER_NO_CAMPAIGNS;
	return may_manage(manager, settings) ? USER_FITS : USER_BEYOND_RIGHTS;
}

/* Locks a user that the manager may manage. */
static enum result
lock_user(struct store *store, struct pool *pool, const struct user_manager *manager, uint64_t id, struct user_row *user,
    enum user_refusal *refusal)
{
	struct db_rows rows;
	*refusal = USER_FITS;
	const enum result result = store_query_one(store, pool, &rows, &sql_lock_user, DB_U64(id));
	if (result != RESULT_OK)
		return result;
	*user = user_from_row(&rows, 0);
	if (!is_of_manager(manager, user->account_id))
		return RESULT_NOT_FOUND;
	return may_manage(manager, &user->settings) ? RESULT_OK : refuse(refusal, USER_BEYOND_RIGHTS);
}

/* The operators are locked, so that if two disable each other, one is refused. */
static enum result
check_last_operator(
    struct store *store, struct pool *pool, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal)
{
	enum { ID, DISABLED_MS };
	struct db_rows rows;
	bool is_operator = false;
	size_t others = 0;
	if (manager->shell || manager->account_id != 0) /* a manager with an account finds no operators */
		return RESULT_OK;
	const enum result result = store_query(store, pool, &rows, &sql_lock_operators);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		const bool is_it = db_get_u64(&rows, i, ID) == id;
		is_operator = is_operator || is_it;
		others += !is_it && db_is_null(&rows, i, DISABLED_MS) ? 1 : 0;
	}
	return result == RESULT_OK && is_operator && others == 0 ? refuse(refusal, USER_LAST_OPERATOR) : result;
}

/* ---- reads ---- */

enum result
store_list_users(
    struct store *store, struct pool *pool, uint64_t account_id, struct list_part part, struct user_row **users, size_t *count)
{
	const struct db_value after = DB_U64(part.after), limit = DB_U64(part.limit);
	struct db_rows rows;
	const enum result result =
	    account_id == 0 ? store_query(store, pool, &rows, &sql_select_users, after, limit)
			    : store_query(store, pool, &rows, &sql_select_users_of_account, DB_U64(account_id), after, limit);
	*users = POOL_ARRAY(pool, rows.count, struct user_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*users)[i] = user_from_row(&rows, i);
	return result;
}

enum result
store_find_user(struct store *store, struct pool *pool, const struct user_manager *manager, uint64_t id, struct user_row *user)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_user, DB_U64(id));
	if (result != RESULT_OK)
		return result;
	*user = user_from_row(&rows, 0);
	return is_of_manager(manager, user->account_id) ? RESULT_OK : RESULT_NOT_FOUND;
}

/* ---- changes ---- */

/* A new link replaces the earlier ones. */
static enum result
put_invitation(struct store *store, uint64_t user_id, const struct new_invitation *invitation)
{
	const struct slice purpose = invitation->purpose == INVITATION_WELCOME ? SLICE("welcome") : SLICE("reset");
	const enum result result = store_run(store, &sql_delete_invitations_of_user, DB_U64(user_id));
	return result != RESULT_OK ? result
				   : store_run(store, &sql_insert_invitation, db_raw(invitation->hash, 32), DB_U64(user_id),
					 db_bytes(purpose), DB_I64(invitation->valid_ms));
}

static enum result
check_new_user(struct store *store, struct pool *pool, const struct user_manager *manager, struct new_user *user)
{
	const uint64_t account_id = user->account_id;
	struct db_rows rows;
	enum result result = account_id == 0 ? RESULT_OK : store_exists(store, &sql_lock_account, DB_U64(account_id));
	if (result == RESULT_NOT_FOUND || !is_of_manager(manager, account_id))
		return refuse(&user->refusal, USER_NO_ACCOUNT);
	user->refusal = judge_settings(manager, account_id, &user->settings);
	if (result == RESULT_OK && user->refusal != USER_FITS)
		return RESULT_REFUSED;
	if (result == RESULT_OK && slice_present(user->settings.campaigns))
		result = check_campaigns(store, pool, account_id, user->settings.campaigns, &user->refusal);
	if (result == RESULT_OK && account_id != 0)
		result = store_check_room(store, &sql_count_users, account_id, manager->users_max);
	if (result == RESULT_TOO_MANY)
		return refuse(&user->refusal, USER_TOO_MANY);
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_select_user_of_email, db_bytes(user->email));
	return result == RESULT_OK && rows.count > 0 ? refuse(&user->refusal, USER_EMAIL_TAKEN) : result;
}

enum result
store_add_user(
    struct store *store, const struct precondition *precondition, const struct user_manager *manager, struct new_user *user)
{
	const struct user_settings *settings = &user->settings;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = check_new_user(store, txn.pool, manager, user);
		if (txn.result == RESULT_OK)
			txn.result = store_take_id(store, txn.pool, precondition, ID_USER, &user->id);
		/* if two calls do this at the same time, one gets a conflict, and finds the address in its next attempt */
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_insert_user, DB_U64(user->id), store_id_or_null(user->account_id),
			    db_bytes(user->email), db_bytes(settings->name), DB_U64(settings->role),
			    db_bytes(settings->campaigns));
		if (txn.result == RESULT_OK)
			txn.result = put_invitation(store, user->id, &user->invitation);
	}
	return txn.result;
}

static bool
same_scope(const struct user_settings *a, const struct user_settings *b)
{
	return a->role == b->role && slice_present(a->campaigns) == slice_present(b->campaigns) &&
	       slice_equal(a->campaigns, b->campaigns);
}

static enum result
edit_user(struct store *store, struct pool *pool, const struct user_manager *manager, uint64_t id, struct user_change *change)
{
	struct user_row user;
	enum result result = lock_user(store, pool, manager, id, &user, &change->refusal);
	if (result != RESULT_OK)
		return result;
	const struct user_settings *before = &user.settings;
	struct user_settings after = *before;
	change->refusal =
	    change->edit(change->context, &after) ? judge_settings(manager, user.account_id, &after) : USER_REFUSED;
	if (change->refusal != USER_FITS)
		return RESULT_REFUSED;
	/* some of the campaigns that the user already has may have been removed */
	if (slice_present(after.campaigns) && !slice_equal(after.campaigns, before->campaigns))
		result = check_campaigns(store, pool, user.account_id, after.campaigns, &change->refusal);
	if (result == RESULT_OK)
		result = store_change_one(
		    store, &sql_update_user, db_bytes(after.name), DB_U64(after.role), db_bytes(after.campaigns), DB_U64(id));
	return result == RESULT_OK && !same_scope(&after, before) ? sessions_end(store, id, NULL) : result;
}

enum result
store_edit_user(struct store *store, const struct user_manager *manager, uint64_t id, struct user_change *change)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = edit_user(store, txn.pool, manager, id, change);
	return txn.result;
}

enum result
store_disable_user(struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal)
{
	struct user_row user;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = check_last_operator(store, txn.pool, manager, id, refusal);
		if (txn.result == RESULT_OK)
			txn.result = lock_user(store, txn.pool, manager, id, &user, refusal);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_disable_user, DB_U64(id));
		if (txn.result == RESULT_OK)
			txn.result = sessions_end(store, id, NULL);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_delete_invitations_of_user, DB_U64(id));
	}
	return txn.result;
}

enum result
store_enable_user(struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal)
{
	struct user_row user;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_user(store, txn.pool, manager, id, &user, refusal);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_enable_user, DB_U64(id));
	}
	return txn.result;
}

static enum result
remove_user(struct store *store, uint64_t id)
{
	enum result result = store_run(store, &sql_delete_user, DB_U64(id));
	if (result == RESULT_OK)
		result = sessions_end(store, id, NULL);
	if (result == RESULT_OK)
		result = store_run(store, &sql_delete_invitations_of_user, DB_U64(id));
	return result == RESULT_OK ? second_factor_delete_codes(store, id) : result;
}

enum result
store_remove_user(struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal)
{
	struct user_row user;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = check_last_operator(store, txn.pool, manager, id, refusal);
		if (txn.result == RESULT_OK)
			txn.result = lock_user(store, txn.pool, manager, id, &user, refusal);
		if (txn.result == RESULT_OK)
			txn.result = remove_user(store, id);
	}
	return txn.result;
}

static enum result
reset_user(struct store *store, uint64_t id, const struct new_invitation *invitation, enum reset_scope scope)
{
	enum result result = store_change_one(store, &sql_reset_user, DB_U64(id));
	if (result == RESULT_OK)
		result = sessions_end(store, id, NULL);
	if (result == RESULT_OK)
		result = put_invitation(store, id, invitation);
	return result == RESULT_OK && scope == RESET_PASSWORD_AND_TOTP ? second_factor_remove(store, id) : result;
}

enum result
store_reset_user(struct store *store, const struct user_manager *manager, uint64_t id, enum reset_scope scope,
    const struct new_invitation *invitation, enum user_refusal *refusal)
{
	struct user_row user;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_user(store, txn.pool, manager, id, &user, refusal);
		if (txn.result == RESULT_OK)
			txn.result = reset_user(store, id, invitation, scope);
	}
	return txn.result;
}

enum result
store_log_out_user(
    struct store *store, const struct user_manager *manager, uint64_t id, uint64_t *count, enum user_refusal *refusal)
{
	struct user_row user;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_user(store, txn.pool, manager, id, &user, refusal);
		if (txn.result == RESULT_OK)
			txn.result = sessions_end(store, id, count);
	}
	return txn.result;
}

/* ---- links ---- */

enum result
store_find_invitation(struct store *store, struct pool *pool, const unsigned char hash[32], struct invited_user *user)
{
	enum { ID, ACCOUNT_ID, EMAIL, NAME, PURPOSE, EXPIRES_MS };
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_invitation, db_raw(hash, 32));
	if (result == RESULT_OK)
		*user = (struct invited_user){
			.id = db_get_u64(&rows, 0, ID),
			.account_id = store_get_id(&rows, 0, ACCOUNT_ID),
			.email = db_get_bytes(&rows, 0, EMAIL),
			.name = db_get_bytes(&rows, 0, NAME),
			.purpose = slice_equal(db_get_bytes(&rows, 0, PURPOSE), SLICE("welcome")) ? INVITATION_WELCOME
												  : INVITATION_RESET,
			.expires_ms = db_get_i64(&rows, 0, EXPIRES_MS),
		};
	return result;
}

/* The user is locked first: a link that an operator replaces in the meantime cannot be used, nor can a link of a disabled
 * user. */
static enum result
use_invitation(struct store *store, struct pool *pool, const unsigned char hash[32], struct slice password)
{
	struct invited_user user;
	enum result result = store_find_invitation(store, pool, hash, &user);
	if (result == RESULT_OK)
		result = store_exists(store, &sql_lock_user, DB_U64(user.id));
	if (result == RESULT_OK)
		result = store_find_invitation(store, pool, hash, &user);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_delete_invitation, db_raw(hash, 32));
	if (result == RESULT_OK)
		result = logins_set_password(store, user.id, password);
	if (result == RESULT_OK)
		result = sessions_end(store, user.id, NULL);
	return result == RESULT_OK ? logins_clear_failures(store, user.email) : result;
}

enum result
store_use_invitation(struct store *store, const unsigned char hash[32], struct slice password)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = use_invitation(store, txn.pool, hash, password);
	return txn.result;
}
