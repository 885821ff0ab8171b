/* SPDX-License-Identifier: MIT
 * docs/deliveries.md 4.2, wakes: which socket gets them, and that neither side ever waits. The test sets the clock. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "captured_log.h"
#include "os/wake.h"
#include "own_process.h"

enum { LOOK_MS = 1000 /* how often a sender looks for a receiver */, MANY = 2000 };

static char folder[] = "/tmp/leadhook-wake-XXXXXX", one[64], other[64];
static int64_t now_ms;
static bool flooded; /* the socket never runs empty */
static size_t received;

int64_t __wrap_clock_monotonic_ms(void);
ssize_t __real_recv(int socket, void *bytes, size_t size, int flags);
ssize_t __wrap_recv(int socket, void *bytes, size_t size, int flags);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now_ms;
}

ssize_t
__wrap_recv(int socket, void *bytes, size_t size, int flags)
{
	if (flooded && ++received > MANY)
		abort();
	return flooded ? 1 : __real_recv(socket, bytes, size, flags);
}

static void
create(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
	close(open(path, O_WRONLY | O_CREAT, 0600));
}

static int
set_up(void **state UNUSED)
{
	strcpy(strrchr(folder, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(folder));
	create(one, sizeof(one), "one");
	create(other, sizeof(other), "other");
	now_ms = 5 * LOOK_MS;
	return 0;
}

static int
clean_up(void **state UNUSED)
{
	return remove_folder(folder);
}

/* Whether the socket had a wake; takes all wakes from it. */
static bool
woken(int socket)
{
	char byte;
	const bool any = recv(socket, &byte, sizeof(byte), MSG_PEEK) == 1;
	wake_drain(socket);
	assert_int_equal(recv(socket, &byte, sizeof(byte), 0), -1);
	assert_int_equal(errno, EAGAIN);
	return any;
}

static void
a_wake_reaches_the_socket_of_its_file(void **state UNUSED)
{
	const int mine = wake_open(one), foreign = wake_open(other);
	struct wake_sender *sender = wake_sender_new(one);
	assert_true(mine >= 0 && foreign >= 0);
	assert_false(woken(mine));
	wake_send(sender);
	wake_send(sender);
	assert_true(woken(mine));
	assert_false(woken(mine));
	assert_false(woken(foreign));
	wake_sender_free(&sender);
	assert_null(sender);
	close(mine);
	close(foreign);
}

/* A sender looks for a missing file or receiver once a second, and finds it when it appears. */
static void
a_receiver_is_found_within_a_second(void **state UNUSED)
{
	struct wake_sender *sender = wake_sender_new(one);
	assert_int_equal(unlink(one), 0);
	wake_send(sender);
	create(one, sizeof(one), "one");
	now_ms += LOOK_MS;
	wake_send(sender); /* the file exists, but not the socket */
	int socket = wake_open(one);
	now_ms += LOOK_MS - 1;
	wake_send(sender);
	assert_false(woken(socket));
	now_ms++;
	wake_send(sender);
	assert_true(woken(socket));
	/* the next dispatcher, with a new file */
	close(socket);
	now_ms += LOOK_MS;
	wake_send(sender);
	assert_int_equal(unlink(one), 0);
	create(one, sizeof(one), "one");
	socket = wake_open(one);
	now_ms += LOOK_MS;
	wake_send(sender);
	assert_true(woken(socket));
	close(socket);
	wake_sender_free(&sender);
}

/* Wakes that do not fit in the socket are dropped, and the sender keeps its receiver. */
static void
a_full_socket_stops_no_sender(void **state UNUSED)
{
	const int socket = wake_open(one);
	struct wake_sender *sender = wake_sender_new(one);
	for (int i = 0; i < MANY; i++)
		wake_send(sender);
	while (recv(socket, &(char){ 0 }, 1, 0) >= 0)
		;
	assert_false(woken(socket));
	wake_send(sender);
	assert_true(woken(socket));
	wake_sender_free(&sender);
	close(socket);
}

static void
a_flood_does_not_hold_up_the_receiver(void **state UNUSED)
{
	const int socket = wake_open(one);
	received = 0;
	flooded = true;
	wake_drain(socket);
	flooded = false;
	assert_in_range(received, 1, MANY);
	close(socket);
}

/* Another program has taken the name, or there is no file. */
static void
without_a_socket_nothing_fails(void **state UNUSED)
{
	const int socket = wake_open(one);
	struct wake_sender *sender = wake_sender_new(one);
	capture_log();
	assert_int_equal(wake_open(one), -1);
	assert_int_equal(wake_open("/tmp/leadhook-missing/lock"), -1);
	assert_int_equal(count_in(captured_log(), " no_wake_socket path="), 2);
	wake_drain(-1);
	wake_send(NULL);
	wake_send(sender);
	assert_true(woken(socket));
	wake_sender_free(&sender);
	wake_sender_free(&sender);
	close(socket);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(a_wake_reaches_the_socket_of_its_file),
		TEST(a_receiver_is_found_within_a_second),
		TEST(a_full_socket_stops_no_sender),
		TEST(a_flood_does_not_hold_up_the_receiver),
		TEST(without_a_socket_nothing_fails),
	};
	return cmocka_run_group_tests_name("os/wake", tests, NULL, NULL);
}
