/* SPDX-License-Identifier: MIT */
#include "mail/html_style.h"

/* Without blanks: what loads other styles or runs scripts. */
static const struct slice refused[] = { SLICE("@import"), SLICE("expression(") };
static const struct slice url = SLICE("url(");
static const struct slice schemes[] = { SLICE("http://"), SLICE("https://") };
static const struct slice quotes[] = { SLICE("\""), SLICE("'"), SLICE("&quot;"), SLICE("&apos;"), SLICE("&#34;"),
	SLICE("&#39;") };
static const struct slice references[] = { SLICE("amp"), SLICE("apos"), SLICE("quot"), SLICE("#34"), SLICE("#39") };

/* After a quotation mark, if there is one, which may be a reference. */
static const char *
check_url(struct html_style *style)
{
	struct slice begin = { style->url, style->url_size };
	style->in_url = false;
	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++)
		if (slice_starts_with(begin, quotes[i])) {
			begin = slice_sub(begin, quotes[i].size, begin.size);
			break;
		}
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (slice_starts_with(begin, schemes[i]))
			return NULL;
	return "url() in a style must begin with http:// or https://";
}

static const char *
in_url(struct html_style *style, char c)
{
	if (c == ')')
		return check_url(style);
	if (ascii_is_space(c))
		return NULL;
	style->url[style->url_size++] = ascii_lower(c);
	return style->url_size == HTML_STYLE_BYTES ? check_url(style) : NULL;
}

const char *
html_style_byte(struct html_style *style, char c)
{
	if (!css_scan_byte(&style->css, c))
		return "in a style letters and digits are written without \\";
	if (style->in_url)
		return in_url(style, c);
	if (css_scan_found(&style->css, refused, ARRAY_SIZE(refused)))
		return "@import and expression() have no place in a mail";
	style->in_url = css_scan_found(&style->css, &url, 1);
	style->url_size = 0;
	return NULL;
}

/* A reference with a number needs no semicolon at its end. */
static const char *
end_reference(struct html_style *style, char c)
{
	const struct slice name = { style->reference, style->reference_size };
	const bool is_reference = c == ';' || slice_starts_with(name, SLICE("#"));
	style->in_reference = false;
	return is_reference && !slice_is_one_of(name, references, ARRAY_SIZE(references))
		   ? "in the attribute style characters are written as they are, except &amp; &quot; &apos; &#34; &#39;"
		   : NULL;
}

static const char *
in_reference(struct html_style *style, char c)
{
	const bool begins = c == '#' && style->reference_size == 0;
	if (!begins && !ascii_is_alpha(c) && !ascii_is_digit(c))
		return end_reference(style, c);
	if (style->reference_size < HTML_STYLE_BYTES)
		style->reference[style->reference_size++] = ascii_lower(c);
	return NULL;
}

/* A reference is followed as it is written, too: what looks like one may be none. */
const char *
html_style_attribute_byte(struct html_style *style, char c)
{
	const char *problem = style->in_reference ? in_reference(style, c) : NULL;
	if (problem != NULL)
		return problem;
	if (c == '&') {
		style->in_reference = true;
		style->reference_size = 0;
	}
	return html_style_byte(style, c);
}

const char *
html_style_end(struct html_style *style)
{
	const char *problem = style->in_reference ? end_reference(style, ' ') : NULL;
	return problem != NULL || !style->in_url ? problem : check_url(style);
}
