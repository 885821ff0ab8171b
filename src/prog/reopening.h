/* SPDX-License-Identifier: MIT
 * Reopens the log file on SIGUSR1 and SIGUSR2, in a program with threads. Without a signal, the next line finds out by itself
 * that the file was moved (base/log.h). */
#ifndef LEADHOOK_PROG_REOPENING_H
#define LEADHOOK_PROG_REOPENING_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/* Blocks the signals. Call before processes and threads start, which inherit that. */
void reopening_block(void);
/* Starts a thread that waits for them, and passes them on to process groups (0: none), which must stay valid and may change. */
void reopening_start(const _Atomic(pid_t) *groups, size_t count);

#endif
