/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1): adds jobs for the leads that a call names. What a job does to each lead is an ordinary
 * batch of commands. */
#include "store/bulk.h"

#include "base/panic.h"
#include "engine/id_list.h"
#include "os/log.h"
#include "store/commit_marks.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_note_job_served, "INSERT INTO {prefix}bulk_schedule (campaign_id, account_id, served_ms)"
				  " SELECT campaign_id, account_id, " NOW " FROM {prefix}bulk_jobs"
				  " WHERE id = ?"
				  " ON DUPLICATE KEY UPDATE account_id = VALUES(account_id), served_ms = VALUES(served_ms)");
#define IDS_BY(column) "SELECT id, campaign_id FROM {prefix}leads WHERE " column " IN ({list})"
DB_STATEMENT(sql_select_lead_ids,
    IDS_BY("email_hash") " UNION " IDS_BY("phone_hash") " UNION " IDS_BY("social_id") " UNION " IDS_BY("id") " ORDER BY id");
DB_STATEMENT(sql_select_referrer_ids, "SELECT p.id FROM {prefix}leads l STRAIGHT_JOIN {prefix}leads p ON p.id = l.parent_id"
				      " WHERE l.id IN ({list})");
DB_STATEMENT(sql_count_jobs, "SELECT COUNT(*)"
			     " FROM (SELECT id FROM {prefix}bulk_jobs WHERE account_id = ? LIMIT ?) j");
DB_STATEMENT(sql_insert_job,
    "INSERT INTO {prefix}bulk_jobs (id, account_id, campaign_id, action, tag_id, argument, points, message, made_by, lead_ids,"
    " total, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ")");

/* The leads that exist, by id, as a list of engine/id_list.h. */
static enum result
find_leads(struct store *store, struct pool *pool, const struct bulk_request *request, struct slice *ids, size_t *count)
{
	struct db_list lists[LEAD_BY_ID + 1] = { 0 };
	struct db_rows rows;
	for (size_t kind = 0; kind < ARRAY_SIZE(lists); kind++) {
		struct db_value *values = POOL_ARRAY(pool, request->lead_count, struct db_value);
		size_t used = 0;
		for (size_t i = 0; i < request->lead_count; i++)
			if (request->leads[i].identity == kind)
				values[used++] = store_reference_value(pool, request->campaign_id, &request->leads[i]);
		lists[kind] = (struct db_list){ values, used };
	}
	enum result result = store_query_lists(store, pool, &sql_select_lead_ids, lists, ARRAY_SIZE(lists), &rows);
	*ids = SLICE_NONE;
	*count = 0;
	for (size_t i = 0; i < rows.count; i++)
		if (db_get_u64(&rows, i, 1) == request->campaign_id) {
			*ids = id_list_add(pool, *ids, db_get_u64(&rows, i, 0));
			(*count)++;
		}
	return result;
}

/* Replaces the leads with their referrers, as far as these exist. */
static enum result
find_referrers(struct store *store, struct pool *pool, struct slice *ids, size_t *count)
{
	uint64_t *found = POOL_ARRAY(pool, *count, uint64_t);
	struct db_rows rows;
	size_t named = 0;
	while (named < *count && id_list_next(ids, &found[named]))
		named++;
	struct db_list list = store_list_of(pool, found, named);
	const enum result result = store_query_lists(store, pool, &sql_select_referrer_ids, &list, 1, &rows);
	for (size_t i = 0; i < rows.count; i++)
		found[i] = db_get_u64(&rows, i, 0);
	list = store_id_list(pool, found, rows.count);
	*ids = SLICE_NONE;
	*count = list.count;
	for (size_t i = 0; i < list.count; i++)
		*ids = id_list_add(pool, *ids, list.values[i].as.u64);
	return result;
}

static size_t
jobs_of(const struct bulk_request *request)
{
	return request->tag_count > 0 ? request->tag_count : 1;
}

/* RESULT_TOO_MANY: the maximum would be exceeded. Exact after store_next_ids, whose lock allows one transaction at a time to
 * insert jobs. */
static enum result
has_room(struct store *store, const struct bulk_request *request)
{
	uint64_t jobs;
	if (request->account_jobs == 0)
		return RESULT_OK;
	const enum result result =
	    store_read_number(store, &jobs, &sql_count_jobs, DB_U64(request->account_id), DB_U64(request->account_jobs));
	return result == RESULT_OK && jobs + jobs_of(request) > request->account_jobs ? RESULT_TOO_MANY : result;
}

enum result
store_insert_jobs(struct store *store, struct pool *pool, const struct bulk_request *request, struct slice lead_ids,
    size_t count, uint64_t *first_id)
{
	/* not from a block: a campaign's jobs run in the order of their ids */
	enum result result = store_next_ids(store, pool, ID_BULK_JOB, jobs_of(request), first_id);
	if (result == RESULT_OK)
		result = has_room(store, request);
	for (size_t i = 0; i < jobs_of(request) && result == RESULT_OK; i++)
		result = store_change_one(store, &sql_insert_job, DB_U64(*first_id + i), DB_U64(request->account_id),
		    DB_U64(request->campaign_id), db_bytes(lead_action_name(request->action)),
		    store_id_or_null(request->tag_count > 0 ? request->tag_ids[i] : 0), db_bytes(request->argument),
		    DB_I64(request->points), db_bytes(request->message), db_bytes(request->made_by), db_bytes(lead_ids),
		    DB_U64(count));
	return result;
}

static enum result
queue_bulk(struct store *store, struct pool *pool, const struct precondition *precondition, const struct bulk_request *request,
    const struct commit_token *token, struct bulk_queued *queued)
{
	struct slice lead_ids;
	bool done_before;
	/* the jobs' own rows do not show whether an earlier run was committed: the jobs may have ended already */
	enum result result = store_insert_token(store, token, &done_before);
	if (done_before) /* *queued is still the earlier run's */
		return store_insert_fence(store);
	if (result == RESULT_OK)
		result = find_leads(store, pool, request, &lead_ids, &queued->leads);
	if (result == RESULT_OK && queued->leads == 0)
		result = RESULT_NOT_FOUND;
	if (result == RESULT_OK && request->referrers)
		result = find_referrers(store, pool, &lead_ids, &queued->leads);
	if (result != RESULT_OK || queued->leads == 0)
		return result;
	result = store_insert_jobs(store, pool, request, lead_ids, queued->leads, &queued->job_id);
	return result == RESULT_OK ? store_use_request_key(store, pool, precondition, queued->job_id) : result;
}

enum result
store_queue_bulk(struct store *store, const struct precondition *precondition, const struct bulk_request *request,
    struct bulk_queued *queued)
{
	require(request->lead_count <= BULK_LEADS_MAX);
	const struct commit_token token = store_new_token();
	*queued = (struct bulk_queued){ 0 };
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = queue_bulk(store, txn.pool, precondition, request, &token, queued);
	return txn.result;
}

enum result
store_note_job_served(struct store *store, uint64_t job_id)
{
	require(db_in_transaction(store->db));
	struct db_value value = DB_U64(job_id);
	return store_run(store, &sql_note_job_served, value);
}
