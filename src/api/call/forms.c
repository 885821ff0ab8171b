/* SPDX-License-Identifier: MIT */
#include "api/call/forms.h"

#include <inttypes.h>

#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/page_forms.h"
#include "api/call/param_names.h"
#include "base/duration.h"
#include "base/encode.h"
#include "crypto/digest.h"
#include "crypto/seal.h"
#include "engine/visitors.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/phone.h"
#include "webhook/document.h"
#include "webhook/webhook_url.h"

enum { LOCATION_MAX_BYTES = 8192 };

static bool
is_form_body(struct slice content_type)
{
	return slice_starts_with_nocase(content_type, SLICE("application/x-www-form-urlencoded")) ||
	       slice_starts_with_nocase(content_type, SLICE("multipart/form-data"));
}

static bool
accepts_pages(struct slice accept)
{
	struct slice range;
	while (slice_present(accept) && slice_next(&accept, ',', &range))
		if (slice_starts_with_nocase(slice_trim(range), SLICE("text/html")))
			return true;
	return false;
}

/* The parameter `__answer`. Values that are not known count as none. */
static enum form_answer
wanted_answer(const struct call *call)
{
	if (call->params == NULL)
		return FORM_ANSWER_AUTO;
	const struct slice text = http_params_text(call->params, param_name(PARAM_ANSWER));
	return slice_equal(text, form_answer_names[FORM_ANSWER_JSON])       ? FORM_ANSWER_JSON
	       : slice_equal(text, form_answer_names[FORM_ANSWER_REDIRECT]) ? FORM_ANSWER_REDIRECT
									    : FORM_ANSWER_AUTO;
}

/* A header decides if there is one: a script that sends the fields of a form cannot use a redirection. */
bool
call_is_form(const struct call *call)
{
	const struct http_request *request = call->request;
	const bool is_signup = call->route != NULL && call->route->key == KEY_OPTIONAL &&
			       (call->route->flags & ROUTE_FIELDS) != 0 && request->method == HTTP_POST;
	if (is_signup && (call->route->flags & ROUTE_HOSTED) != 0)
		return true;
	if (!is_signup || slice_present(call->key_text) || !is_form_body(request->content_type))
		return false;
	if (slice_present(request->fetch_mode) && !slice_equal(request->fetch_mode, SLICE("navigate")))
		return false;
	const enum form_answer wanted = wanted_answer(call);
	if (wanted != FORM_ANSWER_AUTO)
		return wanted == FORM_ANSWER_REDIRECT;
	if (call->campaign.form_answer == FORM_ANSWER_JSON)
		return false;
	return slice_present(request->fetch_mode) || call->campaign.form_answer == FORM_ANSWER_REDIRECT ||
	       accepts_pages(request->accept);
}

/* ---- addresses ---- */

/* The URL rebuilt from its checked parts for a header; absent: it is not an absolute http or https URL. */
static struct slice
location_of(struct pool *pool, struct slice url)
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

/* The same if its host is one of the campaign's. */
static struct slice
own_location(const struct call *call, struct slice url)
{
	struct pool *pool = call->request->pool;
	const struct slice location = location_of(pool, url);
	const bool listed = slice_present(location) && campaign_lists_host(pool, &call->campaign, link_host(pool, location));
	return listed ? location : SLICE_NONE;
}

/* Browsers send the origin of the page with the POST requests of its forms and scripts. With the GET requests of `<script>` and
 * `<img>`, which older scripts use to sign up, they send a referrer, which a page can suppress, but not that a browser sends
 * the request. */
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
	return link_host(pool, location_of(pool, origin_of(call->request)));
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

/* ---- the address to which a mail was sent ---- */

#define SENT_TO SLICE("to") /* in the query */
#define SENT_PLACE(call) ((struct seal_place){ "pages.sent", (call)->campaign.id })
enum { SENT_VALID_MS = HOUR_MS };

/* NULL: the database is unavailable. */
static struct seal_keys *
keys_of(struct call *call)
{
	const struct payload_settings *settings;
	const struct slice purpose = SLICE("pages.sent");
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK)
		return NULL;
	const struct digest key = digest_hmac_sha256(settings->server_secret, &purpose, 1);
	return seal_keys_new(encode_hex(call->request->pool, digest_slice(&key)));
}

struct slice
sent_address_path(struct call *call, struct slice email)
{
	struct pool *pool = call->request->pool;
	struct email parsed;
	struct buffer out;
	struct seal_keys *keys = email_parse(pool, email, &parsed) ? keys_of(call) : NULL;
	if (keys == NULL)
		return SLICE("/sent");
	const struct slice text = pool_printf(pool, "%" PRId64 " %.*s", call->now_ms + SENT_VALID_MS, SLICE_ARGS(parsed.key));
	const struct slice sealed = seal(keys, pool, SENT_PLACE(call), text);
	seal_keys_free(&keys);
	buffer_init(&out, 3 * sealed.size + sizeof("/sent?to="));
	buffer_add_text(&out, "/sent?to=");
	encode_percent(&out, sealed);
	return buffer_take(&out, pool);
}

struct slice
sent_address_read(struct call *call)
{
	const struct slice sealed = http_params_text(call->params, SENT_TO);
	struct slice text, digits;
	uint64_t until_ms;
	struct seal_keys *keys = keys_of(call);
	const bool is_open =
	    keys != NULL && seal_open(keys, call->request->pool, SENT_PLACE(call), sealed, &text) == SEAL_OPENED;
	seal_keys_free(&keys);
	if (!is_open || !slice_next(&text, ' ', &digits) || !slice_to_u64(digits, INT64_MAX, &until_ms) ||
	    (int64_t)until_ms < call->now_ms)
		return SLICE_NONE;
	return text;
}

/* ---- answers ---- */

void
call_redirect_to(struct call *call, struct slice location)
{
	struct http_response *response = call->response;
	buffer_clear(&response->body);
	response->status = 303;
	response->content = HTTP_HTML;
	if (!http_response_header(response, "Location", location)) {
		log_error("header_refused", LOG_STR("name", "Location"));
		response->status = 500;
	}
}

bool
call_redirect(struct call *call, struct slice url)
{
	const struct slice location = location_of(call->request->pool, url);
	if (slice_present(location))
		call_redirect_to(call, location);
	return slice_present(location);
}

void
call_redirect_to_page(struct call *call, struct slice rest)
{
	call_redirect_to(call, call_page_url(call, rest));
}

static struct slice
member_of(const struct document_node *payload, struct slice name)
{
	const struct document_node *node = document_child(payload, name);
	return node != NULL && node->type == DOCUMENT_STRING ? node->text : SLICE_NONE;
}

struct slice
call_payload_text(struct pool *pool, struct slice payload, struct slice name)
{
	const struct document_node *root = document_read_trusted(pool, payload);
	return root != NULL ? member_of(root, name) : SLICE_NONE;
}

struct slice
call_typed_number(const struct call *call)
{
	const struct slice typed = http_params_text(call->params, SLICE("phone_number")),
			   country_code = http_params_text(call->params, SLICE("country_code"));
	struct slice number;
	return phone_parse(call->request->pool, typed, country_code, &number) ? number : SLICE_NONE;
}

static struct slice
typed_email(const struct call *call)
{
	return http_params_text(call->params, SLICE("email"));
}

/* The page on which the lead types the code that was sent to its number; absent: it also signed up with an email address, or
 * needs no code. A withheld lead is always sent there. */
static struct slice
code_page_url(const struct call *call, const struct document_node *payload)
{
	struct pool *pool = call->request->pool;
	const struct document_node *verified = document_child(payload, SLICE("verified_phone_number"));
	const struct slice number = call_typed_number(call);
	if (!call_sends_codes(call) || !slice_present(number) || (verified != NULL && verified->boolean) ||
	    typed_email(call).size > 0)
		return SLICE_NONE;
	/* in E.164 */
	return call_page_url(call, POOL_JOIN(pool, SLICE("/code?phone_number=%2B"), slice_sub(number, 1, number.size)));
}

/* A visitor who signs up again has only proven to know an address: the page shows what everyone may see, without an invitation
 * to sign up. */
static struct slice
status_page_url(const struct call *call, const struct document_node *payload)
{
	struct pool *pool = call->request->pool;
	const struct slice url = member_of(payload, SLICE("status_url"));
	const struct slice path = POOL_JOIN(pool, SLICE("/s/"), member_of(payload, SLICE("social_id")));
	if (!slice_equal(url, call_page_url(call, path)))
		return url;
	return POOL_JOIN(
	    pool, url, SLICE("?"), PAGE_AGAIN, SLICE("="), typed_email(call).size > 0 ? SLICE("email") : SLICE("phone_number"));
}

/* The addresses are those of the payload, so that a form leads where a client of the API would go. */
static void
succeed(struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct document_node *payload = document_read_trusted(pool, buffer_slice(&call->response->body));
	if (payload == NULL)
		payload = document_new(pool);
	const struct slice code_url = code_page_url(call, payload);
	if (slice_present(code_url)) {
		call_redirect_to(call, code_url);
		return;
	}
	const struct slice targets[] = {
		location_of(pool, member_of(payload, SLICE("thankyou_url"))),
		own_location(call, member_of(payload, SLICE("redirect_url"))),
		location_of(pool, status_page_url(call, payload)),
	};
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (slice_present(targets[i])) {
			call_redirect_to(call, targets[i]);
			return;
		}
	/* Sends to pages that are the same for everyone; not to the answer itself, because loading that again would sign up
	 * again. */
	const struct document_node *mailed = document_child(payload, SLICE("check_mail"));
	call_redirect_to_page(
	    call, mailed != NULL && mailed->boolean ? sent_address_path(call, typed_email(call)) : SLICE("/thanks"));
}

/* Whether the path is "/", and there is no query. */
static bool
is_origin(struct slice location)
{
	const struct slice rest = slice_sub(location, slice_find(location, ':') + sizeof("://") - 1, location.size);
	return slice_present(location) && slice_find(rest, '/') + 1 == rest.size;
}

/* The page of the form: `__url`, otherwise the referrer. Browsers often cut a referrer to its origin: then it is the landing
 * page, if that is on the same host. */
static struct slice
form_page_url(const struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct slice url = http_params_text(call->params, SLICE("__url"));
	const struct slice page = own_location(call, url.size > 0 ? url : call->request->referer),
			   landing = own_location(call, call->campaign.landing_url);
	return is_origin(page) && slice_equal(link_host(pool, page), link_host(pool, landing)) ? landing : page;
}

#define ERROR_PARAMETER SLICE("lead_error=")

/* The URL with the parameter, in place of one left by an earlier error. */
static struct slice
with_error(struct pool *pool, struct slice url, struct slice code)
{
	const size_t end = slice_find(url, '#'), question = slice_find(slice_sub(url, 0, end), '?');
	struct slice query = slice_sub(url, question + 1, end), part, front = slice_sub(url, 0, question);
	const char *join = "?";
	while (query.size > 0 && slice_next(&query, '&', &part)) {
		if (part.size == 0 || slice_starts_with(part, ERROR_PARAMETER))
			continue;
		front = POOL_JOIN(pool, front, slice_of(join), part);
		join = "&";
	}
	return POOL_JOIN(pool, front, slice_of(join), ERROR_PARAMETER, code, slice_sub(url, end, url.size));
}

/* The page with the failed form has the script that does the work; the page of the form itself may have none. */
static bool
lacks_proof(enum failure failure)
{
	return failure == FAILURE_PROOF_REQUIRED || failure == FAILURE_PROOF_INVALID;
}

static void
fail(struct call *call)
{
	const bool stays = (call->route->flags & ROUTE_HOSTED) != 0 || lacks_proof(call->failure);
	const struct slice page = stays ? SLICE_NONE : form_page_url(call);
	if (slice_present(page)) {
		call_redirect_to(call, with_error(call->request->pool, page, slice_of(failure_info(call->failure)->code)));
		return;
	}
	call_answer_failed_form(call);
}

void
call_finish_form(struct call *call)
{
	if (!call_is_form(call))
		return;
	if (call->failure == FAILURE_NONE)
		succeed(call);
	else
		fail(call);
}
