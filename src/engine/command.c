/* SPDX-License-Identifier: MIT */
#include "engine/command.h"

#define WORD(action, word) [LEAD_##action] = SLICE(word),
static const struct slice names[LEAD_ACTIONS] = { LEAD_ACTION_LIST(WORD) };
#undef WORD

struct slice
lead_action_name(enum lead_action action)
{
	return names[action];
}

bool
lead_action_parse(struct slice name, enum lead_action *action)
{
	const size_t place = slice_place_in(name, names, LEAD_ACTIONS);
	if (place < LEAD_ACTIONS)
		*action = (enum lead_action)place;
	return place < LEAD_ACTIONS;
}

size_t
command_lead_count(const struct command *command)
{
	return command->kind == COMMAND_POINTS ? command->as.points.lead_count : 1;
}

struct slice
lead_channel_name(enum lead_channel channel)
{
	return channel == CHANNEL_EMAIL ? SLICE("email") : SLICE("phone");
}

struct slice
lead_named_channel(enum lead_identity identity)
{
	switch (identity) {
	case LEAD_BY_EMAIL:
		return lead_channel_name(CHANNEL_EMAIL);
	case LEAD_BY_PHONE:
		return lead_channel_name(CHANNEL_PHONE);
	default:
		return SLICE_NONE;
	}
}

bool
lead_claims(const struct lead *lead, enum lead_channel channel)
{
	return lead->claimed == (channel == CHANNEL_EMAIL ? CLAIM_EMAIL : CLAIM_PHONE);
}

bool
lead_only_claims(const struct lead *lead, enum lead_channel channel)
{
	if (lead->claimed != CLAIM_NONE)
		return lead_claims(lead, channel);
	return lead_is_verified(lead) && !(channel == CHANNEL_EMAIL ? lead->verified_email : lead->verified_phone);
}
