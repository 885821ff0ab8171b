/* SPDX-License-Identifier: MIT
 * The people in the payload of an event: its lead, and of a `referral` event the lead that was referred (docs/api.md 4.7). */
#ifndef LEADHOOK_ENGINE_PAYLOAD_PEOPLE_H
#define LEADHOOK_ENGINE_PAYLOAD_PEOPLE_H

#include "base/pool.h"
#include "base/slice.h"

struct payload_people {
	struct payload_person {
		struct slice social_id, email, phone; /* in the pool; absent: the payload has none */
		bool verified_email, verified_phone;  /* of `lead`, as the next */
		struct slice claimed;                 /* "email", "phone_number": which of them is a claim; absent: none */
	} lead, referred;
};

/* Only what the payload itself says counts: custom fields may have members with the same names. Of a text that is no payload,
 * and of an empty one, all are absent. */
struct payload_people payload_people_read(struct pool *pool, struct slice payload);

#endif
