/* SPDX-License-Identifier: MIT
 * A connection to MariaDB with its prepared statements. It does not depend on tables: the caller provides the statements.
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

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

struct db;

/* Identified by its address. */
struct db_statement {
	const char *name; /* for logs */
	const char *sql;
	bool prepare_each_run; /* prepared for each run: MariaDB (10.11) chooses a worse plan for a prepared statement when its
		      table was changed after a run, and scans a whole index instead of skipping between groups */
};

/* Statements are an array, wherever they are defined: the linker puts together what is in one section. The alignment keeps
 * compilers from leaving gaps in it. */
#define DB_STATEMENT_ATTRIBUTES __attribute__((section("sql_statements"), aligned(sizeof(void *))))
#define DB_STATEMENT(id, text) static DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, false }
#define DB_STATEMENT_ANEW(id, text) static DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, true }
/* One that other files run, too: a header has `extern const struct db_statement id`. */
#define DB_STATEMENT_SHARED(id, text) DB_STATEMENT_ATTRIBUTES const struct db_statement id = { #id, text, false }
/* All statements of the program. */
const struct db_statement *db_statements(size_t *count);

struct db_options {
	/* NULL or "": as in the option file or Connector/C's default. `host` is a list of hosts, each with its port
	 * ("db1:3307") or without; the one that worked last is tried first */
	const char *host;
	const char *socket, *user, *password, *database;
	const char *option_file; /* its group [leadhook] is read; NULL: none. The settings here override it */
	const char *tls;    /* "verify": only a server with a valid certificate; "off": any; NULL or "": "verify" for a host
			     * that is not loopback, else "off" */
	const char *tls_ca; /* file of certificates; NULL or "": as in the option file, else the system's */
	unsigned port;      /* 0: default */
	unsigned connect_timeout_s;
	unsigned io_timeout_s; /* for one response of the server, which itself ends a statement a tenth earlier */
	bool synced;           /* connects to nodes of a cluster only, whose reads see what any node has committed before */
	const char *prefix;    /* [A-Za-z0-9_]* */
	const char *const *session; /* statements run on each new connection, terminated by NULL */
};

/* Does not connect yet. The options, and statements that are run, must stay valid. */
struct db *db_new(const struct db_options *options);
/* Closes it. */
void db_free(struct db **db);
/* Closes the connection; the next use reopens it. */
void db_disconnect(struct db *db);
/* Closes the connection when it was not used for `idle_ms`. */
void db_disconnect_idle(struct db *db, int64_t idle_ms);

/* After this time of clock_monotonic_ms nothing is started: calls return RESULT_UNAVAILABLE, and a COMMIT becomes a rollback.
 * What is under way ends by its own timeout. CLOCK_NEVER, the initial value: no deadline. Returns the previous deadline. */
int64_t db_set_deadline(struct db *db, int64_t deadline_ms);

/* RESULT_UNAVAILABLE when none of the hosts can be reached, has a free connection and grants access. A host that has timed out
 * is not tried for one second, and then, in two of three attempts, for at most two seconds, until it can be reached. */
MUST_CHECK enum result db_connect(struct db *db);

/* The server at the other end of the open connection. */
enum db_peer {
	DB_PEER_SOCKET,   /* a unix socket */
	DB_PEER_LOOPBACK, /* TCP on this host, not verified */
	DB_PEER_REMOTE,   /* TCP to another host, not verified */
	DB_PEER_VERIFIED  /* TLS with a verified certificate */
};
enum db_peer db_peer(const struct db *db);
/* The server of the open connection is a node of a cluster (Galera). */
bool db_is_node(const struct db *db);

/* Starts a transaction (READ COMMITTED by the session statements). Connects if needed, and reconnects once if the idle
 * connection was closed. Later, a lost connection is RESULT_UNAVAILABLE, or RESULT_UNKNOWN in COMMIT; a transaction that the
 * server has undone is RESULT_CONFLICT, also when the server does not say so. The transaction after an unknown COMMIT sees what
 * all nodes of a cluster have committed before. */
MUST_CHECK enum result db_begin(struct db *db);
/* The same, read-only: every statement sees the database as of this call. Ended by db_rollback. */
MUST_CHECK enum result db_begin_snapshot(struct db *db);
MUST_CHECK enum result db_commit(struct db *db);
/* Never fails: a transaction ends with its connection. Does nothing outside a transaction. */
void db_rollback(struct db *db);
bool db_in_transaction(const struct db *db);

/* A value to bind. */
struct db_value {
	enum { DB_NULL, DB_UNSIGNED, DB_SIGNED, DB_BYTES } kind;
	union {
		uint64_t u64;
		int64_t i64;
		struct slice bytes;
	} as;
};

#define DB_U64(v) ((struct db_value){ DB_UNSIGNED, { .u64 = (v) } })
#define DB_I64(v) ((struct db_value){ DB_SIGNED, { .i64 = (v) } })
#define DB_BOOL(v) ((struct db_value){ DB_UNSIGNED, { .u64 = (v) ? 1 : 0 } })
#define DB_NONE ((struct db_value){ DB_NULL, { .u64 = 0 } })
/* An absent slice is NULL. */
struct db_value db_bytes(struct slice s);
/* NULL when it is negative (not set). */
struct db_value db_time(int64_t ms);

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
 * `{list}`, then the items of its `{each}`, and in this order they are in the text.
 *
 * Lists and items are padded: a list with its last value; items with NULL for all values, so a repeated part must yield
 * nothing then (`a = NULL` is not true, `LIMIT NULL` is no row). Only db_execute_rows adds nothing. */
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

/* A complete result set, copied into the pool. */
struct db_rows {
	size_t count;
	size_t columns;
	struct db_value *values; /* count × columns */
};

MUST_CHECK enum result db_query(struct db *db, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows);
/* *affected may be NULL; counts matched rows, not changed ones. */
MUST_CHECK enum result db_execute(
    struct db *db, const struct db_statement *statement, const struct db_arguments *arguments, uint64_t *affected);
/* Runs a statement once for each of `count` rows of `columns` values: in one round trip, by array binding; in none when there
 * are no rows. A node of a cluster loses rows then, when it undoes the transaction (docs/architecture.md 9.2). There a
 * statement with `{each}`, and nothing else to bind, runs with the rows as its items: a few times, each for at most 128 rows, a
 * number with at most three significant bits (200 rows are 128, 64 and 8; 49 are 48 and 1). Any other statement runs row by
 * row. */
MUST_CHECK enum result db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count);
/* Runs a text without preparing it (schema files); `{prefix}` is replaced. The server has no time limit, even after our
 * timeout: a change of a table may have to copy it. */
MUST_CHECK enum result db_run_text(struct db *db, struct slice text);
/* Prepares a statement with lists of one value, to check its text against the schema. */
MUST_CHECK enum result db_check_statement(struct db *db, const struct db_statement *statement);

/* True when the last failed call hit an existing row with the same unique key. */
bool db_duplicate_key(const struct db *db);
/* Why the server denied access in the last failed call, or was not trusted with the password. */
enum denial db_denial(const struct db *db);
/* True when a call was rejected because of the deadline, since the last db_clear_late, and no response is outstanding. */
bool db_was_late(const struct db *db);
void db_clear_late(struct db *db);
/* Of the last failed call; for operators, without values of rows. Never for clients. */
const char *db_error_text(const struct db *db);
/* Of the last failed call: what the operator can do; NULL when there is no hint. */
const char *db_error_hint(const struct db *db);

/* Readers of a value. A wrong type is a defect of the statement and ends the process. */
uint64_t db_get_u64(const struct db_rows *rows, size_t row, size_t column);
int64_t db_get_i64(const struct db_rows *rows, size_t row, size_t column);
bool db_get_bool(const struct db_rows *rows, size_t row, size_t column);
/* NULL is -1. */
int64_t db_get_time(const struct db_rows *rows, size_t row, size_t column);
/* NULL is absent. */
struct slice db_get_bytes(const struct db_rows *rows, size_t row, size_t column);
bool db_is_null(const struct db_rows *rows, size_t row, size_t column);
