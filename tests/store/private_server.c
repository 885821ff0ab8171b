/* SPDX-License-Identifier: MIT */
#include "private_server.h"

#include <mysql.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"

enum { PATH_SIZE = 128, START_SECONDS = 60, WAIT_SECONDS = 10, TEXT_SIZE = 16384 };

/* The server does not wait until data are on disk: no test is about a host that fails. */
#define WITHOUT_SYNC "--loose-innodb-flush-method=nosync", "--loose-sync-frm=OFF"

/* In the folder of the build; `make clean` removes it. */
#define TEMPLATE "test-database"
#define UNFINISHED TEMPLATE ".unfinished"

static char folder[] = "/tmp/leadhook-db-XXXXXX";
static char data_option[PATH_SIZE], socket_option[PATH_SIZE], log_path[PATH_SIZE];
/* At start a server removes the temporary tables that it finds: in /tmp they could be another server's. */
static char tmpdir_option[PATH_SIZE];
static const char *socket_path, *data_path, *extra_option;
static pid_t server;
static MYSQL *root;
static int64_t root_commands; /* sent by root */

static void
pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000000 }, NULL);
}

static bool
in_path(const char *program)
{
	char list[4096], path[4096 + PATH_SIZE], *rest = list;
	const char *own = getenv("PATH");
	/* servers are installed outside an ordinary account's PATH */
	snprintf(list, sizeof(list), "%s:/usr/sbin:/sbin:/usr/local/sbin", own == NULL ? "/usr/bin" : own);
	setenv("PATH", list, 1);
	for (char *part; (part = strsep(&rest, ":")) != NULL;) {
		snprintf(path, sizeof(path), "%s/%s", part, program);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

bool
private_server_installed(void)
{
	return in_path("mariadbd") && in_path("mariadb-install-db");
}

/* A child that writes to the log and ends with this process. */
static pid_t
spawn(const char *const *argv)
{
	pid_t parent = getpid(), child = fork();
	if (child != 0)
		return child;
	int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || log < 0)
		_exit(126);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static bool
run_to_end(const char *const *argv)
{
	int status;
	pid_t child = spawn(argv);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* The data folder that all servers begin with. The first test of a build makes it. It is renamed when it is complete. */
static bool
make_template(void)
{
	/* the server refuses to run as root without this option */
	char here[PATH_MAX / 2], place[PATH_MAX];
	if (getcwd(here, sizeof(here)) == NULL)
		return false;
	snprintf(place, sizeof(place), "--datadir=%s/" UNFINISHED, here);
	const char *const remove_rest[] = { "rm", "-rf", UNFINISHED, NULL };
	const char *const install[] = { "mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-log-file-size=16M", WITHOUT_SYNC, place, tmpdir_option,
		geteuid() == 0 ? "--user=root" : NULL, NULL };
	struct stat found;
	int lock = open(TEMPLATE ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	bool made = lock >= 0 && flock(lock, LOCK_EX) == 0 &&
		    (stat(TEMPLATE, &found) == 0 ||
			(run_to_end(remove_rest) && run_to_end(install) && rename(UNFINISHED, TEMPLATE) == 0));
	if (lock >= 0)
		close(lock);
	return made;
}

static bool
make_data(void)
{
	const char *const copy[] = { "cp", "-a", TEMPLATE, data_path, NULL };
	return make_template() && run_to_end(copy);
}

static bool
connect_root(void)
{
	root = mysql_init(NULL);
	if (root != NULL && mysql_real_connect(root, NULL, "root", "", NULL, 0, socket_path, CLIENT_FOUND_ROWS) != NULL)
		return true;
	mysql_close(root);
	root = NULL;
	return false;
}

static bool
start_server(void)
{
	const char *argv[] = { "mariadbd", "--no-defaults", "--skip-networking", "--skip-name-resolve",
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M", WITHOUT_SYNC,
		"--innodb-flush-log-at-trx-commit=1", "--character-set-server=utf8mb4", "--max-allowed-packet=1M", data_option,
		tmpdir_option, socket_option, NULL, NULL, NULL };
	size_t last = ARRAY_SIZE(argv) - 3;
	if (geteuid() == 0)
		argv[last++] = "--user=root";
	argv[last] = extra_option;
	int64_t deadline = clock_monotonic_ms() + START_SECONDS * 1000;
	server = spawn(argv);
	while (server > 0 && clock_monotonic_ms() < deadline && waitpid(server, NULL, WNOHANG) == 0) {
		if (connect_root())
			return true;
		pause_a_moment();
	}
	return false;
}

static void
show_log(void)
{
	char line[1024];
	FILE *log = fopen(log_path, "r");
	while (log != NULL && fgets(line, sizeof(line), log) != NULL)
		fprintf(stderr, "# %s", line);
	if (log != NULL)
		fclose(log);
}

void
private_server_set_option(const char *option)
{
	extra_option = option;
}

bool
private_server_start(void)
{
	if (mkdtemp(folder) == NULL)
		return false;
	atexit(private_server_stop);
	snprintf(data_option, sizeof(data_option), "--datadir=%s/data", folder);
	snprintf(tmpdir_option, sizeof(tmpdir_option), "--tmpdir=%s", folder);
	snprintf(socket_option, sizeof(socket_option), "--socket=%s/socket", folder);
	snprintf(log_path, sizeof(log_path), "%s/log", folder);
	socket_path = strchr(socket_option, '=') + 1;
	data_path = strchr(data_option, '=') + 1;
	if (!make_data() || !start_server()) {
		show_log();
		return false;
	}
	root_run("CREATE DATABASE " PRIVATE_SERVER_DATABASE " CHARACTER SET utf8mb4");
	root_run("CREATE USER " PRIVATE_SERVER_USER "@localhost IDENTIFIED BY '" PRIVATE_SERVER_PASSWORD "'");
	root_run("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON " PRIVATE_SERVER_DATABASE
		 ".* TO " PRIVATE_SERVER_USER "@localhost");
	root_run("USE " PRIVATE_SERVER_DATABASE);
	return true;
}

static int
remove_entry(const char *path, const struct stat *status UNUSED, int type UNUSED, struct FTW *place UNUSED)
{
	return remove(path);
}

void
private_server_stop(void)
{
	if (socket_path == NULL)
		return;
	if (root != NULL)
		mysql_close(root);
	root = NULL;
	if (server > 0) {
		kill(server, SIGKILL); /* its data is no longer needed */
		waitpid(server, NULL, 0);
	}
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	socket_path = NULL;
}

const char *
private_server_socket(void)
{
	return socket_path;
}

static void PRINTF_LIKE(1, 0) send_text(const char *format, va_list list)
{
	char text[TEXT_SIZE];
	int size = vsnprintf(text, sizeof(text), format, list);
	root_commands++;
	if (size >= 0 && size < TEXT_SIZE && mysql_real_query(root, text, (unsigned long)size) == 0)
		return;
	fprintf(stderr, "# %s: %s\n", text, mysql_error(root));
	exit(EXIT_FAILURE);
}

void
root_run(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	send_text(format, list);
	va_end(list);
	mysql_free_result(mysql_store_result(root)); /* some statements return rows */
}

static int64_t PRINTF_LIKE(1, 0) answered_number(const char *format, va_list list)
{
	send_text(format, list);
	MYSQL_RES *answer = mysql_store_result(root);
	MYSQL_ROW row = answer == NULL ? NULL : mysql_fetch_row(answer);
	if (row == NULL) {
		fprintf(stderr, "# no row answered: %s\n", format);
		exit(EXIT_FAILURE);
	}
	int64_t number = row[0] == NULL ? -1 : strtoll(row[0], NULL, 10);
	mysql_free_result(answer);
	return number;
}

int64_t
root_number(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int64_t number = answered_number(format, list);
	va_end(list);
	return number;
}

bool
root_wait_for(int64_t wanted, const char *format, ...)
{
	for (int64_t deadline = clock_monotonic_ms() + WAIT_SECONDS * 1000; clock_monotonic_ms() < deadline; pause_a_moment()) {
		va_list list;
		va_start(list, format);
		int64_t number = answered_number(format, list);
		va_end(list);
		if (number == wanted)
			return true;
	}
	return false;
}

int64_t
root_questions(void)
{
	int64_t all =
	    root_number("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'");
	return all - root_commands;
}

int64_t
root_rows_read(void)
{
	static const char sum[] = "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS WHERE "
				  "VARIABLE_NAME LIKE 'HANDLER\\_READ\\_%%'";
	static int64_t own, queries; /* rows that such a query reads itself; number of such queries */
	if (queries == 0) {
		own = -root_number(sum);
		own += root_number(sum);
		queries = 2;
	}
	return root_number(sum) - own * queries++;
}
