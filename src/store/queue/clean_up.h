/* SPDX-License-Identifier: MIT
 * The part of cleaning up that removals share. Internal to src/store. */
#pragma once

#include "db/db.h"
#include "store/store.h"

/* Deletes a thousand entries of the ledger of deleted leads in a transaction, and with the last ones what else is left of the
 * leads. *all: nothing is left. */
MUST_CHECK enum result store_drop_entries(struct store *store, struct db_list leads, bool *all);
