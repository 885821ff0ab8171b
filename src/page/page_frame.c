/* SPDX-License-Identifier: MIT */
#include "page/page_frame.h"

#include <string.h>

#include "base/encode.h"
#include "identity/link.h"
#include "page/page_assets.h"

struct slice
page_root(struct slice base_url, struct slice base_path)
{
	const size_t scheme = slice_find(base_url, ':');
	const struct slice rest = slice_sub(base_url, scheme + sizeof("://") - 1, base_url.size);
	return base_url.size == 0 ? base_path : slice_sub(rest, slice_find(rest, '/'), rest.size);
}

/* The time to wait in words, rounded up so that no singular is needed. */
static struct slice
waiting_time(const struct page *page)
{
	enum { MINUTE_S = 60, SHORT_S = 90, STEP_S = 10 };
	const bool is_short = page->wait_s <= SHORT_S;
	const unsigned steps = is_short ? STEP_S : MINUTE_S, count = (page->wait_s + steps - 1) / steps;
	return PAGE_FILL(page, is_short ? TEXT_WAIT_SECONDS : TEXT_WAIT_MINUTES,
	    { "number", text_number(page->pool, page->language, is_short ? (count > 0 ? count : 1) * STEP_S : count) });
}

struct slice
page_text(const struct page *page, enum text_key key)
{
	const bool waits = key == TEXT_ERROR_RATE_LIMITED; /* no other text contains the time */
	return PAGE_FILL(page, key, { "campaign", page->campaign_name }, { "time", waits ? waiting_time(page) : SLICE("") });
}

struct slice
page_own_text(const struct page *page, enum look own, enum text_key usual)
{
	const struct slice text = page->looks.values[own];
	return slice_present(text) ? text : page_text(page, usual);
}

struct slice
page_path(const struct page *page, struct slice rest)
{
	return link_to_page(page->pool, page->root, page->campaign_id, rest);
}

/* Writes the metadata for messengers and sites that show a preview of a link. They run no scripts. */
static void
write_preview(const struct page *page, const struct page_head *head)
{
	struct buffer *out = page->out;
	HTML(
	    out, "<meta property=\"og:type\" content=\"website\">\n<meta property=\"og:title\" content=\"{}\">\n", head->title);
	if (slice_present(page->campaign_name))
		HTML(out, "<meta property=\"og:site_name\" content=\"{}\">\n", page->campaign_name);
	if (slice_present(head->description))
		HTML(out, "<meta property=\"og:description\" content=\"{}\">\n<meta name=\"description\" content=\"{}\">\n",
		    head->description, head->description);
	if (slice_present(page->base_url) && page->campaign_id != 0) {
		char digits[DECIMAL_SIZE];
		HTML(out, "<meta property=\"og:url\" content=\"{}/c/{}\">\n", page->base_url,
		    encode_decimal(page->campaign_id, digits));
	}
	if (slice_starts_with_nocase(page->looks.values[LOOK_LOGO_URL], SLICE("http")))
		HTML(out, "<meta property=\"og:image\" content=\"{}\">\n", page->looks.values[LOOK_LOGO_URL]);
}

static void
write_links(const struct page *page)
{
	struct buffer *out = page->out;
	const struct slice version = looks_style_version(page->pool, &page->looks);
	HTML(out, "<link rel=\"stylesheet\" href=\"{}/c/style/page.css?v={}\">\n", page->root, page_style.version);
	if (slice_present(version))
		HTML(out, "<link rel=\"stylesheet\" href=\"{}?v={}\">\n", page_path(page, SLICE("/style.css")), version);
	HTML(out, "<script src=\"{}/c/style/page.js?v={}\" defer></script>\n", page->root, page_script.version);
}

static void
write_header(const struct page *page)
{
	const struct slice logo = page->looks.values[LOOK_LOGO_URL];
	if (slice_present(logo))
		HTML(page->out, "<header><img class=\"logo\" src=\"{}\" alt=\"{}\"></header>\n", logo, page->campaign_name);
	else if (slice_present(page->campaign_name))
		HTML(page->out, "<header><p class=\"brand\">{}</p></header>\n", page->campaign_name);
}

void
page_begin(const struct page *page, const struct page_head *head)
{
	struct buffer *out = page->out;
	HTML(out,
	    "<!DOCTYPE html>\n<html lang=\"{}\" dir=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"color-scheme\" content=\"light dark\">\n",
	    text_language_code(page->language), page_word(page, TEXT_LANGUAGE_DIRECTION));
	if (head->is_public)
		write_preview(page, head);
	else
		buffer_add_text(out, "<meta name=\"robots\" content=\"noindex\">\n");
	buffer_add_text(out, "<title>");
	if (head->has_error)
		HTML(out, "{} ", page_word(page, TEXT_ERROR_PREFIX));
	html_text(out, head->title);
	if (slice_present(page->campaign_name) && !slice_contains(head->title, page->campaign_name))
		HTML(out, " – {}", page->campaign_name);
	buffer_add_text(out, "</title>\n");
	if (!page->is_preview)
		write_links(page);
	buffer_add_text(out, "</head>\n<body>\n");
	write_header(page);
	HTML(out, "<main>\n<h1>{}</h1>\n", head->title);
}

static void
write_footer_link(struct buffer *out, struct slice url, struct slice text, bool *open)
{
	if (!slice_present(url))
		return;
	HTML(out, *open ? "<a href=\"{}\">{}</a>" : "<footer><a href=\"{}\">{}</a>", url, text);
	*open = true;
}

void
page_end(const struct page *page)
{
	static const struct {
		enum look url;
		enum text_key text;
	} links[] = { { LOOK_PRIVACY_URL, TEXT_LINK_PRIVACY }, { LOOK_IMPRINT_URL, TEXT_LINK_IMPRINT } };
	struct buffer *out = page->out;
	bool open = false;
	buffer_add_text(out, "</main>\n");
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		write_footer_link(out, page->looks.values[links[i].url], page_word(page, links[i].text), &open);
	write_footer_link(out, page->footer_url, page->footer_text, &open);
	buffer_add_text(out, open ? "</footer>\n</body>\n</html>\n" : "</body>\n</html>\n");
}

/* The index after scheme and host of an absolute http or https URL; 0 for any other text. */
static size_t
origin_size(struct slice url)
{
	const size_t scheme = slice_starts_with_nocase(url, SLICE("https://"))  ? 8
			      : slice_starts_with_nocase(url, SLICE("http://")) ? 7
										: 0;
	size_t end = scheme;
	while (end < url.size && strchr("/?#", url.data[end]) == NULL)
		end++;
	return scheme == 0 || end == scheme ? 0 : end;
}

struct slice
page_source(struct pool *pool, struct slice url)
{
	const size_t end = origin_size(url), scheme = slice_find(url, ':') + sizeof("://") - 1;
	if (end == 0)
		return SLICE_NONE;
	if (slice_is_alnum(slice_sub(url, scheme, end), ".-:[]"))
		return slice_sub(url, 0, end);
	const struct slice host = link_host(pool, url);
	return slice_present(host) ? POOL_JOIN(pool, host, SLICE(":*")) : SLICE_NONE;
}

/* The path of the URL, percent-encoded for a policy: browsers decode both paths before they compare them. */
static struct slice
path_source(struct pool *pool, struct slice url)
{
	const struct slice rest = slice_sub(url, origin_size(url), url.size);
	struct buffer path;
	buffer_init(&path, 3 * rest.size + 1);
	for (size_t i = 0; i < rest.size && rest.data[i] != '?' && rest.data[i] != '#'; i++)
		if (rest.data[i] == '/' || percent_byte(rest, i) >= 0)
			buffer_add_byte(&path, rest.data[i]);
		else
			encode_percent(&path, slice_sub(rest, i, i + 1));
	return buffer_take(&path, pool);
}

/* The URL of the logo without its query, which a policy cannot name. Redirects within its host are allowed. */
static struct slice
logo_source(const struct page *page)
{
	const struct slice url = page->looks.values[LOOK_LOGO_URL], origin = page_source(page->pool, url);
	return slice_present(origin) ? POOL_JOIN(page->pool, SLICE(" "), origin, path_source(page->pool, url)) : SLICE("");
}

struct slice
page_policy(const struct page *page, struct slice sources, struct slice frames)
{
	const struct slice logo = logo_source(page);
	struct slice actions = SLICE(""), source;
	while (slice_next_item(&sources, &source))
		actions = POOL_JOIN(page->pool, actions, SLICE(" "), source);
	return pool_printf(page->pool,
	    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'%.*s; connect-src 'self'; "
	    "form-action 'self'%.*s; base-uri 'none'; frame-ancestors %.*s",
	    SLICE_ARGS(logo), SLICE_ARGS(actions), SLICE_ARGS(slice_present(frames) ? frames : SLICE("'none'")));
}
