/* SPDX-License-Identifier: MIT
 * Fields of a form that people do not see (docs/api.md 8). `server_secret` is raw bytes.
 *
 * Only programs fill in a honeypot. Its name is five pairs of a letter and a digit: browsers recognize the fields that they
 * fill in by parts of words, so they do not recognize this one. No parameter of the API has such a name.
 *
 * A stamp is the signed time at which the form was made: people need seconds to fill in a form. It consists of the milliseconds
 * since 1970, a dot, and 16 characters of URL-safe Base64. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/pool.h"

enum { HONEYPOT_NAME_SIZE = 10 };

/* The name in the forms of a campaign, which is always the same. It is stored in `out`. */
struct slice honeypot_name(char out[HONEYPOT_NAME_SIZE], struct slice server_secret, uint64_t campaign_id);

/* Whether the name has the form of a honeypot's name. Saves an HMAC for most names. */
bool honeypot_well_formed(struct slice name);

enum { STAMP_MAC_SIZE = 16, STAMP_MIN_MS = 2 * SECOND_MS, STAMP_MAX_MS = DAY_MS };

enum stamp_verdict {
	STAMP_ABSENT,   /* the form has none: absent or "" */
	STAMP_FINE,     /* STAMP_MIN_MS to STAMP_MAX_MS old */
	STAMP_TOO_FAST, /* younger, or from the future */
	STAMP_OLD,      /* older */
	STAMP_INVALID   /* not ours, or of another campaign */
};

/* `now_ms` in both is the database's time, which all hosts share. */
struct slice stamp_make(struct pool *pool, struct slice server_secret, uint64_t campaign_id, int64_t now_ms);
enum stamp_verdict stamp_check(
    struct pool *pool, struct slice stamp, struct slice server_secret, uint64_t campaign_id, int64_t now_ms);
