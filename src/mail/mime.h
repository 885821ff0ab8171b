/* SPDX-License-Identifier: MIT
 * Text in 7 bits: encoded-words of headers (RFC 2047) and quoted-printable bodies (RFC 2045, 6.7). Input is valid UTF-8. */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"

/* Maximum characters of a line, without its end, and of an encoded-word. */
enum { MIME_LINE_MAX = 76, MIME_WORD_MAX = 75 };

/* Appends an unstructured header, such as Subject: "Name: value" and CR LF, folded at MIME_LINE_MAX. `name` is ASCII, shorter
 * than half a line. The value, without control characters, is encoded unless it is short printable ASCII that cannot be
 * mistaken for an encoded-word. */
void mime_add_text_header(struct buffer *out, struct slice name, struct slice value);

/* Appends the display name of an address (a phrase), as a quoted string if possible, otherwise as encoded-words. `column`: the
 * number of characters that the line already has. Returns the number of characters in the last line. */
size_t mime_add_phrase(struct buffer *out, size_t column, struct slice name);

/* Appends text in quoted-printable. Its line ends (LF) become CR LF, and it ends with a line end. A line never begins with
 * "From ", and "=_" occurs nowhere, so a boundary that contains "=_" cannot occur either. */
void mime_add_quoted_printable(struct buffer *out, struct slice text);
