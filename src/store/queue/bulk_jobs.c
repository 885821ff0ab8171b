/* SPDX-License-Identifier: MIT */
#include "store/queue/bulk_jobs.h"

#include "store/bulk.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define JOB_COLUMNS                                                                                                           \
	"SELECT j.id, j.campaign_id, j.action, j.tag_id, j.argument, j.points, j.message, j.made_by, j.lead_ids, j.position," \
	" j.total, j.failures, j.delayed_until_ms, j.created_ms"
DB_STATEMENT(sql_select_bulk_jobs,
    JOB_COLUMNS " FROM {prefix}bulk_jobs j FORCE INDEX (by_campaign) WHERE j.campaign_id = ? ORDER BY j.id LIMIT ?");
/* Accounts take turns, and so do the campaigns of an account. With the indexes by_account, this takes one probe for each
 * account, three for each of its campaigns with jobs, and one for each delayed job. */
DB_STATEMENT_ANEW(sql_select_next_job,
    JOB_COLUMNS " FROM (SELECT (SELECT w.id"
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

/* Columns: JOB_COLUMNS. */
static struct bulk_job
read_job(struct row_reader *r)
{
	struct bulk_job job = { .id = row_u64(r) };
	job.campaign_id = row_u64(r);
	if (!lead_action_parse(row_bytes(r), &job.action))
		job.action = LEAD_ACTIONS;
	job.tag_id = row_id(r);
	job.argument = row_bytes(r);
	job.points = (int32_t)row_i64(r);
	job.message = row_bytes(r);
	job.made_by = row_bytes(r);
	job.lead_ids = row_bytes(r);
	job.position = row_u32(r);
	job.total = row_u32(r);
	job.failures = row_u32(r);
	job.delayed_until_ms = row_i64(r);
	job.created_ms = row_i64(r);
	return job;
}

enum result
store_next_job(struct store *store, struct pool *pool, struct bulk_job *job)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_next_job);
	if (result == RESULT_OK)
		*job = read_job(ROW(&rows, 0));
	return result;
}

enum result
store_list_bulk_jobs(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct bulk_job **jobs, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_bulk_jobs, DB_U64(campaign_id), DB_U64(limit));
	*jobs = POOL_ARRAY(pool, rows.count, struct bulk_job);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*jobs)[i] = read_job(ROW(&rows, i));
	return result;
}

/* Changes a job, which makes its campaign count as served, and deletes it if it is at its end. Does nothing when no row
 * matches. */
static enum result
change_job(struct store *store, const struct db_statement *change, const struct db_arguments *arguments, uint64_t job_id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_change_one_row(store, change, arguments);
		if (txn.result == RESULT_OK)
			txn.result = store_note_job_served(store, job_id);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_delete_job_at_end, DB_U64(job_id));
	}
	return txn.result == RESULT_NOT_FOUND ? RESULT_OK : txn.result;
}

enum result
store_delay_job(struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms)
{
	return change_job(
	    store, &sql_delay_job, &DB_VALUES(DB_I64(delay_ms), DB_U64(job_id), DB_U64(position), DB_U64(failures)), job_id);
}

enum result
store_postpone_job(struct store *store, uint64_t job_id, int64_t delay_ms)
{
	return change_job(store, &sql_postpone_job, &DB_VALUES(DB_I64(delay_ms), DB_U64(job_id)), job_id);
}

enum result
store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position)
{
	return change_job(store, &sql_skip_job_item, &DB_VALUES(DB_U64(job_id), DB_U64(position)), job_id);
}
