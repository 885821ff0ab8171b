/* SPDX-License-Identifier: MIT */
#include "api/handlers/actions.h"

#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/lead_argument.h"
#include "api/call/param_names.h"
#include "api/call/param_tree.h"
#include "api/call/param_values.h"
#include "engine/visitors.h"
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
			param_tree_add(pool, root, param);
	}
	const struct document_node *object = document_child(root, base);
	if (object == NULL)
		return false;
	document_write(object, writer);
	return true;
}

/* `data` is stored as it is if it is one value, else as JSON. It only informs: it is cut, and never fails the call. */
static struct slice
read_data(struct call *call)
{
	const struct slice name = param_name(PARAM_DATA);
	const struct http_value *value = http_params_value(call->params, name);
	struct slice text = SLICE_NONE;
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, DATA_JSON_MAX_BYTES);
	json_writer_init(&writer, &out);
	if (value == NULL) {
		if (write_leaves(call->request->pool, call->params, name, &writer))
			text = buffer_slice(&out);
	} else if (!http_value_string(value, &text)) {
		http_value_write(value, &writer);
		text = buffer_slice(&out);
	}
	text = http_text_cut(text, DATA_MAX_BYTES);
	text = text.size > 0 ? pool_copy(call->request->pool, text) : SLICE_NONE;
	buffer_free(&out);
	return text;
}

/* False: the call has failed. */
static bool
read_completion(struct call *call, struct completion *completion)
{
	struct slice id;
	if (!lead_read_social_id(call, &completion->lead) || !param_read_text(call, PARAM_ACTION_ID, &id))
		return false;
	if (slice_present(id) && (!slice_to_u64(id, INT64_MAX, &completion->action_id) || completion->action_id == 0))
		return call_fail(call, FAILURE_ACTION_NOT_FOUND);
	completion->message = read_data(call);
	return true;
}

void
handle_action(struct call *call)
{
	struct command command = { .kind = COMMAND_COMPLETION };
	if (!read_completion(call, &command.as.completion))
		return;
	const enum visitor visitor = command.as.completion.lead.own ? VISITOR_OWNER : VISITOR_STRANGER;
	if (!call_has_right(call, RIGHT_CHANGE) && !visitor_may_change(&call->campaign, visitor)) {
		call_fail_stranger(call);
		return;
	}
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}
