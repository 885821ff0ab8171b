/* SPDX-License-Identifier: MIT */
#include "identity/email.h"

#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/utf8.h"
#include "identity/domain.h"

/* Non-ASCII characters that no part may contain: Unicode's names for the classes of docs/api.md 4.2. */
static bool (*const refused[])(ucs4_t) = {
	uc_is_property_white_space,
	uc_is_property_iso_control,
	uc_is_property_bidi_control,
	uc_is_property_private_use,
	uc_is_property_not_a_character,
};

static bool
is_clean(struct slice text)
{
	uint32_t character;
	while (utf8_next(&text, &character))
		for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
			if (refused[i](character))
				return false;
	return text.size == 0;
}

/* WHATWG's `atext`, widened by RFC 6532 3.2. */
static bool
is_atext(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || (unsigned char)c >= 0x80 ||
	       (c != '\0' && strchr("!#$%&'*+/=?^_`{|}~-", c));
}

static bool
is_local(struct slice local)
{
	if (local.size == 0 || local.size > EMAIL_LOCAL_MAX || local.data[local.size - 1] == '.')
		return false;
	struct slice atom;
	while (slice_next(&local, '.', &atom)) {
		if (atom.size == 0)
			return false;
		for (size_t i = 0; i < atom.size; i++)
			if (!is_atext(atom.data[i]))
				return false;
	}
	return true;
}

/* To be checked afterwards, not before: NFC turns U+037E into ';'. */
static struct slice
normalise_local(struct pool *pool, struct slice typed)
{
	size_t size = 0;
	uint8_t *normal = u8_normalize(UNINORM_NFC, (const uint8_t *)typed.data, typed.size, NULL, &size);
	if (normal == NULL)
		memory_exhausted();
	char *local = pool_alloc(pool, size + 1);
	for (size_t i = 0; i < size; i++)
		local[i] = ascii_lower((char)normal[i]);
	free(normal);
	return (struct slice){ local, size };
}

/* The domain has a dot, and its last label is not a number: "192.0.2.1" is an address literal without brackets. */
static bool
is_mail_domain(struct slice domain)
{
	size_t dot = slice_find_last(domain, '.');
	for (size_t i = dot + 1; i < domain.size; i++)
		if (!ascii_is_digit(domain.data[i]))
			return true;
	return false;
}

bool
email_parse(struct pool *pool, struct slice typed, struct email *email)
{
	const size_t at = slice_find(typed, '@');
	struct slice domain;
	if (at == 0 || at == typed.size || typed.size > EMAIL_TYPED_MAX || !is_clean(typed))
		return false;
	struct slice local = normalise_local(pool, slice_sub(typed, 0, at));
	if (!is_local(local) || !domain_to_ascii(pool, slice_sub(typed, at + 1, typed.size), &domain) ||
	    !is_mail_domain(domain))
		return false;
	if (local.size + 1 + domain.size > EMAIL_MAX)
		return false;
	email->display = typed;
	email->key = POOL_JOIN(pool, local, SLICE("@"), domain);
	return true;
}

/* Of a local part that begins with the sign nothing would be left. */
static struct slice
without_tag(struct slice local)
{
	const size_t plus = slice_find(local, '+');
	return plus == 0 ? local : slice_sub(local, 0, plus);
}

struct slice
email_mailbox(struct pool *pool, struct slice key)
{
	static const struct slice dotless[] = { SLICE("@gmail.com"), SLICE("@googlemail.com") };
	const size_t at = slice_find_last(key, '@');
	const struct slice domain = slice_sub(key, at, key.size);
	struct slice local = without_tag(slice_sub(key, 0, at)), part;
	if (!slice_is_one_of(domain, dotless, ARRAY_SIZE(dotless)))
		return POOL_JOIN(pool, local, domain);
	struct slice joined = SLICE("");
	while (slice_next(&local, '.', &part))
		joined = POOL_JOIN(pool, joined, part);
	return POOL_JOIN(pool, joined, dotless[0]);
}
