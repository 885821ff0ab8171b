/* SPDX-License-Identifier: MIT */
#include "api/call/key_metrics.h"

#include "api/call/call_answers.h"
#include "api/call/limits.h"
#include "crypto/digest.h"
#include "identity/api_key.h"

/* The host of an authority, without its port and the brackets of IPv6. */
static struct slice
host_of(struct slice authority)
{
	const size_t bracket = slice_find(authority, ']');
	if (slice_starts_with(authority, SLICE("[")) && bracket < authority.size)
		return slice_sub(authority, 1, bracket);
	return slice_sub(authority, 0, slice_find(authority, ':'));
}

/* The authority of a URL with one. */
static struct slice
authority_of(struct slice url)
{
	const struct slice rest = slice_sub(url, slice_find(url, ':') + sizeof("://") - 1, url.size);
	return slice_sub(rest, 0, slice_find(rest, '/'));
}

/* Whether the request is for a name of this host. A page of another site that has changed the address of its own name to that
 * of this host ("DNS rebinding") sends its own name. */
static bool
names_this_host(const struct call *call)
{
	const struct slice host = host_of(call->request->host), base_url = call->api->options->base_url;
	struct ip_address address;
	if (!slice_present(host))
		return false;
	return slice_equal_nocase(host, SLICE("localhost")) ||
	       (ip_address_parse(host, &address) && ip_address_is_loopback(&address)) ||
	       (base_url.size > 0 && slice_equal_nocase(host, host_of(authority_of(base_url))));
}

/* Whether a proxy or a page in a browser has sent the request. */
static bool
has_other_sender(const struct http_request *request)
{
	return slice_present(request->forwarded_for) || request->forwarded_for_is_ambiguous ||
	       slice_present(request->forwarded) || slice_present(request->via) || request->sender_is_ambiguous ||
	       slice_present(request->origin) ||
	       (slice_present(request->fetch_site) && !slice_equal(request->fetch_site, SLICE("none")));
}

/* Whether the web server itself was called from its host. A call through a proxy is not: its first address may be any client's.
 * Nor is that of a script of a page in a browser of this host. */
static bool
is_from_this_host(const struct call *call)
{
	return call->has_client && ip_address_is_loopback(&call->client) && !has_other_sender(call->request) &&
	       names_this_host(call);
}

/* Compares digests, so that the time does not depend on the length of the token either. */
static bool
has_token(const struct call *call, struct slice token)
{
	const struct slice sent = api_key_from_header(call->request->pool, call->request->authorization);
	const struct digest ours = digest_sha256(&token, 1), theirs = digest_sha256(&sent, 1);
	return slice_present(sent) && digest_equal(digest_slice(&ours), digest_slice(&theirs));
}

static bool
refuse_token(struct call *call)
{
	call_add_header(call, "WWW-Authenticate", SLICE("Bearer"));
	return call_fail(call, FAILURE_INVALID_TOKEN);
}

bool
call_check_metrics(struct call *call)
{
	const struct api_metrics *metrics = &call->api->options->metrics;
	if (metrics->loopback && is_from_this_host(call))
		return true;
	if (metrics->token.size == 0)
		return call_pass_address(call) && call_fail(call, FAILURE_FORBIDDEN_ADDRESS);
	if (!slice_present(call->request->authorization))
		return call_pass_address(call) && refuse_token(call);
	if (!call_may_fail_key(call))
		return false;
	if (has_token(call, metrics->token))
		return true;
	call_note_failed_key(call);
	return refuse_token(call);
}
