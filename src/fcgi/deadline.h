/* SPDX-License-Identifier: MIT
 * An end to the patience with a peer that keeps a connection busy byte by byte: timeouts on the descriptor only see silence. */
#ifndef LEADHOOK_FCGI_DEADLINE_H
#define LEADHOOK_FCGI_DEADLINE_H

#include <stdint.h>

/* Once in a process; takes SIGALRM and ITIMER_REAL. */
void deadline_install(void);
/* After `ms` (> 0) the connection is shut down (`how` of shutdown(2)): what waits on it ends, and later calls do not wait.
 * Replaces a deadline that is running. */
void deadline_start(int connection, int how, int64_t ms);
/* Before another descriptor can get the connection's number. */
void deadline_stop(void);

#endif
