/* SPDX-License-Identifier: MIT
 * The forms of log lines, and where the lines go (docs/operating.md 12.5). */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/attributes.h"
#include "captured_log.h"
#include "os/clock.h"

enum { DEADLINE_MS = 10000, DATAGRAM_MAX = 8192 };

static char folder[] = "/tmp/leadhook-log-XXXXXX";
static char socket_path[sizeof(folder) + 16];

static int
begin(void **state UNUSED)
{
	log_set_format(LOG_LOGFMT);
	log_use_syslog("", "");
	unlink(socket_path);
	return 0;
}

/* Returns the captured text from `at` on; fails if it does not contain `at`. */
static const char *
after(const char *line, const char *at)
{
	const char *found = strstr(line, at);
	if (found == NULL)
		fail_msg("no %s in %s", at, line);
	return found;
}

/* ---- the forms ---- */

static void
json_has_types(void **state UNUSED)
{
	char expected[300];
	capture_log();
	log_set_format(LOG_JSON);
	log_info("happened", LOG_UINT("count", UINT64_MAX), LOG_INT("change", -5), LOG_STR("name", "a \"b\" \\c\n"),
	    LOG_BYTES("bytes", SLICE("\xff\xc3\xa4\xf0\x9f\x98\x80\0")), LOG_INT("pid", 1), LOG_STR("event", "x"));
	const char *line = captured_log();
	snprintf(expected, sizeof(expected), "\",\"level\":\"info\",\"program\":\"test\",\"pid\":%ld,\"event\":\"happened\",",
	    (long)getpid());
	assert_int_equal(strncmp(line, "{\"time\":\"20", 11), 0);
	assert_string_equal(after(line, expected) + strlen(expected),
	    "\"count\":18446744073709551615,\"change\":-5,\"name\":\"a \\\"b\\\" \\\\c\\u000a\","
	    "\"bytes\":\"\\ufffd\\u00e4\\ud83d\\ude00\\u0000\",\"field_pid\":1,\"field_event\":\"x\"}\n");
}

/* The current work is a member as well, unless the line already has that member. */
static void
json_has_the_work(void **state UNUSED)
{
	capture_log();
	log_set_format(LOG_JSON);
	log_work(LOG_UINT("delivery", 7));
	log_info("one", LOG_UINT("n", 1));
	log_info("two", LOG_UINT("delivery", 7));
	log_work_done();
	const char *lines = captured_log();
	(void)after(lines, "\"event\":\"one\",\"n\":1,\"delivery\":7}\n");
	(void)after(lines, "\"event\":\"two\",\"delivery\":7}\n");
}

/* A line that is too long is still an object. */
static void
long_json_is_complete(void **state UNUSED)
{
	static char text[600];
	memset(text, '"', sizeof(text) - 1);
	struct log_field fields[8];
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = LOG_STR("text", text);
	fields[ARRAY_SIZE(fields) - 1] = LOG_UINT("last", 1);
	capture_log();
	log_set_format(LOG_JSON);
	log_event(LOG_LEVEL_INFO, "long", fields, ARRAY_SIZE(fields));
	static const char end[] = "\",\"truncated\":true}\n";
	const char *line = captured_log();
	assert_in_range(strlen(line), 3000, 4097);
	assert_int_equal(count_in(line, "\\\"...\",\"text\":") + 1, 3); /* each has 1024 bytes */
	assert_string_equal(line + strlen(line) - strlen(end), end);
	assert_int_equal(count_in(line, "\n"), 1);
}

/* ---- where they go ---- */

static int
make_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(fd >= 0);
	strncpy(address.sun_path, socket_path, sizeof(address.sun_path) - 1);
	unlink(socket_path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* The next datagram; fails when there is none. */
static const char *
received(int daemon)
{
	static char text[DATAGRAM_MAX];
	struct pollfd wait = { daemon, POLLIN, 0 };
	assert_int_equal(poll(&wait, 1, DEADLINE_MS), 1);
	const ssize_t size = recv(daemon, text, sizeof(text) - 1, 0);
	assert_true(size > 0);
	text[size] = '\0';
	return text;
}

/* RFC 3164, 4.1: priority, local time, program and process id. */
static void
syslog_gets_datagrams(void **state UNUSED)
{
	char expected[100], month[4];
	int priority, day, hour, minute, second;
	const int daemon = make_daemon();
	capture_log();
	log_use_syslog("local3", socket_path);
	log_warning("happened", LOG_STR("text", "a b"));
	const char *line = received(daemon);
	assert_int_equal(sscanf(line, "<%d>%3s %d %d:%d:%d ", &priority, month, &day, &hour, &minute, &second), 6);
	assert_int_equal(priority, LOG_LOCAL3 | LOG_WARNING);
	assert_int_equal(line[strlen("<156>Nov 26 02:33:00")], ' ');
	snprintf(expected, sizeof(expected), " test[%ld]: warning happened text=\"a b\"", (long)getpid());
	assert_string_equal(after(line, " test["), expected);
	log_set_format(LOG_JSON);
	log_error("again", LOG_UINT("n", 1));
	line = received(daemon);
	assert_int_equal(strncmp(line, "<155>", 5), 0);
	(void)after(line, "]: {\"time\":\"");
	log_use_syslog("", "");
	assert_string_equal(captured_log(), "");
	close(daemon);
}

/* docs/operating.md 12.5: lines that the daemon does not accept, or that come while it is away, are written as if there were no
 * daemon. It gets the lines that come after its return. Each absence is reported once. */
static void
without_the_daemon_lines_are_written(void **state UNUSED)
{
	int daemon = make_daemon();
	capture_log();
	log_use_syslog("daemon", socket_path);
	log_info("one", LOG_UINT("n", 1));
	(void)after(received(daemon), " one n=1");
	close(daemon);
	log_info("two", LOG_UINT("n", 2));
	unlink(socket_path);
	log_info("three", LOG_UINT("n", 3));
	log_info("and", LOG_UINT("n", 3));
	daemon = make_daemon();
	log_info("four", LOG_UINT("n", 4));
	(void)after(received(daemon), " four n=4");
	close(daemon);
	log_info("five", LOG_UINT("n", 5));
	log_use_syslog("", "");
	const char *written = captured_log();
	(void)after(after(written, " two n=2\n"), " syslog_away path=");
	(void)after(written, " three n=3\n");
	(void)after(after(written, " five n=5\n"), " syslog_away path=");
	assert_int_equal(count_in(written, " syslog_away "), 2);
	assert_int_equal(count_in(written, "\n"), 6);
}

/* docs/operating.md 12.5: a socket without a daemon is reported at the start if warnings are logged. */
static void
a_missing_daemon_is_reported(void **state UNUSED)
{
	const char *line = " warning test[";
	capture_log();
	log_use_syslog("daemon", socket_path);
	log_use_syslog("", "");
	const char *written = captured_log();
	(void)after(after(after(written, line), " syslog_away path="), " error=\"No such file or directory\" ");
	assert_int_equal(count_in(written, "\n"), 1);
	capture_log();
	log_init("test", LOG_LEVEL_ERROR);
	log_use_syslog("daemon", socket_path);
	log_error("one", LOG_UINT("n", 1));
	log_use_syslog("", "");
	written = captured_log();
	(void)after(written, " one n=1\n");
	assert_int_equal(count_in(written, "\n"), 1);
}

/* A daemon that does not read never makes the program wait. */
static void
a_stopped_daemon_is_not_waited_for(void **state UNUSED)
{
	enum { LINES = 2000 };
	const int daemon = make_daemon();
	size_t taken = 0;
	capture_log();
	log_use_syslog("daemon", socket_path);
	for (unsigned i = 0; i < LINES; i++)
		log_info("flood", LOG_UINT("n", i));
	log_use_syslog("", "");
	char text[DATAGRAM_MAX];
	while (recv(daemon, text, sizeof(text), 0) > 0)
		taken++;
	struct stat status;
	assert_int_equal(stat(captured_log_path, &status), 0);
	assert_in_range(taken, 1, LINES - 1);
	FILE *file = fopen(captured_log_path, "r");
	size_t written = 0;
	for (int c; (c = fgetc(file)) != EOF;)
		written += c == '\n';
	fclose(file);
	(void)captured_log();
	assert_int_equal(taken + written, LINES); /* no line is lost or duplicated */
	close(daemon);
}

/* docs/operating.md 12.5: a full disk does not stop the program, and lines are written again when there is room. */
static void
a_full_disk_stops_nothing(void **state UNUSED)
{
	int status;
	capture_log();
	const pid_t child = fork();
	if (child == 0) {
		struct rlimit size = { 0, RLIM_INFINITY };
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &size);
		errno = ENOENT;
		log_info("lost", LOG_UINT("n", 1));
		const bool unchanged = errno == ENOENT;
		size.rlim_cur = RLIM_INFINITY;
		setrlimit(RLIMIT_FSIZE, &size);
		log_info("written", LOG_UINT("n", 2));
		_exit(unchanged ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	const char *lines = captured_log();
	assert_null(strstr(lines, "lost"));
	(void)after(lines, " written n=2\n");
}

/* docs/operating.md 12.5: after a file was moved, the next line or log_reopen makes a new one; until that succeeds, the old one
 * is used. */
static void
a_moved_file_is_made_anew(void **state UNUSED)
{
	char path[sizeof(folder) + 16], moved[sizeof(folder) + 10], given[sizeof(path)];
	struct stat status;
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(moved, sizeof(moved), "%s/log.1", folder);
	memcpy(given, path, sizeof(given));
	struct log_file *file = log_open(given);
	assert_non_null(file);
	memset(given, 'x', sizeof(given) - 1); /* as after a reload of the configuration */
	given[sizeof(given) - 1] = '\0';
	log_init("test", LOG_LEVEL_INFO);
	log_use(file);
	assert_int_equal(rename(path, moved), 0);
	log_reopen();
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(mkdir(moved, 0700), -1);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0); /* a folder takes the file's name */
	log_reopen();
	log_info("one", LOG_UINT("n", 1)); /* written to the removed file */
	assert_int_equal(rmdir(path), 0);
	log_info("two", LOG_UINT("n", 2));
	assert_int_equal(stat(path, &status), 0);
	assert_in_range(status.st_size, 20, 100);
	assert_int_equal(status.st_mode & 0137, 0);
	assert_true(log_uses(STDERR_FILENO) == false);
	log_use(NULL);
	assert_true(log_uses(STDERR_FILENO));
	unlink(path);
	unlink(moved);
}

/* leadhook-fcgi(8), --check-config: the file is neither made nor changed. */
static void
a_check_makes_no_file(void **state UNUSED)
{
	char path[sizeof(folder) + 16], below[sizeof(folder) + 24];
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(below, sizeof(below), "%s/none/log", folder);
	assert_true(log_could_open(path));
	assert_int_equal(access(path, F_OK), -1);
	assert_false(log_could_open(below));
	assert_int_equal(errno, ENOENT);
	assert_false(log_could_open(folder));
	assert_int_equal(errno, EISDIR);
	assert_true(log_could_open("/dev/null"));
	assert_int_equal(mkfifo(path, 0600), 0); /* a FIFO that no process reads */
	assert_false(log_could_open(path));
	assert_int_equal(errno, ENXIO);
	assert_null(log_open(path));
	const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(log_could_open(path));
	close(reader);
	unlink(path);
}

/* leadhook.conf(5), log.file: a link is followed only if no other account can have put it there. */
static void
links_of_others_are_not_followed(void **state UNUSED)
{
	static const mode_t modes[] = { 0700, 0755, 0770, 01777 };
	char path[sizeof(folder) + 16], target[sizeof(folder) + 16];
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(target, sizeof(target), "%s/target", folder);
	assert_int_equal(symlink(target, path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		const bool ours = (modes[i] & 022) == 0;
		assert_int_equal(chmod(folder, modes[i]), 0);
		assert_true(log_could_open(path) || !ours);
		struct log_file *file = log_open(path);
		assert_int_equal(file != NULL, ours);
		assert_int_equal(unlink(target), ours ? 0 : -1);
		log_close(&file);
	}
	assert_int_equal(chmod(folder, 0700), 0);
	unlink(path);
}

/* Likewise, a file is refused if an account other than the owner of the folder may have put it there. In a folder of ours, only
 * root can have put another account's file. */
static void
files_of_others_are_not_taken(void **state UNUSED)
{
	enum { OTHER = 65534, THIRD = 65533 };
	static const struct {
		mode_t mode;
		uid_t folder, file;
		bool is_taken;
	} cases[] = { { 0755, 0, OTHER, true }, { 0770, 0, OTHER, false }, { 0777, 0, OTHER, false }, { 0777, 0, 0, true },
		{ 0755, OTHER, OTHER, true }, { 0755, OTHER, THIRD, false } };
	char path[sizeof(folder) + 16];
	if (geteuid() != 0)
		skip();
	snprintf(path, sizeof(path), "%s/log", folder);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const int fd = open(path, O_CREAT | O_WRONLY, 0666);
		assert_true(fd >= 0);
		assert_int_equal(fchown(fd, cases[i].file, cases[i].file), 0);
		close(fd);
		assert_int_equal(chown(folder, cases[i].folder, cases[i].folder), 0);
		assert_int_equal(chmod(folder, cases[i].mode), 0);
		errno = 0;
		assert_int_equal(log_could_open(path), cases[i].is_taken);
		assert_true(cases[i].is_taken || errno == EPERM);
		struct log_file *file = log_open(path);
		assert_int_equal(file != NULL, cases[i].is_taken);
		log_close(&file);
		unlink(path);
	}
	assert_int_equal(chown(folder, 0, 0), 0);
	assert_int_equal(chmod(folder, 0700), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(json_has_types, begin),
		cmocka_unit_test_setup(json_has_the_work, begin),
		cmocka_unit_test_setup(long_json_is_complete, begin),
		cmocka_unit_test_setup(syslog_gets_datagrams, begin),
		cmocka_unit_test_setup(without_the_daemon_lines_are_written, begin),
		cmocka_unit_test_setup(a_missing_daemon_is_reported, begin),
		cmocka_unit_test_setup(a_stopped_daemon_is_not_waited_for, begin),
		cmocka_unit_test_setup(a_full_disk_stops_nothing, begin),
		cmocka_unit_test_setup(a_moved_file_is_made_anew, begin),
		cmocka_unit_test_setup(a_check_makes_no_file, begin),
		cmocka_unit_test_setup(links_of_others_are_not_followed, begin),
		cmocka_unit_test_setup(files_of_others_are_not_taken, begin),
	};
	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(socket_path, sizeof(socket_path), "%s/log.sock", folder);
	const int failed = cmocka_run_group_tests_name("os/log", tests, NULL, NULL);
	unlink(socket_path);
	rmdir(folder);
	return failed;
}
