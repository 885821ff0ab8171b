/* SPDX-License-Identifier: MIT */
#include "deliver/texts/code_text.h"

#include "base/utf8.h"

/* GSM 03.38: the basic set without letters and digits, and the characters that take two septets. */
#define BASIC "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà"
#define EXTENDED "^{}\\[~]|€"

static bool
has_character(struct slice set, uint32_t wanted)
{
	uint32_t character;
	while (utf8_next(&set, &character))
		if (character == wanted)
			return true;
	return false;
}

size_t
gsm_septets(struct slice text)
{
	const size_t too_many = CODE_TEXT_MAX + 1;
	size_t septets = 0;
	uint32_t character;
	while (text.size > 0 && septets < too_many) {
		if (!utf8_next(&text, &character))
			return too_many;
		const bool plain = character < 0x80 && (ascii_is_alpha((char)character) || ascii_is_digit((char)character));
		if (plain || has_character(SLICE(BASIC), character))
			septets++;
		else if (has_character(SLICE(EXTENDED), character))
			septets += 2;
		else
			return too_many;
	}
	return septets < too_many ? septets : too_many;
}

/* The last line lets browsers offer the code only on pages of this host (WICG, "Origin-bound one-time codes"). */
struct slice
code_text(struct pool *pool, enum text_language language, struct slice campaign_name, struct slice host, struct slice code)
{
	const struct slice named =
	    TEXT_FILL(pool, text_find(language, TEXT_TEXT_CODE), { "code", code }, { "campaign", slice_trim(campaign_name) });
	const struct slice plain = TEXT_FILL(pool, text_find(language, TEXT_TEXT_CODE_PLAIN), { "code", code });
	const struct slice bound = slice_present(host) ? POOL_JOIN(pool, SLICE("\n\n@"), host, SLICE(" #"), code) : SLICE("");
	const struct slice texts[] = { POOL_JOIN(pool, named, bound), POOL_JOIN(pool, plain, bound) };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (gsm_septets(texts[i]) <= CODE_TEXT_MAX && !(i == 0 && slice_has_control(campaign_name)))
			return texts[i];
	return plain;
}
