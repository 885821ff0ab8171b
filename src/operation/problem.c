/* SPDX-License-Identifier: MIT */
#include "operation/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "operation/operation.h"
#include "operation/output.h"

enum { SHOWN_MAX_BYTES = 64 * 1024 };

#define INFO(name, exit, status, code, title) [PROBLEM_##name] = { exit, status, code, title },
static const struct admin_problem_info infos[ADMIN_PROBLEMS] = { ADMIN_PROBLEM_LIST(INFO) };
#undef INFO

const struct admin_problem_info *
admin_problem_info(enum admin_problem problem)
{
	return &infos[problem];
}

static PRINTF_LIKE(2, 0) struct slice
format_text(struct pool *pool, const char *format, va_list args)
{
	char text[SHOWN_MAX_BYTES];
	const int size = vsnprintf(text, sizeof(text), format, args);
	const struct slice whole = slice_of(text);
	const bool is_cut = size >= (int)sizeof(text); /* maybe within a character */
	return pool_copy(pool, is_cut ? slice_sub(whole, 0, utf8_valid_size(whole)) : whole);
}

/* The text may have texts of clients. */
static void
write_line(const struct admin_call *call, struct slice before, struct slice text)
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
fail(struct admin_call *call, enum admin_problem problem, const char *field, struct slice before, struct slice message)
{
	call->report.failed = true;
	call->report.problem = problem;
	call->report.field = field;
	call->report.message = message;
	write_line(call, before, message);
	return infos[problem].exit;
}

int
admin_fail(struct admin_call *call, enum admin_problem problem, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, problem, NULL, SLICE(""), message);
}

struct slice
admin_member_name(struct pool *pool, const char *name)
{
	char *member = pool_string(pool, slice_of(name));
	for (char *c = member; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	return slice_of(member);
}

const char *
admin_option_shown(const struct admin_call *call, enum admin_option option)
{
	const char *name = admin_option_name(option);
	return pool_string(call->pool,
	    call->is_remote ? admin_member_name(call->pool, name) : POOL_JOIN(call->pool, SLICE("--"), slice_of(name)));
}

int
admin_fail_option(struct admin_call *call, enum admin_problem problem, enum admin_option option, const char *format, ...)
{
	const char *name = admin_option_name(option);
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, problem, name, pool_printf(call->pool, "--%s: ", name), message);
}

int
admin_fail_setting(struct admin_call *call, const char *setting, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, PROBLEM_INVALID, setting, pool_printf(call->pool, "%s=: ", setting), message);
}

int
admin_fail_operand(struct admin_call *call, const char *operand, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	return fail(call, PROBLEM_INVALID, operand, SLICE(""), message);
}

void
admin_warn(struct admin_call *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct slice message = format_text(call->pool, format, args);
	va_end(args);
	call->report.warning = message;
	write_line(call, SLICE(""), message);
}
