/* SPDX-License-Identifier: MIT
 * leadhook-dispatch(8), SERVICE MANAGER: the loop reports that it is alive, unless a thread that is needed for sending hangs.
 * Runs in a fake world (fake_world.h), with a real socket. Modules: deliver, os/notify. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/notify.h"
#include "run_dispatcher.h"

/* Reading the socket every READ_MS also wakes the loop, but too late for the watchdog; the socket has room for the messages in
 * between. */
enum { WATCHDOG_MS = 4 * SECOND, READ_MS = 5 * SECOND, STALLED_MS = 5 * MINUTE, TEXT_MAX = 256, FIRST_TEXTS = 4 };

static int manager;
static int64_t last_ms; /* time of the last report */
static int64_t longest_ms;
static size_t signs, texts;
static char first[FIRST_TEXTS][TEXT_MAX]; /* the first messages, without reports */

static int
set_up(void **state)
{
	struct sockaddr_un bound = { .sun_family = AF_UNIX };
	char name[32];
	fresh_world(state);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int size = snprintf(name, sizeof(name), "@leadhook-watchdog-%d", (int)getpid());
	memcpy(bound.sun_path + 1, name + 1, (size_t)size - 1);
	if (bind(manager, (struct sockaddr *)&bound, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)size)) != 0)
		return -1;
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", "4000000", 1);
	options.notifier = notifier_new();
	options.poll_ms = HOUR; /* the loop has no other reason to wake */
	signs = texts = 0;
	last_ms = world.now_ms;
	longest_ms = 0;
	return 0;
}

static int
clean_up(void **state UNUSED)
{
	notifier_free(&options.notifier);
	return close(manager);
}

static void
read_messages(void)
{
	char text[TEXT_MAX];
	ssize_t size;
	while ((size = recv(manager, text, sizeof(text) - 1, 0)) > 0) {
		text[size] = '\0';
		if (strcmp(text, "WATCHDOG=1") != 0) {
			if (texts < FIRST_TEXTS)
				strcpy(first[texts], text);
			texts++;
			continue;
		}
		longest_ms = world.now_ms - last_ms > longest_ms ? world.now_ms - last_ms : longest_ms;
		last_ms = world.now_ms;
		signs++;
	}
	world.happens_ms = world.now_ms + READ_MS;
}

static void
stay(int64_t until_ms)
{
	world.happen = read_messages;
	world.happens_ms = world.now_ms;
	stay_until(until_ms);
	read_messages();
}

static void
each_state_is_reported(void **state UNUSED)
{
	stay(MINUTE);
	assert_int_equal(texts, 2);
	assert_string_equal(first[0], "READY=1\nSTATUS=Delivering");
	assert_string_equal(first[1], "STOPPING=1\nSTATUS=Stopping");
}

static void
an_idle_loop_is_alive(void **state UNUSED)
{
	stay(HOUR);
	assert_in_range(signs, HOUR / (WATCHDOG_MS / 2) - 1, HOUR / (WATCHDOG_MS / 2) + 2);
	assert_in_range(longest_ms, 1, READ_MS);
}

/* The loop continues, but nothing more is fetched. */
static void
a_fetch_without_end_is_reported_as_dead(void **state UNUSED)
{
	world.poll_ms = world.newest_poll_ms = HOUR;
	stay(HOUR / 2);
	assert_in_range(last_ms, STALLED_MS - READ_MS, STALLED_MS + READ_MS);
}

/* The task takes longer than a statement may, but it ends. */
static void
a_slow_database_is_no_reason(void **state UNUSED)
{
	world.poll_ms = world.newest_poll_ms = 4 * MINUTE;
	stay(HOUR / 2);
	assert_in_range(longest_ms, 1, READ_MS);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(each_state_is_reported),
		TEST(an_idle_loop_is_alive),
		TEST(a_fetch_without_end_is_reported_as_dead),
		TEST(a_slow_database_is_no_reason),
	};
	return cmocka_run_group_tests_name("deliver/watchdog", tests, NULL, NULL);
}
