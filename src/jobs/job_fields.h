/* SPDX-License-Identifier: MIT
 * Reads and writes parameters and results of jobs: a table maps the members of a struct to those of a JSON object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum job_field_type {
	JOB_FIELD_NUMBER,  /* uint64_t */
	JOB_FIELD_ID,      /* uint64_t; 0: absent */
	JOB_FIELD_LIMIT,   /* size_t; SIZE_MAX: absent */
	JOB_FIELD_TIME_MS, /* int64_t; -1: absent */
	JOB_FIELD_BOOLEAN, /* bool */
	JOB_FIELD_TEXT,    /* struct slice; valid UTF-8, or absent */
	JOB_FIELD_EVENT,   /* int, an enum event_type; -1: absent */
	JOB_FIELD_STATE,   /* int, an enum delivery_state; -1: absent */
	JOB_FIELD_ANSWER   /* enum answer_class; ANY_ANSWER: absent */
};

/* A table of fields ends with a row without a name. */
struct job_field {
	const char *name;
	enum job_field_type type;
	size_t place; /* offset in the struct */
};

/* The value of a member, as JSON represents it. */
struct job_value {
	enum { JOB_VALUE_ABSENT, JOB_VALUE_NUMBER, JOB_VALUE_BOOLEAN, JOB_VALUE_TEXT } kind;
	uint64_t number; /* of a boolean: 1 if it is true */
	struct slice text;
};
struct job_value job_field_value(const struct job_field *field, const void *values);

/* How absent values are written. */
enum job_absences { JOB_ABSENCES_OMITTED, JOB_ABSENCES_NULL };
/* The object, in the pool. */
MUST_CHECK struct slice job_fields_write(
    struct pool *pool, const struct job_field *fields, const void *values, enum job_absences absences);
/* Sets the members that the object has and leaves the others unchanged; texts are in the pool. Returns false for a text that is
 * not such an object, or has an unknown member, which could be a filter of a later version. */
MUST_CHECK bool job_fields_read(struct pool *pool, const struct job_field *fields, struct slice object, void *values);
