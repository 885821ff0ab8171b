/* SPDX-License-Identifier: MIT
 * The closed table of campaign events (docs/requirements.md "Event names"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* X(type, name), in the order in which one command makes them (docs/api.md 4.7). The numbers are stored in subscription masks
 * and events: they never change, and new events are added at the end. */
#define EVENT_LIST(X)                                         \
	X(NEW_SIGNUP, "new_signup")                           \
	X(REPEAT_SIGNUP, "repeat_signup")                     \
	X(MARKED_AS_FRAUDULENT, "marked_as_fraudulent")       \
	X(NEW_SIGNUP_NOT_EXCLUDED, "new_signup_not_excluded") \
	X(OPTED_OUT, "opted_out")                             \
	X(PHONE_NUMBER_OPT_OUT, "phone_number_opt_out")       \
	X(VERIFIED, "verified")                               \
	X(TAGGED, "tagged")                                   \
	X(SCORE_CHANGE, "score_change")                       \
	X(REWARD_LEVEL, "reward_level")                       \
	X(REFERRAL, "referral")                               \
	X(DELETED, "deleted")
#define EVENT_TYPE(type, name) EVENT_##type,
enum event_type { EVENT_LIST(EVENT_TYPE) EVENT_TYPES };
#undef EVENT_TYPE

/* The event's place in a webhook's subscription mask. */
#define EVENT_BIT(type) (UINT32_C(1) << (type))

/* The name in `__event` and in a webhook's `events`; absent for an unknown number. */
struct slice event_name(enum event_type type);

/* Finds the event with this name. `fraudulent` is the older name of marked_as_fraudulent (docs/requirements.md "Versioning").
 * Returns false, with *type unchanged, when there is none. */
MUST_CHECK bool event_parse(struct slice name, enum event_type *type);
