/* SPDX-License-Identifier: MIT
 * A response, and its bytes as a CGI responder writes them (RFC 3875, 6; docs/api.md 7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"

enum { HTTP_RESPONSE_HEADERS = 12 };

struct http_header {
	const char *name;
	struct slice value;
};

struct http_response {
	struct pool *pool;
	unsigned status; /* initially 200 */
	enum http_content {
		HTTP_JSON,
		HTTP_JAVASCRIPT,
		HTTP_HTML,
		HTTP_CSS,
		HTTP_SVG,
		HTTP_TEXT,
		HTTP_METRICS,
		HTTP_PROBLEM
	} content;
	bool is_public;     /* the same for every caller, and not private: any cache may store it for an hour */
	bool same_origin;   /* scripts of other origins must not read it */
	bool is_immutable;  /* public, and its URL changes when it does: any cache may store it for a year */
	struct buffer body; /* not sent with 204 and 304; allocated until http_response_free */
	bool head;          /* the request was HEAD: the length of the body is sent, unless it is empty, but not the body */
	struct http_header headers[HTTP_RESPONSE_HEADERS];
	size_t header_count;
};

/* `maximum`: size of the body in bytes. */
void http_response_init(struct http_response *response, struct pool *pool, size_t maximum);
void http_response_free(struct http_response *response);

/* Adds a header of this response (Allow, Retry-After, RateLimit-…). `name` is a literal; the value is copied. Returns false,
 * with nothing added, when the value has a control character or there are HTTP_RESPONSE_HEADERS already. */
MUST_CHECK bool http_response_header(struct http_response *response, const char *name, struct slice value);

/* Makes it the response to an OPTIONS request (docs/api.md 7). It allows `requested_headers`, or the usual headers if that is
 * absent, too long or not a list of header names. The slice must live as long as the response. */
void http_response_preflight(struct http_response *response, struct slice requested_headers);

struct http_problem_details {
	unsigned status;
	const char *title, *error; /* title and stable code of this kind of problem */
	struct slice detail;       /* what is wrong here, or absent */
	struct slice pointer;      /* a JSON pointer to what is wrong in the body, or absent */
	struct slice questions;    /* a JSON array of questions that the client has to answer first, or absent */
};
/* Replaces status and body with those of a problem (RFC 9457), and keeps the headers. */
void http_response_problem(struct http_response *response, struct slice request_id, const struct http_problem_details *problem);

/* The reason phrase of RFC 9110, 15; "" for a status that is not used here. */
const char *http_status_text(unsigned status);

/* Appends the whole response. Returns false when the response or its body did not fit: then no part of it may be sent. */
MUST_CHECK bool http_response_render(const struct http_response *response, struct slice request_id, struct buffer *out);
