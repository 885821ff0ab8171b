/* SPDX-License-Identifier: MIT
 * Turns of bulk work (docs/architecture.md 6): of accounts, then of an account's campaigns. Modules: store/queue. */
#include "unit.h"

#include <inttypes.h>

#include "store/queue/bulk_jobs.h"
#include "store/world.h"

enum { NONE = 0 };

static void
queue(uint64_t id, uint64_t account, uint64_t campaign)
{
	root_run("INSERT INTO t_bulk_jobs (id, account_id, campaign_id, action, lead_ids, total, created_ms) "
		 "VALUES (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 'block', '1', 1, 0)",
	    id, account, campaign);
}

static uint64_t
next_job(struct world *w)
{
	struct bulk_job job = { 0 };
	const enum result result = store_next_job(w->store, w->pool, &job);
	assert_true(result == RESULT_OK || result == RESULT_NOT_FOUND);
	return result == RESULT_OK ? job.id : NONE;
}

/* Runs the next job, which must be this one. Turns are recorded in milliseconds: waits until the next turn is later. */
static void
does(struct world *w, uint64_t id)
{
	assert_int_equal(next_job(w), id);
	assert_int_equal(store_skip_job_item(w->store, id, 0), RESULT_OK);
	root_run("UPDATE t_bulk_schedule SET served_ms = served_ms - 10");
}

/* An account's jobs in many campaigns do not delay those of another account, even if each is the only job of its campaign; its
 * campaigns take turns nevertheless. */
static void
accounts_take_turns(void **state)
{
	static const uint64_t order[] = { 1, 6, 2, 8, 7, 3, 9, 4, 10, 5, 11 };
	struct world *w = *state;
	root_run("DELETE FROM t_bulk_jobs");
	root_run("DELETE FROM t_bulk_schedule");
	for (uint64_t i = 1; i <= 5; i++)
		queue(i, 1, 100 + i % 4);
	queue(6, 2, 200);
	queue(7, 2, 200);
	does(w, 1);
	does(w, 6);
	does(w, 2);
	/* an account that is added later has the next turn */
	queue(8, 3, 300);
	for (uint64_t i = 9; i <= 11; i++)
		queue(i, 3, 300);
	for (size_t i = 3; i < ARRAY_SIZE(order); i++)
		does(w, order[i]);
	assert_int_equal(next_job(w), NONE);
}

/* The campaigns of an account take turns: the fifth job, which is of the same campaign as the first, is done after those of the
 * other campaigns. */
static void
campaigns_of_an_account_take_turns(void **state)
{
	struct world *w = *state;
	root_run("DELETE FROM t_bulk_jobs");
	root_run("DELETE FROM t_bulk_schedule");
	queue(1, 1, 100);
	queue(2, 1, 100);
	queue(3, 1, 101);
	queue(4, 1, 102);
	queue(5, 2, 200);
	queue(6, 2, 200);
	static const uint64_t order[] = { 1, 5, 3, 6, 4, 2 };
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		does(w, order[i]);
}

/* An account whose jobs are all delayed has no turn. */
static void
delayed_jobs_take_no_turn(void **state)
{
	struct world *w = *state;
	root_run("DELETE FROM t_bulk_jobs");
	root_run("DELETE FROM t_bulk_schedule");
	queue(1, 1, 100);
	queue(2, 2, 200);
	queue(3, 2, 201);
	assert_int_equal(store_delay_job(w->store, 1, 0, 0, 60 * 1000), RESULT_OK);
	does(w, 2);
	does(w, 3);
	assert_int_equal(next_job(w), NONE);
	root_run("UPDATE t_bulk_jobs SET delayed_until_ms = 0");
	does(w, 1);
}

/* The query runs before every chunk: neither many jobs nor many campaigns without jobs make it slow. */
static void
what_is_not_next_costs_little(void **state)
{
	enum { ACCOUNTS = 5, CAMPAIGNS = 50, JOBS = 5000, SERVED = 1000 };
	struct world *w = *state;
	root_run("DELETE FROM t_bulk_jobs");
	root_run("DELETE FROM t_bulk_schedule");
	root_run("INSERT INTO t_bulk_jobs (id, account_id, campaign_id, action, lead_ids, total, created_ms) SELECT seq, "
		 "1 + seq %% %d, seq %% %d, 'block', REPEAT('1234567,', 250), 250, 0 FROM seq_1_to_%d",
	    ACCOUNTS, CAMPAIGNS, JOBS);
	root_run("INSERT INTO t_bulk_schedule (campaign_id, account_id, served_ms) SELECT seq, 1 + seq %% %d, seq FROM "
		 "seq_%d_to_%d",
	    ACCOUNTS, CAMPAIGNS, CAMPAIGNS + ACCOUNTS * SERVED - 1);
	root_run("ANALYZE TABLE t_bulk_jobs, t_bulk_schedule");
	for (int i = 0; i < 3; i++) {
		const int64_t before = root_rows_read();
		assert_int_equal(next_job(w), ACCOUNTS);
		assert_in_range(root_rows_read() - before, CAMPAIGNS, 20 * CAMPAIGNS);
	}
	root_run("DELETE FROM t_bulk_jobs");
	root_run("DELETE FROM t_bulk_schedule");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(accounts_take_turns),
		WORLD_TEST(campaigns_of_an_account_take_turns),
		WORLD_TEST(delayed_jobs_take_no_turn),
		WORLD_TEST(what_is_not_next_costs_little),
	};
	return WORLD_MAIN(tests);
}
