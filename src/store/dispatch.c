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

/* A dead owner's claims on their way to being due again, as many as one statement takes. */
struct releasing {
	struct store *store;
	struct db_value tokens[2]; /* the lowest and the highest that it can have given */
	struct db_value ids[DB_LIST_MAX];
	size_t count;
};

static enum result
release_found(struct releasing *r)
{
	const struct db_arguments arguments = {
		.values = r->tokens, .count = 2, .lists = { { r->ids, r->count } }, .list_count = 1
	};
	if (r->count == 0)
		return RESULT_OK;
	r->count = 0;
	return db_execute(r->store->db, SQL_RELEASE_CLAIMS, &arguments, NULL);
}

static enum result
find_claims(struct releasing *r, const struct db_value webhook[2], int64_t lease_ms)
{
	struct pool *pool = pool_new();
	struct db_value values[] = { webhook[0], webhook[1], DB_I64(lease_ms), r->tokens[0], r->tokens[1] };
	struct db_rows found;
	enum result result = db_query(r->store->db, pool, SQL_SELECT_CLAIMS,
	    &(struct db_arguments){ .values = values, .count = ARRAY_SIZE(values) }, &found);
	for (size_t i = 0; result == RESULT_OK && i < found.count; i++) {
		r->ids[r->count++] = found.values[i];
		if (r->count == DB_LIST_MAX)
			result = release_found(r);
	}
	pool_free(&pool);
	return result;
}

enum result
store_owner_release(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE], int64_t lease_ms)
{
	unsigned char lowest[DISPATCH_TOKEN_SIZE], highest[DISPATCH_TOKEN_SIZE];
	memset(lowest, 0, sizeof(lowest));
	memset(highest, 0xff, sizeof(highest));
	memcpy(lowest, dead_owner, TOKEN_OWNER_SIZE);
	memcpy(highest, dead_owner, TOKEN_OWNER_SIZE);
	struct releasing r = { .store = store,
		.tokens = { bytes_value(lowest, sizeof(lowest)), bytes_value(highest, sizeof(highest)) } };
	struct pool *pool = pool_new();
	const struct db_arguments arguments = {
		.values = &DB_I64(lease_ms), .count = 1, .lists = { shard_list(pool, UINT64_MAX) }, .list_count = 1
	};
	struct db_rows webhooks;
	enum result result = store_read_facts(store);
	if (result == RESULT_OK)
		result = db_query(store->db, pool, SQL_SELECT_CLAIMED_WEBHOOKS, &arguments, &webhooks);
	for (size_t i = 0; result == RESULT_OK && i < webhooks.count; i++)
		result = find_claims(&r, webhooks.values + i * webhooks.columns, lease_ms);
	if (result == RESULT_OK)
		result = release_found(&r);
	pool_free(&pool);
	return result == RESULT_OK ? store_shards_release(store, dead_owner) : result;
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

/* What the outcomes of a batch come to for one webhook: the last of them tells how it fares. */
struct webhook_news {
	uint64_t webhook_id;
	int status;
	bool delivered, failing; /* any of them was a success; the last was none */
	int64_t hold_ms;
};

/* The rows of store_complete, by what is done to them. */
struct completed_rows {
	struct db_value *attempts, *ended, *removed, *moved, *gone;
	size_t attempt_count, ended_count, removed_count, moved_count, gone_count;
	struct webhook_news *news; /* one for each webhook */
	size_t news_count;
};

enum { ATTEMPT_COLUMNS = 7, ENDED_COLUMNS = 8, MOVED_COLUMNS = 4, STATUS_COLUMNS = 5, UNCLAIM_COLUMNS = 2 };

static struct completed_rows
completed_rows(struct pool *pool, size_t count)
{
	return (struct completed_rows){
		.attempts = POOL_ARRAY(pool, count * ATTEMPT_COLUMNS, struct db_value),
		.ended = POOL_ARRAY(pool, count * ENDED_COLUMNS, struct db_value),
		.removed = POOL_ARRAY(pool, count, struct db_value),
		.moved = POOL_ARRAY(pool, count * MOVED_COLUMNS, struct db_value),
		.gone = POOL_ARRAY(pool, count, struct db_value),
		.news = POOL_ARRAY(pool, count, struct webhook_news),
	};
}

static void
add(struct db_value *list, size_t *count, const struct db_value *row, size_t columns)
{
	memcpy(list + *count * columns, row, columns * sizeof(*row));
	(*count)++;
}

static void
note_webhook(struct completed_rows *c, const struct delivery_outcome *o)
{
	size_t i = 0;
	while (i < c->news_count && c->news[i].webhook_id != o->webhook_id)
		i++;
	if (i == c->news_count)
		c->news[c->news_count++] = (struct webhook_news){ .webhook_id = o->webhook_id };
	struct webhook_news *news = &c->news[i];
	news->status = o->status;
	news->failing = o->state != DELIVERY_DELIVERED;
	news->delivered = news->delivered || !news->failing;
	news->hold_ms = o->webhook_hold_ms > news->hold_ms ? o->webhook_hold_ms : news->hold_ms;
}

static struct db_value
status_value(int status)
{
	return status == 0 ? DB_NONE : DB_I64(status);
}

static void
complete_one(struct completed_rows *c, const struct delivery_outcome *o, uint64_t event_id, int64_t now_ms)
{
	struct db_value id = DB_U64(o->id), webhook = DB_U64(o->webhook_id), status = status_value(o->status);
	add(c->attempts, &c->attempt_count,
	    (struct db_value[]){ id, DB_U64(o->attempt), DB_I64(now_ms - o->started_ms_ago), DB_I64(o->duration_ms), status,
		db_bytes(o->error), db_bytes(o->answer) },
	    ATTEMPT_COLUMNS);
	if (o->state == DELIVERY_PENDING) {
		add(c->moved, &c->moved_count,
		    (struct db_value[]){ id, DB_I64(now_ms + o->next_due_in_ms), status, db_bytes(o->error) }, MOVED_COLUMNS);
	} else {
		add(c->ended, &c->ended_count,
		    (struct db_value[]){ id, DB_U64(event_id), webhook, db_bytes(slice_of(delivery_state_name(o->state))),
			DB_U64(o->attempt), status, db_bytes(o->error), DB_I64(now_ms) },
		    ENDED_COLUMNS);
		add(c->removed, &c->removed_count, &id, 1);
	}
	if (o->webhook_gone)
		add(c->gone, &c->gone_count, &webhook, 1);
}

/* No more than one row a webhook, however many of its deliveries there are. */
static enum result
write_statuses(struct store *store, struct pool *pool, const struct completed_rows *c, int64_t now_ms)
{
	struct db_value *rows = POOL_ARRAY(pool, c->news_count * STATUS_COLUMNS, struct db_value);
	size_t count = 0;
	for (size_t i = 0; i < c->news_count; i++) {
		const struct webhook_news *n = &c->news[i];
		add(rows, &count,
		    (struct db_value[]){ DB_U64(n->webhook_id), status_value(n->status),
			n->delivered ? DB_I64(now_ms) : DB_NONE, n->failing ? DB_I64(now_ms) : DB_NONE,
			DB_I64(n->hold_ms > 0 ? now_ms + n->hold_ms : 0) },
		    STATUS_COLUMNS);
	}
	return db_execute_rows(store->db, SQL_CHANGE_WEBHOOK_STATUS, rows, STATUS_COLUMNS, count, NULL);
}

/* A handful of statements. None of them asks for the token again: the rows are locked since it was compared, so that nobody can
 * have claimed them anew, or have removed them, before this is committed. Nor can an attempt be in the log already: its number
 * was counted with the claim, which ended when it was recorded. */
static enum result
write_completion(struct store *store, struct pool *pool, const struct completed_rows *c, int64_t now_ms)
{
	const struct {
		enum statement statement;
		const struct db_value *rows;
		size_t columns, count;
	} steps[] = {
		{ SQL_INSERT_ATTEMPT, c->attempts, ATTEMPT_COLUMNS, c->attempt_count },
		{ SQL_INSERT_DELIVERY, c->ended, ENDED_COLUMNS, c->ended_count },
		{ SQL_DELETE_DUE, c->removed, 1, c->removed_count },
		{ SQL_RESCHEDULE_DUE, c->moved, MOVED_COLUMNS, c->moved_count },
		{ SQL_LOCK_SETTINGS_OF_WEBHOOK, c->gone, 1, c->gone_count },
		{ SQL_MARK_WEBHOOK_GONE, c->gone, 1, c->gone_count },
	};
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && result == RESULT_OK; i++)
		result = db_execute_rows(store->db, steps[i].statement, steps[i].rows, steps[i].columns, steps[i].count, NULL);
	return result == RESULT_OK ? write_statuses(store, pool, c, now_ms) : result;
}

enum { LOCKED_ID, LOCKED_TOKEN, LOCKED_EVENT_ID, LOCKED_STATUS_OF, LOCKED_NOW_MS };

/* Is the claim still the one that this outcome belongs to? *row: where it is. */
static bool
still_ours(const struct db_rows *locked, const struct delivery_outcome *outcome, size_t *row)
{
	for (*row = 0; *row < locked->count; (*row)++)
		if (db_get_u64(locked, *row, LOCKED_ID) == outcome->id)
			return slice_equal(db_get_bytes(locked, *row, LOCKED_TOKEN), outcome->token);
	return false;
}

/* What store_complete was asked, and what came of it. */
struct completing {
	const struct delivery_outcome *outcomes;
	size_t count, stale;
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
	struct completed_rows completion = completed_rows(pool, count);
	const int64_t now_ms = locked.count == 0 ? 0 : db_get_i64(&locked, 0, LOCKED_NOW_MS);
	completing->stale = 0;
	for (size_t i = 0, row; i < count; i++) {
		if (!still_ours(&locked, &outcomes[i], &row)) {
			completing->stale++;
			continue;
		}
		complete_one(&completion, &outcomes[i], db_get_u64(&locked, row, LOCKED_EVENT_ID), now_ms);
		if (!db_is_null(&locked, row, LOCKED_STATUS_OF)) /* else it was removed, and must get none anew */
			note_webhook(&completion, &outcomes[i]);
	}
	return write_completion(store, pool, &completion, now_ms);
}

enum result
store_complete(struct store *store, const struct delivery_outcome *outcomes, size_t count, size_t *stale)
{
	struct completing completing = { .outcomes = outcomes, .count = count };
	enum result result = store_transact(store, complete, &completing, REPEAT_CONFLICT);
	*stale = completing.stale;
	return result;
}

enum result
store_unclaim(struct store *store, const struct delivery_outcome *claims, size_t count)
{
	struct pool *pool = pool_new();
	struct db_value *rows = POOL_ARRAY(pool, count * UNCLAIM_COLUMNS, struct db_value);
	size_t added = 0;
	for (size_t i = 0; i < count; i++)
		add(rows, &added, (struct db_value[]){ DB_U64(claims[i].id), db_bytes(claims[i].token) }, UNCLAIM_COLUMNS);
	enum result result = db_execute_rows(store->db, SQL_UNCLAIM_DUE, rows, UNCLAIM_COLUMNS, added, NULL);
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
	result = db_execute(store->db, SQL_FAIL_DUE, &(struct db_arguments){ .lists = { ids }, .list_count = 1 }, NULL);
	if (result == RESULT_OK)
		result = db_execute_rows(store->db, SQL_DELETE_DUE, ids.values, 1, ids.count, NULL);
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

/* One short transaction deletes that many tokens; a day may have as many as batches, so one alone would never catch up. */
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

/* The same for what deleted leads left: so many of them at once, so many rows a transaction (the statement says the number
 * itself), so many transactions a call. */
enum { DELETED_LEADS = 100, ENTRY_CHUNK = 1000, ENTRY_CHUNKS = 20, ENTRY_COLUMNS = 4 };

/* What store_housekeeping drops at once, and what came of it. */
struct dropping {
	struct db_list leads;
	bool all; /* nothing is left of them */
};

static enum result
drop_entries(struct store *store, struct pool *pool, void *context)
{
	struct dropping *dropping = context;
	const struct db_list leads = dropping->leads;
	struct db_rows entries;
	enum result result = db_query(
	    store->db, pool, SQL_SELECT_SCORE_ENTRIES, &(struct db_arguments){ .lists = { leads }, .list_count = 1 }, &entries);
	if (result == RESULT_OK)
		result = db_execute_rows(store->db, SQL_DELETE_SCORE_ENTRY, entries.values, ENTRY_COLUMNS, entries.count, NULL);
	dropping->all = entries.count < ENTRY_CHUNK;
	/* they are forgotten with the last of it: a call that ends before is gone on with in the next */
	return result == RESULT_OK && dropping->all
		   ? db_execute_rows(store->db, SQL_DELETE_DELETED_LEAD, leads.values, 1, leads.count, NULL)
		   : result;
}

static enum result
drop_deleted_leads(struct store *store, struct pool *pool, unsigned *chunks, bool *more)
{
	struct db_value most = DB_U64(DELETED_LEADS);
	struct db_rows rows;
	enum result result =
	    db_query(store->db, pool, SQL_SELECT_DELETED_LEADS, &(struct db_arguments){ .values = &most, .count = 1 }, &rows);
	struct dropping dropping = { .leads = { rows.values, rows.count }, .all = rows.count == 0 };
	*more = rows.count == DELETED_LEADS;
	for (; result == RESULT_OK && !dropping.all && *chunks > 0; (*chunks)--)
		result = store_transact(store, drop_entries, &dropping, REPEAT_UNKNOWN);
	return result;
}

static enum result
drop_old_entries(struct store *store)
{
	unsigned chunks = ENTRY_CHUNKS;
	bool more = true;
	enum result result = RESULT_OK;
	while (result == RESULT_OK && more && chunks > 0) {
		struct pool *pool = pool_new();
		result = drop_deleted_leads(store, pool, &chunks, &more);
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
