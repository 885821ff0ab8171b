/* SPDX-License-Identifier: MIT
 * The closed table of campaign events (docs/requirements.md "Event names"). */
#ifndef LEADHOOK_ENGINE_EVENTS_H
#define LEADHOOK_ENGINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

/* In the order in which one command makes them (docs/api.md 4.7). The numbers are stored (subscription masks, event rows):
 * they never change, and new events are added at the end. */
enum event_type {
	EVENT_NEW_SIGNUP,
	EVENT_REPEAT_SIGNUP,
	EVENT_MARKED_AS_FRAUDULENT,
	EVENT_NEW_SIGNUP_NOT_EXCLUDED,
	EVENT_OPTED_OUT,
	EVENT_PHONE_NUMBER_OPT_OUT,
	EVENT_VERIFIED,
	EVENT_TAGGED,
	EVENT_SCORE_CHANGE,
	EVENT_REWARD_LEVEL,
	EVENT_REFERRAL,
	EVENT_DELETED,
	EVENT_TYPES
};

/* The event's place in a webhook's subscription mask. */
#define EVENT_BIT(type) (UINT32_C(1) << (type))

/* "new_signup", …: the wire name, for `__event` and the webhook's `events`. Absent for an unknown number. */
struct slice event_name(enum event_type type);

/* Finds the event of a submitted name, exactly as written; `fraudulent` is the older name of marked_as_fraudulent
 * (docs/requirements.md "Versioning"). Returns false when there is none; *type is then unchanged. */
MUST_CHECK bool event_parse(struct slice name, enum event_type *type);

#endif
