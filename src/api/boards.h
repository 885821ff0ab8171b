/* SPDX-License-Identifier: MIT
 * A cache of leaderboards (base/cache.h): few and small ones; all others are written for each request. */
#ifndef LEADHOOK_API_BOARDS_H
#define LEADHOOK_API_BOARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/board.h"
#include "base/cache.h"
#include "store/store.h"

/* All that shapes one. */
struct board_key {
	uint64_t campaign_id;
	struct campaign_versions versions; /* from before the leaders were read */
	size_t limit;
	bool full; /* the view */
};

enum { BOARDS_MAX = 16, BOARDS_MAX_BYTES = 256 * 1024, BOARD_MAX_BYTES = 64 * 1024 };

struct cache *boards_new(void);

/* False when it is not in the cache. Valid until the next boards_put. */
MUST_CHECK bool boards_find(struct cache *boards, const struct board_key *key, int64_t now_ms, struct board *found);
/* Stores a copy, unless it is large. */
void boards_put(struct cache *boards, const struct board_key *key, const struct board *board, int64_t now_ms);

#endif
