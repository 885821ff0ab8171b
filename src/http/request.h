/* SPDX-License-Identifier: MIT
 * A client's request, from the CGI variables of RFC 3875 (docs/api.md 1). Independent of their source. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_OPTIONS, HTTP_OTHER };

/* Everything in it lives in the pool. A header that is missing or empty is the absent slice; the others are as sent: any bytes
 * except NUL, CR and LF (http_text_clean makes them valid text). */
struct http_request {
	struct pool *pool;
	enum http_method method;
	struct slice *segments; /* of the path after the base path, each decoded; never empty, ".", ".." */
	size_t segment_count;   /* 0: the base path itself */
	bool trailing_slash;    /* the path ends with one */
	struct slice query;     /* after the first '?', not decoded; may be absent */
	struct slice content_type;
	struct slice authorization; /* also as REDIRECT_HTTP_AUTHORIZATION (docs/api.md 3) */
	struct slice authentication;
	struct slice referer;
	struct slice origin;
	struct slice host;      /* the header, with a port */
	struct slice forwarded; /* of proxies, as is `via` */
	struct slice via;
	struct slice fetch_site; /* Sec-Fetch-Site */
	struct slice accept;
	struct slice fetch_mode; /* Sec-Fetch-Mode */
	struct slice fetch_dest; /* Sec-Fetch-Dest */
	struct slice accept_language;
	struct slice accept_encoding;
	struct slice content_encoding;
	struct slice user_agent;
	struct slice forwarded_for;
	struct slice if_none_match;
	struct slice if_match;
	struct slice idempotency_key;
	struct slice cookie;
	struct slice requested_headers; /* of a CORS preflight: the names of the headers that a script wants to send */
	struct slice remote_addr;
	struct slice request_id; /* generated: 24 hexadecimal digits */
	int64_t arrived_ms;      /* clock_monotonic_ms before the body was read, set by the caller; 0: unknown */
	/* Set by the caller, which limits the body by its route. Initially no body and HTTP_BODY_WHOLE. */
	bool forwarded_for_is_ambiguous; /* different values were sent, and forwarded_for is absent */
	bool sender_is_ambiguous;        /* the same of forwarded, via or fetch_site */
	struct slice body;
	enum http_body_state {
		HTTP_BODY_WHOLE,
		HTTP_BODY_TOO_LARGE, /* 413: larger than the cap */
		HTTP_BODY_SHORT      /* 400: the client disconnected before its end */
	} body_state;
};

/* Returns the variable's value or the absent slice. The value may be overwritten by the next call. */
typedef struct slice http_environment_get(void *context, const char *name);

/* Fills *request. `base_path` is the configured one ("", "/api"), not encoded. Empty segments of both are skipped.
 * RESULT_NOT_FOUND when the path is not below it, or has an invalid escape, %2F, %00, "." or "..": there are no segments then,
 * but everything else is filled, for the response and the log. */
MUST_CHECK enum result http_request_init(
    struct http_request *request, struct pool *pool, http_environment_get *get, void *context, struct slice base_path);

/* Whether the client reads bodies with the content coding gzip (RFC 9110, 12.5.3). */
MUST_CHECK bool http_accepts_gzip(const struct http_request *request);
