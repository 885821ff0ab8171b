/* SPDX-License-Identifier: MIT
 * One command in progress, as the rules of this folder see it: finding leads, changing them, noting events.
 *
 * A rule calls step_touch before it changes a lead. In the end step_settle (settle.h) compares each touched lead with its state
 * before: counters, the histogram and most events follow from the difference, so the rules need not update them. */
#pragma once

#include "engine/decide/decision.h"

struct touched {
	struct working_lead *lead;
	struct lead before; /* of a new lead: no flags, no score */
	bool created;
	enum score_reason reason; /* of the last booking, if the score has changed */
};

/* An event to make at the end of the command. */
struct occurrence {
	enum event_type type;
	struct working_lead *lead;
	struct slice extra;
};

struct step {
	struct pool *pool;
	struct working_set *set;
	const struct id_supply *id_supply;
	struct decision *decision;
	const struct command *command;
	struct working_campaign *campaign;
	bool silent;            /* makes no events */
	bool books_no_credit;   /* referrals count but earn nothing: the referrers' scores already include what they earned */
	bool ended;             /* the campaign has ended: no points are booked (docs/api.md 6) */
	struct slice social_id; /* for a new lead */
	struct outcome *outcome;
	struct campaign campaign_before;
	size_t score_moves_before;
	struct touched *touched;
	size_t touched_count, touched_capacity;
	size_t link_rows; /* rows of links that were made or changed, some more than once */
	struct occurrence *occurrences;
	size_t occurrence_count, occurrence_capacity;
};

/* Makes the outcome a failure; `detail` completes its message, or is absent. */
void step_fail(struct step *step, enum failure failure, struct slice detail);

/* Whether the caller has the right. */
static inline bool
step_has_right(const struct step *step, enum right right)
{
	return (step->command->rights & (rights)right) != 0;
}

/* Find a lead of the command's campaign; NULL: there is none. */
struct working_lead *step_find(const struct step *step, const struct lead_reference *reference);
struct working_lead *step_find_value(const struct step *step, enum lead_identity identity, struct slice value);

/* Take ids from the supply. */
uint64_t step_take_lead_id(struct step *step);
uint64_t step_take_call_id(struct step *step);

/* Call before changing the lead. Returns its record, with its state before the command; valid until another lead is touched. */
struct touched *step_touch(struct step *step, struct working_lead *lead);
/* Adds the lead as a new row of its campaign. */
struct working_lead *step_add_lead(struct step *step, const struct lead *lead);
/* Removes the lead; it is no longer found. */
void step_remove_lead(struct step *step, struct working_lead *lead);
/* Notes an event, which is made at the end of the command. `extra` is the JSON of its extra field, or absent. */
void step_note(struct step *step, enum event_type type, struct working_lead *lead, struct slice extra);

/* Ends all tokens of the lead's page: another person may have one (docs/api.md 4.1.11). */
static inline void
step_end_tokens(struct working_lead *lead)
{
	lead->lead.token_epoch++;
}

/* Ends the verification of an address that was replaced or removed, or that an operator no longer counts as verified. */
static inline void
step_drop_proof(struct lead *lead, enum lead_channel channel)
{
	*(channel == CHANNEL_EMAIL ? &lead->verified_email : &lead->verified_phone) = false;
	lead->proven &= ~CHANNEL_BIT(channel);
}

/* A call signs up the lead again without its token, even if it changes nothing else: it may come from another person. */
static inline void
step_share(struct step *step, struct working_lead *lead)
{
	if (lead->lead.shared)
		return;
	step_touch(step, lead);
	lead->lead.shared = true;
}
