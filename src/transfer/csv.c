/* SPDX-License-Identifier: MIT */
#include "transfer/csv.h"

#include <string.h>

#include "base/buffer.h"

/* In a heading, where the delimiter is not known yet, it may be any of the usual ones. */
static bool
is_delimiter(char c, char delimiter)
{
	return delimiter == '\0' ? c != '\0' && strchr(CSV_DELIMITERS, c) != NULL : c == delimiter;
}

static bool
is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* Blanks around quotes are not part of the cell. */
static size_t
skip_blanks(struct slice text, size_t at, char delimiter)
{
	while (at < text.size && text.data[at] == ' ' && delimiter != ' ')
		at++;
	return at;
}

/* The offset of the closing quote; `at` is the offset after the opening one. */
static size_t
closing_quote(struct slice text, size_t at)
{
	while (at < text.size) {
		const char *quote = memchr(text.data + at, '"', text.size - at);
		if (quote == NULL)
			return text.size;
		at = (size_t)(quote - text.data);
		if (at + 1 == text.size || text.data[at + 1] != '"')
			return at;
		at += 2;
	}
	return text.size;
}

size_t
csv_line_size(struct slice text, enum csv_rest rest)
{
	size_t at = 0; /* no search for LF: if lines end with CR, there may be none */
	while (at < text.size && !is_line_end(text.data[at]))
		at++;
	if (at == text.size)
		return rest == CSV_NO_MORE ? text.size : 0;
	if (text.data[at] == '\n')
		return at + 1;
	if (at + 1 == text.size) /* a line feed may follow */
		return rest == CSV_NO_MORE ? text.size : 0;
	return at + (text.data[at + 1] == '\n' ? 2 : 1);
}

/* Moves *at from the beginning of a field to its end: a delimiter, a line end, or the end of the text. */
static enum csv_end
scan_field(struct slice text, enum csv_rest rest, char delimiter, size_t *at, bool *spans)
{
	const size_t from = skip_blanks(text, *at, delimiter);
	if (from == text.size || text.data[from] != '"') {
		while (*at < text.size && !is_delimiter(text.data[*at], delimiter) && !is_line_end(text.data[*at]))
			++*at;
		return CSV_ENDS;
	}
	const size_t close = closing_quote(text, from + 1);
	if (close == text.size)
		return rest == CSV_NO_MORE ? CSV_BROKEN : CSV_OPEN;
	const struct slice inside = slice_sub(text, from, close);
	*spans = *spans || memchr(inside.data, '\n', inside.size) != NULL || memchr(inside.data, '\r', inside.size) != NULL;
	*at = skip_blanks(text, close + 1, delimiter);
	return *at == text.size || is_delimiter(text.data[*at], delimiter) || is_line_end(text.data[*at]) ? CSV_ENDS
													  : CSV_BROKEN;
}

static size_t
whole_lines(struct slice text, size_t at)
{
	while (at > 0 && !is_line_end(text.data[at - 1]))
		at--;
	return at;
}

enum csv_end
csv_record_size(struct slice text, enum csv_rest rest, char delimiter, size_t fields_max, size_t *size)
{
	bool spans = false;
	size_t at = 0;
	for (size_t fields = 1;; fields++, at++) {
		enum csv_end state = scan_field(text, rest, delimiter, &at, &spans);
		if (state == CSV_ENDS && spans && fields >= fields_max && at < text.size && !is_line_end(text.data[at]))
			state = CSV_BROKEN;
		if (state != CSV_ENDS) {
			*size = whole_lines(text, at);
			return state;
		}
		if (at == text.size || is_line_end(text.data[at])) {
			const size_t line_end = csv_line_size(slice_sub(text, at, text.size), rest);
			*size = at + line_end;
			return line_end > 0 || (rest == CSV_NO_MORE && text.size > 0) ? CSV_ENDS : CSV_OPEN;
		}
	}
}

/* Whether a line has this many fields, no matter what its quotes mean, and an address in one of them. */
static bool
is_row(struct slice line, char delimiter, const struct csv_shape *shape)
{
	size_t fields = 0, at = 0;
	struct slice field;
	bool has_address = false;
	for (bool more = true; more; fields++, at++) {
		const size_t from = at;
		while (at < line.size && line.data[at] != delimiter)
			at++;
		field = slice_trim(slice_sub(line, from, at));
		if (fields == shape->address)
			has_address = slice_find(field, '@') < field.size && slice_find(field, ' ') == field.size;
		more = at < line.size;
	}
	return fields == shape->fields && has_address;
}

bool
csv_has_rows_inside(struct slice record, char delimiter, const struct csv_shape *shape, size_t *lines)
{
	*lines = 0;
	while (record.size > 0) {
		const size_t size = csv_line_size(record, CSV_NO_MORE);
		if (!is_row(slice_sub(record, 0, size), delimiter, shape))
			return false;
		record = slice_sub(record, size, record.size);
		++*lines;
	}
	return *lines > 1 && shape->fields > 1;
}

/* The state of a split: `out` has room for the whole record. */
struct split {
	struct slice record;
	char delimiter, *out;
	size_t at;
};

static bool
at_quote(struct split *s)
{
	const size_t from = skip_blanks(s->record, s->at, s->delimiter);
	if (from == s->record.size || s->record.data[from] != '"')
		return false;
	s->at = from;
	return true;
}

/* Reads a field from its opening quote to its closing one. */
static const char *
read_quoted(struct split *s, struct slice *field)
{
	const size_t close = closing_quote(s->record, s->at + 1);
	size_t size = 0;
	if (close == s->record.size)
		return "has a quote without a closing one";
	for (s->at++; s->at < close; s->at++) {
		s->out[size++] = s->record.data[s->at];
		s->at += s->record.data[s->at] == '"' ? 1 : 0;
	}
	*field = (struct slice){ s->out, size };
	s->out += size;
	s->at = skip_blanks(s->record, close + 1, s->delimiter);
	return s->at == s->record.size || s->record.data[s->at] == s->delimiter
		   ? NULL
		   : "has text between a closing quote and the next delimiter";
}

/* A quote inside is an ordinary character: a 24" screen. */
static const char *
read_plain(struct split *s, struct slice *field)
{
	const size_t from = s->at;
	while (s->at < s->record.size && s->record.data[s->at] != s->delimiter)
		s->at++;
	*field = slice_sub(s->record, from, s->at);
	return NULL;
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
		const char *problem = at_quote(&s) ? read_quoted(&s, &field) : read_plain(&s, &field);
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
		if ((at_quote(&s) ? read_quoted(&s, &field) : read_plain(&s, &field)) != NULL || s.at >= record.size)
			return record;
	}
	return slice_sub(record, s.at, record.size);
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

/* Spreadsheets guess the delimiter, so the usual ones are always quoted. */
static bool
needs_quotes(struct slice field, char delimiter)
{
	for (size_t i = 0; i < field.size; i++)
		if (field.data[i] == delimiter || memchr("\",;\t\r\n", field.data[i], 6) != NULL)
			return true;
	return false;
}

/* Removes the first of these texts with which it begins. */
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

/* Whether the text from `at` on begins like a formula, after any apostrophes: with a sign, possibly after blanks and quotes,
 * which a reader with another delimiter removes. Additional apostrophes make no difference, so csv_cell can undo csv_add_cell.
 * At the beginning of a cell a control character counts as a sign. */
static bool
is_formula(struct slice cell, size_t at)
{
	enum { CONTROLS = 3 };
	struct slice text = slice_sub(cell, at, cell.size);
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
	return skip_one(&text, signs, ARRAY_SIZE(signs) - (at == 0 ? 0 : CONTROLS));
}

/* Whether a formula begins here: at the beginning of the cell, or of a part that a reader with another delimiter takes for a
 * cell; to such a reader, the quotes around the whole cell are ordinary characters. */
static bool
begins_formula(struct slice cell, size_t at)
{
	return (at == 0 || memchr(",;\t|\r\n", cell.data[at - 1], 6) != NULL) && is_formula(cell, at);
}

/* No one reads a part after the file's own delimiter as a cell; there an apostrophe is only doubled, for csv_cell. */
static bool
needs_apostrophe(struct slice cell, size_t at, char delimiter)
{
	return begins_formula(cell, at) && (at == 0 || cell.data[at - 1] != delimiter || cell.data[at] == '\'');
}

enum field_use { FOR_PROGRAMS, FOR_SPREADSHEETS };

static void
add_field(struct buffer *out, struct slice field, char delimiter, enum field_use use)
{
	const bool is_cell = use == FOR_SPREADSHEETS, quoted = needs_quotes(field, delimiter) || (is_cell && delimiter == '\'');
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
	add_field(out, field, delimiter, FOR_PROGRAMS);
}

void
csv_add_cell(struct buffer *out, struct slice cell, char delimiter)
{
	add_field(out, cell, delimiter, FOR_SPREADSHEETS);
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
