/* SPDX-License-Identifier: MIT
 * The lock file: prevents a second dispatcher with the same configuration, and stores the id of the last owner.
 *
 * The owner's id stays in the file as long as shards and claims may be leased under it. If a process gets the lock and finds an
 * id, that dispatcher is dead, and the process may free what it held (docs/deliveries.md 4). */
#ifndef LEADHOOK_DELIVER_LOCK_H
#define LEADHOOK_DELIVER_LOCK_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/result.h"

enum { LOCK_OWNER_SIZE = 16 };

struct lock;

/* Opens the file, creates it with mode 0640 if needed, and locks it without waiting. RESULT_CONFLICT: another process has the
 * lock; nothing is logged. RESULT_FAILED, logged with a hint: the file cannot be opened or is not a lock file. */
MUST_CHECK enum result lock_take(const char *path, struct lock **lock);
/* Releases the lock; the file and its contents stay. */
void lock_free(struct lock **lock);

/* The id that the file contained when it was locked. Returns false when there was none. */
MUST_CHECK bool lock_previous_owner(const struct lock *lock, unsigned char owner[LOCK_OWNER_SIZE]);
/* Overwrites the file with our id. A failure is logged; after a crash the next dispatcher then waits until the leases
 * expire. */
void lock_set_owner(struct lock *lock, const unsigned char owner[LOCK_OWNER_SIZE]);
/* Empties the file when nothing is leased. */
void lock_clear_owner(struct lock *lock);

#endif
