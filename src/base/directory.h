/* SPDX-License-Identifier: MIT
 * Directories: locks on them, for mutual exclusion with other programs, and whether others can change them. */
#ifndef LEADHOOK_BASE_DIRECTORY_H
#define LEADHOOK_BASE_DIRECTORY_H

#include <stdbool.h>

#include "base/attributes.h"

enum { DIRECTORY_LOCK_WAIT_MS = 5000 };

/* Opens and locks it. Returns a descriptor, which holds the lock until it is closed. Returns -1 with errno set when it cannot
 * be opened, or when another process has held the lock for DIRECTORY_LOCK_WAIT_MS (ETIMEDOUT); any process that can read the
 * directory can do so. */
MUST_CHECK int directory_lock(const char *path);

/* Whether only this account and root can replace files in it: it belongs to one of them, and neither its group nor others may
 * write there. Even the account's own group may have other members. */
MUST_CHECK bool directory_is_ours(int fd);

#endif
