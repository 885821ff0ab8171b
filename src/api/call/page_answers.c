/* SPDX-License-Identifier: MIT */
#include "api/call/page_answers.h"

#include <inttypes.h>
#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/page_origin.h"
#include "base/duration.h"
#include "base/encode.h"
#include "crypto/digest.h"
#include "crypto/seal.h"
#include "identity/email.h"
#include "identity/link.h"
#include "page/failures.h"
#include "store/texts/campaign_texts.h"

enum { SOURCES_MAX_BYTES = 2000 };

struct slice
call_root(const struct call *call)
{
	return page_root(call->api->options->base_url, call->api->options->base_path);
}

/* Whether the page may have the looks of the campaign. With a key of another account, a campaign looks like a missing one
 * (docs/api.md 2). */
static bool
has_campaign(const struct call *call)
{
	return call->campaign.id != 0 && call->failure != FAILURE_CAMPAIGN_NOT_FOUND;
}

static enum text_language
language_of(const struct call *call)
{
	const struct slice own = has_campaign(call) ? call->campaign.language : SLICE_NONE;
	return TEXT_LANGUAGE_FIRST(own, call->reader_language, text_language_accept(call->request->accept_language));
}

struct page
call_begin_page(struct call *call)
{
	const struct api_options *options = call->api->options;
	buffer_clear(&call->response->body);
	return (struct page){
		.pool = call->request->pool,
		.out = &call->response->body,
		.language = language_of(call),
		.root = call_root(call),
		.base_url = options->base_url.size > 0 ? options->base_url : SLICE_NONE,
		.campaign_id = has_campaign(call) ? call->campaign.id : 0,
		.campaign_name = has_campaign(call) ? call->campaign.name : SLICE_NONE,
		.wait_s = call->wait_s,
	};
}

struct slice
call_page_url(const struct call *call, struct slice rest)
{
	const struct api_options *options = call->api->options;
	const struct slice root = options->base_url.size > 0 ? options->base_url : options->base_path;
	return link_to_page(call->request->pool, root, call->campaign.id, rest);
}

enum result
call_read_looks(struct call *call, struct page *page)
{
	struct campaign_texts texts;
	const enum result result =
	    store_read_texts(call->api->store, page->pool, call->campaign.id, SLICE(LOOK_PREFIX), &texts);
	if (result != RESULT_OK)
		return result;
	for (size_t i = 0; i < texts.count; i++)
		look_add(&page->looks, page->language, texts.list[i].name, texts.list[i].language, texts.list[i].value);
	return RESULT_OK;
}

bool
call_begin_looks(struct call *call, struct page *page)
{
	*page = call_begin_page(call);
	return call_may_wait(call, WAIT_READ) && call_check_result(call, call_read_looks(call, page));
}

/* ---- headers ---- */

/* A source for a host and its subdomains, with any port. */
static struct slice
add_host(struct pool *pool, struct slice sources, struct slice host)
{
	return POOL_JOIN(pool, sources, SLICE(" "), host, SLICE(":* *."), host, SLICE(":*"));
}

/* The origin of a URL, and its host with and without "www.", because a server may redirect further. */
static struct slice
add_url(struct pool *pool, struct slice sources, struct slice url)
{
	struct slice host = link_host(pool, url);
	sources = POOL_JOIN(pool, sources, SLICE(" "), page_source(pool, url));
	if (slice_starts_with(host, SLICE("www.")))
		host = slice_sub(host, sizeof("www.") - 1, host.size);
	return slice_present(host) ? add_host(pool, sources, host) : sources;
}

/* The campaign's hosts. A header does not have room for very many: browsers refuse those that do not fit. */
static struct slice
add_own_hosts(const struct call *call, struct slice sources)
{
	struct pool *pool = call->request->pool;
	const struct campaign *campaign = &call->campaign;
	struct slice rest = campaign->hosts, host;
	while (sources.size < SOURCES_MAX_BYTES && slice_next_item(&rest, &host))
		sources = add_host(pool, sources, host);
	return sources;
}

/* The URLs to which the forms of a page may lead, as CSP writes them: browsers also check each redirection after a form. If the
 * page was not opened under the name in the base URL, the service has two names. */
static struct slice
form_sources(const struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	const struct slice urls[] = { campaign->thankyou_url, campaign->landing_url, campaign->status_url };
	struct pool *pool = call->request->pool;
	struct slice sources = add_url(pool, SLICE(""), call->api->options->base_url);
	if (!has_campaign(call))
		return sources;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		sources = add_url(pool, sources, urls[i]);
	return add_own_hosts(call, sources);
}

/* The pages that may show this page in a frame; absent: none. The page contains a form of the campaign, so these are the pages
 * that may contain the form (docs/api.md 4.1.11, hosts_only). */
static struct slice
frame_sources(const struct call *call)
{
	if (call->route == NULL || (call->route->flags & ROUTE_FRAMED) == 0 || !has_campaign(call))
		return SLICE_NONE;
	return call->campaign.hosts_only
		   ? add_own_hosts(call, add_url(call->request->pool, SLICE("'self'"), call->campaign.landing_url))
		   : SLICE("*");
}

void
call_page_headers(struct call *call, const struct page *page, enum page_secrecy secrecy)
{
	const struct http_header headers[] = {
		{ "Content-Security-Policy", page_policy(page, form_sources(call), frame_sources(call)) },
		{ "Referrer-Policy", secrecy == PAGE_SECRET ? SLICE("no-referrer") : SLICE("same-origin") },
		{ "Vary", SLICE("Accept-Language") },
		{ "X-Robots-Tag", SLICE("noindex") },
	};
	call->response->content = HTTP_HTML;
	if (call->has_page_headers)
		return;
	call->has_page_headers = true;
	for (size_t i = 0; i < ARRAY_SIZE(headers) - (secrecy == PAGE_PUBLIC ? 1 : 0); i++)
		call_add_header(call, headers[i].name, headers[i].value);
}

struct page
call_open_page(struct call *call, enum page_secrecy secrecy)
{
	struct page page = call_begin_page(call);
	const bool may_read = has_campaign(call) && !call->unavailable && call->failure != FAILURE_INTERNAL;
	if (may_read && call_read_looks(call, &page) != RESULT_OK)
		page.looks = (struct looks){ 0 };
	call_page_headers(call, &page, secrecy);
	return page;
}

/* ---- messages ---- */

void
call_answer_message(struct call *call, enum text_key title, enum text_key text)
{
	const struct page page = call_open_page(call, PAGE_SECRET);
	page_write_message(&page, &(struct page_message){ .title = page_text(&page, title), .text = page_text(&page, text) });
}

/* The text for a link that does not work. What a visitor can do about it depends on the mail that contained it. */
static enum text_key
failure_advice(const struct call *call)
{
	if (failure_info(call->failure)->status == 404 && call->route != NULL) {
		if (call->route->key == KEY_TOKEN)
			return TEXT_ERROR_OPT_OUT_LINK;
		if ((call->route->flags & ROUTE_EXPIRES) != 0)
			return TEXT_ERROR_EXPIRED_LINK;
	}
	return page_failure_text(call->failure);
}

void
call_fail_page(struct call *call)
{
	const struct page page = call_open_page(call, PAGE_SECRET);
	struct slice text = page_text(&page, failure_advice(call));
	if (failure_info(call->failure)->status >= 500) /* so that the operator can find it in the log */
		text = POOL_JOIN(page.pool, text, SLICE(" ("), call->request->request_id, SLICE(")"));
	const struct page_message message = { .title = page_text(&page, page_failure_title(call->failure)), .text = text },
				  ended = page_ended_message(&page);
	page_write_message(&page, call->failure == FAILURE_CAMPAIGN_ENDED ? &ended : &message);
}

/* ---- redirections ---- */

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
	const struct slice location = call_location(call->request->pool, url);
	if (slice_present(location))
		call_redirect_to(call, location);
	return slice_present(location);
}

void
call_redirect_to_page(struct call *call, struct slice rest)
{
	call_redirect_to(call, call_page_url(call, rest));
}

/* ---- the address to which a mail was sent ---- */

#define SENT_TO SLICE("to") /* in the query */
#define SENT_PLACE(call) ((struct seal_place){ "pages.sent", (call)->campaign.id })
enum { SENT_VALID_MS = HOUR_MS };

/* The keys that seal addresses; NULL if the database is unavailable. */
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
