/* SPDX-License-Identifier: MIT
 * leadhook-fcgi(8): a request that crashes the committer twice is refused, and all others are served. */
#include "committer_world.h"

#include "own_process.h"

#include "commit/suspects.h"
#include "os/clock.h"

enum { MINUTE = 60 * 1000 };

/* ---- the table ---- */

static struct suspects *suspects;
static const struct commit_request *dying[SUSPECTS_BATCH_MAX];
static size_t dying_count;
static int64_t now_ms = MINUTE;

static void
die(void)
{
	suspects_recover(suspects, now_ms);
	suspects_begin(suspects, dying, dying_count);
}

static void
recover(void)
{
	suspects_recover(suspects, now_ms);
}

/* Simulates a committer that died while it ran the requests. */
static void
die_of(const struct commit_request *requests, size_t count)
{
	for (dying_count = 0; dying_count < count; dying_count++)
		dying[dying_count] = &requests[dying_count];
	assert_holds(die);
	assert_holds(recover);
}

static int
open_table(void **state UNUSED)
{
	pool = pool_new();
	suspects = suspects_new();
	return suspects == NULL ? -1 : 0;
}

static int
close_table(void **state UNUSED)
{
	suspects_free(&suspects);
	pool_free(&pool);
	return 0;
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, open_table, close_table)

static void
assert_suspicion(const struct commit_request *request, enum suspicion wanted)
{
	assert_int_equal(suspects_judge(suspects, request, now_ms), wanted);
}

static struct commit_request
of_campaign(uint64_t campaign_id, const char *email)
{
	struct commit_request request = request_of(REQUEST_COMMAND);
	request.as.command.as.signup.email_key = slice_of(email);
	request.as.command.campaign_id = campaign_id;
	return request;
}

static void
the_second_death_alone_counts(void **state UNUSED)
{
	const struct commit_request batch[] = { of_campaign(1, "a"), of_campaign(1, "b"), of_campaign(2, "a") };
	assert_false(suspects_any(suspects, now_ms));
	die_of(batch, 3);
	die_of(batch, 3); /* two batches that overlap */
	assert_true(suspects_any(suspects, now_ms));
	for (size_t i = 0; i < 3; i++)
		assert_suspicion(&batch[i], SUSPICION_ALONE);
	suspects_clear(suspects, &batch[0]);
	die_of(&batch[1], 1);
	assert_suspicion(&batch[0], SUSPICION_NONE);
	assert_suspicion(&batch[1], SUSPICION_REFUSED);
	assert_suspicion(&batch[2], SUSPICION_ALONE);
}

static void
an_orderly_end_accuses_none(void **state UNUSED)
{
	const struct commit_request one = of_campaign(1, "a");
	die_of(&one, 0);
	assert_suspicion(&one, SUSPICION_NONE);
	assert_false(suspects_any(suspects, now_ms));
}

static void
a_clients_next_try_is_the_same_request(void **state UNUSED)
{
	struct commit_request one = of_campaign(1, "a"), other = of_campaign(1, "b");
	die_of(&one, 1);
	one.deadline_ms += 1000;
	one.id = SLICE("another");
	one.as.command.as.signup.utm = SLICE("{}");
	assert_suspicion(&one, SUSPICION_ALONE);
	assert_suspicion(&other, SUSPICION_NONE);
	struct commit_request look_up = request_of(REQUEST_LOOK_UP);
	look_up.as.look_up.campaign_id = 1;
	assert_suspicion(&look_up, SUSPICION_NONE);
}

static void
a_refusal_ends_and_is_renewed_by_one_death(void **state UNUSED)
{
	const struct commit_request one = of_campaign(1, "a");
	die_of(&one, 1);
	die_of(&one, 1);
	now_ms += 10 * MINUTE - 1;
	assert_suspicion(&one, SUSPICION_REFUSED);
	now_ms += 1;
	assert_suspicion(&one, SUSPICION_ALONE);
	die_of(&one, 1);
	assert_suspicion(&one, SUSPICION_REFUSED);
	now_ms += 20 * MINUTE;
	assert_suspicion(&one, SUSPICION_NONE);
	assert_false(suspects_any(suspects, now_ms));
}

static void
a_campaign_with_three_of_them_is_refused(void **state UNUSED)
{
	static const char *const emails[] = { "a", "b", "c" };
	const struct commit_request other = of_campaign(1, "d"), elsewhere = of_campaign(2, "d");
	for (size_t i = 0; i < ARRAY_SIZE(emails); i++) {
		const struct commit_request one = of_campaign(1, emails[i]);
		assert_suspicion(&other, SUSPICION_NONE);
		die_of(&one, 1);
		die_of(&one, 1);
	}
	assert_suspicion(&other, SUSPICION_REFUSED);
	assert_suspicion(&elsewhere, SUSPICION_NONE);
	now_ms += 10 * MINUTE;
	assert_suspicion(&other, SUSPICION_NONE);
}

/* The memory is bounded: the oldest entries are replaced. */
static void
there_may_be_any_number(void **state UNUSED)
{
	struct commit_request batch[SUSPECTS_BATCH_MAX];
	for (size_t round = 0; round < 10; round++) {
		for (size_t i = 0; i < SUSPECTS_BATCH_MAX; i++)
			batch[i] = of_campaign(1 + i, pool_string(pool, pool_printf(pool, "%zu", round)));
		now_ms++;
		die_of(batch, SUSPECTS_BATCH_MAX);
		for (size_t i = 0; i < SUSPECTS_BATCH_MAX; i++)
			assert_suspicion(&batch[i], SUSPICION_ALONE);
	}
}

/* ---- the committer ---- */

static void
request_poison(size_t peer)
{
	const struct commit_request request = sign_up(POISON);
	send_request(peer, &request);
}

static void
assert_refused(size_t peer)
{
	const struct commit_answer answer = answer_of(peer);
	assert_int_equal(answer.kind, ANSWER_OUTCOME);
	assert_int_equal(answer.as.outcome.failure, FAILURE_INTERNAL);
}

static void
one_command_of_a_batch_is_to_blame(void **state UNUSED)
{
	hold();
	connect_peers(3);
	request_sign_up(1);
	request_poison(2);
	request_sign_up(3);
	release();
	restart_committer();
	connect_peers(3); /* connects peers 4 to 6 */
	request_sign_up(1 + 3);
	assert_own_outcome(4);
	request_poison(5);
	assert_closed(5);
	restart_committer();
	connect_peers(2);
	request_poison(7);
	assert_refused(7);
	request_sign_up(8);
	assert_own_outcome(8);
	assert_string_equal(shared->calls, "E1 ");
}

static void
others_come_before_a_suspect(void **state UNUSED)
{
	connect_peers(1);
	request_poison(0);
	assert_closed(0);
	restart_committer();
	connect_peers(3);
	hold_peer(1);
	request_poison(2);
	request_sign_up(3);
	atomic_store(&shared->hold, false);
	assert_own_outcome(1);
	assert_own_outcome(3);
	assert_closed(2);
	restart_committer();
}

static void
look_ups_and_campaigns_too(void **state UNUSED)
{
	struct commit_request requests[] = { request_of(REQUEST_LOOK_UP), request_of(REQUEST_CAMPAIGN) };
	requests[0].as.look_up.reference.value = POISON;
	requests[1].as.campaign_id = POISONED;
	size_t peer = 0;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		for (unsigned death = 0; death < 2; death++) {
			connect_peers(1);
			send_request(peer, &requests[i]);
			assert_closed(peer++);
			restart_committer();
		}
		connect_peers(1);
		send_request(peer, &requests[i]);
		if (requests[i].kind == REQUEST_LOOK_UP)
			assert_refused(peer++);
		else
			assert_int_equal(answer_of(peer++).result, RESULT_FAILED);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(the_second_death_alone_counts),
		TABLE_TEST(an_orderly_end_accuses_none),
		TABLE_TEST(a_clients_next_try_is_the_same_request),
		TABLE_TEST(a_refusal_ends_and_is_renewed_by_one_death),
		TABLE_TEST(a_campaign_with_three_of_them_is_refused),
		TABLE_TEST(there_may_be_any_number),
		COMMITTER_TEST(one_command_of_a_batch_is_to_blame),
		COMMITTER_TEST(others_come_before_a_suspect),
		COMMITTER_TEST(look_ups_and_campaigns_too),
	};
	return cmocka_run_group_tests_name("commit/suspects", tests, NULL, NULL);
}
