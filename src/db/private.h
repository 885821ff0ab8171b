/* SPDX-License-Identifier: MIT
 * What connection.c, error.c and statement.c share. */
#ifndef LEADHOOK_DB_PRIVATE_H
#define LEADHOOK_DB_PRIVATE_H

#include <stdbool.h>

#include <mysql.h>

#include "base/log.h"
#include "db/db.h"

/* What an error number of the server or of Connector/C means. */
struct db_error {
	unsigned number;
	enum result result;
	const char *hint; /* what the operator may do; NULL: nothing needs to be done */
};
enum { DB_ERRORS_MAX = 48 };

/* NULL: it is none that can come without a defect. */
const struct db_error *error_find(unsigned number);
/* Of one that was found, in the table; below DB_ERRORS_MAX. */
size_t error_place(const struct db_error *error);
/* The server is there, and does not let us in, or is not trusted with the password. */
bool error_is_denial(unsigned number);
/* After these the connection is of no use. */
bool error_is_lost(unsigned number);
/* Of a COMMIT that failed with it nobody knows whether it was done. */
bool error_leaves_commit_open(unsigned number);
/* The server's text, without values of rows where it quotes them: those of people must not get into a log. */
void error_text_without_values(unsigned number, const char *text, char *out, size_t size);

enum { LIST_SIZES = 11 /* powers of two up to DB_LIST_MAX */ };

/* A statement as the connection has prepared it, for lists of each size; NULL: not yet. */
struct prepared {
	const struct db_statement *statement;
	MYSQL_STMT *handles[LIST_SIZES];
};

struct db {
	const struct db_options *options;
	MYSQL *mysql;              /* NULL: not connected */
	struct prepared *prepared; /* all statements, by their addresses */
	size_t statement_count;
	bool in_transaction;
	int64_t used_ms;       /* when the connection was last used */
	int64_t begun_ms;      /* what is under way, or was last */
	int64_t deadline_ms;   /* nothing is begun any more */
	bool late;             /* that is why the last thing was not */
	int64_t away_until_ms; /* no connection is tried: the server has kept us waiting */
	struct log_throttle told[DB_ERRORS_MAX], late_log;
	unsigned error;
	char error_text[MYSQL_ERRMSG_SIZE];
};

/* Notes and logs an error of `what`, closes a connection that is lost; what the caller should do about it. */
MUST_CHECK enum result db_failed(struct db *db, const char *what, unsigned number, const char *text);
/* The same for the last error of the connection. */
MUST_CHECK enum result db_connection_failed(struct db *db, const char *what);

/* The room for what is prepared of each statement. */
void db_add_statements(struct db *db, const struct db_statement *const *const *lists);
/* *handle may be NULL, becomes NULL. */
void db_close_handle(MYSQL_STMT **handle);

/* trust.c: reads the option file, and sets what the server has to prove before the password is used. First of all options. */
void trust_set_options(struct db *db);

#endif
