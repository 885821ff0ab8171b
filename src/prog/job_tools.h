/* SPDX-License-Identifier: MIT
 * The tools with which jobs of operators (jobs/jobs.h) send deliveries and mails, for the command and the dispatcher. */
#ifndef LEADHOOK_PROG_JOB_TOOLS_H
#define LEADHOOK_PROG_JOB_TOOLS_H

#include "jobs/jobs.h"
#include "prog/wiring.h"

/* The tools are valid as long as the wiring. One thread at a time may use them, even another one than the wiring's.
 * wiring_prepare_sending must have been called before. */
struct job_tools job_tools_of(const struct wiring *wiring);

#endif
