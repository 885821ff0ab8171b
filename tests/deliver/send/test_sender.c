/* SPDX-License-Identifier: MIT
 * The sender (docs/deliveries.md 2 and 5) against a receiver on 127.0.0.1; own_names.c resolves names. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "deliver/own_names.h"
#include "deliver/receiver.h"
#include "deliver/sending.h"
#include "os/clock.h"

static void
statuses_are_returned_unchanged(void **state UNUSED)
{
	static const int statuses[] = { 200, 201, 299, 301, 302, 307, 308, 404, 410, 429, 500, 503 };
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		char path[32];
		snprintf(path, sizeof(path), "/status/%d", statuses[i]);
		struct seen seen = send_path("127.0.0.1", path);
		assert_int_equal(seen.error, SENDER_OK);
		assert_int_equal(seen.status, statuses[i]);
		assert_string_equal(seen.answer, "hello");
	}
	/* No redirect was followed. */
	assert_int_equal(receiver_requests(), ARRAY_SIZE(statuses));
}

static void
the_request_has_its_headers_and_body(void **state UNUSED)
{
	assert_int_equal(send_path("127.0.0.1", "/status/200").error, SENDER_OK);
	const char *request = receiver_last_request();
	assert_true(strncmp(request, "POST /status/200 HTTP/1.1\r\n", 27) == 0);
	assert_non_null(strstr(request, "\r\nUser-Agent: Leadhook test\r\n"));
	assert_non_null(strstr(request, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(request, "\r\nwebhook-id: msg_1\r\n"));
	assert_non_null(strstr(request, "\r\nContent-Length: 8\r\n"));
	assert_non_null(strstr(request, "\r\n\r\n{\"id\":1}"));
	assert_null(strcasestr(request, "\r\nExpect:"));
	assert_null(strcasestr(request, "\r\nAccept-Encoding:"));
	assert_null(strcasestr(request, "\r\nCookie:"));
}

/* libcurl sends "Expect: 100-continue" before more than 1 MiB, and then waits a second for the response. */
static void
a_large_body_is_sent_at_once(void **state UNUSED)
{
	enum { LARGE = 3 * 1024 * 1024 / 2 };
	struct pool *pool = pool_new();
	struct seen seen = { .done = false };
	char url[64];
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/status/200", port);
	char *body = pool_alloc(pool, LARGE);
	memset(body, 'x', LARGE);
	sender_start(sender, &(struct attempt){ .url = url, .body = { body, LARGE } }, &seen);
	await(&seen, 1);
	assert_int_equal(seen.status, 200);
	assert_null(strcasestr(receiver_last_request(), "\r\nExpect:"));
	pool_free(&pool);
}

static void
retry_after_is_returned(void **state UNUSED)
{
	assert_string_equal(send_path("127.0.0.1", "/status/503?retry-after").retry_after, "17");
	assert_string_equal(send_path("127.0.0.1", "/status/503").retry_after, "");
	/* The status of an interim response does not count. */
	struct seen seen = send_path("127.0.0.1", "/continue");
	assert_int_equal(seen.status, 200);
	assert_string_equal(seen.retry_after, "");
}

/* docs/deliveries.md 2, success: the whole body or its first 64 KiB; the log stores 1 KiB. */
static void
long_responses_are_cut(void **state UNUSED)
{
	static const char *const paths[] = { "/body/65535", "/body/65536", "/body/65537", "/body/5000000", "/endless" };
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct seen seen = send_path("127.0.0.1", paths[i]);
		assert_int_equal(seen.error, SENDER_OK);
		assert_int_equal(seen.status, 200);
		assert_int_equal(seen.answer_size, SENDER_ANSWER_STORED);
		assert_true(seen.duration_ms < TIMEOUT_MS);
	}
}

static void
broken_responses_fail(void **state UNUSED)
{
	static const struct {
		const char *path;
		enum sender_error error;
		int status;
	} cases[] = {
		{ "/hang", SENDER_TIMEOUT, 0 },
		{ "/half", SENDER_TIMEOUT, 200 },
		{ "/partial", SENDER_CONNECTION_LOST, 200 },
		{ "/close", SENDER_CONNECTION_LOST, 0 },
		{ "/garbage", SENDER_BAD_ANSWER, 0 },
		{ "/headers", SENDER_BAD_ANSWER, 200 },
		/* not requested; three layers of endless zeros would keep libcurl busy for hours */
		{ "/encoded/gzip,chunked", SENDER_BAD_ANSWER, 200 },
		{ "/encoded/gzip", SENDER_BAD_ANSWER, 200 },
		{ "/encoded/deflate", SENDER_BAD_ANSWER, 200 },
		{ "/encoded/chunked,gzip", SENDER_BAD_ANSWER, 200 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen seen = send_path("127.0.0.1", cases[i].path);
		assert_int_equal(seen.error, cases[i].error);
		assert_int_equal(seen.status, cases[i].status);
		assert_true(seen.connected);
		assert_true(seen.duration_ms < TIMEOUT_MS + 300);
	}
}

/* Endless chunk framing without a body: it would keep a core busy until the timeout. */
static void
endless_chunk_framing_is_cut(void **state UNUSED)
{
	make_sender(&open_rules, DEADLINE_MS);
	struct seen seen = send_path("127.0.0.1", "/extension");
	assert_int_equal(seen.error, SENDER_BAD_ANSWER);
	assert_true(seen.duration_ms < DEADLINE_MS / 2);
}

/* The log of attempts has room for 32 bytes (schema); leadhook(1) explains each name. */
static void
errors_have_names_that_operators_can_look_up(void **state UNUSED)
{
	static char manual[256 * 1024];
	const char *top = getenv("top_srcdir");
	char text[256];
	snprintf(text, sizeof(text), "%s/man/leadhook.1.in", top == NULL ? "." : top);
	FILE *file = fopen(text, "r");
	assert_non_null(file);
	manual[fread(manual, 1, sizeof(manual) - 1, file)] = '\0';
	fclose(file);
	assert_false(slice_present(sender_error_name(SENDER_OK)));
	for (enum sender_error error = SENDER_OK + 1; error <= SENDER_INTERNAL; error++) {
		struct slice name = sender_error_name(error);
		assert_in_range(name.size, 1, 32);
		snprintf(text, sizeof(text), "\n.It Li %.*s\n", SLICE_ARGS(name));
		if (strstr(manual, text) == NULL)
			fail_msg("not in leadhook(1): %.*s", SLICE_ARGS(name));
	}
}

static void
unreachable_receivers_fail(void **state UNUSED)
{
	const struct seen refused = send_url("http://127.0.0.3:1/");
	assert_int_equal(refused.error, SENDER_REFUSED);
	assert_false(refused.connected);
	assert_int_equal(send_path("unknown.example", "/").error, SENDER_NOT_RESOLVED);
	assert_int_equal(send_url("https://good.example:1/").error, SENDER_REFUSED);
}

static void
other_urls_are_refused(void **state UNUSED)
{
	static const char *const urls[] = { "ftp://good.example/", "file:///etc/passwd", "gopher://good.example/", "http://",
		"http://user:word@good.example/", "http://good.example/\r\nX: y" };
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		assert_int_equal(send_url(urls[i]).error, SENDER_INVALID_URL);
	assert_int_equal(receiver_connections(), 0);
}

static void
a_header_cannot_hold_another(void **state UNUSED)
{
	const struct slice header = SLICE("webhook-id: msg_1\r\nX-Injected: yes");
	char url[64];
	struct seen seen = { .done = false };
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/status/200", port);
	sender_start(
	    sender, &(struct attempt){ .url = url, .headers = &header, .header_count = 1, .body = SLICE("{}") }, &seen);
	await(&seen, 1);
	assert_int_equal(seen.error, SENDER_INVALID_HEADER);
	assert_int_equal(receiver_connections(), 0);
}

/* docs/deliveries.md 5: the address of the connection is checked, whatever the form of the URL. */
static void
forbidden_addresses_are_not_connected_to(void **state UNUSED)
{
	static const char *const hosts[] = { "127.0.0.1", "127.1", "2130706433", "0x7f.1", "good.example", "[::ffff:127.0.0.1]",
		"[::1]", "inner.example" };
	use_rules(&closed_rules);
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		struct seen seen = send_path(hosts[i], "/status/200");
		assert_int_equal(seen.error, SENDER_FORBIDDEN_ADDRESS);
		assert_int_equal(seen.status, 0);
	}
	assert_int_equal(receiver_connections(), 0);
}

static void
denied_ports_are_not_connected_to(void **state UNUSED)
{
	assert_int_equal(send_url("http://127.0.0.1:25/").error, SENDER_FORBIDDEN_ADDRESS);
}

/* After a forbidden address, no further address is tried. */
static void
a_forbidden_address_ends_the_attempt(void **state UNUSED)
{
	assert_int_equal(send_path("forbidden-first.example", "/status/200").error, SENDER_FORBIDDEN_ADDRESS);
	assert_int_equal(send_path("forbidden-second.example", "/status/200").error, SENDER_FORBIDDEN_ADDRESS);
	assert_int_equal(receiver_connections(), 0);
	assert_int_equal(send_path("good.example", "/status/200").error, SENDER_OK);
}

static void
reused_connections_are_checked_again(void **state UNUSED)
{
	struct address_rules rules = open_rules;
	use_rules(&rules);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(send_path("127.0.0.1", "/status/200").error, SENDER_OK);
	assert_int_equal(receiver_connections(), 1);
	rules = closed_rules;
	assert_int_equal(send_path("127.0.0.1", "/status/200").error, SENDER_FORBIDDEN_ADDRESS);
	assert_int_equal(receiver_requests(), 5);
}

/* docs/deliveries.md 2, connections: it is not repeated on another idle connection or on a new one. */
static void
a_request_is_sent_once(void **state UNUSED)
{
	static const size_t idle[] = { 1, IN_FLIGHT };
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		struct seen seen[IN_FLIGHT];
		use_rules(&open_rules);
		for (size_t j = 0; j < idle[i]; j++)
			start_path("127.0.0.1", "/status/200", &seen[j]);
		await(seen, idle[i]);
		assert_true(receiver_connections() > i);
		receiver_reset();
		const struct seen closed = send_path("127.0.0.1", "/close");
		assert_int_equal(closed.error, SENDER_CONNECTION_LOST);
		assert_true(closed.connected);
		assert_int_equal(receiver_requests(), 1);
		assert_int_equal(receiver_connections(), 0);
		assert_int_equal(send_path("127.0.0.1", "/status/200").status, 200);
	}
}

static void
many_attempts_run_in_parallel(void **state UNUSED)
{
	struct seen seen[IN_FLIGHT];
	start_path("127.0.0.1", "/hang", &seen[0]);
	for (size_t i = 1; i < IN_FLIGHT; i++)
		start_path("127.0.0.1", "/status/200", &seen[i]);
	await(seen + 1, IN_FLIGHT - 1);
	assert_false(seen[0].done); /* the hanging attempt does not delay the other one */
	await(seen, IN_FLIGHT);
	for (size_t i = 1; i < IN_FLIGHT; i++)
		assert_int_equal(seen[i].status, 200);
	assert_int_equal(seen[0].error, SENDER_TIMEOUT);
}

/* docs/deliveries.md 4, fairness: name resolution that hangs must not block the loop. */
static void
a_hanging_name_server_delays_no_attempt(void **state UNUSED)
{
	struct seen hanging, other;
	int64_t longest = 0;
	start_path("hanging.example", "/status/200", &hanging);
	while (!hanging.done) {
		start_path("127.0.0.1", "/status/200", &other);
		while (!other.done) {
			int64_t before = clock_monotonic_ms();
			(void)wait_a_moment(20, -1);
			int64_t took = clock_monotonic_ms() - before;
			longest = took > longest ? took : longest;
		}
	}
	assert_int_equal(hanging.error, SENDER_CONNECT_TIMEOUT);
	assert_true(hanging.duration_ms < TIMEOUT_MS);
	assert_true(longest < OWN_NAMES_HANG_MS / 2);
}

/* It is not the receiver's fault: attempt_judge.c relies on this error. */
static void
a_lack_of_descriptors_is_an_internal_error(void **state UNUSED)
{
	struct rlimit before;
	const int next = dup(STDIN_FILENO);
	assert_true(next >= 0 && close(next) == 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	const struct rlimit none_left = { (rlim_t)next, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none_left), 0);
	struct seen seen = send_path("127.0.0.1", "/status/200");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(seen.error, SENDER_INTERNAL);
	assert_int_equal(send_path("127.0.0.1", "/status/200").error, SENDER_OK);
}

static void
a_descriptor_ends_the_wait(void **state UNUSED)
{
	int fd = eventfd(1, 0);
	assert_true(fd >= 0);
	int64_t before = clock_monotonic_ms();
	assert_true(wait_a_moment(DEADLINE_MS, fd));
	assert_true(clock_monotonic_ms() - before < DEADLINE_MS / 2);
	assert_false(wait_a_moment(1, -1));
	close(fd);
}

/* sender.h: the end of an attempt ends the wait. */
static void
a_wait_ends_with_an_attempt(void **state UNUSED)
{
	struct seen seen;
	start_path("127.0.0.1", "/status/200", &seen);
	const int64_t before = clock_monotonic_ms();
	(void)wait_a_moment(DEADLINE_MS, -1);
	assert_true(seen.done);
	assert_true(clock_monotonic_ms() - before < DEADLINE_MS / 2);
}

static int64_t
processor_ms(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* An idle connection stays registered, and its end is reported until it is removed. */
static void
the_end_of_an_idle_connection_is_handled_once(void **state UNUSED)
{
	enum { IDLE_MS = 500 };
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(send_path("127.0.0.1", "/last").status, 200);
		const int64_t before = processor_ms();
		(void)wait_a_moment(IDLE_MS, -1);
		assert_true(processor_ms() - before < IDLE_MS / 10);
		assert_int_equal(receiver_connections(), i);
	}
}

static void
attempts_under_way_can_be_aborted(void **state UNUSED)
{
	struct seen seen;
	start_path("127.0.0.1", "/hang", &seen);
	(void)wait_a_moment(10, -1);
	sender_free(&sender);
	assert_null(sender);
	assert_false(seen.done);
}

/* sender.h: the other attempts continue, and there is room for another one. */
static void
one_attempt_can_be_cancelled(void **state UNUSED)
{
	struct seen cancelled, seen[IN_FLIGHT];
	start_path("127.0.0.1", "/hang", &cancelled);
	start_path("127.0.0.1", "/status/200", &seen[0]);
	(void)wait_a_moment(10, -1);
	sender_cancel(sender, &cancelled);
	for (size_t i = 1; i < IN_FLIGHT; i++)
		start_path("127.0.0.1", "/status/200", &seen[i]);
	await(seen, IN_FLIGHT);
	(void)wait_a_moment(2 * TIMEOUT_MS, -1);
	assert_false(cancelled.done);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(statuses_are_returned_unchanged),
		TEST(the_request_has_its_headers_and_body),
		TEST(a_large_body_is_sent_at_once),
		TEST(retry_after_is_returned),
		TEST(long_responses_are_cut),
		TEST(broken_responses_fail),
		TEST(endless_chunk_framing_is_cut),
		TEST(errors_have_names_that_operators_can_look_up),
		TEST(unreachable_receivers_fail),
		TEST(other_urls_are_refused),
		TEST(a_header_cannot_hold_another),
		TEST(forbidden_addresses_are_not_connected_to),
		TEST(denied_ports_are_not_connected_to),
		TEST(a_forbidden_address_ends_the_attempt),
		TEST(reused_connections_are_checked_again),
		TEST(a_request_is_sent_once),
		TEST(many_attempts_run_in_parallel),
		TEST(a_hanging_name_server_delays_no_attempt),
		TEST(a_lack_of_descriptors_is_an_internal_error),
		TEST(a_descriptor_ends_the_wait),
		TEST(a_wait_ends_with_an_attempt),
		TEST(the_end_of_an_idle_connection_is_handled_once),
		TEST(one_attempt_can_be_cancelled),
		TEST(attempts_under_way_can_be_aborted),
	};
	return cmocka_run_group_tests_name("deliver/send/sender", tests, set_up, tear_down);
}
