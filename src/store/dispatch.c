/* SPDX-License-Identifier: MIT
 * Leases, claims and outcomes of the dispatcher. Claims are guarded updates by primary key; nothing depends on who sees
 * whose locks, so that it holds on a cluster too. */
#include "store/dispatch.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "core/events.h"
#include "store/private.h"

/* A claim's token is the first half of its owner's id and a random half, so that all claims of an owner can be found. */
enum { TOKEN_OWNER_SIZE = 8 };

static struct db_value
bytes_value(const unsigned char *bytes, size_t size)
{
	return db_bytes((struct slice){ (const char *)bytes, size });
}

enum result
store_shards_lease(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *held)
{
	struct db_value own = bytes_value(owner, DISPATCH_OWNER_SIZE);
	struct db_value values[] = { own, DB_I64(lease_ms), own };
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_read_facts(store);
	*held = 0;
	if (result == RESULT_OK)
		result = db_execute(store->db, SQL_LEASE_SHARDS, &(struct db_arguments){ .values = values, .count = 3 }, NULL);
	if (result == RESULT_OK)
		result = db_query(
		    store->db, pool, SQL_SELECT_LEASED_SHARDS, &(struct db_arguments){ .values = &own, .count = 1 }, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		*held |= UINT64_C(1) << (db_get_u64(&rows, i, 0) % DELIVERY_SHARDS);
	pool_free(&pool);
	return result;
}

enum result
store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	struct db_value own = bytes_value(owner, DISPATCH_OWNER_SIZE);
	return db_execute(store->db, SQL_RELEASE_SHARDS, &(struct db_arguments){ .values = &own, .count = 1 }, NULL);
}

enum result
store_owner_release(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE])
{
	unsigned char lowest[DISPATCH_TOKEN_SIZE], highest[DISPATCH_TOKEN_SIZE];
	memset(lowest, 0, sizeof(lowest));
	memset(highest, 0xff, sizeof(highest));
	memcpy(lowest, dead_owner, TOKEN_OWNER_SIZE);
	memcpy(highest, dead_owner, TOKEN_OWNER_SIZE);
	struct db_value range[] = { bytes_value(lowest, sizeof(lowest)), bytes_value(highest, sizeof(highest)) };
	enum result result = store_read_facts(store);
	if (result == RESULT_OK)
		result = db_execute(store->db, SQL_RELEASE_CLAIMS, &(struct db_arguments){ .values = range, .count = 2 }, NULL);
	return result == RESULT_OK ? store_shards_release(store, dead_owner) : result;
}

static struct db_list
shard_list(struct pool *pool, uint64_t held)
{
	struct db_value *shards = POOL_ARRAY(pool, DELIVERY_SHARDS, struct db_value);
	size_t count = 0;
	for (unsigned i = 0; i < DELIVERY_SHARDS; i++)
		if (held & UINT64_C(1) << i)
			shards[count++] = DB_U64(i);
	return (struct db_list){ shards, count };
}

enum { DUE_WEBHOOK_ID, DUE_ENDED, DUE_FIRST_MS, DUE_NOW_MS };

/* The rows come in order: first those that have ended, then the others by time. */
static void
sort_webhooks(const struct db_rows *rows, size_t limit, struct due_webhooks *webhooks)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t id = db_get_u64(rows, i, DUE_WEBHOOK_ID);
		int64_t first_ms = db_get_i64(rows, i, DUE_FIRST_MS);
		if (db_get_bool(rows, i, DUE_ENDED)) {
			if (webhooks->ended_count < limit)
				webhooks->ended[webhooks->ended_count++] = id;
		} else if (first_ms > webhooks->now_ms) {
			webhooks->next_due_ms = first_ms;
			return;
		} else if (webhooks->due_count < limit) {
			webhooks->due[webhooks->due_count++] = (struct due_webhook){ id, first_ms };
		}
	}
}

enum { WORK_NOW_MS, WORK_IN_BULK };

enum result
store_due_webhooks(struct store *store, struct pool *pool, uint64_t held, size_t limit, struct due_webhooks *webhooks)
{
	struct db_arguments arguments = { .lists = { shard_list(pool, held) }, .list_count = 1 };
	struct db_rows work, rows;
	enum result result = db_query(store->db, pool, SQL_SELECT_WORK, NULL, &work);
	if (result == RESULT_OK)
		result = db_query(store->db, pool, SQL_SELECT_DUE_WEBHOOKS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	size_t room = rows.count < limit ? rows.count : limit;
	*webhooks = (struct due_webhooks){
		.due = POOL_ARRAY(pool, room, struct due_webhook),
		.ended = POOL_ARRAY(pool, room, uint64_t),
		.now_ms = db_get_i64(&work, 0, WORK_NOW_MS),
		.next_due_ms = -1,
		.bulk_work = db_get_bool(&work, 0, WORK_IN_BULK),
	};
	sort_webhooks(&rows, limit, webhooks);
	return RESULT_OK;
}

static enum result
find_due_rows(struct store *store, struct pool *pool, const struct due_request *request, struct db_value *ids, size_t *count)
{
	struct db_value values[] = { DB_U64(webhook_shard(request->webhook_id)), DB_U64(request->webhook_id),
		DB_U64(request->rows) };
	struct db_rows rows;
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_DUE_ROWS, &(struct db_arguments){ .values = values, .count = 3 }, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		ids[(*count)++] = DB_U64(db_get_u64(&rows, i, 0));
	return result;
}

enum {
	CLAIMED_ID,
	CLAIMED_WEBHOOK_ID,
	CLAIMED_ATTEMPTS,
	CLAIMED_TYPE,
	CLAIMED_FORMAT,
	CLAIMED_PAYLOAD,
	CLAIMED_URL,
	CLAIMED_SECRET,
	CLAIMED_STATE
};

static struct due_delivery
due_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row, struct slice token)
{
	uint64_t id = db_get_u64(rows, row, CLAIMED_ID);
	return (struct due_delivery){
		.id = id,
		.webhook_id = db_get_u64(rows, row, CLAIMED_WEBHOOK_ID),
		.event = db_is_null(rows, row, CLAIMED_TYPE) ? SLICE_NONE
							     : event_name((enum event_type)db_get_u64(rows, row, CLAIMED_TYPE)),
		.attempt = (unsigned)db_get_u64(rows, row, CLAIMED_ATTEMPTS),
		.token = token,
		.webhook_state = store_webhook_state(db_get_bytes(rows, row, CLAIMED_STATE)),
		.url = db_get_bytes(rows, row, CLAIMED_URL),
		.secret = db_get_bytes(rows, row, CLAIMED_SECRET),
		.message_id = delivery_message_id(pool, store->installation_id, id),
		.payload = db_get_bytes(rows, row, CLAIMED_PAYLOAD),
		.form = store_is_form(db_get_bytes(rows, row, CLAIMED_FORMAT)),
	};
}

enum result
store_claim(struct store *store, struct pool *pool, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms,
    const struct due_request *requests, size_t request_count, struct due_delivery **deliveries, size_t *count)
{
	size_t wanted = 0, found = 0;
	char *token = pool_alloc(pool, DISPATCH_TOKEN_SIZE);
	enum result result = store_read_facts(store);
	*count = 0;
	for (size_t i = 0; i < request_count; i++)
		wanted += requests[i].rows;
	struct db_value *ids = POOL_ARRAY(pool, wanted, struct db_value);
	for (size_t i = 0; i < request_count && result == RESULT_OK; i++)
		result = find_due_rows(store, pool, &requests[i], ids, &found);
	if (result != RESULT_OK || found == 0)
		return result;
	random_bytes(token, DISPATCH_TOKEN_SIZE);
	memcpy(token, owner, TOKEN_OWNER_SIZE);
	struct slice claim = { token, DISPATCH_TOKEN_SIZE };
	struct db_value guard[] = { db_bytes(claim), DB_I64(lease_ms) };
	struct db_arguments arguments = { .values = guard, .count = 2, .lists = { { ids, found } }, .list_count = 1 };
	struct db_rows rows;
	result = db_execute(store->db, SQL_CLAIM_DUE, &arguments, NULL);
	arguments.count = 1;
	if (result == RESULT_OK)
		result = db_query(store->db, pool, SQL_SELECT_CLAIMED, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	*deliveries = POOL_ARRAY(pool, rows.count, struct due_delivery);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*deliveries)[i] = due_from_row(store, pool, &rows, i, claim);
	return RESULT_OK;
}

/* The rows of store_complete, by what is done to them. */
struct completed_rows {
	struct db_value *attempts, *finished, *deleted, *moved, *statuses, *holds, *gone;
	size_t attempt_count, finished_count, deleted_count, moved_count, status_count, hold_count, gone_count;
};

enum { ATTEMPT_COLUMNS = 8, FINISH_COLUMNS = 5, DELETE_COLUMNS = 2, MOVE_COLUMNS = 3, STATUS_COLUMNS = 5, HOLD_COLUMNS = 2 };

static void
add(struct db_value *list, size_t *count, const struct db_value *row, size_t columns)
{
	memcpy(list + *count * columns, row, columns * sizeof(*row));
	(*count)++;
}

static void
complete_one(struct completed_rows *c, const struct delivery_outcome *o, uint64_t attempt_id, int64_t now_ms)
{
	bool ok = o->state == DELIVERY_DELIVERED;
	struct db_value status = o->status == 0 ? DB_NONE : DB_I64(o->status);
	struct db_value id = DB_U64(o->id), webhook = DB_U64(o->webhook_id), token = db_bytes(o->token);
	add(c->attempts, &c->attempt_count,
	    (struct db_value[]){ DB_U64(history_id(now_ms, attempt_id)), id, DB_U64(o->attempt),
		DB_I64(now_ms - o->started_ms_ago), DB_I64(o->duration_ms), status, db_bytes(o->error), db_bytes(o->answer) },
	    ATTEMPT_COLUMNS);
	add(c->finished, &c->finished_count,
	    (struct db_value[]){
		db_bytes(slice_of(delivery_state_name(o->state))), DB_U64(o->attempt), status, db_bytes(o->error), id },
	    FINISH_COLUMNS);
	if (o->state == DELIVERY_PENDING)
		add(c->moved, &c->moved_count, (struct db_value[]){ DB_I64(now_ms + o->next_due_in_ms), id, token },
		    MOVE_COLUMNS);
	else
		add(c->deleted, &c->deleted_count, (struct db_value[]){ id, token }, DELETE_COLUMNS);
	add(c->statuses, &c->status_count,
	    (struct db_value[]){ status, ok ? DB_I64(now_ms) : DB_NONE, DB_BOOL(ok), DB_I64(now_ms), webhook }, STATUS_COLUMNS);
	if (o->webhook_hold_ms > 0)
		add(c->holds, &c->hold_count, (struct db_value[]){ DB_I64(now_ms + o->webhook_hold_ms), webhook },
		    HOLD_COLUMNS);
	if (o->webhook_gone)
		add(c->gone, &c->gone_count, &webhook, 1);
}

static enum result
write_completion(struct store *store, const struct completed_rows *c)
{
	const struct {
		enum statement statement;
		const struct db_value *rows;
		size_t columns, count;
	} steps[] = {
		{ SQL_INSERT_ATTEMPT, c->attempts, ATTEMPT_COLUMNS, c->attempt_count },
		{ SQL_FINISH_DELIVERY, c->finished, FINISH_COLUMNS, c->finished_count },
		{ SQL_DELETE_DUE, c->deleted, DELETE_COLUMNS, c->deleted_count },
		{ SQL_RESCHEDULE_DUE, c->moved, MOVE_COLUMNS, c->moved_count },
		{ SQL_UPDATE_WEBHOOK_STATUS, c->statuses, STATUS_COLUMNS, c->status_count },
		{ SQL_HOLD_WEBHOOK, c->holds, HOLD_COLUMNS, c->hold_count },
		{ SQL_MARK_WEBHOOK_GONE, c->gone, 1, c->gone_count },
	};
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && result == RESULT_OK; i++)
		result = db_execute_rows(store->db, steps[i].statement, steps[i].rows, steps[i].columns, steps[i].count, NULL);
	return result;
}

enum { LOCKED_ID, LOCKED_TOKEN, LOCKED_NOW_MS };

/* Is the claim still the one that this outcome belongs to? */
static bool
still_ours(const struct db_rows *locked, const struct delivery_outcome *outcome)
{
	for (size_t i = 0; i < locked->count; i++)
		if (db_get_u64(locked, i, LOCKED_ID) == outcome->id)
			return slice_equal(db_get_bytes(locked, i, LOCKED_TOKEN), outcome->token);
	return false;
}

/* What store_complete was asked, and what came of it. */
struct completing {
	const struct delivery_outcome *outcomes;
	size_t count, stale;
	uint64_t first_id; /* of as many attempts */
};

static enum result
complete(struct store *store, struct pool *pool, void *context)
{
	struct completing *completing = context;
	const struct delivery_outcome *outcomes = completing->outcomes;
	const size_t count = completing->count;
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	struct db_rows locked;
	for (size_t i = 0; i < count; i++)
		ids[i] = DB_U64(outcomes[i].id);
	struct db_arguments arguments = { .lists = { { ids, count } }, .list_count = 1 };
	enum result result = db_query(store->db, pool, SQL_LOCK_CLAIMED, &arguments, &locked);
	if (result != RESULT_OK)
		return result;
	struct completed_rows completion = {
		.attempts = POOL_ARRAY(pool, count * ATTEMPT_COLUMNS, struct db_value),
		.finished = POOL_ARRAY(pool, count * FINISH_COLUMNS, struct db_value),
		.deleted = POOL_ARRAY(pool, count * DELETE_COLUMNS, struct db_value),
		.moved = POOL_ARRAY(pool, count * MOVE_COLUMNS, struct db_value),
		.statuses = POOL_ARRAY(pool, count * STATUS_COLUMNS, struct db_value),
		.holds = POOL_ARRAY(pool, count * HOLD_COLUMNS, struct db_value),
		.gone = POOL_ARRAY(pool, count, struct db_value),
	};
	completing->stale = 0;
	for (size_t i = 0; i < count; i++) {
		if (still_ours(&locked, &outcomes[i]))
			complete_one(
			    &completion, &outcomes[i], completing->first_id + i, db_get_i64(&locked, 0, LOCKED_NOW_MS));
		else
			completing->stale++;
	}
	return write_completion(store, &completion);
}

enum result
store_complete(struct store *store, const struct delivery_outcome *outcomes, size_t count, size_t *stale)
{
	struct completing completing = { .outcomes = outcomes, .count = count };
	enum result result = store_reserve_ids(store, ID_ATTEMPT, count);
	*stale = 0;
	if (result != RESULT_OK)
		return result;
	completing.first_id = store->ids[ID_ATTEMPT].next;
	store->ids[ID_ATTEMPT].next += count;
	result = store_transact(store, complete, &completing, REPEAT_CONFLICT);
	*stale = completing.stale;
	return result;
}

enum result
store_unclaim(struct store *store, const struct delivery_outcome *claims, size_t count)
{
	struct pool *pool = pool_new();
	struct db_value *rows = POOL_ARRAY(pool, count * DELETE_COLUMNS, struct db_value);
	size_t added = 0;
	for (size_t i = 0; i < count; i++)
		add(rows, &added, (struct db_value[]){ DB_U64(claims[i].id), db_bytes(claims[i].token) }, DELETE_COLUMNS);
	enum result result = db_execute_rows(store->db, SQL_UNCLAIM_DUE, rows, DELETE_COLUMNS, added, NULL);
	pool_free(&pool);
	return result;
}

/* What store_fail_pending was asked, and what came of it. */
struct failing {
	uint64_t webhook_id;
	size_t chunk, done;
};

static enum result
fail_pending(struct store *store, struct pool *pool, void *context)
{
	struct failing *failing = context;
	struct db_value values[] = { DB_U64(webhook_shard(failing->webhook_id)), DB_U64(failing->webhook_id),
		DB_U64(failing->chunk) };
	struct db_rows rows;
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_DUE_OF_WEBHOOK, &(struct db_arguments){ .values = values, .count = 3 }, &rows);
	failing->done = 0;
	if (result != RESULT_OK || rows.count == 0)
		return result;
	struct db_list ids = { rows.values, rows.count };
	result = db_execute_rows(store->db, SQL_FAIL_DELIVERY, rows.values, 1, rows.count, NULL);
	if (result == RESULT_OK)
		result = db_execute(
		    store->db, SQL_DELETE_DUE_ROWS, &(struct db_arguments){ .lists = { ids }, .list_count = 1 }, NULL);
	failing->done = rows.count;
	return result;
}

enum result
store_fail_pending(struct store *store, uint64_t webhook_id, size_t chunk, size_t *done)
{
	struct failing failing = { .webhook_id = webhook_id, .chunk = chunk < DB_LIST_MAX ? chunk : DB_LIST_MAX };
	enum result result = store_transact(store, fail_pending, &failing, REPEAT_CONFLICT);
	*done = failing.done;
	return result;
}

/* One short transaction deletes that many tokens; a day has as many as it had batches, so one alone would never catch up. */
enum { TOKEN_CHUNK = 1000, TOKEN_CHUNKS = 20 };

static enum result
drop_old_tokens(struct store *store)
{
	static const int64_t keep_ms = 24 * 3600 * 1000;
	unsigned char before[8];
	uint64_t limit = (uint64_t)(clock_wall_ms() - keep_ms), dropped = TOKEN_CHUNK;
	enum result result = RESULT_OK;
	for (unsigned i = 0; i < sizeof(before); i++)
		before[i] = (unsigned char)(limit >> (8 * (7 - i)));
	/* a token begins with the low six bytes of the time */
	struct db_value values[] = { bytes_value(before + 2, sizeof(before) - 2), DB_U64(TOKEN_CHUNK) };
	struct db_arguments arguments = { .values = values, .count = ARRAY_SIZE(values) };
	for (unsigned i = 0; i < TOKEN_CHUNKS && result == RESULT_OK && dropped == TOKEN_CHUNK; i++)
		result = db_execute(store->db, SQL_DELETE_OLD_TOKENS, &arguments, &dropped);
	return result;
}

/* The same for what deleted leads left: so many of them at once, so many rows a statement (it says the number itself), so many
 * statements a call. */
enum { DELETED_LEADS = 100, ENTRY_CHUNK = 1000, ENTRY_CHUNKS = 20 };

static enum result
drop_deleted_leads(struct store *store, struct pool *pool, unsigned *statements, bool *more)
{
	struct db_value most = DB_U64(DELETED_LEADS);
	struct db_rows rows;
	uint64_t dropped = ENTRY_CHUNK;
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_DELETED_LEADS, &(struct db_arguments){ .values = &most, .count = 1 }, &rows);
	*more = rows.count == DELETED_LEADS;
	if (result != RESULT_OK || rows.count == 0)
		return result;
	struct db_arguments leads = { .lists = { { rows.values, rows.count } }, .list_count = 1 };
	while (result == RESULT_OK && dropped == ENTRY_CHUNK && *statements > 0) {
		result = db_execute(store->db, SQL_DELETE_SCORE_ENTRIES, &leads, &dropped);
		(*statements)--;
	}
	/* they are forgotten when nothing is left of them: a run that ends before is gone on with in the next call */
	return result == RESULT_OK && dropped < ENTRY_CHUNK ? db_execute(store->db, SQL_DELETE_DELETED_LEADS, &leads, NULL)
							    : result;
}

static enum result
drop_old_entries(struct store *store)
{
	unsigned statements = ENTRY_CHUNKS;
	bool more = true;
	enum result result = RESULT_OK;
	while (result == RESULT_OK && more && statements > 0) {
		struct pool *pool = pool_new();
		result = drop_deleted_leads(store, pool, &statements, &more);
		pool_free(&pool);
	}
	return result;
}

enum result
store_housekeeping(struct store *store)
{
	enum result result = db_execute(store->db, SQL_NOTE_ENDED_CAMPAIGNS, NULL, NULL);
	if (result == RESULT_OK)
		result = drop_old_entries(store);
	return result == RESULT_OK ? drop_old_tokens(store) : result;
}
