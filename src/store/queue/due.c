/* SPDX-License-Identifier: MIT
 * Finds the webhooks with due deliveries. */
#include "os/clock.h"
#include "store/query.h"
#include "store/queue/dispatch.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_clock_and_work,
    "SELECT " NOW ", EXISTS (SELECT 1 FROM {prefix}bulk_jobs WHERE delayed_until_ms <= " NOW "),"
    " EXISTS (SELECT 1 FROM {prefix}operator_jobs FORCE INDEX (by_turn)"
    "   WHERE turn_ms IS NOT NULL AND lease_until_ms <= " NOW "),"
    " (SELECT COUNT(*) > 1 FROM (SELECT 1 FROM {prefix}accounts LIMIT 2) a)");
/* By place: the oldest of each account first, then the second of each, and so on. However many webhooks of an account have
 * something due, those of others are found. What has ended, mostly of no account any more, has places of its own. */
#define BY_PLACE(found)                                                                                                      \
	"SELECT f.*, ROW_NUMBER() OVER (PARTITION BY f.account_id, f.ended ORDER BY f.ready_ms) AS place FROM (" found ") f" \
	" ORDER BY place, f.ready_ms LIMIT 20000"

/* (shard, webhook_id, due_ms) makes this one probe for each shard and webhook, however many rows are due. The LIMIT is above
 * every due_query.limit */
DB_STATEMENT_ANEW(sql_select_due_webhooks,
    BY_PLACE("SELECT d.webhook_id, w.state IS NULL AS ended,"
	     " GREATEST(d.first_ms, CASE WHEN w.state = 'active' THEN COALESCE(s.hold_until_ms, 0) ELSE 0 END) AS ready_ms, "
	     "d.first_ms,"
	     " CAST(COALESCE(s.failures, 0) AS UNSIGNED), CAST(COALESCE(s.probes, 0) AS UNSIGNED),"
	     " s.failing_since_ms, s.last_delivery_ms IS NOT NULL, CAST(COALESCE(w.rate, 0) AS UNSIGNED),"
	     " CAST(COALESCE(c.account_id, 0) AS UNSIGNED) AS account_id"
	     " FROM (SELECT shard, webhook_id, MIN(due_ms) AS first_ms"
	     "   FROM {prefix}due"
	     "   WHERE shard IN ({list})"
	     "   GROUP BY shard, webhook_id) d"
	     " LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
	     " LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id"
	     " LEFT JOIN {prefix}campaigns c ON c.id = w.campaign_id"
	     " WHERE w.state IS NULL OR w.state = 'active'"));
/* The same for the newest rows alone. A removed row stays in the indexes while an older snapshot is open, a dump for instance:
 * the statement above reads over all of them, webhook by webhook; this one only over those with recent ids. Ids are given in
 * blocks of nearly a hundred thousand at most, so a new row may have an older id; what this misses, right after midnight for
 * instance, the next full query finds */
DB_STATEMENT(sql_select_newest_due,
    BY_PLACE("SELECT d.webhook_id, FALSE AS ended, GREATEST(d.first_ms, s.hold_until_ms) AS ready_ms, d.first_ms,"
	     " CAST(s.failures AS UNSIGNED), CAST(s.probes AS UNSIGNED), s.failing_since_ms, s.last_delivery_ms IS NOT NULL,"
	     " CAST(w.rate AS UNSIGNED), c.account_id"
	     " FROM (SELECT webhook_id, MIN(due_ms) AS first_ms"
	     "   FROM {prefix}due FORCE INDEX (PRIMARY)"
	     "   WHERE id >= (SELECT " NOW " DIV 86400000 * 68719476736 + GREATEST(next, 200000) - 200000"
	     "     FROM {prefix}id_blocks"
	     "     WHERE name = 'history') AND shard IN ({list})"
	     "   GROUP BY webhook_id) d"
	     " STRAIGHT_JOIN {prefix}webhooks w ON w.id = d.webhook_id"
	     " STRAIGHT_JOIN {prefix}campaigns c ON c.id = w.campaign_id"
	     " STRAIGHT_JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
	     " WHERE w.state = 'active'"));

/* Bit i of `shards`: shard i. */
static struct db_list
shard_list(struct pool *pool, uint64_t shards)
{
	struct db_value *list = POOL_ARRAY(pool, DELIVERY_SHARDS, struct db_value);
	size_t count = 0;
	for (unsigned i = 0; i < DELIVERY_SHARDS; i++)
		if (shards & UINT64_C(1) << i)
			list[count++] = DB_U64(i);
	return (struct db_list){ list, count };
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
	DUE_RATE,
	DUE_ACCOUNT_ID
};

/* The rows are sorted by place. */
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
			if (webhooks->next_due_ms < 0 || ready_ms < webhooks->next_due_ms)
				webhooks->next_due_ms = ready_ms;
		} else if (webhooks->due_count < limit) {
			webhooks->due[webhooks->due_count++] = (struct due_webhook){
				.webhook_id = id,
				.account_id = db_get_u64(rows, i, DUE_ACCOUNT_ID),
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

enum { WORK_NOW_MS, WORK_IN_BULK, WORK_IN_JOBS, WORK_SEVERAL_ACCOUNTS };

enum result
store_due_webhooks(struct store *store, struct pool *pool, const struct due_query *query, struct due_webhooks *webhooks)
{
	const struct db_arguments arguments = { .lists = { shard_list(pool, query->shards) }, .list_count = 1 };
	struct db_rows work, rows;
	enum result result = store_query(store, pool, &work, &sql_select_clock_and_work);
	const int64_t queried_ms = clock_monotonic_ms();
	if (result == RESULT_OK)
		result = db_query(
		    store->db, pool, query->newest ? &sql_select_newest_due : &sql_select_due_webhooks, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	const size_t room = rows.count < query->limit ? rows.count : query->limit;
	*webhooks = (struct due_webhooks){
		.due = POOL_ARRAY(pool, room, struct due_webhook),
		.ended = POOL_ARRAY(pool, room, uint64_t),
		.now_ms = db_get_i64(&work, 0, WORK_NOW_MS),
		.next_due_ms = -1,
		.bulk_work = db_get_bool(&work, 0, WORK_IN_BULK),
		.free_jobs = db_get_bool(&work, 0, WORK_IN_JOBS),
		.several_accounts = db_get_bool(&work, 0, WORK_SEVERAL_ACCOUNTS),
	};
	sort_webhooks(&rows, query->limit, webhooks);
	webhooks->now_ms += clock_monotonic_ms() - queried_ms;
	return RESULT_OK;
}
