/* SPDX-License-Identifier: MIT
 * Shared by connection.c, error.c and statement.c. */
#pragma once

#include <stdbool.h>

#include <mysql.h>

#include "db/db.h"
#include "os/log.h"
#include "os/metrics.h"

/* The meaning of an error number of the server or of Connector/C. */
struct db_error {
	unsigned number;
	enum result result;
	enum metric_database_error kind;
	const char *hint; /* what the operator can do; NULL: nothing needs to be done */
};
enum { DB_ERRORS_MAX = 48 };

/* The number that says most about an error. */
unsigned error_number(unsigned number, const char *text);
/* NULL: only a defect causes this error. */
const struct db_error *error_find(unsigned number);
/* Index in the table, below DB_ERRORS_MAX. */
size_t error_place(const struct db_error *error);
enum denial error_denial(unsigned number);
/* The connection is unusable after this error; or another one may lead to a server that works. */
bool error_is_lost(unsigned number);
/* After this error of a COMMIT the transaction may be committed or not. */
bool error_leaves_commit_open(unsigned number);
/* The server's message, without the values of rows that it quotes, because personal data must not be logged. */
void error_text_without_values(unsigned number, const char *text, char *out, size_t size);

enum { SIZES_MAX = 37 /* 1 + the largest size_index: sizes with at most three significant bits, up to DB_LIST_MAX */ };

/* A statement, prepared for lists or items of several sizes. */
struct prepared {
	const struct db_statement *statement;
	MYSQL_STMT **handles; /* SIZES_MAX, by size_index, each NULL until it is prepared */
};

struct db_host {
	char *name;            /* "": as in the option file or Connector/C's default */
	unsigned port;         /* 0: the same */
	unsigned timeouts;     /* since it was connected */
	int64_t away_until_ms; /* it is not tried before, because it has timed out */
};

struct db {
	const struct db_options *options;
	struct db_host *hosts;     /* at least one */
	size_t host_count, host;   /* the host of the connection, or the one that is tried first */
	MYSQL *mysql;              /* NULL: not connected */
	struct prepared *prepared; /* statements that were run, sorted by address */
	size_t statement_count, statement_capacity;
	bool in_transaction;
	bool is_node;        /* the server is a node of a cluster */
	bool unknown;        /* the last COMMIT may have taken effect, perhaps at another node */
	int64_t used_ms;     /* when the connection was last used */
	int64_t begun_ms;    /* start of the current or last call */
	int64_t deadline_ms; /* nothing is started after this time */
	bool late;           /* the last call was rejected because of it */
	struct log_throttle log_throttles[DB_ERRORS_MAX], late_throttle, no_node_throttle;
	unsigned error;
	char error_text[MYSQL_ERRMSG_SIZE];
};

/* Records and logs an error of `what`, and closes a lost connection. Returns the result for the caller. */
MUST_CHECK enum result db_failed(struct db *db, const char *what, unsigned number, const char *text);
/* The same for the last error of the connection. */
MUST_CHECK enum result db_connection_failed(struct db *db, const char *what);

/* After each statement: RESULT_CONFLICT when the server has ended the transaction. A node of a cluster may undo it for another
 * node's, and answer as if nothing had happened. */
MUST_CHECK enum result db_check_transaction(struct db *db, const char *what);

/* *handle may be NULL; it is set to NULL. */
void db_close_handle(MYSQL_STMT **handle);

/* trust.c: reads the option file, and sets the requirements for the server before the password is sent. Call before setting
 * other options. */
void trust_set_options(struct db *db);
