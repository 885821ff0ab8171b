/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7: batches, refusals, look-ups and the end of the committer. */
#include "committer_world.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "commit/commit_directory.h"
#include "commit/committer.h"
#include "commit/receiver.h"
#include "os/clock.h"

static void
test_requests_during_a_batch_form_the_next(void **state UNUSED)
{
	hold();
	connect_peers(20);
	for (size_t i = 1; i <= 20; i++)
		request_sign_up(i);
	release();
	for (size_t i = 1; i <= 20; i++)
		assert_own_outcome(i);
	request_sign_up(3);
	assert_own_outcome(3);
	assert_string_equal(shared->calls, "E1 E20 E1 ");
}

static void
test_a_batch_has_an_end(void **state UNUSED)
{
	hold();
	connect_peers(200);
	for (size_t i = 1; i <= 200; i++)
		request_sign_up(i);
	release();
	for (size_t i = 1; i <= 200; i++)
		assert_own_outcome(i);
	assert_string_equal(shared->calls, "E1 E128 E72 ");
}

/* A request for which a batch has no room is first in the next batch, no matter what the others send in the meantime. */
static void
test_no_request_is_passed_over_for_ever(void **state UNUSED)
{
	enum { BEGUN = 2 * COMMITTER_BATCH_MAX, ALL = BEGUN + 40 };
	hold();
	connect_peers(ALL);
	for (size_t i = 1; i <= ALL; i++)
		request_sign_up(i);
	hold_next(); /* the first 128 */
	hold_next(); /* the next 128 */
	for (size_t i = 0; i <= COMMITTER_BATCH_MAX; i++) {
		assert_own_outcome(i);
		request_sign_up(i);
	}
	hold_next();
	hold_next();
	for (size_t i = BEGUN + 1; i <= ALL; i++)
		assert_own_outcome(i);
}

static void
test_the_leads_of_a_batch_are_limited(void **state UNUSED)
{
	static const size_t leads[] = { 100, 100, 57, 250, 250, 56, 150 };
	connect_peers(1);
	for (size_t i = 0; i < 20; i++) { /* afterwards, little work is expected of commands that book points */
		request_points(0, 1);
		assert_int_equal(answer_of(0).kind, ANSWER_OUTCOME);
	}
	shared->calls[0] = '\0';
	hold_peer(0);
	connect_peers(ARRAY_SIZE(leads));
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		request_points(1 + i, leads[i]);
	release();
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		assert_int_equal(answer_of(1 + i).kind, ANSWER_OUTCOME);
	assert_string_equal(shared->calls, "E1 E2 E1 E1 E1 E2 ");
}

/* docs/architecture.md 7.1.1: a sign-up does not wait for another account's flood that came before it. */
static void
test_accounts_take_turns(void **state UNUSED)
{
	enum { FLOOD = 8, OTHER = 1 + FLOOD };
	struct commit_request request = sign_up(pool_printf(pool, "%d@example.org", OTHER));
	request.as.command.owner_id = 2;
	hold();
	connect_peers(1 + FLOOD);
	for (size_t i = 1; i <= FLOOD; i++)
		request_points(i, 100);
	send_request(OTHER, &request);
	hold_next();
	hold_next();
	assert_own_outcome(OTHER);
	atomic_store(&shared->hold, false);
	for (size_t i = 1; i <= FLOOD; i++)
		assert_int_equal(answer_of(i).kind, ANSWER_OUTCOME);
}

static void
test_a_command_of_more_leads_is_a_batch(void **state UNUSED)
{
	connect_peers(1);
	request_points(0, COMMITTER_LEADS_MAX + 1);
	assert_int_equal(answer_of(0).kind, ANSWER_OUTCOME);
}

static void
test_a_request_past_its_deadline_is_refused(void **state UNUSED)
{
	struct commit_request late = sign_up(SLICE("late@example.org"));
	hold();
	connect_peers(2);
	late.deadline_ms = clock_monotonic_ms();
	send_request(1, &late);
	request_sign_up(2);
	release();
	assert_int_equal(answer_of(1).kind, ANSWER_REFUSED);
	assert_own_outcome(2);
	assert_string_equal(shared->calls, "E1 E1 ");
}

static void
test_a_closed_peer_is_not_served(void **state UNUSED)
{
	hold();
	connect_peers(3);
	for (size_t i = 1; i <= 3; i++)
		request_sign_up(i);
	shutdown(peers[2], SHUT_RDWR);
	release();
	assert_own_outcome(1);
	assert_own_outcome(3);
	request_sign_up(1);
	assert_own_outcome(1);
	assert_null(strstr(shared->calls, "E4"));
}

static void
test_bytes_that_are_no_request(void **state UNUSED)
{
	connect_peers(3);
	assert_int_equal(send(peers[0], "\3\0\0\0xyz", 7, 0), 7);
	assert_int_equal(send(peers[1], "\377\377\377\377", 4, 0), 4);
	assert_closed(0);
	assert_closed(1);
	request_sign_up(2);
	assert_own_outcome(2);
}

static void
test_two_requests_at_once(void **state UNUSED)
{
	hold();
	connect_peers(1);
	request_sign_up(1);
	request_sign_up(1);
	release();
	assert_closed(1);
}

/* Sends to `count` peers from `first` on, as much as they accept at a time, until everything is sent. */
static void
pump(struct buffer *out, size_t *sent, size_t first, size_t count)
{
	bool more;
	do {
		more = false;
		for (size_t i = 0; i < count; i++) {
			enum frame_state state = frame_send(peers[first + i], out, &sent[i]);
			assert_int_not_equal(state, FRAME_BROKEN);
			more = more || state == FRAME_PARTIAL;
		}
	} while (more);
}

static void
test_a_full_queue(void **state UNUSED)
{
	enum { COUNT = 10, FITTING = (QUEUE_MAX_BYTES - 1) / LARGE };
	static char text[LARGE];
	memset(text, 'x', sizeof(text));
	const struct commit_request request = sign_up((struct slice){ text, sizeof(text) });
	struct buffer out = frame_of(&request);
	connect_peers(1 + 2 * COUNT);
	for (size_t first = 1; first <= 1 + COUNT; first += COUNT) { /* the room of the requests is freed */
		size_t sent[COUNT] = { 0 }, done = 0;
		hold_peer(0);
		for (size_t i = 0; i < COUNT; i++)
			assert_int_equal(frame_send(peers[first + i], &out, &sent[i]), FRAME_PARTIAL);
		release();
		pump(&out, sent, first, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			struct commit_answer answer = answer_of(first + i);
			done += answer.kind == ANSWER_OUTCOME;
			assert_int_equal(answer.as.outcome.body.size, answer.kind == ANSWER_OUTCOME ? LARGE : 0);
		}
		assert_int_equal(done, FITTING);
	}
	buffer_free(&out);
}

/* The room that a request has announced is freed if the request is never completed. */
static void
test_an_announced_request_that_does_not_come(void **state UNUSED)
{
	uint32_t size = QUEUE_MAX_BYTES / 2;
	connect_peers(2);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(send(peers[0], &size, sizeof(size), 0), sizeof(size));
		for (int i = 0; i < 2; i++) { /* the announcement has been read by then */
			request_sign_up(1);
			assert_own_outcome(1);
		}
		shutdown(peers[0], SHUT_RDWR);
		assert_closed(0);
		close(peers[0]);
		peers[0] = endpoint_connect(&endpoint);
	}
}

/* A slow reader does not delay others. */
static void
test_a_large_answer(void **state UNUSED)
{
	static char text[LARGE];
	size_t sent = 0;
	memset(text, 'x', sizeof(text));
	const struct commit_request request = sign_up((struct slice){ text, sizeof(text) });
	struct buffer out = frame_of(&request);
	connect_peers(2);
	while (frame_send(peers[0], &out, &sent) == FRAME_PARTIAL)
		continue;
	buffer_free(&out);
	for (int i = 0; i < 5; i++) {
		request_sign_up(1);
		assert_own_outcome(1);
	}
	assert_int_equal(answer_of(0).as.outcome.body.size, LARGE);
	request_sign_up(0);
	assert_own_outcome(0);
}

static void
test_keys_are_read_once_a_second(void **state UNUSED)
{
	connect_peers(2);
	request_key(0, 3);
	struct commit_answer first = answer_of(0);
	request_key(1, 3);
	struct commit_answer second = answer_of(1);
	assert_int_equal(first.result, RESULT_OK);
	assert_int_equal(first.as.key.id, 3);
	assert_int_equal(second.as.key.id, 3);
	assert_int_equal(second.read_ms, first.read_ms);
	assert_string_equal(shared->calls, "K T3 ");
	while (clock_monotonic_ms() < first.read_ms + COMMIT_CACHE_AGE_MS)
		poll(NULL, 0, 10);
	request_key(1, 3);
	assert_true(answer_of(1).read_ms >= first.read_ms + COMMIT_CACHE_AGE_MS);
}

static void
test_unknown_keys_are_read_each_time(void **state UNUSED)
{
	connect_peers(1);
	for (int i = 0; i < 3; i++) {
		request_key(0, UNKNOWN);
		assert_int_equal(answer_of(0).result, RESULT_NOT_FOUND);
	}
	assert_string_equal(shared->calls, "K K K ");
}

static void
test_campaigns(void **state UNUSED)
{
	struct commit_request request = request_of(REQUEST_CAMPAIGN);
	connect_peers(1);
	request.as.campaign_id = 9;
	for (int i = 0; i < 2; i++) {
		send_request(0, &request);
		struct commit_answer answer = answer_of(0);
		assert_int_equal(answer.result, RESULT_OK);
		assert_int_equal(answer.as.found.campaign.id, 9);
		assert_slice(answer.as.found.campaign.name, "Campaign");
		assert_int_equal(answer.as.found.now_ms, 1000);
	}
	assert_string_equal(shared->calls, "C ");
}

/* A campaign that another process has locked delays only its own requests, until it is unlocked or their deadlines pass. */
static void
test_a_locked_campaign(void **state UNUSED)
{
	atomic_store(&shared->locked, true);
	connect_peers(3);
	request_locked(0, clock_monotonic_ms() + TIMEOUT_MS);
	request_locked(1, clock_monotonic_ms() + 50);
	for (int i = 0; i < 10; i++) {
		request_sign_up(2);
		assert_own_outcome(2);
	}
	assert_int_equal(answer_of(1).kind, ANSWER_REFUSED);
	atomic_store(&shared->locked, false);
	assert_own_outcome(0);
}

/* All waiting look-ups of leads are answered together, before the commands. */
static void
test_look_ups_of_leads(void **state UNUSED)
{
	enum { COUNT = 20 };
	hold();
	connect_peers(COUNT + 1);
	for (size_t i = 1; i <= COUNT; i++)
		request_lead(i);
	request_sign_up(COUNT + 1);
	release();
	for (size_t i = 1; i <= COUNT + 1; i++)
		assert_own_outcome(i);
	assert_string_equal(shared->calls, "E1 L20 E1 ");
}

/* There are more look-ups than are answered together; all get an answer. */
static void
test_a_flood_of_look_ups(void **state UNUSED)
{
	enum { COUNT = COMMITTER_BATCH_MAX + 8 };
	hold();
	connect_peers(COUNT + 1);
	for (size_t i = 1; i <= COUNT; i++)
		request_lead(i);
	request_sign_up(COUNT + 1);
	release();
	for (size_t i = 1; i <= COUNT + 1; i++)
		assert_own_outcome(i);
	assert_string_equal(shared->calls, pool_printf(pool, "E1 L%d E1 L8 ", COMMITTER_BATCH_MAX).data);
}

/* The maximum number of keys is read, then the batch runs. */
static void
test_a_flood_of_unknown_keys(void **state UNUSED)
{
	enum { COUNT = COMMITTER_READS_MAX + 8 };
	char expected[CALLS_MAX] = "E1 ";
	hold();
	connect_peers(COUNT + 1);
	for (size_t i = 1; i <= COUNT; i++)
		request_key(i, UNKNOWN);
	request_sign_up(COUNT + 1);
	release();
	for (size_t i = 1; i <= COUNT; i++)
		assert_int_equal(answer_of(i).result, RESULT_NOT_FOUND);
	assert_own_outcome(COUNT + 1);
	for (size_t i = 0; i < COUNT; i++)
		strcat(expected, i == COMMITTER_READS_MAX ? "E1 K " : "K ");
	assert_string_equal(shared->calls, expected);
}

/* The first failure may take seconds; all waiting requests then fail at once. */
static void
test_a_database_that_is_away(void **state UNUSED)
{
	hold();
	connect_peers(10);
	for (size_t i = 1; i <= 10; i++)
		request_key(i, UNREACHABLE);
	release();
	for (size_t i = 1; i <= 10; i++)
		assert_int_equal(answer_of(i).result, RESULT_UNAVAILABLE);
	assert_string_equal(shared->calls, "E1 K ");
	request_key(1, 3);
	assert_int_equal(answer_of(1).result, RESULT_OK);
}

/* The number of requests does not matter. Failures are cached like successes, for at most a second. */
static void
test_readiness_is_read_once_a_second(void **state UNUSED)
{
	enum { COUNT = COMMITTER_READS_MAX + 8 };
	static const enum result wanted_of[] = { RESULT_OK, RESULT_UNAVAILABLE, RESULT_FAILED };
	for (size_t run = 0; run < ARRAY_SIZE(wanted_of); run++) {
		const enum result wanted = wanted_of[run];
		atomic_store(&shared->away, wanted == RESULT_UNAVAILABLE);
		atomic_store(&shared->sealed, wanted == RESULT_FAILED);
		if (run == 0)
			connect_peers(COUNT);
		request_readiness(0);
		const int64_t until_ms = clock_monotonic_ms() + TIMEOUT_MS;
		while (answer_of(0).result != wanted) { /* the previous answer was cached */
			assert_true(clock_monotonic_ms() < until_ms);
			poll(NULL, 0, 10);
			request_readiness(0);
		}
		shared->calls[0] = '\0';
		for (size_t i = 0; i < COUNT; i++)
			request_readiness(i);
		for (size_t i = 0; i < COUNT; i++)
			assert_int_equal(answer_of(i).result, wanted);
		assert_true(strlen(shared->calls) <= strlen("R R R ")); /* the loop may take longer than a second */
	}
}

static void
test_an_idle_connection_to_the_database(void **state UNUSED)
{
	wait_until(has_rested);
}

/* Only complete requests run and are answered. */
/* Returns when the committer has ended its cycle. */
static void
end_cycle(void)
{
	request_lead(1);
	assert_own_outcome(1);
}

/* docs/deliveries.md 4.2, wakes: one for each batch that made deliveries, none for other batches or look-ups. */
static void
test_wakes_of_the_dispatcher(void **state UNUSED)
{
	char byte;
	hold();
	connect_peers(20);
	release();
	end_cycle();
	atomic_store(&shared->made_deliveries, true);
	hold_peer(0);
	for (size_t i = 1; i <= 20; i++)
		request_sign_up(i);
	release();
	for (size_t i = 1; i <= 20; i++)
		assert_own_outcome(i);
	end_cycle();
	assert_string_equal(shared->calls, "E1 L1 E1 E20 L1 ");
	for (size_t batch = 0; batch < 2; batch++)
		assert_int_equal(recv(wakes, &byte, sizeof(byte), MSG_DONTWAIT), sizeof(byte));
	assert_int_equal(recv(wakes, &byte, sizeof(byte), MSG_DONTWAIT), -1);
}

static void
test_the_end(void **state UNUSED)
{
	hold();
	connect_peers(12);
	for (size_t i = 1; i <= 10; i++)
		request_sign_up(i);
	assert_int_equal(send(peers[11], "\20\0\0\0par", 7, 0), 7);
	kill(committer, SIGTERM);
	hold_next();
	assert_own_outcome(0);
	assert_int_equal(send(peers[12], "late", 4, MSG_NOSIGNAL), -1); /* the responder then connects to the next committer */
	assert_int_equal(errno, EPIPE);
	assert_int_equal(ended(), EX_OK);
	for (size_t i = 1; i <= 10; i++) {
		assert_own_outcome(i);
		assert_closed(i);
	}
	assert_closed(0);
	assert_closed(11);
	assert_closed(12);
	assert_string_equal(shared->calls, "E1 E10 ");
}

/* These connections wait for the next committer. */
static void
test_connections_that_come_after_the_end(void **state UNUSED)
{
	kill(committer, SIGTERM);
	assert_int_equal(ended(), EX_OK);
	connect_peers(1);
	request_sign_up(0);
	start_committer();
	assert_own_outcome(0);
}

/* Every user of the host can connect to an abstract socket. */
static void
test_another_account(void **state UNUSED)
{
	int status = 0;
	if (geteuid() != 0) {
		puts("# skipped: only root can be another account");
		return;
	}
	pid_t other = fork();
	if (other == 0) {
		if (setuid(OTHER_UID) != 0)
			_exit(1);
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		char byte;
		bool connected = connect(fd, (const struct sockaddr *)&endpoint.address, endpoint.address_size) == 0;
		bool closed = recv(fd, &byte, 1, 0) <= 0;
		_exit(connected && closed && endpoint_connect(&endpoint) < 0 && errno == EACCES ? 0 : 2);
	}
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	connect_peers(1);
	request_sign_up(0);
	assert_own_outcome(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		COMMITTER_TEST(test_requests_during_a_batch_form_the_next),
		COMMITTER_TEST(test_a_batch_has_an_end),
		COMMITTER_TEST(test_no_request_is_passed_over_for_ever),
		COMMITTER_TEST(test_the_leads_of_a_batch_are_limited),
		COMMITTER_TEST(test_accounts_take_turns),
		COMMITTER_TEST(test_a_command_of_more_leads_is_a_batch),
		COMMITTER_TEST(test_a_request_past_its_deadline_is_refused),
		COMMITTER_TEST(test_a_closed_peer_is_not_served),
		COMMITTER_TEST(test_bytes_that_are_no_request),
		COMMITTER_TEST(test_two_requests_at_once),
		COMMITTER_TEST(test_a_full_queue),
		COMMITTER_TEST(test_an_announced_request_that_does_not_come),
		COMMITTER_TEST(test_a_large_answer),
		COMMITTER_TEST(test_keys_are_read_once_a_second),
		COMMITTER_TEST(test_unknown_keys_are_read_each_time),
		COMMITTER_TEST(test_campaigns),
		COMMITTER_TEST(test_a_locked_campaign),
		COMMITTER_TEST(test_look_ups_of_leads),
		COMMITTER_TEST(test_a_flood_of_look_ups),
		COMMITTER_TEST(test_a_flood_of_unknown_keys),
		COMMITTER_TEST(test_a_database_that_is_away),
		COMMITTER_TEST(test_readiness_is_read_once_a_second),
		COMMITTER_TEST(test_an_idle_connection_to_the_database),
		COMMITTER_TEST(test_wakes_of_the_dispatcher),
		COMMITTER_TEST(test_the_end),
		COMMITTER_TEST(test_connections_that_come_after_the_end),
		COMMITTER_TEST(test_another_account),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
