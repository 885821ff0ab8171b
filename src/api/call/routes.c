/* SPDX-License-Identifier: MIT */
#include "api/call/routes.h"

#include "api/call/route_list.h"
#include "base/panic.h"

#define ROW(method, path, key, campaign, rights, flags, handler) { HTTP_##method, path, key, campaign, rights, flags },
const struct route route_table[] = { ROUTE_LIST(ROW) };
const size_t route_count = sizeof(route_table) / sizeof(*route_table);

_Static_assert(METRIC_ROUTE_FIRST + sizeof(route_table) / sizeof(*route_table) <= METRIC_ROUTES_MAX, "one series for each");

size_t
route_metric(const struct route *route)
{
	return route == NULL ? METRIC_ROUTE_UNKNOWN : METRIC_ROUTE_FIRST + (size_t)(route - route_table);
}

const struct metric_route *
route_names(struct pool *pool, size_t *count)
{
	static const char *const methods[] = { [HTTP_GET] = "GET", [HTTP_POST] = "POST", [HTTP_DELETE] = "DELETE" };
	struct metric_route *named = POOL_ARRAY(pool, route_count, struct metric_route);
	*count = route_count;
	for (size_t i = 0; i < *count; i++)
		named[i] =
		    (struct metric_route){ methods[route_table[i].method], pool_printf(pool, "/%s", route_table[i].path).data };
	return named;
}

/* A campaign id: decimal, no leading zeros (docs/api.md 1.1). Larger numbers match no campaign. */
static bool
is_campaign_id(struct slice segment)
{
	if (segment.size == 0 || (segment.size > 1 && segment.data[0] == '0'))
		return false;
	for (size_t i = 0; i < segment.size; i++)
		if (!ascii_is_digit(segment.data[i]))
			return false;
	return true;
}

static bool
part_fits(struct slice part, struct slice segment)
{
	if (part.data[0] != '{')
		return slice_equal(part, segment);
	const bool is_id = slice_equal(part, SLICE("{campaign}")) || slice_equal(part, SLICE("{page}"));
	return !is_id || is_campaign_id(segment);
}

enum { PARTS_MAX = 6 };

struct path {
	struct slice parts[PARTS_MAX];
	size_t count;
};

static struct path
split(const char *text)
{
	struct path path = { .count = 0 };
	struct slice rest = slice_of(text), part;
	while (path.count < PARTS_MAX && slice_next(&rest, '/', &part))
		path.parts[path.count++] = part;
	require(rest.size == 0);
	return path;
}

static bool
path_matches(const struct path *path, const struct http_request *request)
{
	if (path->count != request->segment_count)
		return false;
	for (size_t i = 0; i < path->count; i++)
		if (!part_fits(path->parts[i], request->segments[i]))
			return false;
	return true;
}

/* Whether the action is unknown (docs/api.md 1.1, Methods). */
static bool
is_unknown_action(const struct http_request *request)
{
	return request->method == HTTP_POST && request->segment_count == 3 && slice_equal(request->segments[0], SLICE("v2")) &&
	       is_campaign_id(request->segments[1]);
}

static const struct route *
find_route(const struct http_request *request, enum http_method method)
{
	static struct path paths[ARRAY_SIZE(route_table)];
	for (size_t i = 0; i < route_count && paths[i].count == 0; i++)
		paths[i] = split(route_table[i].path);
	for (size_t i = 0; i < route_count; i++)
		if (route_table[i].method == method && path_matches(&paths[i], request))
			return &route_table[i];
	return NULL;
}

/* The methods of the path, as the value of a header; *route is one of its routes, or NULL. */
static struct slice
allowed_methods(const struct http_request *request, const struct route **route)
{
	static const struct {
		enum http_method method;
		const char *names;
	} methods[] = { { HTTP_GET, "GET, HEAD" }, { HTTP_POST, "POST" }, { HTTP_DELETE, "DELETE" } };
	struct slice allow = SLICE("OPTIONS");
	*route = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		const struct route *found = find_route(request, methods[i].method);
		if (found == NULL)
			continue;
		*route = found;
		allow = pool_printf(request->pool, "%s, %.*s", methods[i].names, SLICE_ARGS(allow));
	}
	return allow;
}

enum failure
route_find(const struct http_request *request, const struct route **route, struct slice *allow)
{
	*allow = SLICE_NONE;
	*route = find_route(request, request->method == HTTP_HEAD ? HTTP_GET : request->method);
	if (*route != NULL)
		return FAILURE_NONE;
	*allow = allowed_methods(request, route);
	if (*route != NULL)
		return FAILURE_METHOD_NOT_ALLOWED;
	return is_unknown_action(request) ? FAILURE_INVALID_ACTION : FAILURE_NOT_FOUND;
}

/* ---- management ---- */

/* One route for each method; src/manage handles the paths below its segment. */
static const struct route management[] = {
	{ HTTP_GET, NULL, KEY_MANAGE, NO_CAMPAIGN, RIGHTS_ALL, 0 },
	{ HTTP_POST, NULL, KEY_MANAGE, NO_CAMPAIGN, RIGHTS_ALL, 0 },
	{ HTTP_PATCH, NULL, KEY_MANAGE, NO_CAMPAIGN, RIGHTS_ALL, 0 },
	{ HTTP_DELETE, NULL, KEY_MANAGE, NO_CAMPAIGN, RIGHTS_ALL, 0 },
};

bool
route_is_management(const struct http_request *request)
{
	return request->segment_count > 0 && slice_equal(request->segments[0], SLICE("manage"));
}

enum failure
route_find_management(const struct http_request *request, const struct route **route, struct slice *allow)
{
	const enum http_method method = request->method == HTTP_HEAD ? HTTP_GET : request->method;
	*allow = SLICE("GET, HEAD, POST, PATCH, DELETE, OPTIONS");
	*route = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(management); i++)
		if (management[i].method == method)
			*route = &management[i];
	return *route == NULL ? FAILURE_METHOD_NOT_ALLOWED : FAILURE_NONE;
}
