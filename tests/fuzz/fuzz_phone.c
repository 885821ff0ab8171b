/* SPDX-License-Identifier: MIT
 * The first line as a country code and the rest as a phone number (docs/api.md 4.2): the result is E.164, parses to
 * itself, and is that of the cleaned text. */
#include "fuzz.h"
#include "identity/phone.h"
#include "identity/phone_text.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice number = fuzz_input(data, size), country_code = fuzz_line(&number), e164, again;
	const struct slice clean = phone_text_clean(pool, number);
	REQUIRE(slice_equal(phone_text_clean(pool, clean), clean));
	const bool good = phone_parse(pool, number, country_code, &e164);
	REQUIRE(phone_parse(pool, clean, country_code, &again) == good && (!good || slice_equal(e164, again)));
	REQUIRE(phone_is_blank(pool, clean, country_code) == phone_is_blank(pool, number, country_code));
	if (good) {
		REQUIRE(slice_starts_with(e164, SLICE("+")));
		REQUIRE(e164.size >= 1 + PHONE_DIGITS_MIN && e164.size <= 1 + PHONE_DIGITS_MAX);
		for (size_t i = 1; i < e164.size; i++)
			REQUIRE(ascii_is_digit(e164.data[i]));
		REQUIRE(phone_parse(pool, e164, country_code, &again) && slice_equal(e164, again));
	}
	pool_free(&pool);
	return 0;
}
