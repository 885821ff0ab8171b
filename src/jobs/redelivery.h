/* SPDX-License-Identifier: MIT
 * Sends many deliveries again, in short transactions (docs/deliveries.md 3.2). */
#pragma once

#include "store/operator/deliveries.h"
#include "store/queue/redeliver.h"

/* Results of a delivery: those of store_redeliver, and: */
enum { REDELIVERY_UNDER_WAY = REDELIVERIES /* this host's dispatcher is sending it: unchanged */, REDELIVERY_RESULTS };

struct redelivery_counts {
	uint64_t queued;                                                       /* due now; includes: */
	uint64_t held;                                                         /* its webhook is disabled or held */
	uint64_t under_way, without_webhook, without_event, at_limit, missing; /* not queued */
};

/* A run. All functions get `context`. */
struct redelivery_run {
	struct store *store;
	/* The deliveries that this host's dispatcher is sending, in the pool. Called for each piece. */
	struct id_set (*under_way)(void *context, struct pool *pool);
	/* Called after a piece for each of its deliveries; or NULL. `what` is of REDELIVERY_RESULTS. */
	void (*report)(void *context, uint64_t id, unsigned what);
	/* Called in the transaction of each piece, when the next two are as they will be after it; or NULL. */
	redelivery_note *note;
	void *context;
	struct redelivery_counts counts;
	uint64_t position; /* the last delivery that is done */
};

/* What was queued before an error stays queued, and is counted. RESULT_UNKNOWN: a piece, which is not counted, may be queued,
 * too. */
MUST_CHECK enum result redelivery_of_ids(struct redelivery_run *run, const uint64_t *ids, size_t count);
/* Those that the filter finds, as store_visit_deliveries. */
MUST_CHECK enum result redelivery_of_filter(
    struct redelivery_run *run, const struct delivery_filter *filter, struct delivery_walk *walk);
