/* SPDX-License-Identifier: MIT */
#include "api/boards.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

struct board {
	struct board_key key;
	struct campaign_versions versions;
	int64_t read_ms;
	uint64_t used; /* by the count of uses */
	char *text;
	size_t size;
};

struct boards {
	struct board items[BOARDS_MAX];
	size_t count, bytes;
	uint64_t uses;
};

struct boards *
boards_new(void)
{
	return memory_alloc(sizeof(struct boards));
}

static void
drop(struct boards *boards, struct board *board)
{
	boards->bytes -= board->size;
	free(board->text);
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

static struct board *
find(struct boards *boards, const struct board_key *key)
{
	for (size_t i = 0; i < boards->count; i++) {
		const struct board_key *other = &boards->items[i].key;
		if (other->campaign_id == key->campaign_id && other->limit == key->limit && other->full == key->full)
			return &boards->items[i];
	}
	return NULL;
}

struct slice
boards_find(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions, int64_t now_ms)
{
	struct board *board = find(boards, key);
	if (board == NULL || board->versions.settings != versions->settings || board->versions.leads != versions->leads ||
	    now_ms - board->read_ms >= STORE_FRESH_MS)
		return SLICE_NONE;
	board->used = ++boards->uses;
	return (struct slice){ board->text, board->size };
}

static void
drop_oldest(struct boards *boards)
{
	struct board *oldest = boards->items;
	for (size_t i = 1; i < boards->count; i++)
		if (boards->items[i].used < oldest->used)
			oldest = &boards->items[i];
	drop(boards, oldest);
}

void
boards_keep(struct boards *boards, const struct board_key *key, const struct campaign_versions *versions, struct slice text,
    int64_t now_ms)
{
	struct board *old = find(boards, key);
	if (old != NULL)
		drop(boards, old);
	if (text.size > BOARD_MAX_BYTES)
		return;
	while (boards->count == BOARDS_MAX || boards->bytes + text.size > BOARDS_MAX_BYTES)
		drop_oldest(boards);
	struct board *board = &boards->items[boards->count++];
	*board = (struct board){ *key, *versions, now_ms, ++boards->uses, memory_alloc(text.size), text.size };
	memcpy(board->text, text.data, text.size);
	boards->bytes += text.size;
}
