/* SPDX-License-Identifier: MIT
 * leadhook(1), lead import: deferred rows, sorted so that each comes after its referrer; their places in the file. */
#include "unit.h"
#include "with_pool.h"

#include "transfer/deferred.h"

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

/* The identities of the rows in their order. `backwards`: the rows are added from the end of the file to its beginning. */
static struct slice
order_of(const char *file, bool backwards)
{
	struct chains *chains = chains_new(pool);
	struct slice rest = slice_of(file), pair, pairs[16], order = SLICE("");
	size_t count = 0;
	while (slice_next_item(&rest, &pair))
		pairs[count++] = pair;
	for (size_t i = 0; i < count; i++) {
		const size_t at = backwards ? count - 1 - i : i;
		const struct import row = row_of(pairs[at]);
		chains_add(chains, &row, at + 2);
	}
	const size_t *sorted = chains_sort(chains);
	for (size_t i = 0; i < count; i++) {
		const size_t row = backwards ? count - 1 - sorted[i] : sorted[i];
		const struct slice own = slice_sub(pairs[row], 0, slice_find(pairs[row], '<'));
		order = POOL_JOIN(pool, order, i == 0 ? SLICE("") : SLICE(" "), own);
	}
	return order;
}

static void
referrers_come_first(void **state UNUSED)
{
	static const struct {
		const char *file, *order;
	} cases[] = {
		{ "", "" },
		{ "CC<BB BB<AA AA<gone", "AA BB CC" },
		{ "AA<gone BB<AA CC<BB", "AA BB CC" },
		{ "AA<BB BB<AA", "AA BB" },
		{ "CC<BB BB<DD DD<CC", "CC DD BB" },
		{ "EE<AA AA<BB BB<AA", "AA EE BB" },
		{ "AA<AA", "AA" },
		{ "a@x<b@x b@x<gone", "b@x a@x" },
		{ "a@x<BB BB<c@x c@x<-", "c@x BB a@x" },
		{ "AAA<AA AA<A", "AA AAA" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct slice order = order_of(cases[i].file, false);
		if (!slice_equal(order, slice_of(cases[i].order)))
			fail_msg("%s: %.*s", cases[i].file, SLICE_ARGS(order));
	}
	/* in a cycle, the first row of the file comes first, in whichever order the rows are added */
	assert_slice(slice_sub(order_of("CC<BB BB<DD DD<CC", true), 0, 2), "CC");
	assert_slice(slice_sub(order_of("AA<BB BB<AA CC<AA", true), 0, 2), "AA");
}

/* The first row of the cycle that contains `row`, or `count`. */
static size_t
cycle_of(const size_t *referrers, size_t count, size_t row)
{
	size_t first = row, at = referrers[row];
	for (size_t steps = 0; steps < count && at < count && at != row; steps++, at = referrers[at])
		first = at < first ? at : first;
	return at == row ? first : count;
}

/* Each row comes once, and after its referrer, if there is one, unless it is the first row of a cycle. */
static void
assert_ordered(const size_t *order, const size_t *referrers, size_t count)
{
	bool *seen = POOL_ARRAY(pool, count, bool);
	for (size_t i = 0; i < count; i++) {
		const size_t row = order[i];
		assert_false(seen[row]);
		assert_true(referrers[row] >= count || cycle_of(referrers, count, row) == row || seen[referrers[row]]);
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
		struct chains *chains = chains_new(pool);
		for (size_t i = 0; i < ROWS; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			referrers[i] = (random >> 33) % (ROWS + round); /* some are unknown; cycles are frequent */
			const struct import row = { .signup = { .subject = pool_printf(pool, "%zu", i),
							.referrer_id = pool_printf(pool, "%zu", referrers[i]) } };
			chains_add(chains, &row, i + 2);
		}
		assert_ordered(chains_sort(chains), referrers, ROWS);
	}
}

/* No recursion, and no pass for each row. */
static void
a_chain_may_be_long(void **state UNUSED)
{
	enum { ROWS = 200000 };
	struct chains *chains = chains_new(pool);
	for (unsigned i = 0; i < ROWS; i++) {
		const struct import row = { .signup = { .subject = pool_printf(pool, "%u", i),
						.referrer_id = pool_printf(pool, "%u", i + 1) } };
		chains_add(chains, &row, i + 2);
	}
	const size_t *order = chains_sort(chains);
	for (size_t i = 0; i < ROWS; i++)
		assert_int_equal(order[i], ROWS - 1 - i);
}

static void
deferred_places_are_read_while_others_are_added(void **state UNUSED)
{
	struct deferred *deferred = deferred_new(pool, DEFERRED_IN_FILE);
	struct record_place place = { 0 };
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(deferred_add(deferred, &(struct record_place){ .offset = i * 10, .line = i, .size = 7 }));
		assert_true(deferred_get(deferred, i / 2, &place));
		assert_int_equal(place.offset, i / 2 * 10);
	}
	assert_int_equal(deferred_count(deferred), 1000);
	assert_false(deferred_get(deferred, 1000, &place));
	deferred_close(deferred);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(referrers_come_first, begin, end),
		cmocka_unit_test_setup_teardown(each_row_comes_after_its_referrer, begin, end),
		cmocka_unit_test_setup_teardown(a_chain_may_be_long, begin, end),
		cmocka_unit_test_setup_teardown(deferred_places_are_read_while_others_are_added, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
