/* SPDX-License-Identifier: MIT
 * An answer, and its bytes as a CGI responder writes them (RFC 3875, 6; docs/api.md 7). */
#ifndef LEADHOOK_HTTP_RESPONSE_H
#define LEADHOOK_HTTP_RESPONSE_H

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
	unsigned status; /* 200 at first */
	enum http_content { HTTP_JSON, HTTP_JAVASCRIPT, HTTP_HTML } content;
	struct buffer body; /* not sent with 204; of its own, until http_response_free */
	bool head;          /* the request was HEAD: the body counts, but is not sent; an empty one is one that nobody made */
	struct http_header headers[HTTP_RESPONSE_HEADERS];
	size_t header_count;
};

/* `maximum` bytes of body. */
void http_response_init(struct http_response *response, struct pool *pool, size_t maximum);
void http_response_free(struct http_response *response);

/* Adds a header of the answer's own (Allow, Retry-After, RateLimit-…). `name` is a literal; the value is copied. False,
 * nothing added, when the value holds a control character or there are HTTP_RESPONSE_HEADERS already. */
MUST_CHECK bool http_response_header(struct http_response *response, const char *name, struct slice value);

/* Makes it the answer to any OPTIONS request (docs/api.md 7). */
void http_response_preflight(struct http_response *response);

/* The reason phrase of RFC 9110, 15; "" for a status that is none of ours. */
const char *http_status_text(unsigned status);

/* Appends the whole answer. False when it, or its body before, did not fit: nothing of it may be sent then. */
MUST_CHECK bool http_response_render(const struct http_response *response, struct slice request_id, struct buffer *out);

#endif
