/* SPDX-License-Identifier: MIT
 * Replaces a file atomically: readers, and a machine after a power failure, find the old file or the new one, never a part.
 * Another account that can change directories of the path can neither redirect the bytes nor get to read them. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/slice.h"

struct replacement {
	int fd;     /* of the new file, for the caller to write to */
	int folder; /* -1: `fd` is a device or a pipe, which is written to instead of replaced */
	bool named; /* the new file already has its name, because the file system does not support unnamed files */
	char name[NAME_MAX + 1], new_name[NAME_MAX + 32];
};

/* Opens a new file next to `path`. Where possible it has no name until it is finished, so that nothing is left when the process
 * is killed. Links are followed, and devices and pipes written to, only in directories that are ours (os/folder.h). There the
 * new file gets owner and mode of the old one, if there is one and the process may set them; otherwise it belongs to the caller
 * and has `mode`. Returns 0 or an errno value: ELOOP for a link, EPERM for a device or a pipe. */
MUST_CHECK int replacement_begin(struct replacement *replacement, const char *path, mode_t mode);
/* Replaces the old file with the new one. Returns 0, or an errno value; the old file is then unchanged, unless only the
 * directory could not be written to disk. */
MUST_CHECK int replacement_finish(struct replacement *replacement);
/* Removes the new file. */
void replacement_abandon(struct replacement *replacement);

/* Replaces the file with these bytes. */
MUST_CHECK int replace_file(const char *path, struct slice bytes, mode_t mode);

/* Writes all bytes. Returns 0 or an errno value. */
MUST_CHECK int write_fully(int fd, struct slice bytes);
