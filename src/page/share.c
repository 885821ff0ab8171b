/* SPDX-License-Identifier: MIT */
#include "page/share.h"

#include "base/encode.h"

/* `{url}` and `{text}` stand for the percent-encoded values. */
static const struct {
	const char *name; /* NULL: the word for mail in the page's language */
	const char *link;
} sites[] = {
	{ "WhatsApp", "https://api.whatsapp.com/send?text={text}%20{url}" },
	{ "X", "https://twitter.com/intent/tweet?text={text}&url={url}" },
	{ "Facebook", "https://www.facebook.com/sharer.php?u={url}" },
	{ "LinkedIn", "https://www.linkedin.com/sharing/share-offsite/?url={url}" },
	{ "Telegram", "https://telegram.me/share/url?url={url}&text={text}" },
	{ NULL, "mailto:?subject={text}&body={text}%0D%0A%0D%0A{url}" },
};

enum { ENCODED_MAX_BYTES = 16 * 1024 };

static struct slice
percent_encoded(struct pool *pool, struct slice text)
{
	struct buffer out;
	buffer_init(&out, ENCODED_MAX_BYTES);
	encode_percent(&out, text);
	const struct slice encoded = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : SLICE("");
	buffer_free(&out);
	return encoded;
}

static struct slice
share_text(const struct page *page)
{
	const struct slice own = page->looks.values[LOOK_SHARE_TEXT];
	return slice_present(own) ? own : page_text(page, TEXT_SHARE_TEXT);
}

static void
write_sites(const struct page *page, struct slice link, struct slice text)
{
	const struct slice url = percent_encoded(page->pool, link), words = percent_encoded(page->pool, text);
	HTML(page->out, "<ul class=\"sites\" aria-label=\"{}\">\n", text_find(page->language, TEXT_SHARE_SITES));
	for (size_t i = 0; i < ARRAY_SIZE(sites); i++) {
		const struct slice name =
		    sites[i].name != NULL ? slice_of(sites[i].name) : text_find(page->language, TEXT_SHARE_MAIL);
		HTML(page->out, "<li><a href=\"{}\" rel=\"noreferrer noopener\">{}</a></li>\n",
		    TEXT_FILL(page->pool, slice_of(sites[i].link), { "url", url }, { "text", words }), name);
	}
	buffer_add_text(page->out, "</ul>\n");
}

void
page_write_share(const struct page *page, struct slice link, struct slice hint)
{
	struct buffer *out = page->out;
	const struct slice text = share_text(page);
	HTML(out,
	    "<section class=\"card\" aria-labelledby=\"share\">\n<h2 id=\"share\">{}</h2>\n<p>{}</p>\n"
	    "<div class=\"copy\">\n<label class=\"hidden\" for=\"link\">{}</label>\n"
	    "<input type=\"text\" id=\"link\" value=\"{}\" readonly>\n"
	    "<button type=\"button\" data-copy=\"link\" data-done=\"{}\" hidden>{}</button>\n</div>\n",
	    text_find(page->language, TEXT_SHARE_TITLE), hint, text_find(page->language, TEXT_SHARE_LINK), link,
	    text_find(page->language, TEXT_SHARE_COPIED), text_find(page->language, TEXT_SHARE_COPY));
	HTML(out,
	    "<p class=\"done\" role=\"status\" id=\"done\"></p>\n<button type=\"button\" class=\"quiet\" data-share=\"{}\" "
	    "data-text=\"{}\" hidden>{}</button>\n",
	    link, text, text_find(page->language, TEXT_SHARE_BUTTON));
	write_sites(page, link, text);
	buffer_add_text(out, "</section>\n");
}
