/* SPDX-License-Identifier: MIT
 * Actions that pages complete without a key (docs/api.md 4.1.3). */
#include "api/parameters.h"

#include "http/text.h"

enum { DATA_MAX_BYTES = 1024, DATA_JSON_MAX_BYTES = 1024 * 1024, PARTS_MAX = 16 };

/* Returns the parts of `data[a][b]`: a, b. 0: it is no such name, or has too many. */
static size_t
split(struct slice base, struct slice name, struct slice parts[PARTS_MAX])
{
	size_t count = 0;
	if (!slice_starts_with(name, base))
		return 0;
	name = slice_sub(name, base.size, name.size);
	while (count < PARTS_MAX && slice_starts_with(name, SLICE("["))) {
		const size_t end = slice_find(name, ']');
		if (end >= name.size)
			return 0;
		parts[count++] = slice_sub(name, 1, end);
		name = slice_sub(name, end + 1, name.size);
	}
	return name.size == 0 ? count : 0;
}

/* Writes the parameters `data[…]` as the object that they are leaves of. Returns false when there are none. */
static bool
write_leaves(const struct http_params *params, struct slice base, struct json_writer *writer)
{
	struct slice open[PARTS_MAX], parts[PARTS_MAX];
	size_t depth = 0, common;
	bool any = false;
	json_begin_object(writer);
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_param *param = http_params_at(params, i);
		const size_t count = split(base, param->name, parts);
		if (count == 0)
			continue;
		for (common = 0; common < depth && common + 1 < count && slice_equal(open[common], parts[common]);)
			common++;
		for (; depth > common; depth--)
			json_end_object(writer);
		for (; depth + 1 < count; depth++) {
			open[depth] = parts[depth];
			json_key(writer, parts[depth]);
			json_begin_object(writer);
		}
		json_key(writer, parts[count - 1]);
		http_value_write(&param->value, writer);
		any = true;
	}
	for (; depth > 0; depth--)
		json_end_object(writer);
	json_end_object(writer);
	return any;
}

/* `data` is stored as it is if it is one value, else as JSON. It only informs: it is cut, and never fails the call. */
bool
call_read_data(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *value = http_params_value(call->params, parameter->names[0]);
	struct slice text = SLICE_NONE;
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, DATA_JSON_MAX_BYTES);
	json_writer_init(&writer, &out);
	if (value == NULL) {
		if (write_leaves(call->params, parameter->names[0], &writer))
			text = buffer_slice(&out);
	} else if (!http_value_string(value, &text)) {
		http_value_write(value, &writer);
		text = buffer_slice(&out);
	}
	text = http_text_cut(text, DATA_MAX_BYTES);
	arguments->message = text.size > 0 ? pool_copy(call->request->pool, text) : SLICE_NONE;
	buffer_free(&out);
	return true;
}

void
handle_action(struct call *call)
{
	struct arguments arguments;
	if (!call_read(call, GROUP_ACTION, &arguments))
		return;
	const struct command command = {
		.kind = COMMAND_COMPLETION,
		.campaign_id = call->campaign.id,
		.account_id = call->account_id,
		.as.completion = { .lead = arguments.lead, .action_id = arguments.action_id, .message = arguments.message },
	};
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}
