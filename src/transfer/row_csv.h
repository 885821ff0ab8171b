/* SPDX-License-Identifier: MIT
 * Reads a record of CSV as a lead. */
#pragma once

#include "transfer/csv.h"
#include "transfer/row.h"

/* What the heading of a file says about its columns. */
struct row_columns {
	const struct column *items;
	size_t count;
};

/* Returns NULL, or what is wrong with the record. Fills *import, unless the record is wrong, and *notes. All in the pool. */
MUST_CHECK const char *row_from_csv(struct pool *pool, const struct row_limits *limits, const struct row_columns *columns,
    const struct csv_fields *fields, struct row_notes *notes, struct import *import);
