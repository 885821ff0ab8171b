/* SPDX-License-Identifier: MIT
 * Sends many deliveries again, in short transactions (docs/deliveries.md 3.2). */
#pragma once

#include "store/operator/deliveries.h"
#include "store/queue/redeliver.h"

/* The results for a delivery: those of store_redeliver, and: */
enum { REDELIVERY_UNDER_WAY = REDELIVERIES /* this host's dispatcher is sending it: unchanged */, REDELIVERY_RESULTS };

struct redelivery_counts {
	uint64_t queued;                                                       /* due now; including those … */
	uint64_t held;                                                         /* … whose webhook is disabled or held */
	uint64_t under_way, without_webhook, without_event, at_limit, missing; /* not queued */
};

/* A run. Its functions are called with `context`. */
struct redelivery_run {
	struct store *store;
	/* The deliveries that this host's dispatcher is sending, in the pool. Called for each transaction. */
	struct id_set (*under_way)(void *context, struct pool *pool);
	/* Called after each transaction, for each of its deliveries; or NULL. `what`: one of the results above. */
	void (*report)(void *context, uint64_t id, unsigned what);
	/* Called in each transaction, with `counts` and `position` as they will be after it; or NULL. */
	redelivery_note *note;
	void *context;
	struct redelivery_counts counts;
	uint64_t position; /* the last delivery that was processed */
};

/* After an error, the deliveries queued before it stay queued and counted. RESULT_UNKNOWN: the deliveries of one more
 * transaction may be queued, but are not counted. */
MUST_CHECK enum result redelivery_of_ids(struct redelivery_run *run, const uint64_t *ids, size_t count);
/* Redelivers what the filter finds, as in store_visit_deliveries. */
MUST_CHECK enum result redelivery_of_filter(
    struct redelivery_run *run, const struct delivery_filter *filter, struct delivery_walk *walk);
