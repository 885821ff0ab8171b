/* SPDX-License-Identifier: MIT
 * Converts untrusted bytes to text that can be stored. */
#ifndef LEADHOOK_HTTP_TEXT_H
#define LEADHOOK_HTTP_TEXT_H

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Decodes a path segment (RFC 3986, 2.1) into a copy. Returns false for a '%' without two hexadecimal digits. */
MUST_CHECK bool http_decode_segment(struct pool *pool, struct slice text, struct slice *decoded);
/* Decodes a name or value of a query or form (WHATWG URL Standard, 5.1): '+' is a space, a '%' without two hexadecimal digits
 * is literal. A text without either is returned as it is, else a copy. */
struct slice http_decode_form(struct pool *pool, struct slice text);

/* docs/api.md 1 "Values": removes ASCII white space at both ends, then converts CR LF and CR to LF, in a copy. Returns NULL, or
 * the rule that the text breaks, to follow its name in a message: "must be valid UTF-8". */
MUST_CHECK const char *http_text_normalise(struct pool *pool, struct slice text, struct slice *normal);
/* The same for a text that must not be refused: a copy without control characters and bytes that belong to no character. */
struct slice http_text_clean(struct pool *pool, struct slice text);
/* The part of a normalized text that has at most `bytes`, in whole characters, again without white space at its end. */
struct slice http_text_cut(struct slice text, size_t bytes);

#endif
