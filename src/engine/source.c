/* SPDX-License-Identifier: MIT */
#include "engine/source.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "identity/link.h"

const struct slice source_class_names[SOURCE_CLASSES] = {
	[SOURCE_UNKNOWN] = SLICE("unknown"),
	[SOURCE_DIRECT] = SLICE("direct"),
	[SOURCE_LINK] = SLICE("link"),
	[SOURCE_CAMPAIGN] = SLICE("campaign"),
	[SOURCE_REFERRAL] = SLICE("referral"),
	[SOURCE_INBOUND] = SLICE("inbound"),
	[SOURCE_IMPORT] = SLICE("import"),
};

const struct slice source_kind_names[SOURCE_KINDS] = {
	[SOURCE_UTM_SOURCE] = SLICE("utm_source"),
	[SOURCE_UTM_MEDIUM] = SLICE("utm_medium"),
	[SOURCE_UTM_CAMPAIGN] = SLICE("utm_campaign"),
	[SOURCE_SITE] = SLICE("site"),
	[SOURCE_REFUSED] = SLICE("refused"),
};

/* Browsers send the page with the form as the referrer, and a site's scripts send their own pages: visitors did not come from
 * there. */
static bool
has_link(struct pool *pool, const struct lead *lead, const struct signup *signup)
{
	const struct slice from = signup->referrer_is_page ? SLICE_NONE : link_host(pool, lead->referrer);
	return slice_present(from) && !slice_equal(from, link_host(pool, lead->signup_url));
}

enum source_class
source_of_signup(struct pool *pool, const struct lead *lead, const struct signup *signup)
{
	if (lead->parent_id != 0)
		return SOURCE_REFERRAL;
	if (slice_present(lead->utm))
		return SOURCE_CAMPAIGN;
	if (signup->inbound)
		return SOURCE_INBOUND;
	return has_link(pool, lead, signup) ? SOURCE_LINK : SOURCE_DIRECT;
}

/* The host of the page that led to the form. Usually the class shows whether `referrer` is the page with the form itself; if it
 * does not, comparing it with `signup_url` does. */
static struct slice
site_of(struct pool *pool, const struct lead *lead)
{
	if (lead->source_class == SOURCE_DIRECT)
		return SLICE_NONE;
	const struct slice from = link_host(pool, lead->referrer), page = link_host(pool, lead->signup_url);
	const bool known = lead->source_class == SOURCE_LINK || slice_present(page);
	return known && !slice_equal(from, page) ? from : SLICE_NONE;
}

/* A phone number: with its country code, or as it is dialled within one country (00… or 0…). Plain numbers are usually ids of
 * advertisements. */
static bool
may_be_phone(struct slice text)
{
	enum { DIGITS = 7, DIALLED_DIGITS = 9 }; /* a date has eight digits */
	static const struct slice plus[] = { SLICE("+"), SLICE("%2B"), SLICE("%2b") };
	bool is_dialled = slice_starts_with(text, SLICE("0")) || slice_starts_with(text, SLICE("(0"));
	size_t digits = 0;
	for (size_t at = 0; at < text.size; at++) {
		if (ascii_is_digit(text.data[at]))
			digits++;
		else if (memchr(" ()-./", text.data[at], 6) == NULL)
			is_dialled = false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(plus); i++)
		if (digits >= DIGITS && slice_starts_with(text, plus[i]))
			return true;
	return is_dialled && digits >= DIALLED_DIGITS;
}

/* An email address, also URL-encoded or in full width, or a phone number. */
static bool
may_be_address(struct slice text)
{
	static const struct slice signs[] = { SLICE("@"), SLICE("%40"), SLICE("%2540"), SLICE("\xef\xbc\xa0"),
		SLICE("\xef\xb9\xab") };
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (slice_contains(text, signs[i]))
			return true;
	return may_be_phone(slice_trim(text));
}

static struct slice
counted_value(struct slice text)
{
	if (may_be_address(text))
		return SLICE("");
	text = slice_trim(utf8_cut(slice_trim(text), SOURCE_VALUE_MAX));
	return text.size > 0 ? text : SLICE_NONE;
}

void
source_values(struct pool *pool, const struct lead *lead, struct slice values[SOURCE_KINDS])
{
	static const struct slice names[] = {
		[SOURCE_UTM_SOURCE] = SLICE("source"),
		[SOURCE_UTM_MEDIUM] = SLICE("medium"),
		[SOURCE_UTM_CAMPAIGN] = SLICE("campaign"),
	};
	custom_fields_texts(pool, lead->utm, names, ARRAY_SIZE(names), values);
	values[SOURCE_SITE] = site_of(pool, lead);
	values[SOURCE_REFUSED] = SLICE_NONE;
	for (size_t i = 0; i < SOURCE_KINDS; i++)
		values[i] = counted_value(values[i]);
}
