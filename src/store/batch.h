/* SPDX-License-Identifier: MIT
 * Runs commands that change leads: as one transaction, or several (docs/architecture.md 4). */
#pragma once

#include "store/store.h"

/* Commands that are run as one batch, and their outcomes. */
struct execution {
	const struct command *const *commands;
	size_t count;
	int64_t deadline_ms;      /* in clock_monotonic_ms; commands not done by then get FAILURE_UNAVAILABLE */
	struct outcome *outcomes; /* one per command; all are set */
	/* One per command; NULL: wait for campaigns that other transactions have locked. Otherwise, `locked` is set to true for
	 * commands of locked campaigns, which are not begun, and the others are run. */
	bool *locked;
	const struct precondition *precondition; /* for a single command: its key; NULL: none */
	/* The first is called when the outcome of a COMMIT is unknown, so that the call may last until its deadline; the second
	 * when the outcome is known after all, or the deadline has passed. NULL: not called. */
	void (*unknown_begins)(void *context), (*unknown_ends)(void *context);
	void *context;
	/* set; if the outcome of the COMMIT is unknown: true if it may have made some */
	bool made_deliveries, made_messages;
	bool repeated; /* the key of the precondition was used before: the command was not run */
};
/* Loads, decides, writes (docs/architecture.md 4). The bodies of the outcomes are in the pool. FAILURE_UNAVAILABLE: the command
 * was not run, or the result of its COMMIT is unknown and it may have been. FAILURE_INTERNAL: a defect, logged. */
void store_execute(struct store *store, struct pool *pool, struct execution *execution);

/* A batch that would write more than this is split into several transactions, one after another. A command for points of
 * several leads that would write more by itself becomes a job (struct outcome, queued); any other command is one transaction,
 * however much it writes. */
enum { STORE_BATCH_ROWS_MAX = 3000, STORE_BATCH_BYTES_MAX = 2 * 1024 * 1024 };
