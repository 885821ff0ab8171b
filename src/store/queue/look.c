/* SPDX-License-Identifier: MIT
 * Which webhooks have something due. */
#include "base/clock.h"
#include "store/private.h"
#include "store/queue/dispatch.h"

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

enum {
	DUE_WEBHOOK_ID,
	DUE_ENDED,
	DUE_READY_MS,
	DUE_FIRST_MS,
	DUE_FAILURES,
	DUE_PROBES,
	DUE_FAILING_SINCE_MS,
	DUE_SUCCEEDED,
	DUE_RATE
};

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
			webhooks->due[webhooks->due_count++] = (struct due_webhook){
				.webhook_id = id,
				.first_due_ms = db_get_i64(rows, i, DUE_FIRST_MS),
				.failures = (unsigned)db_get_u64(rows, i, DUE_FAILURES),
				.probes = (unsigned)db_get_u64(rows, i, DUE_PROBES),
				.failing_since_ms = db_get_time(rows, i, DUE_FAILING_SINCE_MS),
				.succeeded = db_get_bool(rows, i, DUE_SUCCEEDED),
				.rate = (unsigned)db_get_u64(rows, i, DUE_RATE),
			};
		}
	}
}

enum { WORK_NOW_MS, WORK_IN_BULK };

enum result
store_due_webhooks(struct store *store, struct pool *pool, const struct due_query *question, struct due_webhooks *webhooks)
{
	const struct db_arguments arguments = { .lists = { store_shard_list(pool, question->held) }, .list_count = 1 };
	struct db_rows work, rows;
	enum result result = db_query(store->db, pool, SQL_SELECT_WORK, NULL, &work);
	const int64_t asked_ms = clock_monotonic_ms();
	if (result == RESULT_OK)
		result = db_query(
		    store->db, pool, question->newest ? SQL_SELECT_NEWEST_DUE : SQL_SELECT_DUE_WEBHOOKS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	const size_t room = rows.count < question->limit ? rows.count : question->limit;
	*webhooks = (struct due_webhooks){
		.due = POOL_ARRAY(pool, room, struct due_webhook),
		.ended = POOL_ARRAY(pool, room, uint64_t),
		.now_ms = db_get_i64(&work, 0, WORK_NOW_MS),
		.next_due_ms = -1,
		.bulk_work = db_get_bool(&work, 0, WORK_IN_BULK),
	};
	sort_webhooks(&rows, question->limit, webhooks);
	webhooks->now_ms += clock_monotonic_ms() - asked_ms;
	return RESULT_OK;
}
