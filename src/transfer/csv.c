/* SPDX-License-Identifier: MIT */
#include "transfer/csv.h"

#include <string.h>

#include "base/buffer.h"

size_t
csv_record_size(struct slice text, bool end)
{
	bool quoted = false;
	for (size_t at = 0; at < text.size; at++) {
		if (text.data[at] == '"')
			quoted = !quoted;
		else if (text.data[at] == '\n' && !quoted)
			return at + 1;
	}
	return end ? text.size : 0;
}

/* The state of a split: `out` has room for the whole record. */
struct split {
	struct slice record;
	char delimiter, *out;
	size_t at;
};

/* From after the opening quote to after the closing one. */
static const char *
read_quoted(struct split *s, struct slice *field)
{
	size_t size = 0;
	for (s->at++; s->at < s->record.size; s->at++) {
		const char c = s->record.data[s->at];
		if (c == '"' && (s->at + 1 == s->record.size || s->record.data[s->at + 1] != '"')) {
			*field = (struct slice){ s->out, size };
			s->out += size;
			s->at++;
			return s->at == s->record.size || s->record.data[s->at] == s->delimiter
				   ? NULL
				   : "has text between a closing quote and the next delimiter";
		}
		s->at += c == '"' ? 1 : 0;
		s->out[size++] = c;
	}
	return "has a quote without a closing one";
}

static const char *
read_plain(struct split *s, struct slice *field)
{
	const size_t from = s->at;
	while (s->at < s->record.size && s->record.data[s->at] != s->delimiter)
		s->at++;
	*field = slice_sub(s->record, from, s->at);
	return slice_find(*field, '"') < field->size ? "has a quote inside a field that is not in quotes" : NULL;
}

const char *
csv_split(struct pool *pool, struct slice record, char delimiter, struct csv_fields *fields)
{
	struct split s = { record, delimiter, pool_bytes(pool, record.size + 1), 0 };
	size_t capacity = 0;
	*fields = (struct csv_fields){ 0 };
	if (memchr(record.data, '\0', record.size) != NULL)
		return "has a NUL byte";
	for (bool more = true; more; s.at++) {
		struct slice field;
		if (fields->count == CSV_FIELDS_MAX)
			return "has more than 1000 fields";
		const bool quoted = s.at < record.size && record.data[s.at] == '"';
		const char *problem = quoted ? read_quoted(&s, &field) : read_plain(&s, &field);
		if (problem != NULL)
			return problem;
		fields->items = pool_grow(pool, fields->items, fields->count, &capacity, sizeof(*fields->items));
		fields->items[fields->count++] = field;
		more = s.at < record.size; /* at a delimiter */
	}
	return NULL;
}

struct slice
csv_without_first(struct pool *pool, struct slice record, char delimiter, size_t fields)
{
	struct split s = { record, delimiter, pool_bytes(pool, record.size + 1), 0 };
	for (size_t i = 0; i < fields; i++, s.at++) {
		struct slice field;
		const bool quoted = s.at < record.size && record.data[s.at] == '"';
		if ((quoted ? read_quoted(&s, &field) : read_plain(&s, &field)) != NULL || s.at >= record.size)
			return record;
	}
	return slice_sub(record, s.at, record.size);
}

char
csv_detect_delimiter(struct slice heading)
{
	static const char delimiters[] = { ',', ';', '\t' };
	size_t counts[sizeof(delimiters)] = { 0 }, best = 0;
	bool quoted = false;
	for (size_t at = 0; at < heading.size; at++) {
		quoted = heading.data[at] == '"' ? !quoted : quoted;
		for (size_t i = 0; i < sizeof(delimiters) && !quoted; i++)
			counts[i] += heading.data[at] == delimiters[i] ? 1 : 0;
	}
	for (size_t i = 1; i < sizeof(delimiters); i++)
		best = counts[i] > counts[best] ? i : best;
	return delimiters[best];
}

bool
csv_names_delimiter(struct slice record, char *delimiter)
{
	const struct slice before = SLICE("sep=");
	const bool named = record.size == before.size + 1 && slice_starts_with_nocase(record, before);
	if (named)
		*delimiter = record.data[before.size];
	return named;
}

bool
csv_is_empty(struct pool *pool, struct slice record, char delimiter)
{
	struct csv_fields fields;
	for (size_t i = 0; i < record.size; i++)
		if (record.data[i] != delimiter && record.data[i] != ' ' && record.data[i] != '"')
			return false;
	if (csv_split(pool, record, delimiter, &fields) != NULL)
		return false;
	for (size_t i = 0; i < fields.count; i++)
		if (slice_trim(fields.items[i]).size > 0)
			return false;
	return true;
}

/* Spreadsheets guess the delimiter, so that the usual ones are always in quotes. */
static bool
needs_quotes(struct slice field, char delimiter)
{
	for (size_t i = 0; i < field.size; i++)
		if (field.data[i] == delimiter || memchr("\",;\t\r\n", field.data[i], 6) != NULL)
			return true;
	return false;
}

/* Cuts the first of the texts that it begins with. */
static bool
skip_one(struct slice *text, const struct slice *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!slice_starts_with(*text, texts[i]))
			continue;
		*text = slice_sub(*text, texts[i].size, text->size);
		return true;
	}
	return false;
}

/* Whether, after any apostrophes, it begins as a formula does: with a sign, also after blanks, and after quotes, which a reader
 * with another delimiter removes. An apostrophe more or less in front makes no difference, so that csv_cell is the reverse. At
 * the beginning of a cell a control character counts as a sign. */
static bool
is_formula(struct slice text, bool is_cell)
{
	enum { CONTROLS = 3 };
	static const struct slice apostrophe[] = { SLICE("'") };
	static const struct slice blanks[] = { SLICE(" "), SLICE("\""), SLICE("\xc2\xa0"), SLICE("\xe3\x80\x80"),
		SLICE("\xef\xbb\xbf") }; /* U+00A0, U+3000, U+FEFF */
	static const struct slice signs[] = { SLICE("="), SLICE("+"), SLICE("-"), SLICE("@"), SLICE("\xef\xbc\x9d"),
		SLICE("\xef\xbc\x8b"), SLICE("\xef\xbc\x8d"), SLICE("\xef\xbc\xa0"), /* in full width */
		SLICE("\t"), SLICE("\r"), SLICE("\n") };
	while (skip_one(&text, apostrophe, ARRAY_SIZE(apostrophe)))
		continue;
	while (skip_one(&text, blanks, ARRAY_SIZE(blanks)))
		continue;
	return skip_one(&text, signs, ARRAY_SIZE(signs) - (is_cell ? 0 : CONTROLS));
}

/* Whether a formula begins here: of the cell, or of one that a reader with another delimiter makes of a part of it, for which
 * the quotes around the whole are characters as any. */
static bool
begins_formula(struct slice cell, size_t at)
{
	return (at == 0 || memchr(",;\t|\r\n", cell.data[at - 1], 6) != NULL) &&
	       is_formula(slice_sub(cell, at, cell.size), at == 0);
}

/* After its own delimiter a part is read as a cell by no one; there an apostrophe is only doubled, for csv_cell. */
static bool
needs_apostrophe(struct slice cell, size_t at, char delimiter)
{
	return begins_formula(cell, at) && (at == 0 || cell.data[at - 1] != delimiter || cell.data[at] == '\'');
}

static void
add_field(struct buffer *out, struct slice field, char delimiter, bool is_cell)
{
	const bool quoted = needs_quotes(field, delimiter) || (is_cell && delimiter == '\'');
	if (quoted)
		buffer_add_byte(out, '"');
	for (size_t i = 0; i < field.size; i++) {
		if (is_cell && needs_apostrophe(field, i, delimiter))
			buffer_add_byte(out, '\'');
		if (field.data[i] == '"')
			buffer_add_byte(out, '"');
		buffer_add_byte(out, field.data[i]);
	}
	if (quoted)
		buffer_add_byte(out, '"');
}

void
csv_add_field(struct buffer *out, struct slice field, char delimiter)
{
	add_field(out, field, delimiter, false);
}

void
csv_add_cell(struct buffer *out, struct slice cell, char delimiter)
{
	add_field(out, cell, delimiter, true);
}

struct slice
csv_cell(struct pool *pool, struct slice field)
{
	char *cell;
	size_t size = 0;
	if (field.size == 0 || memchr(field.data, '\'', field.size) == NULL)
		return field;
	cell = pool_bytes(pool, field.size);
	for (size_t i = 0; i < field.size; i++)
		if (field.data[i] != '\'' || !begins_formula(field, i))
			cell[size++] = field.data[i];
	return (struct slice){ cell, size };
}
