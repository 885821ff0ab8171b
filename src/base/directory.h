/* SPDX-License-Identifier: MIT
 * Locks on directories, for mutual exclusion with other programs. */
#ifndef LEADHOOK_BASE_DIRECTORY_H
#define LEADHOOK_BASE_DIRECTORY_H

#include "base/attributes.h"

enum { DIRECTORY_LOCK_WAIT_MS = 5000 };

/* Opens and locks it. Returns a descriptor, which holds the lock until it is closed. Returns -1 with errno set when it cannot
 * be opened, or when another process has held the lock for DIRECTORY_LOCK_WAIT_MS (ETIMEDOUT); any process that can read the
 * directory can do so. */
MUST_CHECK int directory_lock(const char *path);

#endif
