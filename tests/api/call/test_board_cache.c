/* SPDX-License-Identifier: MIT
 * The cache of leaderboards: entries are valid for one kind of request and version, for a limited time; sizes are limited.
 * Modules: api/call/board. */
#include "unit.h"

#include <string.h>

#include "api/call/board.h"

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
	cache_free((struct cache **)state);
	assert_null(*state);
	cache_free((struct cache **)state);
	return 0;
}

static struct board_key
board_of(uint64_t campaign)
{
	return (struct board_key){ campaign, versions, 50, true, 0, 0, 0 };
}

static void
put(struct cache *boards, uint64_t campaign, size_t bytes)
{
	struct board_key key = board_of(campaign);
	boards_put(boards, &key, &(struct board){ .json = { filler, bytes } }, 0);
}

static bool
is_cached(struct cache *boards, uint64_t campaign)
{
	struct board_key key = board_of(campaign);
	struct board found;
	return boards_find(boards, &key, 0, &found);
}

static void
assert_found(struct cache *boards, const struct board_key *key, const struct board *wanted)
{
	struct board found;
	assert_true(boards_find(boards, key, 0, &found));
	assert_true(slice_equal(found.json, wanted->json) && found.count == wanted->count);
	for (size_t i = 0; i < found.count; i++)
		assert_true(found.rows[i].score == wanted->rows[i].score && found.rows[i].end == wanted->rows[i].end &&
			    found.rows[i].subscription_number == wanted->rows[i].subscription_number &&
			    found.rows[i].rank == wanted->rows[i].rank);
}

static void
a_board_is_found_by_its_key(void **state)
{
	struct cache *boards = *state;
	const struct board_key keys[] = { { 1, versions, 50, true, 0, 0, 0 }, { 2, versions, 50, true, 0, 0, 0 },
		{ 1, versions, 10, true, 0, 0, 0 }, { 1, versions, 50, false, 0, 0, 0 }, { 1, versions, 50, true, 1, 0, 0 },
		{ 1, versions, 50, true, 0, 1, 0 }, { 1, versions, 50, true, 0, 0, 1 } };
	const struct board_row rows[] = { { 9, 2, 1, 2 }, { 7, 1, 2, 4 } };
	const struct board boards_made[] = { { SLICE("[1]"), rows, 1 }, { SLICE("[22]"), NULL, 0 }, { SLICE("[3,3]"), rows, 2 },
		{ SLICE("[4444]"), rows + 1, 1 }, { SLICE("[55555]"), NULL, 0 }, { SLICE("[6,6,6]"), NULL, 0 },
		{ SLICE("[7]"), NULL, 0 } };
	const struct board empty = { .json = SLICE("[]") };
	struct board found;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_false(boards_find(boards, &keys[i], 0, &found));
		boards_put(boards, &keys[i], &boards_made[i], 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_found(boards, &keys[i], &boards_made[i]);
	/* a new board replaces the old one */
	boards_put(boards, &keys[1], &empty, 0);
	assert_found(boards, &keys[1], &empty);
	assert_found(boards, &keys[2], &boards_made[2]);
}

/* docs/api.md 4.1.2: styles that clients make up are not cached, so they displace nothing. */
static void
styles_have_numbers_of_their_own(void **state UNUSED)
{
	const struct slice texts[] = { SLICE_NONE, SLICE("first_name"), SLICE("full_name"), SLICE("social_id") },
			   avatars[] = { SLICE_NONE, SLICE("mp"), SLICE("identicon"), SLICE("404") };
	uint64_t numbers[ARRAY_SIZE(texts) * ARRAY_SIZE(avatars)];
	size_t count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(avatars); k++, count++) {
			const struct standing_style style = { texts[i], avatars[k], .personal = (i + k) % 2 == 0 };
			assert_true(board_style(&style, &numbers[count]));
			for (size_t other = 0; other < count; other++)
				assert_true(numbers[other] != numbers[count]);
		}
	assert_int_equal(numbers[0], 0);
	uint64_t number;
	assert_false(board_style(&(struct standing_style){ .description = SLICE("plan") }, &number));
	assert_false(board_style(&(struct standing_style){ .avatar_default = SLICE("https://x.example/") }, &number));
}

static void
a_board_holds_for_its_versions_and_a_while(void **state)
{
	static const struct campaign_versions others[] = { { 3, 6 }, { 4, 5 }, { 5, 3 }, { 3, 4 }, { 2, 5 } };
	struct cache *boards = *state;
	struct board_key key = board_of(1);
	struct board found;
	boards_put(boards, &key, &(struct board){ .json = SLICE("[1]") }, 10000);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		key.versions = others[i];
		assert_false(boards_find(boards, &key, 10000, &found));
	}
	key.versions = versions;
	assert_true(boards_find(boards, &key, 10000 + STORE_FRESH_MS - 1, &found));
	assert_false(boards_find(boards, &key, 10000 + STORE_FRESH_MS, &found));
}

static void
the_least_recently_used_is_dropped_first(void **state)
{
	struct cache *boards = *state;
	for (uint64_t campaign = 1; campaign <= BOARDS_MAX; campaign++)
		put(boards, campaign, 100);
	assert_true(is_cached(boards, 1));
	put(boards, BOARDS_MAX + 1, 100);
	put(boards, BOARDS_MAX + 2, 100);
	assert_true(is_cached(boards, 1) && !is_cached(boards, 2) && !is_cached(boards, 3));
	for (uint64_t campaign = 4; campaign <= BOARDS_MAX + 2; campaign++)
		assert_true(is_cached(boards, campaign));
}

static void
the_size_of_boards_is_limited(void **state)
{
	enum { FULL = BOARDS_MAX_BYTES / BOARD_MAX_BYTES, LARGEST = BOARD_MAX_BYTES - sizeof(size_t) };
	struct cache *boards = *state;
	for (uint64_t campaign = 1; campaign <= FULL; campaign++)
		put(boards, campaign, LARGEST);
	for (uint64_t campaign = 1; campaign <= FULL; campaign++)
		assert_true(is_cached(boards, campaign));
	put(boards, FULL + 1, 1);
	assert_true(!is_cached(boards, 1) && is_cached(boards, 2) && is_cached(boards, FULL + 1));
	/* a board that is too large is not stored, and its predecessor is removed */
	put(boards, 2, LARGEST + 1);
	put(boards, FULL + 2, LARGEST + 1);
	assert_true(!is_cached(boards, 2) && !is_cached(boards, FULL + 2) && is_cached(boards, 3));
	/* removed boards make room */
	put(boards, 1, LARGEST);
	assert_true(is_cached(boards, 1) && is_cached(boards, 3) && is_cached(boards, FULL + 1));
}

#define BOARDS_TEST(name) cmocka_unit_test_setup_teardown(name, open_boards, close_boards)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BOARDS_TEST(a_board_is_found_by_its_key),
		BOARDS_TEST(styles_have_numbers_of_their_own),
		BOARDS_TEST(a_board_holds_for_its_versions_and_a_while),
		BOARDS_TEST(the_least_recently_used_is_dropped_first),
		BOARDS_TEST(the_size_of_boards_is_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
