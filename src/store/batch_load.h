/* SPDX-License-Identifier: MIT
 * The first part of a batch: reads every row that its commands may touch.
 *
 * Loaded rows are in the pool; cached campaigns belong to the cache, and are valid until the batch ends. */
#pragma once

#include "engine/decide/working_set.h"
#include "store/store.h"

/* Inside the batch's transaction: loads the working set that engine/decide/working_set.h describes. If `locked` (one per
 * command) is not NULL, it does not wait for campaigns that other transactions have locked: it sets `locked` for their commands
 * and returns RESULT_CONFLICT. */
MUST_CHECK enum result store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    bool *locked, struct working_set *set);
