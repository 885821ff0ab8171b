/* SPDX-License-Identifier: MIT
 * Leaderboards that are kept: each only for what was asked, at its versions, for a while; and how much is kept at most. */
#include "unit.h"

#include <string.h>

#include "api/boards.h"

static const struct campaign_versions versions = { 3, 5 };
static char filler[BOARD_MAX_BYTES + 1];

static int
open_boards(void **state)
{
	memset(filler, 'x', sizeof(filler));
	*state = boards_new();
	return 0;
}

static int
close_boards(void **state)
{
	boards_free((struct boards **)state);
	assert_null(*state);
	boards_free((struct boards **)state);
	return 0;
}

static struct board_key
board_of(uint64_t campaign)
{
	return (struct board_key){ campaign, 50, true };
}

static void
keep(struct boards *boards, uint64_t campaign, size_t bytes)
{
	struct board_key key = board_of(campaign);
	boards_keep(boards, &key, &versions, (struct slice){ filler, bytes }, 0);
}

static bool
is_kept(struct boards *boards, uint64_t campaign)
{
	struct board_key key = board_of(campaign);
	return slice_present(boards_find(boards, &key, &versions, 0));
}

static void
a_board_is_found_by_all_that_shapes_it(void **state)
{
	struct boards *boards = *state;
	const struct board_key keys[] = { { 1, 50, true }, { 2, 50, true }, { 1, 10, true }, { 1, 50, false } };
	const struct slice texts[] = { SLICE("[1]"), SLICE("[22]"), SLICE("[333]"), SLICE("[4444]") };
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_false(slice_present(boards_find(boards, &keys[i], &versions, 0)));
		boards_keep(boards, &keys[i], &versions, texts[i], 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_true(slice_equal(boards_find(boards, &keys[i], &versions, 0), texts[i]));
	/* what is written anew takes the place of the old one */
	boards_keep(boards, &keys[1], &versions, SLICE("[]"), 0);
	assert_true(slice_equal(boards_find(boards, &keys[1], &versions, 0), SLICE("[]")));
	assert_true(slice_equal(boards_find(boards, &keys[2], &versions, 0), texts[2]));
}

static void
a_board_holds_for_its_versions_and_a_while(void **state)
{
	static const struct campaign_versions others[] = { { 3, 6 }, { 4, 5 }, { 5, 3 }, { 3, 4 }, { 2, 5 } };
	struct boards *boards = *state;
	struct board_key key = board_of(1);
	boards_keep(boards, &key, &versions, SLICE("[1]"), 10000);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(slice_present(boards_find(boards, &key, &others[i], 10000)));
	assert_true(slice_present(boards_find(boards, &key, &versions, 10000 + STORE_FRESH_MS - 1)));
	assert_false(slice_present(boards_find(boards, &key, &versions, 10000 + STORE_FRESH_MS)));
}

static void
the_one_that_nobody_asks_for_goes_first(void **state)
{
	struct boards *boards = *state;
	for (uint64_t campaign = 1; campaign <= BOARDS_MAX; campaign++)
		keep(boards, campaign, 100);
	assert_true(is_kept(boards, 1));
	keep(boards, BOARDS_MAX + 1, 100);
	keep(boards, BOARDS_MAX + 2, 100);
	assert_true(is_kept(boards, 1) && !is_kept(boards, 2) && !is_kept(boards, 3));
	for (uint64_t campaign = 4; campaign <= BOARDS_MAX + 2; campaign++)
		assert_true(is_kept(boards, campaign));
}

static void
boards_have_a_maximum_together_and_each(void **state)
{
	enum { FULL = BOARDS_MAX_BYTES / BOARD_MAX_BYTES };
	struct boards *boards = *state;
	for (uint64_t campaign = 1; campaign <= FULL; campaign++)
		keep(boards, campaign, BOARD_MAX_BYTES);
	for (uint64_t campaign = 1; campaign <= FULL; campaign++)
		assert_true(is_kept(boards, campaign));
	keep(boards, FULL + 1, 1);
	assert_true(!is_kept(boards, 1) && is_kept(boards, 2) && is_kept(boards, FULL + 1));
	/* one that is too large is not kept, nor what it was before it grew */
	keep(boards, 2, BOARD_MAX_BYTES + 1);
	keep(boards, FULL + 2, BOARD_MAX_BYTES + 1);
	assert_true(!is_kept(boards, 2) && !is_kept(boards, FULL + 2) && is_kept(boards, 3));
	/* what has gone makes room */
	keep(boards, 1, BOARD_MAX_BYTES);
	assert_true(is_kept(boards, 1) && is_kept(boards, 3) && is_kept(boards, FULL + 1));
}

#define BOARDS_TEST(name) cmocka_unit_test_setup_teardown(name, open_boards, close_boards)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BOARDS_TEST(a_board_is_found_by_all_that_shapes_it),
		BOARDS_TEST(a_board_holds_for_its_versions_and_a_while),
		BOARDS_TEST(the_one_that_nobody_asks_for_goes_first),
		BOARDS_TEST(boards_have_a_maximum_together_and_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
