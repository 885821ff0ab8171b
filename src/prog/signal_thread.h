/* SPDX-License-Identifier: MIT
 * The thread that handles the signals that do not end a program with several threads. SIGUSR1 and SIGUSR2 reopen the log file;
 * even without a signal, the writer of the next line notices that the file was moved (os/log.h). SIGHUP reloads. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Everything it points to must stay valid. */
struct signal_tasks {
	const _Atomic(pid_t) *groups; /* process groups that get SIGUSR2, too; 0: none. May change */
	size_t group_count;
	void (*reload)(void *context); /* may take long; NULL: the thread leaves SIGHUP alone */
	void *context;
};

/* Blocks the signals of these tasks. Call before processes and threads start, so that they inherit this. */
void signal_thread_block(const struct signal_tasks *tasks);
void signal_thread_start(const struct signal_tasks *tasks);
/* Waits until a reload under way has ended; none begins afterwards. Call before freeing anything that `context` needs. */
void signal_thread_end(void);
