/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1), as the dispatcher runs it. What a job does to each lead is an ordinary batch of
 * commands. */
#include "store/bulk.h"
#include "store/query.h"
#include "store/queue/dispatch.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* Accounts take turns, and so do the campaigns of an account. The indexes by_account make this a probe for each account, three
 * for each of their campaigns with jobs, and one for each delayed job. */
DB_STATEMENT_ANEW(sql_select_next_job,
    "SELECT j.id, j.campaign_id, j.action, j.tag_id, j.argument, j.points, j.message, j.made_by, j.lead_ids, j.position,"
    " j.total, j.failures"
    " FROM (SELECT (SELECT w.id"
    "     FROM {prefix}bulk_jobs w FORCE INDEX (by_account)"
    "     WHERE w.account_id = c.account_id AND w.campaign_id = c.campaign_id AND w.delayed_until_ms <= " NOW
    "     ORDER BY w.id"
    "     LIMIT 1) AS id,"
    "     (SELECT a.served_ms"
    "     FROM {prefix}bulk_schedule a FORCE INDEX (by_account)"
    "     WHERE a.account_id = c.account_id ORDER BY a.served_ms DESC"
    "     LIMIT 1) AS account_served_ms"
    "   FROM (SELECT account_id, campaign_id"
    "     FROM {prefix}bulk_jobs FORCE INDEX (by_account)"
    "     GROUP BY account_id, campaign_id) c"
    "   LEFT JOIN {prefix}bulk_schedule t ON t.campaign_id = c.campaign_id"
    "   HAVING id IS NOT NULL"
    "   ORDER BY COALESCE(account_served_ms, 0), COALESCE(t.served_ms, 0), id"
    "   LIMIT 1) n"
    " JOIN {prefix}bulk_jobs j ON j.id = n.id");
DB_STATEMENT(sql_delay_job, "UPDATE {prefix}bulk_jobs"
			    " SET failures = failures + 1, delayed_until_ms = " NOW " + ?"
			    " WHERE id = ? AND position = ? AND failures = ?");
DB_STATEMENT(sql_postpone_job, "UPDATE {prefix}bulk_jobs SET delayed_until_ms = " NOW " + ? WHERE id = ?");
DB_STATEMENT(sql_skip_job_item, "UPDATE {prefix}bulk_jobs"
				" SET position = position + 1, failures = 0, delayed_until_ms = 0"
				" WHERE id = ? AND position = ?");
DB_STATEMENT(sql_delete_job_at_end, "DELETE FROM {prefix}bulk_jobs WHERE id = ? AND position >= total");

enum {
	JOB_ID,
	JOB_CAMPAIGN_ID,
	JOB_ACTION,
	JOB_TAG_ID,
	JOB_ARGUMENT,
	JOB_POINTS,
	JOB_MESSAGE,
	JOB_MADE_BY,
	JOB_LEAD_IDS,
	JOB_POSITION,
	JOB_TOTAL,
	JOB_FAILURES
};

enum result
store_next_job(struct store *store, struct pool *pool, struct bulk_job *job)
{
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, &sql_select_next_job);
	if (result != RESULT_OK)
		return result;
	*job = (struct bulk_job){
		.id = db_get_u64(&rows, 0, JOB_ID),
		.campaign_id = db_get_u64(&rows, 0, JOB_CAMPAIGN_ID),
		.tag_id = store_get_id(&rows, 0, JOB_TAG_ID),
		.argument = db_get_bytes(&rows, 0, JOB_ARGUMENT),
		.points = (int32_t)db_get_i64(&rows, 0, JOB_POINTS),
		.message = db_get_bytes(&rows, 0, JOB_MESSAGE),
		.made_by = db_get_bytes(&rows, 0, JOB_MADE_BY),
		.lead_ids = db_get_bytes(&rows, 0, JOB_LEAD_IDS),
		.position = (uint32_t)db_get_u64(&rows, 0, JOB_POSITION),
		.total = (uint32_t)db_get_u64(&rows, 0, JOB_TOTAL),
		.failures = (uint32_t)db_get_u64(&rows, 0, JOB_FAILURES),
	};
	if (!lead_action_parse(db_get_bytes(&rows, 0, JOB_ACTION), &job->action))
		job->action = LEAD_ACTIONS;
	return RESULT_OK;
}

enum result
store_delay_job(struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_change_one(
		    store, &sql_delay_job, DB_I64(delay_ms), DB_U64(job_id), DB_U64(position), DB_U64(failures));
		if (txn.result == RESULT_OK)
			txn.result = store_note_job_served(store, job_id);
	}
	return txn.result == RESULT_NOT_FOUND ? RESULT_OK : txn.result;
}

enum result
store_postpone_job(struct store *store, uint64_t job_id, int64_t delay_ms)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_change_one(store, &sql_postpone_job, DB_I64(delay_ms), DB_U64(job_id));
		if (txn.result == RESULT_OK)
			txn.result = store_note_job_served(store, job_id);
	}
	return txn.result == RESULT_NOT_FOUND ? RESULT_OK : txn.result;
}

enum result
store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_change_one(store, &sql_skip_job_item, DB_U64(job_id), DB_U64(position));
		if (txn.result == RESULT_OK)
			txn.result = store_note_job_served(store, job_id);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_delete_job_at_end, DB_U64(job_id));
	}
	return txn.result == RESULT_NOT_FOUND ? RESULT_OK : txn.result;
}
