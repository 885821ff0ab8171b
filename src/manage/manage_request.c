/* SPDX-License-Identifier: MIT
 * Answers: what an operation outputs, or its failure as a problem (RFC 9457). */
#include "manage/manage_request.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "crypto/digest.h"
#include "os/log.h"

enum { DETAIL_MAX_BYTES = 4096 };

void
request_add_header(struct manage_request *request, const char *name, struct slice value)
{
	if (!http_response_header(request->response, name, value))
		log_error("header_refused", LOG_STR("name", name));
}

static bool
fail(struct manage_request *request, const struct http_problem_details *problem)
{
	if (problem->status == 503)
		request_add_header(request, "Retry-After", SLICE("5"));
	http_response_problem(request->response, request->http->request_id, problem);
	return false;
}

bool
request_fail_status(struct manage_request *request, unsigned status, const char *error, struct slice detail)
{
	return fail(request, &(struct http_problem_details){
				 .status = status, .title = http_status_text(status), .error = error, .detail = detail });
}

bool
request_fail_wait(struct manage_request *request, int64_t wait_ms, const char *error, struct slice detail)
{
	enum { MS_PER_S = 1000 };
	request_add_header(
	    request, "Retry-After", pool_printf(request->http->pool, "%" PRId64, (wait_ms + MS_PER_S - 1) / MS_PER_S));
	return request_fail_status(request, 429, error, detail);
}

bool
request_fail_method(struct manage_request *request, unsigned allowed)
{
	static const char *const names[] = {
		[HTTP_GET] = "GET, HEAD", [HTTP_POST] = "POST", [HTTP_PATCH] = "PATCH", [HTTP_DELETE] = "DELETE"
	};
	struct slice allow = SLICE("OPTIONS");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] != NULL && (allowed & METHOD_BIT(i)) != 0)
			allow = pool_printf(request->http->pool, "%s, %.*s", names[i], SLICE_ARGS(allow));
	request_add_header(request, "Allow", allow);
	return request_fail_status(request, 405, "method_not_allowed", SLICE("the path does not have this method"));
}

static bool
fail_with(struct manage_request *request, enum operation_problem problem, struct slice pointer, struct slice detail)
{
	const struct operation_problem_info *info = operation_problem_info(problem);
	if (info->status == 429)
		request_add_header(request, "Retry-After", SLICE("60"));
	return fail(request, &(struct http_problem_details){ .status = info->status,
				 .title = info->title,
				 .error = info->code,
				 .detail = detail,
				 .pointer = pointer,
				 .questions = request->call.report.questions });
}

bool
request_fail(struct manage_request *request, enum operation_problem problem, struct slice pointer, const char *format, ...)
{
	char text[DETAIL_MAX_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct slice whole = slice_of(text); /* it may have been cut within a character, but what is sent must be UTF-8 */
	return fail_with(
	    request, problem, pointer, pool_copy(request->http->pool, slice_sub(whole, 0, utf8_valid_size(whole))));
}

/* A JSON pointer to a member; it has the same form for a query. */
static struct slice
pointer_to(struct pool *pool, const char *field)
{
	return field == NULL ? SLICE_NONE : POOL_JOIN(pool, SLICE("/"), slice_of(field));
}

/* Answers with the error of the operation; an operation that did nothing may have reported only a warning. */
static void
answer_failure(struct manage_request *request)
{
	const struct operation_report *report = &request->call.report;
	if (report->failed)
		(void)fail_with(request, report->problem, pointer_to(request->http->pool, report->field), report->message);
	else
		(void)fail_with(request, PROBLEM_CONFLICT, SLICE_NONE, report->warning);
}

/* Web servers limit headers: Apache each one to 8190 bytes, nginx all of them to fastcgi_buffer_size. */
enum { LINK_MAX_BYTES = 6 * 1024 };

/* Adds a link to the next part of a list, as a relative reference (RFC 8288). */
static void
add_next(struct manage_request *request, struct slice after)
{
	struct pool *pool = request->http->pool;
	struct slice rest = request->http->query, pair, query = SLICE("");
	struct buffer encoded;
	while (slice_next(&rest, '&', &pair))
		if (pair.size > 0 && !slice_starts_with(pair, SLICE("after=")))
			query = POOL_JOIN(pool, query, pair, SLICE("&"));
	buffer_init(&encoded, DETAIL_MAX_BYTES);
	encode_percent(&encoded, after);
	const struct slice link =
	    pool_printf(pool, "<?%.*safter=%.*s>; rel=\"next\"", SLICE_ARGS(query), SLICE_ARGS(buffer_slice(&encoded)));
	buffer_free(&encoded);
	if (link.size <= LINK_MAX_BYTES)
		request_add_header(request, "Link", link);
	else
		(void)request_fail(request, PROBLEM_USAGE, SLICE_NONE, "the query is too long for a list with further parts");
}

/* ---- ETags (docs/manage.md 1.3) ---- */

enum { HASH_SHOWN_BYTES = 12 };

/* "VERSION-HASH" if the answer has versioned settings, otherwise "HASH". The hash is that of the answer. */
static struct slice
tag_of(struct manage_request *request)
{
	struct pool *pool = request->http->pool;
	const struct slice body = buffer_slice(&request->response->body);
	const struct digest hash = digest_sha256(&body, 1);
	const struct slice shown = encode_hex(pool, slice_sub(digest_slice(&hash), 0, HASH_SHOWN_BYTES));
	return request->has_version ? pool_printf(pool, "\"%" PRIu64 "-%.*s\"", request->version, SLICE_ARGS(shown))
				    : pool_printf(pool, "\"%.*s\"", SLICE_ARGS(shown));
}

static bool
list_has(struct slice list, struct slice tag)
{
	struct slice item;
	while (slice_next(&list, ',', &item)) {
		item = slice_trim(item);
		if (slice_starts_with(item, SLICE("W/")))
			item = slice_sub(item, 2, item.size);
		if (slice_equal(item, tag) || slice_equal(item, SLICE("*")))
			return true;
	}
	return false;
}

/* Adds the ETag to an answer to GET, which becomes 304 if the client has that version. */
static void
add_version(struct manage_request *request)
{
	const struct slice tag = tag_of(request);
	request_add_header(request, "ETag", tag);
	if (list_has(request->http->if_none_match, tag))
		request->response->status = 304;
}

void
request_answer(struct manage_request *request, int status)
{
	const struct operation_call *call = &request->call;
	if (status != EX_OK && (call->report.failed || output_is_empty(call->output))) {
		answer_failure(request);
		return;
	}
	const enum effect effect = call->operation->effect;
	request->response->status = effect == QUEUES ? 202 : effect == CREATES ? 201 : 200;
	output_write_json(call->output, &request->response->body);
	if (call->operation->method == METHOD_GET)
		add_version(request);
	if (slice_present(call->next))
		add_next(request, call->next);
}
