/* SPDX-License-Identifier: MIT
 * Sends what jobs of operators send (jobs/jobs.h), for the command and the dispatcher. */
#ifndef LEADHOOK_PROG_JOB_TOOLS_H
#define LEADHOOK_PROG_JOB_TOOLS_H

#include "jobs/jobs.h"
#include "prog/wiring.h"

/* They are valid as long as the wiring. One thread may use them at a time; it need not be the one that uses the wiring. Before,
 * wiring_prepare_sending must have been called. */
struct job_tools job_tools_of(const struct wiring *wiring);

#endif
