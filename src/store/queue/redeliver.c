/* SPDX-License-Identifier: MIT
 * Ended deliveries get a new row of `due`, waiting ones are due at once. Dispatchers keep running.
 *
 * All code that ends a delivery locks its row of `due` first and then writes its row of `deliveries`; the order is the same
 * here. While the row of `deliveries` is locked, no other process inserts a missing row of `due`. Its count of attempts is
 * therefore final, and no number is used twice. */
#include "store/queue/redeliver.h"

#include "base/panic.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* Whether a delivery still has what it needs to be sent, its webhook and its event; and whether nothing can be sent to the
 * webhook now. */
#define SENDABLE                                                                                                  \
	"(SELECT w.id FROM {prefix}webhooks w WHERE w.id = t.webhook_id) IS NOT NULL,"                            \
	" (SELECT e.id FROM {prefix}events e WHERE e.id = t.event_id) IS NOT NULL,"                               \
	" COALESCE((SELECT w.state <> 'active' OR COALESCE(s.hold_until_ms, 0) > " NOW " FROM {prefix}webhooks w" \
	"     LEFT JOIN {prefix}webhook_status s ON s.webhook_id = w.id"                                          \
	"     WHERE w.id = t.webhook_id), FALSE)"

/* here, too, the primary key is forced, and only these rows are locked */
DB_STATEMENT(sql_lock_pending, "SELECT t.id, " SENDABLE ", t.attempts FROM {prefix}due t FORCE INDEX (PRIMARY)"
			       " WHERE t.id IN ({list})"
			       " ORDER BY t.id"
			       " FOR UPDATE");
DB_STATEMENT(sql_lock_ended,
    "SELECT t.id, " SENDABLE ", t.attempts, t.event_id, t.webhook_id, t.format, t.last_status, t.last_error, " NOW
    " FROM {prefix}deliveries t FORCE INDEX (PRIMARY)"
    " WHERE t.id IN ({list})"
    " ORDER BY t.id"
    " FOR UPDATE");
DB_STATEMENT(sql_reschedule_pending, "UPDATE {prefix}due FORCE INDEX (PRIMARY)"
				     " SET due_ms = LEAST(due_ms, " NOW "), attempts_before = attempts"
				     " WHERE id IN ({list})");
/* the figures of the only attempt become a row: another attempt follows */
DB_STATEMENT(sql_copy_only_attempt,
    "INSERT INTO {prefix}attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)"
    " SELECT id, attempts, started_ms, duration_ms, last_status, last_error, answer"
    " FROM {prefix}deliveries FORCE INDEX (PRIMARY)"
    " WHERE started_ms IS NOT NULL AND id IN ({list})");
DB_STATEMENT(sql_clear_only_attempt, "UPDATE {prefix}deliveries FORCE INDEX (PRIMARY)"
				     " SET started_ms = NULL, duration_ms = NULL, answer = NULL"
				     " WHERE started_ms IS NOT NULL AND id IN ({list})");
DB_STATEMENT(sql_send_again,
    "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms, attempts, attempts_before,"
    " last_status, last_error)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?, ?, ?){between}, {end}");

/* Arguments of store_redeliver. */
struct redelivery_batch {
	const uint64_t *ids;
	size_t count;
	enum redelivery *what;
};

/* Columns of sql_lock_ended; sql_lock_pending has the first five. */
enum { ID, HAS_WEBHOOK, HAS_EVENT, HELD, ATTEMPTS, EVENT_ID, WEBHOOK, FORMAT, LAST_STATUS, LAST_ERROR, NOW_MS };

/* Stores the result for the delivery. Returns whether it is queued. */
static bool
classify(struct redelivery_batch *r, const struct db_rows *rows, size_t row)
{
	const uint64_t id = db_get_u64(rows, row, ID);
	enum redelivery what = REDELIVERY_QUEUED;
	if (!db_get_bool(rows, row, HAS_EVENT))
		what = REDELIVERY_NO_EVENT;
	else if (!db_get_bool(rows, row, HAS_WEBHOOK))
		what = REDELIVERY_NO_WEBHOOK;
	else if (db_get_u64(rows, row, ATTEMPTS) >= REDELIVER_ATTEMPTS_MAX)
		what = REDELIVERY_AT_LIMIT;
	else if (db_get_bool(rows, row, HELD))
		what = REDELIVERY_HELD;
	for (size_t i = 0; i < r->count; i++)
		if (r->ids[i] == id)
			r->what[i] = what;
	return what == REDELIVERY_QUEUED || what == REDELIVERY_HELD;
}

/* The ids without a row in `pending`. */
static struct db_list
without(struct pool *pool, struct db_list ids, const struct db_rows *pending)
{
	struct db_value *values = POOL_ARRAY(pool, ids.count, struct db_value);
	size_t count = 0, row;
	for (size_t i = 0; i < ids.count; i++)
		if (!store_find_row(pending, ids.values[i].as.u64, &row))
			values[count++] = ids.values[i];
	return (struct db_list){ values, count };
}

static enum result
reschedule_pending(struct store *store, struct pool *pool, struct redelivery_batch *r, const struct db_rows *pending)
{
	struct db_value *ids = POOL_ARRAY(pool, pending->count, struct db_value);
	struct db_list list = { ids, 0 };
	uint64_t changed = 0;
	for (size_t i = 0; i < pending->count; i++)
		if (classify(r, pending, i))
			ids[list.count++] = DB_U64(db_get_u64(pending, i, ID));
	if (list.count == 0)
		return RESULT_OK;
	enum result result = db_execute(store->db, &sql_reschedule_pending, &DB_LIST_AND_VALUES(list), &changed);
	return result == RESULT_OK && changed != list.count ? RESULT_CONFLICT : result;
}

/* If another call has inserted one of these rows in between, its key exists: the transaction is repeated, and finds that
 * delivery pending. */
static enum result
requeue_ended(struct store *store, struct pool *pool, struct redelivery_batch *r, const struct db_rows *ended)
{
	struct row_list rows = store_row_list(pool, &sql_send_again, ended->count);
	struct db_value *ids = POOL_ARRAY(pool, ended->count, struct db_value);
	for (size_t i = 0; i < ended->count; i++) {
		if (!classify(r, ended, i))
			continue;
		const uint64_t webhook_id = db_get_u64(ended, i, WEBHOOK);
		const struct db_value attempts = DB_U64(db_get_u64(ended, i, ATTEMPTS));
		const int status = store_get_status_code(ended, i, LAST_STATUS);
		ids[rows.count] = DB_U64(db_get_u64(ended, i, ID));
		store_add_row(&rows, ids[rows.count], DB_U64(db_get_u64(ended, i, EVENT_ID)), DB_U64(webhook_shard(webhook_id)),
		    DB_U64(webhook_id), db_bytes(db_get_bytes(ended, i, FORMAT)), DB_I64(db_get_i64(ended, i, NOW_MS)),
		    attempts, attempts, status == 0 ? DB_NONE : DB_I64(status), db_bytes(db_get_bytes(ended, i, LAST_ERROR)));
	}
	const struct db_list list = { ids, rows.count };
	if (list.count == 0)
		return RESULT_OK;
	enum result result = store_run_lists(store, &rows);
	if (result == RESULT_OK)
		result = db_execute(store->db, &sql_copy_only_attempt, &DB_LIST_AND_VALUES(list), NULL);
	return result == RESULT_OK ? db_execute(store->db, &sql_clear_only_attempt, &DB_LIST_AND_VALUES(list), NULL) : result;
}

static enum result
redeliver(struct store *store, struct pool *pool, struct redelivery_batch *r)
{
	uint64_t *ids = POOL_ARRAY(pool, r->count, uint64_t);
	struct db_rows pending, ended;
	for (size_t i = 0; i < r->count; i++) {
		ids[i] = r->ids[i];
		r->what[i] = REDELIVERY_MISSING;
	}
	struct db_list list = store_id_list(pool, ids, r->count);
	enum result result = store_query_lists(store, pool, &sql_lock_pending, &list, 1, &pending);
	if (result == RESULT_OK) {
		struct db_list rest = without(pool, list, &pending);
		result = store_query_lists(store, pool, &sql_lock_ended, &rest, 1, &ended);
	}
	if (result == RESULT_OK)
		result = reschedule_pending(store, pool, r, &pending);
	return result == RESULT_OK ? requeue_ended(store, pool, r, &ended) : result;
}

enum result
store_redeliver(
    struct store *store, const uint64_t *ids, size_t count, enum redelivery *what, redelivery_note *note, void *context)
{
	require(count <= REDELIVER_MAX);
	/* not repeated if it may have been committed: a delivery that has ended since would be sent once more */
	struct redelivery_batch r = { ids, count, what };
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = redeliver(store, txn.pool, &r);
		if (txn.result == RESULT_OK && note != NULL)
			txn.result = note(context);
	}
	return txn.result;
}
