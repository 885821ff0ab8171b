/* SPDX-License-Identifier: MIT */
#include "admin/leads/lead_payload.h"

#include "json/writer.h"

enum result
lead_render(struct operation_call *call, const struct payload_subject *subject, struct slice *json)
{
	const struct payload_settings *settings;
	struct buffer out;
	enum result result = store_payload_settings(call->store, &settings);
	if (result != RESULT_OK)
		return result;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	payload_write(&out, settings, subject, (struct payload_view){ .full = true });
	result = buffer_ok(&out) ? RESULT_OK : RESULT_FAILED;
	*json = pool_copy(call->pool, buffer_slice(&out));
	buffer_free(&out);
	return result;
}

void
lead_put_origin(struct json_writer *writer, const struct lead *lead)
{
	json_begin_object(writer);
	json_put_text(writer, SLICE("source"), lead->source);
	json_put_text(writer, SLICE("signup_url"), lead->signup_url);
	json_put_text(writer, SLICE("referrer"), lead->referrer);
	json_put_text(writer, SLICE("parent_id"), lead->parent_social_id);
	json_put_text(writer, SLICE("ip"), lead->ip);
	json_put_text(writer, SLICE("user_agent"), lead->user_agent);
	json_put_text(writer, SLICE("session_id"), lead->session_id);
	json_put_text(writer, SLICE("request_id"), lead->request_id);
	json_end_object(writer);
}
