/* SPDX-License-Identifier: MIT */
#include "engine/events.h"

static const struct slice names[EVENT_TYPES] = {
	[EVENT_NEW_SIGNUP] = SLICE("new_signup"),
	[EVENT_REPEAT_SIGNUP] = SLICE("repeat_signup"),
	[EVENT_MARKED_AS_FRAUDULENT] = SLICE("marked_as_fraudulent"),
	[EVENT_NEW_SIGNUP_NOT_EXCLUDED] = SLICE("new_signup_not_excluded"),
	[EVENT_OPTED_OUT] = SLICE("opted_out"),
	[EVENT_PHONE_NUMBER_OPT_OUT] = SLICE("phone_number_opt_out"),
	[EVENT_VERIFIED] = SLICE("verified"),
	[EVENT_TAGGED] = SLICE("tagged"),
	[EVENT_SCORE_CHANGE] = SLICE("score_change"),
	[EVENT_REWARD_LEVEL] = SLICE("reward_level"),
	[EVENT_REFERRAL] = SLICE("referral"),
	[EVENT_DELETED] = SLICE("deleted"),
};

struct slice
event_name(enum event_type type)
{
	return (size_t)type < EVENT_TYPES ? names[type] : SLICE_NONE;
}

bool
event_parse(struct slice name, enum event_type *type)
{
	if (slice_equal(name, SLICE("fraudulent")))
		name = names[EVENT_MARKED_AS_FRAUDULENT];
	for (size_t i = 0; i < EVENT_TYPES; i++)
		if (slice_equal(name, names[i])) {
			*type = (enum event_type)i;
			return true;
		}
	return false;
}
