/* SPDX-License-Identifier: MIT
 * A reference to bytes that are owned elsewhere: not terminated, may contain any byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attributes.h"

struct slice {
	const char *data; /* may be NULL only when size is 0 and the value is absent */
	size_t size;      /* bytes */
};

/* A string literal as a slice, usable in initialisers. */
#define SLICE(literal) ((struct slice){ "" literal, sizeof(literal) - 1 })
#define SLICE_NONE ((struct slice){ NULL, 0 })

/* printf("%.*s", SLICE_ARGS(s)) */
#define SLICE_ARGS(s) ((int)(s).size), ((s).data == NULL ? "" : (s).data)

/* The bytes of a terminated string; NULL gives the absent slice. */
struct slice slice_of(const char *text);

/* Whether there is a value, even an empty one. */
static inline bool
slice_present(struct slice s)
{
	return s.data != NULL;
}

static inline bool
slice_equal(struct slice a, struct slice b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* From `from` up to, but not including, `to`; both are clamped to the slice. */
static inline struct slice
slice_sub(struct slice s, size_t from, size_t to)
{
	if (to > s.size)
		to = s.size;
	if (from > to)
		from = to;
	return (struct slice){ s.data == NULL ? NULL : s.data + from, to - from };
}

static inline bool
slice_starts_with(struct slice s, struct slice prefix)
{
	return slice_equal(slice_sub(s, 0, prefix.size), prefix);
}

/* ASCII letters compare without case; all other bytes exactly. */
bool slice_equal_nocase(struct slice a, struct slice b);
/* Like memcmp; if one text is the beginning of the other, it comes first. */
int slice_compare(struct slice a, struct slice b);
bool slice_starts_with_nocase(struct slice s, struct slice prefix);
bool slice_ends_with(struct slice s, struct slice suffix);
bool slice_contains(struct slice s, struct slice part);
/* Offset of the first `part`, or s.size. */
size_t slice_find_part(struct slice s, struct slice part);
bool slice_contains_nocase(struct slice s, struct slice part);
/* The index of the first item that equals it; `count` if none does. */
size_t slice_place_in(struct slice s, const struct slice *items, size_t count);
/* Whether one of the items equals it. */
bool slice_is_one_of(struct slice s, const struct slice *items, size_t count);
/* Whether it is a word of the list, whose words are separated by spaces. */
bool slice_is_listed(struct slice s, const char *list);

/* Offset of the first byte `c`, or s.size. */
static inline size_t
slice_find(struct slice s, char c)
{
	const char *at = s.size == 0 ? NULL : (const char *)memchr(s.data, c, s.size);
	return at == NULL ? s.size : (size_t)(at - s.data);
}

/* Offset of the last byte `c`, or s.size. */
size_t slice_find_last(struct slice s, char c);

bool slice_is_ascii(struct slice s);
/* Whether it contains only the ASCII characters from space to '~'. */
bool slice_is_printable(struct slice s);
/* Whether it contains only ASCII letters, digits and characters of `others`. */
bool slice_is_alnum(struct slice s, const char *others);
/* Whether it contains a C0 control character (including tab and line ends) or DEL. */
bool slice_has_control(struct slice s);

/* Removes ASCII white space (space, \t \n \v \f \r) at both ends. */
struct slice slice_trim(struct slice s);

/* Splits at `separator`: sets *head to the part before it and *rest to the part after it. Returns false when *rest is used up.
 * "a,,b" gives "a", "", "b"; "" gives nothing. */
bool slice_next(struct slice *rest, char separator, struct slice *head);

/* The number, from 1, of the line of `text` that `place` points into. */
size_t slice_line_of(struct slice text, const char *place);

/* Like slice_next, for lists separated by commas or ASCII white space; skips empty items. */
bool slice_next_item(struct slice *rest, struct slice *item);

/* Parses a decimal number without sign or leading zeros ("0" is valid), at most `maximum`. Otherwise returns false, with *value
 * unchanged. */
MUST_CHECK bool slice_to_u64(struct slice s, uint64_t maximum, uint64_t *value);
/* Splits "host", "host:port" or "[address]:port"; an IPv6 address without brackets has no port. *port is 0 if there is none.
 * Returns false if the host is empty or the port is not from 1 to 65535. */
MUST_CHECK bool slice_split_port(struct slice text, struct slice *host, uint64_t *port);

static inline bool
is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

/* ASCII only, independent of the locale. */
static inline bool
ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
ascii_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline char
ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}

/* Whether it is one of the characters. */
static inline bool
ascii_is_any(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c) != NULL;
}

/* 0..15, or -1. */
int ascii_hex_digit(char c);
/* The byte that two digits stand for, or -1. */
int ascii_hex_byte(const char *digits);
