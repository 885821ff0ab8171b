/* SPDX-License-Identifier: MIT */
#include "api/boards.h"

#include "base/buffer.h"

/* A value: the number of rows, the rows, the JSON. */
enum { HEAD_BYTES = sizeof(size_t) };

struct cache *
boards_new(void)
{
	return cache_new(&(struct cache_limits){
	    .entries = BOARDS_MAX, .bytes = BOARDS_MAX_BYTES, .value_bytes = BOARD_MAX_BYTES, .age_ms = STORE_FRESH_MS });
}

struct name {
	uint64_t parts[5];
};

static struct name
name_of(const struct board_key *key)
{
	return (struct name){ { key->campaign_id, key->versions.settings, key->versions.leads, key->limit, key->full } };
}

static struct slice
bytes_of(const void *data, size_t size)
{
	return (struct slice){ data, size };
}

bool
boards_find(struct cache *boards, const struct board_key *key, int64_t now_ms, struct board *found)
{
	const struct name name = name_of(key);
	struct slice value = cache_find(boards, bytes_of(&name, sizeof(name)), now_ms);
	if (!slice_present(value))
		return false;
	const size_t *count = (const void *)value.data;
	const struct board_row *rows = (const void *)(count + 1);
	found->count = *count;
	found->rows = rows;
	found->json = slice_sub(value, HEAD_BYTES + *count * sizeof(*rows), value.size);
	return true;
}

void
boards_put(struct cache *boards, const struct board_key *key, const struct board *board, int64_t now_ms)
{
	const struct name name = name_of(key);
	struct buffer value;
	buffer_init(&value, HEAD_BYTES + board->count * sizeof(*board->rows) + board->json.size);
	buffer_add(&value, bytes_of(&board->count, HEAD_BYTES));
	buffer_add(&value, bytes_of(board->rows, board->count * sizeof(*board->rows)));
	buffer_add(&value, board->json);
	cache_put(boards, bytes_of(&name, sizeof(name)), buffer_slice(&value), now_ms);
	buffer_free(&value);
}
