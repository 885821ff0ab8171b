/* SPDX-License-Identifier: MIT
 * Converts untrusted bytes to text that can be stored. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Decodes a path segment (RFC 3986, 2.1) into a copy. Returns false for a '%' without two hexadecimal digits. */
MUST_CHECK bool http_decode_segment(struct pool *pool, struct slice text, struct slice *decoded);
/* Decodes a name or value of a query or form (WHATWG URL Standard, 5.1): '+' is a space, and a '%' without two hexadecimal
 * digits stands for itself. Returns the text itself if it contains neither, otherwise a copy. */
struct slice http_decode_form(struct pool *pool, struct slice text);

/* The text as UTF-8 (docs/api.md 1.1, "Values"):
 * - UTF-8 is returned unchanged;
 * - if it is UTF-8 that was cut within a character, the partial character at its beginning or end is left out. Such a text must
 *   have another non-ASCII character, because "Zoë" in Windows-1252 also looks like a cut text;
 * - any other text is read as Windows-1252, which browsers send from pages in older encodings, and returned as a copy. */
struct slice http_text_utf8(struct pool *pool, struct slice text);
/* A clean copy of the text: UTF-8 as above, in which line breaks of all kinds are LF, without other control characters except
 * tabs, and without ASCII white space at both ends. Cleaning it again changes nothing. */
struct slice http_text_clean(struct pool *pool, struct slice text);
/* A clean copy of the name of a parameter, in which line breaks become spaces. A name that needs no change is not copied. */
struct slice http_name_clean(struct pool *pool, struct slice name);
/* The longest beginning of a clean text that has at most `bytes` bytes, without a partial character or white space at its
 * end. */
struct slice http_text_cut(struct slice text, size_t bytes);
