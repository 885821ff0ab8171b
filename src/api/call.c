/* SPDX-License-Identifier: MIT
 * Answers, and parameters as the contract reads them. */
#include "api/call.h"

#include "base/log.h"

/* Seconds after which a client may try again what failed for want of a database. */
#define RETRY_AFTER "5"

enum failure
call_failure(enum result result)
{
	return result == RESULT_FAILED || result == RESULT_INVALID ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE;
}

/* 5xx texts carry the request id, which the log has too. */
static struct slice
with_request_id(struct call *call, const char *message)
{
	return pool_printf(call->request->pool, "%s (request %.*s)", message, SLICE_ARGS(call->request->request_id));
}

void
call_fail_with(struct call *call, enum failure failure, struct slice detail)
{
	const struct failure_text *text = failure_text(failure);
	struct pool *pool = call->request->pool;
	struct slice message = slice_of(text->message);
	struct json_writer writer;
	if (text->status >= 500)
		message = with_request_id(call, text->message);
	else if (failure == FAILURE_INVALID_EVENT)
		message = pool_printf(pool, "%s%.*s", text->message, SLICE_ARGS(detail));
	else if (slice_present(detail))
		message = detail;
	if (text->status == 503 && !http_response_header(call->response, "Retry-After", SLICE(RETRY_AFTER)))
		log_error("header_refused", LOG_STR("name", "Retry-After"));
	call->response->status = (unsigned)text->status;
	buffer_clear(&call->response->body);
	json_writer_init(&writer, &call->response->body);
	json_begin_object(&writer);
	json_key(&writer, SLICE("message"));
	json_string(&writer, message);
	json_key(&writer, SLICE("error"));
	json_string(&writer, slice_of(text->code));
	json_end_object(&writer);
}

void
call_fail(struct call *call, enum failure failure)
{
	call_fail_with(call, failure, SLICE_NONE);
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

void
call_fail_parameter(struct call *call, struct slice name, const char *rule)
{
	call_fail_with(
	    call, FAILURE_INVALID_PARAMETER, pool_printf(call->request->pool, "Parameter %.*s %s", SLICE_ARGS(name), rule));
}

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
call_boolean(struct call *call, const char *name, bool *value)
{
	if (http_value_boolean(http_params_value(call->params, slice_of(name)), value))
		return true;
	call_fail_parameter(call, slice_of(name), "must be true or false");
	return false;
}
