/* SPDX-License-Identifier: MIT
 * The lock file: keeps a second dispatcher with the same configuration away, and tells who held it last.
 *
 * The owner's id stands in the file as long as shards and claims may be leased under it. Whoever gets the lock and finds an
 * id therefore knows that its dispatcher is dead, and may free what that one had (docs/deliveries.md 4). */
#ifndef LEADHOOK_DELIVER_LOCK_H
#define LEADHOOK_DELIVER_LOCK_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/result.h"

enum { LOCK_OWNER_SIZE = 16 };

struct lock;

/* Opens (and makes, mode 0640) the file and locks it without waiting. RESULT_CONFLICT: another process has it; nothing is
 * logged. RESULT_FAILED, logged with what to do: the file cannot be opened, or is something else than a lock file. */
MUST_CHECK enum result lock_take(const char *path, struct lock **lock);
/* Gives the lock up, leaves the file and what stands in it; *lock may be NULL, becomes NULL. */
void lock_free(struct lock **lock);

/* The id that stood in the file when it was locked. False when there was none. */
MUST_CHECK bool lock_previous_owner(const struct lock *lock, unsigned char owner[LOCK_OWNER_SIZE]);
/* Writes our id over it. Logged when it cannot be written: a crash then costs waiting for the leases' end. */
void lock_set_owner(struct lock *lock, const unsigned char owner[LOCK_OWNER_SIZE]);
/* Empties the file, when nothing is leased any more. */
void lock_clear_owner(struct lock *lock);

#endif
