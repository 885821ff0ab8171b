/* SPDX-License-Identifier: MIT
 * A leaderboard as JSON (docs/api.md 4.1.2), optionally with the row of an additional lead, and a cache of boards. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cache.h"
#include "base/pool.h"
#include "base/slice.h"
#include "engine/command.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "store/store.h"

struct board_row {
	uint32_t score, subscription_number, rank;
	size_t end; /* offset of its end in the board's JSON */
};

struct board {
	struct slice json; /* an array */
	const struct board_row *rows;
	size_t count;
};

/* `leads` are sorted by score, then by sign-up. The board is in the pool. Returns false when it exceeds `max_bytes`. */
MUST_CHECK bool board_write(struct pool *pool, const struct lead *leads, size_t count, const struct standing_view *view,
    size_t max_bytes, struct board *board);

/* Returns the JSON of a board of at most `limit` rows, with the row `standing` of a lead that is not on it. */
struct slice board_with_lead(
    struct pool *pool, const struct board *board, size_t limit, const struct lead_place *place, struct slice standing);

/* The cache of boards holds a few small ones; others are written for each request. */
enum { BOARDS_MAX = 16, BOARDS_MAX_BYTES = 256 * 1024, BOARD_MAX_BYTES = 64 * 1024 };
/* Its bytes are the name in the cache, so it must have no padding. */
struct board_key {
	uint64_t campaign_id;
	struct campaign_versions versions; /* read before the leaders */
	uint32_t limit;
	uint32_t full;  /* the view, as a boolean */
	uint64_t style; /* the number from board_style */
	/* settings of the campaign as the request knows them; they may be older than the versions */
	uint32_t names, hides_unverified;
};
_Static_assert(sizeof(struct board_key) == 6 * sizeof(uint64_t), "no padding");
/* The number of a style in which boards are cached; 0 for the plain style. Returns false for other styles: clients could make
 * up custom fields and URLs that would displace all other boards. */
MUST_CHECK bool board_style(const struct standing_style *style, uint64_t *number);
/* Whether the avatar server knows this keyword. */
MUST_CHECK bool board_avatar_keyword(struct slice text, uint64_t *number);
struct cache *boards_new(void);
/* Returns false when the board is not in the cache. The board is valid until the next boards_put. */
MUST_CHECK bool boards_find(struct cache *boards, const struct board_key *key, int64_t now_ms, struct board *found);
/* Stores a copy of the board unless it is large. */
void boards_put(struct cache *boards, const struct board_key *key, const struct board *board, int64_t now_ms);
