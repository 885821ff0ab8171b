/* SPDX-License-Identifier: MIT
 * The signals that steer the processes. They stay blocked for good and are read where a process waits anyway (sigtimedwait,
 * signalfd): none can cut a request short, and none is lost because there was always something else to do. */
#ifndef LEADHOOK_FCGI_SIGNALS_H
#define LEADHOOK_FCGI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks TERM INT USR1 HUP CHLD, and undoes an inherited "ignore" (nohup), which would drop them unread.
 * PIPE is ignored: a log or a peer that is gone is an error of the write. */
void signals_block(void);
/* The set of those. */
void signals_fill(sigset_t *set);
/* TERM, INT, USR1. */
bool signal_means_stop(int number);

#endif
