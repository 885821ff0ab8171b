/* SPDX-License-Identifier: MIT */
#include "http/response.h"

#include "json/writer.h"

static const struct {
	unsigned status;
	const char *text;
} status_texts[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 415, "Unsupported Media Type" },
	{ 422, "Unprocessable Content" },
	{ 423, "Locked" },
	{ 429, "Too Many Requests" },
	{ 500, "Internal Server Error" },
	{ 503, "Service Unavailable" },
};

static const char *const content_types[] = {
	[HTTP_JSON] = "application/json",
	[HTTP_JAVASCRIPT] = "text/javascript",
	[HTTP_HTML] = "text/html",
	[HTTP_CSS] = "text/css",
	[HTTP_SVG] = "image/svg+xml",
	[HTTP_TEXT] = "text/plain",
	[HTTP_METRICS] = "text/plain; version=0.0.4",
	[HTTP_PROBLEM] = "application/problem+json",
};

/* docs/api.md 7. Most responses must not be cached: they are private, and depend on headers that a cache does not compare. */
static const char not_cached[] = "Cache-Control: no-store\r\n", cached[] = "Cache-Control: public, max-age=3600\r\n",
		  cached_for_good[] = "Cache-Control: public, max-age=31536000, immutable\r\n";

/* Headers of every response, and additional ones of responses that any page may read. */
static const char common_headers[] = "X-Content-Type-Options: nosniff\r\n",
		  shared_headers[] = "Access-Control-Allow-Origin: *\r\n"
				     "Access-Control-Expose-Headers: Retry-After, RateLimit-Limit, RateLimit-Remaining, "
				     "RateLimit-Reset, X-Request-Id\r\n";

/* The headers that a preflight allows if the request names none. */
#define USUAL_HEADERS SLICE("Authorization, Authentication, Content-Type, X-Requested-With")

enum { REQUESTED_HEADERS_MAX_BYTES = 1024 };

void
http_response_init(struct http_response *response, struct pool *pool, size_t maximum)
{
	*response = (struct http_response){ .pool = pool, .status = 200 };
	buffer_init(&response->body, maximum);
}

void
http_response_free(struct http_response *response)
{
	buffer_free(&response->body);
}

bool
http_response_header(struct http_response *response, const char *name, struct slice value)
{
	if (response->header_count == HTTP_RESPONSE_HEADERS || slice_has_control(value))
		return false;
	response->headers[response->header_count++] = (struct http_header){ name, pool_copy(response->pool, value) };
	return true;
}

/* Whether the list consists of tokens (RFC 9110, 5.6.2) that are separated by commas. */
static bool
are_header_names(struct slice list)
{
	struct slice name;
	if (list.size == 0 || list.size > REQUESTED_HEADERS_MAX_BYTES || slice_has_control(list))
		return false;
	while (slice_next(&list, ',', &name)) {
		name = slice_trim(name);
		if (name.size == 0 || !slice_is_alnum(name, "!#$%&'*+-.^_`|~"))
			return false;
	}
	return true;
}

void
http_response_preflight(struct http_response *response, struct slice requested_headers)
{
	const struct http_header headers[] = {
		{ "Access-Control-Allow-Methods", SLICE("GET, POST, DELETE, OPTIONS") },
		{ "Access-Control-Allow-Headers", are_header_names(requested_headers) ? requested_headers : USUAL_HEADERS },
		{ "Access-Control-Max-Age", SLICE("86400") },
		{ "Vary", SLICE("Access-Control-Request-Headers") },
	};
	response->status = 204;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		response->headers[i] = headers[i];
	response->header_count = ARRAY_SIZE(headers);
}

const char *
http_status_text(unsigned status)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_texts); i++)
		if (status_texts[i].status == status)
			return status_texts[i].text;
	return "";
}

/* ---- problems (RFC 9457) ---- */

static void
write_errors(struct json_writer *writer, const struct http_problem_details *problem)
{
	json_name(writer, SLICE("errors"));
	json_begin_array(writer);
	json_begin_object(writer);
	json_put_text(writer, SLICE("pointer"), problem->pointer);
	json_put_text(writer, SLICE("detail"), problem->detail);
	json_end_object(writer);
	json_end_array(writer);
}

void
http_response_problem(struct http_response *response, struct slice request_id, const struct http_problem_details *problem)
{
	struct json_writer writer;
	response->status = problem->status;
	response->content = HTTP_PROBLEM;
	buffer_clear(&response->body);
	json_writer_init(&writer, &response->body);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("type"), SLICE("about:blank"));
	json_put_text(&writer, SLICE("title"), slice_of(problem->title));
	json_put_u64(&writer, SLICE("status"), problem->status);
	json_put_text(&writer, SLICE("detail"), problem->detail);
	json_put_text(&writer, SLICE("error"), slice_of(problem->error));
	json_put_text(&writer, SLICE("request_id"), request_id);
	if (slice_present(problem->pointer))
		write_errors(&writer, problem);
	if (slice_present(problem->questions))
		json_put_raw(&writer, SLICE("questions"), problem->questions);
	json_end_object(&writer);
}

/* ---- the bytes ---- */

/* Content-Length must be omitted if it differs from that of GET (RFC 9110, 8.6). */
static void
add_content_headers(struct buffer *out, const struct http_response *response, size_t size)
{
	buffer_add(out, SLICE("Content-Type: "));
	buffer_add_text(out, content_types[response->content]);
	buffer_add(out, SLICE("; charset=utf-8\r\n"));
	if (response->head && size == 0)
		return;
	buffer_add(out, SLICE("Content-Length: "));
	buffer_add_u64(out, size);
	buffer_add(out, SLICE("\r\n"));
}

static void
add_header(struct buffer *out, const char *name, struct slice value)
{
	buffer_add_text(out, name);
	buffer_add(out, SLICE(": "));
	buffer_add(out, value);
	buffer_add(out, SLICE("\r\n"));
}

bool
http_response_render(const struct http_response *response, struct slice request_id, struct buffer *out)
{
	if (!buffer_ok(&response->body))
		return false;
	struct slice body = buffer_slice(&response->body);
	bool has_content = response->status != 204 && response->status != 304;
	buffer_add(out, SLICE("Status: "));
	buffer_add_u64(out, response->status);
	buffer_add_byte(out, ' ');
	buffer_add_text(out, http_status_text(response->status));
	buffer_add(out, SLICE("\r\n"));
	if (has_content)
		add_content_headers(out, response, body.size);
	buffer_add_text(out, response->is_immutable ? cached_for_good : response->is_public ? cached : not_cached);
	buffer_add_text(out, common_headers);
	if (!response->same_origin)
		buffer_add_text(out, shared_headers);
	add_header(out, "X-Request-Id", request_id);
	for (size_t i = 0; i < response->header_count; i++)
		add_header(out, response->headers[i].name, response->headers[i].value);
	buffer_add(out, SLICE("\r\n"));
	if (has_content && !response->head)
		buffer_add(out, body);
	return buffer_ok(out);
}
