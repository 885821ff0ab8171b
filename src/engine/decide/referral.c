/* SPDX-License-Identifier: MIT */
#include "engine/decide/referral.h"

#include "base/panic.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"
#include "engine/decide/settle.h"
#include "engine/visitors.h"

/* Returns the lead's link to its ancestor at a level, or NULL if there is none. *ancestor is NULL if it was deleted. */
static struct working_link *
find_any_link(const struct step *step, uint64_t lead_id, unsigned level, struct working_lead **ancestor)
{
	for (size_t i = 0; i < step->set->link_count; i++) {
		struct working_link *link = step->set->links[i];
		if (link->link.lead_id != lead_id || link->link.level != level)
			continue;
		*ancestor = step_find(step, &(struct lead_reference){ .identity = LEAD_BY_ID, .id = link->link.ancestor_id });
		return link;
	}
	return NULL;
}

/* Likewise, but also NULL if the ancestor was deleted, because that ends the chain. */
static struct working_link *
find_link(const struct step *step, uint64_t lead_id, unsigned level, struct working_lead **ancestor)
{
	struct working_link *link = find_any_link(step, lead_id, level, ancestor);
	return link == NULL || *ancestor == NULL ? NULL : link;
}

struct working_lead *
step_find_ancestor(const struct step *step, const struct working_lead *lead, unsigned level)
{
	struct working_lead *ancestor;
	return find_link(step, lead->lead.id, level, &ancestor) == NULL ? NULL : ancestor;
}

static void
mark_changed(struct step *step, struct working_link *link)
{
	step->link_rows++;
	if (link->change == ROW_AS_LOADED)
		link->change = ROW_CHANGED;
}

static void
add_link(struct step *step, uint64_t lead_id, unsigned level, uint64_t ancestor_id)
{
	struct working_set *set = step->set;
	struct working_link *link = POOL_NEW(step->pool, struct working_link);
	*link = (struct working_link){
		.link = { .lead_id = lead_id, .level = level, .ancestor_id = ancestor_id },
		.change = ROW_CREATED,
	};
	*POOL_ADD(step->pool, set->links, set->link_count, set->link_capacity) = link;
	step->link_rows++;
}

void
step_add_referral(struct step *step, struct working_lead *lead, struct working_lead *referrer)
{
	struct working_lead *ancestor;
	if (!referrer->lead.has_referred) {
		step_touch(step, referrer);
		referrer->lead.has_referred = true;
	}
	add_link(step, lead->lead.id, 1, referrer->lead.id);
	for (unsigned level = 1; level < REFERRAL_LEVELS; level++) {
		const struct working_link *above = find_link(step, referrer->lead.id, level, &ancestor);
		if (above == NULL)
			return;
		add_link(step, lead->lead.id, level + 1, above->link.ancestor_id);
	}
}

static uint32_t *
counter_of(struct lead *ancestor, const struct referral_link *link)
{
	if (link->counted == REFERRAL_VERIFIED)
		return link->level == 1 ? &ancestor->verified_direct : &ancestor->verified_indirect;
	return link->level == 1 ? &ancestor->unverified_direct : &ancestor->unverified_indirect;
}

static enum referral_counted
counted_as(const struct lead *lead)
{
	if (lead->fraudulent)
		return REFERRAL_NOT_COUNTED;
	return lead_is_verified(lead) ? REFERRAL_VERIFIED : REFERRAL_UNVERIFIED;
}

/* Updates unverified_leads and verified_leads (docs/api.md 4.5). */
static void
recount(struct step *step, struct working_link *link, struct working_lead *ancestor, enum referral_counted counted)
{
	if (counted == link->link.counted)
		return;
	step_touch(step, ancestor);
	mark_changed(step, link);
	if (link->link.counted != REFERRAL_NOT_COUNTED)
		--*counter_of(&ancestor->lead, &link->link);
	link->link.counted = counted;
	if (counted != REFERRAL_NOT_COUNTED)
		++*counter_of(&ancestor->lead, &link->link);
}

/* Changes whether the referral counts, and so also the `referrals` of the direct referrer. */
static void
toggle_counts(struct step *step, struct working_link *link, struct working_lead *ancestor)
{
	mark_changed(step, link);
	link->link.counts = !link->link.counts;
	if (link->link.level != 1)
		return;
	step_touch(step, ancestor);
	if (link->link.counts)
		ancestor->lead.referrals++;
	else
		ancestor->lead.referrals--;
}

/* Returns what is left of the credit after what the ancestor owes. The link records the rest, because its lead can delete
 * itself too. */
static int64_t
set_off(struct step *step, struct working_link *link, struct working_lead *ancestor, int64_t points)
{
	const int64_t owed = ancestor->lead.points_owed, part = owed < points ? owed : points;
	if (part <= 0)
		return points;
	step_touch(step, ancestor);
	ancestor->lead.points_owed -= (uint32_t)part;
	link->link.set_off += (uint32_t)part;
	return points - part;
}

static void
book_credit(struct step *step, struct working_link *link, struct working_lead *ancestor, const struct lead *lead,
    enum score_reason reason, int64_t points)
{
	const int64_t delta = step_book_points(step, ancestor,
	    &(struct booking){ .reason = reason,
		.ref = lead->id,
		.round = lead->times_flagged,
		.points = set_off(step, link, ancestor, points) });
	if (points != 0)
		mark_changed(step, link);
	link->link.credit = (uint32_t)((int64_t)link->link.credit + delta);
	if (points > delta) /* the rest was set off, or is lost, because the referrer's score is at its maximum */
		link->link.earned -= (uint32_t)(points - delta);
}

/* Records what the referral earns: nothing after the end of the campaign, or if the referrers already have the credit. */
static uint32_t
earn_credit(struct step *step, struct working_link *link, uint32_t points)
{
	uint32_t earned = step->ended || step->books_no_credit ? 0 : points;
	mark_changed(step, link);
	link->link.earned += earned;
	return earned;
}

/* The first time that the referral counts: its credit is earned, and the event is made. */
static void
settle_first(struct step *step, struct working_link *link, struct working_lead *ancestor, const struct lead *lead)
{
	const struct campaign *campaign = &step->campaign->campaign;
	bool direct = link->link.level == 1;
	if (!link->link.counts || link->link.settled)
		return;
	link->link.settled = true;
	earn_credit(step, link, direct ? campaign->points_direct : campaign->points_indirect);
	if (direct) {
		step_note(step, EVENT_REFERRAL, ancestor, event_extra_referral(step->pool, lead));
		step_mail_referral(step, ancestor, &link->link);
	}
}

/* The first time that the lead is verified: extra points for the direct referrer. Returns them. */
static uint32_t
settle_verified(struct step *step, struct working_link *link, const struct lead *lead)
{
	if (!link->link.counts || link->link.level != 1 || !lead_is_verified(lead) || link->link.verified_settled)
		return 0;
	link->link.verified_settled = true;
	return earn_credit(step, link, step->campaign->campaign.points_verified);
}

/* Books the part of the earned credit that was taken back or not given yet. */
static void
give_credit(struct step *step, struct working_link *link, struct working_lead *ancestor, const struct lead *lead,
    enum score_reason reason)
{
	settle_first(step, link, ancestor, lead);
	uint32_t extra = settle_verified(step, link, lead), owed = link->link.earned - link->link.credit;
	if (!link->link.counts || owed == 0)
		return;
	mark_changed(step, link);
	if (step->ended) {
		link->link.earned = link->link.credit;
	} else if (reason == SCORE_APPROVE) {
		book_credit(step, link, ancestor, lead, reason, owed);
	} else {
		book_credit(step, link, ancestor, lead, reason, owed - extra);
		book_credit(step, link, ancestor, lead, SCORE_VERIFIED, extra);
	}
}

static bool
referral_counts(const struct step *step, const struct lead *lead)
{
	return !lead->fraudulent && (lead_is_verified(lead) || !campaign_counts_verified(&step->campaign->campaign));
}

void
step_catch_up_referral(struct step *step, struct working_lead *lead)
{
	if (referral_counts(step, &lead->lead))
		step_update_referral(step, lead, SCORE_REFERRAL);
}

void
step_update_referral(struct step *step, struct working_lead *lead, enum score_reason reason)
{
	require(reason == SCORE_REFERRAL || reason == SCORE_APPROVE);
	const struct lead *l = &lead->lead;
	const bool counts = referral_counts(step, l);
	struct working_lead *ancestor;
	struct working_link *link;
	for (unsigned level = 1; (link = find_link(step, l->id, level, &ancestor)) != NULL; level++) {
		recount(step, link, ancestor, counted_as(l));
		if (counts != link->link.counts)
			toggle_counts(step, link, ancestor);
		give_credit(step, link, ancestor, l, reason);
	}
}

void
step_take_back_referral(struct step *step, struct working_lead *lead, enum referral_reach reach)
{
	struct working_lead *ancestor;
	struct working_link *link;
	lead->lead.times_flagged++;
	for (unsigned level = 1; (link = find_any_link(step, lead->lead.id, level, &ancestor)) != NULL; level++) {
		if (ancestor == NULL && reach == UP_TO_DELETED)
			return;
		if (ancestor == NULL)
			continue;
		recount(step, link, ancestor, REFERRAL_NOT_COUNTED);
		if (link->link.counts)
			toggle_counts(step, link, ancestor);
		book_credit(step, link, ancestor, &lead->lead, SCORE_FRAUD, -(int64_t)link->link.credit);
	}
}

void
step_owe_referral(struct step *step, struct working_lead *lead)
{
	struct working_lead *ancestor;
	struct working_link *link;
	for (unsigned level = 1; (link = find_any_link(step, lead->lead.id, level, &ancestor)) != NULL; level++) {
		const uint64_t spent = (uint64_t)link->link.credit + link->link.set_off;
		if (ancestor == NULL || spent == 0 || step->ended)
			continue;
		const uint64_t owed = ancestor->lead.points_owed + spent;
		step_touch(step, ancestor);
		ancestor->lead.points_owed = owed > UINT32_MAX ? UINT32_MAX : (uint32_t)owed;
	}
}

void
step_recount_referral(struct step *step, struct working_lead *lead)
{
	struct working_lead *ancestor;
	struct working_link *link;
	for (unsigned level = 1; (link = find_link(step, lead->lead.id, level, &ancestor)) != NULL; level++)
		recount(step, link, ancestor, counted_as(&lead->lead));
}
