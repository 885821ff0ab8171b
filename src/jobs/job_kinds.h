/* SPDX-License-Identifier: MIT
 * What operators' jobs do (store/queue/operator_jobs.h): operations that `leadhook` carries out at once, and the dispatcher as
 * jobs. Each kind is a row of a table in job_kinds.c. */
#pragma once

#include "jobs/job_settings.h"
#include "store/operator/deliveries.h"
#include "store/queue/operator_jobs.h"
#include "store/store.h"

/* A turn of a job that this dispatcher has leased. */
struct job_turn {
	const struct job_settings *settings;
	struct store *store;
	struct pool *pool;
	const unsigned char *owner;
	struct id_set under_way; /* deliveries that this dispatcher is sending */
	int64_t deadline_ms;     /* for work that can be interrupted; in clock_monotonic_ms */
	const atomic_bool *stop; /* true once the dispatcher is stopping */
	struct operator_job *job;
};
/* Works on the job and records its progress, or how it ended. Results other than RESULT_OK are temporary failures of the
 * database: the job then continues in a later turn. */
MUST_CHECK enum result job_take_turn(struct job_turn *turn);
