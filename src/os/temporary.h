/* SPDX-License-Identifier: MIT
 * Temporary files for processes that may not write files. */
#pragma once

#include <stdio.h>

/* Like tmpfile(3), but the file is in memory. Returns NULL, with errno set, on failure. */
FILE *temporary_in_memory(void);
