/* SPDX-License-Identifier: MIT
 * Parameters as docs/api.md 1 has them, and commands carried out. */
#include "api/call.h"

bool
call_param_text(struct call *call, const struct http_param *param, struct slice *text)
{
	*text = SLICE_NONE;
	if (param == NULL)
		return true;
	if (param->value.type == HTTP_BOOLEAN || !http_value_string(&param->value, text)) {
		call_fail_parameter(call, param->name, "must be one text");
		return false;
	}
	if (text->size == 0)
		*text = SLICE_NONE;
	return true;
}

bool
call_text(struct call *call, const char *name, struct slice *text)
{
	return call_param_text(call, http_params_find(call->params, slice_of(name)), text);
}

bool
call_first_text(struct call *call, const char *const *names, struct slice *text)
{
	for (*text = SLICE_NONE; *names != NULL && !slice_present(*text); names++)
		if (!call_text(call, *names, text))
			return false;
	return true;
}

bool
call_boolean(struct call *call, const char *name, bool *value)
{
	if (http_value_boolean(http_params_value(call->params, slice_of(name)), value))
		return true;
	call_fail_parameter(call, slice_of(name), "must be true or false");
	return false;
}

bool
call_whole_number(struct slice text, int64_t limit, int64_t *number)
{
	bool negative = slice_starts_with(text, SLICE("-"));
	struct slice digits = slice_sub(text, negative ? 1 : 0, text.size);
	*number = 0;
	for (size_t i = 0; i < digits.size; i++) {
		if (!ascii_is_digit(digits.data[i]))
			return false;
		if (*number <= limit)
			*number = *number * 10 + (digits.data[i] - '0');
	}
	if (negative)
		*number = -*number;
	return digits.size > 0;
}

bool
call_parse_points(struct call *call, int32_t *points, bool *given)
{
	static const char name[] = "points";
	struct slice text;
	int64_t number;
	*points = 0;
	if (!call_text(call, name, &text))
		return false;
	*given = slice_present(text);
	if (!*given)
		return true;
	if (!call_whole_number(text, SCORE_POINTS_MAX, &number)) {
		call_fail_parameter(call, slice_of(name), "must be a whole number");
		return false;
	}
	if (number < -SCORE_POINTS_MAX || number > SCORE_POINTS_MAX) {
		call_fail(call, FAILURE_MAX_POINTS_EXCEEDED);
		return false;
	}
	*points = (int32_t)number;
	return true;
}

bool
call_execute(struct call *call, const struct command *command, struct outcome *outcome)
{
	const struct api_backend *backend = call->api->backend;
	if (!call_may_wait(call, WAIT_CAMPAIGN))
		return false;
	backend->execute(backend->context, call->request->pool, command, call->deadline_ms, outcome);
	if (outcome->failure != FAILURE_NONE)
		call_fail_with(call, outcome->failure, outcome->detail);
	return outcome->failure == FAILURE_NONE;
}
