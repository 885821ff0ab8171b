/* SPDX-License-Identifier: MIT
 * Records that are imported in a later pass, because their referrer comes after them in the file (leadhook(1), lead import). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "engine/command.h"

/* Written to a file unchanged: it has no padding. */
struct record_place {
	uint64_t offset, line;
	uint64_t size; /* without the line end */
};

/* Their places are in a temporary file and can be read in either direction, so a file that is sorted the wrong way round needs
 * only one more pass. */
struct deferred;

enum deferred_place { DEFERRED_IN_FILE, DEFERRED_IN_MEMORY /* if no file may be written */ };
/* In the pool. Returns NULL, with errno set, if the temporary file cannot be made. */
struct deferred *deferred_new(struct pool *pool, enum deferred_place place);
/* `deferred` may be NULL. */
void deferred_close(struct deferred *deferred);
uint64_t deferred_count(const struct deferred *deferred);
/* Return false, with errno set, if the file cannot be written or read. */
MUST_CHECK bool deferred_add(struct deferred *deferred, const struct record_place *place);
/* Reads place number `at`, counted from 0. */
MUST_CHECK bool deferred_get(struct deferred *deferred, uint64_t at, struct record_place *place);

/* Sorts rows so that each comes after its referrer. In a cycle, the row that comes first in the file comes first. */
struct chains;
/* In the pool. */
struct chains *chains_new(struct pool *pool);
/* Copies the identities of the row and of its referrer. Rows are numbered from 0. `line` is the row's place in the file. */
void chains_add(struct chains *chains, const struct import *row, uint64_t line);
/* Called once, after the last row was added. Returns the rows in this order. */
const size_t *chains_sort(struct chains *chains);
