/* SPDX-License-Identifier: MIT
 * Errors and warnings of operations: lines for the command, a problem for callers over HTTP (docs/manage.md 1.2). */
#pragma once

#include <stdbool.h>
#include <sysexits.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* X(name, exit status, HTTP status, stable code, title). */
/* clang-format off */
#define OPERATION_PROBLEM_LIST(X) \
	X(USAGE, EX_USAGE, 422, "invalid_arguments", "The arguments do not fit together") \
	X(INVALID, EX_DATAERR, 422, "invalid_value", "A value is not valid") \
	X(UNKNOWN_FIELD, EX_USAGE, 406, "unknown_field", "There is no such field") \
	X(NOT_FOUND, EX_DATAERR, 404, "not_found", "There is no such object") \
	X(QUESTIONS, EX_DATAERR, 422, "questions", "There are questions to answer first") \
	X(CONFLICT, EX_DATAERR, 409, "conflict", "The state of the object does not allow it") \
	X(FORBIDDEN, EX_NOPERM, 403, "forbidden", "The caller may not do this") \
	X(CHANGED, EX_TEMPFAIL, 412, "changed", "The object was changed since it was read") \
	X(BUSY, EX_TEMPFAIL, 503, "try_again", "Another change was made at the same time") \
	X(UNCERTAIN, EX_TEMPFAIL, 503, "unknown_outcome", "Whether the change was made is not known") \
	X(INCOMPLETE, EX_TEMPFAIL, 503, "incomplete", "The rest is done later") \
	X(UNAVAILABLE, EX_UNAVAILABLE, 503, "service_unavailable", "The database is out of reach") \
	X(TOO_MANY_JOBS, EX_TEMPFAIL, 429, "too_many_jobs", "Too many jobs are queued") \
	X(CONFIG, EX_CONFIG, 409, "not_configured", "The configuration does not allow it") \
	X(INTERNAL, EX_SOFTWARE, 500, "internal_error", "Internal error") \
	X(NO_INPUT, EX_NOINPUT, 500, "internal_error", "Internal error") \
	X(CANNOT_CREATE, EX_CANTCREAT, 500, "internal_error", "Internal error") \
	X(IO, EX_IOERR, 500, "internal_error", "Internal error") \
	X(SYSTEM, EX_OSERR, 500, "internal_error", "Internal error")

/* clang-format on */

#define PROBLEM(name, exit, status, code, title) PROBLEM_##name,
enum operation_problem { OPERATION_PROBLEM_LIST(PROBLEM) OPERATION_PROBLEMS };
#undef PROBLEM

struct operation_problem_info {
	int exit; /* of sysexits.h */
	unsigned status;
	const char *code, *title;
};
const struct operation_problem_info *operation_problem_info(enum operation_problem problem);

/* The errors and warnings of a call. Texts are in its pool. */
struct operation_report {
	bool failed;
	enum operation_problem problem; /* of the last failure */
	struct slice message;           /* of that failure; or absent */
	const char *field;              /* name of the parameter or setting that is invalid; or NULL */
	struct slice questions;         /* PROBLEM_QUESTIONS: a JSON array */
	struct slice warning;           /* the last one, or absent */
};

struct operation_call;

/* Each of these records the failure, writes "leadhook: …" to call->errors unless that is NULL, and returns the exit status. */
int operation_fail(struct operation_call *call, enum operation_problem problem, const char *format, ...) PRINTF_LIKE(3, 4);
/* Reports that the value of a parameter or setting is invalid. The command shows "--limit: …" for an option and "name=: …" for
 * a setting. */
int operation_fail_value(struct operation_call *call, enum operation_problem problem, const char *name, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* The same for a setting, whose name may also be that of an operand. */
int operation_fail_setting(struct operation_call *call, const char *name, const char *format, ...) PRINTF_LIKE(3, 4);
/* Reports that an operand is not a valid id of this kind of object. */
int operation_fail_id(struct operation_call *call, struct slice text, const char *noun);
/* Writes and records a remark that does not make the operation fail. */
void operation_warn(struct operation_call *call, const char *format, ...) PRINTF_LIKE(2, 3);
