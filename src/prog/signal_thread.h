/* SPDX-License-Identifier: MIT
 * A thread of a program with threads that handles the signals that do not end it: SIGUSR1 and SIGUSR2 reopen the log file
 * (without a signal, the next line finds out by itself that the file was moved, os/log.h), SIGHUP reloads. */
#ifndef LEADHOOK_PROG_SIGNAL_THREAD_H
#define LEADHOOK_PROG_SIGNAL_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All of it must stay valid. */
struct signal_tasks {
	const _Atomic(pid_t) *groups; /* of processes, which SIGUSR2 is passed on to; 0: none. They may change */
	size_t group_count;
	void (*reload)(void *context); /* may take long; NULL: the thread leaves SIGHUP alone */
	void *context;
};

/* Blocks the signals; `hup`: SIGHUP, too. Call before processes and threads start, which inherit that. */
void signal_thread_block(bool hup);
void signal_thread_start(const struct signal_tasks *tasks);
/* Waits for a reload under way; none begins later. Call before what `context` needs is freed. */
void signal_thread_end(void);

#endif
