/* SPDX-License-Identifier: MIT */
#include "store/users/user_sessions.h"

#include "base/duration.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

/* The two limits of a session: idle time and total time. */
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
DB_STATEMENT(sql_delete_sessions_of_user, "DELETE FROM {prefix}sessions WHERE user_id = ?");
DB_STATEMENT(sql_delete_other_sessions, "DELETE FROM {prefix}sessions WHERE user_id = ? AND hash <> ?");
DB_STATEMENT(sql_delete_session, "DELETE FROM {prefix}sessions WHERE hash = ? AND user_id = ?");

enum { TOUCH_MS = MINUTE_MS, IP_MAX = 45 };

/* Columns of sql_select_session. A role of a later version becomes the one with the fewest rights. */
static struct session
read_session(struct row_reader *r)
{
	struct session session = { .user_id = row_u64(r) };
	session.account_id = row_id(r);
	session.account_name = row_bytes(r);
	session.email = row_bytes(r);
	session.name = row_bytes(r);
	const uint64_t role = row_u64(r);
	session.role = role < ROLES ? (enum role)role : ROLE_VIEWER;
	session.campaigns = row_bytes(r);
	session.account_suspended = row_bool(r);
	session.account_per_minute = row_time(r);
	session.has_totp = row_bool(r);
	session.created_ms = row_i64(r);
	session.last_used_ms = row_i64(r);
	session.confirmed_ms = row_i64(r);
	session.now_ms = row_i64(r);
	session.time_zone = row_bytes(r);
	return session;
}

enum result
store_find_session(struct store *store, struct pool *pool, const unsigned char hash[32], const struct session_limits *limits,
    struct session *session)
{
	struct db_rows rows;
	const enum result result = store_query_one(
	    store, pool, &rows, &sql_select_session, db_raw(hash, 32), DB_I64(limits->idle_ms), DB_I64(limits->max_ms));
	if (result != RESULT_OK)
		return result;
	*session = read_session(ROW(&rows, 0));
	/* an operator has no account, all others have one: a row that was changed by hand gives no rights */
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
	return store_run(store, &sql_touch_session, db_bytes(slice_sub(ip, 0, IP_MAX)), db_raw(hash, 32), DB_I64(before_ms));
}

enum result
store_list_sessions(struct store *store, struct pool *pool, uint64_t user_id, const struct session_limits *limits,
    struct session_row **sessions, size_t *count)
{
	enum { HASH, CREATED_MS, LAST_USED_MS, IP, USER_AGENT };
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_sessions_of_user, DB_U64(user_id),
	    DB_I64(limits->idle_ms), DB_I64(limits->max_ms), DB_U64(SESSIONS_LISTED));
	*sessions = POOL_ARRAY(pool, rows.count, struct session_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*sessions)[i] = (struct session_row){
			.hash = db_get_bytes(&rows, i, HASH),
			.created_ms = db_get_i64(&rows, i, CREATED_MS),
			.last_used_ms = db_get_i64(&rows, i, LAST_USED_MS),
			.ip = db_get_bytes(&rows, i, IP),
			.user_agent = db_get_bytes(&rows, i, USER_AGENT),
		};
	return result;
}

enum result
store_end_session(struct store *store, uint64_t user_id, const unsigned char hash[32])
{
	return store_change_one(store, &sql_delete_session, db_raw(hash, 32), DB_U64(user_id));
}

enum result
sessions_end(struct store *store, uint64_t user_id, uint64_t *count)
{
	return db_execute(store->db, &sql_delete_sessions_of_user, &DB_VALUES(DB_U64(user_id)), count);
}

enum result
sessions_end_others(struct store *store, uint64_t user_id, const unsigned char hash[32])
{
	return store_run(store, &sql_delete_other_sessions, DB_U64(user_id), db_raw(hash, 32));
}
