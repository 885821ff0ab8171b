/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1): jobs are queued once, also after connection failures; their order; removal of the rows of
 * deleted leads. */
#include "unit.h"

#include <inttypes.h>
#include <pthread.h>

#include "breaks.h"
#include "crypto/digest.h"
#include "engine/id_list.h"
#include "os/clock.h"
#include "store/bulk.h"
#include "store/queue/bulk_jobs.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "world.h"

#define COUNT_JOBS "SELECT COUNT(*) FROM t_bulk_jobs WHERE campaign_id = %" PRIu64

static void
expect_queued(struct world *w, const struct bulk_request *request, size_t expected)
{
	struct bulk_queued queued;
	assert_int_equal(store_queue_bulk(w->store, NULL, request, &queued), RESULT_OK);
	assert_int_equal(queued.leads, expected);
}

static void
expect_none(struct world *w, const struct bulk_request *request)
{
	struct bulk_queued queued;
	assert_int_equal(store_queue_bulk(w->store, NULL, request, &queued), RESULT_NOT_FOUND);
	assert_int_equal(queued.leads, 0);
}

static struct lead_reference
by_email(const char *email)
{
	return (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = slice_of(email) };
}

/* "doubles count once", no matter which identity names them; unknown leads match nothing. */
static void
each_lead_is_queued_once(void **state)
{
	struct world *w = *state;
	struct command foreign = signup(w, add_campaign(w), "lead0@example.org");
	struct bulk_job job;
	sign_up_many(w, "lead", 3);
	run_all(w, &foreign, 1);
	struct lead leads[] = { find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org"),
		find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead2@example.org"),
		find_lead(w, foreign.campaign_id, LEAD_BY_EMAIL, "lead0@example.org") };
	struct lead_reference named[] = {
		by_email("lead2@example.org"),
		by_email("lead0@example.org"),
		by_email("lead2@example.org"),
		{ .identity = LEAD_BY_SOCIAL_ID, .value = leads[0].social_id },
		{ .identity = LEAD_BY_SOCIAL_ID, .value = leads[2].social_id },
		{ .identity = LEAD_BY_ID, .id = leads[1].id },
		{ .identity = LEAD_BY_PHONE, .value = SLICE("+14155552671") },
		by_email("unknown@example.org"),
	};
	root_run("DELETE FROM t_bulk_jobs");
	expect_queued(w,
	    &(struct bulk_request){ .campaign_id = w->campaign,
		.action = LEAD_BLOCK,
		.argument = SLICE("bounced"),
		.leads = named,
		.lead_count = ARRAY_SIZE(named) },
	    2);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.campaign_id == w->campaign && job.action == LEAD_BLOCK && job.tag_id == 0);
	assert_true(job.position == 0 && job.total == 2);
	assert_slice(job.argument, "bounced");
	assert_slices_equal(job.lead_ids, pool_printf(w->pool, "%" PRIu64 ",%" PRIu64, leads[0].id, leads[1].id));
	expect_none(w, &(struct bulk_request){ .campaign_id = w->campaign, .leads = named + 6, .lead_count = 2 });
	expect_none(w, &(struct bulk_request){ .campaign_id = w->campaign });
	assert_int_equal(root_number(COUNT_JOBS, w->campaign), 1);
}

static void
as_many_leads_as_a_call_takes_are_queued(void **state)
{
	struct world *w = *state;
	struct lead_reference named[BULK_LEADS_MAX];
	struct bulk_job job;
	sign_up_many(w, "lead", BULK_LEADS_MAX);
	for (size_t i = 0; i < BULK_LEADS_MAX; i++)
		named[i] = by_email(numbered_email(w->pool, "lead", i));
	root_run("DELETE FROM t_bulk_jobs");
	const uint64_t tag = 7;
	expect_queued(w,
	    &(struct bulk_request){ .campaign_id = w->campaign,
		.action = LEAD_TAG,
		.tag_ids = &tag,
		.tag_count = 1,
		.leads = named,
		.lead_count = BULK_LEADS_MAX },
	    BULK_LEADS_MAX);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.action == LEAD_TAG && job.tag_id == 7 && job.total == BULK_LEADS_MAX);
	uint64_t id, last = 0;
	size_t count = 0;
	for (struct slice rest = job.lead_ids; id_list_next(&rest, &id); count++) {
		assert_true(id > last);
		last = id;
	}
	assert_int_equal(count, BULK_LEADS_MAX);
}

/* A campaign's jobs run in the order in which they were queued, also with several processes; a finished job is removed. */
static void
the_oldest_job_is_the_next(void **state)
{
	struct world *w = *state;
	struct store *other = store_new(&world_options);
	struct bulk_request request = { .campaign_id = w->campaign, .lead_count = 1 };
	struct lead_reference named = by_email("lead0@example.org");
	struct bulk_job job;
	struct bulk_queued queued;
	request.leads = &named;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_NOT_FOUND);
	for (int action = LEAD_OPTOUT; action < LEAD_ACTIONS; action++) {
		request.action = (enum lead_action)action;
		assert_int_equal(store_queue_bulk(action % 2 ? other : w->store, NULL, &request, &queued), RESULT_OK);
	}
	for (int action = LEAD_OPTOUT; action < LEAD_ACTIONS; action++) {
		assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
		assert_int_equal(job.action, action);
		assert_int_equal(store_skip_job_item(other, job.id, 0), RESULT_OK);
	}
	assert_int_equal(root_number(COUNT_JOBS, w->campaign), 0);
	store_free(&other);
}

static uint64_t
queue_for(struct world *w, uint64_t campaign)
{
	struct lead_reference named = by_email("lead0@example.org");
	expect_queued(
	    w, &(struct bulk_request){ .campaign_id = campaign, .action = LEAD_BLOCK, .leads = &named, .lead_count = 1 }, 1);
	return (uint64_t)root_number("SELECT MAX(id) FROM t_bulk_jobs");
}

static uint64_t
next_job_id(struct world *w)
{
	struct bulk_job job = { 0 };
	enum result result = store_next_job(w->store, w->pool, &job);
	assert_true(result == RESULT_OK || result == RESULT_NOT_FOUND);
	return result == RESULT_OK ? job.id : UNKNOWN_ID;
}

/* Runs the job's only item. */
static void
do_job(struct world *w, uint64_t campaign, uint64_t job)
{
	struct command item = change_of(w, find_lead(w, campaign, LEAD_BY_EMAIL, "lead0@example.org").id, LEAD_BLOCK);
	item.campaign_id = campaign;
	item.as.change.job_id = job;
	run_all(w, &item, 1);
}

/* Campaigns are served in turn, one job or chunk each, however many jobs one has. */
static void
campaigns_take_turns(void **state)
{
	struct world *w = *state;
	uint64_t campaigns[] = { w->campaign, add_campaign(w), add_campaign(w) }, jobs[9];
	root_run("DELETE FROM t_bulk_jobs");
	for (size_t i = 0; i < 3; i++) {
		w->campaign = campaigns[i];
		sign_up_many(w, "lead", 1);
		for (size_t n = 0; n < 3; n++)
			jobs[i * 3 + n] = queue_for(w, campaigns[i]);
	}
	/* a job that is moved by a batch, skipped or delayed counts as served */
	static const size_t order[] = { 0, 3, 6, 1, 4, 7, 2, 5, 8 };
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		uint64_t job = jobs[order[i]];
		assert_int_equal(next_job_id(w), job);
		if (order[i] < 3)
			do_job(w, campaigns[0], job);
		else if (order[i] < 6)
			assert_int_equal(store_skip_job_item(w->store, job, 0), RESULT_OK);
		else
			assert_int_equal(store_delay_job(w->store, job, 0, 0, 60 * 1000), RESULT_OK);
		/* served_ms is in milliseconds: wait for the next one */
		root_run("UPDATE t_bulk_schedule SET served_ms = served_ms - 10");
	}
	assert_int_equal(next_job_id(w), UNKNOWN_ID);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs"), 3);
	/* a new campaign has not been served yet */
	uint64_t newcomer = add_campaign(w);
	w->campaign = newcomer;
	sign_up_many(w, "lead", 1);
	uint64_t again = queue_for(w, campaigns[0]), first = queue_for(w, newcomer);
	assert_int_equal(next_job_id(w), first);
	assert_int_equal(store_skip_job_item(w->store, first, 0), RESULT_OK);
	assert_int_equal(next_job_id(w), again);
	root_run("DELETE FROM t_bulk_jobs");
}

/* A job that fails is delayed; others run in the meantime, also those of its campaign. */
static void
a_job_is_delayed_where_it_stands(void **state)
{
	struct world *w = *state;
	struct due_webhooks due;
	struct bulk_job job;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	uint64_t id = queue_for(w, w->campaign);
	/* not counted at another position, or if another process has counted that failure */
	assert_int_equal(store_delay_job(w->store, id, 1, 0, 60 * 1000), RESULT_OK);
	assert_int_equal(store_delay_job(w->store, id, 0, 1, 60 * 1000), RESULT_OK);
	assert_int_equal(store_delay_job(w->store, UNKNOWN_ID, 0, 0, 60 * 1000), RESULT_OK);
	assert_int_equal(next_job_id(w), id);
	/* counted once after a lost answer */
	breaks = (struct breaks){ .commits = 1, .after = true };
	assert_int_equal(store_delay_job(w->store, id, 0, 0, 60 * 1000), RESULT_OK);
	assert_int_equal(breaks.commits, 0);
	assert_int_equal(next_job_id(w), UNKNOWN_ID);
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = UINT64_MAX, .limit = 10 }, &due), RESULT_OK);
	assert_false(due.bulk_work);
	uint64_t later = queue_for(w, w->campaign);
	assert_int_equal(next_job_id(w), later);
	assert_int_equal(store_skip_job_item(w->store, later, 0), RESULT_OK);
	assert_int_equal(store_delay_job(w->store, id, 0, 1, 0), RESULT_OK);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.id == id && job.failures == 2);
	/* and the job continues as before */
	root_run("UPDATE t_bulk_jobs SET total = 3, lead_ids = CONCAT(lead_ids, ',1,2') WHERE id = %" PRIu64, id);
	do_job(w, w->campaign, id);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.position == 1 && job.failures == 0);
	assert_int_equal(store_delay_job(w->store, id, 1, 0, 60 * 1000), RESULT_OK);
	assert_int_equal(store_skip_job_item(w->store, id, 1), RESULT_OK);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.position == 2 && job.failures == 0);
	root_run("DELETE FROM t_bulk_jobs");
}

/* docs/architecture.md 6: programs of a later version queue changes that this one does not have. */
static void
a_job_with_an_unknown_word_is_postponed(void **state)
{
	struct world *w = *state;
	struct bulk_job job;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	const uint64_t id = queue_for(w, w->campaign), later = queue_for(w, w->campaign);
	root_run("SET STATEMENT sql_mode = '' FOR UPDATE t_bulk_jobs SET action = 0 WHERE id = %" PRIu64, id);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.id == id && job.action == LEAD_ACTIONS);
	assert_int_equal(store_postpone_job(w->store, UNKNOWN_ID, 60 * 1000), RESULT_OK);
	assert_int_equal(store_postpone_job(w->store, id, 60 * 1000), RESULT_OK);
	assert_int_equal(next_job_id(w), later);
	assert_int_equal(root_number("SELECT failures FROM t_bulk_jobs WHERE id = %" PRIu64, id), 0);
	root_run("DELETE FROM t_bulk_jobs");
}

/* Several tags are a job each, in the order of the tags; all or none fit below the account's maximum. */
static void
each_tag_is_a_job(void **state)
{
	enum { JOBS = 3 };
	struct world *w = *state;
	const uint64_t tags[] = { 7, 5, 6 };
	struct lead_reference named = by_email("lead0@example.org");
	struct bulk_request request = { 77, w->campaign, JOBS, .action = LEAD_TAG, .leads = &named, .lead_count = 1 };
	struct bulk_job job;
	struct bulk_queued queued;
	request.tag_ids = tags;
	request.tag_count = JOBS;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	expect_queued(w, &request, 1);
	for (size_t i = 0; i < JOBS; i++) {
		assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
		assert_true(job.action == LEAD_TAG && job.tag_id == tags[i] && job.total == 1);
		assert_int_equal(store_skip_job_item(w->store, job.id, 0), RESULT_OK);
	}
	request.tag_count = 1;
	expect_queued(w, &request, 1);
	request.tag_count = JOBS;
	assert_int_equal(store_queue_bulk(w->store, NULL, &request, &queued), RESULT_TOO_MANY);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs"), 1);
	request.tag_count = JOBS - 1;
	expect_queued(w, &request, 1);
	/* also after a lost answer */
	root_run("DELETE FROM t_bulk_jobs");
	breaks = (struct breaks){ .commits = 1, .after = true };
	expect_queued(w, &request, 1);
	assert_int_equal(breaks.commits, 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs"), JOBS - 1);
	root_run("DELETE FROM t_bulk_jobs");
}

/* The existing referrers of the named leads, each once. */
static void
referrers_are_queued_once(void **state)
{
	struct world *w = *state;
	struct lead_reference named[4];
	struct bulk_request request = { .campaign_id = w->campaign, .action = LEAD_OPTOUT, .leads = named, .referrers = true };
	struct bulk_job job;
	sign_up_many(w, "lead", 2);
	const struct lead referrer = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org");
	const struct lead gone = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead1@example.org");
	struct command commands[] = { referred_signup(w, "a@example.org", referrer.social_id),
		referred_signup(w, "b@example.org", referrer.social_id), referred_signup(w, "c@example.org", gone.social_id) };
	run_all(w, commands, ARRAY_SIZE(commands));
	root_run("DELETE FROM t_leads WHERE id = %" PRIu64, gone.id);
	root_run("DELETE FROM t_bulk_jobs");
	named[0] = by_email("lead0@example.org");
	named[1] = by_email("c@example.org");
	request.lead_count = 2;
	expect_queued(w, &request, 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs"), 0);
	named[2] = by_email("a@example.org");
	named[3] = by_email("b@example.org");
	request.lead_count = 4;
	expect_queued(w, &request, 1);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.total == 1);
	assert_slices_equal(job.lead_ids, pool_printf(w->pool, "%" PRIu64, referrer.id));
	named[0] = by_email("unknown@example.org");
	request.lead_count = 1;
	expect_none(w, &request);
	root_run("DELETE FROM t_bulk_jobs");
}

/* An account has `account_jobs` jobs at most, in all of its campaigns (docs/api.md 4.1). */
static void
an_account_has_a_number_of_jobs(void **state)
{
	enum { JOBS = 3, STORES = 4 };
	struct world *w = *state;
	const uint64_t account = 77, other = 78;
	struct lead_reference named = by_email("lead0@example.org");
	struct bulk_request request = { account, w->campaign, JOBS, .action = LEAD_BLOCK, .leads = &named, .lead_count = 1 };
	struct bulk_queued queued;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	for (int i = 0; i < JOBS; i++)
		expect_queued(w, &request, 1);
	assert_int_equal(store_queue_bulk(w->store, NULL, &request, &queued), RESULT_TOO_MANY);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs WHERE account_id = %" PRIu64, account), JOBS);
	request.account_id = other;
	expect_queued(w, &request, 1);
	request.account_id = account;
	request.account_jobs = 0; /* any number */
	expect_queued(w, &request, 1);
	root_run("DELETE FROM t_bulk_jobs");
	request.account_jobs = JOBS;
	expect_queued(w, &request, 1);
}

struct rival {
	const struct bulk_request *request;
	unsigned queued, refused;
	pthread_t thread;
};

enum { RIVALS = 4, CALLS_OF_RIVAL = 5 };

static void *
queue_as_rival(void *context)
{
	struct rival *rival = context;
	struct store *store = store_new(&world_options);
	for (int i = 0; i < CALLS_OF_RIVAL; i++) {
		struct bulk_queued queued;
		enum result result = store_queue_bulk(store, NULL, rival->request, &queued);
		rival->queued += result == RESULT_OK ? 1 : 0;
		rival->refused += result == RESULT_TOO_MANY ? 1 : 0;
	}
	store_free(&store);
	digest_end_thread();
	return NULL;
}

/* The maximum also applies to concurrent calls. */
static void
rivals_do_not_exceed_it_together(void **state)
{
	enum { JOBS = 7 };
	struct world *w = *state;
	struct lead_reference named = by_email("lead0@example.org");
	const struct bulk_request request = { 77, w->campaign, JOBS, .action = LEAD_BLOCK, .leads = &named, .lead_count = 1 };
	struct rival rivals[RIVALS] = { 0 };
	unsigned queued = 0, refused = 0;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	for (int i = 0; i < RIVALS; i++) {
		rivals[i].request = &request;
		assert_int_equal(pthread_create(&rivals[i].thread, NULL, queue_as_rival, &rivals[i]), 0);
	}
	for (int i = 0; i < RIVALS; i++) {
		pthread_join(rivals[i].thread, NULL);
		queued += rivals[i].queued;
		refused += rivals[i].refused;
	}
	assert_int_equal(queued, JOBS);
	assert_int_equal(refused, RIVALS * CALLS_OF_RIVAL - JOBS);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs"), JOBS);
	root_run("DELETE FROM t_bulk_jobs");
}

/* A locked campaign does not hold up the queue. */
static void
a_locked_campaign_is_delayed_at_once(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	uint64_t id = queue_for(w, w->campaign);
	root_run("BEGIN");
	root_number("SELECT lead_count FROM t_campaign_counters WHERE campaign_id = %" PRIu64 " FOR UPDATE", w->campaign);
	int64_t before = clock_monotonic_ms();
	assert_int_equal(store_delay_job(w->store, id, 0, 0, 60 * 1000), RESULT_OK);
	assert_true(clock_monotonic_ms() - before < 4000); /* less than the lock wait timeout */
	root_run("ROLLBACK");
	root_run("DELETE FROM t_bulk_jobs");
}

/* The query runs before every chunk. */
static void
a_long_queue_costs_what_a_short_one_does(void **state)
{
	enum { JOBS = 5000, CAMPAIGNS = 20 };
	struct world *w = *state;
	root_run("DELETE FROM t_bulk_jobs");
	root_run("INSERT INTO t_bulk_jobs (id, campaign_id, action, lead_ids, total, created_ms) SELECT 8000000 + seq, "
		 "9000000 + seq %% %d, 'block', REPEAT('1234567,', 250), 250, 0 FROM seq_1_to_%d",
	    CAMPAIGNS, JOBS);
	root_run("ANALYZE TABLE t_bulk_jobs");
	assert_int_equal(next_job_id(w), 8000001);
	for (int i = 0; i < 3; i++) {
		root_run(
		    "UPDATE t_bulk_jobs SET position = position + 1 WHERE id %% 100 = 0"); /* a statement may be planned anew */
		int64_t before = root_rows_read();
		assert_int_equal(next_job_id(w), 8000001);
		assert_in_range(root_rows_read() - before, CAMPAIGNS, 20 * CAMPAIGNS);
	}
	root_run("DELETE FROM t_bulk_jobs");
}

static void
an_item_is_skipped_where_the_job_stands(void **state)
{
	struct world *w = *state;
	struct lead_reference named[] = { by_email("lead0@example.org"), by_email("lead1@example.org") };
	struct bulk_job job, later;
	sign_up_many(w, "lead", 2);
	root_run("DELETE FROM t_bulk_jobs");
	expect_queued(w, &(struct bulk_request){ .campaign_id = w->campaign, .leads = named, .lead_count = 2 }, 2);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_int_equal(store_skip_job_item(w->store, job.id, 1), RESULT_OK);
	assert_int_equal(store_skip_job_item(w->store, UNKNOWN_ID, 0), RESULT_OK);
	assert_int_equal(store_next_job(w->store, w->pool, &later), RESULT_OK);
	assert_int_equal(later.position, 0);
	/* after a lost answer the next item is not skipped */
	breaks = (struct breaks){ .commits = 1, .after = true };
	assert_int_equal(store_skip_job_item(w->store, job.id, 0), RESULT_OK);
	assert_int_equal(breaks.commits, 0);
	assert_int_equal(store_next_job(w->store, w->pool, &later), RESULT_OK);
	assert_int_equal(later.position, 1);
	assert_int_equal(store_skip_job_item(w->store, job.id, 1), RESULT_OK);
	assert_int_equal(store_next_job(w->store, w->pool, &later), RESULT_NOT_FOUND);
}

static void
do_all_jobs(void)
{
	root_run("DELETE FROM t_leads WHERE id IN (SELECT CAST(lead_ids AS UNSIGNED) FROM t_bulk_jobs)");
	root_run("DELETE FROM t_bulk_jobs");
}

/* After a COMMIT of unknown outcome the job is queued once, also when the dispatcher has finished it by then. The repetition
 * writes a fence, so that the job is on disk. */
static void
a_lost_answer_queues_nothing_twice(void **state)
{
	static const struct {
		struct breaks breaks;
		int64_t jobs, tokens;
	} cases[] = {
		{ { .commits = 1 }, 1, 1 },
		{ { .commits = 1, .after = true }, 1, 2 },
		{ { .commits = 1, .after = true, .begins = 3, .why = RESULT_CONFLICT }, 1, 2 },
		{ { .commits = 1, .after = true, .meanwhile = do_all_jobs }, 0, 2 },
	};
	struct world *w = *state;
	struct lead_reference named = by_email("lead0@example.org");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		w->campaign = add_campaign(w);
		sign_up_many(w, "lead", 1);
		int64_t tokens = root_number("SELECT COUNT(*) FROM t_commit_tokens");
		breaks = cases[i].breaks;
		expect_queued(w,
		    &(struct bulk_request){
			.campaign_id = w->campaign, .action = LEAD_DELETE, .leads = &named, .lead_count = 1 },
		    1);
		assert_int_equal(breaks.commits, 0);
		assert_int_equal(root_number(COUNT_JOBS, w->campaign), cases[i].jobs);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), tokens + cases[i].tokens);
	}
}

/* store_due_webhooks reports queued jobs. */
static void
queued_jobs_are_reported_with_due_webhooks(void **state)
{
	struct world *w = *state;
	struct due_webhooks due;
	struct lead_reference named = by_email("lead0@example.org");
	sign_up_many(w, "lead", 1);
	root_run("DELETE FROM t_bulk_jobs");
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = UINT64_MAX, .limit = 10 }, &due), RESULT_OK);
	assert_false(due.bulk_work);
	expect_queued(w, &(struct bulk_request){ .campaign_id = w->campaign, .leads = &named, .lead_count = 1 }, 1);
	int64_t before = root_questions();
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = UINT64_MAX, .limit = 10 }, &due), RESULT_OK);
	assert_true(due.bulk_work);
	assert_int_equal(root_questions() - before, 2);
}

static void
plant_entries(uint64_t lead, unsigned count)
{
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT %" PRIu64
		 ", 'custom', seq, 0, 1, 1, 0 FROM seq_1_to_%u",
	    lead, count);
}

/* A call removes a limited number of rows, and the next one continues; other leads keep their rows. */
static void
rows_of_deleted_leads_are_removed_in_chunks(void **state)
{
	enum { LEADS = 250, ENTRIES = 25000, MESSAGES = 16000 };
	static const char left[] = "SELECT COUNT(*) FROM t_score_entries WHERE lead_id >= 9000000";
	struct world *w = *state;
	root_run("DELETE FROM t_deleted_leads");
	plant_entries(9000000, ENTRIES);
	plant_entries(9999999, 5);
	root_run("INSERT INTO t_messages (id, campaign_id, lead_id, kind, state, created_ms, due_ms)"
		 " SELECT seq, 1, 9000000, 0, 'dropped', 0, 0 FROM seq_1_to_%d",
	    MESSAGES);
	root_run("INSERT INTO t_deleted_leads (lead_id) SELECT 9000000 + seq FROM seq_0_to_%d", LEADS - 1);
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT lead_id, "
		 "'signup', 0, 0, 1, 1, 0 FROM t_deleted_leads");
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number(left), 5 + LEADS + ENTRIES - 20000);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads"), LEADS);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number(left), 5 + LEADS - 100);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = 9000000"), MESSAGES - 15000);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads"), LEADS);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number(left), 5);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = 9000000"), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads"), 0);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(each_lead_is_queued_once),
		WORLD_TEST(as_many_leads_as_a_call_takes_are_queued),
		WORLD_TEST(the_oldest_job_is_the_next),
		WORLD_TEST(campaigns_take_turns),
		WORLD_TEST(a_job_is_delayed_where_it_stands),
		WORLD_TEST(a_job_with_an_unknown_word_is_postponed),
		WORLD_TEST(each_tag_is_a_job),
		WORLD_TEST(referrers_are_queued_once),
		WORLD_TEST(an_account_has_a_number_of_jobs),
		WORLD_TEST(rivals_do_not_exceed_it_together),
		WORLD_TEST(a_locked_campaign_is_delayed_at_once),
		WORLD_TEST(a_long_queue_costs_what_a_short_one_does),
		WORLD_TEST(an_item_is_skipped_where_the_job_stands),
		WORLD_TEST(a_lost_answer_queues_nothing_twice),
		WORLD_TEST(queued_jobs_are_reported_with_due_webhooks),
		WORLD_TEST(rows_of_deleted_leads_are_removed_in_chunks),
	};
	return WORLD_MAIN(tests);
}
