/* SPDX-License-Identifier: MIT
 * The values that each statement is run with on planted tables. */
#pragma once

#include "db/db.h"
#include "store/statements.h"

/* The statements of all files, numbered from 0. */
size_t statement_count(void);
const struct db_statement *statement_at(size_t number);

struct statement_values {
	const char *name;
	/* kinds of planted_value: those of its last values (the values before them are assigned) and of its lists; after a
	 * slash, those of one item of its repeated part */
	const char *values, *lists;
};
/* NULL: it is an INSERT without a SELECT. */
const struct statement_values *values_of_statement(size_t statement);
/* The number of entries; each names an existing statement. */
size_t statement_values_count(void);

/* The maximum length of its lists and items; 1: it has none. */
size_t longest_list(size_t statement);
enum { BATCH_LONGEST = 256 /* campaigns, deliveries, jobs */ };

/* Runs `run` with the values of a statement, and lists and items of `size` values. */
MUST_CHECK enum result run_with_values(struct db *db, struct pool *pool, const struct db_statement *run,
    const struct statement_values *used, size_t size, struct db_rows *rows);
