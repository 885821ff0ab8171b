/* SPDX-License-Identifier: MIT */
#include "store/removal/pattern.h"

#include "base/buffer.h"
#include "base/panic.h"
#include "base/utf8.h"

/* More than SPELLINGS_MAX of the longest addresses take. */
enum { PATTERN_MAX_BYTES = 1024 * 1024 };

/* What may precede an address: nothing that can be in one; an escape of such a character; the name of a field of a form; the
 * rest of a URL. In apostrophes it has one at each end. */
#define DELIMITERS "0[9ad]|2[0268cf9]|3[abcdef]|5[bd]"
#define BEFORE_EMAIL                                                                                                     \
	"(?:(?<![\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-])|(?<=\\\\[nrtbf])|(?<=%(?:" DELIMITERS "))|(?<=\\\\u00(?:" DELIMITERS \
	"))|(?:^|&)[^=&\\s\"]{1,200}=|https?:(?:\\\\?/){2}[^\\s\"<>]{0,2000}[/?&=;,:])"
#define AFTER_EMAIL "(?![\\p{L}\\p{N}-])(?!\\.[\\p{L}\\p{N}])"
/* A number is international: its digits alone may be anything. */
#define BEFORE_PHONE "(?:\\+|%2b|\\\\u002b|(?<![0-9])00)"
#define AFTER_PHONE "(?![0-9])"
#define BETWEEN_DIGITS "(?:[ ()./+-]|%20|%28|%29|\\\\/)*"

static bool
is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* One character: as it is, escaped as in JSON, or percent-encoded. */
static void
add_character(struct buffer *out, struct slice bytes, uint32_t codepoint)
{
	if (bytes.size == 1 && is_plain(bytes.data[0])) {
		buffer_add_byte(out, bytes.data[0]);
		return;
	}
	buffer_printf(out, "(?:\\x{%x}|", (unsigned)codepoint);
	for (size_t i = 0; i < bytes.size; i++)
		buffer_printf(out, "%%%02x", (unsigned char)bytes.data[i]);
	if (codepoint <= 0xffff)
		buffer_printf(out, "|\\\\u%04x", (unsigned)codepoint);
	buffer_add_byte(out, ')');
}

/* `between`: what may be between two characters. */
static void
add_spelling(struct buffer *out, struct slice text, const char *between)
{
	uint32_t codepoint;
	bool first = true;
	for (struct slice rest = text; utf8_next(&rest, &codepoint); text = rest) {
		if (!first)
			buffer_add_text(out, between);
		add_character(out, slice_sub(text, 0, text.size - rest.size), codepoint);
		first = false;
	}
}

/* The digits of a number as it was typed. */
static struct slice
digits_of(struct pool *pool, struct slice number)
{
	char *out = pool_string(pool, number);
	size_t size = 0;
	for (size_t i = 0; i < number.size; i++)
		if (number.data[i] >= '0' && number.data[i] <= '9')
			out[size++] = number.data[i];
	return (struct slice){ out, size };
}

static struct slice
alternatives(struct pool *pool, bool phone, const struct slice *spellings, size_t count, const char *between)
{
	struct buffer out;
	buffer_init(&out, PATTERN_MAX_BYTES);
	buffer_add_text(&out, "(?:");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_add_byte(&out, '|');
		add_spelling(&out, phone ? digits_of(pool, spellings[i]) : spellings[i], between);
	}
	buffer_add_byte(&out, ')');
	if (!buffer_ok(&out))
		panic("an address is too long");
	const struct slice text = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return text;
}

struct address_patterns
address_patterns(struct pool *pool, enum lead_channel channel, const struct slice *spellings, size_t count)
{
	const bool phone = channel == CHANNEL_PHONE;
	const struct slice whole = alternatives(pool, phone, spellings, count, "");
	if (phone) {
		const struct slice spaced = alternatives(pool, true, spellings, count, BETWEEN_DIGITS);
		return (struct address_patterns){ .whole = POOL_JOIN(pool, SLICE("^\\+?"), whole, SLICE("$")),
			.in_text = POOL_JOIN(pool, SLICE("(?i)" BEFORE_PHONE BETWEEN_DIGITS), spaced, SLICE(AFTER_PHONE)) };
	}
	return (struct address_patterns){ .whole = POOL_JOIN(pool, SLICE("(?i)^"), whole, SLICE("$")),
		.in_text = POOL_JOIN(
		    pool, SLICE("(?i)(?:" BEFORE_EMAIL), whole, SLICE(AFTER_EMAIL "|(?<=')"), whole, SLICE("(?='))")) };
}
