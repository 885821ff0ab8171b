/* SPDX-License-Identifier: MIT
 * Hashes of people who were erased and whom imports must not bring back (leadhook(1), lead erase). Internal to src/store. */
#pragma once

#include "engine/command.h"
#include "store/store.h"

struct working_set;

/* Stores or removes the hash of an address (email key or number) for one campaign, or for all (`campaign_id` 0). Runs inside
 * the caller's transaction. */
enum erased_state { PERSON_ERASED, PERSON_IMPORTABLE };
MUST_CHECK enum result store_note_erased(struct store *store, struct pool *pool, uint64_t campaign_id,
    enum lead_channel channel, struct slice address, enum erased_state state);
/* Adds the imports of erased people to the working set. */
MUST_CHECK enum result store_load_erased(
    struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct working_set *set);
