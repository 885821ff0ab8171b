/* SPDX-License-Identifier: MIT
 * Load, decide, write: a batch of commands as one transaction with a fixed number of statements, no matter how many commands
 * there are and how large the campaign is. This file takes ids, repeats the batch after conflicts, divides a batch that is too
 * much work, and reports the outcomes; batch_load.c and batch_write.c read and write the rows. */
#include "store/batch.h"

#include <string.h>

#include "engine/decide/decide.h"
#include "identity/social_id.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "store/batch_load.h"
#include "store/batch_write.h"
#include "store/bulk.h"
#include "store/campaign_cache.h"
#include "store/commit_marks.h"
#include "store/query.h"
#include "store/rank_cache.h"
#include "store/state.h"
#include "store/transaction.h"

/* Reserved at first. Most commands make fewer events for fewer webhooks; batches that need more are decided again. */
enum { EVENTS_EXPECTED = 4, DELIVERIES_EXPECTED = 20, HISTORY_EXPECTED = EVENTS_EXPECTED * (1 + DELIVERIES_EXPECTED) };
/* Likewise for messages; store_insert_messages takes more itself. */
enum { MESSAGES_EXPECTED = 2 };

/* Commands of a call that are run as one batch: all or some of them. */
struct part {
	struct store *store;
	struct pool *pool; /* holds the outcomes */
	struct execution *call;
	const struct command *const *commands;
	size_t count;
	struct outcome *outcomes;
	bool *locked;       /* as in struct execution */
	int64_t give_up_ms; /* conflicts after this time are final; no later than the deadline of the call */
};

static struct part
part_from(const struct part *whole, size_t first, size_t count)
{
	struct part part = *whole;
	part.commands += first;
	part.count = count;
	part.outcomes += first;
	part.locked = whole->locked == NULL ? NULL : whole->locked + first;
	return part;
}

/* What a batch has made, for metrics. */
struct made {
	uint64_t leads, events[EVENT_TYPES];
};

struct batch {
	const struct part *part;
	bool unknown;            /* a run may have been committed; its outcomes are kept, and are valid if it was */
	struct commit_mark mark; /* what shows that this run was committed */
	struct made made;        /* what this run made */
	bool done_before;        /* this run has found the mark */
	uint64_t history;        /* number of ids for events and deliveries */
	int64_t give_up_ms;      /* as in struct part */
	unsigned taken;          /* number of runs that found a key taken */
	bool short_of_ids;       /* the last run needed more ids for events and deliveries */
	bool too_large;          /* the last run was too much work for one transaction */
};

/* The data of one run of a batch; in the run's pool. */
struct run {
	struct pool *pool;
	struct working_set set;
	struct decision decision;
	struct outcome *outcomes;
	bool made_messages;
};

/* Ids are taken from blocks, before the transaction. */
static enum result
reserve(const struct batch *batch)
{
	const struct {
		enum id_kind kind;
		uint64_t count;
	} wanted[] = {
		{ ID_LEAD, batch->part->count },
		{ ID_POINTS_CALL, batch->part->count },
		{ ID_HISTORY, batch->history },
		{ ID_MESSAGE, MESSAGES_EXPECTED * batch->part->count },
	};
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && result == RESULT_OK; i++)
		result = store_reserve_ids(batch->part->store, wanted[i].kind, wanted[i].count);
	return result;
}

/* Ids that a run has used are never given out again, whether or not it is committed: a second run must not encounter the ids of
 * the first. */
static struct id_supply
id_supply(const struct batch *batch, struct pool *pool)
{
	struct store *store = batch->part->store;
	struct slice *social_ids = POOL_ARRAY(pool, batch->part->count, struct slice);
	uint64_t *seeds = POOL_ARRAY(pool, batch->part->count, uint64_t);
	random_bytes(seeds, batch->part->count * sizeof(*seeds));
	for (size_t i = 0; i < batch->part->count; i++)
		social_ids[i] = social_id_make(pool, seeds[i]);
	return (struct id_supply){
		.lead_ids = &store->ids[ID_LEAD],
		.points_call_ids = &store->ids[ID_POINTS_CALL],
		.history_ids = &store->ids[ID_HISTORY],
		.social_ids = social_ids,
		.custom_fields = store->options.custom_fields,
		.disposable_domains = store->options.disposable_domains,
		.sends_mail = store->options.sends_mail,
		.sends_texts = store->options.sends_texts,
	};
}

static enum result
render(const struct batch *batch, struct run *run)
{
	uint64_t *numbers;
	size_t count = decide_rank_nodes(run->pool, &run->decision, &numbers);
	const struct db_list list = store_id_list(run->pool, numbers, count);
	struct rank_node *nodes;
	enum result result = store_locked_nodes(batch->part->store, run->pool, list, &nodes);
	if (result == RESULT_OK)
		decide_render(run->pool, &(struct batch_commands){ batch->part->commands, run->outcomes, batch->part->count },
		    &batch->part->store->payload, nodes, list.count, &run->decision);
	return result;
}

/* An event's id is used once, so its row shows that the run was committed. Without an event, a token does. */
static enum result
leave_mark(const struct batch *batch, const struct run *run)
{
	if (run->decision.event_count > 0 || !run->decision.changes)
		return RESULT_OK;
	return store_insert_token(batch->part->store, &batch->mark.token, NULL);
}

/* Whether the batch can be split into several transactions: not if it may already have been committed as one. */
static bool
is_divisible(const struct batch *batch)
{
	const size_t leads = command_lead_count(batch->part->commands[0]);
	return !batch->unknown && (batch->part->count > 1 || (leads > 1 && leads <= BULK_LEADS_MAX));
}

static bool
is_too_large(const struct batch *batch, struct work work)
{
	return (work.rows > STORE_BATCH_ROWS_MAX || work.bytes > STORE_BATCH_BYTES_MAX) && is_divisible(batch);
}

/* Everything between BEGIN and COMMIT. */
static enum result
load_decide_write(struct batch *batch, struct run *run)
{
	struct store *store = batch->part->store;
	enum result result =
	    store_load(store, run->pool, batch->part->commands, batch->part->count, batch->part->locked, &run->set);
	/* the campaigns' locks are held, so the earlier run has ended */
	if (result == RESULT_OK && batch->unknown)
		result = store_find_mark(store, run->pool, &batch->mark, &batch->done_before);
	if (result == RESULT_OK && batch->done_before)
		return store_insert_fence(store);
	if (result != RESULT_OK)
		return result;
	const struct id_supply supply = id_supply(batch, run->pool);
	decide(run->pool, &(struct batch_commands){ batch->part->commands, run->outcomes, batch->part->count }, &run->set,
	    &supply, &run->decision);
	if (is_too_large(batch, run->decision.work)) {
		batch->too_large = true;
		return RESULT_CONFLICT;
	}
	if (run->decision.short_of_ids) {
		batch->short_of_ids = true;
		batch->history = run->decision.history_wanted;
		return RESULT_CONFLICT;
	}
	if (batch->part->commands[0]->trial) {
		run->decision.changes = false;
		return RESULT_OK;
	}
	decide_rank_changes(run->pool, &run->decision);
	result = render(batch, run);
	if (result == RESULT_OK)
		result = store_write(store, run->pool, &run->set, &run->decision, &run->made_messages);
	return result == RESULT_OK ? leave_mark(batch, run) : result;
}

/* For a run in which every command was refused, after a run that may have been committed. On a node of a cluster, the locks do
 * not show that the earlier run has ended. Both runs write this row, so only one of them can be committed. */
static enum result
touch_campaigns(const struct batch *batch, const struct run *run)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < run->set.campaign_count && result == RESULT_OK; i++)
		result = store_lock_settings(batch->part->store, run->set.campaigns[i].campaign.id, NULL);
	return result;
}

/* One attempt at the batch; fills run->outcomes. */
static enum result
try_batch(struct batch *batch, struct run *run)
{
	struct store *store = batch->part->store;
	struct execution *call = batch->part->call;
	batch->short_of_ids = batch->too_large = batch->done_before = false;
	enum result result = store_read_installation(store);
	if (result == RESULT_OK)
		result = reserve(batch);
	if (result == RESULT_OK)
		result = db_begin(store->db);
	if (result != RESULT_OK)
		return result;
	result = load_decide_write(batch, run);
	if (batch->done_before)
		return store_finish(store, result);
	if (result == RESULT_OK && !run->decision.changes) {
		if (batch->unknown && db_is_node(store->db))
			return store_finish(store, touch_campaigns(batch, run));
		db_rollback(store->db); /* every command was refused: nothing to store */
		return RESULT_OK;
	}
	if (result == RESULT_OK)
		result = store_use_request_key(store, run->pool, call->precondition, batch->part->commands[0]->campaign_id);
	result = store_finish(store, result);
	if (result == RESULT_OK || result == RESULT_UNKNOWN) {
		call->made_deliveries = call->made_deliveries || run->decision.delivery_count > 0;
		call->made_messages = call->made_messages || run->made_messages;
	}
	if (result == RESULT_UNKNOWN) {
		if (!batch->unknown && call->unknown_begins != NULL)
			call->unknown_begins(call->context);
		batch->unknown = true;
		batch->mark.event_id = run->decision.event_count > 0 ? run->decision.events[0].id : 0;
	}
	if (result == RESULT_OK) {
		store_note_campaigns(store, &run->set);
		store_note_nodes(store, run->decision.rank_changes, run->decision.rank_change_count);
	}
	return result;
}

static void
note_made(struct batch *batch, const struct run *run)
{
	batch->made = (struct made){ .leads = 0 };
	if (batch->part->commands[0]->trial)
		return;
	for (size_t i = 0; i < batch->part->count; i++)
		batch->made.leads += run->outcomes[i].failure == FAILURE_NONE && run->outcomes[i].created;
	for (size_t i = 0; i < run->decision.event_count; i++)
		batch->made.events[run->decision.events[i].type]++;
}

static void
count_made(const struct made *made)
{
	metrics_add(METRIC_LEADS_CREATED, 0, made->leads);
	for (size_t i = 0; i < EVENT_TYPES; i++)
		if (made->events[i] > 0)
			metrics_add(METRIC_EVENTS, i, made->events[i]);
}

static void
copy_outcomes(struct pool *pool, const struct outcome *from, struct outcome *to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i] = from[i];
		to[i].detail = pool_copy(pool, from[i].detail);
		to[i].body = pool_copy(pool, from[i].body);
	}
}

static bool
any(const bool *flags, size_t count)
{
	for (size_t i = 0; flags != NULL && i < count; i++)
		if (flags[i])
			return true;
	return false;
}

/* Whether a batch is run again after this result. Conflicts go away, but not soon if several nodes of a cluster write to the
 * campaign. If runs find a key taken again and again, one command is the cause. */
static bool
goes_on(struct batch *batch, enum result result)
{
	/* while the outcome of a COMMIT is unknown, no other result is valid */
	if (batch->unknown)
		return true;
	if (result != RESULT_CONFLICT)
		return false;
	batch->taken += db_duplicate_key(batch->part->store->db);
	return batch->taken < STORE_ATTEMPTS && clock_monotonic_ms() < batch->give_up_ms;
}

/* Runs a batch until it is committed, has failed, or has run out of time. */
static enum result
repeat_batch(struct batch *batch)
{
	const struct part *part = batch->part;
	for (unsigned attempt = 1; clock_monotonic_ms() < part->call->deadline_ms; attempt++) {
		struct run run = { .pool = pool_new() };
		run.outcomes = POOL_ARRAY(run.pool, batch->part->count, struct outcome);
		enum result result = try_batch(batch, &run);
		if (!batch->done_before && (result == RESULT_OK || result == RESULT_UNKNOWN)) {
			copy_outcomes(part->pool, run.outcomes, part->outcomes, part->count);
			note_made(batch, &run);
		}
		pool_free(&run.pool);
		if (result == RESULT_OK) {
			count_made(&batch->made);
			return RESULT_OK;
		}
		if (batch->too_large)
			return RESULT_TOO_MANY;
		if (!batch->unknown && any(batch->part->locked, batch->part->count))
			return RESULT_CONFLICT;
		if (batch->short_of_ids)
			continue;
		if (!goes_on(batch, result))
			return result;
		store_back_off(attempt < 6 ? attempt : 6);
	}
	return batch->unknown ? RESULT_UNKNOWN : RESULT_UNAVAILABLE;
}

/* RESULT_OK: the outcomes are set. RESULT_CONFLICT, returned at once: a campaign is `locked`. RESULT_TOO_MANY: it is too much
 * work for one transaction. RESULT_UNKNOWN: the batch may have been committed. */
static enum result
run_batch(const struct part *part)
{
	const int64_t now_ms = clock_monotonic_ms();
	struct batch batch = {
		.part = part,
		.mark.token = store_new_token(),
		.history = HISTORY_EXPECTED * part->count,
		.give_up_ms = part->give_up_ms,
	};
	if (part->count > 1) /* each command may then be run by itself: half of the time is reserved for that */
		batch.give_up_ms = now_ms + (part->give_up_ms - now_ms) / 2;
	const enum result result = repeat_batch(&batch);
	if (batch.unknown && part->call->unknown_ends != NULL)
		part->call->unknown_ends(part->call->context);
	return result;
}

static void execute(const struct part *part);

/* Runs the commands whose campaign is not locked. Each round has at least one command fewer. */
static void
execute_rest(const struct part *part)
{
	const struct command **commands = POOL_ARRAY(part->pool, part->count, const struct command *);
	size_t *places = POOL_ARRAY(part->pool, part->count, size_t);
	struct part rest = *part;
	rest.count = 0;
	rest.commands = commands;
	rest.outcomes = POOL_ARRAY(part->pool, part->count, struct outcome);
	rest.locked = POOL_ARRAY(part->pool, part->count, bool);
	for (size_t i = 0; i < part->count; i++) {
		part->outcomes[i] = (struct outcome){ .failure = FAILURE_UNAVAILABLE };
		if (part->locked[i])
			continue;
		places[rest.count] = i;
		commands[rest.count++] = part->commands[i];
	}
	if (rest.count > 0)
		execute(&rest);
	for (size_t i = 0; i < rest.count; i++) {
		part->outcomes[places[i]] = rest.outcomes[i];
		part->locked[places[i]] = rest.locked[i];
	}
}

/* Finding a lead and storing its id costs as much as this many rows of a batch. */
enum { QUEUED_ROWS = 2 };

/* Makes a job of the first command, which is for points and too much work for one transaction (docs/architecture.md 4.4). */
static void
queue_points(const struct part *part)
{
	const struct command *command = part->commands[0];
	struct outcome *outcome = &part->outcomes[0];
	const struct points_call *points = &command->as.points;
	struct bulk_queued queued;
	const struct bulk_request request = {
		.account_id = command->account_id,
		.campaign_id = command->campaign_id,
		.account_jobs = points->account_jobs,
		.action = LEAD_POINTS,
		.points = points->points,
		.message = points->message,
		.leads = points->leads,
		.lead_count = points->lead_count,
	};
	const enum result result = store_queue_bulk(part->store, part->call->precondition, &request, &queued);
	part->call->repeated = result == RESULT_REPEATED;
	*outcome = (struct outcome){ .queued = (uint32_t)queued.leads,
		.work = { .rows = QUEUED_ROWS * (uint32_t)points->lead_count } };
	if (result == RESULT_TOO_MANY)
		outcome->failure = FAILURE_TOO_MANY_JOBS;
	else if (result == RESULT_NOT_FOUND)
		outcome->failure = FAILURE_LEADS_NOT_FOUND;
	else if (result != RESULT_OK)
		outcome->failure = result == RESULT_FAILED ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE;
}

static void
log_failure(struct store *store, enum result result, size_t count)
{
	uint64_t suppressed;
	if (log_throttle_passes(&store->batch_log, &suppressed))
		log_warning("batch_failed", LOG_STR("result", result_text(result)), LOG_UINT("commands", count),
		    LOG_UINT("suppressed", suppressed));
}

/* One command may cause the failure: each is run by itself, so that only the cause fails. Batches that may have been committed
 * are excluded: their commands would be run twice. */
static void
handle_failure(const struct part *part, enum result result)
{
	if (part->count > 1 && (result == RESULT_CONFLICT || result == RESULT_FAILED)) {
		for (size_t i = 0; i < part->count; i++) {
			const int64_t now_ms = clock_monotonic_ms();
			struct part one = part_from(part, i, 1);
			one.give_up_ms = now_ms + (part->give_up_ms - now_ms) / (int64_t)(part->count - i);
			execute(&one);
		}
		return;
	}
	part->call->repeated = result == RESULT_REPEATED;
	if (!part->call->repeated)
		log_failure(part->store, result, part->count);
	for (size_t i = 0; i < part->count; i++)
		part->outcomes[i] =
		    (struct outcome){ .failure = result == RESULT_FAILED ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE };
}

/* Runs two halves, one after the other. A single command becomes a job. */
static void
divide(const struct part *part)
{
	const size_t half = part->count / 2;
	if (half == 0) {
		store_note_large_points(part->store, part->commands[0]);
		queue_points(part);
		return;
	}
	const struct part first = part_from(part, 0, half), second = part_from(part, half, part->count - half);
	execute(&first);
	execute(&second);
}

static void
execute_together(const struct part *part)
{
	const enum result result = run_batch(part);
	if (result == RESULT_CONFLICT && any(part->locked, part->count)) {
		execute_rest(part);
		return;
	}
	/* the batch may have been run, so commands that an earlier attempt found locked are no longer reported as not begun */
	for (size_t i = 0; part->locked != NULL && i < part->count; i++)
		part->locked[i] = false;
	if (result == RESULT_TOO_MANY)
		divide(part);
	else if (result != RESULT_OK)
		handle_failure(part, result);
}

/* Commands that are expected to become jobs do so at once, without loading their leads; the commands between them run
 * together. */
static void
execute(const struct part *part)
{
	for (size_t begin = 0, end; begin < part->count; begin = end) {
		for (end = begin; end < part->count && !store_expects_large_points(part->store, part->commands[end]);)
			end++;
		const bool is_large = end == begin;
		end += is_large;
		const struct part some = part_from(part, begin, end - begin);
		if (is_large)
			queue_points(&some);
		else
			execute_together(&some);
	}
}

void
store_execute(struct store *store, struct pool *pool, struct execution *execution)
{
	const int64_t before_ms = db_set_deadline(store->db, execution->deadline_ms); /* the deadline of the statements */
	const struct part all = { store, pool, execution, execution->commands, execution->count, execution->outcomes,
		execution->locked, execution->deadline_ms };
	execution->made_deliveries = execution->made_messages = execution->repeated = false;
	if (execution->locked != NULL)
		memset(execution->locked, 0, execution->count * sizeof(*execution->locked));
	execute(&all);
	db_set_deadline(store->db, before_ms);
}
