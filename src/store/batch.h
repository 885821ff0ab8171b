/* SPDX-License-Identifier: MIT
 * The parts of a batch's transaction (batch.c): load the working set, write what was decided (docs/architecture.md 4).
 *
 * What is loaded is in the pool of the run; cached campaigns are the cache's, and valid until the batch ends. Both parts return
 * the result of the connection, and RESULT_CONFLICT when the batch has to be run again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/decide/decision.h"
#include "store/store.h"

/* Inside the batch's transaction: loads the working set as engine/decide/working_set.h describes it. With `locked`, one per
 * command, it does not wait for campaigns: where others have locked some, it sets `locked` for the commands of those and
 * returns RESULT_CONFLICT. NULL: waits. */
MUST_CHECK enum result store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    bool *locked, struct working_set *set);
/* Inside the batch's transaction: writes every row that a decision changes or makes. *made_messages: there is mail or a text to
 * send now. Returns RESULT_CONFLICT also when another process has moved a job. */
MUST_CHECK enum result store_write(struct store *store, struct pool *pool, const struct working_set *set,
    const struct decision *decision, bool *made_messages);
