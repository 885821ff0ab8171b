/* SPDX-License-Identifier: MIT
 * A time limit for a peer that keeps a connection busy byte by byte: timeouts of the descriptor only detect silence. */
#ifndef LEADHOOK_FCGI_DEADLINE_H
#define LEADHOOK_FCGI_DEADLINE_H

#include <stdint.h>

/* Once per process; uses SIGALRM and ITIMER_REAL. */
void deadline_install(void);
/* After `ms` (> 0) the connection is shut down for reading: pending and later calls return. Replaces the current deadline. */
void deadline_start(int connection, int64_t ms);
/* Call before another descriptor can get the connection's number. */
void deadline_stop(void);

#endif
