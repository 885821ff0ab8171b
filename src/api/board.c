/* SPDX-License-Identifier: MIT */
#include "api/board.h"

#include "base/buffer.h"
#include "engine/payload.h"
#include "json/writer.h"

bool
board_write(struct pool *pool, const struct lead *leads, size_t count, bool full, size_t max_bytes, struct board *board)
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
		payload_write_standing(&writer, pool, &leads[i], rank, full);
		rows[i] = (struct board_row){ leads[i].score, leads[i].subscription_number, rank, text.size };
	}
	json_end_array(&writer);
	bool ok = buffer_ok(&text);
	*board = (struct board){ ok ? pool_copy(pool, buffer_slice(&text)) : SLICE_NONE, rows, count };
	buffer_free(&text);
	return ok;
}

/* After the bracket, or after the row before and a comma. */
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

/* The row, with its rank beside the lead. */
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
