/* SPDX-License-Identifier: MIT
 * Challenges and their solutions have the format of ALTCHA's own library, and only genuine ones pass (docs/api.md 8). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "bots/solved.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

static enum solution_verdict
check_text(struct slice text, int64_t now_s)
{
	struct challenge challenge;
	return solution_check(pool, text, SOLVED_SECRET, SOLVED_CAMPAIGN, now_s, &challenge);
}

static enum solution_verdict
check(struct slice json)
{
	return check_text(base64_encode(pool, json), 0);
}

/* The solved payload with one of its texts replaced. */
static struct slice
changed(const char *from, const char *to)
{
	const struct slice all = SLICE(SOLVED);
	const char *at = memmem(all.data, all.size, from, strlen(from));
	assert_non_null(at);
	const size_t begin = (size_t)(at - all.data);
	return POOL_JOIN(pool, slice_sub(all, 0, begin), slice_of(to), slice_sub(all, begin + strlen(from), all.size));
}

/* The test vectors of RFC 7914, 11. */
static void
pbkdf2_of_a_known_text(void **state UNUSED)
{
	const struct digest key = digest_pbkdf2(SLICE("passwd"), SLICE("salt"), 1);
	static const unsigned char expected[] = { 0x55, 0xac, 0x04, 0x6e, 0x56, 0xe3, 0x08, 0x9f, 0xec, 0x16, 0x91, 0xc2, 0x25,
		0x44, 0xb6, 0x05, 0xf9, 0x41, 0x85, 0x21, 0x6d, 0xde, 0x04, 0x65, 0xe6, 0x8b, 0x9d, 0x57, 0xc2, 0x0d, 0xac,
		0xbc };
	assert_memory_equal(key.bytes, expected, sizeof(expected));
}

static void
a_challenge_is_signed_as_the_library_signs_it(void **state UNUSED)
{
	const struct challenge challenge = solved_challenge();
	assert_slice(challenge_write(pool, SOLVED_SECRET, &challenge), SOLVED_CHALLENGE);
}

static void
a_genuine_solution_passes(void **state UNUSED)
{
	struct challenge challenge;
	const struct challenge expected = solved_challenge();
	const struct slice text = base64_encode(pool, SLICE(SOLVED));
	assert_int_equal(
	    solution_check(pool, text, SOLVED_SECRET, SOLVED_CAMPAIGN, SOLVED_EXPIRES_S, &challenge), SOLUTION_GOOD);
	assert_memory_equal(challenge.nonce, expected.nonce, sizeof(expected.nonce));
	assert_int_equal(challenge.expires_s, SOLVED_EXPIRES_S);
	/* in another order, with white space and additional members */
	assert_int_equal(check(SLICE(" {\"took\": 5, \"solution\":" SOLVED_SOLUTION
				     ", \"x\": {\"y\": null}, \"challenge\":" SOLVED_CHALLENGE "}")),
	    SOLUTION_GOOD);
}

static void
it_is_good_for_its_campaign_and_time_only(void **state UNUSED)
{
	struct challenge challenge;
	const struct slice text = base64_encode(pool, SLICE(SOLVED));
	assert_int_equal(check_text(text, SOLVED_EXPIRES_S + 1), SOLUTION_EXPIRED);
	assert_int_equal(solution_check(pool, text, SOLVED_SECRET, 8, 0, &challenge), SOLUTION_FOREIGN);
	assert_int_equal(solution_check(pool, text, SLICE("another secret"), SOLVED_CAMPAIGN, 0, &challenge), SOLUTION_FORGED);
}

/* Changes each signed parameter to another valid value. */
static void
changed_parameters_are_forged(void **state UNUSED)
{
	static const char *const changes[][2] = {
		{ "\"cost\":1000", "\"cost\":1" },
		{ "\"campaign\":\"7\"", "\"campaign\":\"8\"" },
		{ "4102444800", "4102444801" },
		{ "\"keyPrefix\":\"000\"", "\"keyPrefix\":\"00\"" },
		{ "\"keyPrefix\":\"000\"", "\"keyPrefix\":\"\"" },
		{ "000102", "000103" },
		{ "f0f1", "f0f2" },
		{ "b19ddd", "b19dde" },
		{ "b19ddd6b", "B19DDD6B" },
		{ "b19ddd6b49b77886e16bca4f0eee29e2bc03f7c17fa54cf299f9c36f80deb4d8", "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (check(changed(changes[i][0], changes[i][1])) != SOLUTION_FORGED)
			fail_msg("%s", changes[i][1]);
}

static void
what_is_no_solution_is_malformed(void **state UNUSED)
{
	static const char *const changes[][2] = {
		{ "PBKDF2/SHA-256", "PBKDF2/SHA-512" },
		{ "\"keyLength\":32", "\"keyLength\":1" },
		{ "\"keyPrefix\":\"000\"", "\"keyPrefix\":\"0a\"" },
		{ "\"keyPrefix\":\"000\"", "\"keyPrefix\":\"000000000\"" },
		{ "\"cost\":1000", "\"cost\":\"1000\"" },
		{ "\"cost\":1000", "\"cost\":1e3" },
		{ "\"cost\":1000", "\"cost\":4294967296" },
		{ "\"cost\":1000", "\"cost\":1000,\"cost\":1000" },
		{ "\"cost\":1000", "\"cost\":1000,\"x\":1" },
		{ "\"cost\":1000", "\"cost\":1000,\"x\":{}" },
		{ "\"cost\":1000", "\"cost\":[1000]" },
		{ "\"cost\":1000,", "" },
		{ "4102444800", "253402300801" },
		{ "4102444800", "-1" },
		{ "\"campaign\":\"7\"", "\"campaign\":7" },
		{ "\"campaign\":\"7\"", "\"campaign\":\"07\"" },
		{ "000102", "00010" },
		{ "0a0b0c0d0e0f\"", "0A0b0c0d0e0f\"" },
		{ "000102", "0001zz" },
		{ "\"counter\":939", "\"counter\":4294967296" },
		{ "\"counter\":939", "\"counter\":939.0" },
		{ "000e288b", "000E288b" },
		{ "\"counter\":939,", "" },
		{ "\"solution\"", "\"solutions\"" },
	};
	assert_int_equal(check_text(SLICE(""), 0), SOLUTION_MALFORMED);
	assert_int_equal(check_text(SLICE(SOLVED), 0), SOLUTION_MALFORMED); /* not Base64 */
	assert_int_equal(check(SLICE("")), SOLUTION_MALFORMED);
	assert_int_equal(check(SLICE("[]")), SOLUTION_MALFORMED);
	assert_int_equal(check(SLICE("{}")), SOLUTION_MALFORMED);
	assert_int_equal(check(SLICE("939")), SOLUTION_MALFORMED);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (check(changed(changes[i][0], changes[i][1])) != SOLUTION_MALFORMED)
			fail_msg("%s", changes[i][1]);
}

static void
a_text_of_more_than_4_kib_is_not_read(void **state UNUSED)
{
	const struct slice solved = SLICE(SOLVED);
	char json[SOLUTION_MAX_BYTES];
	memset(json, ' ', sizeof(json));
	memcpy(json, solved.data, solved.size);
	const size_t most = SOLUTION_MAX_BYTES / 4 * 3;
	assert_int_equal(check((struct slice){ json, most }), SOLUTION_GOOD);
	assert_int_equal(check((struct slice){ json, most + 1 }), SOLUTION_MALFORMED);
}

static void
another_counter_or_key_is_wrong(void **state UNUSED)
{
	assert_int_equal(check(changed("939", "940")), SOLUTION_WRONG);
	assert_int_equal(check(changed("000e288b", "000e288c")), SOLUTION_WRONG);
}

/* The key of the solution begins with three zeros. */
static void
all_digits_count(void **state UNUSED)
{
	struct challenge challenge = solved_challenge();
	static const struct {
		unsigned digits;
		enum solution_verdict verdict;
	} cases[] = { { 1, SOLUTION_GOOD }, { 2, SOLUTION_GOOD }, { 3, SOLUTION_GOOD }, { 4, SOLUTION_WRONG } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		challenge.work.digits = cases[i].digits;
		const struct slice signed_again = challenge_write(pool, SOLVED_SECRET, &challenge);
		assert_int_equal(
		    check(POOL_JOIN(pool, SLICE("{\"challenge\":"), signed_again, SLICE(",\"solution\":" SOLVED_SOLUTION "}"))),
		    cases[i].verdict);
	}
}

static uint64_t
tries(unsigned level)
{
	const struct challenge_work work = challenge_work(level);
	return (uint64_t)work.cost << 4 * work.digits;
}

static void
each_level_is_twice_the_work(void **state UNUSED)
{
	assert_int_equal(tries(1), 1000 * 256);
	for (unsigned level = 2; level <= DIFFICULTY_LEVELS; level++) {
		assert_int_equal(tries(level), 2 * tries(level - 1));
		assert_in_range(challenge_work(level).cost, 1000, 8000);
	}
	assert_int_equal(tries(0), tries(1));
	assert_int_equal(tries(DIFFICULTY_LEVELS + 1), tries(DIFFICULTY_LEVELS));
}

static void
the_rate_of_sign_ups_adds_levels(void **state UNUSED)
{
	assert_int_equal(difficulty_level(2, 0), 2);
	assert_int_equal(difficulty_level(2, 59), 2);
	assert_int_equal(difficulty_level(2, 60), 3);
	assert_int_equal(difficulty_level(2, 239), 3);
	assert_int_equal(difficulty_level(2, 240), 4);
	assert_int_equal(difficulty_level(2, 3840), 6);
	assert_int_equal(difficulty_level(2, UINT32_MAX), 6);
	assert_int_equal(difficulty_level(DIFFICULTY_MAX, UINT32_MAX), DIFFICULTY_LEVELS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pbkdf2_of_a_known_text),
		cmocka_unit_test_setup_teardown(a_challenge_is_signed_as_the_library_signs_it, begin, end),
		cmocka_unit_test_setup_teardown(a_genuine_solution_passes, begin, end),
		cmocka_unit_test_setup_teardown(it_is_good_for_its_campaign_and_time_only, begin, end),
		cmocka_unit_test_setup_teardown(changed_parameters_are_forged, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_solution_is_malformed, begin, end),
		cmocka_unit_test_setup_teardown(a_text_of_more_than_4_kib_is_not_read, begin, end),
		cmocka_unit_test_setup_teardown(another_counter_or_key_is_wrong, begin, end),
		cmocka_unit_test_setup_teardown(all_digits_count, begin, end),
		cmocka_unit_test(each_level_is_twice_the_work),
		cmocka_unit_test(the_rate_of_sign_ups_adds_levels),
	};
	return cmocka_run_group_tests_name("bots/challenge", tests, NULL, NULL);
}
