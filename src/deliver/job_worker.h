/* SPDX-License-Identifier: MIT
 * Works on jobs of operators (jobs/job_kinds.h), in a thread of its own: a turn may wait for a receiver or a mail server, but
 * delays neither deliveries nor maintenance. A job that has crashed the process twice fails (crashes.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "deliver/slots.h"
#include "deliver/tasks.h"

struct due_webhooks;
struct job_settings;
struct job_worker;

/* What it uses; must stay valid. */
struct job_worker_parts {
	struct event_loop *loop;
	const struct job_settings *settings;
	const struct slots *slots;  /* deliveries in these slots are under way */
	const unsigned char *owner; /* owner of the leases */
	int64_t lease_ms;           /* longer than any turn */
};

/* Returns NULL, logged, when no thread can be created. */
struct job_worker *job_worker_new(struct store *store, const struct job_worker_parts *with);
/* Waits for the current turn. */
void job_worker_free(struct job_worker **worker);

/* Takes note of what a poll has found. */
void job_worker_note_poll(struct job_worker *worker, const struct due_webhooks *found);
/* Begins no more turns, and releases the jobs. */
void job_worker_end(struct job_worker *worker);
bool job_worker_has_ended(const struct job_worker *worker);

/* The tasks of its thread. */
struct tasks *job_worker_tasks(const struct job_worker *worker);
/* Returns true once after a turn: there may be deliveries. */
bool job_worker_take_progress(struct job_worker *worker);
/* True while there are jobs, or a turn is under way. */
bool job_worker_has_work(const struct job_worker *worker);
