/* SPDX-License-Identifier: MIT
 * The texts that people read, in each language: src/text/languages. */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "text/keys.h" /* enum text_language, enum text_key */

/* The language if nothing else decides. */
#define TEXT_LANGUAGE_DEFAULT TEXT_LANGUAGE_EN

/* The text of a key: UTF-8, never empty, its lines separated by \n. It lives as long as the program. */
struct slice text_find(enum text_language language, enum text_key key);

/* "en": ISO 639-1, in lower case. */
struct slice text_language_code(enum text_language language);
/* Finds the language with this code, in upper or lower case. Returns false, with *language unchanged, if there is none. */
MUST_CHECK bool text_language_parse(struct slice code, enum text_language *language);
/* Likewise for a tag, of which only the first subtag counts: "de-AT" is German. */
MUST_CHECK bool text_language_match(struct slice tag, enum text_language *language);
/* The tag of an Accept-Language header (RFC 9110, 12.5.4) for the one of our languages that it prefers, such as "de-AT": the
 * tag with the highest weight, or the first of several. A part of the header; absent if none of our languages is acceptable or
 * the header is absent. Invalid items are skipped. */
struct slice text_language_accept(struct slice header);
/* The language for a reader: that of the first tag for one of our languages, otherwise the default. Absent tags are skipped. */
enum text_language text_language_first(const struct slice *tags, size_t count);
#define TEXT_LANGUAGE_FIRST(...) \
	text_language_first((const struct slice[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct slice[]){ __VA_ARGS__ })))

struct text_value {
	const char *name;
	struct slice value;
};
/* The text with each {name} replaced by its value, in a copy. A name without a value, and everything between double braces,
 * stays as it is. Values are not searched for names, and not escaped. */
struct slice text_fill(struct pool *pool, struct slice text, const struct text_value *values, size_t count);
#define TEXT_FILL(pool, text, ...)                                            \
	text_fill((pool), (text), (const struct text_value[]){ __VA_ARGS__ }, \
	    ARRAY_SIZE(((const struct text_value[]){ __VA_ARGS__ })))

/* A number in the notation of the language: "12,345". */
struct slice text_number(struct pool *pool, enum text_language language, uint64_t number);
