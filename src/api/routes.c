/* SPDX-License-Identifier: MIT
 * The table of routes: path, method, handler and authentication (docs/api.md 4.1). */
#include "api/call.h"

#include "os/metrics.h"

/* A word of a bulk call. They work after the campaign's end as well, without points (docs/api.md 6). */
#define BULK(word)                                                                                                             \
	{                                                                                                                      \
		HTTP_POST, "v2/{campaign}/" word, KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK, handle_bulk_change \
	}

#define READS (RIGHT_INGEST | RIGHT_LEADS)
#define ADDS (RIGHT_INGEST | RIGHT_CHANGE)
#define SIGNUP (ROUTE_UNTIL_END | ROUTE_FIELDS)
/* Older forms and embedded scripts. */
#define SUBSCRIBE (SIGNUP | ROUTE_SUBSCRIBE | ROUTE_URL)

static const struct route routes[] = {
	{ HTTP_GET, "health", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_health },
	{ HTTP_GET, "health/ready", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, ROUTE_READINESS, handle_ready },
	{ HTTP_GET, "metrics", KEY_METRICS, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_metrics },
	{ HTTP_GET, "health/echo/{probe}", KEY_PROBE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_echo },
	{ HTTP_POST, "health/echo/{probe}", KEY_PROBE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_echo },
	{ HTTP_GET, "openapi.json", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_openapi },
	{ HTTP_GET, "dashboard", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_dashboard },
	{ HTTP_GET, "dashboard/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_dashboard_file },
	{ HTTP_GET, "embed/v1/embed.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script },
	/* the same script, where older pages load theirs from */
	{ HTTP_GET, "bar/v1/signupbar.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script },
	{ HTTP_GET, "{version}/kol.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script },
	{ HTTP_GET, "widgets/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script },
	{ HTTP_GET, "w/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script },
	{ HTTP_GET, "w/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script },
	{ HTTP_GET, "embed/v1/images/social/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_icon },
	{ HTTP_GET, "{page}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_landing_page },
	{ HTTP_GET, "v2/campaigns", KEY_REQUIRED, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_campaigns },
	{ HTTP_POST, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, ADDS, SIGNUP, handle_signup },
	{ HTTP_GET, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, READS, 0, handle_lookup },
	{ HTTP_POST, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, SIGNUP, handle_signup },
	{ HTTP_GET, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, READS, 0, handle_lookup },
	{ HTTP_DELETE, "v2/{campaign}", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK, handle_bulk_delete },
	{ HTTP_GET, "v2/{campaign}/stats", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_STATS | RIGHT_LEADS, ROUTE_COUNTERS,
	    handle_stats },
	{ HTTP_GET, "v2/{campaign}/leads", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_LEADS, 0, handle_list_leads },
	{ HTTP_GET, "v2/{campaign}/leaderboard", KEY_OPTIONAL, CAMPAIGN_IN_PATH, READS, 0, handle_leaderboard },
	{ HTTP_GET, "v2/{campaign}/actions", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHTS_ALL, 0, handle_list_actions },
	{ HTTP_GET, "v2/{campaign}/tags", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHTS_ALL, 0, handle_list_tags },
	{ HTTP_POST, "v2/{campaign}/actions/{action_id}", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_UNTIL_END,
	    handle_complete_action },
	{ HTTP_POST, "action/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, ROUTE_UNTIL_END, handle_action },
	{ HTTP_POST, "v2/{campaign}/points", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK | ROUTE_UNTIL_END,
	    handle_points },
	{ HTTP_POST, "v2/{campaign}/tags/{tag_id}/lead", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, SIGNUP,
	    handle_tag_lead },
	BULK("optout"),
	BULK("sms_optout"),
	BULK("sms_optin"),
	BULK("verify"),
	BULK("unverify"),
	BULK("approve"),
	BULK("block"),
	BULK("waitlist"),
	BULK("unwaitlist"),
	BULK("tag"),
	{ HTTP_POST, "v2/{campaign}/tags/bulk", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK, handle_bulk_tags },
	{ HTTP_POST, "v2/{campaign}/lead-parent", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK,
	    handle_tag_referrers },
	{ HTTP_POST, "v2/{campaign}/tags/{tag_id}/lead-parent", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK,
	    handle_tag_referrers_of_path },
	{ HTTP_POST, "v2/{campaign}/verify-phone-number", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, 0, handle_verify_phone_number },
	{ HTTP_POST, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS | RIGHT_LEADS,
	    ROUTE_ALL_RIGHTS, handle_put_webhook },
	{ HTTP_GET, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS, 0, handle_list_webhooks },
	{ HTTP_DELETE, "v2/{campaign}/outbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS, 0,
	    handle_remove_webhook },
	{ HTTP_POST, "v2/{campaign}/inbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS | RIGHT_LEADS | RIGHT_CHANGE,
	    ROUTE_ALL_RIGHTS | ROUTE_ADMITS, handle_put_inbound },
	{ HTTP_GET, "v2/{campaign}/inbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS, 0, handle_list_inbound },
	{ HTTP_DELETE, "v2/{campaign}/inbound-webhook", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_HOOKS, 0, handle_remove_inbound },
	/* ended campaigns, too: the payload is stored */
	{ HTTP_POST, "inbound/{campaign}/{token}", KEY_INBOUND, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_SUBSCRIBE | ROUTE_FIELDS,
	    handle_inbound },
	{ HTTP_GET, "inbound/{campaign}/{token}", KEY_INBOUND, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_SUBSCRIBE | ROUTE_FIELDS,
	    handle_inbound_check },
	{ HTTP_GET, "opt-out/{campaign}/{social_id}/{token}", KEY_TOKEN, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_PAGE,
	    handle_opt_out_link },
	{ HTTP_POST, "opt-out/{campaign}/{social_id}/{token}", KEY_TOKEN, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_PAGE,
	    handle_opt_out },
	{ HTTP_GET, "c/style/page.css", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_page_style },
	{ HTTP_GET, "c/style/page.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_page_script },
	{ HTTP_GET, "c/{campaign}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_HOSTED | ROUTE_FRAMED | ROUTE_UNTIL_END,
	    handle_signup_page },
	{ HTTP_POST, "c/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, ROUTE_HOSTED | ROUTE_FRAMED | SUBSCRIBE,
	    handle_signup_form },
	{ HTTP_GET, "c/{campaign}/form", KEY_OPTIONAL, CAMPAIGN_IN_PATH, RIGHTS_ALL, ROUTE_UNTIL_END, handle_form },
	{ HTTP_GET, "c/{campaign}/style.css", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, 0, handle_campaign_style },
	{ HTTP_GET, "c/{campaign}/s/{social_id}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_HOSTED | ROUTE_FRAMED,
	    handle_status_page },
	{ HTTP_GET, "c/{campaign}/s/{social_id}/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_HOSTED | ROUTE_FRAMED,
	    handle_status_page },
	{ HTTP_POST, "c/{campaign}/s/{social_id}/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_HOSTED | ROUTE_FRAMED,
	    handle_status_button },
	{ HTTP_GET, "c/{campaign}/confirm/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_EXPIRES,
	    handle_confirm_page },
	{ HTTP_POST, "c/{campaign}/confirm/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_EXPIRES,
	    handle_confirm },
	{ HTTP_GET, "c/{campaign}/sent", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_FRAMED,
	    handle_sent_page },
	{ HTTP_POST, "c/{campaign}/sent", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_FRAMED,
	    handle_sent_button },
	{ HTTP_GET, "c/{campaign}/thanks", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_FRAMED,
	    handle_thanks_page },
	{ HTTP_GET, "c/{campaign}/code", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_FRAMED,
	    handle_code_page },
	{ HTTP_POST, "c/{campaign}/code", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_FRAMED | ROUTE_REQUESTS,
	    handle_code },
	{ HTTP_GET, "c/{campaign}/erase", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED, handle_erase_form },
	{ HTTP_POST, "c/{campaign}/erase", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_REQUESTS,
	    handle_erase_request },
	{ HTTP_GET, "c/{campaign}/erase/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_EXPIRES,
	    handle_erase_page },
	{ HTTP_POST, "c/{campaign}/erase/{token}", KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_MAILED | ROUTE_EXPIRES,
	    handle_erase },
	{ HTTP_POST, "subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, ADDS, SUBSCRIBE, handle_signup },
	{ HTTP_POST, "v1/{campaign}/subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, SUBSCRIBE, handle_signup },
	{ HTTP_GET, "v1/{campaign}/subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, SUBSCRIBE | ROUTE_JSONP, handle_signup },
	{ HTTP_GET, "v1/{campaign}/info", KEY_OPTIONAL, CAMPAIGN_IN_PATH, READS, ROUTE_JSONP | ROUTE_URL, handle_lookup },
	{ HTTP_POST, "v1/authenticate", KEY_PASSWORD, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_authenticate },
	{ HTTP_GET, "v1/landing_pages", KEY_REQUIRED, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_landing_pages },
	{ HTTP_GET, "c/{campaign}/challenge", KEY_OPTIONAL, CAMPAIGN_IN_PATH, RIGHTS_ALL, ROUTE_UNTIL_END, handle_challenge },
	{ HTTP_POST, "lead/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ADDS, SIGNUP, handle_signup },
	{ HTTP_GET, "lead/{campaign}/{kid}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, READS, 0, handle_lead_of_path },
};

_Static_assert(METRIC_ROUTE_FIRST + sizeof(routes) / sizeof(*routes) <= METRIC_ROUTES_MAX, "one series for each");

size_t
api_route_metric(const struct route *route)
{
	return route == NULL ? METRIC_ROUTE_UNKNOWN : METRIC_ROUTE_FIRST + (size_t)(route - routes);
}

const struct metric_route *
api_metric_routes(struct pool *pool, size_t *count)
{
	static const char *const methods[] = { [HTTP_GET] = "GET", [HTTP_POST] = "POST", [HTTP_DELETE] = "DELETE" };
	struct metric_route *named = POOL_ARRAY(pool, ARRAY_SIZE(routes), struct metric_route);
	*count = ARRAY_SIZE(routes);
	for (size_t i = 0; i < *count; i++)
		named[i] = (struct metric_route){ methods[routes[i].method], pool_printf(pool, "/%s", routes[i].path).data };
	return named;
}

const struct route *
api_routes(size_t *count)
{
	*count = ARRAY_SIZE(routes);
	return routes;
}

/* A campaign id: decimal, no leading zeros (docs/api.md 1). Larger numbers match no campaign. */
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
	if (slice_equal(part, SLICE("{campaign}")) || slice_equal(part, SLICE("{page}")))
		return is_campaign_id(segment);
	return slice_starts_with(part, SLICE("{")) || slice_equal(part, segment);
}

static bool
path_matches(const char *path, const struct http_request *request)
{
	struct slice rest = slice_of(path), part;
	size_t i = 0;
	for (; slice_next(&rest, '/', &part); i++) {
		if (i == request->segment_count)
			return false;
		if (!part_fits(part, request->segments[i]))
			return false;
	}
	return i == request->segment_count;
}

/* Whether the action is unknown: docs/api.md 1, Methods. */
static bool
is_unknown_action(const struct http_request *request)
{
	return request->method == HTTP_POST && request->segment_count == 3 && slice_equal(request->segments[0], SLICE("v2")) &&
	       is_campaign_id(request->segments[1]);
}

static const struct route *
find_route(const struct http_request *request, enum http_method method)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		if (routes[i].method == method && path_matches(routes[i].path, request))
			return &routes[i];
	return NULL;
}

/* The methods of the path, as a header's value; *route is one of its routes, or NULL. */
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
api_route(const struct http_request *request, const struct route **route, struct slice *allow)
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
