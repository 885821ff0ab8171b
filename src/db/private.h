/* SPDX-License-Identifier: MIT
 * What connection.c and statement.c share. */
#ifndef LEADHOOK_DB_PRIVATE_H
#define LEADHOOK_DB_PRIVATE_H

#include <stdbool.h>

#include <mysql.h>

#include "db/db.h"

enum { LIST_SIZES = 11 /* powers of two up to DB_LIST_MAX */ };

struct db {
	const struct db_options *options;
	const struct db_statement *statements;
	size_t statement_count;
	MYSQL *mysql;          /* NULL: not connected */
	MYSQL_STMT **prepared; /* statement_count × LIST_SIZES */
	bool in_transaction;
	int64_t used_ms; /* when the connection was last used */
	unsigned error;
	char error_text[MYSQL_ERRMSG_SIZE];
};

/* Notes and logs an error of `what`, closes a connection that is lost; what the caller should do about it. */
MUST_CHECK enum result db_failed(struct db *db, const char *what, unsigned number, const char *text);
/* The same for the last error of the connection. */
MUST_CHECK enum result db_connection_failed(struct db *db, const char *what);

#endif
