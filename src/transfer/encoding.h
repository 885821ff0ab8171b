/* SPDX-License-Identifier: MIT
 * Encodings of files, and their texts as UTF-8. The encoding is that of the whole file. One exception: in a file in UTF-8 a
 * record that is no UTF-8 is read as the other encoding says, and the others stay right. */
#ifndef LEADHOOK_TRANSFER_ENCODING_H
#define LEADHOOK_TRANSFER_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct byte_table; /* an encoding with a byte for each character; the first half is ASCII */

enum encoding_form { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_BYTES };

struct charset {
	enum encoding_form form;
	const struct byte_table *table; /* ENCODING_BYTES; or ENCODING_UTF8, of records that are no UTF-8 */
};

/* "UTF-8", "UTF-8+windows-1252" (the second for records that are no UTF-8), "windows-1250", in any case of letters. */
MUST_CHECK bool encoding_parse(struct slice name, struct charset *encoding);
/* The same as a text, in the pool. */
struct slice encoding_name(struct pool *pool, const struct charset *encoding);
/* The names of all tables, separated by commas. */
struct slice encoding_tables(struct pool *pool);

/* Bytes of the mark at the beginning: 0, 2 or 3; of UTF-8 also two marks, one after the other. */
size_t encoding_mark_size(struct slice bytes, const struct charset *encoding);

/* What a file says about its encoding. Initially zeroed. */
struct encoding_survey {
	bool begun, is_wide; /* is_wide: UTF-16 */
	struct charset found;
	bool has_mark;
	uint64_t utf8, other;                    /* lines that are not in ASCII: in UTF-8, or not */
	uint64_t bytes[128];                     /* how often the latter have each byte above ASCII */
	uint64_t no_capital[128], no_small[128]; /* of these: in places where no such letter is */
	uint64_t within[128];                    /* of these: between ASCII letters */
	uint64_t neighbours;                     /* bytes that may be Cyrillic or Greek letters, after others */
	uint64_t capitals;                       /* those that may be Cyrillic or Greek capitals */
	uint64_t singles;                        /* bytes above ASCII that cannot belong to a character of two bytes */
	char sample[64];                         /* a field with such bytes */
	size_t sample_size;
};
/* The next lines of the file: the piece ends with a line end, unless the line is longer or it is the last one. */
void encoding_survey_add(struct encoding_survey *survey, struct slice piece);
/* The encoding that fits; *certain: nothing else does. */
struct charset encoding_surveyed(const struct encoding_survey *survey, bool *certain);
/* Whether none fits: the file may be in an encoding with two bytes for a character, such as those of Chinese, Japanese and Korean. */
bool encoding_is_unknown(const struct encoding_survey *survey);
/* A field of a file that is not UTF-8, read in the encoding, in the pool; empty: there is none. */
struct slice encoding_sample(struct pool *pool, const struct encoding_survey *survey, const struct charset *encoding);

/* Bytes of a text of UTF-8 in the file. */
uint64_t encoding_size(const struct charset *encoding, struct slice text);
/* Converts bytes of UTF-16, or of a table, into `out`, which has room for three times as many. Sets *used: an incomplete
 * character at the end is left. Returns the size. */
size_t encoding_convert(const struct charset *encoding, struct slice bytes, char *out, size_t *used);

#endif
