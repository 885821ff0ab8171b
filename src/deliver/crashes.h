/* SPDX-License-Identifier: MIT
 * What the process crashed at (leadhook-dispatch(8)): a file beside the lock file, to which a process that ends by a defect
 * adds its work (base/panic.h). The next one ends a delivery that was the cause of two crashes, and passes over such an item of
 * bulk work; everything else goes on. A process that is killed leaves nothing there. */
#ifndef LEADHOOK_DELIVER_CRASHES_H
#define LEADHOOK_DELIVER_CRASHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"

struct crashes;
struct store;

/* Of the lock file's holder: opens (and makes, mode 0640) the file with ".crashes" after its name, and has crashes noted there.
 * NULL, logged, when it cannot be: then none is found.. */
MUST_CHECK struct crashes *crashes_open(const char *lock_path);
/* *crashes may be NULL, becomes NULL. */
void crashes_free(struct crashes **crashes);

/* Ends deliveries, and passes over items, that were the cause of two crashes. Can be repeated. */
MUST_CHECK enum result crashes_settle(struct crashes *crashes, struct store *store);
/* Whether items of this job are to be done one by one; `crashes` may be NULL. May be called by any thread after crashes_settle.
 */
MUST_CHECK bool crashes_suspect_job(const struct crashes *crashes, uint64_t job_id);

#endif
