/* SPDX-License-Identifier: MIT
 * Scripts and stylesheets: of pages elsewhere (docs/embedding.md), of the hosted pages and of a campaign (docs/pages.md). The
 * description of the API (docs/api.md 4.1). */
#include "api/openapi.h"
#include "api/pages.h"

#include "base/encode.h"
#include "crypto/digest.h"
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
answer_asset(struct call *call, enum http_content content, struct slice text)
{
	struct http_response *response = call->response;
	const struct slice version = version_of(call->request->pool, text);
	buffer_clear(&response->body);
	response->content = content;
	response->is_public = true;
	if (!http_response_header(response, "ETag", pool_printf(call->request->pool, "\"%.*s\"", SLICE_ARGS(version))))
		log_error("header_refused", LOG_STR("name", "ETag"));
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
