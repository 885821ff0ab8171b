/* SPDX-License-Identifier: MIT
 * Ends claims: records outcomes, gives untried deliveries back, ends those of webhooks that are gone or removed. */
#include "base/log.h"
#include "base/panic.h"
#include "store/query.h"
#include "store/queue/dispatch.h"
#include "store/queue/partitions.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* For an existing row: the delivery was sent again. */
#define ENDED_AGAIN                                                                    \
	" ON DUPLICATE KEY UPDATE state = VALUES(state), attempts = VALUES(attempts)," \
	" last_status = VALUES(last_status), last_error = VALUES(last_error), ended_ms = VALUES(ended_ms)"

DB_STATEMENT(sql_lock_claimed, "SELECT u.id, u.token, u.event_id, u.format, s.webhook_id, s.failing_since_ms IS NOT NULL, " NOW
			       " FROM {prefix}due u FORCE INDEX (PRIMARY)"
			       " LEFT JOIN {prefix}webhook_status s ON s.webhook_id = u.webhook_id"
			       " WHERE u.id IN ({list})"
			       " ORDER BY u.id"
			       " FOR UPDATE WAIT 1");
/* while it waits, no outcome is recorded */
DB_STATEMENT(sql_insert_attempt,
    "INSERT INTO {prefix}attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_insert_ended_delivery,
    "INSERT INTO {prefix}deliveries (id, event_id, webhook_id, format, state, attempts, last_status, last_error,"
    " ended_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" ENDED_AGAIN);
/* one row per statement, because a DELETE with a list cannot force an index */
DB_STATEMENT(sql_delete_due, "DELETE FROM {prefix}due WHERE id = ?");
/* an INSERT, because an UPDATE of many rows runs once for each. The rows exist and are locked: the zeros are never stored */
DB_STATEMENT(sql_reschedule_due,
    "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms, last_status, last_error)"
    " VALUES (?, 0, 0, 0, 'json', ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE due_ms = VALUES(due_ms), token = NULL, last_status = VALUES(last_status),"
    " last_error = VALUES(last_error)");
DB_STATEMENT(sql_unclaim_due, "UPDATE {prefix}due"
			      " SET due_ms = " NOW ", token = NULL, attempts = attempts - 1"
			      " WHERE id = ? AND token = ?");
/* of existing rows, as above. failing_since_ms stays unless there was a success */
DB_STATEMENT(sql_change_webhook_status,
    "INSERT INTO {prefix}webhook_status (webhook_id, last_status, last_error, last_delivery_ms, failing_since_ms,"
    " failures, probes, hold_until_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE last_status = VALUES(last_status), last_error = VALUES(last_error),"
    " failing_since_ms = CASE WHEN VALUES(last_delivery_ms) IS NULL"
    " THEN COALESCE(failing_since_ms, VALUES(failing_since_ms)) ELSE VALUES(failing_since_ms) END,"
    " last_delivery_ms = COALESCE(VALUES(last_delivery_ms), last_delivery_ms), failures = VALUES(failures),"
    " probes = VALUES(probes), hold_until_ms = VALUES(hold_until_ms)");
DB_STATEMENT(
    sql_select_campaign_of_active_webhook, "SELECT campaign_id FROM {prefix}webhooks WHERE id = ? AND state = 'active'");
DB_STATEMENT(sql_lock_campaign_if_free,
    "SELECT campaign_id FROM {prefix}campaign_counters WHERE campaign_id = ? FOR UPDATE SKIP LOCKED");
DB_STATEMENT(
    sql_lock_campaign_soon, "SELECT campaign_id FROM {prefix}campaign_counters WHERE campaign_id = ? FOR UPDATE WAIT 1");
/* after failures, not if the webhook was enabled since; a 410 always counts */
DB_STATEMENT(sql_deactivate_webhook, "UPDATE {prefix}webhooks w"
				     " JOIN {prefix}webhook_status s ON s.webhook_id = w.id"
				     " SET w.state = ?"
				     " WHERE w.id = ? AND w.state = 'active' AND (? OR s.failing_since_ms IS NOT NULL)");
DB_STATEMENT(sql_select_due_of_webhook, "SELECT d.id"
					" FROM {prefix}due d FORCE INDEX (by_webhook)"
					" WHERE d.shard = ? AND d.webhook_id = ? AND d.token IS NULL AND NOT EXISTS (SELECT 1"
					"   FROM {prefix}webhooks w"
					"   WHERE w.id = d.webhook_id AND w.state <> 'gone' LOCK IN SHARE MODE)"
					" ORDER BY d.due_ms"
					" LIMIT ?"
					" FOR UPDATE");
/* not claimed ones, unless the claim has ended: the row of a disabled webhook is not claimed again. Deliveries have ids after
 * their event's, so a few at the end of a day may have ids of the next day */
DB_STATEMENT(sql_select_due_of_old_days, "SELECT id"
					 " FROM {prefix}due FORCE INDEX (PRIMARY)"
					 " WHERE id < ? AND event_id < ? AND (token IS NULL OR due_ms <= " NOW ")"
					 " ORDER BY id"
					 " LIMIT ?"
					 " FOR UPDATE");
DB_STATEMENT(sql_lock_due, "SELECT id FROM {prefix}due WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_hold_webhook_of, "UPDATE {prefix}webhook_status s"
				  " JOIN {prefix}due d ON d.webhook_id = s.webhook_id"
				  " SET s.hold_until_ms = GREATEST(s.hold_until_ms, " NOW " + ?)"
				  " WHERE d.id = ?");
DB_STATEMENT(sql_fail_due,
    "INSERT INTO {prefix}deliveries (id, event_id, webhook_id, format, state, attempts, last_status, last_error,"
    " ended_ms)"
    " SELECT id, event_id, webhook_id, format, 'failed', attempts, last_status, ?, " NOW
    " FROM {prefix}due FORCE INDEX (PRIMARY)"
    " WHERE id IN ({list})" ENDED_AGAIN);

store_statement_list sql_of_outcomes = { &sql_lock_claimed, &sql_insert_attempt, &sql_insert_ended_delivery, &sql_delete_due,
	&sql_reschedule_due, &sql_unclaim_due, &sql_change_webhook_status, &sql_select_campaign_of_active_webhook,
	&sql_lock_campaign_if_free, &sql_lock_campaign_soon, &sql_deactivate_webhook, &sql_select_due_of_webhook,
	&sql_select_due_of_old_days, &sql_lock_due, &sql_hold_webhook_of, &sql_fail_due, NULL };

/* The outcomes of one webhook in a batch. */
struct webhook_change {
	const struct delivery_outcome *last; /* gives the webhook's status */
	bool delivered;                      /* any of them was a success */
};

enum { LOCKED_ID, LOCKED_TOKEN, LOCKED_EVENT_ID, LOCKED_FORMAT, LOCKED_STATUS_OF, LOCKED_FAILING, LOCKED_NOW_MS };

/* The rows of store_record_outcomes, by what is done to them. */
struct outcome_rows {
	struct row_list attempts, ended, removed, moved;
	struct webhook_change *changes; /* one for each webhook */
	size_t change_count;
};

static struct outcome_rows
outcome_rows(struct pool *pool, size_t count)
{
	return (struct outcome_rows){
		.attempts = store_row_list(pool, &sql_insert_attempt, count),
		.ended = store_row_list(pool, &sql_insert_ended_delivery, count),
		.removed = store_row_list(pool, &sql_delete_due, count),
		.moved = store_row_list(pool, &sql_reschedule_due, count),
		.changes = POOL_ARRAY(pool, count, struct webhook_change),
	};
}

static void
note_webhook_change(struct outcome_rows *rows, const struct delivery_outcome *o)
{
	size_t i = 0;
	while (i < rows->change_count && rows->changes[i].last->webhook_id != o->webhook_id)
		i++;
	if (i == rows->change_count)
		rows->changes[rows->change_count++] = (struct webhook_change){ 0 };
	rows->changes[i].last = o;
	rows->changes[i].delivered = rows->changes[i].delivered || o->state == DELIVERY_DELIVERED;
}

static struct db_value
status_value(int status)
{
	return status == 0 ? DB_NONE : DB_I64(status);
}

static void
add_outcome(
    struct outcome_rows *rows, const struct delivery_outcome *o, const struct db_rows *locked, size_t row, int64_t now_ms)
{
	struct db_value id = DB_U64(o->id), status = status_value(o->status);
	store_add_row(&rows->attempts, id, DB_U64(o->attempt), DB_I64(now_ms - o->started_ms_ago), DB_I64(o->duration_ms),
	    status, db_bytes(o->error), db_bytes(o->answer));
	if (o->state == DELIVERY_PENDING) {
		store_add_row(&rows->moved, id, DB_I64(now_ms + o->next_due_in_ms), status, db_bytes(o->error));
		return;
	}
	store_add_row(&rows->ended, id, DB_U64(db_get_u64(locked, row, LOCKED_EVENT_ID)), DB_U64(o->webhook_id),
	    db_bytes(db_get_bytes(locked, row, LOCKED_FORMAT)), db_bytes(slice_of(delivery_state_name(o->state))),
	    DB_U64(o->attempt), status, db_bytes(o->error), DB_I64(now_ms));
	store_add_row(&rows->removed, id);
}

/* Hardly ever more than five statements. None compares the token again: the rows have been locked since it was compared, so no
 * other process can have claimed or removed them. The attempt cannot be in the log already: its number was counted with the
 * claim, which ends when the attempt is recorded. */
static enum result
write_outcomes(struct store *store, struct pool *pool, const struct outcome_rows *rows, int64_t now_ms)
{
	struct row_list statuses = store_row_list(pool, &sql_change_webhook_status, rows->change_count);
	for (size_t i = 0; i < rows->change_count; i++) {
		const struct delivery_outcome *o = rows->changes[i].last;
		const bool failed = o->state != DELIVERY_DELIVERED && o->webhook_failures > 0; /* and the receiver caused it */
		store_add_row(&statuses, DB_U64(o->webhook_id), status_value(o->status), db_bytes(o->error),
		    rows->changes[i].delivered ? DB_I64(now_ms) : DB_NONE, failed ? DB_I64(now_ms) : DB_NONE,
		    DB_U64(o->webhook_failures), DB_U64(o->webhook_probes),
		    DB_I64(o->webhook_hold_ms > 0 ? now_ms + o->webhook_hold_ms : 0));
	}
	return store_run_lists(store, &rows->attempts, &rows->ended, &rows->removed, &rows->moved, &statuses);
}

/* Whether the row still has the claim of this outcome; *row is its index. */
static bool
still_ours(const struct db_rows *locked, const struct delivery_outcome *outcome, size_t *row)
{
	for (*row = 0; *row < locked->count; (*row)++)
		if (db_get_u64(locked, *row, LOCKED_ID) == outcome->id)
			return slice_equal(db_get_bytes(locked, *row, LOCKED_TOKEN), outcome->token);
	return false;
}

static enum result
record_outcomes(struct store *store, struct pool *pool, struct delivery_outcome *outcomes, size_t count)
{
	struct db_list ids = { .values = NULL, .count = count };
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_rows locked;
	for (size_t i = 0; i < count; i++)
		values[i] = DB_U64(outcomes[i].id);
	ids.values = values;
	enum result result = store_query_lists(store, pool, &sql_lock_claimed, &ids, 1, &locked);
	if (result != RESULT_OK)
		return result;
	struct outcome_rows rows = outcome_rows(pool, count);
	const int64_t now_ms = locked.count == 0 ? 0 : db_get_i64(&locked, 0, LOCKED_NOW_MS);
	for (size_t i = 0, row; i < count; i++) {
		log_work(LOG_UINT("delivery", outcomes[i].id));
		outcomes[i].stale = !still_ours(&locked, &outcomes[i], &row);
		if (outcomes[i].stale)
			continue;
		add_outcome(&rows, &outcomes[i], &locked, row, now_ms);
		if (outcomes[i].webhook_state == WEBHOOK_DISABLED && !db_get_bool(&locked, row, LOCKED_FAILING))
			outcomes[i].webhook_state = WEBHOOK_ACTIVE; /* it was enabled during this attempt */
		/* without a status it was removed: do not insert one */
		if (!outcomes[i].late && !db_is_null(&locked, row, LOCKED_STATUS_OF))
			note_webhook_change(&rows, &outcomes[i]);
	}
	return write_outcomes(store, pool, &rows, now_ms);
}

enum result
store_record_outcomes(struct store *store, struct delivery_outcome *outcomes, size_t count)
{
	require(count <= DB_LIST_MAX);
	struct transaction txn = store_transaction(store, REPEAT_NOTHING);
	while (store_runs(&txn))
		txn.result = record_outcomes(store, txn.pool, outcomes, count);
	return txn.result;
}

static enum result
deactivate_webhook(struct store *store, struct pool *pool, uint64_t webhook_id, enum webhook_state state, bool waits)
{
	const bool gone = state == WEBHOOK_GONE;
	const struct db_value id = DB_U64(webhook_id);
	struct db_rows active, locked;
	enum result result = store_query(store, pool, &active, &sql_select_campaign_of_active_webhook, id);
	if (result != RESULT_OK || active.count == 0)
		return result;
	const uint64_t campaign_id = db_get_u64(&active, 0, 0);
	result = store_query(
	    store, pool, &locked, waits ? &sql_lock_campaign_soon : &sql_lock_campaign_if_free, DB_U64(campaign_id));
	if (result == RESULT_OK && locked.count == 0)
		return RESULT_CONFLICT;
	if (result == RESULT_OK)
		result = store_lock_settings(store, campaign_id);
	if (result == RESULT_OK)
		result = store_change_one(
		    store, &sql_deactivate_webhook, db_bytes(gone ? SLICE("gone") : SLICE("disabled")), id, DB_BOOL(gone));
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

enum result
store_deactivate_webhook(struct store *store, uint64_t webhook_id, enum webhook_state state, bool waits)
{
	require(state == WEBHOOK_GONE || state == WEBHOOK_DISABLED);
	struct transaction txn = store_transaction(store, REPEAT_NOTHING);
	while (store_runs(&txn))
		txn.result = deactivate_webhook(store, txn.pool, webhook_id, state, waits);
	return txn.result;
}

enum result
store_unclaim(struct store *store, const struct delivery_outcome *claims, size_t count)
{
	struct pool *pool = pool_new();
	struct row_list rows = store_row_list(pool, &sql_unclaim_due, count);
	for (size_t i = 0; i < count; i++)
		store_add_row(&rows, DB_U64(claims[i].id), db_bytes(claims[i].token));
	enum result result = store_run_lists(store, &rows);
	pool_free(&pool);
	return result;
}

/* Ends the deliveries whose rows of `due` are locked; `locked` has their ids. */
static enum result
fail_locked(struct store *store, const struct db_rows *locked, struct slice error, size_t *done)
{
	const struct db_list ids = { locked->values, locked->count };
	*done = locked->count;
	if (locked->count == 0)
		return RESULT_OK;
	enum result result = db_execute(store->db, &sql_fail_due, &DB_LIST_AND_VALUES(ids, db_bytes(error)), NULL);
	return result == RESULT_OK ? db_execute_rows(store->db, &sql_delete_due, ids.values, 1, ids.count) : result;
}

/* Ends the deliveries that `find` returns and locks. */
static enum result
fail_found(struct store *store, const struct db_statement *find, const struct db_arguments *arguments, struct slice error,
    size_t *done)
{
	struct db_rows locked;
	*done = 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = db_query(store->db, txn.pool, find, arguments, &locked);
		if (txn.result == RESULT_OK)
			txn.result = fail_locked(store, &locked, error, done);
	}
	return txn.result;
}

enum result
store_fail_crashed(struct store *store, uint64_t delivery_id, int64_t hold_ms, size_t *done)
{
	const struct db_value id = DB_U64(delivery_id);
	struct db_rows locked;
	*done = 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_query(store, txn.pool, &locked, &sql_lock_due, id);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_hold_webhook_of, DB_I64(hold_ms), id);
		if (txn.result == RESULT_OK)
			txn.result = fail_locked(store, &locked, SLICE("crashed"), done);
	}
	return txn.result;
}

static struct db_value
chunk_value(size_t chunk)
{
	return DB_U64(chunk < DB_LIST_MAX ? chunk : DB_LIST_MAX);
}

enum result
store_fail_pending(struct store *store, uint64_t webhook_id, size_t chunk, size_t *done)
{
	const struct db_arguments arguments =
	    DB_VALUES(DB_U64(webhook_shard(webhook_id)), DB_U64(webhook_id), chunk_value(chunk));
	return fail_found(store, &sql_select_due_of_webhook, &arguments, SLICE("webhook_gone"), done);
}

enum result
store_fail_expired(struct store *store, const struct db_value days[2], size_t chunk, size_t *done)
{
	const struct db_arguments arguments = DB_VALUES(days[0], days[1], chunk_value(chunk));
	return fail_found(store, &sql_select_due_of_old_days, &arguments, SLICE("expired"), done);
}
