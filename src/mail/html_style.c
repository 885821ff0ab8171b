/* SPDX-License-Identifier: MIT */
#include "mail/html_style.h"

/* What old programs run, and what applies to some values of links or widths of texts alone: with it a picture of the HTML could
 * be loaded for some secrets only. */
static const struct slice refused[] = { SLICE("expression("), SLICE("href"), SLICE("@container") };
static const struct slice references[] = { SLICE("amp"), SLICE("apos"), SLICE("quot"), SLICE("#34"), SLICE("#39") };

const char *
html_style_byte(struct html_style *style, char c)
{
	if (!css_scan_byte(&style->css, c))
		return "in a style letters and digits are written without \\";
	if (css_scan_loads(&style->css))
		return "a style must not load anything: url(), src(), image(), image-set() and @import are not allowed";
	if (css_scan_found(&style->css, refused, ARRAY_SIZE(refused)))
		return "in a style expression(), @container and selectors of href are not allowed";
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
	return style->in_reference ? end_reference(style, ' ') : NULL;
}
