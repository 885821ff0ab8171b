/* SPDX-License-Identifier: MIT
 * Memory that all processes of this host share, however they were started. It is a file in the state directory. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "os/log.h"

enum { SHARED_LAYOUT_SIZE = 32, SHARED_SECRET_SIZE = 32, SHARED_LOCKS = 256, SHARED_LOCK_WAIT_MS = 1000 };

struct shared {
	unsigned char *memory; /* for the caller; aligned to a cache line, initially zero */
	size_t size;
	const unsigned char *secret; /* SHARED_SECRET_SIZE random bytes */
	pthread_mutex_t *locks;      /* SHARED_LOCKS locks, for shared_lock and pthread_mutex_unlock */
	void *mapping;
	size_t mapped;
};

/* Maps `size` bytes of `folder`/`name`. A missing folder is created, but not its parent. A file of an earlier boot, another
 * version or another layout (the caller's digest of the memory's structure) is replaced by a new one; processes that have the
 * old one mapped keep it. `folder` "": memory shared with forked processes only.
 * The folder must belong to this account or to root, and must not be writable by others.
 * Returns false, and logs why at `level`, when there is no such memory; *shared is then unchanged. */
MUST_CHECK bool shared_open(const char *folder, const char *name, size_t size, const unsigned char layout[SHARED_LAYOUT_SIZE],
    enum log_level level, struct shared *shared);
/* Whether shared_open can be expected to succeed with the folder and file, if there is room. Changes nothing; logs why not. */
MUST_CHECK bool shared_try(const char *folder, const char *name, enum log_level level);
/* Copies the memory of such a file, whichever account it belongs to. Creates nothing. Returns false, with *memory unchanged,
 * when there is no file that shared_open would use. */
MUST_CHECK bool shared_read(
    const char *folder, const char *name, void *memory, size_t size, const unsigned char layout[SHARED_LAYOUT_SIZE]);
/* Unmaps the memory. The file stays. */
void shared_close(struct shared *shared);

/* Acquires a lock, even if its owner has died. Returns false, and logs this, when another process, probably a stopped one,
 * holds it for longer than SHARED_LOCK_WAIT_MS. */
MUST_CHECK bool shared_lock(pthread_mutex_t *lock);
/* Likewise, but does not wait. That somebody else holds the lock is neither an error nor logged. */
MUST_CHECK bool shared_lock_if_free(pthread_mutex_t *lock);
