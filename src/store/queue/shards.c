/* SPDX-License-Identifier: MIT */
#include "store/queue/shards.h"

#include "store/query.h"
#include "store/queue/operator_jobs.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "webhook/delivery.h"

DB_STATEMENT(sql_lease_shards, "UPDATE {prefix}dispatch_shards"
			       " SET owner = ?, lease_until_ms = " NOW " + ?"
			       " WHERE owner IS NULL OR owner = ? OR lease_until_ms <= " NOW);
DB_STATEMENT(sql_select_leased_shards, "SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?");
/* the owner stays: sql_count_attempt counts only its attempts */
DB_STATEMENT(sql_release_shards, "UPDATE {prefix}dispatch_shards SET lease_until_ms = 0 WHERE owner = ?");
DB_STATEMENT(sql_count_attempt,
    "UPDATE {prefix}due"
    " SET attempts = attempts + 1, due_ms = " NOW " + ?"
    " WHERE id = ? AND attempts + 1 = ? AND shard IN (SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?)");

enum result
store_shards_lease(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *leased)
{
	struct db_value own = db_raw(owner, DISPATCH_OWNER_SIZE);
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_read_installation(store);
	*leased = 0;
	if (result == RESULT_OK)
		result = store_run(store, &sql_lease_shards, own, DB_I64(lease_ms), own);
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_select_leased_shards, own);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		*leased |= UINT64_C(1) << (db_get_u64(&rows, i, 0) % DELIVERY_SHARDS);
	pool_free(&pool);
	return result;
}

enum result
store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	return store_run(store, &sql_release_shards, db_raw(owner, DISPATCH_OWNER_SIZE));
}

enum result
store_recover(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE],
    const struct interrupted_delivery *interrupted, size_t count)
{
	struct db_value owner = db_raw(dead_owner, DISPATCH_OWNER_SIZE);
	/* an attempt that was counted is not counted again */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		struct row_list attempts = store_row_list(txn.pool, &sql_count_attempt, count);
		for (size_t i = 0; i < count; i++)
			store_add_row(&attempts, DB_I64(interrupted[i].delay_ms), DB_U64(interrupted[i].id),
			    DB_U64(interrupted[i].attempt), owner);
		txn.result = store_shards_release(store, dead_owner);
		if (txn.result == RESULT_OK)
			txn.result = store_run_lists(store, &attempts);
		if (txn.result == RESULT_OK)
			txn.result = store_release_jobs(store, dead_owner);
	}
	return txn.result;
}
