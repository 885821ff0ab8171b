/* SPDX-License-Identifier: MIT
 * Scripts and stylesheets: of pages elsewhere (docs/embedding.md), of the hosted pages and of a campaign (docs/pages.md), of
 * the dashboard (docs/dashboard.md). The description of the API (docs/api.md 4.1). */
#include "api/openapi.h"
#include "api/pages.h"

#include "base/encode.h"
#include "crypto/digest.h"
#include "dashboard/dashboard.h"
#include "page/assets.h"

enum { VERSION_BYTES = 16 };

/* The entity tag without its quotes. */
static struct slice
version_of(struct pool *pool, struct slice text)
{
	const struct digest digest = digest_sha256(&text, 1);
	return encode_hex(pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
}

/* Any tag of the list may be weak, or have a suffix: web servers that compress the answer change it. */
static bool
has_version(struct slice tags, struct slice version)
{
	return slice_present(tags) && memmem(tags.data, tags.size, version.data, version.size) != NULL;
}

static void
add_header(struct call *call, const char *name, struct slice value)
{
	if (!http_response_header(call->response, name, value))
		log_error("header_refused", LOG_STR("name", name));
}

static void
answer_asset(struct call *call, enum http_content content, struct slice text)
{
	struct http_response *response = call->response;
	const struct slice version = version_of(call->request->pool, text);
	buffer_clear(&response->body);
	response->content = content;
	response->is_public = true;
	add_header(call, "ETag", pool_printf(call->request->pool, "\"%.*s\"", SLICE_ARGS(version)));
	if (has_version(call->request->if_none_match, version))
		response->status = 304;
	else
		buffer_add(&response->body, text);
}

/* With its version in the URL, the answer to that URL is the same for as long as it is this version. */
static void
answer_page_asset(struct call *call, enum http_content content, enum page_asset asset)
{
	struct pool *pool = call->request->pool;
	answer_asset(call, content, page_asset(asset));
	call->response->is_immutable =
	    slice_equal(call->request->query, POOL_JOIN(pool, SLICE("v="), page_asset_version(pool, asset)));
}

void
handle_embed_script(struct call *call)
{
	answer_page_asset(call, HTTP_JAVASCRIPT, PAGE_ASSET_EMBED);
}

void
handle_page_script(struct call *call)
{
	answer_page_asset(call, HTTP_JAVASCRIPT, PAGE_ASSET_SCRIPT);
}

void
handle_page_style(struct call *call)
{
	answer_page_asset(call, HTTP_CSS, PAGE_ASSET_STYLE);
}

void
handle_openapi(struct call *call)
{
	answer_asset(call, HTTP_JSON, (struct slice){ openapi_document, openapi_document_size });
}

/* The pages of the campaign name its version in the URL, so that a cached one is never an old one. A campaign without a style
 * of its own looks like a missing one, with any key. */
void
handle_campaign_style(struct call *call)
{
	struct page page = call_begin_page(call);
	if (!call_may_wait(call, WAIT_READ))
		return;
	const enum result result = call_read_looks(call, &page);
	if (result != RESULT_OK) {
		call_fail(call, call_failure(result));
		return;
	}
	looks_write_style(page.out, &page.looks);
	if (page.out->size == 0)
		call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	else
		answer_asset(call, HTTP_CSS, pool_copy(page.pool, buffer_slice(page.out)));
}

/* ---- the dashboard ---- */

void
handle_dashboard(struct call *call)
{
	/* Links of invitations have their secret in the fragment, which the page removes. */
	static const struct http_header headers[] = {
		{ "Content-Security-Policy", SLICE("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
						   "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
						   "frame-ancestors 'none'") },
		{ "Referrer-Policy", SLICE("no-referrer") },
		{ "Cross-Origin-Opener-Policy", SLICE("same-origin") },
		{ "Cross-Origin-Resource-Policy", SLICE("same-origin") },
		{ "X-Robots-Tag", SLICE("noindex") },
	};
	if (dashboard_file_count == 0) {
		call_fail(call, FAILURE_NOT_FOUND);
		return;
	}
	buffer_clear(&call->response->body);
	call->response->content = HTTP_HTML;
	call->response->same_origin = true;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		add_header(call, headers[i].name, headers[i].value);
	dashboard_write_page(&call->response->body, call_root(call));
}

/* The files that this program has, also where another version is requested: during an upgrade, hosts differ. No cache may store
 * them as that version. */
void
handle_dashboard_file(struct call *call)
{
	const struct slice *segments = call->request->segments;
	const struct dashboard_file *file = dashboard_find(segments[2]);
	if (file == NULL || call->request->trailing_slash) {
		call_fail(call, FAILURE_NOT_FOUND);
		return;
	}
	const bool compressed = http_accepts_gzip(call->request);
	answer_asset(call, file->content, compressed ? file->gzip : file->plain);
	call->response->is_immutable = slice_equal(segments[1], slice_of(dashboard_version));
	call->response->is_public = call->response->is_immutable;
	call->response->same_origin = true;
	add_header(call, "Vary", SLICE("Accept-Encoding"));
	add_header(call, "Cross-Origin-Resource-Policy", SLICE("same-origin"));
	if (compressed)
		add_header(call, "Content-Encoding", SLICE("gzip"));
}
