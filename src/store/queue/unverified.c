/* SPDX-License-Identifier: MIT
 * Leads that were sent a mail to verify their address and did not (leadhook.conf(5), lead.unverified_days): bulk jobs delete
 * them. */
#include "engine/id_list.h"
#include "store/bulk.h"
#include "store/query.h"
#include "store/queue/dispatch.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* A lead that is gone, or is verified, needs no job; the job examines it again. Jobs lock their campaign before a lead. */
DB_STATEMENT(sql_select_unverified, "SELECT u.lead_id, u.campaign_id, c.account_id,"
				    " l.id IS NOT NULL AND NOT l.verified_email AND NOT l.verified_phone"
				    " FROM {prefix}unverified_leads u FORCE INDEX (by_time)"
				    " JOIN {prefix}campaigns c ON c.id = u.campaign_id"
				    " LEFT JOIN {prefix}leads l ON l.id = u.lead_id"
				    " WHERE u.requested_ms < " NOW " - ?"
				    " ORDER BY u.requested_ms"
				    " LIMIT 250");
DB_STATEMENT(sql_delete_unverified, "DELETE t FROM ({each}SELECT ? AS id{between} UNION ALL {end}) ids"
				    " STRAIGHT_JOIN {prefix}unverified_leads t ON t.lead_id = ids.id");

enum { CHUNK = 250, LEAD_ID = 0, CAMPAIGN_ID, ACCOUNT_ID, IS_UNVERIFIED };
_Static_assert((int)CHUNK <= (int)BULK_LEADS_MAX, "leads of one job");

/* A job for the leads of one campaign. */
static enum result
queue_campaign(struct store *store, struct pool *pool, const struct db_rows *rows, size_t first)
{
	const struct bulk_request request = {
		.account_id = db_get_u64(rows, first, ACCOUNT_ID),
		.campaign_id = db_get_u64(rows, first, CAMPAIGN_ID),
		.action = LEAD_DELETE,
		.argument = LEAD_DELETE_UNVERIFIED,
	};
	struct slice ids = SLICE_NONE;
	size_t count = 0;
	for (size_t i = first; i < rows->count; i++)
		if (db_get_u64(rows, i, CAMPAIGN_ID) == request.campaign_id && db_get_bool(rows, i, IS_UNVERIFIED)) {
			ids = id_list_add(pool, ids, db_get_u64(rows, i, LEAD_ID));
			count++;
		}
	uint64_t job_id;
	return count == 0 ? RESULT_OK : store_insert_jobs(store, pool, &request, ids, count, &job_id);
}

static bool
is_first_of_campaign(const struct db_rows *rows, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (db_get_u64(rows, i, CAMPAIGN_ID) == db_get_u64(rows, row, CAMPAIGN_ID))
			return false;
	return true;
}

/* *left: there may be more. The rows are removed with the insertion of the jobs, so a repeated run finds others. */
static enum result
queue_chunk(struct store *store, struct pool *pool, bool *left)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_unverified, DB_I64(store->options.unverified_ms));
	struct db_value *ids = POOL_ARRAY(pool, rows.count, struct db_value);
	*left = rows.count == CHUNK;
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		ids[i] = DB_U64(db_get_u64(&rows, i, LEAD_ID));
		if (is_first_of_campaign(&rows, i))
			result = queue_campaign(store, pool, &rows, i);
	}
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_unverified, ids, rows.count, NULL) : result;
}

enum result
store_queue_unverified(struct store *store)
{
	bool left = store->options.unverified_ms > 0;
	enum result result = RESULT_OK;
	while (left && result == RESULT_OK) {
		struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
		while (store_runs(&txn))
			txn.result = queue_chunk(store, txn.pool, &left);
		result = txn.result;
	}
	return result;
}
