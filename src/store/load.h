/* SPDX-License-Identifier: MIT
 * The first part of a batch: reads every row that its commands may touch.
 *
 * What is loaded is in the pool; cached campaigns are the cache's, and valid until the batch ends. */
#pragma once

#include "engine/decide/working_set.h"
#include "store/store.h"

/* Inside the batch's transaction: loads the working set as engine/decide/working_set.h describes it. With `locked`, one per
 * command, it does not wait for campaigns: where others have locked some, it sets `locked` for the commands of those and
 * returns RESULT_CONFLICT. NULL: waits. */
MUST_CHECK enum result store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    bool *locked, struct working_set *set);
