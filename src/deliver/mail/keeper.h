/* SPDX-License-Identifier: MIT
 * A process beside the caller's for the mailer. In between is a parent of it, the keeper, which starts it again after a crash,
 * with growing pauses: the caller's process has threads then, and cannot. Both end with the caller's process, however that
 * ends. */
#ifndef LEADHOOK_DELIVER_MAIL_KEEPER_H
#define LEADHOOK_DELIVER_MAIL_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"

/* The main function of the process. `stop_fd` is readable when it must end, and signals to end are blocked: it has
 * MAILER_STOP_MS and MAILER_ABANDON_MS for that. Returns an exit status; with one other than 0 it is started again. */
typedef int mail_main(void *context, int stop_fd);

struct mail_keeper {
	mail_main *run;
	void *context;
	int lock_fd; /* a file: the process runs only while no other process has its lock; or -1 */
};

struct mail_process {
	pid_t keeper;
	int stop_fd; /* closed: it must end */
	int done_fd; /* at end of file when both have ended */
};

/* Call before threads start. Afterwards the caller closes its own descriptor of lock_fd. Returns false, logged, when there is
 * no process. */
MUST_CHECK bool mail_process_start(const struct mail_keeper *keeper, struct mail_process *process);
/* Ends it and waits, at most for a moment longer than it has. */
void mail_process_stop(struct mail_process *process);

#endif
