/* SPDX-License-Identifier: MIT */
#include "api/call/param_values.h"

#include "api/call/call_answers.h"

bool
param_text_of(struct call *call, const struct http_param *param, struct slice *text)
{
	*text = SLICE_NONE;
	if (param->value.type == HTTP_BOOLEAN || !http_value_string(&param->value, text))
		return call_fail_parameter(call, param->name, "must be one text");
	if (text->size == 0)
		*text = SLICE_NONE;
	return true;
}

bool
param_read_given(struct call *call, enum param_id id, const struct http_param **given, struct slice *text)
{
	const struct param *parameter = &param_table[id];
	*text = SLICE_NONE;
	for (size_t i = 0; param_has_name(parameter, i) && !slice_present(*text); i++) {
		*given = http_params_find(call->params, parameter->names[i]);
		if (*given == NULL || (*given)->origin == HTTP_ORIGIN_URL ||
		    ((parameter->flags & PARAM_INFORMS) != 0 && (*given)->value.type != HTTP_STRING))
			continue;
		if (!param_text_of(call, *given, text))
			return false;
	}
	return true;
}

bool
param_read_text(struct call *call, enum param_id id, struct slice *text)
{
	const struct http_param *given;
	return param_read_given(call, id, &given, text);
}

bool
param_read_checked(
    struct call *call, enum param_id id, bool (*is_valid)(struct slice text), const char *requirement, struct slice *text)
{
	const struct http_param *given;
	return param_read_given(call, id, &given, text) &&
	       (!slice_present(*text) || is_valid(*text) || call_fail_parameter(call, given->name, requirement));
}

bool
param_read_boolean(struct call *call, enum param_id id, bool *value)
{
	return http_value_boolean(http_params_value(call->params, param_name(id)), value) ||
	       call_fail_parameter(call, param_name(id), "must be true or false");
}

bool
param_read_choice(struct call *call, enum param_id id, int *value)
{
	bool on;
	if (!param_read_boolean(call, id, &on))
		return false;
	*value = param_is_given(call, id) ? on : -1;
	return true;
}

bool
param_is_on(const struct call *call, enum param_id id)
{
	bool on;
	return !http_value_boolean(http_params_value(call->params, param_name(id)), &on) || on;
}

bool
param_is_given(const struct call *call, enum param_id id)
{
	const struct http_value *value = http_params_value(call->params, param_name(id));
	return value != NULL && value->type != HTTP_NULL;
}

size_t
param_values(const struct call *call, struct slice name, const struct http_value **values)
{
	const struct http_value *value = http_params_value(call->params, name);
	*values = value;
	if (value == NULL || value->type == HTTP_NULL || (value->type == HTTP_STRING && value->text.size == 0))
		return 0;
	if (value->type != HTTP_ARRAY)
		return 1;
	*values = value->items;
	return value->item_count;
}

/* Parses an optional '-' and any number of digits. Numbers above `limit`, which is below 10^17, become some value above it.
 * Returns false for any other text. */
static bool
parse_number(struct slice text, int64_t limit, int64_t *number)
{
	const bool negative = slice_starts_with(text, SLICE("-"));
	const struct slice digits = slice_sub(text, negative ? 1 : 0, text.size);
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
param_read_limit(struct call *call, size_t *limit)
{
	const struct http_param *given;
	struct slice text;
	int64_t number;
	if (!param_read_given(call, PARAM_LIMIT, &given, &text))
		return false;
	if (!slice_present(text))
		return true;
	if (!parse_number(text, PARAM_LIMIT_MAX, &number) || number < 1)
		return call_fail_parameter(call, given->name, "must be a number from 1");
	*limit = (size_t)(number < PARAM_LIMIT_MAX ? number : PARAM_LIMIT_MAX);
	return true;
}

bool
param_read_points(struct call *call, bool *given, int32_t *points)
{
	const struct http_param *param;
	struct slice text;
	int64_t number;
	if (!param_read_given(call, PARAM_POINTS, &param, &text))
		return false;
	*given = slice_present(text);
	if (!*given)
		return true;
	if (!parse_number(text, SCORE_POINTS_MAX, &number))
		return call_fail_parameter(call, param->name, "must be a whole number");
	if (number < -SCORE_POINTS_MAX || number > SCORE_POINTS_MAX)
		return call_fail(call, FAILURE_MAX_POINTS_EXCEEDED);
	*points = (int32_t)number;
	return true;
}

struct payload_view
param_view(const struct call *call)
{
	return (struct payload_view){
		.full = call_has_right(call, RIGHT_LEADS),
		.url = (call->route->flags & ROUTE_URL) != 0,
		.skip_urls = param_is_on(call, PARAM_SKIP_URLS),
		.skip_actions = param_is_on(call, PARAM_SKIP_ACTIONS),
	};
}

/* ---- trees ---- */

static void
fill_node(struct document_node *node, const struct http_value *value)
{
	static const enum document_type types[] = {
		[HTTP_NULL] = DOCUMENT_NULL,
		[HTTP_STRING] = DOCUMENT_STRING,
		[HTTP_NUMBER] = DOCUMENT_NUMBER,
		[HTTP_BOOLEAN] = DOCUMENT_BOOLEAN,
		[HTTP_ARRAY] = DOCUMENT_ARRAY,
	};
	node->type = types[value->type];
	node->text = value->text;
	node->boolean = value->boolean;
}

void
param_tree_add(struct pool *pool, struct document_node *root, const struct http_param *param)
{
	struct document_node *node = document_add_field(pool, root, param->name);
	if (node == NULL)
		return;
	fill_node(node, &param->value);
	for (size_t i = 0; i < param->value.item_count; i++)
		fill_node(document_add_item(pool, node), &param->value.items[i]);
}
