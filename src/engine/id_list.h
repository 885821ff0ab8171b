/* SPDX-License-Identifier: MIT
 * A small ordered set of ids as it stands in a row: decimal, separated by commas. The absent slice is the empty list. */
#ifndef LEADHOOK_ENGINE_ID_LIST_H
#define LEADHOOK_ENGINE_ID_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"

/* Splits off the first id: answers false when nothing is left. What is no id ends the list. */
bool id_list_next(struct slice *rest, uint64_t *id);
bool id_list_has(struct slice list, uint64_t id);
/* The list with the id at its end; in the pool. */
struct slice id_list_add(struct pool *pool, struct slice list, uint64_t id);

#endif
