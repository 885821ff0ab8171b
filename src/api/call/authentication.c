/* SPDX-License-Identifier: MIT */
#include "api/call/authentication.h"

#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/fetch.h"
#include "api/call/limits.h"
#include "api/call/param_values.h"
#include "crypto/digest.h"
#include "identity/random_secret.h"
#include "identity/signed_token.h"
#include "identity/social_id.h"
#include "identity/typed.h"
#include "os/loopback.h"

/* Whether the body is too large for a call without a key. */
static bool
body_is_large(const struct call *call)
{
	return call->request->body.size > call->api->options->public_body_bytes;
}

/* A large body with the text of a key counts as a wrong key, unless it contains a valid one. */
static bool
must_prove_key(const struct call *call)
{
	return call->body_key != BODY_HAS_NO_KEY && body_is_large(call);
}

/* Whether the text is what clients send if they do not have a key: a variable without a value, or only the scheme. */
static bool
is_placeholder(struct slice text)
{
	return slice_equal(text, SLICE("undefined")) || slice_equal(text, SLICE("null")) ||
	       slice_equal_nocase(text, SLICE("Bearer"));
}

static enum param_id
key_param(const struct call *call)
{
	return call->route->key == KEY_PASSWORD ? PARAM_PASSWORD : PARAM_KEY;
}

/* Reads `api_key` from query or body, otherwise the last token of either header. An unreadable key counts as none. */
static bool
read_key_text(struct call *call, struct slice *key)
{
	if (!param_read_text(call, key_param(call), key)) {
		call->checking_limits = false;
		if (!must_prove_key(call))
			(void)!call_pass_address(call);
		return false;
	}
	if (call->route->key == KEY_PASSWORD)
		return true;
	*key = typed_clean(call->request->pool, *key);
	const struct slice headers[] = { call->request->authorization, call->request->authentication };
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!slice_present(*key) || is_placeholder(*key))
			*key = api_key_from_header(call->request->pool, headers[i]);
	if (is_placeholder(*key))
		*key = SLICE_NONE;
	return true;
}

/* A malformed key is not looked up. */
static enum result
find_key(struct call *call, struct slice text, const struct digest *hash)
{
	return secret_well_formed(SECRET_API_KEY, text) ? fetch_key(call, hash->bytes, &call->key) : RESULT_NOT_FOUND;
}

/* Whether a look-up found a valid key or token; an invalid one is counted. */
static bool
judge_key(struct call *call, struct slice hash, enum result found)
{
	if (found == RESULT_NOT_FOUND)
		call_refuse_key(call, hash);
	else if (found == RESULT_OK)
		call_accept_key(call, hash);
	return found == RESULT_OK || (found != RESULT_NOT_FOUND && call_check_result(call, found));
}

static bool
check_key(struct call *call, struct slice text)
{
	const struct digest hash = secret_hash(text);
	if (!call_may_try_key(call, digest_slice(&hash)) || !call_may_wait(call, WAIT_READ))
		return false;
	if (!judge_key(call, digest_slice(&hash), find_key(call, text, &hash)))
		return false;
	call->account_id = call->key.account_id;
	call->api->used_key = call->key;
	if (call->key.account_suspended && call->route->campaign == NO_CAMPAIGN)
		return call_fail(call, FAILURE_ACCOUNT_SUSPENDED);
	return true;
}

static bool
authenticate_by_key(struct call *call)
{
	call->key = (struct api_key){ .id = 0 };
	call->account_id = 0;
	if (!read_key_text(call, &call->key_text))
		return false;
	if (slice_present(call->key_text))
		return check_key(call, call->key_text);
	if (call->route->key == KEY_OPTIONAL && body_is_large(call))
		return call_fail_with(call, FAILURE_BODY_TOO_LARGE, SLICE("Request body is too large without an API key"));
	if (!call_pass_address(call))
		return false;
	return call->route->key == KEY_OPTIONAL || call_fail(call, FAILURE_MISSING_API_KEY);
}

/* Management reads keys only from headers: keys in queries end up in logs, and not every request has a body. */
static bool
authenticate_by_header(struct call *call)
{
	call->key_text = api_key_from_header(call->request->pool, call->request->authorization);
	if (slice_present(call->key_text) && !is_placeholder(call->key_text))
		return check_key(call, call->key_text);
	call->key_text = SLICE_NONE;
	return true; /* src/manage may know the caller by other means, and applies the limits */
}

/* ---- secrets in paths ---- */

/* /opt-out/{campaign}/{social_id}/{token}. All invalid links get the same answer. The link of a deleted lead is valid if the
 * lead's email address was never replaced. */
static bool
check_token(struct call *call)
{
	const struct slice *segments = call->request->segments;
	const struct payload_settings *settings;
	struct lead_token_owner owner = { 0 };
	struct lead lead = { .id = 0 };
	if (!slice_to_u64(segments[1], INT64_MAX, &owner.campaign_id) ||
	    !social_id_parse(call->request->pool, segments[2], &owner.social_id))
		return call_fail(call, FAILURE_NOT_FOUND);
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = owner.social_id };
	enum result result = store_payload_settings(call->api->store, &settings);
	if (result == RESULT_OK)
		result = store_find_lead(call->api->store, call->request->pool, owner.campaign_id, &reference, &lead);
	if (result != RESULT_NOT_FOUND && !call_check_result(call, result))
		return false;
	owner.epoch = lead.opt_out_epoch;
	if (!lead_token_valid(segments[3], settings->server_secret, LEAD_TOKEN_OPT_OUT, &owner))
		return call_fail(call, FAILURE_NOT_FOUND);
	call->social_id = owner.social_id;
	call->lead_email = lead.email_key;
	call->reader_language = lead.language;
	return true;
}

static enum result
find_webhook(struct call *call, struct slice token, const struct digest *hash)
{
	uint64_t campaign_id;
	if (!secret_well_formed(SECRET_INBOUND, token) || !call_campaign_id(call, &campaign_id))
		return RESULT_NOT_FOUND;
	const enum result result =
	    store_find_inbound_of_token(call->api->store, call->request->pool, hash->bytes, &call->inbound);
	return result == RESULT_OK && call->inbound.campaign_id != campaign_id ? RESULT_NOT_FOUND : result;
}

/* An unknown URL looks like any unknown path. */
static bool
check_inbound(struct call *call)
{
	const struct slice token = call->request->segments[2];
	const struct digest hash = secret_hash(token);
	if (!call_may_try_key(call, digest_slice(&hash)) || !call_may_wait(call, WAIT_READ))
		return false;
	if (!judge_key(call, digest_slice(&hash), find_webhook(call, token, &hash)))
		return false;
	call->account_id = call->inbound.account_id;
	call->key.account_per_minute = call->inbound.account_per_minute;
	return call_pass_inbound(call);
}

/* ---- metrics ---- */

/* The host of an authority, without its port and the brackets of IPv6. */
static struct slice
host_of(struct slice authority)
{
	const size_t bracket = slice_find(authority, ']');
	if (slice_starts_with(authority, SLICE("[")) && bracket < authority.size)
		return slice_sub(authority, 1, bracket);
	return slice_sub(authority, 0, slice_find(authority, ':'));
}

/* The authority of a URL that has one. */
static struct slice
authority_of(struct slice url)
{
	const struct slice rest = slice_sub(url, slice_find(url, ':') + sizeof("://") - 1, url.size);
	return slice_sub(rest, 0, slice_find(rest, '/'));
}

/* Whether the request is for a name of this host. A page of another site may have pointed its own name to the address of this
 * host ("DNS rebinding"), but its requests are for that name. */
static bool
names_this_host(const struct call *call)
{
	const struct slice host = host_of(call->request->host), base_url = call->api->options->base_url;
	if (!slice_present(host))
		return false;
	return host_is_loopback(host) || (base_url.size > 0 && slice_equal_nocase(host, host_of(authority_of(base_url))));
}

/* Whether the request came from a proxy or from a page in a browser. */
static bool
has_other_sender(const struct http_request *request)
{
	return slice_present(request->forwarded_for) || request->forwarded_for_is_ambiguous ||
	       slice_present(request->forwarded) || slice_present(request->via) || request->sender_is_ambiguous ||
	       slice_present(request->origin) ||
	       (slice_present(request->fetch_site) && !slice_equal(request->fetch_site, SLICE("none")));
}

/* Whether the web server was called directly from its own host. Calls through a proxy do not count, because their first address
 * may be any client's, nor do calls by a script on a page in a browser on this host. */
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

static bool
check_metrics(struct call *call)
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

/* ---- all routes ---- */

bool
call_authenticate(struct call *call)
{
	switch (call->route->key) {
	case KEY_NONE:
		return (call->route->flags & ROUTE_READINESS) == 0 || call_pass_address(call);
	case KEY_PAGE:
		return call_pass_address(call);
	case KEY_TOKEN:
		return call_pass_address(call) && call_may_wait(call, WAIT_READ) && check_token(call);
	case KEY_PROBE: /* checked in api.c */
		return true;
	case KEY_INBOUND:
		return check_inbound(call);
	case KEY_METRICS:
		return check_metrics(call);
	case KEY_MANAGE:
		return authenticate_by_header(call);
	case KEY_OPTIONAL:
	case KEY_REQUIRED:
	case KEY_PASSWORD:
		return authenticate_by_key(call);
	}
	return true;
}

/* ---- keys in bodies ---- */

enum { KEYS_TRIED = 4, KEYS_EXAMINED = 1000 };

static bool
contains(struct slice text, const char *word)
{
	return memmem(text.data, text.size, word, strlen(word)) != NULL;
}

/* Looks for a key that this host knows. Keys need no escapes in any format. */
static enum body_key
find_known_key(struct call *call, struct slice text)
{
	enum body_key found = BODY_HAS_NO_KEY;
	size_t tried = 0;
	for (size_t looks = 0; tried < KEYS_TRIED; looks++) {
		const char *at = memmem(text.data, text.size, "lh_", 3);
		if (at == NULL)
			return found;
		text = slice_sub(text, (size_t)(at - text.data), text.size);
		const struct slice key = slice_sub(text, 0, API_KEY_SIZE);
		text = slice_sub(text, 1, text.size);
		if (looks == KEYS_EXAMINED)
			break;
		if (!secret_well_formed(SECRET_API_KEY, key))
			continue;
		const struct digest hash = secret_hash(key);
		if (call_key_is_known(call, digest_slice(&hash))) {
			call->known_key = hash;
			return BODY_HAS_KNOWN_KEY;
		}
		found = BODY_MAY_HAVE_KEY;
		tried++;
	}
	return BODY_MAY_HAVE_KEY;
}

/* Whether the text contains "lh". Faster than memmem(3), because few texts have many of these letters. */
static bool
contains_lh(struct slice text)
{
	size_t at;
	while ((at = slice_find(text, 'l')) < text.size) {
		text = slice_sub(text, at + 1, text.size);
		if (slice_starts_with(text, SLICE("h")))
			return true;
	}
	return false;
}

/* Some clients escape more than necessary. A key that is missed here is found after parsing, so only calls that need a key have
 * to look for every escape, including malformed ones. */
void
call_look_for_key(struct call *call)
{
	const struct slice body = call->request->body;
	const bool is_optional = call->route->key == KEY_OPTIONAL;
	if (body.size == 0 || (is_optional && !contains_lh(body))) /* true for most bodies */
		return;
	call->body_key = find_known_key(call, body);
	if (call->body_key != BODY_HAS_NO_KEY)
		return;
	const bool may = is_optional ? contains(body, "lh%5") || contains(body, "lh\\u005")
				     : contains(body, "api_key") || contains(body, "%") || contains(body, "\\u");
	call->body_key = may ? BODY_MAY_HAVE_KEY : BODY_HAS_NO_KEY;
}

bool
call_body_may_identify(const struct call *call)
{
	return call->body_key != BODY_HAS_NO_KEY ||
	       ((call->route->campaign == CAMPAIGN_IN_PARAMETERS || call->route->key == KEY_PASSWORD) &&
		   call->request->body.size > 0);
}

/* Checks the limits of a call that is counted later. A body that cannot contain a valid key is refused with wrong keys. */
bool
call_may_read_body(struct call *call)
{
	if (call->body_key == BODY_HAS_KNOWN_KEY)
		return true;
	if (call->body_key == BODY_MAY_HAVE_KEY)
		return !body_is_large(call) || call_may_fail_key(call);
	if (call->route->key == KEY_PASSWORD) /* a password that cannot be a key counts as a wrong one */
		return call_may_fail_key(call);
	call->checking_limits = true;
	const bool may = call_authenticate(call) && call_pass_account(call);
	call->checking_limits = false;
	return may;
}

bool
call_confirm_key(struct call *call)
{
	struct slice text;
	if (http_params_find(call->params, param_name(key_param(call))) == NULL) /* the key is that of a header, as before */
		return true;
	if (!read_key_text(call, &text))
		return false;
	const bool same = slice_equal(text, call->key_text);
	call->counted = call->counted && same; /* if the key is another one, its account also counts the call */
	return same;
}

bool
call_count_unread(struct call *call)
{
	if (call->counted)
		return true;
	if (!read_key_text(call, &call->key_text))
		return false;
	if (slice_present(call->key_text))
		return check_key(call, call->key_text) && call_pass_account(call);
	return body_is_large(call) || call_pass_address(call);
}

void
call_note_unproven(struct call *call)
{
	if (!must_prove_key(call) || call->account_id != 0 || call->unavailable)
		return;
	if (call->body_key == BODY_HAS_KNOWN_KEY) /* the key may be revoked: its text must not cause every body to be read */
		call_drop_key(call, digest_slice(&call->known_key));
	if (!call->counted)
		call_note_failed_key(call);
}
