/* SPDX-License-Identifier: MIT
 * Runs the commands of a batch in order, then computes the ranks and renders the payloads. */
#include "engine/decide/decide.h"

#include <string.h>

#include "base/panic.h"
#include "engine/decide/decide_change.h"
#include "engine/decide/decide_import.h"
#include "engine/decide/decide_signup.h"
#include "engine/decide/settle.h"

static struct working_campaign *
find_campaign(struct working_set *set, uint64_t id)
{
	for (size_t i = 0; i < set->campaign_count; i++)
		if (set->campaigns[i].campaign.id == id)
			return &set->campaigns[i];
	return NULL;
}

/* Advances the command's job past the item. Returns false when the job is at another item or does not exist. */
static bool
advance_job(struct step *step)
{
	const struct lead_change *change = &step->command->as.change;
	for (size_t i = 0; i < step->set->job_count; i++) {
		struct working_job *job = &step->set->jobs[i];
		if (job->id != change->job_id || job->position != change->job_position)
			continue;
		job->position++;
		job->changed = true;
		step->decision->changes = true;
		return true;
	}
	return false;
}

static bool
is_queued(const struct command *command)
{
	return command->kind == COMMAND_CHANGE && command->as.change.job_id != 0;
}

/* Why the command cannot be carried out; FAILURE_NONE: it can. */
static enum failure
refusal(const struct step *step)
{
	const struct campaign *campaign = step->campaign == NULL ? NULL : &step->campaign->campaign;
	enum failure refused = campaign_refuses(campaign, step->command->account_id);
	const struct command *command = step->command;
	const bool erases = command->kind == COMMAND_CHANGE && command->as.change.action == LEAD_DELETE &&
			    slice_equal(command->as.change.argument, LEAD_DELETE_ERASED);
	/* items queued before the account was suspended are completed, and people are erased */
	if (refused == FAILURE_ACCOUNT_SUSPENDED && (is_queued(command) || erases))
		refused = FAILURE_NONE;
	/* docs/api.md 6: changes continue, without points */
	const bool edits = command->kind == COMMAND_SIGNUP && command->as.signup.edits;
	if (refused == FAILURE_NONE && step->ended && command->kind != COMMAND_CHANGE && !edits)
		refused = FAILURE_CAMPAIGN_ENDED;
	return refused;
}

static struct working_lead *
run_command(struct step *step)
{
	switch (step->command->kind) {
	case COMMAND_SIGNUP:
		return decide_signup(step);
	case COMMAND_TAGGING:
		return decide_tagging(step);
	case COMMAND_POINTS:
		decide_points(step);
		return NULL;
	case COMMAND_COMPLETION:
		decide_completion(step);
		return NULL;
	case COMMAND_CHANGE:
		return decide_change(step);
	case COMMAND_IMPORT:
		decide_import(step);
		return NULL;
	}
	return NULL;
}

/* Carries out the command. Returns a snapshot of the lead that is its answer, or NULL. */
static struct snapshot *
decide_one(struct step *step)
{
	*step->outcome = (struct outcome){ 0 };
	if (is_queued(step->command) && !advance_job(step)) {
		step_fail(step, FAILURE_NOT_FOUND, SLICE_NONE);
		return NULL;
	}
	step->ended = step->campaign != NULL && campaign_has_ended(&step->campaign->campaign, step->set->now_ms);
	enum failure refused = refusal(step);
	if (refused != FAILURE_NONE) {
		step_fail(step, refused, SLICE_NONE);
		return NULL;
	}
	step->campaign_before = step->campaign->campaign;
	step->score_moves_before = step->decision->score_move_count;
	struct working_lead *answer = run_command(step);
	return step->outcome->failure == FAILURE_NONE ? step_settle(step, answer) : NULL;
}

/* Approximate sizes of rows of leads, payloads of events and all other rows, without the texts of a lead. */
enum { LEAD_BYTES = 256, PAYLOAD_BYTES = 1024, ROW_BYTES = 64 };

/* The work that the step has added to the decision since `before`. */
static struct work
measure_work(const struct step *step, const struct decision *before)
{
	const struct decision *d = step->decision;
	const size_t deliveries = d->delivery_count - before->delivery_count, entries = d->entry_count - before->entry_count;
	const size_t events = d->event_count - before->event_count;
	const size_t messages = d->message_count - before->message_count + d->confirmation_count - before->confirmation_count;
	const size_t proofs = d->proof_count - before->proof_count;
	size_t bytes = (deliveries + entries + proofs + messages + step->link_rows) * ROW_BYTES;
	if (step->outcome->failure != FAILURE_NONE)
		return (struct work){ 0 };
	for (size_t i = 0; i < step->touched_count; i++)
		bytes += LEAD_BYTES + lead_text_bytes(&step->touched[i].lead->lead);
	for (size_t i = before->event_count; i < d->event_count; i++)
		bytes += PAYLOAD_BYTES + lead_text_bytes(&d->events[i].snapshot->lead) + d->events[i].extra.size;
	return (
	    struct work){ (uint32_t)(step->touched_count + step->link_rows + entries + events + deliveries + messages + proofs),
		bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX };
}

static void
add_work(struct work *sum, struct work work)
{
	sum->rows += work.rows;
	sum->bytes = sum->bytes + work.bytes < sum->bytes ? UINT32_MAX : sum->bytes + work.bytes;
}

void
decide(struct pool *pool, const struct batch_commands *commands, struct working_set *set, const struct id_supply *id_supply,
    struct decision *decision)
{
	const size_t count = commands->count;
	*decision = (struct decision){ .answers = POOL_ARRAY(pool, count, struct snapshot *), .answer_count = count };
	for (size_t i = 0; i < count; i++) {
		struct outcome *outcome = &commands->outcomes[i];
		struct step step = {
			.pool = pool,
			.set = set,
			.id_supply = id_supply,
			.decision = decision,
			.command = commands->items[i],
			.campaign = find_campaign(set, commands->items[i]->campaign_id),
			.social_id = id_supply->social_ids[i],
			.outcome = outcome,
		};
		const struct decision before = *decision;
		decision->answers[i] = decide_one(&step);
		if (decision->answers[i] != NULL)
			outcome->lead_id = decision->answers[i]->lead.id;
		outcome->work = measure_work(&step, &before);
		add_work(&decision->work, outcome->work);
	}
}

/* Leaves out nodes that are among the last ones added. Most leads of a batch share their campaign and score with others, and an
 * answer and its events are about the same lead; sorting all nodes would take longer than these comparisons. */
static size_t
add_rank_nodes(const struct lead *lead, uint64_t *nodes, size_t count)
{
	enum { COMPARED = 16 };
	uint64_t own[RANK_LEVELS];
	const size_t leads = count / RANK_LEVELS, added = rank_nodes(lead->campaign_id, lead->score, own);
	for (size_t i = 0; i < leads && i < COMPARED; i++)
		if (nodes[count - i * RANK_LEVELS - 1] == own[RANK_LEVELS - 1]) /* the last level implies the others */
			return count;
	memcpy(nodes + count, own, sizeof(own));
	return count + added;
}

size_t
decide_rank_nodes(struct pool *pool, const struct decision *decision, uint64_t **nodes)
{
	size_t count = 0;
	*nodes = POOL_ARRAY(pool, (decision->answer_count + decision->event_count) * RANK_LEVELS, uint64_t);
	for (size_t i = 0; i < decision->answer_count; i++) {
		const struct snapshot *answer = decision->answers[i];
		if (answer != NULL)
			count = add_rank_nodes(&answer->lead, *nodes, count);
	}
	for (size_t i = 0; i < decision->event_count; i++)
		count = add_rank_nodes(&decision->events[i].snapshot->lead, *nodes, count);
	return count;
}

static bool
is_change(const struct rank_node *node)
{
	for (size_t bucket = 0; bucket < RANK_BUCKETS; bucket++)
		if (node->leads[bucket] != 0)
			return true;
	return false;
}

void
decide_rank_changes(struct pool *pool, struct decision *decision)
{
	struct rank_node *nodes = POOL_ARRAY(pool, decision->score_move_count * RANK_LEVELS, struct rank_node);
	size_t count = 0, merged = 0;
	for (size_t i = 0; i < decision->score_move_count; i++) {
		const struct score_move *move = &decision->score_moves[i];
		struct rank_place places[RANK_LEVELS];
		rank_places(move->campaign_id, move->score, places);
		for (size_t k = 0; k < RANK_LEVELS; k++) {
			nodes[count].node = places[k].node;
			nodes[count++].leads[places[k].bucket] = move->leads;
		}
	}
	rank_sort(nodes, count);
	for (size_t i = 0; i < count; i++) {
		if (merged == 0 || nodes[merged - 1].node != nodes[i].node)
			nodes[merged++] = nodes[i];
		else
			for (size_t bucket = 0; bucket < RANK_BUCKETS; bucket++)
				nodes[merged - 1].leads[bucket] += nodes[i].leads[bucket];
	}
	for (size_t i = 0; i < merged; i++)
		if (is_change(&nodes[i]))
			nodes[decision->rank_change_count++] = nodes[i];
	decision->rank_changes = nodes;
}

/* The rank at the time of the snapshot: from the histogram before the batch, and the moves of the batch until then. */
static void
set_rank(const struct decision *decision, const struct rank_node *nodes, size_t node_count, struct snapshot *snapshot)
{
	const struct lead *lead = &snapshot->lead;
	int64_t above = (int64_t)rank_leads_above(nodes, node_count, lead->campaign_id, lead->score);
	for (size_t i = 0; i < snapshot->score_moves; i++) {
		const struct score_move *move = &decision->score_moves[i];
		if (move->campaign_id == lead->campaign_id && move->score > lead->score)
			above += move->leads;
	}
	snapshot->subject.score_rank = (uint64_t)above + 1;
}

static struct slice
rendered(struct pool *pool, const struct buffer *out)
{
	if (!buffer_ok(out))
		panic("a payload beyond PAYLOAD_MAX_BYTES"); /* the limits on settings exclude this */
	return pool_copy(pool, buffer_slice(out));
}

struct renderer {
	struct pool *pool;
	const struct payload_settings *settings;
	const struct rank_node *nodes;
	size_t node_count;
	const struct decision *decision;
	struct buffer out; /* shared by all; results are copied to the pool */
};

static struct slice
render_view(struct renderer *r, struct snapshot *snapshot, struct payload_view view)
{
	if (snapshot->subject.score_rank == 0)
		set_rank(r->decision, r->nodes, r->node_count, snapshot);
	buffer_clear(&r->out);
	payload_write(&r->out, r->settings, &snapshot->subject, view);
	return rendered(r->pool, &r->out);
}

/* Rendered once for all events of a command, and for its answer if that has the same view. */
static struct slice
webhook_payload(struct renderer *r, struct snapshot *snapshot)
{
	if (!slice_present(snapshot->payload))
		snapshot->payload = render_view(r, snapshot, payload_webhook_view(snapshot->subject.campaign));
	return snapshot->payload;
}

static struct slice
render_answer(struct renderer *r, struct snapshot *snapshot, const struct command *command, enum lead_showing showing)
{
	struct payload_view view = command->view;
	if (showing == WITHHELD) {
		buffer_clear(&r->out);
		payload_write_withheld(&r->out, r->pool, r->settings, snapshot->subject.campaign, &command->as.signup, view);
		return rendered(r->pool, &r->out);
	}
	view.own = view.own || showing == SHOWN_TO_OWNER;
	const struct payload_view events = payload_webhook_view(snapshot->subject.campaign);
	const bool same = view.full == events.full && view.skip_urls == events.skip_urls &&
			  view.skip_actions == events.skip_actions && view.url == events.url;
	return same ? webhook_payload(r, snapshot) : render_view(r, snapshot, view);
}

void
decide_render(struct pool *pool, const struct batch_commands *commands, const struct payload_settings *settings,
    const struct rank_node *nodes, size_t node_count, struct decision *decision)
{
	struct renderer r = { pool, settings, nodes, node_count, decision, { 0 } };
	buffer_init(&r.out, PAYLOAD_MAX_BYTES);
	for (size_t i = 0; i < commands->count; i++) {
		struct outcome *outcome = &commands->outcomes[i];
		if (decision->answers[i] != NULL)
			outcome->body = render_answer(&r, decision->answers[i], commands->items[i], outcome->showing);
	}
	for (size_t i = 0; i < decision->event_count; i++) {
		struct made_event *event = &decision->events[i];
		struct slice payload = webhook_payload(&r, event->snapshot);
		buffer_clear(&r.out);
		payload_write_event(&r.out, payload, event->type, event->extra);
		event->payload = rendered(pool, &r.out);
	}
	buffer_free(&r.out);
}
