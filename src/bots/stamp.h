/* SPDX-License-Identifier: MIT
 * The time at which a form was made, signed and hidden in it (docs/api.md 8): people need seconds to fill it in.
 * A stamp is the milliseconds since 1970, a point, and 16 characters of URL-safe Base64. */
#pragma once

#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"

enum { STAMP_MAC_SIZE = 16, STAMP_MIN_MS = 2000, STAMP_MAX_MS = 24 * 60 * 60 * 1000 };

enum stamp_verdict {
	STAMP_ABSENT,   /* the form has none: absent or "" */
	STAMP_FINE,     /* STAMP_MIN_MS to STAMP_MAX_MS old */
	STAMP_TOO_FAST, /* younger, or of the future */
	STAMP_OLD,      /* older */
	STAMP_INVALID   /* not ours, or of another campaign */
};

/* `now_ms` in both is the database's time, which all hosts share; `server_secret` is raw bytes. */
struct slice stamp_make(struct pool *pool, struct slice server_secret, uint64_t campaign_id, int64_t now_ms);
enum stamp_verdict stamp_check(
    struct pool *pool, struct slice stamp, struct slice server_secret, uint64_t campaign_id, int64_t now_ms);
