/* SPDX-License-Identifier: MIT */
#include "api/call/page_origin.h"

#include "base/encode.h"
#include "engine/visitors.h"
#include "identity/link.h"
#include "webhook/webhook_url.h"

enum { LOCATION_MAX_BYTES = 8192 };

struct slice
call_location(struct pool *pool, struct slice url)
{
	struct slice location;
	const struct slice fragment = slice_sub(url, slice_find(url, '#') + 1, url.size);
	struct buffer out;
	if (!slice_present(url) || !webhook_url_dial(pool, url, &location))
		return SLICE_NONE;
	if (fragment.size == 0)
		return location;
	buffer_init(&out, LOCATION_MAX_BYTES);
	buffer_add(&out, location);
	buffer_add_byte(&out, '#');
	encode_percent(&out, fragment);
	location = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : location;
	buffer_free(&out);
	return location;
}

struct slice
call_own_location(const struct call *call, struct slice url)
{
	struct pool *pool = call->request->pool;
	const struct slice location = call_location(pool, url);
	const bool listed = slice_present(location) && campaign_lists_host(pool, &call->campaign, link_host(pool, location));
	return listed ? location : SLICE_NONE;
}

/* Browsers send the origin of the page with the POST requests of its forms and scripts. With the GET requests of `<script>` and
 * `<img>`, which older scripts use to sign up, they send a referrer, which a page can suppress, and nothing that identifies the
 * caller as a browser. */
static struct slice
origin_of(const struct http_request *request)
{
	if (request->method == HTTP_POST || slice_present(request->origin))
		return request->origin;
	if (slice_present(request->referer))
		return request->referer;
	return slice_present(request->fetch_mode) ? SLICE("null") : SLICE_NONE;
}

/* The host of the page that sent the request; absent: unknown, or "null". */
static struct slice
host_of_origin(const struct call *call)
{
	struct pool *pool = call->request->pool;
	return link_host(pool, call_location(pool, origin_of(call->request)));
}

static bool
is_own_host(const struct call *call, struct slice host)
{
	const struct payload_settings *settings;
	return slice_present(host) && store_payload_settings(call->api->store, &settings) == RESULT_OK &&
	       slice_equal(link_host(call->request->pool, settings->base_url), host);
}

bool
call_is_from_hosted_page(const struct call *call)
{
	return is_own_host(call, host_of_origin(call));
}

bool
call_is_from_foreign_page(const struct call *call)
{
	const bool is_post = call->request->method == HTTP_POST;
	const bool applies = call->route->key == KEY_OPTIONAL ? is_post || (call->route->flags & ROUTE_SUBSCRIBE) != 0
							      : is_post && (call->route->flags & ROUTE_REQUESTS) != 0;
	if (call->account_id != 0 || !applies || !slice_present(origin_of(call->request)))
		return false;
	const struct slice host = host_of_origin(call);
	return !campaign_lists_host(call->request->pool, &call->campaign, host) && !is_own_host(call, host);
}
