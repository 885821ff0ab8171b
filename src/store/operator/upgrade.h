/* SPDX-License-Identifier: MIT
 * Makes the tables, and brings them to the version of this program. */
#ifndef LEADHOOK_STORE_OPERATOR_UPGRADE_H
#define LEADHOOK_STORE_OPERATOR_UPGRADE_H

#include "store/store.h"

/* Applies the schema files that the database does not have yet, in order. Each is safe to run twice, so a killed run is simply
 * started again. Also makes the partitions of the coming days. `apply` false: only reports. *from and *to: version before and
 * after. RESULT_WRONG_SCHEMA: the database is newer than this program. */
MUST_CHECK enum result store_upgrade(struct store *store, bool apply, uint32_t *from, uint32_t *to);
/* Prepares every statement of the program on the current schema. `failed` is the name of the first that does not fit. */
MUST_CHECK enum result store_check_statements(struct store *store, const char **failed);

#endif
