/* SPDX-License-Identifier: MIT
 * sd_notify(3): what a service manager receives on a real socket. The test sets the clock. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "captured_log.h"
#include "os/clock.h"
#include "os/notify.h"
#include "own_process.h"

enum { WATCHDOG_MS = 20 * 1000, MESSAGE_MAX = 512 };

static char folder[] = "/tmp/leadhook-notify-XXXXXX", path[64], name[64];
static int64_t now_ms;
static int manager; /* the service manager's socket */

int64_t __wrap_clock_monotonic_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now_ms;
}

/* `address` as in NOTIFY_SOCKET. */
static int
listen_at(const char *address)
{
	struct sockaddr_un bound = { .sun_family = AF_UNIX };
	const size_t length = strlen(address);
	memcpy(bound.sun_path, address, length);
	if (address[0] == '@')
		bound.sun_path[0] = '\0';
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&bound, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)), 0);
	return fd;
}

static int
set_up(void **state UNUSED)
{
	strcpy(strrchr(folder, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/notify", folder);
	snprintf(name, sizeof(name), "@leadhook-test-notify-%d", (int)getpid());
	manager = listen_at(path);
	now_ms = 1000 * 1000;
	setenv("NOTIFY_SOCKET", path, 1);
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return 0;
}

static int
clean_up(void **state UNUSED)
{
	close(manager);
	return remove_folder(folder);
}

/* The next message, or "" if there is none; valid until the next call. */
static const char *
message(void)
{
	static char text[MESSAGE_MAX];
	const ssize_t size = recv(manager, text, sizeof(text) - 1, 0);
	text[size < 0 ? 0 : size] = '\0';
	return text;
}

static void
watch(const char *us, const char *pid)
{
	setenv("NOTIFY_SOCKET", path, 1);
	setenv("WATCHDOG_USEC", us, 1);
	if (pid != NULL)
		setenv("WATCHDOG_PID", pid, 1);
}

static void
the_manager_gets_each_state(void **state UNUSED)
{
	struct notifier *notifier = notifier_new();
	notify_ready(notifier, "Serving");
	assert_string_equal(message(), "READY=1\nSTATUS=Serving");
	notify_reloading(notifier);
	const char *text = message();
	uint64_t us = 0;
	assert_ptr_equal(strstr(text, "RELOADING=1\nMONOTONIC_USEC="), text);
	assert_int_equal(sscanf(text, "RELOADING=1\nMONOTONIC_USEC=%lu\n", &us), 1);
	assert_true(us > 0);
	notify_stopping(notifier);
	assert_string_equal(message(), "STOPPING=1\nSTATUS=Stopping");
	assert_string_equal(message(), "");
	notifier_free(&notifier);
	assert_null(notifier);
	notifier_free(&notifier);
}

static void
an_abstract_socket_is_reached(void **state UNUSED)
{
	close(manager);
	manager = listen_at(name);
	setenv("NOTIFY_SOCKET", name, 1);
	struct notifier *notifier = notifier_new();
	notify_ready(notifier, "Serving");
	assert_string_equal(message(), "READY=1\nSTATUS=Serving");
	notifier_free(&notifier);
}

/* A manager that was restarted has a new socket at the same path. */
static void
a_new_socket_is_found(void **state UNUSED)
{
	struct notifier *notifier = notifier_new();
	close(manager);
	assert_int_equal(unlink(path), 0);
	manager = listen_at(path);
	notify_ready(notifier, "Serving");
	assert_string_equal(message(), "READY=1\nSTATUS=Serving");
	notifier_free(&notifier);
}

/* Signs of life are sent after half of the watchdog's time, and not with each call. */
static void
signs_of_life_are_sent_in_time(void **state UNUSED)
{
	watch("20000000", NULL);
	struct notifier *notifier = notifier_new();
	assert_in_range(notify_when(notifier), 0, now_ms);
	notify_alive(notifier);
	assert_string_equal(message(), "WATCHDOG=1");
	assert_int_equal(notify_when(notifier), now_ms + WATCHDOG_MS / 2);
	now_ms += WATCHDOG_MS / 2 - 1;
	notify_alive(notifier);
	assert_string_equal(message(), "");
	now_ms++;
	notify_alive(notifier);
	assert_string_equal(message(), "WATCHDOG=1");
	notifier_free(&notifier);
}

/* A sign of life that could not be sent is sent a second later. */
static void
a_lost_sign_of_life_is_repeated(void **state UNUSED)
{
	watch("20000000", NULL);
	struct notifier *notifier = notifier_new();
	close(manager);
	assert_int_equal(unlink(path), 0);
	capture_log();
	notify_alive(notifier);
	notify_alive(notifier);
	assert_int_equal(count_in(captured_log(), " not_notified "), 1);
	manager = listen_at(path);
	assert_int_equal(notify_when(notifier), now_ms + 1000);
	now_ms += 1000;
	notify_alive(notifier);
	assert_string_equal(message(), "WATCHDOG=1");
	notifier_free(&notifier);
}

static bool
is_watched(const char *us, const char *pid)
{
	watch(us, pid);
	struct notifier *notifier = notifier_new();
	const bool watched = notify_when(notifier) != CLOCK_NEVER;
	notify_alive(notifier);
	assert_string_equal(message(), watched ? "WATCHDOG=1" : "");
	notifier_free(&notifier);
	return watched;
}

static void
only_a_watched_process_sends_signs_of_life(void **state UNUSED)
{
	char own[16];
	snprintf(own, sizeof(own), "%d", (int)getpid());
	assert_true(is_watched("20000000", NULL));
	assert_true(is_watched("20000000", own));
	assert_true(is_watched("1", own));
	assert_false(is_watched("20000000", "1"));
	assert_false(is_watched("20000000", "x"));
	assert_false(is_watched("0", NULL));
	assert_false(is_watched("", NULL));
	assert_false(is_watched("-5", NULL));
	assert_false(is_watched("99999999999999999999", NULL));
}

/* The variables are removed, so that no child process can report in its place. */
static void
the_environment_has_none_of_it_any_more(void **state UNUSED)
{
	watch("20000000", "1");
	struct notifier *notifier = notifier_new();
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	assert_null(getenv("WATCHDOG_PID"));
	notifier_free(&notifier);
}

static void
without_a_manager_nothing_is_sent(void **state UNUSED)
{
	static const char *const addresses[] = { NULL, "", "relative", "vsock:2:1234", "/", "@" };
	char longest[200];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	capture_log();
	for (size_t i = 0; i <= ARRAY_SIZE(addresses); i++) {
		const char *address = i == ARRAY_SIZE(addresses) ? longest : addresses[i];
		setenv("WATCHDOG_USEC", "20000000", 1);
		unsetenv("NOTIFY_SOCKET");
		if (address != NULL)
			setenv("NOTIFY_SOCKET", address, 1);
		struct notifier *notifier = notifier_new();
		notify_ready(notifier, "Serving");
		notify_alive(notifier);
		assert_int_equal(notify_when(notifier), CLOCK_NEVER);
		assert_string_equal(message(), "");
		notifier_free(&notifier);
	}
	const char *log = captured_log();
	assert_int_equal(count_in(log, " bad_notify_socket "), 5);
	assert_int_equal(count_in(log, " not_notified "), 0);
	notify_ready(NULL, "Serving");
	notify_alive(NULL);
	assert_int_equal(notify_when(NULL), CLOCK_NEVER);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(the_manager_gets_each_state),
		TEST(an_abstract_socket_is_reached),
		TEST(a_new_socket_is_found),
		TEST(signs_of_life_are_sent_in_time),
		TEST(a_lost_sign_of_life_is_repeated),
		TEST(only_a_watched_process_sends_signs_of_life),
		TEST(the_environment_has_none_of_it_any_more),
		TEST(without_a_manager_nothing_is_sent),
	};
	return cmocka_run_group_tests_name("os/notify", tests, NULL, NULL);
}
