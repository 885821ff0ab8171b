/* SPDX-License-Identifier: MIT
 * The caller of a request (docs/users.md 4): a key, or a user whose session a cookie names. */
#include "manage/identity.h"

#include <string.h>

#include "api/call/limits.h"
#include "login/login.h"
#include "store/users/users.h"

/* Because of the prefix, browsers accept the cookie only over https (or on the same machine), return it only to the host that
 * has set it, and let no subdomain set it. */
#define COOKIE SLICE("__Host-leadhook=")

static void
identify_key(struct manage_request *request, const struct api_key *key)
{
	request->caller = (struct caller){ .kind = CALLER_KEY,
		.id = key->id,
		.account_id = key->account_id,
		.expires_ms = key->expires_ms < 0 ? 0 : key->expires_ms,
		.rights = key->rights,
		.campaigns = key->campaigns,
		.campaign_count = key->campaign_count };
}

struct slice
request_token(const struct manage_request *request)
{
	struct slice rest = request->http->cookie, pair;
	while (slice_next(&rest, ';', &pair)) {
		pair = slice_trim(pair);
		if (slice_starts_with(pair, COOKIE))
			return slice_sub(pair, COOKIE.size, pair.size);
	}
	return SLICE_NONE;
}

void
request_set_cookie(struct manage_request *request, struct slice token)
{
	const char *age = slice_present(token) ? "" : "; Max-Age=0";
	request_add_header(request, "Set-Cookie",
	    pool_printf(request->http->pool, "%.*s%.*s; Path=/; Secure; HttpOnly; SameSite=Strict%s", SLICE_ARGS(COOKIE),
		SLICE_ARGS(token), age));
}

/* Scheme, host and port of a URL. */
static struct slice
origin_of(struct slice url)
{
	const size_t begin = slice_find_part(url, SLICE("://")) + 3;
	return slice_sub(url, 0, begin + slice_find(slice_sub(url, begin, url.size), '/'));
}

/* Browsers report where a request comes from, in a header that scripts cannot set. Older browsers send Origin with each change.
 */
bool
request_is_own_page(struct manage_request *request)
{
	const struct http_request *http = request->http;
	const struct slice base_url = request->manage->options.login.base_url;
	if (slice_present(http->fetch_site) && slice_equal(http->fetch_site, SLICE("same-origin")))
		return true;
	if (!slice_present(http->fetch_site) && slice_present(http->origin) && base_url.size > 0 &&
	    slice_equal_nocase(http->origin, origin_of(base_url)))
		return true;
	return request_fail_status(request, 403, "foreign_origin",
	    SLICE("a change by a user comes from a page of this service: Sec-Fetch-Site is same-origin, or Origin that of "
		  "server.base_url"));
}

static void
read_campaigns(struct manage_request *request)
{
	const struct session *session = &request->session;
	struct slice list = session->campaigns, item;
	uint64_t *ids = POOL_ARRAY(request->http->pool, USER_CAMPAIGNS_MAX, uint64_t);
	size_t count = 0;
	while (count < USER_CAMPAIGNS_MAX && slice_next_item(&list, &item))
		if (slice_to_u64(item, INT64_MAX, &ids[count]))
			count++;
	if (slice_present(session->campaigns) && count == 0)
		ids[count++] = 0; /* all campaigns of the user were removed; no campaign has the id 0 */
	request->caller.campaigns = ids;
	request->caller.campaign_count = count;
}

static bool
fail_session(struct manage_request *request)
{
	if (!call_may_fail_key(request->from))
		return false;
	call_note_failed_key(request->from);
	/* the cookie stays: this answer may arrive after that of a new login, and would remove the new cookie */
	return request_fail_status(request, 401, "session_ended", SLICE("the session has ended: log in again"));
}

static bool
identify_user(struct manage_request *request)
{
	struct session *session = &request->session;
	const enum result result = login_find_session(
	    &request->manage->options.login, request->http->pool, request->token, call_client(request->from), session);
	if (result == RESULT_NOT_FOUND)
		return fail_session(request);
	if (result != RESULT_OK)
		return request_fail(request, PROBLEM_UNAVAILABLE, SLICE_NONE, "the database is out of reach; try again later");
	request->caller = (struct caller){ .kind = CALLER_USER,
		.id = session->user_id,
		.name = session->email,
		.operator= session->role == ROLE_OPERATOR,
		.account_id = session->account_id,
		.rights = session->rights };
	read_campaigns(request);
	/* operators have no account and no limit: the limit of an address would be too low for two tabs of the dashboard */
	return session->account_id == 0 || call_pass_user(request->from, session->account_id, session->account_per_minute);
}

static bool
check_user(struct manage_request *request)
{
	const bool reads = request->http->method == HTTP_GET || request->http->method == HTTP_HEAD;
	if (request->session.account_suspended && !request->may_be_suspended)
		return request_fail_status(request, 403, "account_suspended", SLICE("the account is suspended"));
	return reads || request_is_own_page(request);
}

static bool
fail_unknown(struct manage_request *request)
{
	if (!call_pass_address(request->from))
		return false;
	request_add_header(request, "WWW-Authenticate", SLICE("Bearer"));
	return request_fail_status(request, 401, "missing_api_key", SLICE("an API key or a session is required"));
}

bool
request_identify(struct manage_request *request)
{
	const struct api_key *key = &request->from->key;
	if (key->id != 0) {
		identify_key(request, key);
	} else {
		request->token = request_token(request);
		if (!slice_present(request->token))
			return fail_unknown(request);
		if (!identify_user(request) || !check_user(request))
			return false;
	}
	request->caller.address = ip_address_format(request->http->pool, call_client(request->from));
	request->caller.request_id = request->http->request_id;
	return true;
}

bool
request_demand_confirmation(struct manage_request *request)
{
	return !slice_present(request->token) || login_is_confirmed(&request->session) ||
	       request_fail_status(request, 403, "confirmation_needed",
		   SLICE("this needs the password again: POST /manage/v1/session/confirm"));
}
