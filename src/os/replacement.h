/* SPDX-License-Identifier: MIT
 * Files that commands write. A file is replaced at once: readers, and a machine after a power failure, have the old file or the
 * new one, never a part. What another account may have put in the path decides neither where the bytes go nor which account
 * reads them. */
#ifndef LEADHOOK_OS_REPLACEMENT_H
#define LEADHOOK_OS_REPLACEMENT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/slice.h"

struct replacement {
	int fd;     /* of the new file, for the caller to write to */
	int folder; /* -1: `fd` is that of a device or a pipe, which cannot be replaced */
	bool named; /* the new file has its name, because the file system has no files without */
	char name[NAME_MAX + 1], new_name[NAME_MAX + 32];
};

/* Opens a new file beside `path`; where it can be it has no name until it is finished, so that nothing of it stays when the
 * process is killed. A link in the path is followed, and a device or a pipe written to, only in a folder that is ours
 * (os/directory.h). There the new file has owner and mode of the old one; elsewhere, or if it cannot have them, or there is
 * none, it is the caller's, with `mode`. Returns 0 or an errno value: ELOOP for a link, EPERM for a device or a pipe. */
MUST_CHECK int replacement_begin(struct replacement *replacement, const char *path, mode_t mode);
/* Puts it in the place of the old file. Returns 0 or an errno value: the old file is as it was, unless only its folder could
 * not be written to the disk. */
MUST_CHECK int replacement_finish(struct replacement *replacement);
/* Removes the new file. */
void replacement_abandon(struct replacement *replacement);

/* Replaces the file by these bytes. */
MUST_CHECK int replace_file(const char *path, struct slice bytes, mode_t mode);

/* Returns 0 or an errno value. */
MUST_CHECK int write_fully(int fd, struct slice bytes);

#endif
