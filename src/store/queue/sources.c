/* SPDX-License-Identifier: MIT */
#include "store/queue/sources.h"

#include "store/query.h"
#include "store/rows.h"
#include "store/sources.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_campaign_to_count, "SELECT campaign_id FROM {prefix}campaign_counters"
					   " WHERE campaign_id > ? AND sources_counted_to < last_subscription_number"
					   " ORDER BY campaign_id LIMIT 1");
DB_STATEMENT(sql_select_sources_state, "SELECT sources_counted_to, last_subscription_number"
				       " FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_select_sources_of_leads,
    "SELECT subscription_number, created_ms, source_class, utm, referrer, signup_url"
    " FROM {prefix}leads FORCE INDEX (by_number)"
    " WHERE campaign_id = ? AND subscription_number > ? ORDER BY subscription_number LIMIT 200");
DB_STATEMENT(sql_move_sources, "UPDATE {prefix}campaign_counters SET sources_counted_to = ? WHERE campaign_id = ?");

/* Leads in one transaction, as in the statement: some milliseconds in which their campaign's sign-ups wait, longer when all
 * have large `utm` objects. Transactions in one call. */
enum { PIECE = 200, PIECES = 20 };

/* Under the lock of the counters: no lead up to the last number is uncommitted. */
static enum result
count_piece(struct store *store, struct pool *pool, uint64_t campaign_id, bool *more)
{
	enum { COUNTED_TO, LAST_NUMBER };
	enum { NUMBER, CREATED_MS, SOURCE_CLASS, UTM, REFERRER, SIGNUP_URL };
	struct db_rows state, rows;
	enum result result = store_lock_counters(store, pool, campaign_id);
	if (result == RESULT_OK)
		result = store_query_one(store, pool, &state, &sql_select_sources_state, DB_U64(campaign_id));
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_select_sources_of_leads, DB_U64(campaign_id),
		    DB_U64(db_get_u64(&state, 0, COUNTED_TO)));
	if (result != RESULT_OK)
		return result;
	struct lead *leads = POOL_ARRAY(pool, rows.count, struct lead);
	for (size_t i = 0; i < rows.count; i++)
		leads[i] = (struct lead){ .created_ms = db_get_i64(&rows, i, CREATED_MS),
			.source_class = store_get_u32(&rows, i, SOURCE_CLASS),
			.utm = db_get_bytes(&rows, i, UTM),
			.referrer = db_get_bytes(&rows, i, REFERRER),
			.signup_url = db_get_bytes(&rows, i, SIGNUP_URL) };
	*more = rows.count == PIECE;
	const uint64_t counted_to = *more ? db_get_u64(&rows, rows.count - 1, NUMBER) : db_get_u64(&state, 0, LAST_NUMBER);
	result = store_add_sources(store, pool, campaign_id, leads, rows.count);
	return result == RESULT_OK ? store_run(store, &sql_move_sources, DB_U64(counted_to), DB_U64(campaign_id)) : result;
}

static enum result
count_campaign(struct store *store, uint64_t campaign_id, bool *more)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = count_piece(store, txn.pool, campaign_id, more);
	return txn.result;
}

enum result
store_count_sources(struct store *store, struct source_pass *pass, bool *left)
{
	enum result result = RESULT_OK;
	unsigned pieces = PIECES;
	*left = true;
	while (pieces > 0 && *left && result == RESULT_OK) {
		struct pool *pool = pool_new();
		struct db_rows rows;
		bool more = false;
		result = store_query(store, pool, &rows, &sql_select_campaign_to_count, DB_U64(pass->campaign_id));
		if (result == RESULT_OK && rows.count == 0) {
			*left = pass->more;
			*pass = (struct source_pass){ 0 };
		} else if (result == RESULT_OK) {
			pass->campaign_id = db_get_u64(&rows, 0, 0);
			result = count_campaign(store, pass->campaign_id, &more);
			pass->more = pass->more || more;
			pieces--;
		}
		if (result == RESULT_NOT_FOUND)
			result = RESULT_OK; /* it is being removed */
		pool_free(&pool);
	}
	return result;
}
