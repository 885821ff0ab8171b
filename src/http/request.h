/* SPDX-License-Identifier: MIT
 * What a client asks for, out of the CGI variables of RFC 3875 (docs/api.md 1). Nothing here knows where they come from. */
#ifndef LEADHOOK_HTTP_REQUEST_H
#define LEADHOOK_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_DELETE, HTTP_OPTIONS, HTTP_OTHER };

/* Everything in it lives in the pool. A header that was not sent, or was sent empty, is the absent slice; the others are as
 * sent: any bytes but NUL, CR and LF (http_text_normalise makes them fit to keep). */
struct http_request {
	struct pool *pool;
	enum http_method method;
	struct slice *segments; /* of the path behind the base path, each decoded; never empty, ".", ".." */
	size_t segment_count;   /* 0: the base path itself */
	struct slice query;     /* behind the first '?', not decoded; may be absent */
	struct slice content_type;
	struct slice authorization; /* also as REDIRECT_HTTP_AUTHORIZATION (docs/api.md 3) */
	struct slice authentication;
	struct slice referer;
	struct slice user_agent;
	struct slice forwarded_for;
	struct slice remote_addr;
	struct slice request_id; /* of our making: 24 hexadecimal digits */
	/* The caller sets these, the body by the cap of the route. At first there is no body, and that is whole. */
	bool forwarded_for_is_ambiguous; /* several values came, and forwarded_for is absent */
	struct slice body;
	enum http_body_state {
		HTTP_BODY_WHOLE,
		HTTP_BODY_TOO_LARGE, /* 413: more than the cap */
		HTTP_BODY_SHORT      /* 400: the client went away before its end */
	} body_state;
};

/* The variable's value or the absent slice; it need not stay valid. */
typedef struct slice http_environment_get(void *context, const char *name);

/* Fills *request. `base_path` is the configured one ("", "/api"), plain text; slashes at its ends do not matter.
 * RESULT_NOT_FOUND when the path does not lie below it, or has a bad escape, %2F, %00, "." or "..", or an empty segment
 * other than the last: there are no segments then, but all else is filled, so that it can be answered and logged. */
MUST_CHECK enum result http_request_init(
    struct http_request *request, struct pool *pool, http_environment_get *get, void *context, struct slice base_path);

#endif
