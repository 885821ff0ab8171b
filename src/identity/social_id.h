/* SPDX-License-Identifier: MIT
 * The public id of a lead, which stands in its referral link (docs/api.md 4.5): 10 characters of Crockford's Base32. */
#ifndef LEADHOOK_CORE_SOCIAL_ID_H
#define LEADHOOK_CORE_SOCIAL_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { SOCIAL_ID_SIZE = 10 };

/* Upper case, from the low 50 bits of a random number (base/random.h). Uniqueness is the store's business. */
struct slice social_id_make(struct pool *pool, uint64_t random);

/* The stored form of a submitted id. Links get read out and retyped, so it is decoded as Crockford says: without regard to
 * case, I and L as 1, O as 0. No id contains those letters, so no two ids ever meet. His hyphens and check symbols are not
 * taken. False when it can be no id; *id is then untouched. */
MUST_CHECK bool social_id_parse(struct pool *pool, struct slice typed, struct slice *id);

#endif
