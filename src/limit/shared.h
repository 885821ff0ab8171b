/* SPDX-License-Identifier: MIT
 * Memory that all processes of this host share, whoever started them: a file in a directory of theirs. */
#ifndef LEADHOOK_LIMIT_SHARED_H
#define LEADHOOK_LIMIT_SHARED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

enum { SHARED_LAYOUT_SIZE = 32, SHARED_SECRET_SIZE = 32, SHARED_LOCKS = 256, SHARED_LOCK_WAIT_MS = 1000 };

struct shared {
	unsigned char *memory; /* of the caller's; aligned to a cache line, zero at first */
	size_t size;
	const unsigned char *secret; /* SHARED_SECRET_SIZE bytes that nobody outside knows */
	pthread_mutex_t *locks;      /* SHARED_LOCKS of them; shared_lock, pthread_mutex_unlock */
	void *mapping;
	size_t mapped;
};

/* `size` bytes in `folder`/`name`. The folder is made when it is missing, not its parent. A file of an earlier boot, another
 * version or another layout (the caller's word for what lies in the memory, sizes included) is replaced by a new one; who has
 * the old one mapped keeps it. `folder` "": memory that only this process and those that it forks share.
 * The folder has to be this account's or root's, and not open for everybody to write.
 * False, *shared untouched, when there is no such memory; it has logged why. */
MUST_CHECK bool shared_open(
    const char *folder, const char *name, size_t size, const unsigned char layout[SHARED_LAYOUT_SIZE], struct shared *shared);
/* The file stays. */
void shared_close(struct shared *shared);

/* Also gets a lock whose owner has died. False, logged, when somebody keeps it for SHARED_LOCK_WAIT_MS: a process that was
 * stopped. */
MUST_CHECK bool shared_lock(pthread_mutex_t *lock);

#endif
