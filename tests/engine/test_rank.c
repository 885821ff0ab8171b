/* SPDX-License-Identifier: MIT
 * Ranks from the histogram equal ranks from counting (docs/api.md 4.5, contest_score_rank). */
#include "unit.h"

#include "engine/rank.h"

static const uint32_t scores[] = { 0, 1, 1, 2, 255, 256, 257, 65535, 65536, 65537, 16777215, 16777216, 4294967294U, 4294967295U,
	70000, 70000, 70001 };

static size_t
rows_of(uint64_t campaign_id, struct rank_node *rows)
{
	size_t count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(scores); i++) {
		struct rank_place places[RANK_LEVELS];
		rank_places(campaign_id, scores[i], places);
		for (size_t k = 0; k < RANK_LEVELS; k++) {
			struct rank_node *row = rank_find(rows, count, places[k].node);
			if (row == NULL) {
				rows[count++] = (struct rank_node){ .node = places[k].node };
				rank_sort(rows, count);
				row = rank_find(rows, count, places[k].node);
			}
			row->leads[places[k].bucket]++;
		}
	}
	return count;
}

static void
a_rank_is_the_number_of_higher_scores(void **state)
{
	(void)state;
	struct rank_node rows[2 * RANK_LEVELS * ARRAY_SIZE(scores)];
	size_t count = rows_of(7, rows);
	count += rows_of(8, rows + count);
	for (size_t i = 0; i < ARRAY_SIZE(scores); i++) {
		uint64_t above = 0;
		for (size_t k = 0; k < ARRAY_SIZE(scores); k++)
			above += scores[k] > scores[i];
		assert_int_equal(rank_leads_above(rows, count, 7, scores[i]), above);
		assert_int_equal(rank_leads_above(rows, count, 8, scores[i]), above);
		uint64_t same = 0;
		for (size_t k = 0; k < ARRAY_SIZE(scores); k++)
			same += scores[k] == scores[i];
		assert_int_equal(rank_leads_at(rows, count, 7, scores[i]), same);
	}
	assert_int_equal(rank_leads_above(rows, count, 7, 3), ARRAY_SIZE(scores) - 4);
	assert_int_equal(rank_leads_above(rows, count, 9, 0), 0);
	assert_int_equal(rank_leads_at(rows, count, 9, 1), 0);
}

/* Nodes of different campaigns, levels or prefixes have different numbers. */
static void
places_are_distinct(void **state)
{
	(void)state;
	static const uint32_t some[] = { 0, 0x10000000, 0x00100000, 0x00000010, 0xf0000000, 0xffffffff };
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		struct rank_place places[RANK_LEVELS];
		rank_places(5, some[i], places);
		for (unsigned k = 0; k < RANK_LEVELS; k++) {
			assert_int_equal(places[k].bucket, some[i] >> (28 - 4 * k) & 0xf);
			assert_true(places[k].node >= rank_first_node(5) && places[k].node < rank_first_node(6));
			assert_true(k == 0 || places[k].node > places[k - 1].node);
		}
	}
	struct rank_place low[RANK_LEVELS], high[RANK_LEVELS];
	rank_places(5, 0x0fffffff, low);
	rank_places(5, 0x10000000, high);
	for (unsigned k = 1; k < RANK_LEVELS; k++)
		assert_int_not_equal(low[k].node, high[k].node);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_is_the_number_of_higher_scores),
		cmocka_unit_test(places_are_distinct),
	};
	return cmocka_run_group_tests_name("engine/rank", tests, NULL, NULL);
}
