/* SPDX-License-Identifier: MIT
 * The log of the calls of inbound webhooks (docs/inbound.md 5). Functions that write it lock the webhook's row of
 * inbound_status, so that its limits are kept. */
#include "store/hooks/inbound_calls.h"

#include "base/duration.h"
#include "crypto/digest.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define CALL_COLUMNS                                                                                           \
	"id, inbound_id, campaign_id, state, error, message, lead_id, ip, content_type, size, times, replays," \
	" received_ms, ended_ms, expires_ms"
/* For one webhook. `refused` has two values; the rows with each value are read in the order of the index. */
#define SELECT_CALLS(refused)                                                                        \
	"(SELECT " CALL_COLUMNS ", NULL AS body FROM {prefix}inbound_calls FORCE INDEX (by_inbound)" \
	" WHERE inbound_id = ? AND refused = " refused " ORDER BY ended_ms DESC LIMIT ?)"

DB_STATEMENT(sql_lock_inbound_status, "SELECT calls FROM {prefix}inbound_status WHERE inbound_id = ? FOR UPDATE");
DB_STATEMENT(sql_count_inbound_call, "UPDATE {prefix}inbound_status"
				     " SET calls = calls + 1, created = created + ?, updated = updated + ?,"
				     " refused = refused + ?, last_call_ms = " NOW " WHERE inbound_id = ?");
DB_STATEMENT(sql_sum_refused_calls, "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS UNSIGNED)"
				    " FROM {prefix}inbound_calls FORCE INDEX (by_inbound)"
				    " WHERE inbound_id = ? AND refused = 1");
DB_STATEMENT(sql_lock_same_inbound_call, "SELECT id FROM {prefix}inbound_calls FORCE INDEX (by_body)"
					 " WHERE inbound_id = ? AND body_hash = ?"
					 " LIMIT 1"
					 " FOR UPDATE");
DB_STATEMENT(sql_repeat_inbound_call,
    "UPDATE {prefix}inbound_calls"
    " SET times = times + 1, error = ?, message = ?, ended_ms = " NOW ", expires_ms = " NOW " + ?"
    " WHERE id = ?");
DB_STATEMENT(sql_select_logged_lead, "SELECT id FROM {prefix}leads WHERE id = ?");
DB_STATEMENT(sql_insert_inbound_call,
    "INSERT INTO {prefix}inbound_calls (id, inbound_id, campaign_id, refused, state, error, message, lead_id, ip, content_type,"
    " size, body, body_hash, received_ms, ended_ms, expires_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ", " NOW ", " NOW " + ?)");
DB_STATEMENT(sql_select_old_inbound_calls, "SELECT id FROM {prefix}inbound_calls FORCE INDEX (by_inbound)"
					   " WHERE inbound_id = ? AND refused = 0"
					   " ORDER BY ended_ms DESC"
					   " LIMIT 100 OFFSET ?");
DB_STATEMENT(sql_delete_inbound_calls, "DELETE t FROM " ROWS_WITH_IDS("inbound_calls"));
DB_STATEMENT(sql_select_inbound_call, "SELECT " CALL_COLUMNS ", body FROM {prefix}inbound_calls WHERE id = ?");
DB_STATEMENT(sql_select_inbound_of_call, "SELECT inbound_id FROM {prefix}inbound_calls WHERE id = ?");
DB_STATEMENT(
    sql_select_inbound_calls, SELECT_CALLS("0") " UNION ALL " SELECT_CALLS("1") " ORDER BY ended_ms DESC, id DESC LIMIT ?");
DB_STATEMENT(sql_select_inbound_calls_of_lead, "SELECT " CALL_COLUMNS ", NULL AS body"
					       " FROM {prefix}inbound_calls FORCE INDEX (by_lead)"
					       " WHERE lead_id = ?"
					       " ORDER BY id DESC"
					       " LIMIT ?");
DB_STATEMENT(sql_replay_inbound_call,
    "UPDATE {prefix}inbound_calls"
    " SET replays = replays + 1, refused = ?, state = ?, error = ?, message = ?, lead_id = ?,"
    " content_type = ?, body = ?, size = ?, body_hash = CASE WHEN ? THEN body_hash END, ended_ms = " NOW
    ", expires_ms = CASE WHEN ? THEN expires_ms ELSE " NOW " + ? END"
    " WHERE id = ?");

enum { HASH_SIZE = 16, OLD_CALLS_MAX = 100 };
/* The value if the retention has no end. */
#define LONG_MS (INT64_C(36500) * DAY_MS)

static const struct slice state_names[INBOUND_STATES] = {
	[INBOUND_CREATED] = SLICE("created"), [INBOUND_UPDATED] = SLICE("updated"), [INBOUND_REFUSED] = SLICE("refused")
};

struct slice
inbound_state_name(enum inbound_state state)
{
	return state_names[state];
}

bool
inbound_state_parse(struct slice name, enum inbound_state *state)
{
	for (unsigned i = 0; i < INBOUND_STATES; i++) {
		if (!slice_equal(name, state_names[i]))
			continue;
		*state = (enum inbound_state)i;
		return true;
	}
	return false;
}

/* Columns: CALL_COLUMNS, and the body. */
static struct inbound_call
read_call(struct row_reader *r)
{
	struct inbound_call call = { .id = row_u64(r) };
	call.inbound_id = row_u64(r);
	call.campaign_id = row_u64(r);
	if (!inbound_state_parse(row_bytes(r), &call.state))
		call.state = INBOUND_REFUSED;
	call.error = row_bytes(r);
	call.message = row_bytes(r);
	call.lead_id = row_id(r);
	call.ip = row_bytes(r);
	call.content_type = row_bytes(r);
	call.size = row_u64(r);
	call.times = row_u32(r);
	call.replays = row_u32(r);
	call.received_ms = row_i64(r);
	call.ended_ms = row_i64(r);
	call.expires_ms = row_i64(r);
	call.body = row_bytes(r);
	return call;
}

static struct db_value
lifetime(const struct store *store, enum inbound_state state)
{
	const int64_t retention_ms = store->options.retention_ms == 0 ? LONG_MS : store->options.retention_ms;
	return DB_I64(state == INBOUND_REFUSED ? INBOUND_STORED_DAYS * DAY_MS : retention_ms);
}

enum result
store_sum_refused_calls(struct store *store, struct pool *pool, uint64_t inbound_id, uint64_t *count, uint64_t *bytes)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_sum_refused_calls, DB_U64(inbound_id));
	if (result != RESULT_OK)
		return result;
	*count = db_get_u64(&rows, 0, 0);
	*bytes = db_get_u64(&rows, 0, 1);
	return RESULT_OK;
}

static enum result
has_room(struct store *store, struct pool *pool, const struct inbound_call *call)
{
	uint64_t count, bytes;
	enum result result = store_sum_refused_calls(store, pool, call->inbound_id, &count, &bytes);
	if (result != RESULT_OK)
		return result;
	return count < INBOUND_STORED_CALLS_MAX && bytes + call->size <= INBOUND_STORED_BYTES_MAX ? RESULT_OK : RESULT_TOO_MANY;
}

/* A refused call is kept whole. */
static struct slice
stored_body(const struct inbound_call *call)
{
	const size_t most = call->state == INBOUND_REFUSED ? call->body.size : INBOUND_LOG_BODY_MAX;
	return slice_present(call->body) ? slice_sub(call->body, 0, most) : SLICE("");
}

static enum result
insert_call(struct store *store, const struct inbound_call *call, uint64_t id, struct slice hash)
{
	const bool refused = call->state == INBOUND_REFUSED;
	return store_change_one(store, &sql_insert_inbound_call, DB_U64(id), DB_U64(call->inbound_id),
	    DB_U64(call->campaign_id), DB_BOOL(refused), db_bytes(state_names[call->state]), db_bytes(call->error),
	    db_bytes(call->message), store_id_or_null(call->lead_id), db_bytes(call->ip), db_bytes(call->content_type),
	    DB_U64(call->size), db_bytes(stored_body(call)), db_bytes(hash), lifetime(store, call->state));
}

/* A body that was received before, because its sender repeats the call, shares its entry. *id: the id of the entry. */
static enum result
insert_refused(struct store *store, struct pool *pool, const struct inbound_call *call, uint64_t *id)
{
	const struct slice parts[] = { call->content_type, SLICE("\n"), call->body };
	struct digest digest = digest_sha256(parts, ARRAY_SIZE(parts));
	const struct slice hash = slice_sub(digest_slice(&digest), 0, HASH_SIZE);
	enum result result =
	    store_read_number(store, id, &sql_lock_same_inbound_call, DB_U64(call->inbound_id), db_bytes(hash));
	if (result == RESULT_OK)
		return store_change_one(store, &sql_repeat_inbound_call, db_bytes(call->error), db_bytes(call->message),
		    lifetime(store, INBOUND_REFUSED), DB_U64(*id));
	if (result == RESULT_NOT_FOUND)
		result = has_room(store, pool, call);
	return result == RESULT_OK ? insert_call(store, call, *id, hash) : result;
}

/* Nothing is stored about a lead that was deleted in the meantime. */
static enum result
insert_made(struct store *store, const struct inbound_call *call, uint64_t id)
{
	const enum result result = store_exists(store, &sql_select_logged_lead, DB_U64(call->lead_id));
	if (result == RESULT_OK)
		return insert_call(store, call, id, SLICE_NONE);
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static enum result
remove_old_calls(struct store *store, struct pool *pool, uint64_t inbound_id)
{
	struct db_rows old;
	enum result result = store_query(
	    store, pool, &old, &sql_select_old_inbound_calls, DB_U64(inbound_id), DB_U64((uint64_t)INBOUND_LOG_CALLS));
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_inbound_calls, old.values, old.count, NULL) : result;
}

static enum result
note_call(struct store *store, struct pool *pool, const struct inbound_call *call, uint64_t *id)
{
	enum result result = store_exists(store, &sql_lock_inbound_status, DB_U64(call->inbound_id));
	if (result != RESULT_OK)
		return result;
	result = store_exists(store, &sql_select_inbound_of_call, DB_U64(*id));
	if (result != RESULT_NOT_FOUND) /* an earlier run was committed */
		return result;
	if (call->state == INBOUND_REFUSED)
		result = insert_refused(store, pool, call, id);
	else
		result = insert_made(store, call, *id);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_count_inbound_call, DB_BOOL(call->state == INBOUND_CREATED),
		    DB_BOOL(call->state == INBOUND_UPDATED), DB_BOOL(call->state == INBOUND_REFUSED), DB_U64(call->inbound_id));
	return result == RESULT_OK ? remove_old_calls(store, pool, call->inbound_id) : result;
}

enum result
store_note_inbound_call(struct store *store, const struct inbound_call *call, uint64_t *id)
{
	enum result result = store_reserve_ids(store, ID_INBOUND_CALL, 1);
	if (result != RESULT_OK)
		return result;
	const uint64_t fresh = store->ids[ID_INBOUND_CALL].next++;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*id = fresh;
		txn.result = note_call(store, txn.pool, call, id);
	}
	return txn.result;
}

static enum result
note_replay(struct store *store, struct pool *pool, const struct inbound_call *call)
{
	const bool refused = call->state == INBOUND_REFUSED;
	enum result result = store_exists(store, &sql_lock_inbound_status, DB_U64(call->inbound_id));
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_replay_inbound_call, DB_BOOL(refused), db_bytes(state_names[call->state]),
		    db_bytes(call->error), db_bytes(call->message), store_id_or_null(call->lead_id),
		    db_bytes(call->content_type), db_bytes(stored_body(call)), DB_U64(call->size), DB_BOOL(refused),
		    DB_BOOL(refused), lifetime(store, call->state), DB_U64(call->id));
	return result == RESULT_OK ? remove_old_calls(store, pool, call->inbound_id) : result;
}

enum result
store_note_inbound_replay(struct store *store, const struct inbound_call *call)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = note_replay(store, txn.pool, call);
	return txn.result;
}

enum result
store_find_inbound_call(struct store *store, struct pool *pool, uint64_t id, struct inbound_call *call)
{
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, &sql_select_inbound_call, DB_U64(id));
	if (result == RESULT_OK)
		*call = read_call(ROW(&rows, 0));
	return result;
}

enum result
store_list_inbound_calls(struct store *store, struct pool *pool, const struct inbound_call_filter *filter,
    struct inbound_call **calls, size_t *count)
{
	/* a webhook has no more calls than this; those in one state are selected from all of them */
	enum { MOST = INBOUND_LOG_CALLS + OLD_CALLS_MAX + INBOUND_STORED_CALLS_MAX };
	const struct db_value id = DB_U64(filter->inbound_id), most = DB_U64((uint64_t)MOST);
	struct db_rows rows;
	const enum result result = filter->inbound_id != 0
				       ? store_query(store, pool, &rows, &sql_select_inbound_calls, id, most, id, most, most)
				       : store_query(store, pool, &rows, &sql_select_inbound_calls_of_lead,
					     DB_U64(filter->lead_id), DB_U64(filter->limit));
	*calls = POOL_ARRAY(pool, rows.count, struct inbound_call);
	*count = 0;
	for (size_t i = 0; i < rows.count && *count < filter->limit; i++) {
		const struct inbound_call call = read_call(ROW(&rows, i));
		if (filter->state == INBOUND_STATES || call.state == filter->state)
			(*calls)[(*count)++] = call;
	}
	return result;
}
