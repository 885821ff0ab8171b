/* SPDX-License-Identifier: MIT
 * Records whose turn comes later, because their referrer comes after them: their places in the file, in a temporary file of its
 * own. They are read in either direction: a file that is sorted the wrong way round is done in one more pass. */
#ifndef LEADHOOK_TRANSFER_DEFERRED_H
#define LEADHOOK_TRANSFER_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* Written to a file as it is: it has no padding. */
struct record_place {
	uint64_t offset, line;
	uint64_t size; /* without the line end */
};

struct deferred;

/* `in_memory`: the file is in memory. Returns NULL when there is no temporary file: errno. */
struct deferred *deferred_new(bool in_memory);
void deferred_free(struct deferred **deferred);
uint64_t deferred_count(const struct deferred *deferred);
/* Return false when the file cannot be written or read: errno. */
MUST_CHECK bool deferred_add(struct deferred *deferred, const struct record_place *place);
/* Number `at`, from 0. */
MUST_CHECK bool deferred_get(struct deferred *deferred, uint64_t at, struct record_place *place);

#endif
