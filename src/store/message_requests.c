/* SPDX-License-Identifier: MIT */
#include "store/message_requests.h"

#include "base/panic.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_message,
    "INSERT INTO {prefix}messages (id, campaign_id, lead_id, kind, ref, turn, state, created_ms, due_ms, requested_for)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, 'requested', ?, ?, ?){between}, {end}");
DB_STATEMENT(sql_select_now, "SELECT " NOW);
/* A message that is leased right now will soon be examined again anyway. */
DB_STATEMENT(sql_release_unconfirmed,
    "UPDATE " ROWS_OF_LEADS("messages") " SET t.due_ms = " NOW
					" WHERE t.turn IS NOT NULL AND t.lease_owner IS NULL AND t.reason = 'unconfirmed'");

unsigned
message_turn(enum message_kind kind)
{
	return kind == MESSAGE_CODE ? TEXT_TURN : message_is_urgent(kind) ? 0 : 1;
}

/* Takes `count` consecutive ids, beginning with *first. */
static enum result
take_ids(struct store *store, struct pool *pool, size_t count, uint64_t *first)
{
	struct id_range *range = &store->ids[ID_MESSAGE];
	if (range->end - range->next < count)
		return store_next_ids(store, pool, ID_MESSAGE, count, first);
	*first = range->next;
	range->next += count;
	return RESULT_OK;
}

enum result
store_insert_messages(struct store *store, struct pool *pool, const struct made_message *messages, size_t count, int64_t now_ms)
{
	require(db_in_transaction(store->db));
	struct row_list rows = store_row_list(pool, &sql_insert_message, count);
	uint64_t first = 0;
	if (count == 0)
		return RESULT_OK;
	enum result result = take_ids(store, pool, count, &first);
	for (size_t i = 0; i < count; i++) {
		const struct made_message *m = &messages[i];
		store_add_row(&rows, DB_U64(first + i), DB_U64(m->campaign_id), DB_U64(m->lead_id), DB_U64(m->kind),
		    DB_U64(m->ref), DB_U64(message_turn(m->kind)), DB_I64(now_ms), DB_I64(m->due_ms == 0 ? now_ms : m->due_ms),
		    db_bytes(m->requested_for));
	}
	if (result == RESULT_OK)
		result = store_run_lists(store, &rows);
	return result;
}

enum result
store_release_unconfirmed(struct store *store, struct pool *pool, const uint64_t *lead_ids, size_t count, uint64_t *released)
{
	const struct db_list ids = store_list_of(pool, lead_ids, count);
	return store_run_on_ids(store, &sql_release_unconfirmed, ids.values, ids.count, released);
}

enum result
store_request_messages(struct store *store, const struct made_message *messages, size_t count)
{
	struct db_rows now;
	enum result result = store_demand_schema(store);
	if (result == RESULT_OK)
		result = store_reserve_ids(store, ID_MESSAGE, count);
	if (result != RESULT_OK)
		return result == RESULT_WRONG_SCHEMA ? RESULT_FAILED : result;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_query_one(store, txn.pool, &now, &sql_select_now);
		if (txn.result == RESULT_OK)
			txn.result = store_insert_messages(store, txn.pool, messages, count, db_get_i64(&now, 0, 0));
	}
	return txn.result;
}
