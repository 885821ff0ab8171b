/* SPDX-License-Identifier: MIT
 * A small ordered set of ids as it is stored in a column: decimal numbers, separated by commas. The absent slice is the empty
 * set. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "webhook/delivery.h"

/* Splits off the first id. Returns false at the end of the list, or at an item that is not an id. */
bool id_list_next(struct slice *rest, uint64_t *id);
bool id_list_has(struct slice list, uint64_t id);
/* The ids, in the pool, for many look-ups. */
struct id_set id_list_set(struct pool *pool, struct slice list);
/* The list of these ids, in their order, in the pool. */
struct slice id_list_of(struct pool *pool, const uint64_t *ids, size_t count);
/* Returns the list with the id appended, in the pool. */
struct slice id_list_add(struct pool *pool, struct slice list, uint64_t id);
