/* SPDX-License-Identifier: MIT */
#include "store/transaction.h"

#include "base/panic.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/random.h"
#include "store/find.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT_SHARED(sql_lock_counters, LOCK_COUNTERS);
DB_STATEMENT(sql_lock_settings, "UPDATE {prefix}campaign_counters"
				" SET settings_version = settings_version + 1"
				" WHERE campaign_id = ?");

enum result
store_finish(struct store *store, enum result so_far)
{
	if (so_far == RESULT_OK)
		return db_commit(store->db);
	db_rollback(store->db);
	return so_far;
}

void
store_back_off(unsigned attempt)
{
	fiber_pause((int64_t)random_below(UINT64_C(8) << attempt));
}

/* Whether the result of a repeated run leaves open whether an earlier COMMIT, which got no answer, took effect. */
static bool
may_hide_success(enum result result)
{
	return result == RESULT_UNAVAILABLE || result == RESULT_CONFLICT || result == RESULT_FAILED ||
	       result == RESULT_OUTDATED || result == RESULT_REPEATED;
}

struct transaction
store_transaction(struct store *store, enum repeat repeat)
{
	return (struct transaction){ .store = store, .repeat = repeat, .result = store_read_installation(store) };
}

/* Whether the result of the run justifies another run. */
static bool
may_run_again(const struct transaction *txn)
{
	return txn->attempt < STORE_ATTEMPTS && ((txn->result == RESULT_CONFLICT && txn->repeat != REPEAT_NOTHING) ||
						    (txn->result == RESULT_UNKNOWN && txn->repeat == REPEAT_UNKNOWN));
}

static bool
begins(struct transaction *txn)
{
	if (txn->attempt++ > 0)
		store_back_off(txn->attempt - 1);
	txn->result = db_begin(txn->store->db);
	if (txn->result == RESULT_OK)
		txn->pool = pool_new();
	return txn->result == RESULT_OK;
}

bool
store_runs(struct transaction *txn)
{
	if (txn->pool != NULL) {
		txn->result = store_finish(txn->store, txn->result);
		pool_free(&txn->pool);
		txn->unknown = txn->unknown || txn->result == RESULT_UNKNOWN;
	}
	bool next = txn->attempt == 0 ? txn->result == RESULT_OK : may_run_again(txn);
	while (next && !begins(txn))
		next = may_run_again(txn);
	if (!next && txn->unknown && may_hide_success(txn->result))
		txn->result = RESULT_UNKNOWN;
	return next;
}

enum result
store_lock_counters(struct store *store, struct pool *pool, uint64_t campaign_id)
{
	require(db_in_transaction(store->db));
	const struct db_list ids = { &DB_U64(campaign_id), 1 };
	struct db_rows rows;
	enum result result = store_query_lists(store, pool, &sql_lock_counters, &ids, 1, &rows);
	return result == RESULT_OK && rows.count == 0 ? RESULT_NOT_FOUND : result;
}

enum result
store_lock_settings(struct store *store, uint64_t campaign_id, const struct precondition *precondition)
{
	uint64_t version;
	require(db_in_transaction(store->db));
	enum result result = store_change_one(store, &sql_lock_settings, DB_U64(campaign_id));
	if (result != RESULT_OK || precondition == NULL || precondition->settings_version == NULL)
		return result;
	result = store_read_settings_version(store, campaign_id, &version);
	/* taking the lock has just increased the version */
	return result == RESULT_OK && version != *precondition->settings_version + 1 ? RESULT_OUTDATED : result;
}
