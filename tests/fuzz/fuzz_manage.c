/* SPDX-License-Identifier: MIT
 * A request to the management calls: method and path, the cookies, the body. What is read from it is a call of an operation
 * with the parameters that the operation takes, and nothing else (docs/manage.md 1). */
#include "base/utf8.h"
#include "fuzz.h"
#include "json/reader.h"
#include "manage/access.h"
#include "manage/arguments.h"
#include "manage/identity.h"
#include "operation/value_types.h"

enum { ANSWER_MAX_BYTES = 1024 * 1024, PROBLEM_DEPTH = 3 };

struct input {
	struct slice method, target, cookie;
	struct http_request http;
};

static struct slice
get(void *context, const char *name)
{
	const struct input *input = context;
	const struct slice variable = slice_of(name);
	if (slice_equal(variable, SLICE("REQUEST_URI")))
		return input->target;
	if (slice_equal(variable, SLICE("REQUEST_METHOD")))
		return input->method;
	if (slice_equal(variable, SLICE("HTTP_COOKIE")))
		return input->cookie;
	return slice_equal(variable, SLICE("CONTENT_TYPE")) ? SLICE("application/json") : SLICE_NONE;
}

/* In place of access.c, which reads the database: the caller may do everything. */
bool
request_may_run(struct manage_request *request UNUSED)
{
	return true;
}

bool
request_sees(
    struct manage_request *request, struct slice name UNUSED, enum owned_kind kind UNUSED, struct slice id, struct owner *owner)
{
	uint64_t number;
	*owner = (struct owner){ .account_id = 1, .campaign_id = 1 };
	return value_is_id(id, &number) || request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such object");
}

static void
require_text(const struct value_type *type, struct slice text)
{
	REQUIRE(utf8_valid(text));
	for (size_t i = 0; i < text.size && !type->has_lines; i++)
		REQUIRE((unsigned char)text.data[i] >= ' ' && text.data[i] != 0x7f);
}

static void
require_pairs(const struct operation_call *call, const struct parameter *parameter)
{
	const struct value_pairs *pairs = (const struct value_pairs *)(const void *)(call->arguments + parameter->place);
	for (size_t i = 0; i < pairs->count; i++) {
		require_text(parameter->type, pairs->items[i].name);
		require_text(parameter->type, pairs->items[i].value);
	}
}

static void
require_call(const struct operation_call *call)
{
	const struct operation *operation = call->operation;
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		const enum value_form form = parameter->type->form;
		if (form == VALUE_PAIRS || form == VALUE_FIELDS)
			require_pairs(call, parameter);
		if (call->given[i] && parameter->type->parse == value_text.parse)
			require_text(
			    parameter->type, *(const struct slice *)(const void *)(call->arguments + parameter->place));
		REQUIRE(!call->given[i] || (!parameter->type->is_file && (parameter->flags & PARAMETER_SHELL) == 0));
		REQUIRE(call->given[i] || (parameter->flags & PARAMETER_REQUIRED) == 0);
	}
	REQUIRE(operation->subject == NULL || operation->subject_is_optional || call->id > 0);
}

static void
require_token(const struct manage_request *request)
{
	const struct slice token = request_token(request);
	if (!slice_present(token))
		return;
	REQUIRE(token.data >= request->http->cookie.data);
	REQUIRE(token.data + token.size <= request->http->cookie.data + request->http->cookie.size);
	REQUIRE(slice_find(token, ';') == token.size);
}

/* A json_handler. */
static bool
find_error(void *context, const struct json_event *event)
{
	bool *found = context;
	*found = *found || (event->type == JSON_KEY && slice_equal(event->text, SLICE("error")));
	return true;
}

static void
require_problem(const struct http_response *response)
{
	struct json_problem problem;
	bool has_error = false;
	REQUIRE(response->status >= 400 && response->status < 500 && response->content == HTTP_PROBLEM);
	REQUIRE(json_read(buffer_slice(&response->body), PROBLEM_DEPTH, find_error, &has_error, &problem) && has_error);
}

/* Returns whether it is a call; otherwise it is answered with a problem. */
static bool
read_call(struct manage_request *request)
{
	if (!request_find_operation(request))
		return false;
	REQUIRE(request->operation->method != METHOD_NONE && request->path_count <= PATH_PARAMETERS_MAX);
	request->call.operation = request->operation;
	return request_read_path(request) && request_read_members(request);
}

static void
handle(const struct input *input, struct http_response *response)
{
	static struct manage manage;
	struct manage_request request = { .manage = &manage,
		.http = &input->http,
		.response = response,
		.caller = { .kind = CALLER_USER, .operator= true },
		    .call = { .pool = input->http.pool, .caller = &request.caller, .is_remote = true } };
	require_token(&request);
	if (read_call(&request)) {
		REQUIRE(response->body.size == 0);
		require_call(&request.call);
	} else {
		if (request.call.report.failed) /* reported by the parser of a value */
			request_answer(&request, 1);
		require_problem(response);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size), line = fuzz_line(&rest);
	const size_t blank = slice_find(line, ' ');
	struct input input = { .method = slice_sub(line, 0, blank), .target = slice_sub(line, blank + 1, line.size) };
	struct http_response response;
	input.cookie = fuzz_line(&rest);
	http_response_init(&response, pool, ANSWER_MAX_BYTES);
	if (http_request_init(&input.http, pool, get, &input, SLICE("")) == RESULT_OK) {
		input.http.body = rest;
		handle(&input, &response);
	}
	http_response_free(&response);
	pool_free(&pool);
	return 0;
}
