/* SPDX-License-Identifier: MIT */
#include "api/call/board.h"

#include "base/buffer.h"
#include "engine/payload.h"
#include "json/writer.h"

bool
board_write(struct pool *pool, const struct lead *leads, size_t count, const struct standing_view *view, size_t max_bytes,
    struct board *board)
{
	struct board_row *rows = POOL_ARRAY(pool, count, struct board_row);
	struct buffer text;
	struct json_writer writer;
	uint32_t rank = 1;
	buffer_init(&text, max_bytes);
	json_writer_init(&writer, &text);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && leads[i].score < leads[i - 1].score)
			rank = (uint32_t)i + 1; /* equal scores share a rank */
		payload_write_standing(&writer, pool, &leads[i], rank, view);
		rows[i] = (struct board_row){ leads[i].score, leads[i].subscription_number, rank, text.size };
	}
	json_end_array(&writer);
	bool ok = buffer_ok(&text);
	*board = (struct board){ ok ? pool_copy(pool, buffer_slice(&text)) : SLICE_NONE, rows, count };
	buffer_free(&text);
	return ok;
}

/* The JSON of a row, without the bracket or comma before it. */
static struct slice
row_json(const struct board *board, size_t row)
{
	size_t begin = row == 0 ? 1 : board->rows[row - 1].end + 1;
	return slice_sub(board->json, begin, board->rows[row].end);
}

static bool
is_before(const struct board_row *row, const struct lead_place *place)
{
	return row->score > place->score ||
	       (row->score == place->score && row->subscription_number < place->subscription_number);
}

/* The row with the rank that it has once the lead is on the board. */
static struct slice
row_beside(struct pool *pool, const struct board *board, size_t row, const struct lead_place *place)
{
	struct slice json = row_json(board, row);
	bool is_lower = board->rows[row].score < place->score;
	return is_lower ? payload_standing_with_rank(pool, json, board->rows[row].rank + 1) : json;
}

struct slice
board_with_lead(
    struct pool *pool, const struct board *board, size_t limit, const struct lead_place *place, struct slice standing)
{
	size_t before = 0, rows = board->count < limit ? board->count + 1 : limit, count = 0;
	while (before < board->count && is_before(&board->rows[before], place))
		before++;
	if (before == rows)
		return board->json;
	struct slice *pieces = POOL_ARRAY(pool, 2 * rows + 1, struct slice);
	for (size_t i = 0; i < rows; i++) {
		pieces[count++] = i == 0 ? SLICE("[") : SLICE(",");
		pieces[count++] = i == before ? standing : row_beside(pool, board, i < before ? i : i - 1, place);
	}
	pieces[count++] = SLICE("]");
	return pool_join(pool, pieces, count);
}

/* Finds the text in a list. Its number starts from 1. */
static bool
find_number(const struct slice *texts, size_t count, struct slice text, uint64_t *number)
{
	for (*number = 1; *number <= count; ++*number)
		if (slice_equal(text, texts[*number - 1]))
			return true;
	return false;
}

bool
board_avatar_keyword(struct slice text, uint64_t *number)
{
	static const struct slice keywords[] = { SLICE("mp"), SLICE("mm"), SLICE("identicon"), SLICE("monsterid"),
		SLICE("wavatar"), SLICE("retro"), SLICE("robohash"), SLICE("blank"), SLICE("404") };
	return find_number(keywords, ARRAY_SIZE(keywords), text, number);
}

bool
board_style(const struct standing_style *style, uint64_t *number)
{
	enum { DESCRIPTIONS = 3 };
	static const struct slice descriptions[DESCRIPTIONS] = { SLICE("first_name"), SLICE("full_name"), SLICE("social_id") };
	uint64_t text = 0, avatar = 0;
	if (slice_present(style->description) && !find_number(descriptions, DESCRIPTIONS, style->description, &text))
		return false;
	if (slice_present(style->avatar_default) && !board_avatar_keyword(style->avatar_default, &avatar))
		return false;
	*number = avatar * (DESCRIPTIONS + 1) + text;
	return true;
}

/* A cached value consists of the number of rows, the rows and the JSON. */
enum { HEAD_BYTES = sizeof(size_t) };

struct cache *
boards_new(void)
{
	return cache_new(&(struct cache_limits){
	    .entries = BOARDS_MAX, .bytes = BOARDS_MAX_BYTES, .value_bytes = BOARD_MAX_BYTES, .age_ms = STORE_FRESH_MS });
}

static struct slice
bytes_of(const void *data, size_t size)
{
	return (struct slice){ data, size };
}

bool
boards_find(struct cache *boards, const struct board_key *key, int64_t now_ms, struct board *found)
{
	struct slice value = cache_find(boards, bytes_of(key, sizeof(*key)), now_ms);
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
	struct buffer value;
	buffer_init(&value, HEAD_BYTES + board->count * sizeof(*board->rows) + board->json.size);
	buffer_add(&value, bytes_of(&board->count, HEAD_BYTES));
	buffer_add(&value, bytes_of(board->rows, board->count * sizeof(*board->rows)));
	buffer_add(&value, board->json);
	cache_put(boards, bytes_of(key, sizeof(*key)), buffer_slice(&value), now_ms);
	buffer_free(&value);
}
