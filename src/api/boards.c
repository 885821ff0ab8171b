/* SPDX-License-Identifier: MIT */
#include "api/boards.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

struct cached_board {
	struct board_key key;
	struct campaign_versions versions;
	int64_t read_ms;
	uint64_t used; /* by the count of uses */
	struct board board;
	void *memory; /* of `size` bytes: the rows, then the JSON */
	size_t size;
};

struct boards {
	struct cached_board items[BOARDS_MAX];
	size_t count, bytes;
	uint64_t uses;
};

struct boards *
boards_new(void)
{
	return memory_alloc(sizeof(struct boards));
}

static void
drop(struct boards *boards, struct cached_board *board)
{
	boards->bytes -= board->size;
	free(board->memory);
	*board = boards->items[--boards->count];
}

void
boards_free(struct boards **boards)
{
	while (*boards != NULL && (*boards)->count > 0)
		drop(*boards, (*boards)->items);
	free(*boards);
	*boards = NULL;
}

static struct cached_board *
find(struct boards *boards, const struct board_key *key)
{
	for (size_t i = 0; i < boards->count; i++) {
		const struct board_key *other = &boards->items[i].key;
		if (other->campaign_id == key->campaign_id && other->limit == key->limit && other->full == key->full)
			return &boards->items[i];
	}
	return NULL;
}

bool
boards_find(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions, int64_t now_ms,
    struct board *found)
{
	struct cached_board *board = find(boards, key);
	if (board == NULL || board->versions.settings != versions->settings || board->versions.leads != versions->leads ||
	    now_ms - board->read_ms >= STORE_FRESH_MS)
		return false;
	board->used = ++boards->uses;
	*found = board->board;
	return true;
}

static void
drop_oldest(struct boards *boards)
{
	struct cached_board *oldest = boards->items;
	for (size_t i = 1; i < boards->count; i++)
		if (boards->items[i].used < oldest->used)
			oldest = &boards->items[i];
	drop(boards, oldest);
}

static struct cached_board
copy(const struct board *board, size_t size)
{
	size_t row_bytes = board->count * sizeof(*board->rows);
	struct board_row *rows = memory_alloc(size);
	char *json = (char *)rows + row_bytes;
	if (row_bytes > 0)
		memcpy(rows, board->rows, row_bytes);
	memcpy(json, board->json.data, board->json.size);
	return (
	    struct cached_board){ .board = { { json, board->json.size }, rows, board->count }, .memory = rows, .size = size };
}

void
boards_keep(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions,
    const struct board *board, int64_t now_ms)
{
	struct cached_board *old = find(boards, key);
	size_t size = board->json.size + board->count * sizeof(*board->rows);
	if (old != NULL)
		drop(boards, old);
	if (size > BOARD_MAX_BYTES)
		return;
	while (boards->count == BOARDS_MAX || boards->bytes + size > BOARDS_MAX_BYTES)
		drop_oldest(boards);
	struct cached_board *made = &boards->items[boards->count++];
	*made = copy(board, size);
	made->key = *key;
	made->versions = *versions;
	made->read_ms = now_ms;
	made->used = ++boards->uses;
	boards->bytes += size;
}
