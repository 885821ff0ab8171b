/* SPDX-License-Identifier: MIT
 * What each statement is asked with where tables are planted. */
#ifndef LEADHOOK_TESTS_STORE_ASKED_H
#define LEADHOOK_TESTS_STORE_ASKED_H

#include "db/db.h"
#include "store/statements.h"

/* The statements of all files, numbered from 0. */
size_t statement_count(void);
const struct db_statement *statement_at(size_t number);

struct asked {
	const char *name;
	/* kinds of planted_value: of its last values, those before being what it assigns; and of its lists */
	const char *values, *lists;
};
/* NULL: it only inserts what it is given, and looks for nothing. */
const struct asked *asked_of(size_t statement);
/* How many there are; each is one of the statements. */
size_t asked_count(void);

/* How long its lists become; 1: it has none. */
size_t asked_longest(size_t statement);
enum { BATCH_LONGEST = 256 /* campaigns, deliveries, jobs */ };

/* Runs a statement of the connection with what another one is asked with, and lists of `size` values. */
MUST_CHECK enum result ask_statement(struct db *db, struct pool *pool, const struct db_statement *run,
    const struct asked *asked, size_t size, struct db_rows *rows);

#endif
