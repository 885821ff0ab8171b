/* SPDX-License-Identifier: MIT
 * Reads a JSON object as a lead: the members of a payload (docs/api.md 4.5), and others, which are custom fields. They are read
 * as the API reads the parameters of a body. */
#pragma once

#include "transfer/row.h"

/* Returns NULL, or what is wrong with the object. Fills *import, unless the object is wrong, and *notes. All in the pool. */
MUST_CHECK const char *row_from_json(
    struct pool *pool, const struct row_limits *limits, struct slice json, struct row_notes *notes, struct import *import);

/* Adds the members of an object to a row. Returns NULL, or what is wrong with the object. */
MUST_CHECK const char *row_add_members(struct row *row, struct slice json);
