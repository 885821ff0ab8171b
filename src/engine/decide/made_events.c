/* SPDX-License-Identifier: MIT */
#include "engine/decide/made_events.h"

#include <stdlib.h>

#include "base/encode.h"
#include "base/panic.h"
#include "json/writer.h"

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

/* The delivery's id follows the event's, so that a lead's deliveries can be found by its events. Its number is reserved all
 * the same, so that no other row gets it. */
static void
add_delivery(struct step *step, struct made_event *event, const struct webhook *webhook)
{
	struct decision *d = step->decision;
	take_number(step);
	event->deliveries++;
	d->deliveries = pool_grow(step->pool, d->deliveries, d->delivery_count, &d->delivery_capacity, sizeof(*d->deliveries));
	d->deliveries[d->delivery_count++] = (struct made_delivery){
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
			d->events = pool_grow(step->pool, d->events, d->event_count, &d->event_capacity, sizeof(*d->events));
			event = &d->events[d->event_count++];
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

/* Sorts by kind, then by lead, then in the order of occurrence, which is that of the addresses. */
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

struct snapshot *
step_make_events(struct step *step, struct working_lead *answer)
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
