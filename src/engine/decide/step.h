/* SPDX-License-Identifier: MIT
 * The state of one command, shared by the files of this folder and private to them.
 *
 * A command calls step_touch before it changes a lead. In the end step_settle compares each touched lead with its state
 * before: counters, histogram and most events follow from the difference, so that the rules need not update them. */
#ifndef LEADHOOK_ENGINE_DECIDE_STEP_H
#define LEADHOOK_ENGINE_DECIDE_STEP_H

#include "engine/decide.h"

struct touched {
	struct working_lead *lead;
	struct lead before; /* of a new lead: no flags, no score */
	bool created;
	enum score_reason reason; /* of the last booking, where the score has changed */
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
	bool silent;          /* makes no events */
	bool books_no_credit; /* referrals count, and earn nothing: the referrers' scores include what they earned elsewhere */
	bool ended;           /* the campaign has ended: no points are booked (docs/api.md 6) */
	struct slice social_id; /* for a new lead */
	struct outcome *outcome;
	struct campaign campaign_before;
	size_t score_moves_before;
	struct touched *touched;
	size_t touched_count, touched_capacity;
	size_t link_rows; /* made or changed, some more than once */
	struct occurrence *occurrences;
	size_t occurrence_count, occurrence_capacity;
};

void step_fail(struct step *step, enum failure failure, struct slice detail);

/* Whether the caller has the right. */
static inline bool
step_has_right(const struct step *step, enum right right)
{
	return (step->command->rights & (rights)right) != 0;
}

/* A lead of the command's campaign; NULL when there is none. */
struct working_lead *step_find(const struct step *step, const struct lead_reference *reference);
struct working_lead *step_find_value(const struct step *step, enum lead_identity identity, struct slice value);

uint64_t step_take_lead_id(struct step *step);
uint64_t step_take_call_id(struct step *step);

/* Must be called before a lead is changed. */
struct touched *step_touch(struct step *step, struct working_lead *lead);
/* Adds the lead as a new row of its campaign. */
struct working_lead *step_add_lead(struct step *step, const struct lead *lead);
/* Removes the lead; the functions above no longer find it. */
void step_remove_lead(struct step *step, struct working_lead *lead);
void step_note(struct step *step, enum event_type type, struct working_lead *lead, struct slice extra);
/* Ends a command that did not fail: counters, histogram, events. Returns the snapshot of `answer`, or NULL without one. */
struct snapshot *step_settle(struct step *step, struct working_lead *answer);

/* decide/events.c: events and deliveries from the occurrences, in the order of docs/api.md 4.7. Returns the snapshot of
 * `answer`, or NULL. */
struct snapshot *step_make_events(struct step *step, struct working_lead *answer);
/* Return the values of the events' extra fields. */
struct slice event_extra_score(struct pool *pool, uint32_t previous, uint32_t current, enum score_reason reason);
struct slice event_extra_referral(struct pool *pool, const struct lead *referred);
struct slice event_extra_tagged(struct pool *pool, const struct tag *tag, bool compat);
struct slice event_extra_reward(struct pool *pool, const struct reward_level *level);

/* Ends the tokens of the lead's page that were given out: they may be another person's (docs/api.md 4.1.11). */
static inline void
step_end_tokens(struct working_lead *lead)
{
	lead->lead.token_epoch++;
}

/* Its address of that channel was replaced, removed, or is not to be verified any more. */
static inline void
step_drop_proof(struct lead *lead, enum lead_channel channel)
{
	*(channel == CHANNEL_EMAIL ? &lead->verified_email : &lead->verified_phone) = false;
	lead->proven &= ~CHANNEL_BIT(channel);
}

/* A call signs up the lead again, also one that changes nothing else. Without its token it may be another person's. */
static inline void
step_share(struct step *step, struct working_lead *lead, bool owned)
{
	if (owned || lead->lead.shared)
		return;
	step_touch(step, lead);
	lead->lead.shared = true;
}

/* decide/messages.c (docs/api.md 4.1.12). Requests a mail, if this installation, the campaign and the lead permit it; else
 * returns false. */
bool step_request_mail(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref);
/* The mail about a referral that counts for the first time, or its place in a digest. */
void step_mail_referral(struct step *step, struct working_lead *referrer, struct referral_link *link);
/* Requests what a lead gets that signed up for the first time, and again without proof that it is the lead. `needs_link`: the
 * answer does not show it, or the link to its page has ended. */
void step_mail_welcome(struct step *step, const struct working_lead *lead);
void step_mail_repetition(struct step *step, const struct working_lead *lead, bool needs_link);
/* Makes the mails due that waited until the lead has confirmed its email address. */
void step_release_mails(struct step *step, const struct working_lead *lead);
/* Whether each sign-up with an email address is followed by a mail with the link to the lead's page. */
bool step_proves_by_mail(const struct step *step);
/* Whether each sign-up with a phone number is followed by a code to that phone. */
bool step_proves_by_text(const struct step *step);
/* Requests that code; the outcome says whether the lead is withheld. */
void step_text_code(struct step *step, const struct signup *signup, const struct working_lead *lead);

/* decide/score.c (docs/api.md 4.6, Score, Reward level, Tag). */
struct booking {
	enum score_reason reason;
	uint64_t ref;
	uint32_t round;
	int64_t points;
	struct slice message;
};
/* Books points, unless they are 0 or the campaign has ended. Returns the actual change of the score. */
int64_t step_book(struct step *step, struct working_lead *lead, const struct booking *booking);
/* Books what is due to the lead for its sign-up, or leaves it until the lead is verified. */
void step_book_signup(struct step *step, struct working_lead *lead);
/* Adds a tag; does nothing when the lead has it. */
void step_tag(struct step *step, struct working_lead *lead, const struct tag *tag);
/* Completes an action; does nothing when the lead has done so. `message`: of the booking, or absent. */
void step_complete(struct step *step, struct working_lead *lead, const struct action *action, struct slice message);
/* Adds the reward levels that its score has reached for the first time. */
void step_reward(struct step *step, struct working_lead *lead);

/* decide/referral.c (docs/api.md 4.6, Chain and Credit). */
void step_refer(struct step *step, struct working_lead *lead, struct working_lead *referrer);
/* The referrer (1), its referrer (2), …; NULL: there is none. */
struct working_lead *step_ancestor(const struct step *step, const struct working_lead *lead, unsigned level);
/* Updates the counts and the credit of the lead's referrers after a change of its state. `reason` is SCORE_REFERRAL (signed up
 * or verified) or SCORE_APPROVE (approved). */
void step_update_referral(struct step *step, struct working_lead *lead, enum score_reason reason);
/* The same where the referral counts: it may not have done so before the campaign's settings changed. */
void step_settle_referral(struct step *step, struct working_lead *lead);
/* The referral does not count any more, and its credit is taken back (SCORE_FRAUD): the lead was flagged, or deletes itself.
 * `past_deleted`: also of the referrers beyond one that was deleted, which ends the chain of other changes. */
void step_take_back_referral(struct step *step, struct working_lead *lead, bool past_deleted);
/* After that, of a lead that deletes itself: what could not be taken back is set off against later credit of its referrers. */
void step_owe_referral(struct step *step, struct working_lead *lead);
/* Updates the counts only: credit already given stays. */
void step_recount_referral(struct step *step, struct working_lead *lead);

/* decide/fraud.c (docs/api.md 4.6, Fraud flags). */
/* Returns the flags of a new lead: a JSON array, or absent. `referrer`: NULL: none. */
struct slice step_fraud_flags(
    struct step *step, const struct signup *signup, const struct lead *lead, const struct working_lead *referrer);
/* Removes the flags that the lead has by what its first sign-up came with, if a visitor signs it up again and would not get
 * them, and updates its referral: another person may have signed it up first. What the call does not say of the visitor removes
 * no flag. The lead is then one of the address of this sign-up, also where the address would otherwise show that no lead is
 * new. */
void step_judge_again(struct step *step, struct working_lead *lead, const struct signup *signup);
/* Replaces the flags that the lead has by its former email address by those of the one that it has now, or of none, and updates
 * its referral as step_block and step_approve do. `is_trusted`: set by a caller that sets addresses, it brings no flag. */
void step_judge_address(struct step *step, struct working_lead *lead, bool is_trusted);
/* Whether that is its only flag: it waits to be verified. */
bool step_is_unproven(const struct working_lead *lead);
/* Removes the flag `unproven` of a lead that is being verified. Without others it is not fraudulent any more; the caller
 * updates its referral. */
void step_clear_unproven(struct step *step, struct working_lead *lead);
void step_block(struct step *step, struct working_lead *lead, struct slice reason);
void step_approve(struct step *step, struct working_lead *lead);

/* The commands. Those with an answer return its lead. On failure they call step_fail. */
struct working_lead *decide_signup(struct step *step);
struct working_lead *decide_tagging(struct step *step);
void decide_import(struct step *step); /* decide/import.c */
void decide_points(struct step *step);
void decide_completion(struct step *step);
struct working_lead *decide_change(struct step *step);

#endif
