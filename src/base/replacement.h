/* SPDX-License-Identifier: MIT
 * Replaces a file at once: readers, and a machine after a power failure, have the old file or the new one, never a part. */
#ifndef LEADHOOK_BASE_REPLACEMENT_H
#define LEADHOOK_BASE_REPLACEMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/slice.h"

struct replacement {
	char *path, *folder, *new_path;
	int fd;     /* of the new file, for the caller to write to */
	bool named; /* the new file has its name, because the file system has no files without */
};

/* Opens a new file beside `path`, or beside the file that it is a link to. Where it can be it has no name until it is finished, so that nothing of it stays when the
 * process is killed. Returns 0 or an errno value. */
MUST_CHECK int replacement_begin(struct replacement *replacement, const char *path);
/* Puts it in the place of the old file, with the mode and owner of that one; `mode`: of a file that did not exist. Returns 0 or
 * an errno value: the old file is as it was, unless only its folder could not be written to the disk. Frees all. */
MUST_CHECK int replacement_finish(struct replacement *replacement, mode_t mode);
/* Removes the new file, and frees all. */
void replacement_abandon(struct replacement *replacement);

/* Replaces the file by these bytes. */
MUST_CHECK int replace_file(const char *path, struct slice bytes, mode_t mode);

/* Returns 0 or an errno value. */
MUST_CHECK int write_fully(int fd, struct slice bytes);

#endif
