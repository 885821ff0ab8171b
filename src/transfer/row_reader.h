/* SPDX-License-Identifier: MIT
 * Reads a record of a file as a lead. */
#pragma once

#include "transfer/csv.h"
#include "transfer/row.h"

/* The columns that the heading of a file names. */
struct row_columns {
	const struct column *items;
	size_t count;
};

/* Both return NULL, or what is wrong with the record. They fill *import, unless the record is wrong, and *notes. Everything is
 * in the pool. */

MUST_CHECK const char *row_from_csv(struct pool *pool, const struct row_limits *limits, const struct row_columns *columns,
    const struct csv_fields *fields, struct row_notes *notes, struct import *import);
/* The members of a payload (docs/api.md 4.5), and any others, which are custom fields, are read as the API reads the parameters
 * of a body. */
MUST_CHECK const char *row_from_json(
    struct pool *pool, const struct row_limits *limits, struct slice json, struct row_notes *notes, struct import *import);
