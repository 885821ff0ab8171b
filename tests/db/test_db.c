/* SPDX-License-Identifier: MIT
 * The contract of db/db.h against a real server: lists, rows, values, lost connections, errors. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "db/db.h"
#include "os/clock.h"
#include "private_server.h"

#define ALL_COLUMNS "id, bytes, text, small, big, below"

DB_STATEMENT(sql_insert, "INSERT INTO {prefix}rows (" ALL_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_select_all, "SELECT " ALL_COLUMNS " FROM {prefix}rows ORDER BY id");
DB_STATEMENT(sql_select_in, "SELECT id FROM {prefix}rows WHERE id >= ? AND id IN ({list}) ORDER BY id");
DB_STATEMENT(sql_select_in_either, "SELECT id FROM {prefix}rows WHERE id IN ({list}) OR big IN ({list})");
DB_STATEMENT(sql_insert_each, "INSERT INTO {prefix}rows (" ALL_COLUMNS ") VALUES {each}(?, ?, ?, ?, ?, ?){between}, {end}"
			      " ON DUPLICATE KEY UPDATE big = VALUES(big)");
DB_STATEMENT(sql_select_each, "{each}(SELECT id FROM {prefix}rows WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?)"
			      "{between} UNION ALL {end}");
DB_STATEMENT(sql_select_mixed, "SELECT id FROM {prefix}rows WHERE id > ? AND (id IN ({list})"
			       " OR {each}id = ? AND big = ?{between} OR {end}) ORDER BY id");
DB_STATEMENT(sql_update, "UPDATE {prefix}rows SET small = ? WHERE id = ?");
DB_STATEMENT(sql_delete_all, "DELETE FROM {prefix}rows");
DB_STATEMENT(sql_select_missing, "SELECT missing FROM {prefix}rows");
DB_STATEMENT(sql_select_one, "SELECT CONNECTION_ID()");
DB_STATEMENT(sql_select_error, "SELECT id FROM {prefix}rows WHERE id = (SELECT id FROM {prefix}rows)");
DB_STATEMENT(sql_select_error_after_rows, "SELECT (SELECT b.id FROM {prefix}rows b WHERE b.id <= a.id) "
					  "FROM {prefix}rows a ORDER BY a.id");
DB_STATEMENT_ANEW(sql_select_anew, "SELECT id FROM {prefix}rows ORDER BY id");
DB_STATEMENT(sql_end, "COMMIT");
DB_STATEMENT(sql_end_with_rows, "ANALYZE TABLE {prefix}rows");
DB_STATEMENT(sql_count_prepared, "SELECT CAST(VARIABLE_VALUE AS UNSIGNED) FROM information_schema.SESSION_STATUS"
				 " WHERE VARIABLE_NAME = 'COM_STMT_PREPARE'");
enum { COLUMNS = 6 };

static const char *const session[] = { "SET SESSION tx_isolation = 'READ-COMMITTED', sql_mode = 'STRICT_ALL_TABLES'", NULL };

#define SESSION session
#define MAKE_TABLE                                                                                       \
	"CREATE TABLE t_rows (id BIGINT UNSIGNED PRIMARY KEY, bytes MEDIUMBLOB, text MEDIUMTEXT, small " \
	"TINYINT UNSIGNED, big BIGINT UNSIGNED, below BIGINT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
#define EMPTY_TABLE "TRUNCATE t_rows"
#include "with_table.h"

static struct db_rows
query(struct world *w, const struct db_statement *statement, const struct db_arguments *arguments)
{
	struct db_rows rows;
	assert_int_equal(db_query(w->db, w->pool, statement, arguments, &rows), RESULT_OK);
	return rows;
}

static void
insert_numbers(struct world *w, size_t count)
{
	struct db_value *values = POOL_ARRAY(w->pool, count * COLUMNS, struct db_value);
	for (size_t i = 0; i < count; i++) {
		values[i * COLUMNS] = DB_U64(i + 1);
		for (size_t k = 1; k < COLUMNS; k++)
			values[i * COLUMNS + k] = DB_NONE;
		values[i * COLUMNS + 4] = DB_U64(i + 1);
	}
	assert_int_equal(db_execute_rows(w->db, &sql_insert, values, COLUMNS, count), RESULT_OK);
}

/* A list of any length up to DB_LIST_MAX finds exactly its members: padding adds nothing. */
static void
a_list_of_any_length_finds_its_members(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 64, 65, 1000, DB_LIST_MAX };
	struct world *w = *state;
	struct db_value *ids = POOL_ARRAY(w->pool, DB_LIST_MAX, struct db_value), from = DB_U64(1);
	insert_numbers(w, 2 * DB_LIST_MAX);
	for (size_t i = 0; i < DB_LIST_MAX; i++)
		ids[i] = DB_U64(2 * i + 1);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct db_rows rows = query(w, &sql_select_in,
		    &(struct db_arguments){ .values = &from, .count = 1, .lists = { { ids, sizes[s] } }, .list_count = 1 });
		assert_int_equal(rows.count, sizes[s]);
		for (size_t i = 0; i < rows.count; i++)
			assert_int_equal(db_get_u64(&rows, i, 0), 2 * i + 1);
	}
}

static void
lists_of_one_statement_may_differ_in_length(void **state)
{
	struct world *w = *state;
	struct db_value ids[] = { DB_U64(1), DB_U64(2), DB_U64(3) }, big = DB_U64(5);
	insert_numbers(w, 8);
	struct db_arguments arguments = { .lists = { { ids, 3 }, { &big, 1 } }, .list_count = 2 };
	assert_int_equal(query(w, &sql_select_in_either, &arguments).count, 4);
	arguments.lists[0].count = 0;
	assert_int_equal(query(w, &sql_select_in_either, &arguments).count, 1);
	arguments.lists[1].count = 0;
	assert_int_equal(query(w, &sql_select_in_either, &arguments).count, 0);
}

/* A repeated part runs for each item, however many there are: padding adds nothing. */
static void
a_repeated_part_searches_for_each_item(void **state)
{
	enum { EACH = 10, TAKEN = 2 };
	static const size_t sizes[] = { 0, 1, 2, 3, 37, 64, 100 };
	struct world *w = *state;
	insert_numbers(w, 1000);
	/* the first condition of a padded part is true, its LIMIT is NULL */
	const struct db_value ever[] = { DB_U64(0), DB_U64(EACH), DB_NONE };
	assert_int_equal(query(w, &sql_select_each, &(struct db_arguments){ .items = { ever, 3, 1 } }).count, 0);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct db_value *items = POOL_ARRAY(w->pool, 3 * sizes[s], struct db_value);
		for (size_t i = 0; i < sizes[s]; i++) {
			items[3 * i] = DB_U64(EACH * i);
			items[3 * i + 1] = DB_U64(EACH * i + EACH);
			items[3 * i + 2] = DB_U64(TAKEN);
		}
		struct db_rows rows = query(w, &sql_select_each, &(struct db_arguments){ .items = { items, 3, sizes[s] } });
		assert_int_equal(rows.count, TAKEN * sizes[s]);
		for (size_t i = 0; i < rows.count; i++)
			assert_int_equal(db_get_u64(&rows, i, 0), EACH * (i / TAKEN) + EACH - 1 - i % TAKEN);
	}
}

/* Single values, then lists, then items; list and items may differ in length. */
static void
a_statement_has_values_lists_and_items(void **state)
{
	const struct db_value above = DB_U64(1), ids[] = { DB_U64(1), DB_U64(2) },
			      pairs[] = { DB_U64(4), DB_U64(4), DB_U64(5), DB_U64(4), DB_U64(6), DB_U64(6) };
	struct world *w = *state;
	insert_numbers(w, 8);
	struct db_arguments arguments = {
		.values = &above, .count = 1, .lists = { { ids, 2 } }, .list_count = 1, .items = { pairs, 2, 3 }
	};
	struct db_rows rows = query(w, &sql_select_mixed, &arguments);
	static const uint64_t found[] = { 2, 4, 6 };
	assert_int_equal(rows.count, ARRAY_SIZE(found));
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(db_get_u64(&rows, i, 0), found[i]);
}

/* Every type of value with its limits, and NULL in the same column. */
static const struct db_value *
odd_rows(size_t *count)
{
	static char long_text[100000];
	static struct db_value rows[6 * COLUMNS];
	memset(long_text, 'x', sizeof(long_text));
	const struct db_value all[] = {
		/* clang-format off */
		DB_U64(1), db_bytes(SLICE("\0\xff'\"\\;\n")), db_bytes(SLICE("Zo\xc3\xab \xf0\x9f\x8e\x89")), DB_U64(0), DB_U64(UINT64_MAX), DB_I64(INT64_MIN),
		DB_U64(2), DB_NONE, DB_NONE, DB_NONE, DB_NONE, DB_NONE,
		DB_U64(3), db_bytes(SLICE("")), db_bytes(SLICE("")), DB_U64(255), DB_U64(0), DB_I64(INT64_MAX),
		DB_U64(4), db_bytes((struct slice){ long_text, sizeof(long_text) }), db_bytes((struct slice){ long_text, 1 }), DB_NONE, DB_U64(1), DB_I64(-1),
		DB_U64(5), DB_NONE, db_bytes(SLICE("{list} ? {prefix}")), DB_BOOL(true), DB_NONE, DB_I64(0),
		DB_U64(6), db_bytes(SLICE("NULL")), db_bytes(SLICE("NULL")), DB_BOOL(false), DB_U64(UINT64_MAX - 1), DB_NONE,
		/* clang-format on */
	};
	memcpy(rows, all, sizeof(all));
	*count = ARRAY_SIZE(rows) / COLUMNS;
	return rows;
}

static void
assert_rows(const struct db_rows *rows, const struct db_value *values, size_t count)
{
	assert_int_equal(rows->count, count);
	assert_int_equal(rows->columns, COLUMNS);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < COLUMNS; k++) {
			const struct db_value *value = &values[i * COLUMNS + k];
			assert_int_equal(db_is_null(rows, i, k), value->kind == DB_NULL);
			if (value->kind == DB_BYTES)
				assert_true(slice_equal(db_get_bytes(rows, i, k), value->as.bytes));
			else if (value->kind == DB_UNSIGNED)
				assert_true(db_get_u64(rows, i, k) == value->as.u64);
			else if (value->kind == DB_SIGNED)
				assert_true(db_get_i64(rows, i, k) == value->as.i64);
		}
}

static void
many_rows_at_once_equal_single_rows(void **state)
{
	struct world *w = *state;
	size_t count;
	const struct db_value *rows = odd_rows(&count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(db_execute_rows(w->db, &sql_insert, rows + i * COLUMNS, COLUMNS, 1), RESULT_OK);
	struct db_rows single = query(w, &sql_select_all, NULL);
	assert_rows(&single, rows, count);
	assert_int_equal(db_execute(w->db, &sql_delete_all, NULL, NULL), RESULT_OK);
	assert_int_equal(db_execute_rows(w->db, &sql_insert, rows, COLUMNS, count), RESULT_OK);
	struct db_rows bulk = query(w, &sql_select_all, NULL);
	assert_rows(&bulk, rows, count);
}

/* Rows take one round trip, however many there are; none without rows. */
static void
rows_are_one_round_trip(void **state)
{
	struct world *w = *state;
	insert_numbers(w, 3); /* prepares it */
	root_run("TRUNCATE t_rows");
	int64_t before = root_questions();
	insert_numbers(w, 500);
	assert_int_equal(root_questions() - before, 1);
	before = root_questions();
	assert_int_equal(db_execute_rows(w->db, &sql_insert, NULL, COLUMNS, 0), RESULT_OK);
	assert_int_equal(root_questions() - before, 0);
}

/* A statement with a repeated part inserts the same rows. */
static void
rows_of_a_repeated_part_are_one_round_trip(void **state)
{
	struct world *w = *state;
	size_t count;
	const struct db_value *odd = odd_rows(&count);
	assert_int_equal(db_execute_rows(w->db, &sql_insert_each, odd, COLUMNS, 1), RESULT_OK); /* prepares it */
	int64_t before = root_questions();
	assert_int_equal(db_execute_rows(w->db, &sql_insert_each, odd, COLUMNS, count), RESULT_OK);
	assert_int_equal(root_questions() - before, 1);
	struct db_rows rows = query(w, &sql_select_all, NULL);
	assert_rows(&rows, odd, count);
}

/* After a run with many rows, a statement runs with one row again. */
static void
one_row_after_many(void **state)
{
	struct world *w = *state;
	struct db_value changes[] = { DB_U64(1), DB_U64(1), DB_U64(1), DB_U64(2) };
	uint64_t affected;
	insert_numbers(w, 3);
	assert_int_equal(db_execute_rows(w->db, &sql_update, changes, 2, 2), RESULT_OK);
	struct db_arguments one = { .values = (struct db_value[]){ DB_U64(9), DB_U64(3) }, .count = 2 };
	assert_int_equal(db_execute(w->db, &sql_update, &one, &affected), RESULT_OK);
	assert_int_equal(affected, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows WHERE small = 1"), 2);
	assert_int_equal(root_number("SELECT small FROM t_rows WHERE id = 3"), 9);
}

/* "counts matched rows, not changed ones" */
static void
matched_rows_are_counted(void **state)
{
	struct world *w = *state;
	struct db_arguments same = { .values = (struct db_value[]){ DB_U64(7), DB_U64(1) }, .count = 2 };
	uint64_t affected;
	insert_numbers(w, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(db_execute(w->db, &sql_update, &same, &affected), RESULT_OK);
		assert_int_equal(affected, 1);
	}
}

static void
a_duplicate_key_is_a_conflict(void **state)
{
	struct world *w = *state;
	size_t count;
	const struct db_value *rows = odd_rows(&count);
	insert_numbers(w, 3);
	assert_int_equal(db_execute_rows(w->db, &sql_insert, rows, COLUMNS, 1), RESULT_CONFLICT);
	assert_true(db_duplicate_key(w->db));
	assert_int_equal(db_execute_rows(w->db, &sql_insert, rows, COLUMNS, count), RESULT_CONFLICT);
	assert_true(db_duplicate_key(w->db));
	/* the connection is still usable */
	assert_true(query(w, &sql_select_all, NULL).count >= 3);
}

static void
a_value_that_does_not_fit_fails(void **state)
{
	struct world *w = *state;
	struct db_value row[COLUMNS] = { DB_U64(1), DB_NONE, DB_NONE, DB_U64(256), DB_NONE, DB_NONE };
	assert_int_equal(db_execute_rows(w->db, &sql_insert, row, COLUMNS, 1), RESULT_FAILED);
	assert_false(db_duplicate_key(w->db));
	assert_true(strlen(db_error_text(w->db)) > 0);
	row[3] = DB_NONE;
	row[2] = db_bytes(SLICE("no \xff utf-8"));
	assert_int_equal(db_execute_rows(w->db, &sql_insert, row, COLUMNS, 1), RESULT_FAILED);
}

static void
a_statement_that_does_not_fit_is_found(void **state)
{
	struct world *w = *state;
	size_t count, missing = 0;
	const struct db_statement *statements = db_statements(&count);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++) {
		const bool is_missing = &statements[i] == &sql_select_missing;
		assert_int_equal(db_check_statement(w->db, &statements[i]), is_missing ? RESULT_FAILED : RESULT_OK);
		missing += is_missing;
	}
	assert_int_equal(missing, 1);
	assert_int_equal(db_query(w->db, w->pool, &sql_select_missing, NULL, &rows), RESULT_FAILED);
	insert_numbers(w, 2);
	assert_int_equal(db_query(w->db, w->pool, &sql_select_error, NULL, &rows), RESULT_FAILED);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 2);
}

static void
a_transaction_is_committed_or_rolled_back(void **state)
{
	struct world *w = *state;
	assert_int_equal(db_begin(w->db), RESULT_OK);
	insert_numbers(w, 3);
	db_rollback(w->db);
	db_rollback(w->db);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows"), 0);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	insert_numbers(w, 3);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows"), 0);
	assert_int_equal(db_commit(w->db), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows"), 3);
}

/* A server may end a transaction and answer as if it had not: the next statement must not run outside of it unnoticed. */
static void
a_transaction_that_the_server_has_ended_is_a_conflict(void **state)
{
	struct world *w = *state;
	struct db_rows rows;
	assert_int_equal(db_begin(w->db), RESULT_OK);
	insert_numbers(w, 3);
	assert_int_equal(db_execute(w->db, &sql_end, NULL, NULL), RESULT_CONFLICT);
	db_rollback(w->db);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 3);
	assert_int_equal(db_query(w->db, w->pool, &sql_end_with_rows, NULL, &rows), RESULT_CONFLICT);
	db_rollback(w->db);
	assert_int_equal(db_execute(w->db, &sql_end, NULL, NULL), RESULT_OK); /* outside of a transaction */
	assert_int_equal(query(w, &sql_end_with_rows, NULL).count, 1);
}

static uint64_t
connection_id(struct world *w)
{
	struct db_rows rows = query(w, &sql_select_one, NULL);
	return db_get_u64(&rows, 0, 0);
}

static void
kill_connection(struct world *w)
{
	uint64_t id = connection_id(w);
	root_run("KILL CONNECTION %llu", (unsigned long long)id);
	assert_true(
	    root_wait_for(0, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %llu", (unsigned long long)id));
}

/* An idle connection that was closed is reopened once if nothing can be done twice. */
static void
a_dead_idle_connection_is_reopened(void **state)
{
	struct world *w = *state;
	kill_connection(w);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 0);
	kill_connection(w);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_string_equal(db_error_text(w->db), ""); /* the error of the dead connection is not the transaction's */
	db_rollback(w->db);
}

/* In a transaction, a lost connection ends it; in COMMIT the result is unknown. */
static void
a_lost_transaction_is_reported(void **state)
{
	struct world *w = *state;
	struct db_rows rows;
	assert_int_equal(db_begin(w->db), RESULT_OK);
	insert_numbers(w, 3);
	kill_connection(w);
	assert_int_equal(db_query(w->db, w->pool, &sql_select_all, NULL, &rows), RESULT_UNAVAILABLE);
	db_rollback(w->db);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	insert_numbers(w, 3);
	kill_connection(w);
	assert_int_equal(db_commit(w->db), RESULT_UNKNOWN);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_rows"), 0);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 0);
}

/* A snapshot starts on a new connection when the idle one is dead, and the next transaction is an ordinary one. Snapshots
 * cannot be nested: an attempt to nest them ends both. */
static void
a_snapshot_does_not_change(void **state)
{
	struct world *w = *state;
	insert_numbers(w, 2);
	kill_connection(w);
	assert_int_equal(db_begin_snapshot(w->db), RESULT_OK);
	root_run("INSERT INTO t_rows (id) VALUES (77)");
	assert_int_equal(query(w, &sql_select_all, NULL).count, 2);
	assert_int_equal(db_execute(w->db, &sql_delete_all, NULL, NULL), RESULT_FAILED);
	db_rollback(w->db);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 3);
	root_run("INSERT INTO t_rows (id) VALUES (78)");
	assert_int_equal(query(w, &sql_select_all, NULL).count, 4);
	db_rollback(w->db);
	assert_int_equal(db_begin_snapshot(w->db), RESULT_OK);
#ifndef LEADHOOK_DEBUG /* in a debug build, it panics */
	assert_int_equal(db_begin_snapshot(w->db), RESULT_FAILED);
	root_run("INSERT INTO t_rows (id) VALUES (79)");
	assert_int_equal(query(w, &sql_select_all, NULL).count, 5);
#endif
}

static void
no_server_and_a_wrong_password_are_unavailable(void **state UNUSED)
{
	struct db_options other = options;
	other.socket = "/nonexistent/socket";
	struct db *db = db_new(&other);
	assert_int_equal(db_connect(db), RESULT_UNAVAILABLE);
	assert_int_equal(db_begin(db), RESULT_UNAVAILABLE);
	assert_int_equal(db_denial(db), DENIAL_NONE);
	db_free(&db);
	other = options;
	other.password = "wrong";
	db = db_new(&other);
	assert_int_equal(db_connect(db), RESULT_UNAVAILABLE); /* a password is changed in two places, one after the other */
	assert_non_null(strstr(db_error_text(db), "denied"));
	assert_int_equal(db_denial(db), DENIAL_ACCOUNT);
	db_free(&db);
	assert_null(db);
	other = options;
	other.database = "nowhere";
	db = db_new(&other);
	assert_int_equal(db_connect(db), RESULT_UNAVAILABLE);
	assert_int_equal(db_denial(db), DENIAL_DATABASE);
	db_free(&db);
	db_free(&db);
}

static void
idle_connections_are_closed(void **state)
{
	struct world *w = *state;
	static const char mine[] = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '" PRIVATE_SERVER_USER "'";
	assert_int_equal(db_connect(w->db), RESULT_OK);
	db_disconnect_idle(w->db, 60 * 1000);
	assert_int_equal(root_number(mine), 1);
	assert_int_equal(db_begin(w->db), RESULT_OK);
	db_disconnect_idle(w->db, 0); /* not in a transaction */
	assert_int_equal(db_commit(w->db), RESULT_OK);
	db_disconnect_idle(w->db, 0);
	assert_true(root_wait_for(0, mine));
	db_disconnect(w->db);
	assert_int_equal(query(w, &sql_select_all, NULL).count, 0);
}

static uint64_t
prepared_so_far(struct world *w)
{
	struct db_rows rows = query(w, &sql_count_prepared, NULL);
	return db_get_u64(&rows, 0, 0);
}

static void
statements_are_prepared_once_or_for_each_run(void **state)
{
	static const struct {
		const struct db_statement *statement;
		unsigned times;
	} cases[] = { { &sql_select_all, 1 }, { &sql_select_anew, 3 } };
	struct world *w = *state;
	insert_numbers(w, 2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t before = prepared_so_far(w);
		for (int run = 0; run < 3; run++)
			assert_int_equal(query(w, cases[i].statement, NULL).count, 2);
		assert_int_equal(prepared_so_far(w) - before, cases[i].times);
	}
}

static void
a_text_gets_the_prefix(void **state)
{
	struct world *w = *state;
	assert_int_equal(db_run_text(w->db, SLICE("INSERT INTO {prefix}rows (id) VALUES (77)")), RESULT_OK);
	assert_int_equal(root_number("SELECT id FROM t_rows"), 77);
	assert_int_equal(db_run_text(w->db, SLICE("DROP TABLE {prefix}missing")), RESULT_FAILED);
}

/* The server reports an error after some rows: the next call does not wait for more of them. */
static void
an_error_after_some_rows_ends_the_result(void **state)
{
	struct world *w = *state;
	struct db_rows rows;
	insert_numbers(w, 3);
	uint64_t connection = connection_id(w);
	for (size_t i = 0; i < 2; i++) {
		int64_t before = clock_monotonic_ms();
		assert_int_equal(db_query(w->db, w->pool, &sql_select_error_after_rows, NULL, &rows), RESULT_FAILED);
		assert_in_range(clock_monotonic_ms() - before, 0, 5000);
		assert_int_equal(connection_id(w), connection);
	}
	root_run("DELETE FROM t_rows WHERE id > 1");
	assert_int_equal(query(w, &sql_select_error_after_rows, NULL).count, 1);
}

/* docs/architecture.md 9.2, Read host: a replica that is not a node could not wait for what was just committed. */
static void
a_server_alone_is_no_synced_one(void **state)
{
	struct world *w = *state;
	struct db_options synced = options;
	synced.synced = true;
	struct db *reader = db_new(&synced);
	assert_int_equal(db_connect(w->db), RESULT_OK);
	assert_int_equal(db_connect(reader), RESULT_UNAVAILABLE);
	assert_string_equal(db_error_text(reader), "the server is not a node of a cluster");
	db_free(&reader);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
	const struct CMUnitTest tests[] = {
		TEST(a_list_of_any_length_finds_its_members),
		TEST(lists_of_one_statement_may_differ_in_length),
		TEST(a_repeated_part_searches_for_each_item),
		TEST(a_statement_has_values_lists_and_items),
		TEST(many_rows_at_once_equal_single_rows),
		TEST(rows_are_one_round_trip),
		TEST(rows_of_a_repeated_part_are_one_round_trip),
		TEST(one_row_after_many),
		TEST(matched_rows_are_counted),
		TEST(a_duplicate_key_is_a_conflict),
		TEST(a_value_that_does_not_fit_fails),
		TEST(a_statement_that_does_not_fit_is_found),
		TEST(a_transaction_is_committed_or_rolled_back),
		TEST(a_transaction_that_the_server_has_ended_is_a_conflict),
		TEST(a_dead_idle_connection_is_reopened),
		TEST(a_lost_transaction_is_reported),
		TEST(a_snapshot_does_not_change),
		TEST(no_server_and_a_wrong_password_are_unavailable),
		TEST(idle_connections_are_closed),
		TEST(statements_are_prepared_once_or_for_each_run),
		TEST(a_text_gets_the_prefix),
		TEST(an_error_after_some_rows_ends_the_result),
		TEST(a_server_alone_is_no_synced_one),
	};
	if (!private_server_installed()) {
		puts("1..0 # SKIP mariadbd is not installed");
		return 0;
	}
	return cmocka_run_group_tests(tests, start, stop);
}
