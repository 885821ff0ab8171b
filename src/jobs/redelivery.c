/* SPDX-License-Identifier: MIT */
#include "jobs/redelivery.h"

/* The deliveries of one transaction. */
struct piece {
	struct redelivery_run *run;
	const uint64_t *ids; /* first those that are under way … */
	size_t under_way, count;
	enum redelivery what[REDELIVER_MAX]; /* … then the others, with their results */
	struct redelivery_counts before;
	uint64_t last;
};

static void
add_result(struct redelivery_counts *counts, unsigned what)
{
	uint64_t *const counters[REDELIVERY_RESULTS] = {
		[REDELIVERY_QUEUED] = &counts->queued,
		[REDELIVERY_HELD] = &counts->held,
		[REDELIVERY_UNDER_WAY] = &counts->under_way,
		[REDELIVERY_NO_WEBHOOK] = &counts->without_webhook,
		[REDELIVERY_NO_EVENT] = &counts->without_event,
		[REDELIVERY_AT_LIMIT] = &counts->at_limit,
		[REDELIVERY_MISSING] = &counts->missing,
	};
	(*counters[what])++;
	if (what == REDELIVERY_HELD)
		counts->queued++;
}

/* A redelivery_note. It starts from the counts before the transaction, which may be run again. */
static enum result
count_piece(void *context)
{
	struct piece *piece = context;
	struct redelivery_run *run = piece->run;
	run->counts = piece->before;
	run->counts.under_way += piece->under_way;
	for (size_t i = piece->under_way; i < piece->count; i++)
		add_result(&run->counts, piece->what[i - piece->under_way]);
	run->position = piece->last;
	return run->note == NULL ? RESULT_OK : run->note(run->context);
}

static void
report_piece(const struct piece *piece)
{
	const struct redelivery_run *run = piece->run;
	for (size_t i = 0; i < piece->count && run->report != NULL; i++)
		run->report(run->context, piece->ids[i],
		    i < piece->under_way ? (unsigned)REDELIVERY_UNDER_WAY : (unsigned)piece->what[i - piece->under_way]);
}

/* `count` is at most REDELIVER_MAX. */
static enum result
redeliver_piece(struct redelivery_run *run, struct pool *pool, const uint64_t *ids, size_t count)
{
	const struct id_set under_way = run->under_way(run->context, pool);
	uint64_t sorted[REDELIVER_MAX];
	struct piece piece = { .run = run, .ids = sorted, .before = run->counts, .last = ids[count - 1] };
	for (size_t i = 0; i < count; i++)
		if (id_set_contains(&under_way, ids[i]))
			sorted[piece.under_way++] = ids[i];
	piece.count = piece.under_way;
	for (size_t i = 0; i < count; i++)
		if (!id_set_contains(&under_way, ids[i]))
			sorted[piece.count++] = ids[i];
	const enum result result =
	    store_redeliver(run->store, sorted + piece.under_way, count - piece.under_way, piece.what, count_piece, &piece);
	if (result == RESULT_OK)
		report_piece(&piece);
	else
		run->counts = piece.before;
	return result;
}

enum result
redelivery_of_ids(struct redelivery_run *run, const uint64_t *ids, size_t count)
{
	enum result result = RESULT_OK;
	for (size_t from = 0; result == RESULT_OK && from < count; from += REDELIVER_MAX) {
		struct pool *pool = pool_new();
		result = redeliver_piece(run, pool, ids + from, count - from < REDELIVER_MAX ? count - from : REDELIVER_MAX);
		pool_free(&pool);
	}
	return result;
}

/* A delivery_visitor. */
static enum result
redeliver_found(void *context, const struct delivery_row *deliveries, size_t count)
{
	struct pool *pool = pool_new();
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	for (size_t i = 0; i < count; i++)
		ids[i] = deliveries[i].id;
	const enum result result = redelivery_of_ids(context, ids, count);
	pool_free(&pool);
	return result;
}

enum result
redelivery_of_filter(struct redelivery_run *run, const struct delivery_filter *filter, struct delivery_walk *walk)
{
	return store_visit_deliveries(run->store, filter, walk, redeliver_found, run);
}
