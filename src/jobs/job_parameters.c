/* SPDX-License-Identifier: MIT */
#include "jobs/job_parameters.h"

#include <stddef.h>

#include "jobs/job_fields.h"

#define PLACE(member) offsetof(struct delivery_filter, member)
static const struct job_field filter_fields[] = {
	{ "webhook", JOB_FIELD_ID, PLACE(webhook_id) },
	{ "lead", JOB_FIELD_TEXT, PLACE(lead_social_id) },
	{ "event", JOB_FIELD_EVENT, PLACE(event) },
	{ "state", JOB_FIELD_STATE, PLACE(state) },
	{ "status", JOB_FIELD_ANSWER, PLACE(answer) },
	{ "since_ms", JOB_FIELD_TIME_MS, PLACE(since_ms) },
	{ "until_ms", JOB_FIELD_TIME_MS, PLACE(until_ms) },
	{ "limit", JOB_FIELD_LIMIT, PLACE(limit) },
	{ .name = NULL },
};
#undef PLACE

struct slice
job_redelivery_parameters(struct pool *pool, const struct delivery_filter *filter)
{
	return job_fields_write(pool, filter_fields, filter, JOB_ABSENCES_OMITTED);
}

bool
job_read_filter(struct pool *pool, const struct operator_job *job, struct delivery_filter *filter)
{
	*filter = (struct delivery_filter){ .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = SIZE_MAX };
	filter->campaign_id = job->campaign_id;
	return job_fields_read(pool, filter_fields, job->parameters, filter);
}

struct slice
job_parameters_without_lead(struct pool *pool, const struct operator_job *job)
{
	struct delivery_filter filter;
	if (job->kind != JOB_REDELIVERY)
		return job->parameters;
	if (!job_read_filter(pool, job, &filter))
		return SLICE_NONE;
	filter.lead_social_id = SLICE_NONE;
	return job_redelivery_parameters(pool, &filter);
}

#define PLACE(member) offsetof(struct job_test, member)
static const struct job_field test_fields[] = {
	{ "webhook", JOB_FIELD_ID, PLACE(webhook_id) },
	{ "address", JOB_FIELD_TEXT, PLACE(address) },
	{ "kind", JOB_FIELD_TEXT, PLACE(kind) },
	{ "language", JOB_FIELD_TEXT, PLACE(language) },
	{ .name = NULL },
};
#undef PLACE

struct slice
job_test_parameters(struct pool *pool, const struct job_test *test)
{
	return job_fields_write(pool, test_fields, test, JOB_ABSENCES_OMITTED);
}

bool
job_read_test(struct pool *pool, const struct operator_job *job, struct job_test *test)
{
	*test = (struct job_test){ 0 };
	return job_fields_read(pool, test_fields, job->parameters, test);
}
