/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1) as the dispatcher takes it. What a job does to each lead is a batch of commands like any
 * other. */
#include "base/log.h"
#include "store/private.h"
#include "store/queue/dispatch.h"

enum { JOB_ID, JOB_CAMPAIGN_ID, JOB_ACTION, JOB_TAG_ID, JOB_WORD, JOB_LEAD_IDS, JOB_POSITION, JOB_TOTAL, JOB_FAILURES };

enum result
store_next_job(struct store *store, struct pool *pool, struct bulk_job *job)
{
	struct db_rows rows;
	enum result result = db_query(store->db, pool, SQL_SELECT_NEXT_JOB, NULL, &rows);
	if (result != RESULT_OK)
		return result;
	if (rows.count == 0)
		return RESULT_NOT_FOUND;
	*job = (struct bulk_job){
		.id = db_get_u64(&rows, 0, JOB_ID),
		.campaign_id = db_get_u64(&rows, 0, JOB_CAMPAIGN_ID),
		.tag_id = store_get_id(&rows, 0, JOB_TAG_ID),
		.word = db_get_bytes(&rows, 0, JOB_WORD),
		.lead_ids = db_get_bytes(&rows, 0, JOB_LEAD_IDS),
		.position = (uint32_t)db_get_u64(&rows, 0, JOB_POSITION),
		.total = (uint32_t)db_get_u64(&rows, 0, JOB_TOTAL),
		.failures = (uint32_t)db_get_u64(&rows, 0, JOB_FAILURES),
	};
	if (lead_action_parse(db_get_bytes(&rows, 0, JOB_ACTION), &job->action))
		return RESULT_OK;
	log_error("unknown_action", LOG_UINT("job", job->id));
	return RESULT_FAILED;
}

/* A change of a job that stands at its place without its items. */
struct standing {
	uint64_t job_id;
	uint32_t position, failures;
	int64_t delay_ms;
};

static enum result
delay_job(struct store *store, struct pool *pool UNUSED, void *context)
{
	const struct standing *job = context;
	const struct db_value values[] = { DB_I64(job->delay_ms), DB_U64(job->job_id), DB_U64(job->position),
		DB_U64(job->failures) };
	enum result result = store_change_one(store, SQL_DELAY_JOB, values, ARRAY_SIZE(values));
	return result == RESULT_OK ? store_note_job_served(store, job->job_id) : result;
}

enum result
store_delay_job(struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms)
{
	enum result result =
	    store_transact(store, delay_job, &(struct standing){ job_id, position, failures, delay_ms }, REPEAT_UNKNOWN);
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static enum result
skip_item(struct store *store, struct pool *pool UNUSED, void *context)
{
	const struct standing *job = context;
	const struct db_value values[] = { DB_U64(job->job_id), DB_U64(job->position) };
	enum result result = store_change_one(store, SQL_SKIP_JOB_ITEM, values, ARRAY_SIZE(values));
	if (result == RESULT_OK)
		result = store_note_job_served(store, job->job_id);
	return result == RESULT_OK
		   ? db_execute(store->db, SQL_DELETE_JOB_AT_END, &(struct db_arguments){ .values = values, .count = 1 }, NULL)
		   : result;
}

enum result
store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position)
{
	enum result result =
	    store_transact(store, skip_item, &(struct standing){ .job_id = job_id, .position = position }, REPEAT_UNKNOWN);
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}
