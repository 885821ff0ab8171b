/* SPDX-License-Identifier: MIT
 * The listening socket (docs/architecture.md 10): only local peers, no socket taken from a live process, mode and group correct
 * from the start. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

#include "fcgi/listener.h"
#include "os/log.h"

static char folder[] = "/tmp/leadhook-listener-XXXXXX";
static char path[sizeof(folder) + sizeof("/socket")];

static struct listener *
open_at(const char *listen, int *status)
{
	const struct fcgi_options options = { .listen = listen };
	return listener_open(&options, status);
}

static void
only_loopback_addresses_are_taken(void **state)
{
	(void)state;
	static const char *const refused[] = { "0.0.0.0:9000", "10.0.0.1:9000", "[::]:9000", "[2001:db8::1]:9000",
		"localhost:9000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:90x", "::1:9000",
		":9000", "" };
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		int status = EX_OK;
		assert_null(open_at(refused[i], &status));
		assert_int_equal(status, EX_CONFIG);
	}
}

static void
the_socket_has_its_mode_and_is_removed_at_the_end(void **state)
{
	(void)state;
	struct stat status;
	int code;
	struct listener *listener = open_at(path, &code);
	assert_non_null(listener);
	assert_int_equal(lstat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0660);
	listener_close(&listener);
	assert_null(listener);
	assert_int_not_equal(lstat(path, &status), 0);
	const struct fcgi_options options = { .listen = path, .socket_mode = 0600 };
	listener = listener_open(&options, &code);
	assert_non_null(listener);
	assert_int_equal(lstat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	listener_close(&listener);
}

/* SECURITY.md, Misconfiguration; leadhook.conf(5), socket_mode: a folder that keeps others out is enough, wherever it is. */
static void
a_socket_is_not_for_all_accounts(void **state)
{
	(void)state;
	static const struct {
		unsigned mode, above, folder;
		bool is_refused;
	} cases[] = { { 0666, 0711, 0755, true }, { 0662, 0711, 0701, true }, { 0660, 0711, 0755, false },
		{ 0666, 0711, 0750, false }, { 0666, 0710, 0755, false } };
	char inner[sizeof(folder) + sizeof("/inner")], socket_path[sizeof(inner) + sizeof("/socket")];
	snprintf(inner, sizeof(inner), "%s/inner", folder);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct fcgi_options options = { .listen = socket_path, .socket_mode = cases[i].mode };
		int code;
		assert_int_equal(chmod(folder, cases[i].above), 0);
		assert_int_equal(chmod(inner, cases[i].folder), 0);
		struct listener *listener = listener_open(&options, &code);
		assert_int_equal(listener == NULL, cases[i].is_refused);
		assert_int_equal(code, cases[i].is_refused ? EX_CONFIG : EX_OK);
		assert_int_equal(access(socket_path, F_OK) != 0, cases[i].is_refused);
		listener_close(&listener);
	}
	assert_int_equal(rmdir(inner), 0);
	assert_int_equal(chmod(folder, 0700), 0);
}

/* docs/architecture.md 10: as many connections as lighttpd has can wait for a worker. */
static void
the_queue_is_long(void **state)
{
	enum { LIGHTTPD_CONNECTIONS = 1365, OTHERS = 64 };
	static int peers[LIGHTTPD_CONNECTIONS];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct rlimit files, more;
	int code;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	more = files;
	more.rlim_cur = files.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &more), 0);
	assert_true(more.rlim_cur >= LIGHTTPD_CONNECTIONS + OTHERS);
	struct listener *listener = open_at(path, &code);
	assert_non_null(listener);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (size_t i = 0; i < LIGHTTPD_CONNECTIONS; i++) {
		peers[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		assert_int_equal(connect(peers[i], (const struct sockaddr *)&address, sizeof(address)), 0);
	}
	for (size_t i = 0; i < LIGHTTPD_CONNECTIONS; i++)
		close(peers[i]);
	listener_close(&listener);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

static void
an_unknown_group_is_a_wrong_configuration(void **state)
{
	(void)state;
	int code;
	const struct fcgi_options options = { .listen = path, .socket_group = "no such group" };
	assert_null(listener_open(&options, &code));
	assert_int_equal(code, EX_CONFIG);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void
a_live_socket_is_left_alone(void **state)
{
	(void)state;
	int code;
	struct listener *first = open_at(path, &code);
	assert_non_null(first);
	assert_null(open_at(path, &code));
	assert_int_equal(code, EX_UNAVAILABLE);
	assert_int_equal(access(path, F_OK), 0);
	listener_close(&first);
}

static void
a_stale_socket_is_replaced(void **state)
{
	(void)state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int code, fd = socket(AF_UNIX, SOCK_STREAM, 0);
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(access(path, F_OK), 0);
	struct listener *listener = open_at(path, &code);
	assert_non_null(listener);
	listener_close(&listener);
}

static void
a_regular_file_is_left_alone(void **state)
{
	(void)state;
	int code, fd = open(path, O_WRONLY | O_CREAT, 0600);
	close(fd);
	assert_null(open_at(path, &code));
	assert_int_equal(code, EX_CANTCREAT);
	assert_int_equal(unlink(path), 0);
}

static void
a_replaced_socket_is_not_removed(void **state)
{
	(void)state;
	int code;
	struct listener *first = open_at(path, &code);
	assert_non_null(first);
	assert_int_equal(unlink(path), 0);
	struct listener *second = open_at(path, &code);
	assert_non_null(second);
	listener_close(&first);
	assert_int_equal(access(path, F_OK), 0);
	listener_close(&second);
}

static void
a_path_that_does_not_fit_is_refused(void **state)
{
	(void)state;
	char name[200];
	int code;
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	assert_null(open_at(name, &code));
	assert_int_equal(code, EX_CONFIG);
}

static int
make_folder(void **state)
{
	(void)state;
	log_init("test_listener", LOG_LEVEL_ERROR);
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/socket", folder);
	return 0;
}

static int
remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_loopback_addresses_are_taken),
		cmocka_unit_test(the_socket_has_its_mode_and_is_removed_at_the_end),
		cmocka_unit_test(a_socket_is_not_for_all_accounts),
		cmocka_unit_test(the_queue_is_long),
		cmocka_unit_test(an_unknown_group_is_a_wrong_configuration),
		cmocka_unit_test(a_live_socket_is_left_alone),
		cmocka_unit_test(a_stale_socket_is_replaced),
		cmocka_unit_test(a_regular_file_is_left_alone),
		cmocka_unit_test(a_replaced_socket_is_not_removed),
		cmocka_unit_test(a_path_that_does_not_fit_is_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
