/* SPDX-License-Identifier: MIT */
#include "mail/layout.h"

#include "base/buffer.h"
#include "base/colors.h"

#define FONT "font:16px/1.55 -apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
#define TABLE "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\""

/* The default colours of buttons. The text on an accent is black or white, whichever is easier to read. */
#define ACCENT "#1a4fc4"
#define DARK_ACCENT "#8ab4f8"

/* Mail programs that drop the style element show the light colours of the attributes. */
#define HEAD                                                                                         \
	"<meta charset=\"utf-8\">\n"                                                                 \
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"                 \
	"<meta name=\"color-scheme\" content=\"light dark\">\n"                                      \
	"<meta name=\"supported-color-schemes\" content=\"light dark\">\n"                           \
	"<meta name=\"format-detection\" content=\"telephone=no, date=no, address=no, email=no\">\n" \
	"<title>{{campaign_name}}</title>\n"                                                         \
	"<style>\n"                                                                                  \
	":root { color-scheme: light dark; supported-color-schemes: light dark; }\n"                 \
	"@media (prefers-color-scheme: dark) {\n"                                                    \
	"  .page { background: #14161a !important; }\n"                                              \
	"  .card { background: #1f2329 !important; color: #e8eaed !important; }\n"                   \
	"  .name, .foot { color: #a9b0ba !important; }\n"                                            \
	"  .foot { border-color: #3a4048 !important; }\n"                                            \
	"  .link { color: #8ab4f8 !important; }\n"                                                   \
	"  .button { background: "

#define HEAD_AFTER_BUTTON  \
	" !important; }\n" \
	"}\n"              \
	"</style>\n"

#define PAGE                                                                                                         \
	"<body class=\"page\" style=\"margin:0;padding:0;background:#f2f4f7\">\n" TABLE                              \
	" class=\"page\" style=\"background:#f2f4f7\"><tr><td align=\"center\" style=\"padding:24px 12px\">\n" TABLE \
	" style=\"max-width:560px\"><tr><td class=\"card\" style=\"padding:32px;border-radius:12px;"                 \
	"background:#ffffff;color:#1f2430;text-align:start;overflow-wrap:anywhere;" FONT "\">\n"                     \
	"{{#logo_url}}<p style=\"margin:0 0 16px\"><img src=\"{{logo_url}}\" alt=\"\" height=\"40\""                 \
	" style=\"display:block;height:40px;width:auto;border:0\"></p>\n{{/logo_url}}"                               \
	"<p class=\"name\" style=\"margin:0 0 20px;font-size:14px;font-weight:600;color:#5b6472\">{{campaign_name}}</p>\n"

#define PARAGRAPH "<p style=\"margin:0 0 16px\">"
#define FOOT_PARAGRAPH "<p style=\"margin:0 0 6px\">"
#define LINK "<a class=\"link\" style=\"color:#1a4fc4\" href=\""
#define BUTTON                                                                                           \
	"<p style=\"margin:24px 0\"><a class=\"button\" style=\"display:inline-block;padding:12px 24px;" \
	"border-radius:8px;font-weight:600;text-decoration:none;background:"
#define FOOT                                                                                         \
	"<div class=\"foot\" style=\"margin-top:32px;padding-top:16px;border-top:1px solid #dfe3e8;" \
	"font-size:13px;color:#5b6472\">\n"

struct layout {
	struct buffer *out;
	const struct layout_options *options;
	bool paragraph, button, foot; /* a paragraph is open; the button was written; the footer was begun */
	size_t depth;                 /* open sections */
};

/* ---- Parts of lines ---- */

/* Adds text, or a URL that url_size has found; such a URL contains no quotes. */
static void
add_escaped(struct buffer *out, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		const char c = text.data[i];
		buffer_add(out, c == '&'   ? SLICE("&amp;")
				: c == '<' ? SLICE("&lt;")
				: c == '>' ? SLICE("&gt;")
					   : slice_sub(text, i, i + 1));
	}
}

/* The tag of a template at the beginning of a text. Type 0 is a value. */
struct layout_tag {
	size_t size;
	char type;
	enum mail_name name;
};

static bool
read_tag(struct slice text, struct layout_tag *tag)
{
	size_t end = 2;
	if (!slice_starts_with(text, SLICE("{{")))
		return false;
	while (end < text.size && !slice_starts_with(slice_sub(text, end, text.size), SLICE("}}")))
		end++;
	struct slice name = slice_trim(slice_sub(text, 2, end));
	tag->size = end + 2;
	tag->type = name.size > 0 && (name.data[0] == '#' || name.data[0] == '/') ? name.data[0] : 0;
	return end < text.size && mail_name_find(tag->type == 0 ? name : slice_trim(slice_sub(name, 1, name.size)), &tag->name);
}

/* The size of the http or https URL at the beginning of the text; 0: there is none. */
static size_t
url_size(struct slice text)
{
	size_t end = 0;
	if (!slice_starts_with(text, SLICE("https://")) && !slice_starts_with(text, SLICE("http://")))
		return 0;
	while (end < text.size && !ascii_is_space(text.data[end]) && text.data[end] != '<' && text.data[end] != '>' &&
	       text.data[end] != '"' && !slice_starts_with(slice_sub(text, end, text.size), SLICE("{{")))
		end++;
	if (slice_starts_with(slice_sub(text, end, text.size), SLICE("{{")))
		return 0; /* a value is part of the URL */
	while (text.data[end - 1] != '/' && !ascii_is_alpha(text.data[end - 1]) && !ascii_is_digit(text.data[end - 1]) &&
	       is_ascii(text.data[end - 1]))
		end--; /* punctuation that belongs to the sentence */
	return end;
}

/* Adds the colours of a button with the text `between` them, such as "#1a4fc4;color:#ffffff". */
static void
add_button_colors(struct buffer *out, struct slice accent, struct slice usual, const char *between)
{
	struct color color;
	if (!color_parse(accent, &color)) {
		accent = usual;
		(void)!color_parse(usual, &color);
	}
	const struct color on = color_on(color);
	buffer_add(out, accent);
	buffer_printf(out, "%s#%02x%02x%02x", between, on.red, on.green, on.blue);
}

static void
add_link(struct buffer *out, struct slice url)
{
	buffer_add(out, SLICE(LINK));
	add_escaped(out, url);
	buffer_add(out, SLICE("\">"));
	add_escaped(out, url);
	buffer_add(out, SLICE("</a>"));
}

/* The footer is an element, and must not begin or end within a section. */
static void
count_section(struct layout *layout, const struct layout_tag *tag)
{
	if (tag->type == '#')
		layout->depth++;
	else if (tag->type == '/')
		layout->depth--;
}

static void
add_line(struct layout *layout, struct slice line)
{
	struct buffer *out = layout->out;
	while (line.size > 0) {
		struct layout_tag tag;
		size_t size = 1;
		if (read_tag(line, &tag)) {
			size = tag.size;
			count_section(layout, &tag);
			if (tag.type == 0 && mail_name_is_url(tag.name))
				add_link(out, slice_sub(line, 0, size));
			else
				buffer_add(out, slice_sub(line, 0, size));
		} else if (url_size(line) > 0) {
			size = url_size(line);
			add_link(out, slice_sub(line, 0, size));
		} else {
			add_escaped(out, slice_sub(line, 0, 1));
		}
		line = slice_sub(line, size, line.size);
	}
}

/* ---- Lines ---- */

static void
close_paragraph(struct layout *layout)
{
	if (layout->paragraph)
		buffer_add(layout->out, SLICE("</p>\n"));
	layout->paragraph = false;
}

static void
continue_paragraph(struct layout *layout)
{
	buffer_add(layout->out, layout->paragraph ? SLICE("<br>\n") : layout->foot ? SLICE(FOOT_PARAGRAPH) : SLICE(PARAGRAPH));
	layout->paragraph = true;
}

/* A section tag that is alone on its line applies to whole paragraphs. */
static bool
try_section(struct layout *layout, struct slice line)
{
	struct layout_tag tag;
	if (!read_tag(line, &tag) || tag.size != line.size || tag.type == 0)
		return false;
	close_paragraph(layout);
	count_section(layout, &tag);
	buffer_add(layout->out, line);
	return true;
}

/* "Label: {{status_url}}" */
static bool
try_labelled(struct layout *layout, struct slice line)
{
	static const struct slice spaces[] = { SLICE(" "), SLICE("\xc2\xa0"), SLICE("\xe2\x80\xaf") };
	const size_t open = slice_find(line, '{');
	struct layout_tag tag;
	struct slice label = slice_trim(slice_sub(line, 0, open)), url = slice_sub(line, open, line.size);
	if (!slice_ends_with(label, SLICE(":")) || !read_tag(url, &tag) || tag.size != url.size || tag.type != 0 ||
	    !mail_name_is_url(tag.name))
		return false;
	label = slice_sub(label, 0, label.size - 1);
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) /* French has a space before the colon */
		if (slice_ends_with(label, spaces[i]))
			label = slice_sub(label, 0, label.size - spaces[i].size);
	if (label.size == 0)
		return false;
	const bool button = tag.name == layout->options->main_url && !layout->button && !layout->foot;
	if (button)
		close_paragraph(layout);
	else
		continue_paragraph(layout);
	buffer_add(layout->out, button ? SLICE(BUTTON) : SLICE(LINK));
	if (button) {
		add_button_colors(layout->out, layout->options->accent, SLICE(ACCENT), ";color:");
		buffer_add_text(layout->out, "\" href=\"");
	}
	buffer_add(layout->out, url);
	buffer_add(layout->out, SLICE("\">"));
	add_escaped(layout->out, label);
	buffer_add(layout->out, button ? SLICE("</a></p>\n") : SLICE("</a>"));
	layout->button = layout->button || button;
	return true;
}

static bool
try_foot(struct layout *layout, struct slice line)
{
	if (layout->foot || layout->depth > 0 || !slice_equal(line, SLICE("--")))
		return false;
	close_paragraph(layout);
	buffer_add(layout->out, SLICE(FOOT));
	layout->foot = true;
	return true;
}

static void
add_lines(struct layout *layout, struct slice text)
{
	for (struct slice line; slice_next(&text, '\n', &line);) {
		line = slice_trim(line);
		if (line.size == 0)
			close_paragraph(layout);
		else if (!try_section(layout, line) && !try_labelled(layout, line) && !try_foot(layout, line)) {
			continue_paragraph(layout);
			add_line(layout, line);
		}
	}
	close_paragraph(layout);
}

struct slice
layout_html(struct pool *pool, struct slice text, const struct layout_options *options)
{
	struct buffer out;
	struct layout layout = { .out = &out, .options = options };
	const struct slice dark = slice_present(options->dark_accent) ? options->dark_accent : options->accent;
	buffer_init(&out, LAYOUT_MAX_BYTES);
	buffer_printf(&out, "<!doctype html>\n<html lang=\"%.*s\" dir=\"%.*s\">\n<head>\n", SLICE_ARGS(options->language),
	    SLICE_ARGS(options->direction));
	buffer_add(&out, SLICE(HEAD));
	add_button_colors(&out, dark, SLICE(DARK_ACCENT), " !important; color: ");
	buffer_add(&out, SLICE(HEAD_AFTER_BUTTON "</head>\n" PAGE));
	add_lines(&layout, text);
	buffer_add(&out, layout.foot ? SLICE("</div>\n") : SLICE(""));
	buffer_add(&out, SLICE("</td></tr></table>\n</td></tr></table>\n</body>\n</html>\n"));
	const struct slice html = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return html;
}
