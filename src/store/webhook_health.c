/* SPDX-License-Identifier: MIT */
#include "store/webhook_health.h"

#include <stdlib.h>

#include "base/duration.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "webhook/delivery.h"

DB_STATEMENT(sql_select_webhook_health, "SELECT w.id, w.campaign_id, w.state = 'active', s.failing_since_ms IS NOT NULL"
					" FROM {prefix}webhooks w FORCE INDEX (by_campaign)"
					" LEFT JOIN {prefix}webhook_status s ON s.webhook_id = w.id"
					" WHERE w.campaign_id IN ({list})");
DB_STATEMENT(sql_select_oldest_due, "{each}(SELECT webhook_id, due_ms"
				    "   FROM {prefix}due FORCE INDEX (by_webhook)"
				    "   WHERE shard = ? AND webhook_id = ?"
				    "   ORDER BY due_ms"
				    "   LIMIT 1){between} UNION ALL {end}");

DB_STATEMENT(sql_sum_recent_attempts,
    "SELECT webhook_id, CAST(SUM(attempts) AS UNSIGNED), CAST(SUM(delivered) AS UNSIGNED), CAST(SUM(failed) AS UNSIGNED)"
    " FROM {prefix}webhook_hours"
    " WHERE hour > ? AND webhook_id IN ({list})"
    " GROUP BY webhook_id ORDER BY NULL");

static struct webhook_health *
health_of(struct webhook_health *webhooks, size_t count, uint64_t id)
{
	return bsearch(&id, webhooks, count, sizeof(*webhooks), compare_ids);
}

/* Finds the oldest pending deliveries of `count` webhooks, at most DB_LIST_MAX. */
static enum result
find_oldest_due(struct store *store, struct pool *pool, struct webhook_health *webhooks, size_t count)
{
	struct row_list items = store_row_list(pool, &sql_select_oldest_due, count);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		store_add_row(&items, DB_U64(webhook_shard(webhooks[i].id)), DB_U64(webhooks[i].id));
	const enum result result = store_query_items(store, &items, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		health_of(webhooks, count, db_get_u64(&rows, i, 0))->oldest_due_ms = db_get_i64(&rows, i, 1);
	return result;
}

enum result
store_add_oldest_due(struct store *store, struct pool *pool, struct webhook_health *webhooks, size_t count)
{
	enum result result = RESULT_OK;
	for (size_t from = 0; from < count && result == RESULT_OK; from += DB_LIST_MAX)
		result = find_oldest_due(store, pool, webhooks + from, count - from < DB_LIST_MAX ? count - from : DB_LIST_MAX);
	return result;
}

enum result
store_find_webhook_health(struct store *store, struct pool *pool, uint64_t *campaigns, size_t campaign_count,
    struct webhook_health **webhooks, size_t *count)
{
	enum { ID, CAMPAIGN_ID, ACTIVE, FAILING };
	struct db_rows rows;
	const struct db_list list = store_id_list(pool, campaigns, campaign_count);
	const enum result result = store_query_lists(store, pool, &sql_select_webhook_health, &list, 1, &rows);
	if (result != RESULT_OK)
		return result;
	*count = rows.count;
	*webhooks = POOL_ARRAY(pool, rows.count, struct webhook_health);
	for (size_t i = 0; i < rows.count; i++)
		(*webhooks)[i] = (struct webhook_health){ .id = db_get_u64(&rows, i, ID),
			.campaign_id = db_get_u64(&rows, i, CAMPAIGN_ID),
			.active = db_get_bool(&rows, i, ACTIVE),
			.failing = db_get_bool(&rows, i, FAILING),
			.oldest_due_ms = -1 };
	if (*count > 0)
		qsort(*webhooks, *count, sizeof(**webhooks), compare_ids);
	return store_add_oldest_due(store, pool, *webhooks, *count);
}

enum result
store_add_recent_attempts(struct store *store, struct pool *pool, int64_t now_ms, struct webhook_health *webhooks, size_t count)
{
	enum { ID, ATTEMPTS, DELIVERED, FAILED };
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = webhooks[i].id;
	const enum result result = store_query_long(store, pool, &sql_sum_recent_attempts,
	    &DB_LIST_AND_VALUES(store_id_list(pool, ids, count), DB_U64((uint64_t)now_ms / HOUR_MS - HEALTH_HOURS)), &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		struct webhook_health *found = health_of(webhooks, count, db_get_u64(&rows, i, ID));
		found->attempts = db_get_u64(&rows, i, ATTEMPTS);
		found->delivered = db_get_u64(&rows, i, DELIVERED);
		found->failed = db_get_u64(&rows, i, FAILED);
	}
	return result;
}
