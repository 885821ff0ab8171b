/* SPDX-License-Identifier: MIT
 * A time limit for a connection. Timeouts of the descriptor only detect silence, and not a peer that sends byte after byte. */
#pragma once

#include <stdint.h>

/* Once per process; uses SIGALRM and ITIMER_REAL. */
void deadline_install(void);
/* After `ms` (> 0) the connection is shut down for reading: pending and later calls return. Replaces the current deadline. */
void deadline_start(int connection, int64_t ms);
/* Call before the connection is closed, because another descriptor could get its number. */
void deadline_stop(void);
