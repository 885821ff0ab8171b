/* SPDX-License-Identifier: MIT
 * Removes campaigns and accounts: at once for callers, then their rows piece by piece (docs/operating.md 7.5).
 *
 * The removal of a campaign begins with a row that describes what to do, and ends when that row is gone. If the process dies in
 * between, nothing is lost: the dispatcher continues. Two processes may work on the same removal: every step can be repeated.
 *
 * Functions fail as described in store.h. */
#pragma once

#include "store/removal/removed_rows.h"

/* Removes a campaign, or an account with its keys and campaigns: calls no longer find them. Their rows remain for now.
 * RESULT_NOT_FOUND: no such campaign, or account. */
MUST_CHECK enum result store_remove_campaign(struct store *store, uint64_t campaign_id);
MUST_CHECK enum result store_remove_account(struct store *store, uint64_t account_id);
/* Deletes some rows of a removed campaign, as store_continue_erasure does. */
MUST_CHECK enum result store_continue_removal(
    struct store *store, uint64_t campaign_id, struct removal_counts *counts, bool *done);

/* As store_postpone_erasure and store_find_erasure. */
MUST_CHECK enum result store_postpone_removal(struct store *store, uint64_t campaign_id, int64_t more_ms);
MUST_CHECK enum result store_find_removal(struct store *store, int64_t idle_ms, uint64_t *campaign_id, bool *found);
