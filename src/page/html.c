/* SPDX-License-Identifier: MIT */
#include "page/html.h"

#include <string.h>

#include "base/panic.h"

void
html_text(struct buffer *out, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			buffer_printf(out, "&#%d;", c);
		else
			buffer_add_byte(out, c);
	}
}

struct slice
html_escaped(struct pool *pool, struct slice text)
{
	enum { REFERENCE_SIZE = 5 };
	struct buffer out;
	buffer_init(&out, text.size * REFERENCE_SIZE + 1);
	html_text(&out, text);
	return buffer_take(&out, pool);
}

void
html_write(struct buffer *out, const char *markup, const struct slice *values, size_t count)
{
	size_t used = 0;
	for (const char *place; (place = strstr(markup, "{}")) != NULL; markup = place + 2) {
		require(used < count);
		buffer_add(out, (struct slice){ markup, (size_t)(place - markup) });
		html_text(out, values[used++]);
	}
	require(used == count);
	buffer_add_text(out, markup);
}

/* Takes the lines up to the next blank one. Returns false at the end of the text. */
static bool
next_paragraph(struct slice *rest, struct slice *paragraph)
{
	struct slice line;
	*rest = slice_trim(*rest);
	*paragraph = (struct slice){ rest->data, 0 };
	while (slice_next(rest, '\n', &line) && slice_trim(line).size > 0)
		paragraph->size = (size_t)(line.data + line.size - paragraph->data);
	return paragraph->size > 0;
}

void
html_paragraphs(struct buffer *out, struct slice text, const char *attributes)
{
	struct slice paragraph, line;
	while (next_paragraph(&text, &paragraph)) {
		buffer_printf(out, "<p%s>", attributes);
		for (bool first = true; slice_next(&paragraph, '\n', &line); first = false) {
			if (!first)
				buffer_add_text(out, "<br>");
			html_text(out, slice_trim(line));
		}
		buffer_add_text(out, "</p>\n");
	}
}
