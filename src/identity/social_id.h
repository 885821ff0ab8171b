/* SPDX-License-Identifier: MIT
 * The public id of a lead, part of its referral link (docs/api.md 4.5): characters of Crockford's Base32. Our own ids have 10
 * characters; ids of leads imported from another service have 4 to 16. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

enum { SOCIAL_ID_MADE = 10, SOCIAL_ID_MIN = 4, SOCIAL_ID_MAX = 16 };

/* SOCIAL_ID_MADE characters in upper case, from the low 50 bits of a random number (os/random.h). The store makes sure that it
 * is unique, also among ids of other lengths. */
struct slice social_id_make(struct pool *pool, uint64_t random);

/* The stored form of a submitted id, cleaned (typed.h). Links are read aloud and retyped, so an id is decoded as Crockford
 * specifies: case does not matter, I and L are 1, O is 0. No id contains those letters, so two ids never become equal.
 * Crockford's hyphens and check symbols are not accepted. Returns false when it cannot be an id; *id is then unchanged. */
MUST_CHECK bool social_id_parse(struct pool *pool, struct slice typed, struct slice *id);
