/* SPDX-License-Identifier: MIT */
#include "store/operator/lead_jobs.h"

#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_lead_jobs,
    "SELECT id, action, tag_id, argument, points, message, total, position, failures, delayed_until_ms, created_ms"
    " FROM {prefix}bulk_jobs FORCE INDEX (by_campaign)"
    " WHERE campaign_id = ?"
    " ORDER BY id"
    " LIMIT ?");

enum {
	JOB_ID,
	JOB_ACTION,
	JOB_TAG_ID,
	JOB_ARGUMENT,
	JOB_POINTS,
	JOB_MESSAGE,
	JOB_TOTAL,
	JOB_POSITION,
	JOB_FAILURES,
	JOB_DELAYED_UNTIL_MS,
	JOB_CREATED_MS
};

static struct lead_job
job_from_row(const struct db_rows *rows, size_t row)
{
	struct lead_job job = {
		.id = db_get_u64(rows, row, JOB_ID),
		.action = LEAD_ACTIONS,
		.tag_id = store_get_id(rows, row, JOB_TAG_ID),
		.argument = db_get_bytes(rows, row, JOB_ARGUMENT),
		.points = (int32_t)db_get_i64(rows, row, JOB_POINTS),
		.message = db_get_bytes(rows, row, JOB_MESSAGE),
		.leads = store_get_u32(rows, row, JOB_TOTAL),
		.done = store_get_u32(rows, row, JOB_POSITION),
		.failures = store_get_u32(rows, row, JOB_FAILURES),
		.delayed_until_ms = db_get_i64(rows, row, JOB_DELAYED_UNTIL_MS),
		.created_ms = db_get_i64(rows, row, JOB_CREATED_MS),
	};
	if (!lead_action_parse(db_get_bytes(rows, row, JOB_ACTION), &job.action))
		job.action = LEAD_ACTIONS;
	return job;
}

enum result
store_list_lead_jobs(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead_job **jobs, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_lead_jobs, DB_U64(campaign_id), DB_U64(limit));
	*jobs = POOL_ARRAY(pool, rows.count, struct lead_job);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*jobs)[i] = job_from_row(&rows, i);
	return result;
}
