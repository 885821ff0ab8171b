/* SPDX-License-Identifier: MIT
 * Works on jobs of operators (jobs/jobs.h), in a thread of its own: a turn may wait for a receiver or a mail server, and delays
 * neither deliveries nor maintenance. A job that ends the process by a defect twice fails (crashes.h). */
#ifndef LEADHOOK_DELIVER_JOBS_H
#define LEADHOOK_DELIVER_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "deliver/slots.h"
#include "deliver/tasks.h"

struct due_webhooks;
struct job_tools;
struct jobs;

/* What it uses; must stay valid. */
struct jobs_parts {
	struct event_loop *loop;
	const struct job_tools *tools;
	const struct slots *slots;  /* deliveries in them are under way */
	const unsigned char *owner; /* of the leases */
	int64_t lease_ms;           /* longer than any turn */
};

/* Returns NULL, logged, when no thread can be created. */
struct jobs *jobs_new(struct store *store, const struct jobs_parts *with);
/* Waits for the current turn. */
void jobs_free(struct jobs **jobs);

/* What a poll has found. */
void jobs_polled(struct jobs *jobs, const struct due_webhooks *found);
/* Begins no more turns, and releases the jobs. */
void jobs_end(struct jobs *jobs);
bool jobs_have_ended(const struct jobs *jobs);

/* The tasks of its thread. */
struct tasks *jobs_tasks(const struct jobs *jobs);
/* Returns true once after a turn: there may be deliveries. */
bool jobs_take_progress(struct jobs *jobs);
/* True while there are jobs, or a turn is under way. */
bool jobs_have_work(const struct jobs *jobs);

#endif
