/* SPDX-License-Identifier: MIT
 * Runs commands that change leads: as one transaction, or several (docs/architecture.md 4). */
#pragma once

#include "store/store.h"

/* Commands that are run as one batch, and what comes of them. */
struct execution {
	const struct command *const *commands;
	size_t count;
	int64_t deadline_ms;      /* of clock_monotonic_ms: later outcomes are FAILURE_UNAVAILABLE */
	struct outcome *outcomes; /* one per command; all are set */
	/* One per command; NULL: waits for campaigns that other transactions have locked. Else `locked` becomes true for the
	 * commands of those, which are not begun, and the others are run. */
	bool *locked;
	const struct precondition *precondition; /* for a single command: its key; NULL: none */
	/* Called when the outcome of a COMMIT is unknown, so that the call can last until its deadline; and when it is known
	 * after all, or the deadline has passed. NULL: not called. */
	void (*unknown_begins)(void *context), (*unknown_ends)(void *context);
	void *context;
	/* set; after an unknown COMMIT true when it may have been made */
	bool made_deliveries, made_messages;
	bool repeated; /* the key of the precondition was used before: the command was not run */
};
/* Loads, decides, writes (docs/architecture.md 4). The bodies of the outcomes are in the pool. FAILURE_UNAVAILABLE: the command
 * was not run, or its COMMIT is unknown and it may have been. FAILURE_INTERNAL: a defect, logged. */
void store_execute(struct store *store, struct pool *pool, struct execution *execution);

/* A batch that would write more than this is done in several transactions, one after another. A command for points of several
 * leads that alone would write more becomes a job (struct outcome, queued); any other command is one transaction, whatever it
 * writes. */
enum { STORE_BATCH_ROWS_MAX = 3000, STORE_BATCH_BYTES_MAX = 2 * 1024 * 1024 };
