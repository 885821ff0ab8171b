/* SPDX-License-Identifier: MIT
 * Reads which people a payload is about: its lead and, in a `referral` event, the referred lead (docs/api.md 4.7). */
#pragma once

#include "base/pool.h"

struct payload_people {
	struct payload_person {
		struct slice social_id, email, phone; /* in the pool; absent: the payload has none */
		bool verified_email, verified_phone;  /* of `lead`, like the next one */
		struct slice claimed;                 /* which address is a claim: "email" or "phone_number"; absent: none */
	} lead, referred;
};

/* Reads only the payload's own members, not custom fields with the same names. For a text that is not a payload, and for an
 * empty one, everything is absent. */
struct payload_people payload_people_read(struct pool *pool, struct slice payload);
