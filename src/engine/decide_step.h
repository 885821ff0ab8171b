/* SPDX-License-Identifier: MIT
 * One command on its way: what the files decide_*.c share. Nobody else includes it.
 *
 * A command changes leads through step_touch. When it is done, step_settle compares each touched lead with what it was before:
 * counters, histogram and most events follow from that difference, so that no rule has to keep them. */
#ifndef LEADHOOK_ENGINE_DECIDE_STEP_H
#define LEADHOOK_ENGINE_DECIDE_STEP_H

#include "engine/decide.h"

struct touched {
	struct working_lead *lead;
	struct lead before; /* of a new lead: no flags, no score */
	bool created;
	enum score_reason reason; /* of the last booking, where the score has changed */
};

/* An event that is to be made when the command is done. */
struct occurrence {
	enum event_type type;
	struct working_lead *lead;
	struct slice extra;
};

struct step {
	struct pool *pool;
	struct working_set *set;
	struct id_supply *id_supply;
	struct decision *decision;
	const struct command *command;
	struct working_campaign *campaign;
	bool ended;             /* the campaign: nothing is booked any more (docs/api.md 6) */
	struct slice social_id; /* for a new lead */
	struct outcome *outcome;
	struct campaign campaign_before;
	size_t score_moves_before;
	struct touched *touched;
	size_t touched_count, touched_capacity;
	struct occurrence *occurrences;
	size_t occurrence_count, occurrence_capacity;
};

void step_fail(struct step *step, enum failure failure, struct slice detail);

/* Leads of the command's campaign; NULL when there is none (any more). An absent value is nobody's. */
struct working_lead *step_find_email(const struct step *step, struct slice email_key);
struct working_lead *step_find_phone(const struct step *step, struct slice phone);
struct working_lead *step_find_social_id(const struct step *step, struct slice social_id);
struct working_lead *step_find_id(const struct step *step, uint64_t id);
struct working_lead *step_find(const struct step *step, const struct lead_reference *reference);

uint64_t step_take_lead_id(struct step *step);
uint64_t step_take_call_id(struct step *step);

/* To be called before a lead is changed. */
struct touched *step_touch(struct step *step, struct working_lead *lead);
/* The lead as a new row of its campaign. */
struct working_lead *step_add_lead(struct step *step, const struct lead *lead);
/* Nobody finds it any more. */
void step_remove_lead(struct step *step, struct working_lead *lead);
void step_note(struct step *step, enum event_type type, struct working_lead *lead, struct slice extra);
/* The end of a command that did not fail: counters, histogram, events. Answers its snapshot of `answer` (NULL: of none). */
struct snapshot *step_settle(struct step *step, struct working_lead *answer);

/* decide_events.c: events and deliveries from the occurrences, in the order of docs/api.md 4.7. Answers the snapshot of
 * `answer`, or NULL. */
struct snapshot *step_make_events(struct step *step, struct working_lead *answer);
/* The values of the events' extra fields. */
struct slice event_extra_score(struct pool *pool, uint32_t previous, uint32_t current, enum score_reason reason);
struct slice event_extra_referral(struct pool *pool, const struct lead *referred);
struct slice event_extra_tagged(struct pool *pool, const struct tag *tag);
struct slice event_extra_reward(struct pool *pool, const struct reward_level *level);

/* decide_score.c (docs/api.md 4.6, Score, Reward level, Tag). */
struct booking {
	enum score_reason reason;
	uint64_t ref;
	uint32_t round;
	int64_t points;
	struct slice message;
};
/* Books points, unless they are 0 or the campaign has ended; answers what took effect. */
int64_t step_book(struct step *step, struct working_lead *lead, const struct booking *booking);
/* Does nothing when the lead has the tag. */
void step_tag(struct step *step, struct working_lead *lead, const struct tag *tag);
void step_complete(struct step *step, struct working_lead *lead, const struct action *action);
/* The levels that its score has reached for the first time. */
void step_reward(struct step *step, struct working_lead *lead);

/* decide_referral.c (docs/api.md 4.6, Chain and Credit). */
void step_refer(struct step *step, struct working_lead *lead, const struct working_lead *referrer);
/* What the lead's new state means for those who referred it: which of their counts it is in, and their credit. `reason` says
 * what has happened: SCORE_REFERRAL (signed up or verified), SCORE_FRAUD (flagged), SCORE_APPROVE (approved). */
void step_update_referral(struct step *step, struct working_lead *lead, enum score_reason reason);
/* Their counts alone: credit already given stays. */
void step_recount_referral(struct step *step, struct working_lead *lead);

/* decide_fraud.c (docs/api.md 4.6, Fraud flags). */
/* The flags of a new lead, a JSON array, or absent. */
struct slice step_fraud_flags(struct step *step, const struct lead *lead);
void step_block(struct step *step, struct working_lead *lead, struct slice reason);
void step_approve(struct step *step, struct working_lead *lead);

/* The commands: they answer the lead that is the command's answer, if it has one, and step_fail where they fail. */
struct working_lead *decide_signup(struct step *step);
struct working_lead *decide_tagging(struct step *step);
void decide_points(struct step *step);
void decide_completion(struct step *step);
void decide_change(struct step *step);

#endif
