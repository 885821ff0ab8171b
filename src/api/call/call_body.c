/* SPDX-License-Identifier: MIT */
#include "api/call/call_body.h"

#include "api/call/call_answers.h"
#include "http/gzip.h"

bool
call_read_encoding(struct call *call, size_t limit)
{
	enum { SHOWN_BYTES = 255 };
	static const struct slice known[] = { SLICE("gzip"), SLICE("x-gzip"), SLICE("identity") };
	struct http_request *request = call->request;
	const struct slice encoding = request->content_encoding;
	bool is_known = !slice_present(encoding);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		is_known = is_known || slice_equal_nocase(encoding, known[i]);
	if (!is_known) {
		call_add_header(call, "Accept-Encoding", SLICE("gzip"));
		return call_fail_with(call, FAILURE_UNSUPPORTED_MEDIA_TYPE,
		    POOL_JOIN(request->pool, SLICE("Content-Encoding "), slice_sub(encoding, 0, SHOWN_BYTES),
			SLICE(" is not supported: send gzip, or none")));
	}
	if (!gzip_begins(request->body))
		return true;
	switch (gzip_inflate(request->pool, request->body, limit, &request->body)) {
	case GZIP_OK:
		return true;
	case GZIP_TOO_LARGE:
		return call_fail(call, FAILURE_BODY_TOO_LARGE);
	case GZIP_BROKEN:
		break;
	}
	return call_fail_with(call, FAILURE_INVALID_PARAMETER, SLICE("The body is not a complete gzip stream"));
}

bool
call_fail_body(struct call *call, const struct http_problem *problem)
{
	static const enum failure failures[] = {
		[HTTP_INVALID_PARAMETER] = FAILURE_INVALID_PARAMETER,
		[HTTP_TOO_MANY_ITEMS] = FAILURE_INVALID_PARAMETER,
		[HTTP_INVALID_JSON] = FAILURE_INVALID_JSON,
		[HTTP_UNSUPPORTED_MEDIA_TYPE] = FAILURE_UNSUPPORTED_MEDIA_TYPE,
	};
	return call_fail_with(call, failures[problem->kind], problem->message);
}
