/* SPDX-License-Identifier: MIT
 * The texts that people read, in each language: src/text/languages. */
#ifndef LEADHOOK_TEXT_TEXT_H
#define LEADHOOK_TEXT_TEXT_H

#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "text/keys.h" /* enum text_language, enum text_key */

/* Where nothing else decides. */
#define TEXT_LANGUAGE_DEFAULT TEXT_LANGUAGE_EN

/* The text of a key: UTF-8, never empty, its lines separated by \n. It lives as long as the program. */
struct slice text_find(enum text_language language, enum text_key key);

/* "en": ISO 639-1, in lower case. */
struct slice text_language_code(enum text_language language);
/* The language with this code, in lower or upper case. Returns false, with *language unchanged, when there is none. */
MUST_CHECK bool text_language_parse(struct slice code, enum text_language *language);
/* The same by a tag, of which the first subtag alone counts: "de-AT" is German. */
MUST_CHECK bool text_language_match(struct slice tag, enum text_language *language);
/* The tag of ours that a header Accept-Language prefers (RFC 9110, 12.5.4), a part of it, such as "de-AT": that of the highest
 * weight, the first one among equals. Absent when none is acceptable or the header is; invalid items are skipped. */
struct slice text_language_accept(struct slice header);
/* The language of a reader: the first of these tags that is one of ours; the default, if none is. Absent ones are skipped. */
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

/* A number as people of that language write it: "12,345". */
struct slice text_number(struct pool *pool, enum text_language language, uint64_t number);

#endif
