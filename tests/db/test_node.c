/* SPDX-License-Identifier: MIT
 * A node of a cluster (docs/architecture.md 9.2), with one server that claims to be a node. Modules: db. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "db/db.h"
#include "private_server.h"

DB_STATEMENT(sql_insert, "INSERT INTO {prefix}rows (id, big) VALUES (?, ?)");
DB_STATEMENT(sql_set_each, "INSERT INTO {prefix}rows (id, big) VALUES {each}(?, ?){between}, {end}"
			   " ON DUPLICATE KEY UPDATE big = VALUES(big)");
DB_STATEMENT(sql_count_pings, "SELECT CAST(VARIABLE_VALUE AS UNSIGNED) FROM information_schema.SESSION_STATUS"
			      " WHERE VARIABLE_NAME = 'COM_ADMIN_COMMANDS'");
DB_STATEMENT(sql_connection, "SELECT CONNECTION_ID()");
DB_STATEMENT(sql_sync_wait, "SELECT CAST(@@SESSION.wsrep_sync_wait AS UNSIGNED)");
enum { COLUMNS = 2 };

#define MAKE_TABLE "CREATE TABLE t_rows (id BIGINT UNSIGNED PRIMARY KEY, big BIGINT UNSIGNED) ENGINE=InnoDB"
#define EMPTY_TABLE "TRUNCATE t_rows"
#include "with_table.h"

static enum result
insert(struct world *w, const struct db_statement *statement, uint64_t big, size_t count)
{
	struct db_value *values = POOL_ARRAY(w->pool, COLUMNS * count, struct db_value);
	for (size_t i = 0; i < count; i++) {
		values[COLUMNS * i] = DB_U64(i);
		values[COLUMNS * i + 1] = DB_U64(big + i);
	}
	return db_execute_rows(w->db, statement, values, COLUMNS, count);
}

/* Array binding loses rows on a node. There, all rows are inserted, and nothing else, with a few statements. */
static void
rows_are_inserted_in_few_statements(void **state)
{
	static const struct {
		size_t rows;
		int64_t statements;
	} cases[] = { { 1, 1 }, { 7, 1 }, { 9, 2 }, { 48, 1 }, { 49, 2 }, { 63, 2 }, { 127, 3 }, { 128, 1 }, { 200, 3 },
		{ 300, 4 } };
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const size_t rows = cases[i].rows;
		assert_int_equal(insert(w, &sql_set_each, 0, rows), RESULT_OK); /* prepares them */
		assert_true(db_is_node(w->db));
		int64_t before = root_questions();
		assert_int_equal(insert(w, &sql_set_each, 7, rows), RESULT_OK);
		assert_int_equal(root_questions() - before, cases[i].statements);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows WHERE big = id + 7"), rows);
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows"), rows);
		root_run(EMPTY_TABLE);
	}
}

/* A statement that cannot take several rows runs for each one. */
static void
other_statements_run_row_by_row(void **state)
{
	struct world *w = *state;
	assert_int_equal(insert(w, &sql_insert, 0, 1), RESULT_OK);
	root_run(EMPTY_TABLE);
	int64_t before = root_questions();
	assert_int_equal(insert(w, &sql_insert, 5, 10), RESULT_OK);
	assert_int_equal(root_questions() - before, 10);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows WHERE big = id + 5"), 10);
}

static uint64_t
pings(struct world *w)
{
	struct db_rows rows;
	assert_int_equal(db_query(w->db, w->pool, &sql_count_pings, NULL, &rows), RESULT_OK);
	return db_get_u64(&rows, 0, 0);
}

/* A node may roll back the transaction during a PREPARE without reporting it. It is pinged before the statement runs, and only
 * then. */
static void
a_node_is_pinged_after_a_prepare_in_a_transaction(void **state)
{
	struct world *w = *state;
	uint64_t before = pings(w);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(db_begin(w->db), RESULT_OK);
		assert_int_equal(insert(w, &sql_set_each, 1, 4), RESULT_OK);
		assert_int_equal(db_commit(w->db), RESULT_OK);
	}
	assert_int_equal(pings(w) - before, 1);
	assert_int_equal(insert(w, &sql_set_each, 1, 8), RESULT_OK); /* outside of a transaction */
	assert_int_equal(pings(w) - before, 1);
}

/* Another node may be asked whether an uncertain COMMIT took effect: the next transaction waits for earlier commits, and only
 * that one does. */
static void
a_transaction_after_an_unknown_commit_waits_for_other_nodes(void **state)
{
	static const char logged[] = "SELECT COUNT(*) FROM mysql.general_log WHERE argument = '%s'";
	struct world *w = *state;
	struct db_rows rows;
	root_run("SET GLOBAL log_output = 'TABLE'");
	root_run("TRUNCATE mysql.general_log");
	root_run("SET GLOBAL general_log = 1");
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_int_equal(db_query(w->db, w->pool, &sql_connection, NULL, &rows), RESULT_OK);
	root_run("KILL CONNECTION %" PRIu64, db_get_u64(&rows, 0, 0));
	assert_int_equal(db_commit(w->db), RESULT_UNKNOWN);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(db_begin(w->db), RESULT_OK);
		db_rollback(w->db);
	}
	root_run("SET GLOBAL general_log = 0");
	assert_int_equal(root_number(logged, "START TRANSACTION"), 2);
	assert_int_equal(root_number(logged, "SET STATEMENT wsrep_sync_wait = 1 FOR START TRANSACTION"), 1);
}

/* docs/architecture.md 9.2, Read host: its reads wait for what any node has committed. */
static void
reads_of_a_synced_connection_wait_for_other_nodes(void **state)
{
	struct world *w = *state;
	struct db_options synced = options;
	synced.synced = true;
	struct db *reader = db_new(&synced), *both[] = { w->db, reader };
	for (uint64_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct db_rows rows;
		assert_int_equal(db_connect(both[i]), RESULT_OK);
		assert_int_equal(db_query(both[i], w->pool, &sql_sync_wait, NULL, &rows), RESULT_OK);
		assert_int_equal(db_get_u64(&rows, 0, 0), i);
	}
	db_free(&reader);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
	const struct CMUnitTest tests[] = {
		TEST(rows_are_inserted_in_few_statements),
		TEST(other_statements_run_row_by_row),
		TEST(a_node_is_pinged_after_a_prepare_in_a_transaction),
		TEST(a_transaction_after_an_unknown_commit_waits_for_other_nodes),
		TEST(reads_of_a_synced_connection_wait_for_other_nodes),
	};
	if (!private_server_installed()) {
		puts("1..0 # SKIP mariadbd is not installed");
		return 0;
	}
	private_server_set_option("--wsrep-on=ON"); /* a node, but without a provider */
	return cmocka_run_group_tests(tests, start, stop);
}
