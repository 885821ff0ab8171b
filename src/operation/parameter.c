/* SPDX-License-Identifier: MIT */
#include "operation/parameter.h"

#include <string.h>

#include "base/panic.h"
#include "operation/operation.h"
#include "operation/value_types.h"

static void
report(struct operation_call *call, const struct parameter *parameter, const struct value_reading *reading, struct slice text)
{
	const struct value_type *type = parameter->type;
	const bool is_operand = (parameter->flags & PARAMETER_OPERAND) != 0;
	const char *name = parameter->name;
	if (is_operand && type->noun != NULL)
		operation_fail_id(call, text, type->noun);
	else if (slice_present(reading->message))
		operation_fail_value(call, reading->problem, name, "%.*s", SLICE_ARGS(reading->message));
	else if (is_operand)
		operation_fail_value(call, reading->problem, name, "%s: expected %s", name, reading->expected);
	else
		operation_fail_value(call, reading->problem, name, "expected %s", reading->expected);
}

static void
note(struct operation_call *call, const struct parameter *parameter)
{
	call->given[parameter - call->operation->parameters] = true;
	call->previews = call->previews || (parameter->flags & PARAMETER_PREVIEW) != 0;
	call->is_slow = call->is_slow || (parameter->flags & PARAMETER_SLOW) != 0;
}

bool
parameter_needs_password(const struct parameter *parameter, struct slice text)
{
	const char *value = parameter->password_for;
	return value != NULL && (*value == '\0' || slice_equal(text, slice_of(value)));
}

bool
parameter_take(struct operation_call *call, const struct parameter *parameter, struct slice text)
{
	struct value_reading reading = { .pool = call->pool,
		.is_remote = call->is_remote,
		.type = parameter->type,
		.is_operand = (parameter->flags & PARAMETER_OPERAND) != 0,
		.invalid = SLICE_NONE,
		.message = SLICE_NONE,
		.expected = parameter->type->expected,
		.problem = PROBLEM_INVALID };
	call->needs_password = call->needs_password || parameter_needs_password(parameter, text);
	if (!parameter->type->parse(&reading, text, call->arguments + parameter->place)) {
		report(call, parameter, &reading, text);
		return false;
	}
	note(call, parameter);
	return true;
}

bool
parameter_take_pair(struct operation_call *call, const struct parameter *parameter, struct slice name, struct slice value)
{
	value_pairs_add(call->pool, (struct value_pairs *)(void *)(call->arguments + parameter->place),
	    &(struct value_pair){ .name = name, .value = value });
	note(call, parameter);
	return true;
}

void
parameters_begin(struct operation_call *call)
{
	const struct operation *operation = call->operation;
	call->arguments = pool_alloc(call->pool, operation->arguments_size + 1);
	memset(call->arguments, 0, operation->arguments_size + 1);
	if (operation->defaults != NULL)
		memcpy(call->arguments, operation->defaults, operation->arguments_size);
	call->given = POOL_ARRAY(call->pool, operation->parameter_count + 1, bool);
	if (operation->settings != NULL)
		call->settings = (struct settings){ .values = pool_alloc(call->pool, operation->settings->size),
			.given = POOL_ARRAY(call->pool, operation->settings->count, bool) };
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		if (call->is_remote && (parameter->flags & PARAMETER_ON_BY_HTTP) != 0)
			*(bool *)(void *)(call->arguments + parameter->place) = true;
	}
}

const struct parameter *
parameter_find(const struct operation_call *call, struct slice name)
{
	const struct operation *operation = call->operation;
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (slice_equal(name, slice_of(operation->parameters[i].name)))
			return &operation->parameters[i];
	return NULL;
}

bool
parameter_is_given(const struct operation_call *call, const char *name)
{
	const struct parameter *parameter = parameter_find(call, slice_of(name));
	require(parameter != NULL);
	return parameter != NULL && call->given[parameter - call->operation->parameters];
}

struct slice
parameter_text(const struct operation_call *call, const char *name)
{
	const struct parameter *parameter = parameter_find(call, slice_of(name));
	return parameter == NULL ? SLICE_NONE : *(const struct slice *)(const void *)(call->arguments + parameter->place);
}

const char *
parameter_shown(const struct operation_call *call, const char *name)
{
	if (call->is_remote)
		return name;
	char *option = pool_string(call->pool, POOL_JOIN(call->pool, SLICE("--"), slice_of(name)));
	for (char *c = option; *c != '\0'; c++)
		if (*c == '_')
			*c = '-';
	return option;
}
