/* SPDX-License-Identifier: MIT
 * What commands do while the database is away. */
#pragma once

#include "operation/operation.h"
#include "operation/progress.h"
#include "store/removal/removed_rows.h"

/* Counts a failure and waits, a second longer each time. After the fourth failure it returns false at once: the caller gives
 * up. */
MUST_CHECK bool repeat_later(unsigned *failures);

/* A removal or erasure, which is done in parts. */
struct removal {
	enum result (*go_on)(struct store *store, const void *what, struct removal_counts *counts, bool *done);
	const void *what;
	int64_t end_ms;            /* when a call over HTTP stops (clock_monotonic_ms) */
	struct progress *progress; /* of leads; or NULL */
};
/* Carries out the removal. A call over HTTP leaves the rest to the dispatcher when its time is up or the database is out of
 * reach; a command waits for the database, and finally fails. Returns 0, or a status after reporting the error. *done: it is
 * complete. */
MUST_CHECK int removal_finish(
    struct operation_call *call, const struct removal *removal, struct removal_counts *counts, bool *done);
