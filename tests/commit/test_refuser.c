/* SPDX-License-Identifier: MIT
 * What the committer does with other requests while the outcome of a batch is unknown (docs/architecture.md 7.1).
 * Modules: commit/receiver. */
#include "committer_world.h"

#include <signal.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "captured_log.h"
#include "commit/receiver.h"
#include "os/clock.h"

enum { AT_ONCE_MS = 1000 };

/* Runs a command of peer 0 whose outcome is unknown. */
static void
hold_unknown(void)
{
	atomic_store(&shared->unknown, true);
	hold();
}

static void
assert_refused(size_t peer)
{
	assert_int_equal(answer_of(peer).kind, ANSWER_REFUSED);
}

static int
open_with_log(void **state)
{
	capture_log();
	return open_all(state);
}

/* "After five seconds it refuses all requests with 503, until the outcome is known": requests of every kind, including those of
 * new connections. Afterwards the batch gets its answer, and new requests are served. One line in the log has the number of
 * refused requests. */
static void
others_are_refused_until_the_outcome_is_known(void **state UNUSED)
{
	const int64_t begin_ms = clock_monotonic_ms();
	hold_unknown();
	connect_peers(4);
	request_sign_up(1);
	request_lead(2);
	request_key(3, 1);
	request_readiness(4);
	for (size_t i = 1; i <= 4; i++)
		assert_refused(i);
	const int64_t waited_ms = clock_monotonic_ms() - begin_ms;
	assert_in_range(waited_ms, REFUSER_DELAY_MS, TIMEOUT_MS / 2);
	connect_peers(1);
	request_sign_up(5);
	request_sign_up(1);
	assert_refused(5);
	assert_refused(1);
	assert_in_range(clock_monotonic_ms() - begin_ms - waited_ms, 0, AT_ONCE_MS);
	release();
	request_sign_up(1);
	request_sign_up(0);
	assert_own_outcome(1);
	assert_own_outcome(0);
	assert_null(strstr(shared->calls, "L"));
	const char *log = captured_log();
	assert_int_equal(count_in(log, " requests_refused "), 1);
	assert_non_null(strstr(log, " requests_refused requests=6 "));
}

/* Most outcomes are known soon. */
static void
no_request_is_refused_at_first(void **state UNUSED)
{
	hold_unknown();
	connect_peers(10);
	for (size_t i = 1; i <= 10; i++)
		request_sign_up(i);
	release();
	for (size_t i = 1; i <= 10; i++)
		assert_own_outcome(i);
	assert_string_equal(shared->calls, "E1 E10 ");
	assert_int_equal(count_in(captured_log(), "requests_refused"), 0);
}

static int64_t
processor_ms(void)
{
	clockid_t id;
	struct timespec used;
	assert_int_equal(clock_getcpuclockid(committer, &id), 0);
	assert_int_equal(clock_gettime(id, &used), 0);
	return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* No answer reveals that the outcome is known, so this waits until a request is no longer refused. */
static void
wait_until_served(size_t peer)
{
	const int64_t end_ms = clock_monotonic_ms() + TIMEOUT_MS;
	do {
		assert_true(clock_monotonic_ms() < end_ms);
		request_sign_up(peer);
	} while (answer_of(peer).kind == ANSWER_REFUSED);
}

/* A responder of the batch closes its connection, because its deadline passes in the meantime. */
static void
a_peer_of_the_batch_may_close(void **state UNUSED)
{
	const int64_t used_ms = processor_ms();
	hold_unknown();
	close(peers[0]);
	connect_peers(2);
	request_sign_up(1);
	assert_refused(1);
	assert_in_range(processor_ms() - used_ms, 0, REFUSER_DELAY_MS / 4);
	atomic_store(&shared->hold, false);
	wait_until_served(2);
	peers[0] = endpoint_connect(&endpoint);
}

/* After SIGTERM, the batch still gets its answer. */
static void
it_may_end_meanwhile(void **state UNUSED)
{
	hold_unknown();
	connect_peers(1);
	request_sign_up(1);
	kill(committer, SIGTERM);
	assert_refused(1);
	assert_closed(1);
	release();
	assert_closed(0);
	assert_int_equal(ended(), EX_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(others_are_refused_until_the_outcome_is_known, open_with_log, close_all),
		cmocka_unit_test_setup_teardown(no_request_is_refused_at_first, open_with_log, close_all),
		COMMITTER_TEST(a_peer_of_the_batch_may_close),
		COMMITTER_TEST(it_may_end_meanwhile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
