/* SPDX-License-Identifier: MIT
 * A leaderboard as JSON (docs/api.md 4.1.2), and the same with the row of one more lead. */
#ifndef LEADHOOK_API_BOARD_H
#define LEADHOOK_API_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"
#include "engine/command.h"
#include "engine/model.h"

struct board_row {
	uint32_t score, subscription_number, rank;
	size_t end; /* of its JSON, in that of the board */
};

struct board {
	struct slice json; /* an array */
	const struct board_row *rows;
	size_t count;
};

/* `leads` by score, then by sign-up. The board is in the pool. False when it has more than `max_bytes`. */
MUST_CHECK bool board_write(
    struct pool *pool, const struct lead *leads, size_t count, bool full, size_t max_bytes, struct board *board);

/* The JSON of a board of at most `limit` rows with the row of a lead that is not on it. `standing` is that row. */
struct slice board_with_lead(
    struct pool *pool, const struct board *board, size_t limit, const struct lead_place *place, struct slice standing);

#endif
