/* SPDX-License-Identifier: MIT
 * A request to the management calls: method and path, the cookies, the body. What is found of it is a call of a command as the
 * command line could make it, and no more (docs/manage.md 1). */
#include "admin/operations.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "json/reader.h"
#include "manage/request.h"

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
request_sees_path(struct manage_request *request UNUSED)
{
	return true;
}

bool
request_sees(struct manage_request *request UNUSED, struct slice name UNUSED, struct slice id UNUSED)
{
	return true;
}

static void
require_text(const struct admin_command *command, const char *text)
{
	const struct slice slice = slice_of(text);
	REQUIRE(utf8_valid(slice));
	for (size_t i = 0; i < slice.size && !command->lines; i++)
		REQUIRE((unsigned char)slice.data[i] >= ' ' && slice.data[i] != 0x7f);
}

static void
require_option(const struct admin_call *call, enum admin_option option)
{
	const char *value = admin_option_value(option), *text = call->options[option];
	if (text == NULL || option == OPTION_JSON)
		return;
	REQUIRE(admin_option_in(call->command->options, option));
	REQUIRE(value == NULL ? text[0] == '\0' : strcmp(value, "FILE") != 0);
	REQUIRE(option != OPTION_QUEUE && option != OPTION_ENCODING);
	require_text(call->command, text);
}

static void
require_call(const struct admin_call *call)
{
	const struct admin_command *command = call->command;
	REQUIRE(call->operand_count >= command->minimum && call->operand_count <= command->maximum);
	for (size_t i = 0; i < call->operand_count; i++)
		require_text(command, call->operands[i]);
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++)
		require_option(call, (enum admin_option)i);
	for (const enum admin_option *option = command->required; option != NULL && *option != ADMIN_OPTIONS; option++)
		REQUIRE(call->options[*option] != NULL);
	for (size_t kind = 0; kind < ADMIN_TEXTS; kind++)
		for (size_t i = 0; i < call->texts[kind].count; i++)
			require_text(command, call->texts[kind].items[i]);
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

/* Whether it is a call; else it is answered with a problem. */
static bool
read_call(struct manage_request *request)
{
	if (!request_find_command(request))
		return false;
	REQUIRE(request->command->method != ADMIN_SHELL_ONLY && request->path_count <= PATH_PARAMETERS_MAX);
	request->call.command = request->command;
	return request_read_arguments(request);
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
