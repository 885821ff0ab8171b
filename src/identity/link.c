/* SPDX-License-Identifier: MIT */
#include "identity/link.h"

#include "base/encode.h"
#include "base/utf8.h"
#include "identity/domain.h"

/* The characters of a scheme after the first one, which is a letter (RFC 3986, 3.1). */
static bool
continues_scheme(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || c == '+' || c == '-' || c == '.';
}

bool
link_is_web(struct slice link)
{
	char scheme[sizeof("https")];
	size_t size = 0;
	if (utf8_has_control(link))
		return false;
	for (size_t i = 0; i < link.size; i++) {
		char c = link.data[i];
		if (size == 0 && c == ' ')
			continue;
		if (c == ':' && size > 0)
			return slice_equal_nocase((struct slice){ scheme, size }, SLICE("http")) ||
			       slice_equal_nocase((struct slice){ scheme, size }, SLICE("https"));
		if (size == 0 ? !ascii_is_alpha(c) : !continues_scheme(c))
			return true;
		/* room for one character more than the longest accepted scheme */
		if (size < sizeof(scheme))
			scheme[size++] = c;
	}
	return true;
}

bool
link_is_absolute(struct slice link)
{
	return slice_starts_with_nocase(link, SLICE("http://")) || slice_starts_with_nocase(link, SLICE("https://"));
}

/* The part before the first of the characters. */
static struct slice
before(struct slice s, const char *characters)
{
	for (; *characters != '\0'; characters++)
		s = slice_sub(s, 0, slice_find(s, *characters));
	return s;
}

/* The link without its scheme, if it has one; absent for schemes other than http and https. */
static struct slice
without_scheme(struct slice link)
{
	static const struct slice schemes[] = { SLICE("http://"), SLICE("https://"), SLICE("//") };
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (slice_starts_with_nocase(link, schemes[i]))
			return slice_sub(link, schemes[i].size, link.size);
	/* the authority of another scheme is not a web host */
	size_t colon = slice_find(link, ':');
	return slice_starts_with(slice_sub(link, colon, link.size), SLICE("://")) ? SLICE_NONE : link;
}

struct slice
link_host(struct pool *pool, struct slice link)
{
	struct slice authority = before(without_scheme(link), "/?#\\");
	size_t at = slice_find_last(authority, '@');
	struct slice host = slice_sub(authority, at < authority.size ? at + 1 : 0, authority.size);
	host = before(host, ":");
	if (slice_ends_with(host, SLICE(".")))
		host = slice_sub(host, 0, host.size - 1);
	return domain_to_ascii(pool, host, &host) ? host : SLICE_NONE;
}

struct slice
link_to_page(struct pool *pool, struct slice root, uint64_t campaign_id, struct slice rest)
{
	char digits[DECIMAL_SIZE];
	return POOL_JOIN(pool, root, SLICE("/c/"), encode_decimal(campaign_id, digits), rest);
}
