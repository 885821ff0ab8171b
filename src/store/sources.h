/* SPDX-License-Identifier: MIT
 * Sign-ups of a campaign by day, kind of source and value: `lead_sources` (docs/architecture.md 9.3). Internal to src/store.
 *
 * Functions run in a transaction of the caller, which has locked the counters of the campaigns. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/decide/working_set.h"
#include "store/store.h"

enum { SOURCE_VALUES_MAX = 500 /* values of a campaign, day and kind; all others are counted together */ };

/* Counts leads of a campaign: needs the fields that source_values reads, and `created_ms`. */
MUST_CHECK enum result store_add_sources(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads, size_t count);

/* Counts the new leads of a batch that the dispatcher will not count, because it has already counted higher numbers: imported
 * leads. */
MUST_CHECK enum result store_add_imported_sources(struct store *store, struct pool *pool, const struct working_set *set);

/* Adds to the sign-ups of a campaign that a limit has refused today, and to their addresses (docs/statistics.md 2.1). Does
 * nothing if there is no such campaign. */
MUST_CHECK enum result store_add_refusals(struct store *store, uint64_t campaign_id, uint32_t signups, uint32_t addresses);
