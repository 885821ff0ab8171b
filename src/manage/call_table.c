/* SPDX-License-Identifier: MIT
 * Finds the operation of a method and a path in the table of operations. */
#include "manage/call_table.h"

#include "admin/operations.h"

/* Segments before those of the table: the one of the extension, and the version. */
enum { PREFIX_SEGMENTS = 2 };

static const struct {
	enum http_method http;
	enum operation_method method;
	const char *names;
} methods[] = {
	{ HTTP_GET, METHOD_GET, "GET, HEAD" },
	{ HTTP_HEAD, METHOD_GET, NULL },
	{ HTTP_POST, METHOD_POST, "POST" },
	{ HTTP_PATCH, METHOD_PATCH, "PATCH" },
	{ HTTP_DELETE, METHOD_DELETE, "DELETE" },
};

/* Returns false unless the path has the form; sets the parameters. */
static bool
path_fits(struct manage_request *request, const char *path)
{
	struct slice rest = slice_of(path), part;
	size_t i = PREFIX_SEGMENTS;
	request->path_count = 0;
	for (; slice_next(&rest, '/', &part); i++) {
		if (i >= request->http->segment_count)
			return false;
		const struct slice segment = request->http->segments[i];
		if (!slice_starts_with(part, SLICE("{")) && !slice_equal(part, segment))
			return false;
		if (slice_starts_with(part, SLICE("{")))
			request->path[request->path_count++] =
			    (struct path_parameter){ slice_sub(part, 1, part.size - 1), segment };
	}
	return i == request->http->segment_count;
}

static const struct operation *
find(struct manage_request *request, enum operation_method method)
{
	for (size_t i = 0; admin_operations[i] != NULL; i++)
		if (admin_operations[i]->method == method && path_fits(request, admin_operations[i]->path))
			return admin_operations[i];
	return NULL;
}

bool
request_fail_method(struct manage_request *request, unsigned allowed)
{
	struct slice allow = SLICE("OPTIONS");
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i].names != NULL && (allowed & METHOD_BIT(methods[i].http)) != 0)
			allow = pool_printf(request->http->pool, "%s, %.*s", methods[i].names, SLICE_ARGS(allow));
	request_add_header(request, "Allow", allow);
	return request_fail_status(request, 405, "method_not_allowed", SLICE("the path does not have this method"));
}

static bool
fail_method(struct manage_request *request)
{
	unsigned allowed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (find(request, methods[i].method) != NULL)
			allowed |= METHOD_BIT(methods[i].http);
	return allowed != 0 ? request_fail_method(request, allowed)
			    : request_fail_status(request, 404, "not_found", SLICE("there is no such path"));
}

bool
request_find_operation(struct manage_request *request)
{
	const struct http_request *http = request->http;
	const bool versioned = http->segment_count > 1 && slice_equal(http->segments[1], SLICE("v1"));
	for (size_t i = 0; versioned && i < ARRAY_SIZE(methods); i++)
		if (methods[i].http == http->method)
			request->operation = find(request, methods[i].method);
	return request->operation != NULL || fail_method(request);
}
