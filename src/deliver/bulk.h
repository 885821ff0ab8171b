/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1), a chunk at a time (docs/deliveries.md 6). Campaigns take turns; of each the oldest job is
 * first.
 *
 * Nothing is kept between two chunks: where a job stands is written in the transaction of what its items do. So a kill neither
 * loses nor repeats an item, and several dispatchers may be at the same job. */
#ifndef LEADHOOK_DELIVER_BULK_H
#define LEADHOOK_DELIVER_BULK_H

#include <stdbool.h>

#include "base/pool.h"
#include "base/result.h"

struct crashes;
struct store;

enum { BULK_CHUNK = 25 }; /* leads: sending goes on between two chunks */

/* Does the next chunk. *more: there was one, for all we know, so there may be another. A job with an item that cannot be done,
 * though the database answers, is delayed; an item that fails for hours is passed over and logged. Items of a job that a
 * process crashed at (crashes.h, or NULL) are done one by one. RESULT_UNAVAILABLE: the job stands where it was left; call again
 * later. */
MUST_CHECK enum result bulk_run_chunk(struct store *store, struct pool *pool, const struct crashes *crashes, bool *more);

#endif
