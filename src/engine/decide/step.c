/* SPDX-License-Identifier: MIT */
#include "engine/decide/step.h"

#include "base/panic.h"

void
step_fail(struct step *step, enum failure failure, struct slice detail)
{
	*step->outcome = (struct outcome){ .failure = failure, .detail = detail };
}

struct working_lead *
step_find(const struct step *step, const struct lead_reference *reference)
{
	if (reference->identity != LEAD_BY_ID && !slice_present(reference->value))
		return NULL; /* most sign-ups have no number */
	for (size_t i = 0; i < step->set->lead_count; i++) {
		struct working_lead *candidate = step->set->leads[i];
		if (!candidate->gone && candidate->lead.campaign_id == step->command->campaign_id &&
		    lead_is_named(&candidate->lead, reference))
			return candidate;
	}
	return NULL;
}

struct working_lead *
step_find_value(const struct step *step, enum lead_identity identity, struct slice value)
{
	return step_find(step, &(struct lead_reference){ .identity = identity, .value = value });
}

static uint64_t
take_id(struct id_range *range)
{
	if (range->next >= range->end)
		panic("fewer ids than commands");
	return range->next++;
}

uint64_t
step_take_lead_id(struct step *step)
{
	return take_id(step->id_supply->lead_ids);
}

uint64_t
step_take_call_id(struct step *step)
{
	return take_id(step->id_supply->points_call_ids);
}

struct touched *
step_touch(struct step *step, struct working_lead *lead)
{
	for (size_t i = 0; i < step->touched_count; i++)
		if (step->touched[i].lead == lead)
			return &step->touched[i];
	struct touched *touched = POOL_ADD(step->pool, step->touched, step->touched_count, step->touched_capacity);
	*touched = (struct touched){ .lead = lead, .before = lead->lead };
	if (lead->change == ROW_AS_LOADED)
		lead->change = ROW_CHANGED;
	lead->lead.updated_ms = step->set->now_ms;
	return touched;
}

struct working_lead *
step_add_lead(struct step *step, const struct lead *lead)
{
	struct working_set *set = step->set;
	struct working_lead *added = POOL_NEW(step->pool, struct working_lead);
	*added = (struct working_lead){ .lead = *lead, .change = ROW_CREATED };
	*POOL_ADD(step->pool, set->leads, set->lead_count, set->lead_capacity) = added;
	struct touched *touched = step_touch(step, added);
	touched->created = true;
	touched->before = (struct lead){ .id = lead->id };
	return added;
}

void
step_remove_lead(struct step *step, struct working_lead *lead)
{
	step_touch(step, lead);
	lead->gone = true;
	lead->change = ROW_DELETED;
	for (size_t i = 0; i < step->set->lead_count; i++)
		if (step->set->leads[i]->lead.parent_id == lead->lead.id)
			step->set->leads[i]->lead.parent_social_id = SLICE_NONE;
}

void
step_note(struct step *step, enum event_type type, struct working_lead *lead, struct slice extra)
{
	*POOL_ADD(step->pool, step->occurrences, step->occurrence_count, step->occurrence_capacity) =
	    (struct occurrence){ type, lead, extra };
}
