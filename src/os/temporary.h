/* SPDX-License-Identifier: MIT
 * Temporary files of processes that may write nowhere. */
#ifndef LEADHOOK_OS_TEMPORARY_H
#define LEADHOOK_OS_TEMPORARY_H

#include <stdio.h>

/* A file in memory, without a name, for reading and writing; as tmpfile(). Returns NULL on failure: errno. */
FILE *temporary_in_memory(void);

#endif
