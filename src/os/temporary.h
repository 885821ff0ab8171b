/* SPDX-License-Identifier: MIT
 * Temporary files for processes that may not write files. */
#ifndef LEADHOOK_OS_TEMPORARY_H
#define LEADHOOK_OS_TEMPORARY_H

#include <stdio.h>

/* Like tmpfile(3), but the file is in memory. Returns NULL, with errno set, on failure. */
FILE *temporary_in_memory(void);

#endif
