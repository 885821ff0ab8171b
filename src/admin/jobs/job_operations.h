/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher (docs/operating.md 4.1): how operations queue and show them. */
#pragma once

#include "jobs/job_fields.h"
#include "operation/operation.h"
#include "store/queue/operator_jobs.h"

/* Queues a job for the campaign and its account (0: for the installation) and outputs it. Returns a status, after reporting an
 * error. */
MUST_CHECK int queued_job_add(struct operation_call *call, uint64_t campaign_id, enum job_kind kind, struct slice parameters);
/* The caller, as the column made_by of jobs stores it. */
struct slice queued_job_made_by(struct operation_call *call);
/* `result` is that of the function that queued the job: outputs the job, or reports why it was not queued. Returns a status. */
MUST_CHECK int queued_job_answer(struct operation_call *call, enum result result, uint64_t id);

/* Adds the fields of a result to the current record. */
void output_job_fields(struct output *output, const struct job_field *fields, const void *values);
