/* SPDX-License-Identifier: MIT */
#include "mail/mime.h"

#include "base/utf8.h"

#define WORD_BEGIN SLICE("=?UTF-8?Q?")
#define WORD_END SLICE("?=")
#define LINE_END SLICE("\r\n")

static void
add_encoded_byte(struct buffer *out, char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char value = (unsigned char)byte;
	buffer_add(out, (struct slice){ (const char[]){ '=', digits[value >> 4], digits[value & 15] }, 3 });
}

/* The first character of the text. Bytes that are not UTF-8 count as one character each. */
static struct slice
first_character(struct slice text)
{
	struct slice rest = text;
	uint32_t character;
	const bool valid = utf8_next(&rest, &character);
	return slice_sub(text, 0, valid ? text.size - rest.size : 1);
}

/* ---- Headers ---- */

/* Characters that an encoded-word may contain unencoded, even in a phrase (RFC 2047, 5). */
static bool
is_plain_in_word(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || c == '!' || c == '*' || c == '+' || c == '-' || c == '/';
}

static size_t
word_size(struct slice character)
{
	const char c = character.data[0];
	return character.size == 1 && (is_plain_in_word(c) || c == ' ') ? 1 : 3 * character.size;
}

/* Appends encoded-words, one per line, each with whole characters. White space between them is not part of the text. */
static size_t
add_words(struct buffer *out, size_t column, struct slice text)
{
	size_t room = 0; /* bytes left in the open word */
	for (bool first = true; text.size > 0; first = false) {
		const struct slice character = first_character(text);
		const size_t size = word_size(character);
		if (first || size > room) {
			if (!first) {
				buffer_add(out, WORD_END);
				buffer_add(out, SLICE("\r\n "));
				column = 1;
			}
			const size_t line = MIME_LINE_MAX - column;
			room = (line < MIME_WORD_MAX ? line : MIME_WORD_MAX) - WORD_BEGIN.size - WORD_END.size;
			buffer_add(out, WORD_BEGIN);
			column += WORD_BEGIN.size + WORD_END.size;
		}
		for (size_t i = 0; i < character.size; i++) {
			if (size == 1)
				buffer_add_byte(out, character.data[i] == ' ' ? '_' : character.data[i]);
			else
				add_encoded_byte(out, character.data[i]);
		}
		room -= size;
		column += size;
		text = slice_sub(text, character.size, text.size);
	}
	buffer_add(out, WORD_END);
	return column;
}

/* Printable ASCII in which no reader mistakes a part for an encoded-word, or drops a part. */
static bool
is_plain(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] < ' ' || text.data[i] > '~' ||
		    (text.data[i] == '=' && i + 1 < text.size && text.data[i + 1] == '?'))
			return false;
	return slice_equal(slice_trim(text), text);
}

void
mime_add_text_header(struct buffer *out, struct slice name, struct slice value)
{
	buffer_add(out, name);
	buffer_add(out, SLICE(": "));
	const size_t column = name.size + 2;
	if (value.size > 0 && (!is_plain(value) || value.size > MIME_LINE_MAX - column))
		add_words(out, column, value);
	else
		buffer_add(out, value);
	buffer_add(out, LINE_END);
}

size_t
mime_add_phrase(struct buffer *out, size_t column, struct slice name)
{
	enum { QUOTES = 2 };
	size_t size = QUOTES;
	for (size_t i = 0; i < name.size; i++)
		size += name.data[i] == '"' || name.data[i] == '\\' ? 2 : 1;
	if (!is_plain(name) || size > MIME_LINE_MAX - column)
		return add_words(out, column, name);
	buffer_add_byte(out, '"');
	for (size_t i = 0; i < name.size; i++) {
		if (name.data[i] == '"' || name.data[i] == '\\')
			buffer_add_byte(out, '\\');
		buffer_add_byte(out, name.data[i]);
	}
	buffer_add_byte(out, '"');
	return column + size;
}

/* ---- Bodies ---- */

/* Whether the first byte of `rest`, at this column, is written unchanged. */
static bool
is_plain_in_body(struct slice rest, size_t column)
{
	const char c = rest.data[0];
	const bool last = rest.size == 1 || rest.data[1] == '\n';
	if (c == ' ' || c == '\t')
		return !last; /* white space at the end of a line is lost */
	if (column == 0 && slice_starts_with(rest, SLICE("From ")))
		return false; /* "From " begins a message in mailbox files */
	if (column == 0 && c == '.')
		return false; /* a line with only a dot ends the message in SMTP */
	return c > ' ' && c <= '~' && c != '=';
}

static size_t
add_body_character(struct buffer *out, size_t column, struct slice rest, struct slice character)
{
	enum { SOFT = 1 }; /* room for the = of a soft line break */
	bool plain = character.size == 1 && is_plain_in_body(rest, column);
	size_t size = plain ? 1 : 3 * character.size;
	if (column + size > MIME_LINE_MAX - SOFT) {
		buffer_add(out, SLICE("=\r\n"));
		column = 0;
		plain = character.size == 1 && is_plain_in_body(rest, column);
		size = plain ? 1 : 3 * character.size;
	}
	if (plain)
		buffer_add_byte(out, character.data[0]);
	else
		for (size_t i = 0; i < character.size; i++)
			add_encoded_byte(out, character.data[i]);
	return column + size;
}

void
mime_add_quoted_printable(struct buffer *out, struct slice text)
{
	size_t column = 0;
	bool open = false; /* the last line has no end yet */
	while (text.size > 0) {
		const struct slice character = first_character(text);
		if (character.data[0] == '\n') {
			buffer_add(out, LINE_END);
			column = 0;
			open = false;
		} else {
			column = add_body_character(out, column, text, character);
			open = true;
		}
		text = slice_sub(text, character.size, text.size);
	}
	if (open)
		buffer_add(out, LINE_END);
}
