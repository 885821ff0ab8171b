/* SPDX-License-Identifier: MIT
 * The places of records that are imported in a later pass, because their referrer comes after them in the file. They are kept
 * in a temporary file and can be read in either direction, so a file that is sorted the wrong way round needs only one more
 * pass. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* Written to a file as it is: it has no padding. */
struct record_place {
	uint64_t offset, line;
	uint64_t size; /* without the line end */
};

struct deferred;

enum deferred_place { DEFERRED_IN_FILE, DEFERRED_IN_MEMORY /* where no file may be written */ };
/* Returns NULL, with errno set, if the temporary file cannot be made. */
struct deferred *deferred_new(enum deferred_place place);
void deferred_free(struct deferred **deferred);
uint64_t deferred_count(const struct deferred *deferred);
/* Return false when the file cannot be written or read: errno. */
MUST_CHECK bool deferred_add(struct deferred *deferred, const struct record_place *place);
/* Number `at`, from 0. */
MUST_CHECK bool deferred_get(struct deferred *deferred, uint64_t at, struct record_place *place);
