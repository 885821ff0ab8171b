/* SPDX-License-Identifier: MIT
 * Leases of shards: one dispatcher at a time has each shard (docs/deliveries.md 4).
 *
 * Times are the database's. RESULT_UNAVAILABLE and RESULT_UNKNOWN mean that the connection was lost: call again later; every
 * function here may be repeated. store_shards_lease and store_recover check the schema version. */
#pragma once

#include "store/store.h"

enum { DISPATCH_OWNER_SIZE = 16 };

/* Takes free shards and renews ours. `owner` is DISPATCH_OWNER_SIZE random bytes. *leased: bit i is set when shard i is ours
 * until now + lease_ms. */
MUST_CHECK enum result store_shards_lease(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *leased);
/* Releases all our shards, at a clean exit. */
MUST_CHECK enum result store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE]);
/* A delivery that was under way when its dispatcher died. */
struct interrupted_delivery {
	uint64_t id;
	unsigned attempt;         /* the one that was under way, from 1 */
	unsigned attempts_before; /* as in struct due_delivery */
	int64_t delay_ms;         /* until the next attempt */
};
/* After the death of a dispatcher: counts the attempts that were under way, unless their outcomes were recorded, and frees the
 * shards and jobs of operators; in one transaction. */
MUST_CHECK enum result store_recover(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE],
    const struct interrupted_delivery *interrupted, size_t count);
