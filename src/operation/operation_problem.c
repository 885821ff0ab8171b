/* SPDX-License-Identifier: MIT */
#include "operation/operation_problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "operation/operation.h"
#include "operation/output.h"

enum { SHOWN_MAX_BYTES = 64 * 1024 };

#define INFO(name, exit, status, code, title) [PROBLEM_##name] = { exit, status, code, title },
static const struct operation_problem_info infos[OPERATION_PROBLEMS] = { OPERATION_PROBLEM_LIST(INFO) };
#undef INFO

const struct operation_problem_info *
operation_problem_info(enum operation_problem problem)
{
	return &infos[problem];
}

static PRINTF_LIKE(2, 0) struct slice format_text(struct pool *pool, const char *format, va_list args)
{
	char text[SHOWN_MAX_BYTES];
	const int size = vsnprintf(text, sizeof(text), format, args);
	const struct slice whole = slice_of(text);
	const bool is_cut = size >= (int)sizeof(text); /* possibly within a character */
	return pool_copy(pool, is_cut ? slice_sub(whole, 0, utf8_valid_size(whole)) : whole);
}

/* The text may contain texts of clients, so unsafe characters are replaced. */
static void
write_line(const struct operation_call *call, struct slice before, struct slice text)
{
	struct buffer shown;
	if (call->errors == NULL)
		return;
	buffer_init(&shown, SHOWN_MAX_BYTES);
	output_add_shown(&shown, text);
	fprintf(call->errors, "leadhook: %.*s%.*s\n", SLICE_ARGS(before), SLICE_ARGS(buffer_slice(&shown)));
	buffer_free(&shown);
}

static int
fail(struct operation_call *call, enum operation_problem problem, const char *field, struct slice before, struct slice message)
{
	call->report.failed = true;
	call->report.problem = problem;
	call->report.field = field;
	call->report.message = message;
	write_line(call, before, message);
	return infos[problem].exit;
}

int
operation_fail(struct operation_call *call, enum operation_problem problem, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, problem, NULL, SLICE(""), message);
}

/* What the command shows before the message. */
static struct slice
name_of(struct operation_call *call, const char *name)
{
	const struct parameter *parameter = parameter_find(call, slice_of(name));
	if (parameter == NULL)
		return pool_printf(call->pool, "%s=: ", name);
	if ((parameter->flags & PARAMETER_OPERAND) != 0)
		return SLICE("");
	return pool_printf(call->pool, "%s: ", parameter_shown(call, name));
}

int
operation_fail_value(struct operation_call *call, enum operation_problem problem, const char *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, problem, name, name_of(call, name), message);
}

int
operation_fail_setting(struct operation_call *call, const char *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, PROBLEM_INVALID, name, pool_printf(call->pool, "%s=: ", name), message);
}

int
operation_fail_id(struct operation_call *call, struct slice text, const char *noun)
{
	return operation_fail(call, PROBLEM_INVALID, "%.*s is not a valid id of a%s %s", SLICE_ARGS(text),
	    strchr("aei", noun[0]) != NULL ? "n" : "", noun);
}

void
operation_warn(struct operation_call *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	call->report.warning = message;
	write_line(call, SLICE(""), message);
}
