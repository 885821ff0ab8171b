/* SPDX-License-Identifier: MIT
 * Finds what is stored about a person (docs/operating.md 7.4): the leads with an address, and everything else that contains it.
 *
 * Results are in the caller's pool. Functions fail as described in store.h. */
#pragma once

#include "store/store.h"

struct person {
	uint64_t campaign_id; /* 0: in every campaign */
	enum lead_channel channel;
	struct slice address; /* email key or number (docs/api.md 4.2) */
	struct slice typed;   /* the address as the operator wrote it */
};

/* All leads with the address, in the pool: first the person's own, then those that merely claim it (engine/command.h). */
struct person_found {
	struct lead *leads;
	size_t count, own;
};
MUST_CHECK enum result store_find_leads_of(
    struct store *store, struct pool *pool, const struct person *person, struct person_found *found);

/* Leads of others whose own data contain the address: a claim, a custom field, an event or a call that became them. */
struct mention {
	uint64_t campaign_id;
	struct slice social_id; /* of a lead that may have been deleted since */
};
enum { MENTIONS_MAX = 100 };
struct mentions {
	struct mention *items; /* at most MENTIONS_MAX, each lead once; in the pool */
	size_t count;
	bool all; /* no lead was left out */
};
/* Reads the campaigns' leads, calls and events, until the deadline (clock_monotonic_ms). */
MUST_CHECK enum result store_find_mentions(
    struct store *store, struct pool *pool, const struct person *person, int64_t deadline_ms, struct mentions *mentions);
