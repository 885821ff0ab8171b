/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7: cache entries are at most a second old, and their number is bounded. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/cache.h"

enum { NOW = 5000, AGE_MS = 1000, ENTRIES = 64, BYTES = 64 * 1024 };
static const struct cache_limits limits = { ENTRIES, BYTES, BYTES, AGE_MS };

static struct cache *cache;

static int
begin(void **state UNUSED)
{
	cache = cache_new(&limits);
	return 0;
}

static int
end(void **state UNUSED)
{
	cache_free(&cache);
	return 0;
}

static struct slice
name_of(const uint64_t *number)
{
	return (struct slice){ (const char *)number, sizeof(*number) };
}

static void
put(uint64_t name, const char *value, int64_t read_ms)
{
	cache_put(cache, name_of(&name), slice_of(value), read_ms);
}

static struct slice
find(uint64_t name, int64_t now_ms)
{
	return cache_find(cache, name_of(&name), now_ms);
}

static void
test_a_value_counts_for_a_second(void **state UNUSED)
{
	assert_false(slice_present(find(1, NOW)));
	put(1, "one", NOW);
	assert_slice(find(1, NOW), "one");
	assert_slice(find(1, NOW + AGE_MS - 1), "one");
	assert_false(slice_present(find(1, NOW + AGE_MS)));
	assert_false(slice_present(find(2, NOW)));
}

static void
test_use_makes_nothing_younger(void **state UNUSED)
{
	put(1, "one", NOW);
	for (int64_t now = NOW; now < NOW + AGE_MS; now += 100)
		assert_true(slice_present(find(1, now)));
	assert_false(slice_present(find(1, NOW + AGE_MS)));
}

static void
test_a_newer_value_takes_the_place(void **state UNUSED)
{
	put(1, "one", NOW);
	put(1, "uno", NOW + AGE_MS);
	assert_slice(find(1, NOW + AGE_MS), "uno");
	put(1, "", NOW + AGE_MS);
	assert_true(slice_present(find(1, NOW + AGE_MS)));
	assert_slice(find(1, NOW + AGE_MS), "");
}

static void
test_names_are_compared_wholly(void **state UNUSED)
{
	char name[CACHE_NAME_MAX] = { 0 };
	cache_put(cache, (struct slice){ name, CACHE_NAME_MAX }, SLICE("long"), NOW);
	cache_put(cache, (struct slice){ name, 8 }, SLICE("short"), NOW);
	assert_slice(cache_find(cache, (struct slice){ name, CACHE_NAME_MAX }, NOW), "long");
	assert_slice(cache_find(cache, (struct slice){ name, 8 }, NOW), "short");
	name[CACHE_NAME_MAX - 1] = 1;
	assert_false(slice_present(cache_find(cache, (struct slice){ name, CACHE_NAME_MAX }, NOW)));
}

static void
test_the_one_longest_unused_leaves(void **state UNUSED)
{
	for (uint64_t name = 0; name < ENTRIES; name++)
		put(name, "value", NOW);
	assert_true(slice_present(find(0, NOW)));
	put(ENTRIES, "new", NOW);
	assert_true(slice_present(find(0, NOW)));
	assert_false(slice_present(find(1, NOW)));
	assert_slice(find(ENTRIES, NOW), "new");
	for (uint64_t name = 2; name < ENTRIES; name++)
		assert_true(slice_present(find(name, NOW)));
}

static void
test_large_values_are_bounded_together(void **state UNUSED)
{
	enum { EACH = BYTES / 4 };
	char *text = calloc(1, BYTES + 1);
	for (uint64_t name = 0; name < 6; name++)
		cache_put(cache, name_of(&name), (struct slice){ text, EACH }, NOW);
	for (uint64_t name = 0; name < 6; name++)
		assert_int_equal(slice_present(find(name, NOW)), name >= 2);
	uint64_t name = 9;
	cache_put(cache, name_of(&name), (struct slice){ text, BYTES }, NOW);
	assert_int_equal(find(9, NOW).size, BYTES);
	assert_false(slice_present(find(5, NOW)));
	cache_put(cache, name_of(&name), (struct slice){ text, BYTES + 1 }, NOW);
	assert_false(slice_present(find(9, NOW)));
	put(1, "one", NOW);
	assert_slice(find(1, NOW), "one");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_value_counts_for_a_second, begin, end),
		cmocka_unit_test_setup_teardown(test_use_makes_nothing_younger, begin, end),
		cmocka_unit_test_setup_teardown(test_a_newer_value_takes_the_place, begin, end),
		cmocka_unit_test_setup_teardown(test_names_are_compared_wholly, begin, end),
		cmocka_unit_test_setup_teardown(test_the_one_longest_unused_leaves, begin, end),
		cmocka_unit_test_setup_teardown(test_large_values_are_bounded_together, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
