/* SPDX-License-Identifier: MIT */
#include "mail/names.h"

#include <string.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/utf8.h"

enum value_kind { VALUE_TEXT, VALUE_PERSON, VALUE_URL };

static const struct {
	struct slice text;
	enum value_kind kind;
} names[MAIL_NAMES] = {
	[MAIL_CAMPAIGN_NAME] = { SLICE("campaign_name"), VALUE_TEXT },
	[MAIL_FIRST_NAME] = { SLICE("first_name"), VALUE_PERSON },
	[MAIL_DISPLAY_NAME] = { SLICE("display_name"), VALUE_PERSON },
	[MAIL_POSITION] = { SLICE("position"), VALUE_TEXT },
	[MAIL_SHARED_POSITION] = { SLICE("shared_position"), VALUE_TEXT },
	[MAIL_SCORE] = { SLICE("score"), VALUE_TEXT },
	[MAIL_REFERRALS] = { SLICE("referrals"), VALUE_TEXT },
	[MAIL_SHARE_URL] = { SLICE("share_url"), VALUE_URL },
	[MAIL_STATUS_URL] = { SLICE("status_url"), VALUE_URL },
	[MAIL_CONFIRM_URL] = { SLICE("confirm_url"), VALUE_URL },
	[MAIL_CODE] = { SLICE("code"), VALUE_TEXT },
	[MAIL_CODE_URL] = { SLICE("code_url"), VALUE_URL },
	[MAIL_REWARD] = { SLICE("reward"), VALUE_TEXT },
	[MAIL_REFERRED_NAME] = { SLICE("referred_name"), VALUE_PERSON },
	[MAIL_NEW_REFERRALS] = { SLICE("new_referrals"), VALUE_TEXT },
	[MAIL_REFERRED_NAMES] = { SLICE("referred_names"), VALUE_TEXT }, /* each name was checked like a person's */
	[MAIL_NEXT_REWARD] = { SLICE("next_reward"), VALUE_TEXT },
	[MAIL_POINTS_TO_NEXT] = { SLICE("points_to_next"), VALUE_TEXT },
	[MAIL_PRIVACY_URL] = { SLICE("privacy_url"), VALUE_URL },
	[MAIL_IMPRINT_URL] = { SLICE("imprint_url"), VALUE_URL },
	[MAIL_UNSUBSCRIBE_URL] = { SLICE("unsubscribe_url"), VALUE_URL },
	[MAIL_LOGO_URL] = { SLICE("logo_url"), VALUE_URL },
	[MAIL_LANGUAGE] = { SLICE("language"), VALUE_TEXT },
};

/* A range of characters that are shown as a space, or not at all. */
struct character_range {
	uint32_t first, last;
	bool space;
};
static const struct character_range hidden[] = {
	{ 0x00, 0x1f, true }, { 0x7f, 0x9f, true },
	{ 0x00ad, 0x00ad, false },                            /* soft hyphen: programs that look for links skip it */
	{ 0x061c, 0x061c, false }, { 0x200b, 0x200b, false }, /* the joiners after it belong to words of several scripts */
	{ 0x200e, 0x200f, false }, { 0x2028, 0x2029, true }, { 0x202a, 0x202e, false }, { 0x2060, 0x206f, false },
	{ 0xfeff, 0xfeff, false }, { 0xe0000, 0xe007f, false }, /* tags, which are invisible */
};

/* Characters that separate the labels of a domain (UTS 46). */
static const uint32_t dots[] = { '.', 0x2024, 0x3002, 0xfe52, 0xff0e, 0xff61 };

static const uint32_t at_signs[] = { '@', 0xfe6b, 0xff20 };

/* The digit zero of each script whose digits are used in telephone numbers; its nine other digits follow it. */
static const uint32_t zeros[] = { '0', 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
	0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0xff10, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6 };

/* A name with this many digits may contain a telephone number. Mail programs make links of these, too. */
enum { PHONE_DIGITS = 7 };

struct slice
mail_name_text(enum mail_name name)
{
	return names[name].text;
}

bool
mail_name_find(struct slice text, enum mail_name *name)
{
	for (size_t i = 0; i < MAIL_NAMES; i++) {
		if (slice_equal(names[i].text, text)) {
			*name = (enum mail_name)i;
			return true;
		}
	}
	return false;
}

bool
mail_name_is_url(enum mail_name name)
{
	return names[name].kind == VALUE_URL;
}

bool
mail_name_is_secret(enum mail_name name)
{
	static const mail_names secrets = MAIL_NAME_BIT(MAIL_STATUS_URL) | MAIL_NAME_BIT(MAIL_CONFIRM_URL) |
					  MAIL_NAME_BIT(MAIL_CODE) | MAIL_NAME_BIT(MAIL_UNSUBSCRIBE_URL);
	return (secrets & MAIL_NAME_BIT(name)) != 0;
}

static const struct character_range *
find_hidden(uint32_t character)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (character >= hidden[i].first && character <= hidden[i].last)
			return &hidden[i];
	return NULL;
}

static struct slice
shown_text(struct pool *pool, struct slice value)
{
	struct slice rest = slice_trim(utf8_sanitized(pool, value));
	char *text = pool_bytes(pool, rest.size);
	size_t size = 0, count = 0;
	uint32_t character;
	while (count < MAIL_VALUE_MAX_CHARACTERS) {
		const char *from = rest.data;
		if (!utf8_next(&rest, &character))
			break;
		const struct character_range *range = find_hidden(character);
		if (range != NULL && !range->space)
			continue;
		if (range != NULL) {
			text[size++] = ' ';
		} else {
			memcpy(text + size, from, (size_t)(rest.data - from));
			size += (size_t)(rest.data - from);
		}
		count++;
	}
	return slice_trim((struct slice){ text, size });
}

static bool
is_one_of(uint32_t character, const uint32_t *characters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (character == characters[i])
			return true;
	return false;
}

static bool
is_digit(uint32_t character)
{
	for (size_t i = 0; i < ARRAY_SIZE(zeros); i++)
		if (character >= zeros[i] && character <= zeros[i] + 9)
			return true;
	return false;
}

static bool
is_label_character(uint32_t character)
{
	return character >= 0x80 || ascii_is_alpha((char)character) || ascii_is_digit((char)character);
}

/* Whether mail programs may make a link of a part of the name: "evil.example", "www.evil", "1.1", "a@b", "https://…", "tel:1",
 * a telephone number; but not of initials ("J.R."). */
static bool
is_linkable(struct slice name)
{
	uint32_t character, before = ' ';
	size_t digits = 0, after_dot = 0;
	bool label = false, number = false; /* the last character may end a label; the character before the dot is a digit */
	for (; utf8_next(&name, &character); before = character) {
		digits += is_digit(character) ? 1 : 0;
		if (is_one_of(character, at_signs, ARRAY_SIZE(at_signs)) || digits >= PHONE_DIGITS ||
		    (before == ':' && character != ' '))
			return true;
		if (is_one_of(character, dots, ARRAY_SIZE(dots))) {
			after_dot = label ? 1 : 0;
			number = is_digit(before);
			label = false;
			continue;
		}
		label = is_label_character(character);
		if (!label)
			after_dot = 0;
		else if (after_dot > 0 && (++after_dot > 2 || (number && is_digit(character))))
			return true;
	}
	return false;
}

static size_t
count_characters(struct slice text)
{
	size_t count = 0;
	for (uint32_t character; utf8_next(&text, &character);)
		count++;
	return count;
}

static struct slice
shown_person(struct pool *pool, struct slice value)
{
	/* in a longer name, the part that is cut off would not be checked */
	if (count_characters(utf8_sanitized(pool, value)) > MAIL_VALUE_MAX_CHARACTERS)
		return SLICE_NONE;
	const struct slice name = shown_text(pool, value);
	return is_linkable(name) || count_characters(name) > MAIL_PERSON_MAX_CHARACTERS ? SLICE_NONE : name;
}

static struct slice
shown_url(struct pool *pool, struct slice value)
{
	struct buffer out;
	if ((!slice_starts_with(value, SLICE("http://")) && !slice_starts_with(value, SLICE("https://"))) ||
	    !utf8_valid(value) || utf8_has_control(value))
		return SLICE_NONE;
	buffer_init(&out, MAIL_URL_MAX_BYTES);
	for (struct slice rest = value; rest.size > 0;) {
		const char *from = rest.data;
		uint32_t character;
		if (!utf8_next(&rest, &character))
			break;
		const struct slice bytes = { from, (size_t)(rest.data - from) };
		if (find_hidden(character) != NULL || (character < 0x80 && strchr(" \"'<>\\^`{|}", (int)character) != NULL))
			encode_percent(&out, bytes);
		else
			buffer_add(&out, bytes);
	}
	const struct slice url = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : SLICE_NONE;
	buffer_free(&out);
	return url;
}

void
mail_values_clean(struct pool *pool, const struct mail_values *values, struct mail_values *clean)
{
	static struct slice (*const show[])(struct pool *, struct slice) = {
		[VALUE_TEXT] = shown_text,
		[VALUE_PERSON] = shown_person,
		[VALUE_URL] = shown_url,
	};
	for (size_t i = 0; i < MAIL_NAMES; i++) {
		const struct slice value = values->of[i];
		clean->of[i] = value.size == 0 ? SLICE_NONE : show[names[i].kind](pool, value);
	}
}
