/* SPDX-License-Identifier: MIT */
#include "api/call/call_answers.h"

#include "api/call/page_answers.h"
#include "api/call/param_names.h"
#include "os/log.h"

/* Retry-After in seconds when the database is unavailable. */
#define RETRY_AFTER "5"

enum { CALLBACK_MAX_BYTES = 64 };

enum failure
call_failure(enum result result)
{
	const bool internal = result == RESULT_FAILED || result == RESULT_WRONG_SCHEMA || result == RESULT_TOO_MANY;
	return internal ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE;
}

void
call_add_header(struct call *call, const char *name, struct slice value)
{
	if (!http_response_header(call->response, name, value))
		log_error("header_refused", LOG_STR("name", name));
}

/* 5xx messages contain the request id, and the log has a line with it (docs/api.md 2). The cause is logged separately. */
static struct slice
failure_message(struct call *call, const struct failure_info *text, enum failure failure, struct slice detail)
{
	struct pool *pool = call->request->pool;
	if (text->status >= 500) {
		log_info("answered", LOG_INT("status", text->status), LOG_STR("error", text->code));
		return pool_printf(pool, "%s (request %.*s)", text->message, SLICE_ARGS(call->request->request_id));
	}
	if (failure == FAILURE_PROOF_INVALID && slice_present(detail))
		return pool_printf(pool, "%s: %.*s", text->message, SLICE_ARGS(detail));
	if (failure == FAILURE_INVALID_EVENT)
		return pool_printf(pool, "%s%.*s", text->message, SLICE_ARGS(detail));
	return slice_present(detail) ? detail : slice_of(text->message);
}

/* Writes a failure as JSON. `status` is only for JSONP: for a page that reads the body of a failed script, whose function is
 * not called. */
static void
write_failure(struct call *call, const struct failure_info *text, struct slice message)
{
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	if (slice_present(call->callback))
		json_put_i64(&writer, SLICE("status"), text->status);
	json_put_text(&writer, SLICE("message"), message);
	json_put_text(&writer, SLICE("error"), slice_of(text->code));
	if (call->failure == FAILURE_PROOF_REQUIRED || call->failure == FAILURE_PROOF_INVALID)
		json_put_text(&writer, SLICE("challenge"), call_page_url(call, SLICE("/challenge")));
	json_end_object(&writer);
}

/* Whether a page shows the failure. Forms are answered later, in call_finish_form. An unknown path below that of the hosted
 * pages is a mistyped link. */
static bool
answers_page(const struct call *call)
{
	if (call->route != NULL && (call->route->flags & ROUTE_HOSTED) != 0)
		return call->request->method != HTTP_POST || call->route->key == KEY_PAGE;
	if (call->route != NULL)
		return (call->route->flags & (ROUTE_PAGE | ROUTE_MAILED)) != 0;
	return call->request->segment_count > 0 && slice_equal(call->request->segments[0], SLICE("c"));
}

/* Management answers with 401 and 403 where clients of /v2 expect 409 (docs/manage.md 1.2). */
static unsigned
status_of(const struct failure_info *text, enum failure failure)
{
	if (failure == FAILURE_MISSING_API_KEY || failure == FAILURE_INVALID_API_KEY)
		return 401;
	return failure == FAILURE_ACCOUNT_SUSPENDED ? 403 : (unsigned)text->status;
}

static void
write_problem(struct call *call, const struct failure_info *text, struct slice message)
{
	const unsigned status = status_of(text, call->failure);
	if (status == 401)
		call_add_header(call, "WWW-Authenticate", SLICE("Bearer"));
	const struct http_problem_details problem = {
		.status = status, .title = http_status_text(status), .error = text->code, .detail = message
	};
	http_response_problem(call->response, call->request->request_id, &problem);
}

bool
call_fail_with(struct call *call, enum failure failure, struct slice detail)
{
	const struct failure_info *text = failure_info(failure);
	struct slice message = failure_message(call, text, failure, detail);
	if (text->status == 503)
		call_add_header(call, "Retry-After", SLICE(RETRY_AFTER));
	call->response->status = (unsigned)text->status;
	call->unavailable = text->status == 503;
	call->failure = failure;
	call->failure_message = message;
	buffer_clear(&call->response->body);
	if (api_is_management(call->api, call->request))
		write_problem(call, text, message);
	else if (answers_page(call))
		call_fail_page(call);
	else
		write_failure(call, text, message);
	return false;
}

bool
call_fail(struct call *call, enum failure failure)
{
	return call_fail_with(call, failure, SLICE_NONE);
}

bool
call_fail_result(struct call *call, enum result result, enum failure missing)
{
	return call_fail(call, result == RESULT_NOT_FOUND ? missing : call_failure(result));
}

bool
call_check_result(struct call *call, enum result result)
{
	return result == RESULT_OK || call_fail(call, call_failure(result));
}

bool
call_fail_parameter(struct call *call, struct slice name, const char *requirement)
{
	return call_fail_with(call, FAILURE_INVALID_PARAMETER,
	    pool_printf(call->request->pool, "Parameter %.*s %s", SLICE_ARGS(name), requirement));
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

/* [A-Za-z_$][\w$.]{0,63} (docs/api.md 4.1). Anything else could inject a script. */
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

/* The callback is read before all other parameters, so that it receives their errors. */
void
call_read_callback(struct call *call)
{
	struct slice name;
	if (call->route == NULL || (call->route->flags & ROUTE_JSONP) == 0 ||
	    (call->request->method != HTTP_GET && call->request->method != HTTP_HEAD))
		return;
	call->callback_is_bad = !http_value_string(http_params_value(call->params, param_name(PARAM_CALLBACK)), &name);
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
		    call, param_name(PARAM_CALLBACK), "must be the name of a function: at most 64 letters, digits, _ $ and .");
	return !call->callback_is_bad;
}

/* Parsers of older clients miscount multibyte characters, and fail on surrogate pairs in escapes (docs/api.md 4.1.6). */
static void
escape_characters(struct call *call)
{
	struct buffer *body = &call->response->body;
	if (call->route == NULL || (call->route->flags & ROUTE_URL) == 0 || !buffer_ok(body))
		return;
	struct slice json = pool_copy(call->request->pool, buffer_slice(body));
	buffer_clear(body);
	json_write_escaped(body, json);
}

void
call_finish(struct call *call)
{
	struct buffer *body = &call->response->body;
	escape_characters(call);
	if (!slice_present(call->callback) || !buffer_ok(body))
		return;
	call->response->content = HTTP_JAVASCRIPT;
	struct slice json = pool_copy(call->request->pool, buffer_slice(body));
	if (json.size == 0) /* HEAD has no body */
		return;
	buffer_clear(body);
	buffer_add(body, call->callback);
	buffer_add_byte(body, '(');
	buffer_add(body, json);
	buffer_add(body, SLICE(");"));
}
