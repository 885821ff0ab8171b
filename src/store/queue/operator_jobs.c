/* SPDX-License-Identifier: MIT
 * A row of operator_jobs has turns until it ends. The next turn goes to the account that was worked for longest ago, and to its
 * job that was worked on longest ago. store_note_turn decides when a turn counts: an account with long turns gets as much time
 * as the others, not as many turns. */
#include "store/queue/operator_jobs.h"

#include "base/panic.h"
#include "store/commit_marks.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define JOB_COLUMNS                                                                                                   \
	"SELECT id, account_id, campaign_id, kind, parameters, made_by, state, done, total, position, result, error," \
	" created_ms, started_ms, ended_ms FROM {prefix}operator_jobs "
#define NEWEST " AND id < ? ORDER BY id DESC LIMIT ?"
/* Nothing is recorded for a job that was cancelled, or has gone to another dispatcher. */
#define IF_LEASED " WHERE id = ? AND lease_owner = ? AND turn_ms IS NOT NULL"
#define ENDED " ended_ms = " NOW ", turn_ms = NULL, lease_owner = NULL, lease_until_ms = 0"

DB_STATEMENT(sql_count_operator_jobs_of_account, "SELECT COUNT(*) FROM {prefix}operator_jobs FORCE INDEX (by_turn)"
						 " WHERE turn_ms IS NOT NULL AND account_id = ?");
DB_STATEMENT(sql_insert_operator_job,
    "INSERT INTO {prefix}operator_jobs (id, account_id, campaign_id, kind, parameters, made_by, created_ms,"
    " account_turn_ms) SELECT ?, ?, ?, ?, ?, ?, " NOW ", COALESCE(MAX(account_turn_ms), GREATEST(" NOW ", COALESCE("
    "   (SELECT account_turn_ms FROM {prefix}operator_jobs FORCE INDEX (by_account) WHERE account_id = ?"
    "     ORDER BY id DESC LIMIT 1), 0)))"
    " FROM {prefix}operator_jobs FORCE INDEX (by_turn) WHERE turn_ms IS NOT NULL AND account_id = ?");
DB_STATEMENT(sql_select_operator_jobs, JOB_COLUMNS "WHERE TRUE" NEWEST);
DB_STATEMENT(sql_select_operator_jobs_of_account, JOB_COLUMNS "FORCE INDEX (by_account) WHERE account_id = ?" NEWEST);
DB_STATEMENT(sql_select_operator_jobs_of_campaign, JOB_COLUMNS "FORCE INDEX (by_campaign) WHERE campaign_id = ?" NEWEST);
DB_STATEMENT(sql_select_operator_job, JOB_COLUMNS "WHERE id = ?");
DB_STATEMENT(sql_cancel_operator_job,
    "UPDATE {prefix}operator_jobs SET state = 'cancelled'," ENDED " WHERE id = ? AND turn_ms IS NOT NULL");
DB_STATEMENT(sql_select_next_operator_job,
    "SELECT id FROM {prefix}operator_jobs FORCE INDEX (by_turn)"
    " WHERE turn_ms IS NOT NULL AND (lease_until_ms <= " NOW " OR lease_owner = ?) AND kind IN ({list})"
    " ORDER BY account_turn_ms, turn_ms, id LIMIT 1");
DB_STATEMENT(sql_count_other_accounts, "SELECT COUNT(DISTINCT account_id) FROM {prefix}operator_jobs FORCE INDEX (by_turn)"
				       " WHERE turn_ms IS NOT NULL AND account_id <> ?");
DB_STATEMENT(sql_note_turn_of_account, "UPDATE {prefix}operator_jobs FORCE INDEX (by_turn) SET account_turn_ms = " NOW
				       " + ? WHERE turn_ms IS NOT NULL AND account_id = ?");
DB_STATEMENT(sql_note_turn_in_newest, "UPDATE {prefix}operator_jobs FORCE INDEX (by_account) SET account_turn_ms = " NOW
				      " + ? WHERE account_id = ? ORDER BY id DESC LIMIT 1");
DB_STATEMENT(sql_lease_operator_job,
    "UPDATE {prefix}operator_jobs"
    " SET state = 'running', turn_ms = " NOW ", lease_owner = ?, lease_until_ms = " NOW
    " + ?, started_ms = COALESCE(started_ms, " NOW ")"
    " WHERE id = ? AND turn_ms IS NOT NULL AND (lease_until_ms <= " NOW " OR lease_owner = ?)");
DB_STATEMENT(sql_note_operator_job, "UPDATE {prefix}operator_jobs SET done = ?, total = ?, position = ?, result = ?" IF_LEASED);
DB_STATEMENT(sql_end_operator_job, "UPDATE {prefix}operator_jobs"
				   " SET done = ?, total = ?, position = ?, result = ?, state = ?, error = ?," ENDED IF_LEASED);
DB_STATEMENT(sql_fail_operator_job,
    "UPDATE {prefix}operator_jobs SET state = 'failed', error = ?," ENDED " WHERE id = ? AND turn_ms IS NOT NULL");
DB_STATEMENT(sql_release_operator_jobs, "UPDATE {prefix}operator_jobs FORCE INDEX (by_turn) SET lease_until_ms = 0"
					" WHERE turn_ms IS NOT NULL AND lease_owner = ?");

/* Names, as stored. */
static const struct slice kind_names[JOB_KINDS] = {
	[JOB_REDELIVERY] = SLICE("redelivery"),
	[JOB_WEBHOOK_TEST] = SLICE("webhook_test"),
	[JOB_MAIL_TEST] = SLICE("mail_test"),
	[JOB_SAMPLE_MAIL] = SLICE("sample_mail"),
	[JOB_ADDRESS_COUNT] = SLICE("address_count"),
};
static const struct slice state_names[JOB_STATES] = {
	[JOB_QUEUED] = SLICE("queued"),
	[JOB_RUNNING] = SLICE("running"),
	[JOB_DONE] = SLICE("done"),
	[JOB_FAILED] = SLICE("failed"),
	[JOB_CANCELLED] = SLICE("cancelled"),
};

struct slice
job_state_name(enum job_state state)
{
	return state < JOB_STATES ? state_names[state] : SLICE_NONE;
}

/* Returns `count` if none has that name. */
static size_t
find_name(const struct slice *names, size_t count, struct slice name)
{
	size_t found = 0;
	while (found < count && !slice_equal(names[found], name))
		found++;
	return found;
}

enum result
store_insert_job(struct store *store, struct pool *pool, const struct precondition *precondition,
    const struct job_request *request, struct queued_job *queued)
{
	bool done_before;
	require(request->kind < JOB_KINDS && request->made_by.size <= JOB_MADE_BY_MAX);
	/* the job's own row does not show whether an earlier run was committed: its id would be another one */
	enum result result = store_insert_token(store, &queued->token, &done_before);
	if (done_before) /* the id is still the earlier run's */
		return store_insert_fence(store);
	if (result == RESULT_OK)
		result = store_take_id(store, pool, precondition, ID_OPERATOR_JOB, &queued->id);
	/* exact after store_take_id, whose lock allows one transaction at a time to insert jobs */
	if (result == RESULT_OK)
		result = store_check_room(store, &sql_count_operator_jobs_of_account, request->account_id, OPERATOR_JOBS_MAX);
	return result == RESULT_OK ? store_change_one(store, &sql_insert_operator_job, DB_U64(queued->id),
					 DB_U64(request->account_id), store_id_or_null(request->campaign_id),
					 db_bytes(kind_names[request->kind]), db_bytes(request->parameters),
					 db_bytes(request->made_by), DB_U64(request->account_id), DB_U64(request->account_id))
				   : result;
}

enum result
store_add_job(struct store *store, const struct precondition *precondition, const struct job_request *request, uint64_t *id)
{
	struct queued_job queued = { .token = store_new_token() };
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = store_insert_job(store, txn.pool, precondition, request, &queued);
	*id = queued.id;
	return txn.result;
}

/* Columns: JOB_COLUMNS. */
static struct operator_job
read_job(struct row_reader *r)
{
	struct operator_job job = { .id = row_u64(r) };
	job.account_id = row_u64(r);
	job.campaign_id = row_id(r);
	job.kind_name = row_bytes(r);
	job.kind = (enum job_kind)find_name(kind_names, JOB_KINDS, job.kind_name);
	job.parameters = row_bytes(r);
	job.made_by = row_bytes(r);
	job.state = (enum job_state)find_name(state_names, JOB_STATES, row_bytes(r));
	job.done = row_u64(r);
	job.total = row_id(r);
	job.position = row_id(r);
	job.result = row_bytes(r);
	job.error = row_bytes(r);
	job.created_ms = row_i64(r);
	job.started_ms = row_time(r);
	job.ended_ms = row_time(r);
	return job;
}

enum result
store_list_jobs(
    struct store *store, struct pool *pool, const struct job_filter *filter, struct operator_job **jobs, size_t *count)
{
	const struct db_value below = DB_U64(filter->below == 0 ? INT64_MAX : filter->below), limit = DB_U64(filter->limit);
	struct db_rows rows;
	enum result result;
	if (filter->campaign_id != 0)
		result = store_query(
		    store, pool, &rows, &sql_select_operator_jobs_of_campaign, DB_U64(filter->campaign_id), below, limit);
	else if (filter->account_id != 0)
		result = store_query(
		    store, pool, &rows, &sql_select_operator_jobs_of_account, DB_U64(filter->account_id), below, limit);
	else
		result = store_query(store, pool, &rows, &sql_select_operator_jobs, below, limit);
	*count = result == RESULT_OK ? rows.count : 0;
	*jobs = POOL_ARRAY(pool, *count, struct operator_job);
	for (size_t i = 0; i < *count; i++)
		(*jobs)[i] = read_job(ROW(&rows, i));
	return result;
}

enum result
store_find_job(struct store *store, struct pool *pool, uint64_t id, struct operator_job *job)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_operator_job, DB_U64(id));
	if (result == RESULT_OK)
		*job = read_job(ROW(&rows, 0));
	return result;
}

/* An earlier run may have cancelled the job. */
static enum result
cancel_job(const struct transaction *txn, struct db_value id)
{
	enum result result = store_change_one(txn->store, &sql_cancel_operator_job, id);
	if (result != RESULT_NOT_FOUND)
		return result;
	result = store_exists(txn->store, &sql_select_operator_job, id);
	return result == RESULT_OK && !txn->unknown ? RESULT_REFUSED : result;
}

enum result
store_cancel_job(struct store *store, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = cancel_job(&txn, DB_U64(id));
	return txn.result;
}

/* RESULT_CONFLICT: another dispatcher was faster; the next run finds another job. */
static enum result
lease_job(struct store *store, struct pool *pool, struct db_list kinds, struct db_value owner, int64_t lease_ms,
    struct operator_job *job)
{
	struct db_rows rows;
	enum result result = db_query(store->db, pool, &sql_select_next_operator_job, &DB_LIST_AND_VALUES(kinds, owner), &rows);
	if (result == RESULT_OK && rows.count == 0)
		result = RESULT_NOT_FOUND;
	if (result != RESULT_OK)
		return result;
	const uint64_t id = db_get_u64(&rows, 0, 0);
	result = store_change_one(store, &sql_lease_operator_job, owner, DB_I64(lease_ms), DB_U64(id), owner);
	if (result == RESULT_OK)
		result = store_query_one(store, pool, &rows, &sql_select_operator_job, DB_U64(id));
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_CONFLICT : result;
	*job = read_job(ROW(&rows, 0));
	return store_run(store, &sql_note_turn_of_account, DB_U64(0), DB_U64(job->account_id));
}

enum result
store_lease_job(struct store *store, struct pool *pool, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms,
    struct operator_job *job)
{
	struct db_value kinds[JOB_KINDS];
	for (size_t i = 0; i < JOB_KINDS; i++)
		kinds[i] = db_bytes(kind_names[i]);
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = lease_job(
		    store, pool, (struct db_list){ kinds, JOB_KINDS }, db_raw(owner, DISPATCH_OWNER_SIZE), lease_ms, job);
	return txn.result;
}

/* While other accounts wait, each of them gets as much time as this account had. The account's newest job keeps the time of the
 * next turn, for a job that is added after the last job has ended. */
static enum result
note_turn(struct store *store, struct pool *pool, struct db_value account, int64_t took_ms)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_count_other_accounts, account);
	if (result != RESULT_OK)
		return result;
	const struct db_value wait_ms = DB_I64(took_ms * (int64_t)db_get_u64(&rows, 0, 0));
	result = store_run(store, &sql_note_turn_of_account, wait_ms, account);
	return result == RESULT_OK ? store_run(store, &sql_note_turn_in_newest, wait_ms, account) : result;
}

enum result
store_note_turn(struct store *store, struct pool *pool, uint64_t account_id, int64_t took_ms)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = note_turn(store, pool, DB_U64(account_id), took_ms);
	return txn.result;
}

enum result
store_note_job(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], const struct operator_job *job)
{
	return store_change_one(store, &sql_note_operator_job, DB_U64(job->done), store_id_or_null(job->total),
	    store_id_or_null(job->position), db_bytes(job->result), DB_U64(job->id), db_raw(owner, DISPATCH_OWNER_SIZE));
}

enum result
store_end_job(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], const struct operator_job *job)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = store_change_one(store, &sql_end_operator_job, DB_U64(job->done), store_id_or_null(job->total),
		    store_id_or_null(job->position), db_bytes(job->result), db_bytes(state_names[job->state]),
		    db_bytes(job->error), DB_U64(job->id), db_raw(owner, DISPATCH_OWNER_SIZE));
	return txn.result;
}

enum result
store_fail_job(struct store *store, uint64_t id, struct slice error)
{
	return store_run(store, &sql_fail_operator_job, db_bytes(error), DB_U64(id));
}

enum result
store_release_jobs(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	return store_run(store, &sql_release_operator_jobs, db_raw(owner, DISPATCH_OWNER_SIZE));
}
