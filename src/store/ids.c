/* SPDX-License-Identifier: MIT */
#include "store/ids.h"

#include "base/panic.h"
#include "os/log.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_lock_id_block, "SELECT next FROM {prefix}id_blocks WHERE name = ? FOR UPDATE");
DB_STATEMENT(sql_set_next_id, "UPDATE {prefix}id_blocks SET next = ? WHERE name = ?");

static const char *const id_names[ID_KINDS] = {
	[ID_ACCOUNT] = "account",
	[ID_API_KEY] = "api_key",
	[ID_CAMPAIGN] = "campaign",
	[ID_WEBHOOK] = "webhook",
	[ID_LEAD] = "lead",
	[ID_HISTORY] = "history",
	[ID_TAG] = "tag",
	[ID_ACTION] = "action",
	[ID_REWARD_LEVEL] = "reward_level",
	[ID_BULK_JOB] = "bulk_job",
	[ID_POINTS_CALL] = "points_call",
	[ID_INBOUND] = "inbound",
	[ID_INBOUND_CALL] = "inbound_call",
	[ID_MESSAGE] = "message",
	[ID_USER] = "user",
	[ID_AUDIT] = "audit",
	[ID_OPERATOR_JOB] = "operator_job",
};

/* The size of a block: ID_BLOCK, plus ID_BLOCK_TIMES the number of ids that are needed now. Ids that are unused when the
 * process ends are lost, which does no harm. */
enum { ID_BLOCK = 1000, ID_BLOCK_TIMES = 8 };

uint64_t
store_id_range_size(enum id_kind kind)
{
	return kind == ID_CAMPAIGN ? UINT64_C(1000000) : kind == ID_LEAD ? UINT64_C(1000000000000) : 0;
}

enum result
store_lock_id_block(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *next)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_lock_id_block, db_bytes(slice_of(id_names[kind])));
	if (result == RESULT_OK && rows.count != 1) {
		log_error("no_id_block", LOG_STR("name", id_names[kind]), LOG_STR("hint", "run leadhook upgrade"));
		return RESULT_FAILED;
	}
	if (result == RESULT_OK)
		*next = db_get_u64(&rows, 0, 0);
	return result;
}

enum result
store_set_next_id(struct store *store, enum id_kind kind, uint64_t next)
{
	return store_run(store, &sql_set_next_id, DB_U64(next), db_bytes(slice_of(id_names[kind])));
}

/* Ids of another cluster must not be assigned. */
static bool
has_ids(const struct store *store, enum id_kind kind, uint64_t first, uint64_t count)
{
	const uint64_t size = store_id_range_size(kind), number = store->options.cluster_number;
	if (number == 0 || size == 0 || (first > number * size && first + count <= (number + 1) * size))
		return true;
	log_error("no_ids", LOG_STR("name", id_names[kind]), LOG_UINT("next", first), LOG_UINT("cluster", number),
	    LOG_STR("hint", "run leadhook check: cluster.number must be that of the database, and has a range of ids"));
	return false;
}

enum result
store_next_ids(struct store *store, struct pool *pool, enum id_kind kind, uint64_t count, uint64_t *first)
{
	require(db_in_transaction(store->db));
	enum result result = store_lock_id_block(store, pool, kind, first);
	if (result == RESULT_OK && !has_ids(store, kind, *first, count))
		result = RESULT_FAILED;
	return result == RESULT_OK ? store_set_next_id(store, kind, *first + count) : result;
}

enum result
store_take_id(struct store *store, struct pool *pool, const struct precondition *precondition, enum id_kind kind, uint64_t *id)
{
	const enum result result = store_next_ids(store, pool, kind, 1, id);
	return result == RESULT_OK ? store_use_request_key(store, pool, precondition, *id) : result;
}

enum result
store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count)
{
	require(!db_in_transaction(store->db));
	struct id_range *range = &store->ids[kind];
	if (range->end - range->next >= count)
		return RESULT_OK;
	/* a caller that needs many probably needs as many again */
	const uint64_t size = ID_BLOCK_TIMES * count + ID_BLOCK;
	uint64_t first = 0;
	/* if the outcome is unknown, a gap in the ids is harmless */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = store_next_ids(store, txn.pool, kind, size, &first);
	if (txn.result == RESULT_OK)
		*range = (struct id_range){ first, first + size };
	return txn.result == RESULT_UNKNOWN || txn.result == RESULT_CONFLICT ? RESULT_UNAVAILABLE : txn.result;
}
