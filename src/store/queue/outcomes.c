/* SPDX-License-Identifier: MIT */
#include "store/queue/outcomes.h"

#include "base/duration.h"
#include "base/panic.h"
#include "os/log.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/stats.h"
#include "store/transaction.h"

/* For an existing row: the delivery was sent again. Values that are not given become NULL. */
#define ENDED_AGAIN                                                                                         \
	" ON DUPLICATE KEY UPDATE state = VALUES(state), attempts = VALUES(attempts),"                      \
	" last_status = VALUES(last_status), last_error = VALUES(last_error), ended_ms = VALUES(ended_ms)," \
	" started_ms = VALUES(started_ms), duration_ms = VALUES(duration_ms), answer = VALUES(answer)"

/* while a row is locked, no other dispatcher takes the shard, even if the lease ends before the COMMIT */
DB_STATEMENT(sql_lock_leased_shards, "SELECT shard, " NOW " FROM {prefix}dispatch_shards FORCE INDEX (PRIMARY)"
				     " WHERE owner = ? AND shard IN ({list})"
				     " ORDER BY shard"
				     " LOCK IN SHARE MODE WAIT 1");
/* the index is forced here and below: otherwise the server would read and lock all rows of a small table, and wait for those of
 * batches that are not committed yet */
DB_STATEMENT(sql_lock_recorded, "SELECT id, attempts, attempts_before"
				" FROM {prefix}due FORCE INDEX (PRIMARY)"
				" WHERE id IN ({list})"
				" ORDER BY id"
				" FOR UPDATE WAIT 1");
DB_STATEMENT(sql_lock_webhook_status, "SELECT webhook_id, failing_since_ms IS NOT NULL"
				      " FROM {prefix}webhook_status FORCE INDEX (PRIMARY)"
				      " WHERE webhook_id IN ({list})"
				      " ORDER BY webhook_id"
				      " FOR UPDATE WAIT 1");
DB_STATEMENT(sql_insert_attempt,
    "INSERT INTO {prefix}attempts (delivery_id, attempt, started_ms, duration_ms, status, error, answer)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?){between}, {end}");
DB_STATEMENT(sql_insert_ended_delivery,
    "INSERT INTO {prefix}deliveries (id, event_id, webhook_id, format, state, attempts, last_status, last_error,"
    " ended_ms, started_ms, duration_ms, answer)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?){between}, {end}" ENDED_AGAIN);
/* joined with their ids, because the server may read a whole small table for a DELETE with a list, even if it names an index.
 * One statement for many rows costs less than one for each */
DB_STATEMENT(sql_delete_due, "DELETE t FROM " ROWS_WITH_IDS("due"));
/* this one always uses the index, because it also needs `attempts`, which no index contains; unlike after a join, each row is
 * found only once. The rows were not locked before: this waits as long as the statements that lock others */
DB_STATEMENT(sql_delete_untried_due,
    "SET STATEMENT innodb_lock_wait_timeout = 1 FOR DELETE t FROM {prefix}due t FORCE INDEX (PRIMARY)"
    " WHERE t.id IN ({list}) AND t.attempts = 0");
/* an INSERT, because an UPDATE of many rows would run once for each. The rows exist and are locked: the zeros are never
 * stored */
DB_STATEMENT(sql_reschedule_due,
    "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms, attempts, attempts_before,"
    " last_status, last_error)"
    " VALUES {each}(?, 0, 0, 0, 'json', ?, ?, ?, ?, ?){between}, {end}"
    " ON DUPLICATE KEY UPDATE due_ms = VALUES(due_ms), attempts = VALUES(attempts),"
    " attempts_before = VALUES(attempts_before), last_status = VALUES(last_status), last_error = VALUES(last_error)");
/* of existing rows, as above. failing_since_ms stays unless there was a success */
DB_STATEMENT(sql_change_webhook_status,
    "INSERT INTO {prefix}webhook_status (webhook_id, last_status, last_error, last_delivery_ms, failing_since_ms,"
    " failures, probes, hold_until_ms)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?){between}, {end}"
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
DB_STATEMENT(sql_lock_due_of_webhook, "SELECT id"
				      " FROM {prefix}due FORCE INDEX (by_webhook)"
				      " WHERE shard = ? AND webhook_id = ?"
				      " ORDER BY due_ms"
				      " LIMIT ?"
				      " FOR UPDATE");
DB_STATEMENT(sql_share_webhook, "SELECT id FROM {prefix}webhooks WHERE id = ? LOCK IN SHARE MODE");
/* deliveries have ids after their event's, so a few at the end of a day may have ids of the next day */
DB_STATEMENT(sql_select_due_of_old_days, "SELECT id"
					 " FROM {prefix}due FORCE INDEX (PRIMARY)"
					 " WHERE id < ? AND event_id < ?"
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

_Static_assert(ATTEMPT_T0 + LATENCY_BUCKETS == ATTEMPT_COUNTS, "ATTEMPT_COUNT_LIST");

/* clang-format off */
#define COLUMN(name, column) ", " #column
#define PLACE(name, column) ", ?"
#define ADDED(name, column) ", " #column " = " #column " + VALUES(" #column ")"
DB_STATEMENT(sql_change_webhook_hours, "INSERT INTO {prefix}webhook_hours (webhook_id, hour" ATTEMPT_COUNT_LIST(COLUMN) ")"
	" VALUES {each}(?, ?" ATTEMPT_COUNT_LIST(PLACE) "){between}, {end}"
	" ON DUPLICATE KEY UPDATE webhook_id = webhook_id" ATTEMPT_COUNT_LIST(ADDED));
/* clang-format on */

/* The outcomes of one webhook in a batch. */
struct webhook_change {
	const struct delivery_outcome *last; /* the outcome that gives the webhook's status; NULL: it does not change */
	bool delivered;                      /* at least one outcome was a success */
};

enum { SHARD_NUMBER, SHARD_NOW_MS };
enum { LOCKED_ID, LOCKED_ATTEMPTS, LOCKED_ATTEMPTS_BEFORE };
enum { STATUS_WEBHOOK_ID, STATUS_FAILING };

/* The attempts of a webhook that began in an hour. */
struct webhook_hour {
	uint64_t webhook_id, hour;
	uint64_t counts[ATTEMPT_COUNTS]; /* by enum attempt_count */
};

/* The rows of store_record_outcomes, by what happens to them. */
struct outcome_rows {
	struct row_list attempts, ended, moved;
	uint64_t *removed, *untried; /* ids; `untried`: ids of deliveries whose rows are not read first */
	size_t removed_count, untried_count;
	struct webhook_change *changes; /* one for each row of sql_lock_webhook_status */
	struct webhook_hour *hours;
	size_t hour_count;
};

static struct outcome_rows
outcome_rows(struct pool *pool, size_t count)
{
	return (struct outcome_rows){
		.attempts = store_row_list(pool, &sql_insert_attempt, count),
		.ended = store_row_list(pool, &sql_insert_ended_delivery, count),
		.moved = store_row_list(pool, &sql_reschedule_due, count),
		.removed = POOL_ARRAY(pool, count, uint64_t),
		.untried = POOL_ARRAY(pool, count, uint64_t),
		.changes = POOL_ARRAY(pool, count, struct webhook_change),
		.hours = POOL_ARRAY(pool, count, struct webhook_hour),
	};
}

/* Whether it was delivered at once; such a delivery is not expected to have changed since it was fetched. */
static bool
is_at_once(const struct delivery_outcome *o)
{
	return o->state == DELIVERY_DELIVERED && o->attempt == 1;
}

static struct db_value
status_value(int status)
{
	return status == 0 ? DB_NONE : DB_I64(status);
}

static uint64_t *
counts_of(struct outcome_rows *rows, uint64_t webhook_id, uint64_t hour)
{
	for (size_t i = rows->hour_count; i > 0; i--)
		if (rows->hours[i - 1].webhook_id == webhook_id && rows->hours[i - 1].hour == hour)
			return rows->hours[i - 1].counts;
	rows->hours[rows->hour_count] = (struct webhook_hour){ .webhook_id = webhook_id, .hour = hour };
	return rows->hours[rows->hour_count++].counts;
}

/* `state`: the state of the delivery from now on. */
static void
count_attempt(struct outcome_rows *rows, const struct delivery_outcome *o, enum delivery_state state, int64_t now_ms)
{
	enum { REDIRECTIONS = 3, SERVER_ERRORS = 5 };
	const int class = o->status / 100;
	uint64_t *counts = counts_of(rows, o->webhook_id, (uint64_t)(now_ms - o->started_ms_ago) / HOUR_MS);
	counts[ATTEMPT_DELIVERED] += state == DELIVERY_DELIVERED;
	counts[ATTEMPT_FAILED] += state == DELIVERY_FAILED;
	if (o->not_made)
		return;
	counts[ATTEMPT_MADE]++;
	counts[ATTEMPT_T0 + latency_bucket(o->duration_ms)]++;
	if (slice_present(o->error))
		counts[ATTEMPT_NO_ANSWER]++;
	else if (o->state != DELIVERY_DELIVERED && class >= REDIRECTIONS && class <= SERVER_ERRORS)
		counts[ATTEMPT_ANSWERS_3XX + class - REDIRECTIONS]++;
}

/* The attempt of an outcome is in `attempts`, unless the first attempt delivered it or none was made. `attempts_before`: the
 * current value, which differs from that of the outcome if it was sent again during the attempt. */
static void
add_outcome(struct outcome_rows *rows, const struct delivery_outcome *o, uint64_t attempts_before, int64_t now_ms)
{
	const bool sent_again = o->attempts_before != attempts_before;
	const struct db_value id = DB_U64(o->id), attempt = DB_U64(o->attempt), status = status_value(o->status),
			      error = db_bytes(o->error), answer = db_bytes(o->answer),
			      started_ms = DB_I64(now_ms - o->started_ms_ago), duration_ms = DB_I64(o->duration_ms);
	const bool delivered = o->state == DELIVERY_DELIVERED, at_once = is_at_once(o);
	const bool ends = delivered || (o->state == DELIVERY_FAILED && !sent_again);
	count_attempt(rows, o, ends ? o->state : DELIVERY_PENDING, now_ms);
	if (!at_once && !o->not_made)
		store_add_row(&rows->attempts, id, attempt, started_ms, duration_ms, status, error, answer);
	if (!ends) {
		store_add_row(&rows->moved, id, DB_I64(sent_again ? now_ms : now_ms + o->next_due_in_ms), attempt,
		    sent_again ? attempt : DB_U64(o->attempts_before), status, error);
		return;
	}
	store_add_row(&rows->ended, id, DB_U64(o->event_id), DB_U64(o->webhook_id),
	    db_bytes(o->form ? SLICE("form") : SLICE("json")), db_bytes(slice_of(delivery_state_name(o->state))), attempt,
	    status, error, DB_I64(now_ms), at_once ? started_ms : DB_NONE, at_once ? duration_ms : DB_NONE,
	    at_once ? answer : DB_NONE);
}

/* Outcomes that are recorded together. */
struct outcome_batch {
	struct store *store;
	struct pool *pool;
	const unsigned char *owner;
	struct delivery_outcome *outcomes;
	size_t count;
	bool reads_all; /* includes the rows of deliveries that are not expected to have changed */
	bool changed;   /* one of these has changed */
};

/* Rows that were already locked are not compared again. */
static enum result
remove_due(struct outcome_batch *b, const struct outcome_rows *rows)
{
	const struct db_list untried = store_id_list(b->pool, rows->untried, rows->untried_count);
	const struct db_list removed = store_id_list(b->pool, rows->removed, rows->removed_count);
	const struct db_arguments arguments = { .lists = { untried }, .list_count = 1 };
	uint64_t deleted = 0;
	enum result result =
	    untried.count == 0 ? RESULT_OK : db_execute(b->store->db, &sql_delete_untried_due, &arguments, &deleted);
	b->changed = result == RESULT_OK && deleted != untried.count;
	if (b->changed)
		return RESULT_CONFLICT;
	return result == RESULT_OK ? store_run_on_ids(b->store, &sql_delete_due, removed.values, removed.count, NULL) : result;
}

static enum result
write_hours(struct outcome_batch *b, const struct outcome_rows *rows)
{
	struct row_list list = store_row_list(b->pool, &sql_change_webhook_hours, rows->hour_count);
	for (size_t i = 0; i < rows->hour_count; i++) {
		struct db_value values[2 + ATTEMPT_COUNTS] = { DB_U64(rows->hours[i].webhook_id), DB_U64(rows->hours[i].hour) };
		for (size_t column = 0; column < ATTEMPT_COUNTS; column++)
			values[2 + column] = DB_U64(rows->hours[i].counts[column]);
		store_add_values(&list, values, ARRAY_SIZE(values));
	}
	return store_run_lists(b->store, &list);
}

static enum result
write_outcomes(struct outcome_batch *b, const struct outcome_rows *rows, size_t webhooks, int64_t now_ms)
{
	struct row_list statuses = store_row_list(b->pool, &sql_change_webhook_status, webhooks);
	for (size_t i = 0; i < webhooks; i++) {
		const struct delivery_outcome *o = rows->changes[i].last;
		if (o == NULL)
			continue;
		const bool failed = o->state != DELIVERY_DELIVERED && o->webhook_failures > 0; /* because of the receiver */
		store_add_row(&statuses, DB_U64(o->webhook_id), status_value(o->status), db_bytes(o->error),
		    rows->changes[i].delivered ? DB_I64(now_ms) : DB_NONE, failed ? DB_I64(now_ms) : DB_NONE,
		    DB_U64(o->webhook_failures), DB_U64(o->webhook_probes),
		    DB_I64(o->webhook_hold_ms > 0 ? now_ms + o->webhook_hold_ms : 0));
	}
	const enum result result = store_run_lists(b->store, &rows->attempts, &rows->ended, &rows->moved, &statuses);
	return result == RESULT_OK ? write_hours(b, rows) : result;
}

/* Locks those of the outcomes' shards that the owner leases. */
static enum result
lock_shards(struct outcome_batch *b, uint64_t *leased, int64_t *now_ms)
{
	const struct db_value own = db_raw(b->owner, DISPATCH_OWNER_SIZE);
	uint64_t *shards = POOL_ARRAY(b->pool, b->count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < b->count; i++)
		shards[i] = webhook_shard(b->outcomes[i].webhook_id);
	const struct db_list list = store_id_list(b->pool, shards, b->count);
	enum result result = db_query(b->store->db, b->pool, &sql_lock_leased_shards, &DB_LIST_AND_VALUES(list, own), &rows);
	*leased = 0;
	*now_ms = 0;
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		*leased |= UINT64_C(1) << db_get_u64(&rows, i, SHARD_NUMBER);
		*now_ms = db_get_i64(&rows, i, SHARD_NOW_MS);
	}
	return result;
}

static bool
is_read(const struct outcome_batch *b, const struct delivery_outcome *o)
{
	return b->reads_all || !is_at_once(o);
}

/* Locks the rows that are read. */
static enum result
lock_recorded(struct outcome_batch *b, struct db_rows *locked)
{
	uint64_t *ids = POOL_ARRAY(b->pool, b->count, uint64_t);
	size_t used = 0;
	for (size_t i = 0; i < b->count; i++)
		if (!b->outcomes[i].stale && is_read(b, &b->outcomes[i]))
			ids[used++] = b->outcomes[i].id;
	const struct db_list list = store_id_list(b->pool, ids, used);
	return store_query_lists(b->store, b->pool, &sql_lock_recorded, &list, 1, locked);
}

/* Locks the status of webhooks whose status will be stored. A removed webhook has none. */
static enum result
lock_statuses(struct outcome_batch *b, struct db_rows *statuses)
{
	uint64_t *ids = POOL_ARRAY(b->pool, b->count, uint64_t);
	size_t used = 0;
	for (size_t i = 0; i < b->count; i++)
		if (!b->outcomes[i].stale && !b->outcomes[i].routine)
			ids[used++] = b->outcomes[i].webhook_id;
	const struct db_list list = store_id_list(b->pool, ids, used);
	return store_query_lists(b->store, b->pool, &sql_lock_webhook_status, &list, 1, statuses);
}

static void
add_status_changes(struct outcome_batch *b, struct outcome_rows *rows, const struct db_rows *statuses)
{
	size_t row;
	for (size_t i = 0; i < b->count; i++) {
		struct delivery_outcome *o = &b->outcomes[i];
		if (o->stale || !store_find_row(statuses, o->webhook_id, &row))
			continue;
		if (o->webhook_state == WEBHOOK_DISABLED && !db_get_bool(statuses, row, STATUS_FAILING))
			o->webhook_state = WEBHOOK_ACTIVE; /* it was enabled during this attempt */
		if (o->late)
			continue;
		rows->changes[row].last = o;
		rows->changes[row].delivered = rows->changes[row].delivered || o->state == DELIVERY_DELIVERED;
	}
}

static void
add_outcomes(struct outcome_batch *b, struct outcome_rows *rows, const struct db_rows *locked, int64_t now_ms)
{
	size_t row;
	for (size_t i = 0; i < b->count; i++) {
		struct delivery_outcome *o = &b->outcomes[i];
		log_work(LOG_UINT("delivery", o->id));
		if (o->stale)
			continue;
		if (!is_read(b, o)) {
			rows->untried[rows->untried_count++] = o->id;
			add_outcome(rows, o, o->attempts_before, now_ms);
			continue;
		}
		o->stale = !store_find_row(locked, o->id, &row) ||
			   db_get_u64(locked, row, LOCKED_ATTEMPTS) + !o->not_made != o->attempt;
		if (o->stale)
			continue;
		const size_t ended = rows->ended.count;
		add_outcome(rows, o, db_get_u64(locked, row, LOCKED_ATTEMPTS_BEFORE), now_ms);
		if (rows->ended.count > ended)
			rows->removed[rows->removed_count++] = o->id;
	}
}

static enum result
record_outcomes(struct outcome_batch *b)
{
	struct outcome_rows rows = outcome_rows(b->pool, b->count);
	struct db_rows locked, statuses;
	uint64_t leased;
	int64_t now_ms;
	enum result result = lock_shards(b, &leased, &now_ms);
	for (size_t i = 0; i < b->count; i++)
		b->outcomes[i].stale = (leased & UINT64_C(1) << webhook_shard(b->outcomes[i].webhook_id)) == 0;
	if (result == RESULT_OK)
		result = lock_recorded(b, &locked);
	if (result != RESULT_OK)
		return result;
	add_outcomes(b, &rows, &locked, now_ms);
	result = remove_due(b, &rows);
	if (result == RESULT_OK)
		result = lock_statuses(b, &statuses);
	if (result != RESULT_OK)
		return result;
	add_status_changes(b, &rows, &statuses);
	return write_outcomes(b, &rows, statuses.count, now_ms);
}

/* Records the outcomes in one transaction. */
static enum result
try_record(struct outcome_batch *b)
{
	struct transaction txn = store_transaction(b->store, REPEAT_NOTHING);
	while (store_runs(&txn)) {
		b->pool = txn.pool;
		txn.result = record_outcomes(b);
	}
	return txn.result;
}

enum result
store_record_outcomes(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], struct delivery_outcome *outcomes, size_t count)
{
	require(count <= DB_LIST_MAX);
	struct outcome_batch batch = { .store = store, .owner = owner, .outcomes = outcomes, .count = count };
	enum result result = try_record(&batch);
	if (!batch.changed)
		return result;
	batch.reads_all = true;
	return try_record(&batch);
}

static enum result
deactivate_webhook(struct store *store, struct pool *pool, uint64_t webhook_id, enum webhook_state state, enum lock_wait wait)
{
	const bool gone = state == WEBHOOK_GONE;
	const struct db_value id = DB_U64(webhook_id);
	struct db_rows active, locked;
	enum result result = store_query(store, pool, &active, &sql_select_campaign_of_active_webhook, id);
	if (result != RESULT_OK || active.count == 0)
		return result;
	const uint64_t campaign_id = db_get_u64(&active, 0, 0);
	result = store_query(store, pool, &locked, wait == LOCK_SOON ? &sql_lock_campaign_soon : &sql_lock_campaign_if_free,
	    DB_U64(campaign_id));
	if (result == RESULT_OK && locked.count == 0)
		return RESULT_CONFLICT;
	if (result == RESULT_OK)
		result = store_lock_settings(store, campaign_id, NULL);
	if (result == RESULT_OK)
		result = store_change_one(
		    store, &sql_deactivate_webhook, db_bytes(gone ? SLICE("gone") : SLICE("disabled")), id, DB_BOOL(gone));
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

enum result
store_deactivate_webhook(struct store *store, uint64_t webhook_id, enum webhook_state state, enum lock_wait wait)
{
	require(state == WEBHOOK_GONE || state == WEBHOOK_DISABLED);
	struct transaction txn = store_transaction(store, REPEAT_NOTHING);
	while (store_runs(&txn))
		txn.result = deactivate_webhook(store, txn.pool, webhook_id, state, wait);
	return txn.result;
}

/* Ends the deliveries whose rows of `due` are locked. */
static enum result
fail_locked(struct store *store, struct db_list ids, struct slice error, size_t *done)
{
	*done = ids.count;
	if (ids.count == 0)
		return RESULT_OK;
	enum result result = db_execute(store->db, &sql_fail_due, &DB_LIST_AND_VALUES(ids, db_bytes(error)), NULL);
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_due, ids.values, ids.count, NULL) : result;
}

/* Up to `chunk` of the ids that are not in `excepted`. */
static struct db_list
without(struct pool *pool, const struct db_rows *rows, const struct id_set *excepted, size_t chunk)
{
	struct db_value *ids = POOL_ARRAY(pool, rows->count, struct db_value);
	size_t count = 0;
	for (size_t i = 0; i < rows->count && count < chunk; i++)
		if (!id_set_contains(excepted, db_get_u64(rows, i, 0)))
			ids[count++] = rows->values[i];
	return (struct db_list){ ids, count };
}

static size_t
bounded(size_t chunk)
{
	return chunk < DB_LIST_MAX ? chunk : DB_LIST_MAX;
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
			txn.result =
			    fail_locked(store, (struct db_list){ locked.values, locked.count }, SLICE("crashed"), done);
	}
	return txn.result;
}

static enum result
fail_pending(
    struct store *store, struct pool *pool, uint64_t webhook_id, const struct id_set *under_way, size_t chunk, size_t *done)
{
	const struct db_value id = DB_U64(webhook_id);
	struct db_rows locked;
	enum result result = store_query(store, pool, &locked, &sql_lock_due_of_webhook, DB_U64(webhook_shard(webhook_id)), id,
	    DB_U64(chunk + under_way->count));
	if (result == RESULT_OK)
		result = store_exists(store, &sql_share_webhook, id);
	return result == RESULT_NOT_FOUND
		   ? fail_locked(store, without(pool, &locked, under_way, chunk), SLICE("webhook_gone"), done)
		   : result;
}

enum result
store_fail_pending(struct store *store, uint64_t webhook_id, const struct id_set *under_way, size_t chunk, size_t *done)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	*done = 0;
	while (store_runs(&txn))
		txn.result = fail_pending(store, txn.pool, webhook_id, under_way, bounded(chunk), done);
	return txn.result;
}

enum result
store_fail_expired(struct store *store, const struct db_value days[2], size_t chunk, size_t *done)
{
	struct db_rows locked;
	*done = 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_query(
		    store, txn.pool, &locked, &sql_select_due_of_old_days, days[0], days[1], DB_U64(bounded(chunk)));
		if (txn.result == RESULT_OK)
			txn.result =
			    fail_locked(store, (struct db_list){ locked.values, locked.count }, SLICE("expired"), done);
	}
	return txn.result;
}
