/* SPDX-License-Identifier: MIT
 * Jobs of operators (docs/architecture.md 6.1): their states, leases and maximum. */
#include "unit.h"

#include <inttypes.h>

#include "store/fetched.h"
#include "store/queue/clean_up.h"
#include "store/queue/operator_jobs.h"
#include "store/state.h"

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_operator_jobs");
	return world_open(state);
}

#define JOB_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static uint64_t
add_of(struct world *w, uint64_t account_id, enum job_kind kind)
{
	const struct job_request request = { account_id, w->campaign, kind, SLICE("{\"webhook\":7}"), SLICE("a test") };
	uint64_t id = 0;
	assert_int_equal(store_add_job(w->store, NULL, &request, &id), RESULT_OK);
	return id;
}

static uint64_t
add(struct world *w, enum job_kind kind)
{
	return add_of(w, w->account, kind);
}

static struct operator_job
find(struct world *w, uint64_t id)
{
	struct operator_job job;
	assert_int_equal(store_find_job(w->store, w->pool, id, &job), RESULT_OK);
	return job;
}

/* The id of the job that this owner leases next; 0: none. */
static uint64_t
lease_next(struct world *w, const unsigned char *owner)
{
	struct operator_job job = { .id = 0 };
	const enum result result = store_lease_job(w->store, w->pool, owner, LONG_MS, &job);
	assert_int_equal(result, job.id == 0 ? RESULT_NOT_FOUND : RESULT_OK);
	/* a while passes */
	root_run("UPDATE t_operator_jobs SET turn_ms = turn_ms - 10000 WHERE turn_ms > 10000");
	root_run("UPDATE t_operator_jobs SET account_turn_ms = account_turn_ms - 10000");
	return job.id;
}

static void
a_job_goes_through_its_states(void **state)
{
	struct world *w = *state;
	const uint64_t id = add(w, JOB_WEBHOOK_TEST);
	struct operator_job job = find(w, id);
	assert_int_equal(job.state, JOB_QUEUED);
	assert_int_equal(job.kind, JOB_WEBHOOK_TEST);
	assert_true(job.account_id == w->account && job.campaign_id == w->campaign);
	assert_slice(job.parameters, "{\"webhook\":7}");
	assert_slice(job.made_by, "a test");
	assert_true(job.created_ms > 0 && job.started_ms == -1 && job.ended_ms == -1);
	assert_true(job.total == 0 && job.position == 0 && !slice_present(job.result) && !slice_present(job.error));

	assert_true(lease_next(w, owners[0]) == id);
	job = find(w, id);
	assert_int_equal(job.state, JOB_RUNNING);
	assert_true(job.started_ms >= job.created_ms);
	job.done = 3;
	job.total = 10;
	job.position = 99;
	job.result = SLICE("{\"queued\":3}");
	assert_int_equal(store_note_job(w->store, owners[0], &job), RESULT_OK);
	assert_true(lease_next(w, owners[0]) == id);
	job = find(w, id);
	assert_true(job.done == 3 && job.total == 10 && job.position == 99);
	assert_slice(job.result, "{\"queued\":3}");

	job.state = JOB_DONE;
	job.done = 10;
	assert_int_equal(store_end_job(w->store, owners[0], &job), RESULT_OK);
	job = find(w, id);
	assert_int_equal(job.state, JOB_DONE);
	assert_true(job.done == 10 && job.ended_ms >= job.started_ms);
	assert_true(lease_next(w, owners[0]) == 0);
	assert_int_equal(store_note_job(w->store, owners[0], &job), RESULT_NOT_FOUND);
	assert_int_equal(store_find_job(w->store, w->pool, UNKNOWN_ID, &job), RESULT_NOT_FOUND);
}

/* The job that was worked on longest ago is next; new jobs come first. */
static void
jobs_take_turns(void **state)
{
	struct world *w = *state;
	const uint64_t first = add(w, JOB_REDELIVERY), second = add(w, JOB_REDELIVERY);
	assert_true(lease_next(w, owners[0]) == first);
	assert_true(lease_next(w, owners[0]) == second);
	const uint64_t third = add(w, JOB_MAIL_TEST);
	assert_true(lease_next(w, owners[0]) == third);
	assert_true(lease_next(w, owners[0]) == first);
	assert_true(lease_next(w, owners[0]) == second);
}

static void
pass(int64_t ms)
{
	root_run(
	    "UPDATE t_operator_jobs SET turn_ms = turn_ms - %" PRId64 ", account_turn_ms = account_turn_ms - %" PRId64, ms, ms);
}

/* docs/operating.md 4.1: neither many jobs of an account nor a stream of new ones delays the jobs of other accounts. */
static void
accounts_take_turns(void **state)
{
	struct world *w = *state;
	const uint64_t first = add(w, JOB_WEBHOOK_TEST), second = add(w, JOB_WEBHOOK_TEST), third = add(w, JOB_WEBHOOK_TEST);
	const uint64_t others = add_of(w, w->account + 1, JOB_REDELIVERY);
	pass(1); /* the first turn is later than these jobs */
	assert_true(lease_next(w, owners[0]) == first);
	assert_true(lease_next(w, owners[0]) == others);
	assert_true(lease_next(w, owners[0]) == second);
	assert_true(lease_next(w, owners[0]) == others);
	assert_true(lease_next(w, owners[0]) == third);
	root_run("DELETE FROM t_operator_jobs WHERE account_id = %" PRIu64, w->account);
	for (int i = 0; i < 3; i++) {
		const uint64_t test = add(w, JOB_WEBHOOK_TEST);
		assert_true(lease_next(w, owners[0]) == others);
		assert_true(lease_next(w, owners[0]) == test);
		assert_int_equal(store_fail_job(w->store, test, SLICE("it ends")), RESULT_OK);
	}
}

/* An account with slow tests, each added when the last one ends, gets no more time than any other. */
static void
accounts_have_equal_time(void **state)
{
	enum { ACCOUNTS = 3, SLOW_MS = 15000, ALL_MS = 450000 };
	struct world *w = *state;
	int64_t had_ms[ACCOUNTS] = { 0 };
	for (size_t i = 0; i < ACCOUNTS; i++)
		(void)add_of(w, w->account + i, i == 0 ? JOB_WEBHOOK_TEST : JOB_REDELIVERY);
	for (int64_t at = 0; at < ALL_MS;) {
		struct operator_job job;
		assert_int_equal(store_lease_job(w->store, w->pool, owners[0], LONG_MS, &job), RESULT_OK);
		const size_t account = job.account_id - w->account;
		const int64_t took_ms = account == 0 ? SLOW_MS : 1000 * (int64_t)account;
		pass(took_ms);
		at += took_ms;
		had_ms[account] += took_ms;
		if (account == 0)
			assert_int_equal(store_fail_job(w->store, job.id, SLICE("it ends")), RESULT_OK);
		assert_int_equal(store_note_turn(w->store, w->pool, job.account_id, took_ms), RESULT_OK);
		if (account == 0)
			(void)add(w, JOB_WEBHOOK_TEST);
	}
	for (size_t i = 0; i < ACCOUNTS; i++)
		assert_in_range(had_ms[i], ALL_MS / ACCOUNTS - 2 * SLOW_MS, ALL_MS / ACCOUNTS + 2 * SLOW_MS);
}

static void
one_dispatcher_works_on_a_job(void **state)
{
	struct world *w = *state;
	const uint64_t id = add(w, JOB_REDELIVERY);
	struct due_webhooks found;
	const struct due_query query = { .limit = 1 };
	assert_int_equal(store_due_webhooks(w->store, w->pool, &query, &found), RESULT_OK);
	assert_true(found.free_jobs);
	assert_true(lease_next(w, owners[0]) == id);
	assert_int_equal(store_due_webhooks(w->store, w->pool, &query, &found), RESULT_OK);
	assert_false(found.free_jobs);
	assert_true(lease_next(w, owners[1]) == 0);
	root_run("UPDATE t_operator_jobs SET lease_until_ms = 1"); /* it ends: the dispatcher hangs, or its host is lost */
	assert_true(lease_next(w, owners[1]) == id);
	struct operator_job job = find(w, id);
	assert_int_equal(store_note_job(w->store, owners[0], &job), RESULT_NOT_FOUND);
	assert_int_equal(store_end_job(w->store, owners[0], &job), RESULT_NOT_FOUND);
	assert_int_equal(store_note_job(w->store, owners[1], &job), RESULT_OK);

	assert_int_equal(store_release_jobs(w->store, owners[0]), RESULT_OK);
	assert_true(lease_next(w, owners[0]) == 0);
	assert_int_equal(store_release_jobs(w->store, owners[1]), RESULT_OK);
	assert_true(lease_next(w, owners[0]) == id);
	assert_int_equal(store_recover(w->store, owners[0], NULL, 0), RESULT_OK); /* its process has died */
	assert_true(lease_next(w, owners[1]) == id);
}

static void
a_cancelled_job_is_not_worked_on(void **state)
{
	struct world *w = *state;
	const uint64_t queued = add(w, JOB_REDELIVERY), running = add(w, JOB_REDELIVERY);
	assert_int_equal(store_cancel_job(w->store, queued), RESULT_OK);
	assert_true(lease_next(w, owners[0]) == running);
	assert_int_equal(store_cancel_job(w->store, running), RESULT_OK);
	struct operator_job job = find(w, running);
	assert_int_equal(job.state, JOB_CANCELLED);
	assert_true(job.ended_ms > 0);
	job.state = JOB_DONE;
	assert_int_equal(store_note_job(w->store, owners[0], &job), RESULT_NOT_FOUND);
	assert_int_equal(store_end_job(w->store, owners[0], &job), RESULT_NOT_FOUND);
	assert_int_equal(find(w, running).state, JOB_CANCELLED);
	assert_true(lease_next(w, owners[0]) == 0);
	assert_int_equal(store_cancel_job(w->store, running), RESULT_REFUSED);
	assert_int_equal(store_cancel_job(w->store, UNKNOWN_ID), RESULT_NOT_FOUND);
}

static void
a_suspect_fails(void **state)
{
	struct world *w = *state;
	const uint64_t id = add(w, JOB_REDELIVERY), done = add(w, JOB_REDELIVERY);
	assert_int_equal(store_cancel_job(w->store, done), RESULT_OK);
	assert_true(lease_next(w, owners[0]) == id);
	assert_int_equal(store_fail_job(w->store, id, SLICE("crashed")), RESULT_OK);
	assert_int_equal(store_fail_job(w->store, done, SLICE("crashed")), RESULT_OK);
	assert_int_equal(find(w, id).state, JOB_FAILED);
	assert_slice(find(w, id).error, "crashed");
	assert_int_equal(find(w, done).state, JOB_CANCELLED);
	assert_true(lease_next(w, owners[0]) == 0);
}

/* Programs of two versions share the tables during an upgrade. */
static void
a_kind_of_a_later_version_is_left_alone(void **state)
{
	struct world *w = *state;
	const uint64_t id = add(w, JOB_REDELIVERY);
	root_run("UPDATE t_operator_jobs SET kind = 'later'");
	assert_true(lease_next(w, owners[0]) == 0);
	assert_int_equal(find(w, id).kind, JOB_KINDS);
	assert_slice(find(w, id).kind_name, "later");
	assert_int_equal(store_cancel_job(w->store, id), RESULT_OK);
}

static void
an_account_has_a_maximum_of_jobs(void **state)
{
	struct world *w = *state;
	const struct job_request request = { w->account, w->campaign, JOB_REDELIVERY, SLICE("{}"), SLICE("x") };
	uint64_t id = 0;
	for (unsigned i = 0; i < OPERATOR_JOBS_MAX; i++)
		assert_int_equal(store_add_job(w->store, NULL, &request, &id), RESULT_OK);
	uint64_t refused;
	assert_int_equal(store_add_job(w->store, NULL, &request, &refused), RESULT_TOO_MANY);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_operator_jobs"), OPERATOR_JOBS_MAX);
	struct job_request other = request;
	other.account_id = 0;
	assert_int_equal(store_add_job(w->store, NULL, &other, &refused), RESULT_OK);
	assert_int_equal(store_cancel_job(w->store, id), RESULT_OK);
	assert_int_equal(store_add_job(w->store, NULL, &request, &id), RESULT_OK);
}

static void
lists_have_pages(void **state)
{
	struct world *w = *state;
	const uint64_t first = add(w, JOB_REDELIVERY), second = add(w, JOB_REDELIVERY);
	const uint64_t campaign = w->campaign;
	w->campaign = add_campaign(w);
	const uint64_t third = add(w, JOB_REDELIVERY);
	root_run("INSERT INTO t_operator_jobs (id, account_id, kind, parameters, made_by, created_ms) VALUES (%" PRIu64
		 ", %" PRIu64 ", 'redelivery', '{}', 'x', 0)",
	    third + 1, w->account + 1);
	const struct {
		struct job_filter filter;
		uint64_t ids[4];
	} lists[] = {
		{ { .limit = 10 }, { third + 1, third, second, first } },
		{ { .limit = 2 }, { third + 1, third } },
		{ { .limit = 2, .below = third }, { second, first } },
		{ { .limit = 10, .account_id = w->account }, { third, second, first } },
		{ { .limit = 1, .account_id = w->account, .below = third }, { second } },
		{ { .limit = 10, .campaign_id = campaign }, { second, first } },
		{ { .limit = 10, .campaign_id = campaign, .below = first }, { 0 } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct operator_job *jobs;
		size_t count;
		assert_int_equal(store_list_jobs(w->store, w->pool, &lists[i].filter, &jobs, &count), RESULT_OK);
		for (size_t k = 0; k < 4; k++)
			assert_true((k < count ? jobs[k].id : 0) == lists[i].ids[k]);
	}
}

static void
ended_jobs_are_stored_for_thirty_days(void **state)
{
	struct world *w = *state;
	const uint64_t old = add(w, JOB_REDELIVERY), young = add(w, JOB_REDELIVERY), queued = add(w, JOB_REDELIVERY);
	struct operator_job job;
	assert_int_equal(store_cancel_job(w->store, old), RESULT_OK);
	assert_int_equal(store_cancel_job(w->store, young), RESULT_OK);
	root_run("UPDATE t_operator_jobs SET ended_ms = ended_ms - 1 - 86400000 * IF(id = %" PRIu64 ", 30, 29)", old);
	root_run("UPDATE t_operator_jobs SET created_ms = 1 WHERE id = %" PRIu64, queued);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(store_find_job(w->store, w->pool, old, &job), RESULT_NOT_FOUND);
	find(w, young);
	find(w, queued);
}

static bool
add_many(struct store *store, const struct world *w, unsigned index UNUSED)
{
	const struct job_request request = { w->account, w->campaign, JOB_REDELIVERY, SLICE("{}"), SLICE("x") };
	for (unsigned i = 0; i < OPERATOR_JOBS_MAX; i++) {
		uint64_t id;
		const enum result result = store_add_job(store, NULL, &request, &id);
		if (result == RESULT_OK)
			(void)__atomic_add_fetch(&shared[0], 1, __ATOMIC_SEQ_CST);
		else if (result != RESULT_TOO_MANY && result != RESULT_CONFLICT)
			return false;
	}
	return true;
}

/* Each job is leased by one process. */
static bool
lease_many(struct store *store, const struct world *w UNUSED, unsigned index)
{
	struct pool *pool = pool_new();
	unsigned char owner[DISPATCH_OWNER_SIZE] = { 0 };
	owner[0] = (unsigned char)(index + 1);
	bool good = true;
	for (unsigned i = 0; i < OPERATOR_JOBS_MAX && good; i++) {
		struct operator_job job;
		const enum result result = store_lease_job(store, pool, owner, LONG_MS, &job);
		good = result == RESULT_OK || result == RESULT_NOT_FOUND || result == RESULT_CONFLICT;
		if (result != RESULT_OK)
			continue;
		job.state = JOB_DONE;
		good = store_end_job(store, owner, &job) == RESULT_OK;
		(void)__atomic_add_fetch(&shared[1], 1, __ATOMIC_SEQ_CST);
	}
	pool_free(&pool);
	return good;
}

static void
processes_do_not_get_in_each_others_way(void **state)
{
	struct world *w = *state;
	processes_start(w, 4, add_many);
	assert_true(processes_end());
	assert_int_equal(shared[0], OPERATOR_JOBS_MAX);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_operator_jobs"), OPERATOR_JOBS_MAX);
	processes_start(w, 4, lease_many);
	assert_true(processes_end());
	assert_int_equal(shared[1], root_number("SELECT COUNT(*) FROM t_operator_jobs WHERE state = 'done'"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(a_job_goes_through_its_states),
		JOB_TEST(jobs_take_turns),
		JOB_TEST(accounts_take_turns),
		JOB_TEST(accounts_have_equal_time),
		JOB_TEST(one_dispatcher_works_on_a_job),
		JOB_TEST(a_cancelled_job_is_not_worked_on),
		JOB_TEST(a_suspect_fails),
		JOB_TEST(a_kind_of_a_later_version_is_left_alone),
		JOB_TEST(an_account_has_a_maximum_of_jobs),
		JOB_TEST(lists_have_pages),
		JOB_TEST(ended_jobs_are_stored_for_thirty_days),
		JOB_TEST(processes_do_not_get_in_each_others_way),
	};
	return WORLD_MAIN(tests);
}
