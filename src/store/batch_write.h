/* SPDX-License-Identifier: MIT
 * The last part of a batch: writes the rows that it changes and makes. */
#pragma once

#include "engine/decide/decision.h"
#include "store/store.h"

/* Inside the batch's transaction: writes every row that a decision changes or makes. *made_messages: there is mail or a text to
 * send now. Also returns RESULT_CONFLICT when another process has moved a job. */
MUST_CHECK enum result store_write(struct store *store, struct pool *pool, const struct working_set *set,
    const struct decision *decision, bool *made_messages);
