/* SPDX-License-Identifier: MIT
 * Queued bulk jobs (docs/api.md 4.1), run in chunks (docs/architecture.md 6). Accounts are served in rotation,
 * and so are the campaigns of an account, the oldest job of each first.
 *
 * No state is held between chunks: the position of a job is written in the transaction that changes its items. A kill therefore
 * neither loses nor repeats an item, and several dispatchers can work on the same job. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "base/result.h"

struct crashes;
struct store;

enum { BULK_CHUNK = 25 }; /* leads; deliveries are sent between chunks */

/* Runs the next chunk. *more is false when no job is queued. A job with an item that fails although the database responds is
 * delayed; an item that fails for hours is skipped and logged. If a process has crashed while it ran a job (crashes.h;
 * `crashes` may be NULL), the items of that job run one at a time. RESULT_UNAVAILABLE: the job has not changed; call again
 * later. */
MUST_CHECK enum result bulk_run_chunk(struct store *store, struct pool *pool, const struct crashes *crashes, bool *more);
