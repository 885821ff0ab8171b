/* SPDX-License-Identifier: MIT
 * Makes and upgrades the tables (docs/operating.md 11). */
#pragma once

#include "store/store.h"

/* Applies the schema steps that the database lacks, and makes the partitions of the coming days. A step may be run twice: after
 * a run that was killed, simply start it again. *from: the previous version; afterwards it is store_schema_wanted().
 * RESULT_WRONG_SCHEMA: the database is newer than this program. */
MUST_CHECK enum result store_upgrade(struct store *store, uint32_t *from);
/* Prepares every statement of the program. *failed: the name of the first one that does not fit the tables. */
MUST_CHECK enum result store_check_statements(struct store *store, const char **failed);
