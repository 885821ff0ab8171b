/* SPDX-License-Identifier: MIT
 * Load, decide, write: a batch of commands as one transaction with a fixed number of statements, whatever the number of
 * commands and the size of the campaign. This file takes ids, repeats the batch after conflicts, divides one that is too much
 * work, and reports the outcomes; load.c and write.c read and write the rows. */
#include "store/batch.h"

#include <string.h>

#include "engine/decide/decide.h"
#include "identity/social_id.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "store/bulk.h"
#include "store/campaign_cache.h"
#include "store/mark.h"
#include "store/query.h"
#include "store/rank_cache.h"
#include "store/state.h"
#include "store/transaction.h"

/* Reserved at first. Most commands make fewer events for fewer webhooks; batches that need more are decided again. */
enum { EVENTS_EXPECTED = 4, DELIVERIES_EXPECTED = 20, HISTORY_EXPECTED = EVENTS_EXPECTED * (1 + DELIVERIES_EXPECTED) };
/* The same; store_insert_messages takes more itself. */
enum { MESSAGES_EXPECTED = 2 };

/* How long a batch is tried. */
struct limits {
	int64_t deadline_ms; /* nothing is begun after it */
	int64_t give_up_ms;  /* a conflict is final after it; no later than the deadline */
};

/* What a batch has made, for metrics. */
struct made {
	uint64_t leads, events[EVENT_TYPES];
};

struct batch {
	struct store *store;
	const struct command *const *commands;
	size_t count;
	bool unknown;            /* a run may have been committed; its outcomes are stored, and valid if it was */
	struct commit_mark mark; /* what that run wrote, if it was committed */
	struct made made;        /* the same */
	bool done_before;        /* this run has found the mark */
	uint64_t history;        /* number of ids for events and deliveries */
	bool *locked;            /* as in store_load */
	struct limits limits;
	unsigned taken;    /* number of runs that met a key which is taken */
	bool short_of_ids; /* the last run needed more of them */
	bool too_large;    /* the last run was too much work for one transaction */
};

/* The data of one run of a batch; in the run's pool. */
struct run {
	struct pool *pool;
	struct working_set set;
	struct decision decision;
	struct outcome *outcomes;
};

/* Ids are taken from blocks, before the transaction. */
static enum result
reserve(const struct batch *batch)
{
	const struct {
		enum id_kind kind;
		uint64_t count;
	} wanted[] = {
		{ ID_LEAD, batch->count },
		{ ID_POINTS_CALL, batch->count },
		{ ID_HISTORY, batch->history },
		{ ID_MESSAGE, MESSAGES_EXPECTED * batch->count },
	};
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && result == RESULT_OK; i++)
		result = store_reserve_ids(batch->store, wanted[i].kind, wanted[i].count);
	return result;
}

/* Used ids are never given again, whether the run is committed or not: a second run must not meet the ids of the first. */
static struct id_supply
id_supply(const struct batch *batch, struct pool *pool)
{
	struct store *store = batch->store;
	struct slice *social_ids = POOL_ARRAY(pool, batch->count, struct slice);
	uint64_t *seeds = POOL_ARRAY(pool, batch->count, uint64_t);
	random_bytes(seeds, batch->count * sizeof(*seeds));
	for (size_t i = 0; i < batch->count; i++)
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
	enum result result = store_locked_nodes(batch->store, run->pool, list, &nodes);
	if (result == RESULT_OK)
		decide_render(run->pool, &(struct batch_commands){ batch->commands, run->outcomes, batch->count },
		    &batch->store->payload, nodes, list.count, &run->decision);
	return result;
}

/* An event's id is used once, so its row shows that the run was committed. Without an event, a token does. */
static enum result
leave_mark(const struct batch *batch, const struct run *run)
{
	if (run->decision.event_count > 0 || !run->decision.changes)
		return RESULT_OK;
	return store_insert_token(batch->store, &batch->mark.token, NULL);
}

/* Whether the batch can be done in several transactions: not while it may have been done in one. */
static bool
is_divisible(const struct batch *batch)
{
	const size_t leads = command_lead_count(batch->commands[0]);
	return !batch->unknown && (batch->count > 1 || (leads > 1 && leads <= BULK_LEADS_MAX));
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
	struct store *store = batch->store;
	enum result result = store_load(store, run->pool, batch->commands, batch->count, batch->locked, &run->set);
	/* the campaigns' locks are held, so the earlier run has ended */
	if (result == RESULT_OK && batch->unknown)
		result = store_find_mark(store, run->pool, &batch->mark, &batch->done_before);
	if (result == RESULT_OK && batch->done_before)
		return store_insert_fence(store);
	if (result != RESULT_OK)
		return result;
	const struct id_supply supply = id_supply(batch, run->pool);
	decide(run->pool, &(struct batch_commands){ batch->commands, run->outcomes, batch->count }, &run->set, &supply,
	    &run->decision);
	if (is_too_large(batch, run->decision.work)) {
		batch->too_large = true;
		return RESULT_CONFLICT;
	}
	if (run->decision.short_of_ids) {
		batch->short_of_ids = true;
		batch->history = run->decision.history_wanted;
		return RESULT_CONFLICT;
	}
	if (batch->commands[0]->trial) {
		run->decision.changes = false;
		return RESULT_OK;
	}
	decide_rank_changes(run->pool, &run->decision);
	result = render(batch, run);
	if (result == RESULT_OK)
		result = store_write(store, run->pool, &run->set, &run->decision);
	return result == RESULT_OK ? leave_mark(batch, run) : result;
}

/* For a run in which every command was refused, after one that may be committed. At a node of a cluster the locks do not show
 * that the earlier run has ended: both write this row, so only one of them can be committed. */
static enum result
touch_campaigns(const struct batch *batch, const struct run *run)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < run->set.campaign_count && result == RESULT_OK; i++)
		result = store_lock_settings(batch->store, run->set.campaigns[i].campaign.id);
	return result;
}

static void
notify_unknown(const struct store *store, bool unknown)
{
	if (store->unknown_changed != NULL)
		store->unknown_changed(store->unknown_context, unknown);
}

/* One attempt at the batch; fills run->outcomes. */
static enum result
try_batch(struct batch *batch, struct run *run)
{
	struct store *store = batch->store;
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
		result = request_keys_note(store, run->pool, batch->commands[0]->campaign_id);
	result = store_finish(store, result);
	if ((result == RESULT_OK || result == RESULT_UNKNOWN) && run->decision.delivery_count > 0)
		store->made_deliveries = true;
	if (result == RESULT_UNKNOWN) {
		if (!batch->unknown)
			notify_unknown(store, true);
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
	if (batch->commands[0]->trial)
		return;
	for (size_t i = 0; i < batch->count; i++)
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

/* Whether a batch is run again after this result. Conflicts pass, but not soon where several nodes of a cluster write to the
 * campaign. A key that is taken time after time is the fault of one command. */
static bool
goes_on(struct batch *batch, enum result result)
{
	/* while the outcome of a COMMIT is unknown, no other result is valid */
	if (batch->unknown)
		return true;
	if (result != RESULT_CONFLICT || batch->store->request.found)
		return false;
	batch->taken += db_duplicate_key(batch->store->db);
	return batch->taken < STORE_ATTEMPTS && clock_monotonic_ms() < batch->limits.give_up_ms;
}

/* Runs a batch until it is committed, has failed, or its time is over. */
static enum result
repeat_batch(struct batch *batch, struct pool *pool, struct outcome *outcomes)
{
	for (unsigned attempt = 1; clock_monotonic_ms() < batch->limits.deadline_ms; attempt++) {
		struct run run = { .pool = pool_new() };
		run.outcomes = POOL_ARRAY(run.pool, batch->count, struct outcome);
		enum result result = try_batch(batch, &run);
		if (!batch->done_before && (result == RESULT_OK || result == RESULT_UNKNOWN)) {
			copy_outcomes(pool, run.outcomes, outcomes, batch->count);
			note_made(batch, &run);
		}
		pool_free(&run.pool);
		if (result == RESULT_OK) {
			count_made(&batch->made);
			return RESULT_OK;
		}
		if (batch->too_large)
			return RESULT_TOO_MANY;
		if (!batch->unknown && any(batch->locked, batch->count))
			return RESULT_CONFLICT;
		if (batch->short_of_ids)
			continue;
		if (!goes_on(batch, result))
			return result;
		store_back_off(attempt < 6 ? attempt : 6);
	}
	return batch->unknown ? RESULT_UNKNOWN : RESULT_UNAVAILABLE;
}

/* RESULT_OK: the outcomes are filled. RESULT_CONFLICT at once when a campaign is `locked`. RESULT_TOO_MANY: it is too much work
 * for one transaction. RESULT_UNKNOWN: the batch may be committed. */
static enum result
run_batch(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct limits limits,
    struct outcome *outcomes, bool *locked)
{
	const int64_t now_ms = clock_monotonic_ms();
	struct batch batch = {
		.store = store,
		.commands = commands,
		.count = count,
		.locked = locked,
		.mark.token = store_new_token(),
		.history = HISTORY_EXPECTED * count,
		.limits = limits,
	};
	if (count > 1) /* each may then be run alone: half of the time is for that */
		batch.limits.give_up_ms = now_ms + (limits.give_up_ms - now_ms) / 2;
	const enum result result = repeat_batch(&batch, pool, outcomes);
	if (batch.unknown)
		notify_unknown(store, false);
	return result;
}

/* The flags of the commands from `first` on. */
static bool *
locked_from(bool *locked, size_t first)
{
	return locked == NULL ? NULL : locked + first;
}

static void execute(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    struct limits limits, struct outcome *outcomes, bool *locked);

/* Runs the commands whose campaign is not locked: at least one fewer in each round. */
static void
execute_rest(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct limits limits,
    struct outcome *outcomes, bool *locked)
{
	const struct command **rest = POOL_ARRAY(pool, count, const struct command *);
	size_t *places = POOL_ARRAY(pool, count, size_t), rest_count = 0;
	struct outcome *rest_outcomes = POOL_ARRAY(pool, count, struct outcome);
	bool *rest_locked = POOL_ARRAY(pool, count, bool);
	for (size_t i = 0; i < count; i++) {
		outcomes[i] = (struct outcome){ .failure = FAILURE_UNAVAILABLE };
		if (locked[i])
			continue;
		places[rest_count] = i;
		rest[rest_count++] = commands[i];
	}
	if (rest_count > 0)
		execute(store, pool, rest, rest_count, limits, rest_outcomes, rest_locked);
	for (size_t i = 0; i < rest_count; i++) {
		outcomes[places[i]] = rest_outcomes[i];
		locked[places[i]] = rest_locked[i];
	}
}

/* Finding a lead and storing its id costs as much as so many rows of a batch. */
enum { QUEUED_ROWS = 2 };

/* Makes a job of a command for points that is too much work for one transaction (docs/architecture.md 4.4). */
static void
queue_points(struct store *store, const struct command *command, struct outcome *outcome)
{
	const struct points_call *points = &command->as.points;
	size_t matched = 0;
	uint64_t job_id;
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
	const enum result result = store_queue_bulk(store, &request, &matched, &job_id);
	*outcome =
	    (struct outcome){ .queued = (uint32_t)matched, .work = { .rows = QUEUED_ROWS * (uint32_t)points->lead_count } };
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

/* One command may cause the failure: each is run alone, so that only that one fails. Batches that may have been committed are
 * excluded: their commands would be run twice. */
static void
handle_failure(struct store *store, struct pool *pool, enum result result, const struct command *const *commands, size_t count,
    struct limits limits, struct outcome *outcomes, bool *locked)
{
	if (count > 1 && (result == RESULT_CONFLICT || result == RESULT_FAILED)) {
		for (size_t i = 0; i < count; i++) {
			const int64_t now_ms = clock_monotonic_ms();
			const struct limits own = { limits.deadline_ms,
				now_ms + (limits.give_up_ms - now_ms) / (int64_t)(count - i) };
			execute(store, pool, &commands[i], 1, own, &outcomes[i], locked_from(locked, i));
		}
		return;
	}
	log_failure(store, result, count);
	for (size_t i = 0; i < count; i++)
		outcomes[i] = (struct outcome){ .failure = result == RESULT_FAILED ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE };
}

/* Runs two halves, one after the other. A single command becomes a job. */
static void
divide(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct limits limits,
    struct outcome *outcomes, bool *locked)
{
	const size_t half = count / 2;
	if (count == 1) {
		store_note_large_points(store, commands[0]);
		queue_points(store, commands[0], outcomes);
		return;
	}
	execute(store, pool, commands, half, limits, outcomes, locked);
	execute(store, pool, commands + half, count - half, limits, outcomes + half, locked_from(locked, half));
}

static void
execute_together(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    struct limits limits, struct outcome *outcomes, bool *locked)
{
	enum result result = run_batch(store, pool, commands, count, limits, outcomes, locked);
	if (result == RESULT_CONFLICT && any(locked, count)) {
		execute_rest(store, pool, commands, count, limits, outcomes, locked);
		return;
	}
	/* the batch may have been run: what an earlier attempt found locked is no longer reported as not begun */
	for (size_t i = 0; locked != NULL && i < count; i++)
		locked[i] = false;
	if (result == RESULT_TOO_MANY)
		divide(store, pool, commands, count, limits, outcomes, locked);
	else if (result != RESULT_OK)
		handle_failure(store, pool, result, commands, count, limits, outcomes, locked);
}

/* Commands that are expected to become jobs do so at once, without loading their leads; those between them run together. */
static void
execute(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct limits limits,
    struct outcome *outcomes, bool *locked)
{
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin; end < count && !store_expects_large_points(store, commands[end]);)
			end++;
		if (end > begin)
			execute_together(
			    store, pool, commands + begin, end - begin, limits, outcomes + begin, locked_from(locked, begin));
		else
			queue_points(store, commands[end++], &outcomes[begin]);
	}
}

void
store_execute(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, int64_t deadline_ms,
    struct outcome *outcomes, bool *locked)
{
	int64_t before_ms = db_set_deadline(store->db, deadline_ms); /* for the statements */
	store->made_deliveries = store->made_messages = false;
	if (locked != NULL)
		memset(locked, 0, count * sizeof(*locked));
	execute(store, pool, commands, count, (struct limits){ deadline_ms, deadline_ms }, outcomes, locked);
	db_set_deadline(store->db, before_ms);
}

void
store_watch_unknown(struct store *store, void (*changed)(void *context, bool unknown), void *context)
{
	store->unknown_changed = changed;
	store->unknown_context = context;
}

bool
store_made_deliveries(const struct store *store)
{
	return store->made_deliveries;
}

bool
store_made_messages(const struct store *store)
{
	return store->made_messages;
}
