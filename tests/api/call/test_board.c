/* SPDX-License-Identifier: MIT
 * A leaderboard as JSON, without and with the row of a lead that is not on it, which is added as if it had been among the
 * leaders (docs/api.md 4.1.2). */
#include "unit.h"

#include <stdlib.h>

#include "api/call/board.h"
#include "base/buffer.h"
#include "engine/payload.h"

static const struct standing_view plain = { .full = false };

enum { LEADS = 8, MAX_BYTES = 4096 };

static struct lead
lead_of(struct pool *pool, uint32_t score, uint32_t number)
{
	return (struct lead){ .social_id = pool_printf(pool, "%010u", (unsigned)number),
		.email = SLICE("a@x.org"),
		.score = score,
		.subscription_number = number };
}

static int
compare(const void *left, const void *right)
{
	const struct lead *a = left, *b = right;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->subscription_number < b->subscription_number ? -1 : 1;
}

static struct board
written(struct pool *pool, const struct lead *leads, size_t count)
{
	struct board board;
	assert_true(board_write(pool, leads, count, &plain, MAX_BYTES, &board));
	return board;
}

/* The row as a look-up returns it: the rank is 1 plus the number of leads with a higher score. */
static struct slice
standing_of(struct pool *pool, const struct lead *lead, const struct lead *others, size_t count)
{
	struct buffer text;
	struct json_writer writer;
	uint64_t rank = 1;
	for (size_t i = 0; i < count; i++)
		rank += others[i].score > lead->score;
	buffer_init(&text, MAX_BYTES);
	json_writer_init(&writer, &text);
	payload_write_standing(&writer, pool, lead, rank, &plain);
	struct slice json = pool_copy(pool, buffer_slice(&text));
	buffer_free(&text);
	return json;
}

static void
a_board_ranks_its_leads(void **state UNUSED)
{
	struct pool *pool = pool_new();
	const struct lead leads[] = { lead_of(pool, 9, 2), lead_of(pool, 9, 3), lead_of(pool, 0, 1) };
	assert_slice(written(pool, leads, 0).json, "[]");
	assert_slice(written(pool, leads, 3).json,
	    "[{\"rank\":1,\"social_id\":\"0000000002\",\"display_name\":\"a***\",\"contest_score\":9},"
	    "{\"rank\":1,\"social_id\":\"0000000003\",\"display_name\":\"a***\",\"contest_score\":9},"
	    "{\"rank\":3,\"social_id\":\"0000000001\",\"display_name\":\"a***\",\"contest_score\":0}]");
	struct board board;
	assert_false(board_write(pool, leads, 3, &plain, 100, &board));
	pool_free(&pool);
}

/* For every number of equal scores and every limit, each lead in turn is removed and added again. */
static void
a_lead_is_added_in_its_place(void **state UNUSED)
{
	for (uint32_t equal = 1; equal <= LEADS; equal++)
		for (size_t out = 0; out < LEADS; out++) {
			struct pool *pool = pool_new();
			struct lead all[LEADS], others[LEADS - 1];
			for (uint32_t i = 0; i < LEADS; i++)
				all[i] = lead_of(pool, i / equal * 2, (i * 5 + 3) % LEADS + 1);
			qsort(all, LEADS, sizeof(*all), compare);
			for (size_t i = 0; i + 1 < LEADS; i++)
				others[i] = all[i < out ? i : i + 1];
			struct slice standing = standing_of(pool, &all[out], others, LEADS - 1);
			const struct lead_place place = { all[out].score, all[out].subscription_number, true };
			for (size_t limit = 1; limit <= LEADS + 1; limit++) {
				struct board board = written(pool, others, limit < LEADS - 1 ? limit : LEADS - 1);
				struct board wanted = written(pool, all, limit < LEADS ? limit : LEADS);
				struct slice before = pool_copy(pool, board.json);
				assert_slices_equal(board_with_lead(pool, &board, limit, &place, standing), wanted.json);
				assert_slices_equal(board.json, before);
			}
			pool_free(&pool);
		}
}

static void
a_lead_is_added_to_an_empty_board(void **state UNUSED)
{
	struct pool *pool = pool_new();
	const struct lead lead = lead_of(pool, 0, 1);
	struct board empty = written(pool, &lead, 0);
	struct slice standing = standing_of(pool, &lead, &lead, 0);
	assert_slices_equal(
	    board_with_lead(pool, &empty, 1, &(struct lead_place){ 0, 1, true }, standing), written(pool, &lead, 1).json);
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_board_ranks_its_leads),
		cmocka_unit_test(a_lead_is_added_in_its_place),
		cmocka_unit_test(a_lead_is_added_to_an_empty_board),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
