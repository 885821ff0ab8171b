/* SPDX-License-Identifier: MIT
 * Prepared statements. The caller provides them: nothing here depends on tables.
 *
 * A statement's text may contain
 *
 *   {prefix}                      the table prefix
 *   {list}                        an IN list of any length up to DB_LIST_MAX
 *   {each}part{between}text{end}  once: a part for each item, with the text between two of them
 *
 * so that `VALUES {each}(?, ?){between}, {end}` inserts rows, and `{each}(SELECT id FROM t WHERE a = ? ORDER BY b LIMIT
 * ?){between} UNION ALL {end}` searches for several items at once. Lists and parts are padded to powers of two, so that
 * a few prepared statements serve all lengths. Values are always bound, never put into the text. Each statement is
 * prepared at its first use on a connection. */
#pragma once

#include "base/pool.h"
#include "db/connection.h"
#include "db/value.h"

/* Identified by its address. */
struct db_statement {
	const char *name; /* for logs */
	const char *sql;
	bool prepare_each_run; /* prepared for each run: MariaDB (10.11) chooses a worse plan for a prepared statement when its
		      table was changed after a run, and scans a whole index instead of skipping between groups */
};

/* All statements form one array, wherever they are defined: the linker joins the parts of a section. The alignment keeps
 * compilers from leaving gaps in it. */
#define DB_STATEMENT_ATTRIBUTES __attribute__((section("sql_statements"), aligned(sizeof(void *))))
#define DB_STATEMENT(id, text) static DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, false }
#define DB_STATEMENT_ANEW(id, text) static DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, true }
/* A statement that other files run, too; a header declares `extern const struct db_statement id`. */
#define DB_STATEMENT_SHARED(id, text) DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, false }
/* All statements of the program. */
const struct db_statement *db_statements(size_t *count);

enum { DB_LIST_MAX = 1024, DB_LISTS = 4 };

struct db_list {
	const struct db_value *values;
	size_t count; /* at most DB_LIST_MAX; an empty list matches nothing */
};

/* The values of a repeated part: `columns` for each item. */
struct db_items {
	const struct db_value *values;
	size_t columns, count; /* at most DB_LIST_MAX items */
};

/* The arguments of a statement: first the single values in the order of their `?`, then the lists in the order of their
 * `{list}`, then the items of its `{each}`. The text must have them in this order, too.
 *
 * Lists and items are padded: a list with its last value, items with NULL for all values, for which a repeated part must yield
 * nothing (`a = NULL` is not true, `LIMIT NULL` returns no row). Only db_execute_rows pads nothing. */
struct db_arguments {
	const struct db_value *values;
	size_t count;
	struct db_list lists[DB_LISTS];
	size_t list_count;
	struct db_items items;
};

/* Single values only, as written in the call. */
#define DB_VALUES(...)                                                              \
	((struct db_arguments){ .values = (const struct db_value[]){ __VA_ARGS__ }, \
	    .count = sizeof((struct db_value[]){ __VA_ARGS__ }) / sizeof(struct db_value) })

/* The single values of an array. */
#define DB_ARRAY(array, size) ((struct db_arguments){ .values = (array), .count = (size) })

/* Single values and one list. */
#define DB_LIST_AND_VALUES(list, ...)                                                      \
	((struct db_arguments){ .values = (const struct db_value[]){ __VA_ARGS__ },        \
	    .count = sizeof((struct db_value[]){ __VA_ARGS__ }) / sizeof(struct db_value), \
	    .lists = { list },                                                             \
	    .list_count = 1 })

/* Reads all rows into the pool. Outside a transaction, it reconnects once if the idle connection was closed. */
MUST_CHECK enum result db_query(struct db *db, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows);
/* *affected may be NULL; counts matched rows, not changed ones. */
MUST_CHECK enum result db_execute(
    struct db *db, const struct db_statement *statement, const struct db_arguments *arguments, uint64_t *affected);
/* Runs a statement once for each of `count` rows of `columns` values, in one round trip by array binding; without rows, in
 * none. On a node of a cluster, array binding loses rows when the node rolls back the transaction (docs/architecture.md 9.2).
 * There, a statement that binds nothing but `{each}` runs with the rows as its items: a few times, each time for at most 128
 * rows, a number with at most three significant bits (200 rows are 128, 64 and 8; 49 are 48 and 1). Any other statement runs
 * row by row. */
MUST_CHECK enum result db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count);
/* Runs a text without preparing it (for schema files); `{prefix}` is replaced. The server has no time limit and continues even
 * after our timeout: a change of a table may have to copy it. */
MUST_CHECK enum result db_run_text(struct db *db, struct slice text);
/* Prepares a statement with lists of one value, to check its text against the schema. */
MUST_CHECK enum result db_check_statement(struct db *db, const struct db_statement *statement);

/* For connection.c. The first closes the statements that were prepared on the connection; the second frees what is stored about
 * them. */
void statements_close(struct db *db);
void statements_free(struct db *db);
