/* SPDX-License-Identifier: MIT
 * What each statement is asked with where tables are planted. */
#ifndef LEADHOOK_TESTS_STORE_ASKED_H
#define LEADHOOK_TESTS_STORE_ASKED_H

#include "db/db.h"
#include "store/statements.h"

struct asked {
	/* kinds of planted_value: of its last values, those before being what it assigns; and of its lists. NULL: it only
	 * inserts what it is given, and looks for nothing. */
	const char *values, *lists;
};
extern const struct asked asked[SQL_COUNT];

/* How long its lists become; 1: it has none. */
size_t asked_longest(enum statement statement);
enum { BATCH_LONGEST = 256 /* campaigns, deliveries, jobs */ };

/* Asks the connection's statement of that number, with lists of `size` values. */
MUST_CHECK enum result ask_statement(
    struct db *db, struct pool *pool, enum statement statement, size_t size, struct db_rows *rows);

#endif
