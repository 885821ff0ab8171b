/* SPDX-License-Identifier: MIT
 * A server that is slow, unavailable, full or read-only (docs/api.md 2, unavailable): how long a call waits, what continues on
 * the server, and what is logged. Modules: db. */
#include "unit.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/attributes.h"
#include "captured_log.h"
#include "db/db.h"
#include "os/clock.h"
#include "private_server.h"

DB_STATEMENT(sql_insert, "INSERT INTO {prefix}people (id, email, small) VALUES (?, ?, ?)");
DB_STATEMENT(sql_count, "SELECT COUNT(*) FROM {prefix}people");
DB_STATEMENT(sql_sleep, "SELECT SLEEP(60)");
DB_STATEMENT(sql_limit, "SELECT CAST(@@max_statement_time * 10 AS UNSIGNED)");
DB_STATEMENT(sql_connection, "SELECT CONNECTION_ID()");
enum { COLUMNS = 3, ANSWER_S = 3, ANSWER_MS = 1000 * ANSWER_S, RETRY_MS = 2000, AT_ONCE_MS = 500 };

#define OWN_CONNECTIONS "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '" PRIVATE_SERVER_USER "'"

#define TIMEOUT_S ANSWER_S
#define MAKE_TABLE                                                                                          \
	"CREATE TABLE t_people (id BIGINT UNSIGNED PRIMARY KEY, email VARCHAR(100) UNIQUE, small TINYINT) " \
	"ENGINE=InnoDB"
#define EMPTY_TABLE "DELETE FROM t_people"
#include "with_table.h"

static enum result
insert(struct world *w, uint64_t id, const char *email)
{
	const struct db_value row[COLUMNS] = { DB_U64(id), db_bytes(slice_of(email)), DB_U64(1) };
	return db_execute(w->db, &sql_insert, &(struct db_arguments){ .values = row, .count = COLUMNS }, NULL);
}

static uint64_t
number(struct world *w, const struct db_statement *statement)
{
	struct db_rows rows;
	assert_int_equal(db_query(w->db, w->pool, statement, NULL, &rows), RESULT_OK);
	return db_get_u64(&rows, 0, 0);
}

/* The server ends a long statement before our timeout: no abandoned statement continues there. */
static void
the_server_ends_a_long_statement(void **state)
{
	struct world *w = *state;
	struct db_rows rows;
	uint64_t connection = number(w, &sql_connection);
	int64_t before = clock_monotonic_ms();
	assert_int_equal(db_query(w->db, w->pool, &sql_sleep, NULL, &rows), RESULT_UNAVAILABLE);
	assert_in_range(clock_monotonic_ms() - before, ANSWER_MS / 2, ANSWER_MS);
	assert_true(root_wait_for(0, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%%'"));
	assert_int_equal(number(w, &sql_connection), connection);
}

/* A change of a table may have to copy it: it has no time limit. */
static void
texts_have_no_time_limit(void **state)
{
	struct world *w = *state;
	assert_int_equal(number(w, &sql_limit), 9 * ANSWER_S);
	assert_int_equal(
	    db_run_text(w->db, SLICE("INSERT INTO {prefix}people (id, small) SELECT 1, @@max_statement_time * 10")), RESULT_OK);
	assert_int_equal(root_number("SELECT small FROM t_people"), 0);
	assert_int_equal(number(w, &sql_limit), 9 * ANSWER_S);
}

/* After the deadline nothing is started, and nothing uncommitted is committed. */
static void
nothing_starts_after_a_deadline(void **state)
{
	struct world *w = *state;
	struct db_rows rows;
	assert_int_equal(number(w, &sql_count), 0);
	assert_true(db_set_deadline(w->db, clock_monotonic_ms()) == CLOCK_NEVER);
	assert_int_equal(db_query(w->db, w->pool, &sql_count, NULL, &rows), RESULT_UNAVAILABLE);
	assert_int_equal(db_begin(w->db), RESULT_UNAVAILABLE);
	db_set_deadline(w->db, CLOCK_NEVER);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_int_equal(insert(w, 1, "ada@example.org"), RESULT_OK);
	db_set_deadline(w->db, clock_monotonic_ms());
	assert_int_equal(insert(w, 2, "bob@example.org"), RESULT_UNAVAILABLE);
	assert_int_equal(db_commit(w->db), RESULT_UNAVAILABLE);
	db_set_deadline(w->db, CLOCK_NEVER);
	assert_true(root_wait_for(0, OWN_CONNECTIONS));
	assert_int_equal(number(w, &sql_count), 0);
}

/* A COMMIT that the server has interrupted may have succeeded: it must not be reported as failed. */
static void
an_interrupted_commit_is_unknown(void **state)
{
	struct world *w = *state;
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_int_equal(insert(w, 1, "ada@example.org"), RESULT_OK);
	root_run("FLUSH TABLES WITH READ LOCK");
	assert_int_equal(db_commit(w->db), RESULT_UNKNOWN);
	root_run("UNLOCK TABLES");
	assert_true(root_wait_for(0, OWN_CONNECTIONS));
	assert_int_equal(insert(w, 2, "bob@example.org"), RESULT_OK);
}

/* docs/architecture.md 4.3, Unresponsive server: after a call that waited in vain, other calls fail at once for a second. Then
 * two of three wait for two seconds. */
static void
calls_fail_at_once_after_a_timeout(void **state UNUSED)
{
	struct db_options other = options;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s.silent", private_server_socket());
	assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 16) == 0);
	other.socket = address.sun_path;
	struct db *db = db_new(&other);
	for (int round = 0; round <= 3; round++) {
		int64_t before, refused = clock_monotonic_ms();
		do { /* after the first round, it fails at once until it is tried again a second later */
			before = clock_monotonic_ms();
			assert_int_equal(db_connect(db), RESULT_UNAVAILABLE);
			assert_true(before - refused < 3000);
		} while (clock_monotonic_ms() - before < AT_ONCE_MS);
		assert_in_range(before - refused, round == 0 ? 0 : 1000 - AT_ONCE_MS, 3000);
		const int64_t waits_ms = round % 3 == 0 ? ANSWER_MS : RETRY_MS;
		assert_in_range(clock_monotonic_ms() - before, waits_ms - AT_ONCE_MS, waits_ms + AT_ONCE_MS);
		before = clock_monotonic_ms();
		for (int i = 0; i < 20; i++)
			assert_int_equal(db_begin(db), RESULT_UNAVAILABLE);
		assert_in_range(clock_monotonic_ms() - before, 0, AT_ONCE_MS);
	}
	db_free(&db);
	close(fd);
	unlink(address.sun_path);
}

/* leadhook.conf(5), host: the hosts are tried in order, beginning with the one that worked last. One that hangs costs its
 * timeout once, and is then not tried for a second. */
static void
hosts_are_tried_in_order(void **state UNUSED)
{
	struct db_options other = options;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	char hosts[64];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) == 0 &&
		    getsockname(fd, (struct sockaddr *)&address, &size) == 0);
	snprintf(hosts, sizeof(hosts), "127.0.0.1:%u, localhost", (unsigned)ntohs(address.sin_port));
	other.host = hosts;
	struct db *db = db_new(&other);
	assert_int_equal(db_connect(db), RESULT_OK); /* the first host refuses */
	assert_int_equal(db_peer(db), DB_PEER_SOCKET);
	db_free(&db);
	assert_int_equal(listen(fd, 16), 0);
	db = db_new(&other);
	int64_t before = clock_monotonic_ms();
	assert_int_equal(db_connect(db), RESULT_OK); /* the first host hangs */
	assert_in_range(clock_monotonic_ms() - before, ANSWER_MS - AT_ONCE_MS, ANSWER_MS + 4 * AT_ONCE_MS);
	int64_t until = clock_monotonic_ms() + 1500; /* longer than the host is skipped */
	while (clock_monotonic_ms() < until) {
		db_disconnect(db);
		before = clock_monotonic_ms();
		assert_int_equal(db_connect(db), RESULT_OK);
		assert_in_range(clock_monotonic_ms() - before, 0, ANSWER_MS - AT_ONCE_MS);
	}
	db_free(&db);
	close(fd);
}

/* An error of the server is logged once, with a hint, and the connection stays usable. */
static void
a_read_only_server_is_logged_once(void **state)
{
	struct world *w = *state;
	uint64_t connection = number(w, &sql_connection);
	root_run("SET GLOBAL read_only = 1");
	capture_log();
	for (uint64_t id = 1; id < 10; id++)
		assert_int_equal(insert(w, id, "ada@example.org"), RESULT_UNAVAILABLE);
	const char *log = captured_log();
	root_run("SET GLOBAL read_only = 0");
	assert_int_equal(count_in(log, "\n"), 1);
	assert_int_equal(count_in(log, " database_error statement=sql_insert number=1290 "), 1);
	assert_int_equal(count_in(log, "turn off read_only"), 1);
	assert_int_equal(insert(w, 1, "ada@example.org"), RESULT_OK);
	assert_int_equal(number(w, &sql_connection), connection);
}

/* docs/architecture.md 9.2: a node that has lost its cluster is treated as unreachable, and the next connection may lead to
 * another one. */
static void
a_node_without_its_cluster_is_away(void **state)
{
	static const char *const texts[] = {
		"SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node'",
		"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1180,"
		" MESSAGE_TEXT = 'Got error 6 \"Not connected to Primary Component\" during COMMIT'",
	};
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		uint64_t connection = number(w, &sql_connection);
		capture_log();
		assert_int_equal(db_run_text(w->db, slice_of(texts[i])), RESULT_UNAVAILABLE);
		const char *log = captured_log();
		assert_int_equal(count_in(log, " database_error "), i == 0); /* once a minute */
		assert_int_equal(count_in(log, "check the other nodes"), i == 0);
		assert_non_null(strstr(db_error_hint(w->db), "check the other nodes"));
		assert_int_not_equal(number(w, &sql_connection), connection);
	}
	/* other failures of a COMMIT do not mean this */
	assert_int_equal(db_run_text(w->db, SLICE("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1180")), RESULT_FAILED);
}

static void
an_account_at_its_limit_is_logged_once(void **state)
{
	struct world *w = *state;
	root_run("ALTER USER " PRIVATE_SERVER_USER "@localhost WITH MAX_USER_CONNECTIONS 1");
	assert_int_equal(db_connect(w->db), RESULT_OK);
	struct db *second = db_new(&options);
	capture_log();
	for (int i = 0; i < 5; i++)
		assert_int_equal(db_connect(second), RESULT_UNAVAILABLE);
	const char *log = captured_log();
	root_run("ALTER USER " PRIVATE_SERVER_USER "@localhost WITH MAX_USER_CONNECTIONS 0");
	assert_int_equal(count_in(log, "\n"), 1);
	assert_int_equal(count_in(log, "lower server.workers"), 1);
	assert_int_equal(db_connect(second), RESULT_OK);
	db_free(&second);
}

/* docs/api.md 3 and style 8: the server quotes values in some messages, and they may be personal data. */
static void
error_texts_have_no_values(void **state)
{
	struct world *w = *state;
	assert_int_equal(insert(w, 1, "o'brien@example.org"), RESULT_OK);
	assert_int_equal(insert(w, 2, "o'brien@example.org"), RESULT_CONFLICT);
	assert_string_equal(db_error_text(w->db), "Duplicate entry '...'");
	const struct db_value row[COLUMNS] = { DB_U64(3), DB_NONE, db_bytes(SLICE("ada@example.org")) };
	capture_log();
	assert_int_equal(
	    db_execute(w->db, &sql_insert, &(struct db_arguments){ .values = row, .count = COLUMNS }, NULL), RESULT_FAILED);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " database_error statement=sql_insert "), 1);
	assert_int_equal(count_in(log, "'...' for column"), 1);
	assert_int_equal(count_in(log, "@"), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
	const struct CMUnitTest tests[] = {
		TEST(the_server_ends_a_long_statement),
		TEST(texts_have_no_time_limit),
		TEST(nothing_starts_after_a_deadline),
		TEST(an_interrupted_commit_is_unknown),
		TEST(calls_fail_at_once_after_a_timeout),
		TEST(hosts_are_tried_in_order),
		TEST(a_read_only_server_is_logged_once),
		TEST(a_node_without_its_cluster_is_away),
		TEST(an_account_at_its_limit_is_logged_once),
		TEST(error_texts_have_no_values),
	};
	if (!private_server_installed()) {
		puts("1..0 # SKIP mariadbd is not installed");
		return 0;
	}
	return cmocka_run_group_tests(tests, start, stop);
}
