/* SPDX-License-Identifier: MIT
 * The list of bulk jobs of a campaign. */
#include "unit.h"

#include <inttypes.h>

#include "store/bulk.h"
#include "store/queue/bulk_jobs.h"
#include "store/world.h"

/* leadhook(1), lead jobs: the unfinished jobs of the campaign, in order, with their progress */
static void
the_jobs_of_a_campaign_are_listed(void **state)
{
	struct world *w = *state;
	static const uint64_t tags[] = { 7, 8 };
	const struct lead_reference named[] = { { .identity = LEAD_BY_EMAIL, .value = SLICE("lead0@example.org") },
		{ .identity = LEAD_BY_EMAIL, .value = SLICE("lead1@example.org") } };
	struct bulk_request request = { .account_id = w->account,
		.campaign_id = w->campaign,
		.action = LEAD_TAG,
		.tag_ids = tags,
		.tag_count = 2,
		.leads = named,
		.lead_count = 2 };
	struct bulk_job *jobs;
	struct bulk_queued first, last;
	size_t count;
	sign_up_many(w, "lead", 2);
	assert_int_equal(store_queue_bulk(w->store, NULL, &request, &first), RESULT_OK);
	request.action = LEAD_BLOCK;
	request.tag_count = 0;
	request.argument = SLICE("spam");
	assert_int_equal(store_queue_bulk(w->store, NULL, &request, &last), RESULT_OK);
	assert_int_equal(last.job_id, first.job_id + 2);
	root_run("UPDATE t_bulk_jobs SET position = 1, failures = 3, delayed_until_ms = 77 WHERE id = %" PRIu64, last.job_id);
	assert_int_equal(store_list_bulk_jobs(w->store, w->pool, w->campaign, 100, &jobs, &count), RESULT_OK);
	assert_int_equal(count, 3);
	assert_true(jobs[0].id == first.job_id && jobs[0].action == LEAD_TAG && jobs[0].tag_id == 7 && jobs[0].total == 2);
	assert_true(jobs[1].id == first.job_id + 1 && jobs[1].tag_id == 8 && jobs[1].position == 0 && jobs[1].created_ms > 0);
	assert_true(
	    jobs[2].action == LEAD_BLOCK && jobs[2].position == 1 && jobs[2].failures == 3 && jobs[2].delayed_until_ms == 77);
	assert_true(slice_equal(jobs[2].argument, SLICE("spam")));
	assert_int_equal(store_list_bulk_jobs(w->store, w->pool, w->campaign, 1, &jobs, &count), RESULT_OK);
	assert_int_equal(count, 1);
	assert_int_equal(store_list_bulk_jobs(w->store, w->pool, add_campaign(w), 100, &jobs, &count), RESULT_OK);
	assert_int_equal(count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_jobs_of_a_campaign_are_listed),
	};
	return WORLD_MAIN(tests);
}
