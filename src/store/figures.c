/* SPDX-License-Identifier: MIT */
#include "store/figures.h"

#include <unistd.h>

#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_count_rows,
    "SELECT (SELECT COUNT(*) FROM {prefix}accounts), (SELECT COUNT(*) FROM {prefix}campaigns),"
    " (SELECT CAST(COALESCE(SUM(lead_count), 0) AS UNSIGNED)"
    "   FROM {prefix}campaign_counters), (SELECT COUNT(*) FROM {prefix}webhooks),"
    " (SELECT COUNT(*) FROM {prefix}bulk_jobs), (SELECT MIN(created_ms) FROM {prefix}bulk_jobs), " NOW ","
    " (SELECT COUNT(s.failing_since_ms)" FROM_WEBHOOKS " WHERE w.state = 'active'),"
    " (SELECT COUNT(*) FROM {prefix}webhooks WHERE state <> 'active'), (SELECT COUNT(*)"
    "   FROM {prefix}dispatch_shards"
    "   WHERE owner IS NOT NULL AND lease_until_ms > " NOW "),"
    " (SELECT COUNT(*) FROM {prefix}operator_jobs WHERE turn_ms IS NOT NULL)");
/* For each webhook, counts the pending deliveries and those that are due, and finds the first. When they are ready depends on
 * the webhook: after its hold; never, if it is inactive; at once, to be ended, if it was removed. */
DB_STATEMENT(sql_count_due,
    "SELECT CAST(COALESCE(SUM(CASE WHEN ready_ms <= ? THEN due ELSE 0 END), 0) AS UNSIGNED),"
    " CAST(COALESCE(SUM(rows_of_it), 0) AS UNSIGNED), MIN(ready_ms)"
    " FROM (SELECT u.rows_of_it, CASE WHEN w.state IS NOT NULL THEN u.due ELSE u.rows_of_it END AS due,"
    " CASE WHEN w.state = 'active' THEN GREATEST(u.first_ms, COALESCE(s.hold_until_ms, 0))"
    " WHEN w.state IS NOT NULL THEN NULL ELSE LEAST(u.first_ms, CAST(? AS SIGNED)) END AS ready_ms"
    "   FROM (SELECT webhook_id, COUNT(*) AS rows_of_it, COUNT(CASE WHEN due_ms <= ? THEN 1 END) AS due,"
    " MIN(due_ms) AS first_ms"
    "     FROM {prefix}due FORCE INDEX (by_webhook)"
    "     GROUP BY shard, webhook_id) u"
    "   LEFT JOIN {prefix}webhooks w ON w.id = u.webhook_id"
    "   LEFT JOIN {prefix}webhook_status s ON s.webhook_id = u.webhook_id) r");
DB_STATEMENT(sql_select_data_directory, "SELECT @@datadir, @@hostname");

enum result
store_read_figures(struct store *store, struct pool *pool, struct store_figures *figures)
{
	struct db_rows counts, due;
	*figures = (struct store_figures){ .oldest_due_ms = -1, .oldest_bulk_ms = -1 };
	enum result result = store_query(store, pool, &counts, &sql_count_rows);
	if (result != RESULT_OK)
		return result;
	struct row_reader *r = ROW(&counts, 0);
	figures->accounts = row_u64(r);
	figures->campaigns = row_u64(r);
	figures->leads = row_u64(r);
	figures->webhooks = row_u64(r);
	figures->bulk_jobs = row_u64(r);
	figures->oldest_bulk_ms = row_time(r);
	figures->now_ms = row_i64(r);
	figures->webhooks_failing = row_u64(r);
	figures->webhooks_disabled = row_u64(r);
	figures->leased_shards = row_u64(r);
	figures->operator_jobs = row_u64(r);
	const struct db_value now = DB_I64(figures->now_ms);
	result = store_query(store, pool, &due, &sql_count_due, now, now, now);
	if (result != RESULT_OK)
		return result;
	r = ROW(&due, 0);
	figures->due_now = row_u64(r);
	figures->due_later = row_u64(r) - figures->due_now;
	const int64_t first_ms = row_time(r);
	figures->oldest_due_ms = first_ms <= figures->now_ms ? first_ms : -1;
	return store_see_heartbeats(store, pool, figures->heartbeats);
}

/* A server at the other end of a tunnel, or in a container, has another name, or other directories under the same path. */
enum result
store_find_data_directory(struct store *store, struct pool *pool, struct slice *path)
{
	enum { HOST_NAME_SIZE = 256 };
	char own[HOST_NAME_SIZE] = "";
	struct db_rows rows;
	*path = SLICE_NONE;
	const enum result result = store_query(store, pool, &rows, &sql_select_data_directory);
	if (result != RESULT_OK)
		return result;
	const enum db_peer peer = db_peer(store->db);
	const bool is_here = (peer == DB_PEER_SOCKET || peer == DB_PEER_LOOPBACK) && gethostname(own, sizeof(own) - 1) == 0 &&
			     slice_equal(db_get_bytes(&rows, 0, 1), slice_of(own));
	if (is_here)
		*path = db_get_bytes(&rows, 0, 0);
	return RESULT_OK;
}
