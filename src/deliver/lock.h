/* SPDX-License-Identifier: MIT
 * The lock file: prevents a second dispatcher with the same configuration, and shows what the running dispatcher is doing.
 *
 * The file is mapped. It contains the owner id while shards may be leased under it, and the deliveries under way, and keeps
 * both when the process is killed. A process that takes the lock and finds an id knows that its dispatcher is dead: it may free
 * the shards, and counts the attempts that were under way (docs/deliveries.md 4.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/shards.h"

struct lock;

/* Opens the file, creates it with mode 0640 if needed, and locks it without waiting. It has room for `under_way` deliveries.
 * RESULT_CONFLICT: another process has the lock; nothing is logged. RESULT_FAILED, logged with a hint: the file cannot be
 * opened or mapped, or is not a lock file. */
MUST_CHECK enum result lock_take(const char *path, size_t under_way, struct lock **lock);
/* Releases the lock; the file and its contents stay. */
void lock_free(struct lock **lock);

/* What a dead dispatcher left. `delay_ms` is not set. */
struct lock_previous {
	unsigned char owner[DISPATCH_OWNER_SIZE];
	struct interrupted_delivery *under_way;
	size_t count;
};
/* NULL: the last dispatcher ended normally. Valid until lock_set_owner. */
const struct lock_previous *lock_previous(const struct lock *lock);
/* Replaces what a dead dispatcher left with our id. */
void lock_set_owner(struct lock *lock, const unsigned char owner[DISPATCH_OWNER_SIZE]);
/* Removes our id when nothing is leased. */
void lock_clear_owner(struct lock *lock);

/* The next attempt of the delivery begins. Each delivery under way has its own `place`, a number below the one given to
 * lock_take. */
void lock_note_attempt(struct lock *lock, size_t place, const struct due_delivery *delivery);
/* The outcome of the attempt was recorded. */
void lock_note_recorded(struct lock *lock, size_t place);

/* What a lock file tells other processes. */
struct dispatcher_seen {
	struct slice owner;      /* owner of the leases, even if the dispatcher is dead; absent: the file cannot be read */
	struct id_set under_way; /* empty when no process has the lock */
	bool is_running;         /* a process has the lock; also false when the file cannot be read */
};
/* In the pool. */
struct dispatcher_seen lock_read(struct pool *pool, const char *path);
