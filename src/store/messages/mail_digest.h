/* SPDX-License-Identifier: MIT
 * The referrals that a digest announces (docs/mail.md 3). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"

struct store;

/* Of the newest leads that a lead has referred, as many as are examined. */
enum { DIGEST_EXAMINED = 20000 };

/* The leads that it announces, the newest first: those that still count, and were not deleted. *ids are in the pool. */
MUST_CHECK enum result store_find_digest(
    struct store *store, struct pool *pool, uint64_t referrer_id, uint64_t digest_ms, uint64_t **ids, size_t *count);
