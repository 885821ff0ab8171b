/* SPDX-License-Identifier: MIT
 * Descriptors of open files. */
#pragma once

#include <stdio.h>

/* Opens the descriptors from 0 to 2 that are closed, so that results and log lines cannot go to another file that got such a
 * number. Call first in main(), before any file is opened. A write to a descriptor that was closed then fails. */
void descriptors_fill(void);
/* Closes it, unless it is -1, and keeps errno. Returns -1. */
int descriptor_close(int fd);
/* Like tmpfile(3), but the file is in memory, for processes that may not write files. Returns NULL, with errno set, on
 * failure. */
FILE *descriptor_in_memory(void);
