/* SPDX-License-Identifier: MIT
 * Runs statements: with single values, with lists of any length, and with many rows.
 *
 * Results and row lists are in the caller's pool. Each function returns the result of the connection (db/db.h), and
 * RESULT_NOT_FOUND where this is mentioned; it neither begins nor ends a transaction. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "store/state.h"

/* A statement with single values: store_query(store, pool, &rows, &sql_select_key, db_bytes(hash)). */
#define store_query(store, pool, rows, statement, ...) db_query((store)->db, pool, statement, &DB_VALUES(__VA_ARGS__), rows)
#define store_run(store, statement, ...) db_execute((store)->db, statement, &DB_VALUES(__VA_ARGS__), NULL)
/* Returns RESULT_NOT_FOUND unless exactly one row matches or is inserted. */
#define store_change_one(store, statement, ...) store_change_one_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_change_one_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* RESULT_NOT_FOUND: there is no row. */
#define store_query_one(store, pool, rows, statement, ...) \
	store_query_row(store, pool, statement, &DB_VALUES(__VA_ARGS__), rows)
MUST_CHECK enum result store_query_row(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows);
#define store_exists(store, statement, ...) store_has_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_has_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* Reads the number in the first row. RESULT_NOT_FOUND: there is no row. */
#define store_read_number(store, number, statement, ...) \
	store_read_first_number(store, statement, &DB_VALUES(__VA_ARGS__), number)
MUST_CHECK enum result store_read_first_number(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments, uint64_t *number);
/* Runs a statement that counts the rows with an id. RESULT_TOO_MANY: there are at least `maximum`. */
MUST_CHECK enum result store_check_room(struct store *store, const struct db_statement *count, uint64_t id, uint64_t maximum);

/* The ids as a sorted list without duplicates; sorts `ids` in place. */
struct db_list store_id_list(struct pool *pool, uint64_t *ids, size_t count);
/* The ids in their order. */
struct db_list store_list_of(struct pool *pool, const uint64_t *ids, size_t count);
/* The ids in a column of rows. */
struct db_list store_column_list(struct pool *pool, const struct db_rows *rows, size_t column);
/* Up to DB_LIST_MAX values of the list, starting at `from`. */
struct db_list store_list_piece(struct db_list list, size_t from);
/* db_query with lists of any length. Lists that are too long for one statement are split; the n-th pieces of all lists go
 * together, with the same single values, and the rows are joined. If the lists are empty, there is no round trip. */
MUST_CHECK enum result store_query_long(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows);
/* As above, without single values. */
MUST_CHECK enum result store_query_lists(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_list *lists, size_t list_count, struct db_rows *rows);

/* Rows `t` of a table, for a DELETE or UPDATE of many rows: only these rows are locked. With an IN list, a DELETE may scan a
 * small table, no matter which index it names, and lock all of it. */
#define ROWS_WITH_IDS(table) \
	"({each}SELECT ? AS id{between} UNION ALL {end}) ids STRAIGHT_JOIN {prefix}" table " t ON t.id = ids.id"
/* As above, for rows that belong to leads. */
#define ROWS_OF_LEADS(table) \
	"({each}SELECT ? AS id{between} UNION ALL {end}) ids STRAIGHT_JOIN {prefix}" table " t ON t.lead_id = ids.id"
/* Runs a statement that uses one of these macros; without ids, there is no round trip. `affected` may be NULL. */
MUST_CHECK enum result store_run_on_ids(
    struct store *store, const struct db_statement *statement, const struct db_value *ids, size_t count, uint64_t *affected);
/* Finds the row with this id among rows that are sorted by id, their first column. Returns false when there is none. */
MUST_CHECK bool store_find_row(const struct db_rows *rows, uint64_t id, size_t *row);

/* Rows for one statement, at most `capacity`, in the pool. All have the same number of values. */
struct row_list {
	struct pool *pool;
	const struct db_statement *statement;
	size_t capacity;
	struct db_value *values;
	size_t columns, count;
};
struct row_list store_row_list(struct pool *pool, const struct db_statement *statement, size_t capacity);
#define store_add_row(list, ...)                                           \
	store_add_values((list), (const struct db_value[]){ __VA_ARGS__ }, \
	    sizeof((const struct db_value[]){ __VA_ARGS__ }) / sizeof(struct db_value))
void store_add_values(struct row_list *list, const struct db_value *values, size_t columns);
/* Runs each list's statement for its rows, one after another. A list without rows causes no round trip, a large one several. */
#define store_run_lists(store, ...)                                                   \
	store_run_row_lists((store), (const struct row_list *const[]){ __VA_ARGS__ }, \
	    sizeof((const struct row_list *const[]){ __VA_ARGS__ }) / sizeof(struct row_list *))
MUST_CHECK enum result store_run_row_lists(struct store *store, const struct row_list *const *lists, size_t count);
/* Runs one statement with all rows, at most DB_LIST_MAX, padded with NULLs: for an INSERT with a SELECT, which does not allow
 * array binding. */
MUST_CHECK enum result store_run_items(struct store *store, const struct row_list *rows);
/* Runs a query with an item for each row, at most DB_LIST_MAX. Without rows, there is no round trip. */
MUST_CHECK enum result store_query_items(struct store *store, const struct row_list *items, struct db_rows *rows);
