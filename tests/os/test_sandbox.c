/* SPDX-License-Identifier: MIT
 * The sandbox: allowed operations work, others fail, and privileges do not return. Each test runs in its own process, because a
 * sandbox cannot be left. */
#include "unit.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "captured_log.h"
#include "os/sandbox.h"
#include "own_process.h"

static char folder[] = "/tmp/leadhook-sandbox-XXXXXX";
static const char no_landlock[] = "this kernel has no Landlock";
static bool has_landlock, restricts_truncation, restricts_ports;

/* A path in the test's folder; valid for three more calls. */
static const char *
path_of(const char *name)
{
	static char paths[4][100];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static int
set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mkdir(path_of("allowed"), 0700), 0);
	assert_int_equal(mkdir(path_of("other"), 0700), 0);
	for (const char *const *name = (const char *const[]){ "allowed/file", "other/file", NULL }; *name != NULL; name++)
		close(open(path_of(*name), O_WRONLY | O_CREAT, 0600));
	capture_log();
	struct sandbox *sandbox = sandbox_new(LOG_LEVEL_INFO);
	sandbox_free(&sandbox);
	const char *log = captured_log();
	has_landlock = strstr(log, " sandbox landlock=") != NULL;
	restricts_truncation = strstr(log, " truncate=refused") != NULL;
	restricts_ports = strstr(log, " tcp_bind=refused") != NULL;
	return has_landlock || strstr(log, " no_landlock ") != NULL ? 0 : -1;
}

static int
clean_up(void **state)
{
	(void)state;
	return remove_folder(folder);
}

static void
enter(const char *path, unsigned rights)
{
	/* needed by the test itself, also with sanitizers */
	const struct sandbox_place places[] = { { path, rights }, { "/proc", SANDBOX_READ }, { "", SANDBOX_READ },
		{ "/nonexistent/file", SANDBOX_READ | SANDBOX_BESIDE } };
	struct sandbox *sandbox = sandbox_new(LOG_LEVEL_DEBUG);
	sandbox_allow(sandbox, places, ARRAY_SIZE(places));
	sandbox_begin();
	sandbox_enter(&sandbox);
	MUST(sandbox == NULL);
}

static void
read_in_sandbox(void)
{
	enter(path_of("allowed"), SANDBOX_READ);
	MUST(opens(path_of("allowed"), O_RDONLY | O_DIRECTORY));
	MUST(opens(path_of("allowed/file"), O_RDONLY));
	MUST(refused(path_of("allowed/file"), O_WRONLY));
	MUST(refused(path_of("allowed/new"), O_WRONLY | O_CREAT));
	MUST(refused(path_of("other"), O_RDONLY | O_DIRECTORY));
	MUST(refused(path_of("other/file"), O_RDONLY));
	MUST(refused(path_of("other/new"), O_WRONLY | O_CREAT));
	MUST(refused("/etc/passwd", O_RDONLY));
}

static void
reading_is_allowed_in_listed_paths(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, read_in_sandbox);
}

static void
write_in_sandbox(void)
{
	enter(path_of("allowed/file"), SANDBOX_WRITE | SANDBOX_BESIDE);
	MUST(opens(path_of("allowed/file"), O_WRONLY | O_APPEND));
	MUST(opens(path_of("allowed/new"), O_WRONLY | O_CREAT));
	MUST(refused(path_of("allowed/file"), O_RDONLY));
	MUST(refused(path_of("allowed/file"), O_WRONLY | O_TRUNC) || !restricts_truncation);
	MUST(unlink(path_of("allowed/file")) != 0 && errno == EACCES);
	MUST(rename(path_of("allowed/file"), path_of("allowed/moved")) != 0 && errno == EACCES);
	MUST(symlink("file", path_of("allowed/link")) != 0 && errno == EACCES);
	MUST(mkdir(path_of("allowed/folder"), 0700) != 0 && errno == EACCES);
	MUST(refused(path_of("other/file"), O_WRONLY));
	MUST(refused(path_of("other/new"), O_WRONLY | O_CREAT));
}

static void
writing_is_allowed_in_listed_paths(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, write_in_sandbox);
}

static void
remove_in_sandbox(void)
{
	MUST(opens(path_of("allowed/socket"), O_WRONLY | O_CREAT));
	enter(path_of("allowed/socket"), SANDBOX_REMOVE | SANDBOX_BESIDE);
	MUST(unlink(path_of("allowed/socket")) == 0);
	MUST(unlink(path_of("other/file")) != 0 && errno == EACCES);
}

static void
removing_is_allowed_in_listed_paths(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, remove_in_sandbox);
}

static void
use_open_files(void)
{
	int fd = open(path_of("other/file"), O_RDWR);
	enter(path_of("allowed"), SANDBOX_READ);
	MUST(pwrite(fd, "x", 1, 0) == 1 && ftruncate(fd, 0) == 0);
}

/* An open file stays usable, such as the lock file of the dispatcher. */
static void
open_files_stay_usable(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, use_open_files);
}

static void
execute_in_sandbox(void)
{
	enter("/", SANDBOX_READ);
	execl("/bin/true", "true", (char *)NULL);
	MUST(errno == EACCES);
}

static void
nothing_is_executed(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, execute_in_sandbox);
}

static void
connect_in_sandbox(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path_of("other/socket"));
	int listening = socket(AF_UNIX, SOCK_STREAM, 0), connecting = socket(AF_UNIX, SOCK_STREAM, 0);
	MUST(bind(listening, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listening, 1) == 0);
	enter(path_of("allowed"), SANDBOX_READ);
	MUST(connect(connecting, (struct sockaddr *)&address, sizeof(address)) == 0);
}

/* The database's socket needs no path. */
static void
connections_to_unix_sockets_are_free(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, connect_in_sandbox);
}

static void
listen_in_sandbox(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM, 0), connecting = socket(AF_INET, SOCK_STREAM, 0);
	MUST(bind(listening, (struct sockaddr *)&address, size) == 0 && listen(listening, 1) == 0);
	MUST(getsockname(listening, (struct sockaddr *)&address, &size) == 0);
	enter(path_of("allowed"), SANDBOX_READ);
	MUST(connect(connecting, (struct sockaddr *)&address, size) == 0);
	address.sin_port = 0;
	MUST(bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, size) != 0 && errno == EACCES);
}

static void
no_tcp_port_gets_a_listener(void **state)
{
	(void)state;
	assert_holds_where(restricts_ports, "this kernel's Landlock does not support ports", listen_in_sandbox);
}

static bool
status_has(const char *line)
{
	char text[4096];
	FILE *file = fopen("/proc/self/status", "r");
	MUST(file != NULL);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return strstr(text, line) != NULL;
}

static void
begin_in_child(void)
{
	MUST(status_has("\nNoNewPrivs:\t0\n"));
	sandbox_begin();
	MUST(status_has("\nNoNewPrivs:\t1\n"));
}

/* A set-user-ID program gains no privileges: PR_SET_NO_NEW_PRIVS(2const). */
static void
there_are_no_new_privileges(void **state)
{
	(void)state;
	assert_holds(begin_in_child);
}

static void
crash(void)
{
	struct rlimit limit;
	MUST(chdir(path_of("other")) == 0 && getrlimit(RLIMIT_CORE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	MUST(setrlimit(RLIMIT_CORE, &limit) == 0);
	sandbox_begin();
	signal(SIGSEGV, SIG_DFL); /* replaces the handler of sanitizers */
	raise(SIGSEGV);
}

static void
crash_hidden(void)
{
	sandbox_hide();
	crash();
}

static void
a_crash_leaves_no_core(void **state)
{
	(void)state;
	int status = own_process(crash_hidden);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	assert_false(WCOREDUMP(status));
	/* no core file is created, even if the process is not hidden; but a program that receives cores gets them regardless of
	 * the limit */
	FILE *file = fopen("/proc/sys/kernel/core_pattern", "r");
	int handed_over = file != NULL && fgetc(file) == '|';
	if (file != NULL)
		fclose(file);
	assert_true(handed_over || !WCOREDUMP(own_process(crash)));
}

static void
hide_in_child(void)
{
	sandbox_hide();
	MUST(prctl(PR_GET_DUMPABLE) == 0);
	MUST(opens("/proc/self/maps", O_RDONLY));
	sandbox_unhide();
	MUST(prctl(PR_GET_DUMPABLE) == 1);
}

static void
memory_is_hidden_and_shown(void **state)
{
	(void)state;
	assert_holds(hide_in_child);
}

static void
enter_nothing(void)
{
	struct sandbox *none = NULL;
	sandbox_enter(&none);
	sandbox_free(&none);
	MUST(opens(path_of("other/file"), O_WRONLY));
}

static void
no_sandbox_restricts_nothing(void **state)
{
	(void)state;
	assert_holds(enter_nothing);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_is_allowed_in_listed_paths),
		cmocka_unit_test(writing_is_allowed_in_listed_paths),
		cmocka_unit_test(removing_is_allowed_in_listed_paths),
		cmocka_unit_test(open_files_stay_usable),
		cmocka_unit_test(nothing_is_executed),
		cmocka_unit_test(connections_to_unix_sockets_are_free),
		cmocka_unit_test(no_tcp_port_gets_a_listener),
		cmocka_unit_test(there_are_no_new_privileges),
		cmocka_unit_test(a_crash_leaves_no_core),
		cmocka_unit_test(memory_is_hidden_and_shown),
		cmocka_unit_test(no_sandbox_restricts_nothing),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
