/* SPDX-License-Identifier: MIT
 * Bytes from outside made into text that may be kept. */
#ifndef LEADHOOK_HTTP_TEXT_H
#define LEADHOOK_HTTP_TEXT_H

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* A segment of a path (RFC 3986, 2.1) into a copy. False for a '%' without two hexadecimal digits. */
MUST_CHECK bool http_decode_segment(struct pool *pool, struct slice text, struct slice *decoded);
/* A name or value of a query or form (WHATWG URL Standard, 5.1) into a copy: '+' is a space, a '%' without two hexadecimal
 * digits stands for itself. */
struct slice http_decode_form(struct pool *pool, struct slice text);

/* docs/api.md 1 "Values": drops ASCII white space at both ends, then makes CR LF and CR into LF, in a copy. Answers NULL, or
 * the rule that the text breaks, to go behind its name: "must be valid UTF-8". */
MUST_CHECK const char *http_text_normalise(struct pool *pool, struct slice text, struct slice *normal);

#endif
