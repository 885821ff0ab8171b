/* SPDX-License-Identifier: MIT */
#include "identity/typed.h"

#include <stdlib.h>
#include <string.h>
#include <unictype.h>

#include "base/utf8.h"

enum { NON_JOINER = 0x200c, JOINER = 0x200d, LOOK_AHEAD = 8, LONGEST_FORM = 4 };

/* Other spellings of ASCII characters, beyond those that Unicode decomposes to them. */
static const struct {
	uint32_t first, last;
	char ascii;
} spellings[] = { { 0x00ab, 0x00ab, '"' }, { 0x00bb, 0x00bb, '"' }, { 0x02bc, 0x02bc, '\'' }, { 0x2010, 0x2015, '-' },
	{ 0x2018, 0x201b, '\'' }, { 0x201c, 0x201f, '"' }, { 0x2032, 0x2032, '\'' }, { 0x2039, 0x203a, '"' },
	{ 0x2022, 0x2023, ' ' }, { 0x2044, 0x2044, '/' }, { 0x2212, 0x2212, '-' }, { 0x2215, 0x2215, '/' },
	{ 0x2795, 0x2795, '+' }, { 0x2796, 0x2796, '-' }, { 0x27e8, 0x27e8, '<' }, { 0x27e9, 0x27e9, '>' },
	{ 0x3002, 0x3002, '.' }, { 0x3008, 0x3008, '<' }, { 0x3009, 0x3009, '>' }, { 0x300c, 0x300f, '"' },
	{ 0x3010, 0x3010, '[' }, { 0x3011, 0x3011, ']' }, { 0x301d, 0x301f, '"' }, { 0xff61, 0xff61, '.' } };

/* How the cleaned text ends, as far as it decides whether a joiner may follow. */
struct context {
	int class, class_before; /* canonical combining classes of the last two characters */
	bool joins;              /* the last letter joins what follows */
	bool joiner;             /* it ends with one */
};

static bool
is_space(uint32_t c)
{
	return uc_is_property_white_space(c);
}

static bool
is_invisible(uint32_t c)
{
	/* the last ones belong to annotated text, and stand for an object in it */
	return uc_is_property_default_ignorable_code_point(c) || (uc_is_property_iso_control(c) && !is_space(c)) ||
	       (c >= 0xfff9 && c <= 0xfffc);
}

/* Whether the next visible letter joins what precedes it. */
static bool
next_joins(struct slice rest)
{
	uint32_t c;
	for (int i = 0; i < LOOK_AHEAD && utf8_next(&rest, &c); i++) {
		const int type = is_invisible(c) ? UC_JOINING_TYPE_T : uc_joining_type(c);
		if (type != UC_JOINING_TYPE_T)
			return type == UC_JOINING_TYPE_R || type == UC_JOINING_TYPE_D;
	}
	return false;
}

/* RFC 5892 A.1 and A.2. A virama that composition would move behind another mark does not count: the text would not be clean
 * afterwards. */
static bool
joiner_matters(const struct context *context, uint32_t c, struct slice rest)
{
	if (context->joiner)
		return false;
	return (context->class == UC_CCC_VR && context->class_before <= UC_CCC_VR) ||
	       (c == NON_JOINER && context->joins && next_joins(rest));
}

static void
go_on(struct context *context, uint32_t c)
{
	const int type = uc_joining_type(c);
	context->class_before = context->class;
	context->class = uc_combining_class(c);
	context->joiner = c == JOINER || c == NON_JOINER;
	if (type != UC_JOINING_TYPE_T)
		context->joins = type == UC_JOINING_TYPE_L || type == UC_JOINING_TYPE_D;
}

/* Writes the ASCII characters that a character is a form of. Returns how many; 0: it is not one. Symbols (emoji, flags, the
 * Braille blank) stand next to what is meant, as spaces do. */
static size_t
ascii_form(uint32_t c, char form[LONGEST_FORM])
{
	ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
	int tag;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		if (c >= spellings[i].first && c <= spellings[i].last) {
			form[0] = spellings[i].ascii;
			return 1;
		}
	const int count = uc_decomposition(c, &tag, parts);
	if (count == 1 && parts[0] > '~')
		return ascii_form(parts[0], form);
	if (count < 1) {
		form[0] = ' ';
		return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_So) ? 1 : 0;
	}
	if (count > LONGEST_FORM)
		return 0;
	for (int i = 0; i < count; i++) {
		if (parts[i] > '~' || parts[i] <= ' ')
			return 0;
		form[i] = (char)parts[i];
	}
	return (size_t)count;
}

/* Adds what a character becomes. `rest` is the text after it; its own bytes are before that. */
static size_t
add_character(char *out, struct context *context, uint32_t c, size_t bytes, struct slice rest)
{
	char form[LONGEST_FORM] = { ' ' };
	size_t size = is_space(c) ? 1 : 0;
	const bool joiner = c == JOINER || c == NON_JOINER;
	if (joiner ? !joiner_matters(context, c, rest) : is_invisible(c))
		return 0;
	if (c > '~' && !joiner && size == 0)
		size = ascii_form(c, form);
	go_on(context, size > 0 ? ' ' : c);
	if (size > 0)
		memcpy(out, form, size);
	else
		memcpy(out, rest.data - bytes, bytes);
	return size > 0 ? size : bytes;
}

struct slice
typed_clean(struct pool *pool, struct slice typed)
{
	if (slice_is_printable(typed) || !utf8_valid(typed))
		return slice_trim(typed);
	char *out = pool_bytes(pool, LONGEST_FORM * typed.size);
	struct context context = { 0 };
	size_t end = 0;
	uint32_t c;
	for (struct slice rest = typed, before = rest; utf8_next(&rest, &c); before = rest)
		end += add_character(out + end, &context, c, before.size - rest.size, rest);
	return slice_trim((struct slice){ out, end });
}

struct slice
typed_normalized(struct pool *pool, uninorm_t form, struct slice text)
{
	size_t size = 0;
	if (slice_is_ascii(text))
		return text;
	uint8_t *normal = u8_normalize(form, (const uint8_t *)text.data, text.size, NULL, &size);
	if (normal == NULL)
		memory_exhausted();
	const struct slice copy = pool_copy(pool, (struct slice){ (const char *)normal, size });
	free(normal);
	return copy;
}

struct slice
typed_code(struct pool *pool, struct slice typed)
{
	const struct slice clean = typed_clean(pool, typed);
	char *out = pool_bytes(pool, clean.size);
	size_t end = 0;
	for (size_t i = 0; i < clean.size; i++) {
		struct slice rest = slice_sub(clean, i, clean.size);
		uint32_t c;
		const int digit = utf8_next(&rest, &c) ? uc_decimal_value(c) : -1;
		if (digit >= 0) {
			out[end++] = (char)('0' + digit);
			i = clean.size - rest.size - 1;
		} else if (clean.data[i] != ' ' && clean.data[i] != '-') {
			out[end++] = clean.data[i];
		}
	}
	return (struct slice){ out, end };
}
