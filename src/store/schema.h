/* SPDX-License-Identifier: MIT
 * Compares the version of the database's tables with the one that this program needs (docs/architecture.md 9, Schema). */
#pragma once

#include "store/store.h"

/* The version that this program needs: that of its last schema step. */
uint32_t store_schema_wanted(void);
/* What the operator can do about another version, `found`. */
const char *store_schema_hint(uint32_t found);
/* Reads the database's version; 0: it has no tables. */
MUST_CHECK enum result store_read_version(struct store *store, uint32_t *version);

/* Whether the database answers and has tables that this program can use: of its own version, or of a newer one that supports
 * it. RESULT_WRONG_SCHEMA: it has other tables. *found: their version. For every start, and for /health/ready. */
MUST_CHECK enum result store_ready(struct store *store, uint32_t *found);
/* As store_ready, but also logs a wrong version with a hint, once. Functions that change something call it first and pass its
 * failure on, because a program may have been started while the database was down. */
MUST_CHECK enum result store_demand_schema(struct store *store);
