/* SPDX-License-Identifier: MIT
 * Actions that pages complete without a key (docs/api.md 4.1.3). */
#include "api/document.h"
#include "api/parameters.h"

#include "engine/strangers.h"
#include "http/text.h"

enum { DATA_MAX_BYTES = 1024, DATA_JSON_MAX_BYTES = 1024 * 1024 };

/* `data[a][b]` */
static bool
is_member(struct slice base, struct slice name)
{
	if (!slice_starts_with(name, base) || name.size == base.size)
		return false;
	for (name = slice_sub(name, base.size, name.size); name.size > 0;) {
		const size_t end = slice_find(name, ']');
		if (name.data[0] != '[' || end == name.size)
			return false;
		name = slice_sub(name, end + 1, name.size);
	}
	return true;
}

/* Writes the parameters `data[…]` as the object that they are leaves of. Returns false when there are none. */
static bool
write_leaves(struct pool *pool, const struct http_params *params, struct slice base, struct json_writer *writer)
{
	struct document_node *root = document_new(pool);
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_param *param = http_params_at(params, i);
		if (is_member(base, param->name))
			document_add_param(pool, root, param);
	}
	const struct document_node *object = document_child(root, base);
	if (object == NULL)
		return false;
	document_write(object, writer);
	return true;
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
		if (write_leaves(call->request->pool, call->params, parameter->names[0], &writer))
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
	if (!call_has_right(call, RIGHT_CHANGE) && !stranger_may_change(&call->campaign, slice_present(arguments.own.value))) {
		call_fail_stranger(call);
		return;
	}
	const struct command command = {
		.kind = COMMAND_COMPLETION,
		.as.completion = { .lead = arguments.lead, .action_id = arguments.action_id, .message = arguments.message },
	};
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}
