/* SPDX-License-Identifier: MIT
 * Taking turns with other programs in a directory. */
#ifndef LEADHOOK_BASE_DIRECTORY_H
#define LEADHOOK_BASE_DIRECTORY_H

#include "base/attributes.h"

enum { DIRECTORY_LOCK_WAIT_MS = 5000 };

/* Opens it and locks it: a descriptor, which holds the lock until it is closed. -1, errno set, when it cannot be opened, or
 * when somebody else, who needs no more than to read it, has kept the lock for DIRECTORY_LOCK_WAIT_MS (ETIMEDOUT). */
MUST_CHECK int directory_lock(const char *path);

#endif
