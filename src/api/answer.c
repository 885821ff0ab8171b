/* SPDX-License-Identifier: MIT
 * Answers and failures, as JSON, JSONP or a page. */
#include "api/call.h"

#include "base/log.h"

/* Seconds after which a client may try again what failed for want of a database. */
#define RETRY_AFTER "5"

enum { CALLBACK_MAX_BYTES = 64 };

enum failure
call_failure(enum result result)
{
	return result == RESULT_FAILED || result == RESULT_INVALID ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE;
}

/* 5xx texts carry the request id, and the log a line with it (docs/api.md 2): what was wrong is told apart, once for many. */
static struct slice
failure_message(struct call *call, const struct failure_text *text, enum failure failure, struct slice detail)
{
	struct pool *pool = call->request->pool;
	if (text->status >= 500) {
		log_info("answered", LOG_INT("status", text->status), LOG_STR("error", text->code));
		return pool_printf(pool, "%s (request %.*s)", text->message, SLICE_ARGS(call->request->request_id));
	}
	if (failure == FAILURE_INVALID_EVENT)
		return pool_printf(pool, "%s%.*s", text->message, SLICE_ARGS(detail));
	return slice_present(detail) ? detail : slice_of(text->message);
}

/* A script that fails to load tells its page nothing, so the failure of JSONP is an answer as any other. */
static void
write_failure(struct call *call, const struct failure_text *text, struct slice message)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	if (slice_present(call->callback)) {
		call->response->status = 200;
		json_key(&writer, SLICE("status"));
		json_i64(&writer, text->status);
	}
	json_key(&writer, SLICE("message"));
	json_string(&writer, message);
	json_key(&writer, SLICE("error"));
	json_string(&writer, slice_of(text->code));
	json_end_object(&writer);
}

void
call_fail_with(struct call *call, enum failure failure, struct slice detail)
{
	const struct failure_text *text = failure_text(failure);
	struct slice message = failure_message(call, text, failure, detail);
	if (text->status == 503 && !http_response_header(call->response, "Retry-After", SLICE(RETRY_AFTER)))
		log_error("header_refused", LOG_STR("name", "Retry-After"));
	call->response->status = (unsigned)text->status;
	call->unavailable = text->status == 503;
	buffer_clear(&call->response->body);
	if (call->route != NULL && (call->route->flags & ROUTE_PAGE) != 0)
		call_fail_page(call, message);
	else
		write_failure(call, text, message);
}

void
call_fail(struct call *call, enum failure failure)
{
	call_fail_with(call, failure, SLICE_NONE);
}

void
call_fail_parameter(struct call *call, struct slice name, const char *rule)
{
	call_fail_with(
	    call, FAILURE_INVALID_PARAMETER, pool_printf(call->request->pool, "Parameter %.*s %s", SLICE_ARGS(name), rule));
}

void
call_answer(struct call *call, struct slice json)
{
	buffer_add(&call->response->body, json);
}

struct json_writer
call_begin(struct call *call)
{
	struct json_writer writer;
	json_writer_init(&writer, &call->response->body);
	return writer;
}

/* [A-Za-z_$][\w$.]{0,63} (docs/api.md 4.1): whatever else might stand before the answer, it must be no script of a stranger. */
static bool
is_callback(struct slice name)
{
	if (name.size == 0 || name.size > CALLBACK_MAX_BYTES)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];
		bool fits = ascii_is_alpha(c) || c == '_' || c == '$' || (i > 0 && (ascii_is_digit(c) || c == '.'));
		if (!fits)
			return false;
	}
	return true;
}

/* Read apart from the other parameters, so that whatever is wrong with those can be told to the callback. */
void
call_read_callback(struct call *call)
{
	struct http_params *query;
	struct http_names none = { NULL, 0 };
	struct slice name;
	if (call->route == NULL || (call->route->flags & ROUTE_JSONP) == 0 ||
	    (call->request->method != HTTP_GET && call->request->method != HTTP_HEAD))
		return;
	http_params_parse_query(call->request, &call->api->options->caps, &none, &query);
	call->callback_is_bad = !http_value_string(http_params_value(query, SLICE("jsonp")), &name);
	if (call->callback_is_bad || name.size == 0)
		return;
	call->callback_is_bad = !is_callback(name);
	if (!call->callback_is_bad)
		call->callback = name;
}

bool
call_check_callback(struct call *call)
{
	if (call->callback_is_bad)
		call_fail_parameter(
		    call, SLICE("jsonp"), "must be the name of a function: at most 64 letters, digits, _ $ and .");
	return !call->callback_is_bad;
}

void
call_finish(struct call *call)
{
	struct buffer *body = &call->response->body;
	if (!slice_present(call->callback) || !buffer_ok(body))
		return;
	call->response->content = HTTP_JAVASCRIPT;
	struct slice json = pool_copy(call->request->pool, buffer_slice(body));
	if (json.size == 0) /* nothing was made for HEAD */
		return;
	buffer_clear(body);
	buffer_add(body, call->callback);
	buffer_add_byte(body, '(');
	buffer_add(body, json);
	buffer_add(body, SLICE(");"));
}
