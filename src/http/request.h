/* SPDX-License-Identifier: MIT
 * A client's request, read from CGI variables (RFC 3875) of any source (docs/api.md 1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_OPTIONS, HTTP_OTHER };

/* The variables that become members unchanged. X(member, variable) */
/* clang-format off */
#define HTTP_VARIABLE_LIST(X) \
	X(content_type, "CONTENT_TYPE") \
	X(authorization, "HTTP_AUTHORIZATION") /* also as REDIRECT_HTTP_AUTHORIZATION (docs/api.md 3) */ \
	X(authentication, "HTTP_AUTHENTICATION") \
	X(referer, "HTTP_REFERER") \
	X(origin, "HTTP_ORIGIN") \
	X(host, "HTTP_HOST") /* may have a port */ \
	X(forwarded, "HTTP_FORWARDED") /* proxies send this and `via` */ \
	X(via, "HTTP_VIA") \
	X(fetch_site, "HTTP_SEC_FETCH_SITE") \
	X(accept, "HTTP_ACCEPT") \
	X(fetch_mode, "HTTP_SEC_FETCH_MODE") \
	X(fetch_dest, "HTTP_SEC_FETCH_DEST") \
	X(accept_language, "HTTP_ACCEPT_LANGUAGE") \
	X(accept_encoding, "HTTP_ACCEPT_ENCODING") \
	X(content_encoding, "HTTP_CONTENT_ENCODING") \
	X(user_agent, "HTTP_USER_AGENT") \
	X(forwarded_for, "HTTP_X_FORWARDED_FOR") \
	X(if_none_match, "HTTP_IF_NONE_MATCH") \
	X(if_match, "HTTP_IF_MATCH") \
	X(idempotency_key, "HTTP_IDEMPOTENCY_KEY") \
	X(cookie, "HTTP_COOKIE") \
	X(requested_headers, "HTTP_ACCESS_CONTROL_REQUEST_HEADERS") /* of a CORS preflight: names of headers that a script wants to send */ \
	X(remote_addr, "REMOTE_ADDR")
/* clang-format on */

/* All members are in the pool. A header that is missing or empty is the absent slice; other headers are as sent, and may
 * contain any bytes except NUL, CR and LF (http_text_clean makes them valid text). */
struct http_request {
	struct pool *pool;
	enum http_method method;
	struct slice *segments; /* of the path after the base path, each decoded; never empty, "." or ".." */
	size_t segment_count;   /* 0: the base path itself */
	bool trailing_slash;    /* the path ends with "/" */
	struct slice query;     /* after the first '?', not decoded; may be absent */
#define HTTP_MEMBER(member, variable) struct slice member;
	HTTP_VARIABLE_LIST(HTTP_MEMBER)
#undef HTTP_MEMBER
	struct slice request_id;         /* generated: 24 hexadecimal digits */
	int64_t arrived_ms;              /* clock_monotonic_ms before the body was read, set by the caller; 0: unknown */
	bool forwarded_for_is_ambiguous; /* different values were sent, and forwarded_for is absent */
	bool sender_is_ambiguous;        /* different values of forwarded, via or fetch_site were sent */
	/* Set by the caller, because the limit of the body depends on the route. Initially no body and HTTP_BODY_WHOLE. */
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
 * RESULT_NOT_FOUND when the path is not below it, or has an invalid escape, %2F, %00, "." or "..": then there are no segments,
 * but everything else is filled, for the response and the log. */
MUST_CHECK enum result http_request_init(
    struct http_request *request, struct pool *pool, http_environment_get *get, void *context, struct slice base_path);

/* Whether the client accepts an answer in gzip (RFC 9110, 12.5.3). */
MUST_CHECK bool http_accepts_gzip(const struct http_request *request);
