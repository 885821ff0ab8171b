/* SPDX-License-Identifier: MIT
 * What answers show about the leads that they mention. Functions fail as described in store.h; what they return is in the
 * caller's pool. */
#pragma once

#include "store/store.h"

struct lead_name {
	uint64_t id;
	struct slice social_id, display_name, email; /* email: may be absent */
};
struct lead_names {
	struct lead_name *names; /* by id */
	size_t count;
};

/* The leads that exist among these ids, of which there may be any number; 0 is not a lead. Sorts `ids` in place. */
MUST_CHECK enum result store_name_leads(
    struct store *store, struct pool *pool, uint64_t *ids, size_t count, struct lead_names *names);
/* NULL when there is none. */
const struct lead_name *lead_name_of(const struct lead_names *names, uint64_t id);
