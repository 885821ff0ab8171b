/* SPDX-License-Identifier: MIT
 * Writes HTML into a buffer. Values are escaped, the same way in texts and in attributes between double quotes. */
#pragma once

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"

/* Appends the text, with & < > " ' as character references. */
void html_text(struct buffer *out, struct slice text);
/* A copy of the text in the pool, escaped in the same way. */
struct slice html_escaped(struct pool *pool, struct slice text);

/* Appends `markup` with each `{}` replaced by the next value, escaped: HTML(out, "<p id=\"{}\">{}</p>", id, text). There must
 * be one value for each `{}`. An absent value is empty. */
void html_write(struct buffer *out, const char *markup, const struct slice *values, size_t count);
#define HTML(out, markup, ...) \
	html_write((out), (markup), (const struct slice[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct slice[]){ __VA_ARGS__ })))

/* Appends each paragraph of the text as <p>…</p>. Blank lines separate paragraphs; other line ends become <br>. `attributes`
 * are those of each <p>: "" or " class=\"x\"". */
void html_paragraphs(struct buffer *out, struct slice text, const char *attributes);
