/* SPDX-License-Identifier: MIT
 * Leaderboards as they were last written, kept by the process as long as nothing has changed that they show. Few and small
 * ones: whatever else is asked for is written anew. */
#ifndef LEADHOOK_API_BOARDS_H
#define LEADHOOK_API_BOARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/board.h"
#include "store/store.h"

struct boards;

/* All that shapes one. */
struct board_key {
	uint64_t campaign_id;
	size_t limit;
	bool full; /* the view */
};

enum { BOARDS_MAX = 16, BOARDS_MAX_BYTES = 256 * 1024, BOARD_MAX_BYTES = 64 * 1024 };

struct boards *boards_new(void);
/* *boards may be NULL, becomes NULL. */
void boards_free(struct boards **boards);

/* The board as it is while the campaign has these versions, valid until the next boards_keep; false when it is not known.
 * `now_ms`: clock_monotonic_ms, here and below. */
MUST_CHECK bool boards_find(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions,
    int64_t now_ms, struct board *found);
/* Keeps a copy, unless it is large, in the place of the ones that were not asked for the longest. `versions` are from before
 * the leaders were read. */
void boards_keep(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions,
    const struct board *board, int64_t now_ms);

#endif
