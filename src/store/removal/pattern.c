/* SPDX-License-Identifier: MIT */
#include "store/removal/pattern.h"

#include "base/buffer.h"
#include "base/utf8.h"

enum { PATTERN_MAX_BYTES = 64 * 1024 };

/* What precedes and follows an address: no character of one, unless it is the end of an escape. */
#define BEFORE_EMAIL "(?:(?<![\\p{L}\\p{N}._+-])|(?<=%[0-9a-f]{2})|(?<=\\\\u00[0-9a-f]{2}))"
#define AFTER_EMAIL "(?![\\p{L}\\p{N}-])(?!\\.[\\p{L}\\p{N}])"
/* A number is international: its digits alone may be anything. */
#define BEFORE_PHONE "(?:\\+|%2b|\\\\u002b|(?<![0-9])00)"
#define AFTER_PHONE "(?![0-9])"

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

static void
add_spelling(struct buffer *out, struct slice text)
{
	uint32_t codepoint;
	for (struct slice rest = text; utf8_next(&rest, &codepoint); text = rest)
		add_character(out, slice_sub(text, 0, text.size - rest.size), codepoint);
}

struct slice
address_pattern(struct pool *pool, enum lead_channel channel, const struct slice *spellings, size_t count)
{
	const bool phone = channel == CHANNEL_PHONE;
	struct buffer out;
	buffer_init(&out, PATTERN_MAX_BYTES);
	buffer_add_text(&out, phone ? "(?i)" BEFORE_PHONE "(?:" : "(?i)" BEFORE_EMAIL "(?:");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_add_byte(&out, '|');
		add_spelling(&out, phone && slice_starts_with(spellings[i], SLICE("+"))
				       ? slice_sub(spellings[i], 1, spellings[i].size)
				       : spellings[i]);
	}
	buffer_add_text(&out, phone ? ")" AFTER_PHONE : ")" AFTER_EMAIL);
	const struct slice pattern = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return pattern;
}
