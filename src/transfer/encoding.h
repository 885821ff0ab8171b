/* SPDX-License-Identifier: MIT
 * Finds out the encoding of a file, and converts its texts to UTF-8. A file has one encoding, with one exception: in a file in
 * UTF-8, a record that is not UTF-8 is read in a second encoding. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct byte_table; /* an encoding with one byte for each character; the first 128 are ASCII */

enum encoding_form { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_BYTES };

struct charset {
	enum encoding_form form;
	const struct byte_table *table; /* ENCODING_BYTES; or ENCODING_UTF8, for records that are not UTF-8 */
};

/* "UTF-8", "UTF-8+windows-1252" (the second for records that are not UTF-8), "windows-1250", in upper or lower case. */
MUST_CHECK bool encoding_parse(struct slice name, struct charset *encoding);
/* The name of an encoding, in the pool. */
struct slice encoding_name(struct pool *pool, const struct charset *encoding);
/* The names of all tables, separated by commas. */
struct slice encoding_tables(struct pool *pool);

/* The size of the byte order mark at the beginning: 0, 2 or 3, or in UTF-8 also that of two marks. */
size_t encoding_mark_size(struct slice bytes, const struct charset *encoding);

/* What the bytes of a file show about its encoding. Initially zeroed. */
struct encoding_survey {
	bool begun, is_wide; /* is_wide: UTF-16 */
	struct charset found;
	bool has_mark;
	uint64_t utf8, other;                    /* lines that are not in ASCII: in UTF-8, or not */
	uint64_t bytes[128];                     /* how often each non-ASCII byte occurs in the latter */
	uint64_t no_capital[128], no_small[128]; /* of these: where a capital, or a small letter, does not occur */
	uint64_t within[128];                    /* of these: between ASCII letters */
	uint64_t neighbours;                     /* bytes that may be Cyrillic or Greek letters, after others */
	uint64_t capitals;                       /* bytes that may be Cyrillic or Greek capitals */
	uint64_t singles;                        /* non-ASCII bytes that cannot belong to a character of two bytes */
	char sample[64];                         /* a field with such bytes */
	size_t sample_size;
};
/* Adds the next lines of the file. Pieces end with a line end, except within a longer line or at the end of the file. */
void encoding_survey_add(struct encoding_survey *survey, struct slice piece);
/* The encoding that fits best. *certain: no other one fits. Returns false if none fits: the file may have an encoding with two
 * bytes per character, such as those for Chinese, Japanese and Korean. */
MUST_CHECK bool encoding_surveyed(const struct encoding_survey *survey, struct charset *found, bool *certain);
/* A field of the file that is not ASCII, converted from this encoding, in the pool; empty if there is none. */
struct slice encoding_sample(struct pool *pool, const struct encoding_survey *survey, const struct charset *encoding);

/* How many bytes a UTF-8 text takes up in the file. */
uint64_t encoding_size(const struct charset *encoding, struct slice text);
/* Converts bytes of UTF-16 or of a table into `out`, which has room for three times as many bytes. Sets *used to the bytes
 * read; an incomplete character at the end is left unread. Returns the size of the result. */
size_t encoding_convert(const struct charset *encoding, struct slice bytes, char *out, size_t *used);
