/* SPDX-License-Identifier: MIT
 * Numbers of the whole database, for operators: leads, the backlog, webhooks, leases (docs/operating.md 12.1). */
#pragma once

#include "store/heartbeats.h"
#include "store/store.h"

struct store_figures {
	uint64_t accounts, campaigns, leads, webhooks;
	uint64_t webhooks_failing, webhooks_disabled; /* as in webhook_shown_state; disabled includes gone */
	uint64_t due_now;                             /* deliveries that a dispatcher sends or ends at once or soon */
	uint64_t due_later;                           /* the others: due later, on hold, or for a disabled webhook */
	int64_t oldest_due_ms;                        /* since when the oldest of due_now could have been fetched; -1: none */
	uint64_t bulk_jobs;                           /* unfinished bulk jobs */
	int64_t oldest_bulk_ms;                       /* when the oldest of them was queued; -1: none */
	uint64_t operator_jobs;                       /* jobs of operators that have not ended */
	uint64_t leased_shards;                       /* leased by a running dispatcher */
	struct heartbeat_seen heartbeats[HEARTBEAT_PROCESSES];
	int64_t now_ms;
};

/* Reads only indexes, and only pending deliveries. */
MUST_CHECK enum result store_read_figures(struct store *store, struct pool *pool, struct store_figures *figures);

/* The data directory of the server, in the pool; absent: the server is not on this host. */
MUST_CHECK enum result store_find_data_directory(struct store *store, struct pool *pool, struct slice *path);
