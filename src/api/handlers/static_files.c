/* SPDX-License-Identifier: MIT */
#include "api/handlers/static_files.h"

#include "api/call/call_answers.h"
#include "api/call/page_answers.h"
#include "api/handlers/openapi_text.h"
#include "base/encode.h"
#include "crypto/digest.h"
#include "dashboard/dashboard.h"
#include "page/page_assets.h"

enum { VERSION_BYTES = 8 };

/* Whether the list contains the tag. A tag in it may be weak, or have a suffix with which we or web servers mark compressed
 * answers. */
static bool
has_version(struct slice tags, struct slice version)
{
	return slice_present(tags) && memmem(tags.data, tags.size, version.data, version.size) != NULL;
}

/* `coding` is absent for an uncompressed text. */
static void
answer_text(struct call *call, enum http_content content, struct slice version, struct slice coding, struct slice text)
{
	struct http_response *response = call->response;
	const char *dash = slice_present(coding) ? "-" : "";
	buffer_clear(&response->body);
	response->content = content;
	response->is_public = true;
	call_add_header(
	    call, "ETag", pool_printf(call->request->pool, "\"%.*s%s%.*s\"", SLICE_ARGS(version), dash, SLICE_ARGS(coding)));
	if (has_version(call->request->if_none_match, version)) {
		response->status = 304;
		return;
	}
	if (slice_present(coding))
		call_add_header(call, "Content-Encoding", coding);
	buffer_add(&response->body, text);
}

static void
answer_asset(struct call *call, enum http_content content, const struct asset *asset)
{
	const bool compressed = http_accepts_gzip(call->request);
	call_add_header(call, "Vary", SLICE("Accept-Encoding"));
	answer_text(
	    call, content, asset->version, compressed ? SLICE("gzip") : SLICE_NONE, compressed ? asset->gzip : asset->plain);
}

/* Answers a URL with a version. If it is the right version, the answer never changes. */
static void
answer_page_asset(struct call *call, enum http_content content, const struct asset *asset)
{
	answer_asset(call, content, asset);
	call->response->is_immutable =
	    slice_equal(call->request->query, POOL_JOIN(call->request->pool, SLICE("v="), asset->version));
}

void
handle_embed_script(struct call *call)
{
	answer_page_asset(call, HTTP_JAVASCRIPT, &embed_script);
}

/* Older pages load a library and the settings of their form, each as a script. */
void
handle_older_script(struct call *call)
{
	const struct http_request *request = call->request;
	if (!slice_ends_with(request->segments[request->segment_count - 1], SLICE(".js")))
		call_fail(call, FAILURE_NOT_FOUND);
	else
		handle_embed_script(call);
}

void
handle_page_script(struct call *call)
{
	answer_page_asset(call, HTTP_JAVASCRIPT, &page_script);
}

void
handle_page_style(struct call *call)
{
	answer_page_asset(call, HTTP_CSS, &page_style);
}

void
handle_openapi(struct call *call)
{
	answer_asset(call, HTTP_JSON, &openapi_document);
}

/* Answers with a text that was made for this answer. */
static void
answer_made(struct call *call, enum http_content content, struct slice text)
{
	const struct digest digest = digest_sha256(&text, 1);
	const struct slice version = encode_hex(call->request->pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
	answer_text(call, content, version, SLICE_NONE, text);
}

/* The pages of the campaign have the version of its style in the URL, so a cached style is never out of date. A campaign
 * without a style of its own looks like a missing one, with any key. */
void
handle_campaign_style(struct call *call)
{
	struct page page;
	if (!call_begin_looks(call, &page))
		return;
	looks_write_style(page.out, &page.looks);
	const struct slice style = pool_copy(page.pool, buffer_slice(page.out));
	if (style.size == 0)
		call_fail(call, FAILURE_CAMPAIGN_NOT_FOUND);
	else
		answer_made(call, HTTP_CSS, style);
}

/* ---- icons ---- */

/* Icons for links that share something, under the names that pages of other services load. The icons are our own drawings: the
 * first letters of a network, or a symbol of what a link does. */
#define LETTERS(text, size)                                                                              \
	"<text x=\"16\" y=\"16\" dy=\".36em\" text-anchor=\"middle\" fill=\"#fff\" font-weight=\"700\" " \
	"font-family=\"sans-serif\" font-size=\"" size "\">" text "</text>"
#define LINES(path)                                                                                                    \
	"<path fill=\"none\" stroke=\"#fff\" stroke-width=\"2.5\" stroke-linecap=\"round\" stroke-linejoin=\"round\" " \
	"d=\"" path "\"/>"
#define ENVELOPE LINES("M7 10h18v12H7zM7 10.5l9 7 9-7")
#define LINK LINES("M14 18a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5M18 14a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.5-1.5")
#define BUBBLE LINES("M7 9h18v11H15l-5 4v-4H7zM12 14.5h.01M16 14.5h.01M20 14.5h.01")
#define SHARE LINES("M16 19V6M11.5 10L16 5.5 20.5 10M9 15v10h14V15")

static const struct {
	struct slice name;
	const char *drawing;
} icons[] = {
	{ SLICE("copy"), LINK },
	{ SLICE("email"), ENVELOPE },
	{ SLICE("envelope"), ENVELOPE },
	{ SLICE("facebook"), LETTERS("f", "22") },
	{ SLICE("google_plus"), LETTERS("g+", "17") },
	{ SLICE("link"), LINK },
	{ SLICE("linkedin"), LETTERS("in", "18") },
	{ SLICE("messenger"), BUBBLE },
	{ SLICE("pinterest"), LETTERS("p", "21") },
	{ SLICE("reddit"), LETTERS("r", "21") },
	{ SLICE("share"), SHARE },
	{ SLICE("sms"), BUBBLE },
	{ SLICE("telegram"), LETTERS("tg", "17") },
	{ SLICE("tumblr"), LETTERS("t", "21") },
	{ SLICE("twitter"), LETTERS("tw", "16") },
	{ SLICE("whatsapp"), LETTERS("wa", "16") },
	{ SLICE("x"), LETTERS("x", "21") },
};

/* The icon with a name such as "twitter.png" or "email.svg"; absent: there is none. */
static struct slice
find_icon(struct pool *pool, struct slice name)
{
	const size_t dot = slice_find_last(name, '.');
	const struct slice stem = slice_sub(name, 0, dot), end = slice_sub(name, dot, name.size);
	if (!slice_equal(end, SLICE(".png")) && !slice_equal(end, SLICE(".svg")))
		return SLICE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(icons); i++)
		if (slice_equal(stem, icons[i].name))
			return pool_printf(pool,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"32\" height=\"32\" viewBox=\"0 0 32 32\">"
			    "<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#334155\"/>%s</svg>\n",
			    icons[i].drawing);
	return SLICE_NONE;
}

void
handle_icon(struct call *call)
{
	const struct slice icon = find_icon(call->request->pool, call->request->segments[4]);
	if (slice_present(icon))
		answer_made(call, HTTP_SVG, icon);
	else
		call_fail(call, FAILURE_NOT_FOUND);
}

/* ---- the dashboard ---- */

void
handle_dashboard(struct call *call)
{
	/* The fragment of an invitation link contains its secret; the page removes it. */
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
		call_add_header(call, headers[i].name, headers[i].value);
	dashboard_write_page(&call->response->body, call_root(call));
}

/* For the document in which the dashboard previews templates: it may show pictures of other hosts, but runs no script. */
static const struct slice preview_policy = SLICE(
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' https: http: data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin");

/* Answers with this program's file even if another version is requested, because hosts differ during an upgrade. No cache may
 * store that answer. */
void
handle_dashboard_file(struct call *call)
{
	const struct slice *segments = call->request->segments;
	const struct dashboard_file *file = dashboard_find(segments[2]);
	if (file == NULL || call->request->trailing_slash) {
		call_fail(call, FAILURE_NOT_FOUND);
		return;
	}
	answer_asset(call, file->content, &file->asset);
	call->response->is_immutable = slice_equal(segments[1], slice_of(dashboard_version));
	call->response->is_public = call->response->is_immutable;
	call->response->same_origin = true;
	call_add_header(call, "Cross-Origin-Resource-Policy", SLICE("same-origin"));
	if (file->content == HTTP_HTML) {
		call_add_header(call, "Content-Security-Policy", preview_policy);
		call_add_header(call, "Referrer-Policy", SLICE("no-referrer"));
	}
}
