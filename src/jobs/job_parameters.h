/* SPDX-License-Identifier: MIT
 * The parameters of operators' jobs, as JSON objects. */
#pragma once

#include "base/attributes.h"
#include "store/operator/deliveries.h"
#include "store/queue/operator_jobs.h"

/* Everything is in the pool. Functions that read parameters return false for what this version does not understand. The
 * parameters do not contain the campaign, which is that of the job. */
struct slice job_redelivery_parameters(struct pool *pool, const struct delivery_filter *filter);
MUST_CHECK bool job_read_filter(struct pool *pool, const struct operator_job *job, struct delivery_filter *filter);

/* The parameters of a test; each kind uses its own members. */
struct job_test {
	uint64_t webhook_id;
	struct slice address;        /* valid, in the form of struct mail_address */
	struct slice kind, language; /* for a sample mail */
};
struct slice job_test_parameters(struct pool *pool, const struct job_test *test);
MUST_CHECK bool job_read_test(struct pool *pool, const struct operator_job *job, struct job_test *test);

/* The parameters of a job of any kind, without the lead that the job is about; absent if they cannot be read. */
struct slice job_parameters_without_lead(struct pool *pool, const struct operator_job *job);
