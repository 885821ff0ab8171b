/* SPDX-License-Identifier: MIT
 * The parameters of jobs of operators, as objects of JSON. */
#pragma once

#include "base/attributes.h"
#include "store/operator/deliveries.h"
#include "store/queue/operator_jobs.h"

/* All in the pool. Reading returns false for what this version does not understand. The campaign is the job's. */
struct slice job_redelivery_parameters(struct pool *pool, const struct delivery_filter *filter);
MUST_CHECK bool job_read_filter(struct pool *pool, const struct operator_job *job, struct delivery_filter *filter);

/* Of tests: each kind has its own members. */
struct job_test {
	uint64_t webhook_id;
	struct slice address;        /* as it is to be sent to: valid */
	struct slice kind, language; /* of a sample; its campaign is the job's */
};
struct slice job_test_parameters(struct pool *pool, const struct job_test *test);
MUST_CHECK bool job_read_test(struct pool *pool, const struct operator_job *job, struct job_test *test);

/* The parameters of any job without the lead that it is about; absent: they cannot be read. */
struct slice job_parameters_without_lead(struct pool *pool, const struct operator_job *job);
