/* SPDX-License-Identifier: MIT
 * The first line as a country code and the rest as a phone number (docs/api.md 4.2): the result is E.164, and parses to
 * itself.
 */
#include "fuzz.h"
#include "identity/phone.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice number = fuzz_input(data, size), country_code = fuzz_line(&number), e164, again;
	if (phone_parse(pool, number, country_code, &e164)) {
		REQUIRE(slice_starts_with(e164, SLICE("+")));
		REQUIRE(e164.size >= 1 + PHONE_DIGITS_MIN && e164.size <= 1 + PHONE_DIGITS_MAX);
		for (size_t i = 1; i < e164.size; i++)
			REQUIRE(ascii_is_digit(e164.data[i]));
		REQUIRE(phone_parse(pool, e164, country_code, &again) && slice_equal(e164, again));
	}
	pool_free(&pool);
	return 0;
}
