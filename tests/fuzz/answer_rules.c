/* SPDX-License-Identifier: MIT */
#include "answer_rules.h"

#include "base/buffer.h"
#include "json/reader.h"

enum { DEPTH = 32, RENDERED_MAX = 32 * 1024 * 1024 };

/* The members of an error that have been read; `status` is in scripts only. */
struct seen {
	bool message, error;
	uint64_t status;
	bool *next;     /* the text of the next value */
	bool is_status; /* the next value is the status */
};

static bool
on_event(void *context, const struct json_event *event)
{
	struct seen *seen = context;
	if (event->type == JSON_KEY && event->depth == 1) {
		seen->next = slice_equal(event->text, SLICE("message")) ? &seen->message
			     : slice_equal(event->text, SLICE("error")) ? &seen->error
									: NULL;
		seen->is_status = slice_equal(event->text, SLICE("status"));
	} else if (event->type == JSON_STRING && event->depth == 1 && seen->next != NULL) {
		*seen->next = event->text.size > 0;
	} else if (event->type == JSON_NUMBER && event->depth == 1 && seen->is_status) {
		REQUIRE(slice_to_u64(event->text, 999, &seen->status));
	}
	return true;
}

/* `status`: the one that an error states; 0: it states none. */
static void
require_json(struct slice body, bool error, uint64_t status)
{
	struct seen seen = { .next = NULL };
	struct json_problem problem;
	REQUIRE(json_read(body, DEPTH, on_event, &seen, &problem));
	REQUIRE(!error || (seen.message && seen.error && seen.status == status));
}

/* The script name({…}); with a valid name of a JavaScript function. */
static void
require_script(struct slice body, bool error, uint64_t status)
{
	size_t open = slice_find(body, '(');
	struct slice name = slice_sub(body, 0, open);
	REQUIRE(name.size >= 1 && name.size <= 64 && slice_ends_with(body, SLICE(");")));
	REQUIRE(!ascii_is_digit(name.data[0]) && name.data[0] != '.');
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];
		REQUIRE(ascii_is_alpha(c) || ascii_is_digit(c) || c == '_' || c == '$' || c == '.');
	}
	require_json(slice_sub(body, open + 1, body.size - 2), error, status);
}

static void
require_body(const struct http_response *response, struct slice body)
{
	bool error = response->status >= 400;
	switch (response->content) {
	case HTTP_JSON:
		require_json(body, error, 0);
		break;
	case HTTP_JAVASCRIPT:
		require_script(body, error, response->status);
		break;
	case HTTP_HTML:
		REQUIRE(response->status == 303 || slice_starts_with(body, SLICE("<!DOCTYPE html>")));
		break;
	case HTTP_CSS:
	case HTTP_SVG:
	case HTTP_TEXT:
		REQUIRE(response->is_public);
		break;
	case HTTP_PROBLEM: /* only of the extension, which these targets do not have */
		REQUIRE(false);
		break;
	case HTTP_METRICS:
		REQUIRE(response->status == 200 && slice_starts_with(body, SLICE("# HELP ")));
		break;
	}
}

static bool
has_header(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++)
		if (slice_equal(slice_of(response->headers[i].name), slice_of(name)))
			return true;
	return false;
}

/* Header lines, each with a colon, until an empty line. */
static struct slice
require_head(struct slice rendered)
{
	struct slice line;
	REQUIRE(slice_starts_with(rendered, SLICE("Status: ")));
	while (slice_next(&rendered, '\n', &line) && line.size > 1) {
		REQUIRE(slice_ends_with(line, SLICE("\r")) && slice_find(line, ':') < line.size);
		REQUIRE(!slice_has_control(slice_sub(line, 0, line.size - 1)));
	}
	REQUIRE(slice_equal(line, SLICE("\r")));
	return rendered;
}

void
require_answer(const struct http_request *request, const struct http_response *response)
{
	struct slice body = buffer_slice(&response->body);
	struct buffer out;
	REQUIRE(*http_status_text(response->status) != '\0');
	REQUIRE(has_header(response, "Allow") == (response->status == 405));
	REQUIRE(has_header(response, "Retry-After") == (response->status == 429 || response->status == 503));
	buffer_init(&out, RENDERED_MAX);
	REQUIRE(http_response_render(response, request->request_id, &out));
	struct slice sent = require_head(buffer_slice(&out));
	bool bare = response->status == 204 || request->method == HTTP_HEAD;
	REQUIRE(bare ? sent.size == 0 : slice_equal(sent, body));
	if (response->status != 204 && !(bare && body.size == 0))
		require_body(response, body);
	buffer_free(&out);
}
