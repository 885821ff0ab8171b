/* SPDX-License-Identifier: MIT
 * Statements whose plans have a fault that does no harm. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Faults of a line of a plan. */
enum fault {
	SCAN = 1,       /* reads the whole table, or a whole index */
	SORT = 2,       /* sorts … */
	TEMPORARY = 4,  /* … or stores what it has found, before the first row of the answer */
	MANY = 8,       /* expects to read more rows than requested */
	LOCK_SCAN = 16, /* reads and locks the whole of a small table */
	READS = 32      /* reads more rows than requested */
};
enum { GATHERS = SORT | TEMPORARY, READS_ALL = SCAN | SORT | TEMPORARY | MANY };

/* The faults that the statement of this name may have where its plan reads this table. */
unsigned exceptions_for(const char *statement, struct slice table);
/* Whether each exception names a statement of the list and has a reason. */
bool exceptions_are_known(const char *const *statements, size_t count);
