/* SPDX-License-Identifier: MIT
 * Bytes as text. */
#pragma once

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"

/* Returns the decimal digits, which are written at the end of `out`. */
enum { DECIMAL_SIZE = 20 };
struct slice encode_decimal(uint64_t number, char out[DECIMAL_SIZE]);
/* Lower-case hexadecimal. */
struct slice encode_hex(struct pool *pool, struct slice bytes);
/* The text as a word of a shell command, in single quotes. */
struct slice encode_shell_word(struct pool *pool, struct slice text);
/* Returns false if the text is not an even number of hexadecimal digits. */
MUST_CHECK bool decode_hex(struct pool *pool, struct slice text, struct slice *bytes);

/* Base32 (RFC 4648 6) in upper case without padding. */
struct slice encode_base32(struct pool *pool, struct slice bytes);
/* Accepts what encode_base32 writes, in upper or lower case. Returns false otherwise. */
MUST_CHECK bool decode_base32(struct pool *pool, struct slice text, struct slice *bytes);

/* The byte that the `%XX` at this offset encodes; -1 if there is none. */
int percent_byte(struct slice text, size_t at);
/* The text with each %XX replaced by the byte that it encodes; any other % is copied. */
struct slice decode_percent(struct pool *pool, struct slice text);
/* Appends the bytes, with all but unreserved characters (RFC 3986, 2.3) as %XX. */
void encode_percent(struct buffer *out, struct slice bytes);
/* Appends a path, a query or both; characters that a request line cannot contain become %XX. */
void encode_target(struct buffer *out, struct slice target);
