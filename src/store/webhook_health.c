/* SPDX-License-Identifier: MIT */
#include "store/webhook_health.h"

#include <stdlib.h>

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "webhook/delivery.h"

DB_STATEMENT(sql_select_webhook_health, "SELECT w.id, w.campaign_id, w.state = 'active', s.failing_since_ms IS NOT NULL"
					" FROM {prefix}webhooks w FORCE INDEX (by_campaign)"
					" LEFT JOIN {prefix}webhook_status s ON s.webhook_id = w.id"
					" WHERE w.campaign_id IN ({list})"
					" ORDER BY w.id");
DB_STATEMENT(sql_select_oldest_due, "{each}(SELECT webhook_id, due_ms"
				    "   FROM {prefix}due FORCE INDEX (by_webhook)"
				    "   WHERE shard = ? AND webhook_id = ?"
				    "   ORDER BY due_ms"
				    "   LIMIT 1){between} UNION ALL {end}");

store_statement_list sql_of_webhook_health = { &sql_select_webhook_health, &sql_select_oldest_due, NULL };

static int
compare_health(const void *a, const void *b)
{
	const uint64_t first = ((const struct webhook_health *)a)->id, second = ((const struct webhook_health *)b)->id;
	return first < second ? -1 : first > second;
}

/* Adds when the first delivery of each of `count` webhooks is due, at most DB_LIST_MAX; all webhooks are those of `all`. */
static enum result
find_oldest_due(struct store *store, struct pool *pool, const struct webhook_health *webhooks, size_t count,
    struct webhook_health *all, size_t all_count)
{
	enum { COLUMNS = 2 };
	struct db_value *values = POOL_ARRAY(pool, COLUMNS * count, struct db_value);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++) {
		values[COLUMNS * i] = DB_U64(webhook_shard(webhooks[i].id));
		values[COLUMNS * i + 1] = DB_U64(webhooks[i].id);
	}
	const struct db_arguments arguments = { .items = { values, COLUMNS, count } };
	const enum result result = db_query(store->db, pool, &sql_select_oldest_due, &arguments, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		const struct webhook_health key = { .id = db_get_u64(&rows, i, 0) };
		struct webhook_health *found = bsearch(&key, all, all_count, sizeof(*all), compare_health);
		found->oldest_due_ms = db_get_i64(&rows, i, 1);
	}
	return result;
}

enum result
store_find_webhook_health(
    struct store *store, struct pool *pool, struct db_list campaigns, struct webhook_health **webhooks, size_t *count)
{
	enum { ID, CAMPAIGN_ID, ACTIVE, FAILING };
	struct db_rows rows;
	enum result result = db_query(store->db, pool, &sql_select_webhook_health,
	    &(struct db_arguments){ .lists = { campaigns }, .list_count = 1 }, &rows);
	if (result != RESULT_OK)
		return result;
	*count = rows.count;
	*webhooks = POOL_ARRAY(pool, rows.count, struct webhook_health);
	for (size_t i = 0; i < rows.count; i++)
		(*webhooks)[i] = (struct webhook_health){ db_get_u64(&rows, i, ID), db_get_u64(&rows, i, CAMPAIGN_ID),
			db_get_bool(&rows, i, ACTIVE), db_get_bool(&rows, i, FAILING), -1 };
	for (size_t from = 0; from < *count && result == RESULT_OK; from += DB_LIST_MAX)
		result = find_oldest_due(store, pool, *webhooks + from,
		    *count - from < DB_LIST_MAX ? *count - from : DB_LIST_MAX, *webhooks, *count);
	return result;
}
