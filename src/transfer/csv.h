/* SPDX-License-Identifier: MIT
 * CSV by RFC 4180: fields in quotes may have delimiters, line ends and doubled quotes. Lines end with CR LF or LF. */
#ifndef LEADHOOK_TRANSFER_CSV_H
#define LEADHOOK_TRANSFER_CSV_H

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { CSV_FIELDS_MAX = 1000 };

struct csv_fields {
	struct slice *items;
	size_t count;
};

/* The bytes of the first record of `text`, with its line end; 0 while it has no end. At the `end` of a file the record needs no
 * line end, and a quoted field that is not closed ends there. */
size_t csv_record_size(struct slice text, bool end);

/* Splits a record without its line end. Returns NULL, or what is wrong with it, in words that follow "the record"; the fields
 * are in the pool. */
MUST_CHECK const char *csv_split(struct pool *pool, struct slice record, char delimiter, struct csv_fields *fields);

/* The record without its first fields. A record that has not so many, or is malformed, stays as it is. */
struct slice csv_without_first(struct pool *pool, struct slice record, char delimiter, size_t fields);

/* Which of comma, semicolon and tab is in a heading most often, outside quotes; a comma where none is. */
char csv_detect_delimiter(struct slice heading);

/* Whether it is the line before a heading by which spreadsheets name the delimiter: "sep=;". */
bool csv_names_delimiter(struct slice record, char *delimiter);
/* Whether all fields are empty: spreadsheets write such records for empty rows. */
bool csv_is_empty(struct pool *pool, struct slice record, char delimiter);

/* Appends a field as csv_split reads it with this delimiter: in quotes where that is necessary. */
struct buffer;
void csv_add_field(struct buffer *out, struct slice field, char delimiter);

/* The same for spreadsheets, which run cells that begin with = + - @, also in full width, or with a tab or line end, or with
 * blanks before one of these: they get an apostrophe, and so do cells that already have one there. The same within a cell after
 * , ; | tab and line ends: a spreadsheet that opens the file with another delimiter ends cells at these, whatever the quotes.
 * csv_cell is the reverse, for any delimiter. */
void csv_add_cell(struct buffer *out, struct slice cell, char delimiter);
struct slice csv_cell(struct pool *pool, struct slice field);

#endif
