/* SPDX-License-Identifier: MIT
 * What commands do while the database is away. */
#pragma once

#include "operation/operation.h"
#include "operation/progress.h"
#include "store/removal/removed_rows.h"

/* Counts a failure and waits, a second longer each time. Returns false without waiting at the fourth one: it is given up. */
MUST_CHECK bool repeat_later(unsigned *failures);

/* A removal, which is done in parts. */
struct removal {
	enum result (*go_on)(struct store *store, const void *what, struct removal_counts *counts, bool *done);
	const void *what;
	int64_t end_ms;            /* of a remote call (clock_monotonic_ms) */
	struct progress *progress; /* of leads; or NULL */
};
/* Does all of it. A remote call leaves the rest to the dispatcher at its end, and when the database is away; a shell's waits,
 * and fails. Returns 0, or a status after reporting the error. *done: nothing is left. */
int removal_finish(struct operation_call *call, const struct removal *removal, struct removal_counts *counts, bool *done);
