/* SPDX-License-Identifier: MIT
 * Finds tags or actions of a campaign by their names and collects them in sets, in time linear in the text that names them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/model.h"

struct named {
	struct slice name, key; /* the key: in lower case */
	uint64_t id;
	struct slice id_text; /* decimal */
};

/* Sorted by name, made once per file; in the pool. */
struct names {
	struct named *items;
	size_t count;
};
struct names names_of_tags(struct pool *pool, const struct definitions *definitions);
struct names names_of_actions(struct pool *pool, const struct definitions *definitions);

/* A set, initially zeroed: each item once, in the order in which they were added. */
struct name_set {
	bool *has; /* by the place in the names */
	struct slice *ids;
	size_t count;
};
/* Adds the tag or action with this name; case does not matter. Returns false if there is none. */
bool name_set_add(struct pool *pool, struct name_set *set, const struct names *names, struct slice name);
/* The ids in the form of engine/id_list.h; absent if the set is empty. */
struct slice name_set_list(struct pool *pool, const struct name_set *set);
