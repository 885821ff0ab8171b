/* SPDX-License-Identifier: MIT
 * Pools, whose memory is freed all at once. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/pool.h"

static void
a_pool_allocates_small_and_large_pieces(void **state UNUSED)
{
	struct pool *pool = pool_new();
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		char *piece = pool_alloc(pool, size);
		assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
		assert_int_equal(piece[size - 1], 0);
		memset(piece, 'x', size);
	}
	pool_reset(pool);
	assert_int_equal(*(char *)pool_alloc(pool, 1), 0);
	assert_slice(pool_printf(pool, "%d-%s", 7, "x"), "7-x");
	struct slice joined = POOL_JOIN(pool, SLICE("a"), SLICE_NONE, SLICE("bc"), SLICE(""));
	assert_slice(joined, "abc");
	assert_int_equal(joined.data[joined.size], 0);
	assert_true(slice_present(pool_join(pool, NULL, 0)) && pool_join(pool, NULL, 0).size == 0);
	assert_false(slice_present(pool_copy(pool, SLICE_NONE)));
	assert_true(slice_present(pool_copy(pool, SLICE(""))));
	pool_free(&pool);
	assert_null(pool);
}

/* No part of a secret remains. */
static void
a_pool_overwrites_freed_memory(void **state UNUSED)
{
	struct pool *pool = pool_new();
	char *first = pool_bytes(pool, 4000);
	memset(first, 'x', 4000);
	pool_reset(pool);
	const bool again = pool_bytes(pool, 4000) == first; /* false with an address sanitizer, which tracks each allocation */
	for (size_t i = 0; again && i < 4000; i++)
		assert_int_equal(first[i], 0);
	pool_free(&pool);
	if (!again)
		puts("# skipped: no piece is used again here");
}

/* docs/architecture.md 7.4: freed memory is counted, so that it can be returned to the system. */
static void
pools_count_what_they_free(void **state UNUSED)
{
	enum { LARGE = 1024 * 1024 };
	struct pool *pool = pool_new(), *other = pool_new();
	(void)memory_freed();
	assert_int_equal(memory_freed(), 0);
	memset(pool_bytes(pool, LARGE), 'x', LARGE);
	assert_int_equal(memory_freed(), 0); /* the memory is in use */
	pool_reset(pool);
	assert_in_range(memory_freed(), LARGE, LARGE + LARGE / 8);
	assert_int_equal(memory_freed(), 0); /* nothing was freed since the last call */
	for (int i = 0; i < 4; i++) {
		memset(pool_bytes(pool, LARGE), 'x', LARGE);
		memset(pool_bytes(other, LARGE), 'x', LARGE);
		pool_reset(pool);
		pool_reset(other);
	}
	assert_in_range(memory_freed(), 2 * LARGE, 2 * LARGE + LARGE / 8); /* what was in use at the same time counts */
	pool_free(&pool);
	pool_free(&other);
	memory_trim();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_allocates_small_and_large_pieces),
		cmocka_unit_test(a_pool_overwrites_freed_memory),
		cmocka_unit_test(pools_count_what_they_free),
	};
	return cmocka_run_group_tests_name("base/pool", tests, NULL, NULL);
}
