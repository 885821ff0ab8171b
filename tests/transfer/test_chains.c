/* SPDX-License-Identifier: MIT
 * leadhook(1), lead import: rows in an order in which each comes after its referrer, and the ends of their chains, which lose
 * their referrers with --drop-unknown-referrers. */
#include "unit.h"
#include "with_pool.h"

#include "transfer/chains.h"

/* "A<B": A, whose referrer is B, in the order of the file; "-" is none. Identities with '@' are email addresses. */
static struct import
row_of(struct slice pair)
{
	const size_t middle = slice_find(pair, '<');
	const struct slice own = slice_sub(pair, 0, middle), referrer = slice_sub(pair, middle + 1, pair.size);
	struct import row = { .created_ms = -1 };
	if (slice_find(own, '@') < own.size)
		row.signup.email_key = own;
	else
		row.signup.subject = own;
	if (slice_find(referrer, '@') < referrer.size)
		row.referrer_email = referrer;
	else if (!slice_equal(referrer, SLICE("-")))
		row.signup.referrer_id = referrer;
	return row;
}

/* One character for each row: '1' for an end. `backwards`: the rows are added from the last one of the file on. */
static struct slice
ends_of(const char *file, bool backwards)
{
	struct chains *chains = chains_new();
	struct slice rest = slice_of(file), pair, pairs[16];
	size_t count = 0;
	while (slice_next_item(&rest, &pair))
		pairs[count++] = pair;
	for (size_t i = 0; i < count; i++) {
		const size_t at = backwards ? count - 1 - i : i;
		const struct import row = row_of(pairs[at]);
		chains_add(chains, &row, at + 2);
	}
	chains_sort(chains);
	char *marks = pool_string(pool, SLICE("................"));
	for (size_t i = 0; i < count; i++)
		marks[backwards ? count - 1 - i : i] = chains_is_end(chains, i) ? '1' : '0';
	chains_free(&chains);
	return (struct slice){ marks, count };
}

static void
only_ends_lose_their_referrer(void **state UNUSED)
{
	static const struct {
		const char *file, *ends;
	} cases[] = {
		{ "", "" },
		{ "CC<BB BB<AA AA<gone", "001" },
		{ "AA<gone BB<AA CC<BB", "100" },
		{ "AA<BB BB<AA", "10" },
		{ "CC<BB DD<CC BB<DD EE<DD FF<EE", "10000" },
		{ "EE<AA AA<BB BB<AA", "010" },
		{ "AA<AA BB<AA", "10" },
		{ "AA<gone BB<gone CC<gone", "111" },
		{ "a@x<b@x b@x<gone", "01" },
		{ "a@x<BB BB<c@x c@x<-", "001" },
		{ "AA<BB BB<AA CC<DD DD<CC EE<CC", "10100" },
		{ "AAA<AA AA<A", "01" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int backwards = 0; backwards < 2; backwards++) {
			const struct slice ends = ends_of(cases[i].file, backwards == 1);
			if (!slice_equal(ends, slice_of(cases[i].ends)))
				fail_msg("%s: %.*s", cases[i].file, SLICE_ARGS(ends));
		}
}

/* Whether each row comes once, and after its referrer unless it is an end. */
static void
assert_ordered(const struct chains *chains, const size_t *referrers, size_t count)
{
	bool *seen = POOL_ARRAY(pool, count, bool);
	for (size_t i = 0; i < count; i++) {
		const size_t row = chains_at(chains, i);
		assert_false(seen[row]);
		assert_true(chains_is_end(chains, row) || seen[referrers[row]]);
		seen[row] = true;
	}
}

static void
each_row_comes_after_its_referrer(void **state UNUSED)
{
	enum { ROWS = 500 };
	size_t referrers[ROWS];
	uint64_t random = 1;
	for (unsigned round = 0; round < 200; round++) {
		struct chains *chains = chains_new();
		for (size_t i = 0; i < ROWS; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			referrers[i] = (random >> 33) % (ROWS + round); /* some are unknown; circles are frequent */
			const struct import row = { .signup = { .subject = pool_printf(pool, "%zu", i),
							.referrer_id = pool_printf(pool, "%zu", referrers[i]) } };
			chains_add(chains, &row, i + 2);
		}
		chains_sort(chains);
		assert_ordered(chains, referrers, ROWS);
		chains_free(&chains);
	}
}

/* No recursion, and no pass for each row. */
static void
a_chain_may_be_long(void **state UNUSED)
{
	enum { ROWS = 200000 };
	struct chains *chains = chains_new();
	for (unsigned i = 0; i < ROWS; i++) {
		const struct import row = { .signup = { .subject = pool_printf(pool, "%u", i),
						.referrer_id = pool_printf(pool, "%u", i + 1) } };
		chains_add(chains, &row, i + 2);
	}
	chains_sort(chains);
	for (size_t i = 0; i < ROWS; i++) {
		assert_int_equal(chains_is_end(chains, i), i == ROWS - 1);
		assert_int_equal(chains_at(chains, i), ROWS - 1 - i);
	}
	chains_free(&chains);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_ends_lose_their_referrer, begin, end),
		cmocka_unit_test_setup_teardown(each_row_comes_after_its_referrer, begin, end),
		cmocka_unit_test_setup_teardown(a_chain_may_be_long, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
