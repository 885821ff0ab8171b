/* SPDX-License-Identifier: MIT
 * Which webhooks have something due. */
#include <stdlib.h>

#include "store/dispatch.h"
#include "store/private.h"

struct db_list
store_shard_list(struct pool *pool, uint64_t held)
{
	struct db_value *shards = POOL_ARRAY(pool, DELIVERY_SHARDS, struct db_value);
	size_t count = 0;
	for (unsigned i = 0; i < DELIVERY_SHARDS; i++)
		if (held & UINT64_C(1) << i)
			shards[count++] = DB_U64(i);
	return (struct db_list){ shards, count };
}

enum { DUE_WEBHOOK_ID, DUE_ENDED, DUE_READY_MS, DUE_FIRST_MS, DUE_HEALTH };

/* Its failures, probes, since when it fails, whether it ever succeeded, and its rate stand from the column `from` on. */
static struct due_webhook
due_from_row(const struct db_rows *rows, size_t row, uint64_t id, int64_t first_ms, size_t from)
{
	return (struct due_webhook){
		.webhook_id = id,
		.first_due_ms = first_ms,
		.failures = (unsigned)db_get_u64(rows, row, from),
		.probes = (unsigned)db_get_u64(rows, row, from + 1),
		.failing_since_ms = db_get_time(rows, row, from + 2),
		.succeeded = db_get_bool(rows, row, from + 3),
		.rate = (unsigned)db_get_u64(rows, row, from + 4),
	};
}

/* The rows come in order: first those that have ended, then the others by time. */
static void
sort_webhooks(const struct db_rows *rows, size_t limit, struct due_webhooks *webhooks)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t id = db_get_u64(rows, i, DUE_WEBHOOK_ID);
		int64_t ready_ms = db_get_i64(rows, i, DUE_READY_MS);
		if (db_get_bool(rows, i, DUE_ENDED)) {
			if (webhooks->ended_count < limit)
				webhooks->ended[webhooks->ended_count++] = id;
		} else if (ready_ms > webhooks->now_ms) {
			webhooks->next_due_ms = ready_ms;
			return;
		} else if (webhooks->due_count < limit) {
			webhooks->due[webhooks->due_count++] =
			    due_from_row(rows, i, id, db_get_i64(rows, i, DUE_FIRST_MS), DUE_HEALTH);
		}
	}
}

/* 0 is nobody's id: in an empty list nothing would be unlike all of it. */
static struct db_list
known_list(struct pool *pool, const struct due_question *question)
{
	const size_t count = question->known_count < DUE_KNOWN_MAX ? question->known_count : DUE_KNOWN_MAX;
	struct db_value *ids = POOL_ARRAY(pool, count + 1, struct db_value);
	ids[0] = DB_U64(0);
	for (size_t i = 0; i < count; i++)
		ids[i] = DB_U64(question->known[i]);
	return (struct db_list){ ids, count == 0 ? 1 : count };
}

static enum result
find_all_due(struct store *store, struct pool *pool, const struct due_question *question, struct due_webhooks *webhooks)
{
	const struct db_arguments arguments = { .lists = { store_shard_list(pool, question->held) }, .list_count = 1 };
	struct db_rows rows;
	enum result result = db_query(store->db, pool, SQL_SELECT_DUE_WEBHOOKS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	const size_t room = rows.count < question->limit ? rows.count : question->limit;
	webhooks->due = POOL_ARRAY(pool, room, struct due_webhook);
	webhooks->ended = POOL_ARRAY(pool, room, uint64_t);
	sort_webhooks(&rows, question->limit, webhooks);
	return RESULT_OK;
}

enum { ACTIVE_WEBHOOK_ID, ACTIVE_HOLD_UNTIL_MS, ACTIVE_HEALTH };
enum { PROBED_WEBHOOK_ID, PROBED_DUE_MS };

/* So many webhooks at once are asked for what is due: constants alone let the server begin behind what was removed. 0 is
 * nobody's id. */
static enum result
probe(
    struct store *store, struct pool *pool, const struct db_rows *active, size_t from, int64_t from_ms, struct db_rows *probed)
{
	struct db_value values[WEBHOOKS_PROBED * 3];
	for (size_t i = 0; i < WEBHOOKS_PROBED; i++) {
		const uint64_t id = from + i < active->count ? db_get_u64(active, from + i, ACTIVE_WEBHOOK_ID) : 0;
		values[3 * i] = DB_U64(webhook_shard(id));
		values[3 * i + 1] = DB_U64(id);
		values[3 * i + 2] = DB_I64(from_ms);
	}
	return db_query(store->db, pool, SQL_PROBE_WEBHOOKS,
	    &(struct db_arguments){ .values = values, .count = ARRAY_SIZE(values) }, probed);
}

/* When the webhook's first delivery comes due; false when it has none. */
static bool
first_of(const struct db_rows *probed, uint64_t id, int64_t *first_ms)
{
	for (size_t i = 0; i < probed->count; i++)
		if (db_get_u64(probed, i, PROBED_WEBHOOK_ID) == id) {
			*first_ms = db_get_i64(probed, i, PROBED_DUE_MS);
			return true;
		}
	return false;
}

static void
take_probed(
    const struct db_rows *active, const struct db_rows *probed, size_t from, size_t limit, struct due_webhooks *webhooks)
{
	for (size_t row = from; row < active->count && row < from + WEBHOOKS_PROBED; row++) {
		const uint64_t id = db_get_u64(active, row, ACTIVE_WEBHOOK_ID);
		const int64_t hold_ms = db_get_i64(active, row, ACTIVE_HOLD_UNTIL_MS);
		int64_t first_ms;
		if (!first_of(probed, id, &first_ms))
			continue;
		const int64_t ready_ms = first_ms > hold_ms ? first_ms : hold_ms;
		if (ready_ms <= webhooks->now_ms && webhooks->due_count < limit)
			webhooks->due[webhooks->due_count++] = due_from_row(active, row, id, first_ms, ACTIVE_HEALTH);
		else if (ready_ms > webhooks->now_ms && (webhooks->next_due_ms < 0 || ready_ms < webhooks->next_due_ms))
			webhooks->next_due_ms = ready_ms;
	}
}

static int
by_time(const void *one, const void *other)
{
	const struct due_webhook *a = one, *b = other;
	return a->first_due_ms < b->first_due_ms ? -1 : a->first_due_ms > b->first_due_ms;
}

static enum result
find_newly_due(struct store *store, struct pool *pool, const struct due_question *question, struct due_webhooks *webhooks)
{
	const struct db_arguments arguments = { .lists = { store_shard_list(pool, question->held), known_list(pool, question) },
		.list_count = 2 };
	struct db_rows active, probed;
	enum result result = db_query(store->db, pool, SQL_SELECT_ACTIVE_WEBHOOKS, &arguments, &active);
	if (result != RESULT_OK)
		return result;
	webhooks->due = POOL_ARRAY(pool, active.count, struct due_webhook);
	for (size_t from = 0; result == RESULT_OK && from < active.count; from += WEBHOOKS_PROBED) {
		result = probe(store, pool, &active, from, question->from_ms, &probed);
		if (result == RESULT_OK)
			take_probed(&active, &probed, from, question->limit, webhooks);
	}
	qsort(webhooks->due, webhooks->due_count, sizeof(*webhooks->due), by_time);
	return result;
}

enum { WORK_NOW_MS, WORK_IN_BULK };

enum result
store_due_webhooks(struct store *store, struct pool *pool, const struct due_question *question, struct due_webhooks *webhooks)
{
	struct db_rows work;
	enum result result = db_query(store->db, pool, SQL_SELECT_WORK, NULL, &work);
	if (result != RESULT_OK)
		return result;
	*webhooks = (struct due_webhooks){
		.now_ms = db_get_i64(&work, 0, WORK_NOW_MS),
		.next_due_ms = -1,
		.bulk_work = db_get_bool(&work, 0, WORK_IN_BULK),
	};
	return question->from_ms == 0 ? find_all_due(store, pool, question, webhooks)
				      : find_newly_due(store, pool, question, webhooks);
}
