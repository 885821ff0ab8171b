/* SPDX-License-Identifier: MIT */
#include "engine/decide/score.h"

#include "engine/decide/requested_messages.h"
#include "engine/decide/settle.h"
#include "engine/id_list.h"
#include "engine/visitors.h"

int64_t
step_book_points(struct step *step, struct working_lead *lead, const struct booking *booking)
{
	struct decision *d = step->decision;
	if (step->ended || booking->points == 0)
		return 0;
	struct touched *touched = step_touch(step, lead);
	int64_t score = (int64_t)lead->lead.score + booking->points;
	score = score < 0 ? 0 : score > UINT32_MAX ? UINT32_MAX : score;
	int64_t delta = score - (int64_t)lead->lead.score;
	*POOL_ADD(step->pool, d->entries, d->entry_count, d->entry_capacity) = (struct score_entry){
		.lead_id = lead->lead.id,
		.reason = booking->reason,
		.ref = booking->ref,
		.round = booking->round,
		.delta = delta,
		.requested = booking->points,
		.message = booking->message,
	};
	lead->lead.score = (uint32_t)score;
	touched->reason = booking->reason;
	return delta;
}

void
step_book_signup_points(struct step *step, struct working_lead *lead)
{
	const uint32_t points = lead->lead.points_due;
	if (points == 0 || (campaign_hides_unverified(&step->campaign->campaign) && !lead_is_verified(&lead->lead)))
		return;
	step_touch(step, lead);
	lead->lead.points_due = 0;
	step_book_points(step, lead, &(struct booking){ .reason = SCORE_SIGNUP, .points = points });
}

void
step_complete_action(struct step *step, struct working_lead *lead, const struct action *action, struct slice message)
{
	if (id_list_has(lead->lead.action_ids, action->id))
		return;
	step_touch(step, lead);
	lead->lead.action_ids = id_list_add(step->pool, lead->lead.action_ids, action->id);
	step_book_points(step, lead,
	    &(struct booking){ .reason = SCORE_ACTION, .ref = action->id, .points = action->points, .message = message });
}

void
step_add_tag(struct step *step, struct working_lead *lead, const struct tag *tag)
{
	const struct definitions *definitions = step->campaign->definitions;
	if (id_list_has(lead->lead.tag_ids, tag->id))
		return;
	step_touch(step, lead);
	lead->lead.tag_ids = id_list_add(step->pool, lead->lead.tag_ids, tag->id);
	step_note(step, EVENT_TAGGED, lead, event_extra_tagged(step->pool, tag, &step->campaign->campaign));
	step_book_points(step, lead, &(struct booking){ .reason = SCORE_TAG, .ref = tag->id, .points = tag->points });
	for (size_t i = 0; i < definitions->action_count; i++)
		if (definitions->actions[i].tag_id == tag->id)
			step_complete_action(step, lead, &definitions->actions[i], SLICE_NONE);
}

void
step_add_rewards(struct step *step, struct working_lead *lead)
{
	const struct definitions *definitions = step->campaign->definitions;
	const struct id_set reached = id_list_set(step->pool, lead->lead.reward_ids);
	for (size_t i = 0; i < definitions->reward_count; i++) {
		const struct reward_level *level = &definitions->rewards[i];
		if (lead->lead.score < level->required_points || id_set_contains(&reached, level->id))
			continue;
		lead->lead.reward_ids = id_list_add(step->pool, lead->lead.reward_ids, level->id);
		step_note(step, EVENT_REWARD_LEVEL, lead, event_extra_reward(step->pool, level));
		if (level->emailed)
			(void)!step_request_mail(step, lead, MESSAGE_REWARD, level->id);
	}
}
