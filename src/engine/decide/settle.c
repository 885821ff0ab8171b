/* SPDX-License-Identifier: MIT */
#include "engine/decide/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/encode.h"
#include "base/panic.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"
#include "json/writer.h"

/* ---- extra fields of events ---- */

/* Subjects and messages are far smaller. */
enum { EXTRA_MAX_BYTES = 64 * 1024 };

/* JSON under construction. */
struct extra {
	struct buffer out;
	struct json_writer writer;
};

static void
begin(struct extra *extra)
{
	buffer_init(&extra->out, EXTRA_MAX_BYTES);
	json_writer_init(&extra->writer, &extra->out);
	json_begin_object(&extra->writer);
}

static struct slice
end(struct extra *extra, struct pool *pool)
{
	json_end_object(&extra->writer);
	if (!buffer_ok(&extra->out))
		panic("an event's own field is too long");
	struct slice json = pool_copy(pool, buffer_slice(&extra->out));
	buffer_free(&extra->out);
	return json;
}

struct slice
event_extra_score(struct pool *pool, uint32_t previous, uint32_t current, enum score_reason reason)
{
	struct extra extra;
	begin(&extra);
	json_put_i64(&extra.writer, SLICE("previous_contest_score"), previous);
	json_put_i64(&extra.writer, SLICE("current_contest_score"), current);
	json_put_i64(&extra.writer, SLICE("delta"), (int64_t)current - (int64_t)previous);
	json_put_text(&extra.writer, SLICE("reason"), score_reason_name(reason));
	return end(&extra, pool);
}

struct slice
event_extra_referral(struct pool *pool, const struct lead *referred)
{
	struct extra extra;
	begin(&extra);
	json_put_text(&extra.writer, SLICE("social_id"), referred->social_id);
	if (slice_present(referred->email))
		json_put_text(&extra.writer, SLICE("email"), referred->email);
	if (slice_present(referred->phone))
		json_put_text(&extra.writer, SLICE("phone_number"), referred->phone);
	return end(&extra, pool);
}

struct slice
event_extra_tagged(struct pool *pool, const struct tag *tag, const struct campaign *campaign)
{
	struct extra extra;
	char digits[DECIMAL_SIZE];
	begin(&extra);
	if (campaign->compat)
		json_put_text(&extra.writer, SLICE("tag_id"), encode_decimal(tag->id, digits));
	else
		json_put_u64(&extra.writer, SLICE("tag_id"), tag->id);
	json_put_text(&extra.writer, SLICE("name"), tag->name);
	json_put_i64(&extra.writer, SLICE("points"), tag->points);
	return end(&extra, pool);
}

struct slice
event_extra_reward(struct pool *pool, const struct reward_level *level)
{
	struct extra extra;
	begin(&extra);
	json_put_i64(&extra.writer, SLICE("reward_level_id"), (int64_t)level->id);
	json_put_text(&extra.writer, SLICE("subject"), level->subject);
	json_put_i64(&extra.writer, SLICE("required_points"), level->required_points);
	json_put_boolean(&extra.writer, SLICE("emailed"), level->emailed);
	return end(&extra, pool);
}

/* ---- counters ---- */

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
	*POOL_ADD(step->pool, d->score_moves, d->score_move_count, d->score_move_capacity) =
	    (struct score_move){ step->campaign->campaign.id, score, leads };
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
	*POOL_ADD(step->pool, d->ip_moves, d->ip_move_count, d->ip_move_capacity) =
	    (struct ip_count){ step->campaign->campaign.id, ip, leads };
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
	struct hour_change *added = POOL_ADD(step->pool, d->hours, d->hour_count, d->hour_capacity);
	*added = new;
	return added;
}

/* Most changes of leads only change scores, and no count. */
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
		difference.referred_verified = difference.referrers = 0; /* these counts are sums of `lead_hours` */
	add_counters(&campaign->counters, &difference);
	step->campaign->changed = true;
	if (ranked_before && !(ranked_after && before->score == after->score))
		move_score(step, before->score, -1);
	if (ranked_after && !(ranked_before && before->score == after->score))
		move_score(step, after->score, 1);
	if (after->subscription_number > campaign->ip_counted_to)
		return; /* this lead is counted when the count of existing leads reaches it */
	if (was && lead_counts_for_ip(before))
		move_ip(step, before->ip, -1);
	if (is && lead_counts_for_ip(after))
		move_ip(step, after->ip, 1);
}

/* Notes the events that follow from how a command of any kind changed the lead (docs/api.md 4.7). */
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

/* ---- events ---- */

/* The data that all snapshots of one command share. */
struct view {
	struct step *step;
	const struct campaign *campaign, *campaign_before;
	struct snapshot **taken; /* one for each touched lead, made when first needed */
};

static const struct campaign *
copy_campaign(struct pool *pool, const struct campaign *campaign)
{
	struct campaign *copy = POOL_NEW(pool, struct campaign);
	*copy = *campaign;
	return copy;
}

/* The lead as the command left it, or as it was before the command deleted it. */
static struct snapshot *
make_snapshot(const struct view *view, const struct touched *touched, const struct lead *lead)
{
	const struct step *step = view->step;
	bool gone = touched != NULL && touched->lead->gone;
	struct snapshot *snapshot = POOL_NEW(step->pool, struct snapshot);
	snapshot->lead = gone ? touched->before : *lead;
	snapshot->score_moves = gone ? step->score_moves_before : step->decision->score_move_count;
	snapshot->subject = (struct payload_subject){
		.campaign = gone ? view->campaign_before : view->campaign,
		.lead = &snapshot->lead,
		.definitions = step->campaign->definitions,
		.redirect_sent = step->command->kind == COMMAND_SIGNUP && slice_present(step->command->as.signup.redirect_url),
	};
	return snapshot;
}

static struct snapshot *
snapshot_of(struct view *view, const struct working_lead *lead)
{
	const struct step *step = view->step;
	for (size_t i = 0; i < step->touched_count; i++) {
		if (step->touched[i].lead != lead)
			continue;
		if (view->taken[i] == NULL)
			view->taken[i] = make_snapshot(view, &step->touched[i], &lead->lead);
		return view->taken[i];
	}
	return make_snapshot(view, NULL, &lead->lead);
}

/* Returns the next number of the range. Returns 0 when it is used up, which makes the decision invalid. */
static uint64_t
take_number(struct step *step)
{
	struct id_range *range = step->id_supply->history_ids;
	step->decision->history_wanted++;
	if (range->next < range->end)
		return range->next++;
	step->decision->short_of_ids = true;
	return 0;
}

/* The delivery's id comes after the event's, so that a lead's deliveries can be found by its events. A number is still reserved
 * for it, so that no other row gets that id. */
static void
add_delivery(struct step *step, struct made_event *event, const struct webhook *webhook)
{
	struct decision *d = step->decision;
	take_number(step);
	event->deliveries++;
	*POOL_ADD(step->pool, d->deliveries, d->delivery_count, d->delivery_capacity) = (struct made_delivery){
		.id = event->id + event->deliveries,
		.event_id = event->id,
		.webhook_id = webhook->id,
		.form = webhook->form,
	};
}

/* Makes the event and its deliveries, if a webhook is subscribed. */
static void
make_event(struct view *view, const struct occurrence *occurrence)
{
	struct step *step = view->step;
	struct decision *d = step->decision;
	struct made_event *event = NULL;
	for (size_t i = 0; i < step->campaign->webhook_count; i++) {
		const struct webhook *webhook = &step->campaign->webhooks[i];
		if ((webhook->events & EVENT_BIT(occurrence->type)) == 0)
			continue;
		if (event == NULL) {
			event = POOL_ADD(step->pool, d->events, d->event_count, d->event_capacity);
			*event = (struct made_event){
				.id = history_id(step->set->now_ms, take_number(step)),
				.campaign_id = step->command->campaign_id,
				.lead_id = occurrence->lead->lead.id,
				.type = occurrence->type,
				.snapshot = snapshot_of(view, occurrence->lead),
				.extra = occurrence->extra,
			};
		}
		add_delivery(step, event, webhook);
	}
}

/* Sorts by kind, then by lead, then in the order of occurrence, which is the order of the addresses. */
static int
compare(const void *left, const void *right)
{
	const struct occurrence *const *a = left, *const *b = right;
	if ((*a)->type != (*b)->type)
		return (*a)->type < (*b)->type ? -1 : 1;
	if ((*a)->lead->lead.id != (*b)->lead->lead.id)
		return (*a)->lead->lead.id < (*b)->lead->lead.id ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* Makes events and deliveries from the occurrences, in the order of docs/api.md 4.7. Returns the snapshot of `answer`; NULL if
 * that is NULL. */
static struct snapshot *
make_events(struct step *step, struct working_lead *answer)
{
	struct view view = {
		.step = step,
		.campaign = copy_campaign(step->pool, &step->campaign->campaign),
		.campaign_before = copy_campaign(step->pool, &step->campaign_before),
		.taken = POOL_ARRAY(step->pool, step->touched_count, struct snapshot *),
	};
	const struct occurrence **ordered = POOL_ARRAY(step->pool, step->occurrence_count, const struct occurrence *);
	for (size_t i = 0; i < step->occurrence_count; i++)
		ordered[i] = &step->occurrences[i];
	if (step->occurrence_count > 1)
		qsort(ordered, step->occurrence_count, sizeof(*ordered), compare);
	for (size_t i = 0; i < step->occurrence_count; i++)
		make_event(&view, ordered[i]);
	return answer == NULL ? NULL : snapshot_of(&view, answer);
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
	return make_events(step, answer);
}
