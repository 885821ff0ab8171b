/* SPDX-License-Identifier: MIT */
#include "sending.h"

#include "unit.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "receiver.h"

int port, busy_ms;
struct address_rules open_rules, closed_rules;
struct sender *sender;
static struct event_loop *loop;
static struct pool *rules_pool;

static void
see(void *context UNUSED, void *cookie, const struct attempt_result *result)
{
	struct seen *seen = cookie;
	assert_false(seen->done);
	*seen = (struct seen){ .done = true,
		.connected = result->connected,
		.error = result->error,
		.status = result->status,
		.answer_size = result->answer.size,
		.duration_ms = result->duration_ms };
	snprintf(seen->retry_after, sizeof(seen->retry_after), "%.*s", SLICE_ARGS(result->retry_after));
	memcpy(seen->answer, result->answer.data, result->answer.size);
	poll(NULL, 0, busy_ms);
}

void
make_sender(const struct address_rules *rules, int64_t timeout_ms)
{
	const struct sender_options options = {
		.user_agent = "Leadhook test",
		.in_flight = IN_FLIGHT,
		.connect_timeout_ms = timeout_ms / 2,
		.timeout_ms = timeout_ms,
		.stall_max_ms = STALL_MAX_MS,
		.rules = rules,
	};
	sender_free(&sender);
	if (loop == NULL)
		loop = event_loop_new();
	sender = sender_new(loop, &options, see, NULL);
	assert_non_null(sender);
	receiver_reset();
}

void
use_rules(const struct address_rules *rules)
{
	make_sender(rules, TIMEOUT_MS);
}

void
start_url(const char *url, struct seen *seen)
{
	static const struct slice headers[] = { SLICE("Content-Type: application/json"), SLICE("webhook-id: msg_1") };
	const struct attempt attempt = {
		.url = url, .headers = headers, .header_count = ARRAY_SIZE(headers), .body = SLICE("{\"id\":1}")
	};
	*seen = (struct seen){ .done = false };
	sender_start(sender, &attempt, seen);
}

void
start_path(const char *host, const char *path, struct seen *seen)
{
	char url[256];
	snprintf(url, sizeof(url), "http://%s:%d%s", host, port, path);
	start_url(url, seen);
}

static void
note_ready(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	*(bool *)context = true;
	event_loop_return(loop);
}

bool
wait_a_moment(int64_t timeout_ms, int fd)
{
	bool is_ready = false;
	event_loop_watch_input(loop, fd, note_ready, &is_ready);
	event_loop_wait(loop, clock_monotonic_ms() + timeout_ms);
	event_loop_forget(loop, fd);
	return is_ready;
}

void
await(struct seen *seen, size_t count)
{
	int64_t deadline = clock_monotonic_ms() + DEADLINE_MS;
	for (size_t i = 0; i < count; i++)
		while (!seen[i].done) {
			assert_true(clock_monotonic_ms() < deadline);
			(void)wait_a_moment(100, -1);
		}
}

struct seen
send_path(const char *host, const char *path)
{
	struct seen seen;
	start_path(host, path, &seen);
	await(&seen, 1);
	return seen;
}

struct seen
send_url(const char *url)
{
	struct seen seen;
	start_url(url, &seen);
	await(&seen, 1);
	return seen;
}

int
set_up(void **state UNUSED)
{
	struct slice bad;
	port = receiver_start();
	rules_pool = pool_new();
	setenv("http_proxy", "http://127.0.0.1:1/", 1); /* this proxy must not be used */
	const bool parsed = address_rules_parse(rules_pool, SLICE("127.0.0.0/8"), SLICE("25"), &open_rules, &bad) &&
			    address_rules_parse(rules_pool, SLICE(""), SLICE(""), &closed_rules, &bad);
	make_sender(&open_rules, DEADLINE_MS); /* the first request of a process is slow under valgrind */
	return parsed && send_path("127.0.0.1", "/status/200").error == SENDER_OK ? 0 : -1;
}

int
tear_down(void **state UNUSED)
{
	sender_free(&sender);
	event_loop_free(&loop);
	pool_free(&rules_pool);
	return 0;
}

int
open_sender(void **state UNUSED)
{
	use_rules(&open_rules);
	return 0;
}
