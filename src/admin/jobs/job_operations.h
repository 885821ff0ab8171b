/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher, for commands that leave their work to it with --queue. */
#ifndef LEADHOOK_ADMIN_JOBS_JOB_OPERATIONS_H
#define LEADHOOK_ADMIN_JOBS_JOB_OPERATIONS_H

#include "jobs/fields.h"
#include "jobs/jobs.h"
#include "operation/operation.h"

/* Whether the work is left to the dispatcher: with --queue, and for remote calls, which wait for no other host. */
MUST_CHECK bool admin_queues(const struct admin_call *call);
/* Queues a job of the campaign and its account (0: of the installation) and outputs it. Returns a status, after reporting an
 * error. */
int admin_queue_job(struct admin_call *call, uint64_t campaign_id, enum job_kind kind, struct slice parameters);

/* The caller, as jobs have it. */
struct slice admin_made_by(struct admin_call *call);
/* Outputs the job after RESULT_OK of the function that queued it, else reports why it did not. Returns a status. */
int admin_answer_job(struct admin_call *call, enum result result, uint64_t id);

/* The address that a test is to be sent to. Returns EX_OK, or a status after reporting that it is not valid, or that mail is
 * off. The result refers to `text`. */
int admin_test_address(struct admin_call *call, const char *text, struct slice *address);
/* Outputs what became of the mail after RESULT_OK, else reports why it was not sent. Returns a status. */
int admin_answer_mail_test(struct admin_call *call, enum result result, const struct mail_test *test);

/* Outputs the members of a result, in the current record. */
void admin_output_fields(struct output *output, const struct job_field *fields, size_t count, const void *values);

#endif
