/* SPDX-License-Identifier: MIT
 * Sessions as requests use them, and as users list and end them. */
#include "store/users/sessions.h"

#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

/* The two limits: of the idle time, of the whole. */
#define LASTS "s.last_used_ms > " NOW " - ? AND s.created_ms > " NOW " - ?"

DB_STATEMENT(sql_select_session,
    "SELECT u.id, u.account_id, a.name, u.email, u.name, u.role, u.campaigns, a.suspended_ms IS NOT NULL, a.per_minute,"
    " u.totp_enabled_ms IS NOT NULL, s.created_ms, s.last_used_ms, s.confirmed_ms, " NOW ", a.time_zone FROM {prefix}sessions s"
    " STRAIGHT_JOIN {prefix}users u ON u.id = s.user_id"
    " LEFT JOIN {prefix}accounts a ON a.id = u.account_id"
    " WHERE s.hash = ? AND " LASTS " AND u.disabled_ms IS NULL");
DB_STATEMENT(
    sql_touch_session, "UPDATE {prefix}sessions SET last_used_ms = " NOW ", ip = ? WHERE hash = ? AND last_used_ms < ?");
DB_STATEMENT(sql_select_sessions_of_user,
    "SELECT s.hash, s.created_ms, s.last_used_ms, s.ip, s.user_agent FROM {prefix}sessions s FORCE INDEX (by_user)"
    " WHERE s.user_id = ? AND " LASTS " ORDER BY s.created_ms DESC LIMIT ?");
DB_STATEMENT(sql_delete_session, "DELETE FROM {prefix}sessions WHERE hash = ? AND user_id = ?");

enum { TOUCH_MS = 60 * 1000, IP_MAX = 45 };

enum {
	SESSION_USER_ID,
	SESSION_ACCOUNT_ID,
	SESSION_ACCOUNT_NAME,
	SESSION_EMAIL,
	SESSION_NAME,
	SESSION_ROLE,
	SESSION_CAMPAIGNS,
	SESSION_SUSPENDED,
	SESSION_PER_MINUTE,
	SESSION_HAS_TOTP,
	SESSION_CREATED_MS,
	SESSION_LAST_USED_MS,
	SESSION_CONFIRMED_MS,
	SESSION_NOW_MS,
	SESSION_TIME_ZONE
};

enum result
store_find_session(struct store *store, struct pool *pool, const unsigned char hash[32], const struct session_limits *limits,
    struct session *session)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_session,
	    db_bytes((struct slice){ (const char *)hash, 32 }), DB_I64(limits->idle_ms), DB_I64(limits->max_ms));
	if (result != RESULT_OK)
		return result;
	const uint64_t role = db_get_u64(&rows, 0, SESSION_ROLE);
	*session = (struct session){
		.user_id = db_get_u64(&rows, 0, SESSION_USER_ID),
		.account_id = store_get_id(&rows, 0, SESSION_ACCOUNT_ID),
		.account_name = db_get_bytes(&rows, 0, SESSION_ACCOUNT_NAME),
		.time_zone = db_get_bytes(&rows, 0, SESSION_TIME_ZONE),
		.email = db_get_bytes(&rows, 0, SESSION_EMAIL),
		.name = db_get_bytes(&rows, 0, SESSION_NAME),
		.role = role < ROLES ? (enum role)role : ROLE_VIEWER,
		.campaigns = db_get_bytes(&rows, 0, SESSION_CAMPAIGNS),
		.account_suspended = db_get_bool(&rows, 0, SESSION_SUSPENDED),
		.account_per_minute = db_get_time(&rows, 0, SESSION_PER_MINUTE),
		.has_totp = db_get_bool(&rows, 0, SESSION_HAS_TOTP),
		.created_ms = db_get_i64(&rows, 0, SESSION_CREATED_MS),
		.last_used_ms = db_get_i64(&rows, 0, SESSION_LAST_USED_MS),
		.confirmed_ms = db_get_i64(&rows, 0, SESSION_CONFIRMED_MS),
		.now_ms = db_get_i64(&rows, 0, SESSION_NOW_MS),
	};
	/* an operator has no account, the others have one: a row that was changed by hand gives no rights */
	const bool fits = (session->role == ROLE_OPERATOR) == (session->account_id == 0);
	session->rights = fits ? role_rights(session->role) : RIGHTS_NONE;
	return fits ? RESULT_OK : RESULT_NOT_FOUND;
}

enum result
store_touch_session(struct store *store, const unsigned char hash[32], const struct session *session, struct slice ip)
{
	const int64_t before_ms = session->now_ms - TOUCH_MS;
	if (session->last_used_ms >= before_ms)
		return RESULT_OK;
	return store_run(store, &sql_touch_session, db_bytes(slice_sub(ip, 0, IP_MAX)),
	    db_bytes((struct slice){ (const char *)hash, 32 }), DB_I64(before_ms));
}

enum { ROW_HASH, ROW_CREATED_MS, ROW_LAST_USED_MS, ROW_IP, ROW_USER_AGENT };

enum result
store_list_sessions(struct store *store, struct pool *pool, uint64_t user_id, const struct session_limits *limits,
    struct session_row **sessions, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_sessions_of_user, DB_U64(user_id),
	    DB_I64(limits->idle_ms), DB_I64(limits->max_ms), DB_U64(SESSIONS_LISTED));
	*sessions = POOL_ARRAY(pool, rows.count, struct session_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*sessions)[i] = (struct session_row){
			.hash = db_get_bytes(&rows, i, ROW_HASH),
			.created_ms = db_get_i64(&rows, i, ROW_CREATED_MS),
			.last_used_ms = db_get_i64(&rows, i, ROW_LAST_USED_MS),
			.ip = db_get_bytes(&rows, i, ROW_IP),
			.user_agent = db_get_bytes(&rows, i, ROW_USER_AGENT),
		};
	return result;
}

enum result
store_end_session(struct store *store, uint64_t user_id, const unsigned char hash[32])
{
	return store_change_one(
	    store, &sql_delete_session, db_bytes((struct slice){ (const char *)hash, 32 }), DB_U64(user_id));
}
