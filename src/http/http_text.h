/* SPDX-License-Identifier: MIT
 * Converts untrusted bytes to text that can be stored. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Decodes a path segment (RFC 3986, 2.1) into a copy. Returns false for a '%' without two hexadecimal digits. */
MUST_CHECK bool http_decode_segment(struct pool *pool, struct slice text, struct slice *decoded);
/* Decodes a name or value of a query or form (WHATWG URL Standard, 5.1): '+' is a space, a '%' without two hexadecimal digits
 * is literal. A text without either is returned as it is, else a copy. */
struct slice http_decode_form(struct pool *pool, struct slice text);

/* The text; where it is not UTF-8, without the parts of characters at its ends, if it is UTF-8 then and has other characters
 * than those of ASCII; else a copy that reads it as Windows-1252, as browsers send pages of older encodings. */
struct slice http_text_utf8(struct pool *pool, struct slice text);
/* docs/api.md 1 "Values": a copy, in UTF-8 as above. Line ends of all kinds become LF, other control characters but tabs are
 * removed, and then ASCII white space at both ends. To clean it again changes nothing. */
struct slice http_text_clean(struct pool *pool, struct slice text);
/* The same for the name of a parameter, in which line ends become spaces; a name that needs no change is not copied. */
struct slice http_name_clean(struct pool *pool, struct slice name);
/* The part of a clean text that has at most `bytes`, in whole characters, again without white space at its end. */
struct slice http_text_cut(struct slice text, size_t bytes);
