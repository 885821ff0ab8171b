/* SPDX-License-Identifier: MIT */
#include "engine/decide/settle.h"

#include <string.h>

#include "engine/decide/made_events.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"

enum { HOUR_MS = 3600 * 1000 };

/* Adds `by` to each count that includes the lead; counts are modulo 2^32. */
static void
count_lead(struct campaign_counters *counters, const struct lead *lead, int by)
{
	const struct {
		uint32_t *counter;
		bool counts;
	} parts[] = {
		{ &counters->leads, true },
		{ &counters->verified, lead_is_verified(lead) },
		{ &counters->waitlisted, lead->waitlisted },
		{ &counters->removed_from_waitlist, lead->removed_from_waitlist },
		{ &counters->fraudulent, lead->fraudulent },
		{ &counters->opted_out, lead->opted_out },
		{ &counters->referred, lead->parent_id != 0 },
		{ &counters->referred_verified, lead->parent_id != 0 && lead_is_verified(lead) },
		{ &counters->referrers, lead->has_referred },
	};
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].counts)
			*parts[i].counter += (uint32_t)by;
}

static void
add_counters(struct campaign_counters *sum, const struct campaign_counters *more)
{
#define ADD(type, column, member) sum->member += more->member;
	CAMPAIGN_COUNTERS(ADD)
#undef ADD
}

static void
move_score(struct step *step, uint32_t score, int leads)
{
	struct decision *d = step->decision;
	if (score == 0) /* no lead ranks below it */
		return;
	d->score_moves =
	    pool_grow(step->pool, d->score_moves, d->score_move_count, &d->score_move_capacity, sizeof(*d->score_moves));
	d->score_moves[d->score_move_count++] = (struct score_move){ step->campaign->campaign.id, score, leads };
}

static void
move_ip(struct step *step, struct slice address, int leads)
{
	struct decision *d = step->decision;
	const struct slice ip = ip_caller_network(step->pool, address);
	for (size_t i = 0; i < d->ip_move_count; i++)
		if (d->ip_moves[i].campaign_id == step->campaign->campaign.id && slice_equal(d->ip_moves[i].ip, ip)) {
			d->ip_moves[i].leads += leads;
			return;
		}
	d->ip_moves = pool_grow(step->pool, d->ip_moves, d->ip_move_count, &d->ip_move_capacity, sizeof(*d->ip_moves));
	d->ip_moves[d->ip_move_count++] = (struct ip_count){ step->campaign->campaign.id, ip, leads };
}

/* The row for the lead's hour and source. */
static struct hour_change *
hour_change(struct step *step, const struct lead *lead)
{
	struct decision *d = step->decision;
	const struct hour_change new = { .campaign_id = lead->campaign_id,
		.hour = (uint32_t)(lead->created_ms / HOUR_MS),
		.source_class = lead->source_class };
	for (size_t i = d->hour_count; i > 0; i--) {
		struct hour_change *known = &d->hours[i - 1];
		if (known->campaign_id == new.campaign_id && known->hour == new.hour && known->source_class == new.source_class)
			return known;
	}
	d->hours = pool_grow(step->pool, d->hours, d->hour_count, &d->hour_capacity, sizeof(*d->hours));
	d->hours[d->hour_count] = new;
	return &d->hours[d->hour_count++];
}

/* Most changes of leads are of scores, and change no count. */
static void
count_in_hour(struct step *step, const struct touched *touched, const struct campaign_counters *difference)
{
	const struct campaign_counters none = { 0 };
	if (!touched->created && !touched->lead->gone && memcmp(difference, &none, sizeof(none)) == 0)
		return;
	struct hour_change *hour = hour_change(step, &touched->lead->lead);
	add_counters(&hour->counters, difference);
	hour->deleted += touched->lead->gone;
}

static void
count_difference(struct step *step, const struct touched *touched)
{
	const struct lead *before = &touched->before, *after = &touched->lead->lead;
	struct campaign *campaign = &step->campaign->campaign;
	struct campaign_counters difference = { 0 };
	const bool was = !touched->created, is = !touched->lead->gone;
	const bool ranked_before = was && !before->fraudulent, ranked_after = is && !after->fraudulent;
	if (was)
		count_lead(&difference, before, -1);
	if (is)
		count_lead(&difference, after, 1);
	if (after->subscription_number >= campaign->hours_counted_from)
		count_in_hour(step, touched, &difference);
	else
		difference.referred_verified = difference.referrers = 0; /* sums of the hours */
	add_counters(&campaign->counters, &difference);
	step->campaign->changed = true;
	if (ranked_before && !(ranked_after && before->score == after->score))
		move_score(step, before->score, -1);
	if (ranked_after && !(ranked_before && before->score == after->score))
		move_score(step, after->score, 1);
	if (after->subscription_number > campaign->ip_counted_to)
		return; /* the count of later leads includes it when it gets there */
	if (was && lead_counts_for_ip(before))
		move_ip(step, before->ip, -1);
	if (is && lead_counts_for_ip(after))
		move_ip(step, after->ip, 1);
}

/* Notes the events that follow from the difference of states, for all commands (docs/api.md 4.7). */
static void
note_difference(struct step *step, const struct touched *touched)
{
	const struct lead *before = &touched->before, *after = &touched->lead->lead;
	if (after->fraudulent && !before->fraudulent)
		step_note(step, EVENT_MARKED_AS_FRAUDULENT, touched->lead, after->fraud_flags);
	if (after->opted_out && !before->opted_out)
		step_note(step, EVENT_OPTED_OUT, touched->lead, SLICE_NONE);
	if (after->sms_opted_out && !before->sms_opted_out)
		step_note(step, EVENT_PHONE_NUMBER_OPT_OUT, touched->lead, SLICE_NONE);
	if (!touched->created && slice_present(after->email_key) && !slice_equal(after->email_key, before->email_key))
		(void)!step_request_mail(step, touched->lead, MESSAGE_VERIFY, 0);
	if (!touched->created && after->verified_email && !before->verified_email)
		step_release_mails(step, touched->lead);
	if (lead_is_verified(after) && !lead_is_verified(before))
		step_note(step, EVENT_VERIFIED, touched->lead, SLICE_NONE);
	if (after->score != before->score)
		step_note(step, EVENT_SCORE_CHANGE, touched->lead,
		    event_extra_score(step->pool, before->score, after->score, touched->reason));
	if (after->score != before->score || touched->created)
		step_add_rewards(step, touched->lead);
}

struct snapshot *
step_settle(struct step *step, struct working_lead *answer)
{
	for (size_t i = 0; i < step->touched_count; i++) {
		count_difference(step, &step->touched[i]);
		if (step->touched[i].lead->gone)
			step_note(step, EVENT_DELETED, step->touched[i].lead, SLICE_NONE);
		else
			note_difference(step, &step->touched[i]);
	}
	step->decision->changes = step->decision->changes || step->touched_count > 0;
	if (step->silent)
		step->occurrence_count = 0;
	return step_make_events(step, answer);
}
