/* SPDX-License-Identifier: MIT
 * Record of crashes (leadhook-dispatch(8)): a file next to the lock file, to which a process that ends because of a defect
 * appends its current work (base/panic.h). The next process isolates whatever has caused two crashes: a delivery or an
 * operator's job fails, an item of a bulk job is skipped, an erasure or a removal is postponed for a day. A process that is
 * killed writes nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"

struct crashes;
struct store;

/* Requires the lock. Opens the file, whose name is the lock file's with ".crashes" appended, creates it with mode 0640 if
 * needed, and arranges for crashes to be written to it. Returns NULL, logged, when this fails; crashes are then not recorded.
 */
MUST_CHECK struct crashes *crashes_open(const char *lock_path);
void crashes_free(struct crashes **crashes);

/* Fails deliveries and jobs, and skips items, that caused two crashes. Can be repeated. */
MUST_CHECK enum result crashes_isolate(struct crashes *crashes, struct store *store);
/* Whether the items of this bulk job must run one at a time. `crashes` may be NULL. Thread-safe after crashes_isolate. */
MUST_CHECK bool crashes_suspect_job(const struct crashes *crashes, uint64_t job_id);
