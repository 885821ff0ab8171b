/* SPDX-License-Identifier: MIT
 * CSV by RFC 4180: quoted fields may contain delimiters, line ends and doubled quotes. Lines end with CR LF, LF or CR. A quote
 * is special only at the beginning of a field, where blanks may precede it. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { CSV_FIELDS_MAX = 1000 };

struct csv_fields {
	struct slice *items;
	size_t count;
};

#define CSV_DELIMITERS ",;\t|"

/* What follows a text: more of the file, or nothing. */
enum csv_rest { CSV_MORE, CSV_NO_MORE };

/* Returns the bytes of the first line of `text`, with its line end; 0 while its end is not in the text. The last line of a file
 * needs no line end. */
size_t csv_line_size(struct slice text, enum csv_rest rest);

enum csv_end {
	CSV_ENDS,
	CSV_OPEN,  /* the end of the record is not in the text */
	CSV_BROKEN /* a quote is never closed: what follows its line is read as other records */
};

/* Sets *size to the bytes of the first record of `text`, with its line end. If the record does not end, *size covers the whole
 * lines that its fields take up, each of which is then a record. `delimiter` is 0 while it is not known; `fields_max` is the
 * number of fields of the heading. */
MUST_CHECK enum csv_end csv_record_size(struct slice text, enum csv_rest rest, char delimiter, size_t fields_max, size_t *size);

/* What the heading says about rows: how many fields they have, and which one is the email address. */
struct csv_shape {
	size_t fields, address;
};
/* Whether each line of a record could be a row by itself: then two stray quotes joined several rows. */
MUST_CHECK bool csv_has_rows_inside(struct slice record, char delimiter, const struct csv_shape *shape, size_t *lines);

/* Splits a record without its line end. Returns NULL, or what is wrong with it, in words that follow "the record"; the fields
 * are in the pool. */
MUST_CHECK const char *csv_split(struct pool *pool, struct slice record, char delimiter, struct csv_fields *fields);

/* The record without its first fields. A record that has fewer, or is malformed, is returned unchanged. */
struct slice csv_without_first(struct pool *pool, struct slice record, char delimiter, size_t fields);

/* Whether it is the line before the heading in which spreadsheets name the delimiter: "sep=;". */
bool csv_names_delimiter(struct slice record, char *delimiter);
/* Whether all fields are empty: spreadsheets write such records for empty rows. */
bool csv_is_empty(struct pool *pool, struct slice record, char delimiter);

/* Appends a field so that csv_split can read it with this delimiter: in quotes if necessary. */
struct buffer;
void csv_add_field(struct buffer *out, struct slice field, char delimiter);

/* Likewise for spreadsheets, which execute cells that begin with = + - @, also in full width or after blanks, or with a tab or
 * line end. These cells get an apostrophe in front, and so do cells that already have one. The same applies within a cell after
 * , ; | tab and line ends, where a spreadsheet that uses another delimiter would end the cell. csv_cell undoes this, for any
 * delimiter. */
void csv_add_cell(struct buffer *out, struct slice cell, char delimiter);
struct slice csv_cell(struct pool *pool, struct slice field);
