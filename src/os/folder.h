/* SPDX-License-Identifier: MIT
 * Directories: locking them against other programs, finding out whether others can change them, and opening files in them. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/attributes.h"

enum { FOLDER_LOCK_WAIT_MS = 5000 };

/* Opens and locks it. Returns a descriptor, which holds the lock until it is closed. Returns -1 with errno set when it cannot
 * be opened, or when another process has held the lock for FOLDER_LOCK_WAIT_MS (ETIMEDOUT); any process that can read the
 * directory can do so. */
MUST_CHECK int folder_lock(const char *path);

/* Whether only this account and root can replace files in it: it belongs to one of them, and neither its group nor others may
 * write there. Even the account's own group may have other members. */
MUST_CHECK bool folder_is_ours(int fd);

/* Whether the account may trust a file in the folder: one that belongs to it, to root or to the folder's owner; and any file in
 * a folder where only the account and root can put files. */
MUST_CHECK bool folder_admits(const struct stat *folder, const struct stat *file, uid_t account);

/* Opens the folder of a path, with O_PATH, and finds the name in it. Returns -1, with errno set, on errors. */
MUST_CHECK int folder_of(const char *path, const char **name);

/* Opens a file of the programs, created with mode 0640 if `flags` contains O_CREAT. O_CLOEXEC and O_NONBLOCK are added, and
 * O_NOFOLLOW if another account may have put a link there. Returns -1, with errno set, on errors: EPERM for a file that
 * folder_admits does not trust. */
MUST_CHECK int folder_open_file(const char *path, int flags);
