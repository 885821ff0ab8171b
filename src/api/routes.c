/* SPDX-License-Identifier: MIT
 * Which call answers which path and method, with the right it needs (contract.md 4.1). */
#include "api/call.h"

static const struct route routes[] = {
	{ HTTP_GET, "health", KEY_NONE, NO_CAMPAIGN, handle_health },
	{ HTTP_GET, "health/ready", KEY_NONE, NO_CAMPAIGN, handle_ready },
	{ HTTP_GET, "v2/campaigns", KEY_REQUIRED, NO_CAMPAIGN, handle_campaigns },
	{ HTTP_POST, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, handle_signup },
	{ HTTP_GET, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, handle_lookup },
	{ HTTP_POST, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, handle_signup },
	{ HTTP_GET, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, handle_lookup },
	{ HTTP_POST, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, handle_put_webhook },
	{ HTTP_GET, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, handle_list_webhooks },
	{ HTTP_DELETE, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, handle_remove_webhook },
};

/* A campaign id: decimal, no leading zeros (contract.md 1). Numbers that are too large for one are no campaign's. */
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
path_matches(const char *path, const struct http_request *request)
{
	struct slice rest = slice_of(path), part;
	size_t i = 0;
	for (; slice_next(&rest, '/', &part); i++) {
		if (i == request->segment_count)
			return false;
		struct slice segment = request->segments[i];
		bool fits = slice_equal(part, SLICE("{campaign}")) ? is_campaign_id(segment) : slice_equal(part, segment);
		if (!fits)
			return false;
	}
	return i == request->segment_count;
}

/* An action nobody knows: contract.md 1, Methods. */
static bool
is_unknown_action(const struct http_request *request)
{
	return request->method == HTTP_POST && request->segment_count == 3 && slice_equal(request->segments[0], SLICE("v2")) &&
	       is_campaign_id(request->segments[1]);
}

const struct route *
api_route(const struct http_request *request, enum failure *failure, struct slice *allow)
{
	static const struct {
		enum http_method method;
		const char *names;
	} methods[] = { { HTTP_GET, "GET, HEAD" }, { HTTP_POST, "POST" }, { HTTP_DELETE, "DELETE" } };
	enum http_method method = request->method == HTTP_HEAD ? HTTP_GET : request->method;
	struct slice allowed = SLICE("OPTIONS");
	*failure = is_unknown_action(request) ? FAILURE_INVALID_ACTION : FAILURE_NOT_FOUND;
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		for (size_t k = 0; k < ARRAY_SIZE(routes); k++) {
			const struct route *route = &routes[k];
			if (route->method != methods[i].method || !path_matches(route->path, request))
				continue;
			if (route->method == method)
				return route;
			allowed = pool_printf(request->pool, "%s, %.*s", methods[i].names, SLICE_ARGS(allowed));
			*failure = FAILURE_METHOD_NOT_ALLOWED;
		}
	*allow = allowed;
	return NULL;
}
