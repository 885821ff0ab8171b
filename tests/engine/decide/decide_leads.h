/* SPDX-License-Identifier: MIT
 * Changes leads of decide_world.h by their numbers: one change at a time, applied before the next. */
#pragma once

#include "decide_world.h"

static struct campaign *
campaign(struct world *w)
{
	return &w->set.campaigns[0].campaign;
}

static struct lead *
lead(struct world *w, size_t i)
{
	return &w->set.leads[i]->lead;
}

/* Signs up lead number `i`, referred by lead number `referrer` (-1: none). */
UNUSED static void
sign_up(struct world *w, int i, int referrer)
{
	struct command command = signup(pool_printf(w->pool, "u%d@x.org", i).data, NULL);
	if (referrer >= 0)
		command.as.signup.referrer_id = lead(w, (size_t)referrer)->social_id;
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
}

static void
change_with(struct world *w, int i, enum lead_action action, const char *argument)
{
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN, .account_id = ACCOUNT };
	command.as.change = (struct lead_change){
		.action = action,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, (size_t)i)->id },
		.tag_id = 1,
		.argument = slice_of(argument),
	};
	run(w, &command, 1);
	settle(w);
}

static void
change(struct world *w, int i, enum lead_action action)
{
	change_with(w, i, action, NULL);
}

UNUSED static void
give_points(struct world *w, int i, int32_t points)
{
	const struct lead_reference target = { .identity = LEAD_BY_ID, .id = lead(w, (size_t)i)->id };
	struct command command = { .kind = COMMAND_POINTS, .campaign_id = CAMPAIGN, .account_id = ACCOUNT };
	command.as.points = (struct points_call){ &target, 1, points, 0, SLICE("thanks") };
	run(w, &command, 1);
	settle(w);
}

UNUSED static const char *
extra(const struct world *w, enum event_type type)
{
	for (size_t i = 0; i < w->decision.event_count; i++)
		if (w->decision.events[i].type == type)
			return w->decision.events[i].extra.data;
	fail_msg("there is no event %d", (int)type);
	return NULL;
}
