/* SPDX-License-Identifier: MIT
 * A connection to MariaDB: its hosts, its transactions, and the last error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"

struct db;

struct db_options {
	/* NULL or "": as in the option file or Connector/C's default. `host` is a list of hosts, each with its port
	 * ("db1:3307") or without; the one that worked last is tried first */
	const char *host;
	const char *socket, *user, *password, *database;
	const char *option_file; /* its group [leadhook] is read; NULL: none. The settings here override it */
	const char *tls;    /* "verify": only a server with a valid certificate; "off": any; NULL or "": "verify" for a host
			     * that is not loopback, otherwise "off" */
	const char *tls_ca; /* file of certificates; NULL or "": as in the option file, otherwise the system's */
	unsigned port;      /* 0: default */
	unsigned connect_timeout_s;
	unsigned io_timeout_s;      /* for one response of the server, which itself ends a statement a tenth earlier */
	bool synced;                /* connects only to nodes of a cluster; reads see what was committed before on any node */
	const char *prefix;         /* [A-Za-z0-9_]* */
	const char *const *session; /* statements run on each new connection, terminated by NULL */
};

/* Does not connect yet. The options, and statements that are run, must stay valid. */
struct db *db_new(const struct db_options *options);
/* Closes the connection. */
void db_free(struct db **db);
/* Closes the connection; the next use reopens it. */
void db_disconnect(struct db *db);
/* Closes the connection if it has not been used for `idle_ms`. */
void db_disconnect_idle(struct db *db, int64_t idle_ms);

/* After this time, in clock_monotonic_ms, nothing is started: calls return RESULT_UNAVAILABLE, and a COMMIT becomes a rollback.
 * A call that is under way ends with its own timeout. CLOCK_NEVER, the initial value: no deadline. Returns the previous
 * deadline. */
int64_t db_set_deadline(struct db *db, int64_t deadline_ms);

/* RESULT_UNAVAILABLE: there is no host that can be reached, has a free connection and grants access. A host that has timed out
 * is not tried for one second; then, until it can be reached, two of three attempts wait for at most two seconds. */
MUST_CHECK enum result db_connect(struct db *db);

/* Whether the server of the open connection is a node of a cluster (Galera). */
bool db_is_node(const struct db *db);

/* Starts a transaction (READ COMMITTED by the session statements). Connects if needed, and reconnects once if the idle
 * connection was closed. Later calls return RESULT_UNAVAILABLE if the connection is lost, or RESULT_UNKNOWN if that happens in
 * COMMIT, and RESULT_CONFLICT if the server has rolled back the transaction, even if it does not report that. The transaction
 * after an unknown COMMIT sees what all nodes of a cluster have committed before. */
MUST_CHECK enum result db_begin(struct db *db);
/* As db_begin, but read-only: every statement sees the database as it is at this call. End it with db_rollback. */
MUST_CHECK enum result db_begin_snapshot(struct db *db);
MUST_CHECK enum result db_commit(struct db *db);
/* Cannot fail: a transaction ends with its connection. Does nothing outside a transaction. */
void db_rollback(struct db *db);
bool db_in_transaction(const struct db *db);

/* True when the last failed call hit an existing row with the same unique key. */
bool db_duplicate_key(const struct db *db);
/* Why the server denied access in the last failed call, or was not trusted with the password. */
enum denial db_denial(const struct db *db);
/* True when a call was rejected because of the deadline since the last db_clear_late; no response is outstanding then. */
bool db_was_late(const struct db *db);
void db_clear_late(struct db *db);
/* The error of the last failed call, without values of rows: for operators, never for clients. */
const char *db_error_text(const struct db *db);
/* What the operator can do about the last failed call; NULL: there is no hint. */
const char *db_error_hint(const struct db *db);

/* ---- for src/db ---- */

/* Records and logs an error of `what` (a statement, a step), and closes a lost connection. Returns the result for the
 * caller. */
MUST_CHECK enum result db_failed(struct db *db, const char *what, unsigned number, const char *text);
/* As db_failed, for the last error of the connection. */
MUST_CHECK enum result db_connection_failed(struct db *db, const char *what);

/* Call it after each statement. RESULT_CONFLICT: the server has ended the transaction. A node of a cluster may roll back a
 * transaction in favour of one of another node, and answer as if nothing had happened. */
MUST_CHECK enum result db_check_transaction(struct db *db, const char *what);
