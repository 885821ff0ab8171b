/* SPDX-License-Identifier: MIT */
#include "transfer/row_csv.h"

#include "transfer/row_json.h"

/* Spreadsheets leave out empty cells at the end of a row, or add some. */
static const char *
check_count(struct pool *pool, const struct csv_fields *fields, size_t column_count)
{
	for (size_t i = column_count; i < fields->count; i++)
		if (slice_trim(fields->items[i]).size > 0)
			return pool_printf(pool,
			    "the record has %zu fields, the heading %zu: is a text with a delimiter not in quotes?",
			    fields->count, column_count)
			    .data;
	return NULL;
}

static const char *
add_cells(struct row *row, const struct row_columns *columns, const struct csv_fields *fields)
{
	for (size_t i = 0; i < columns->count && i < fields->count; i++) {
		const struct column *column = &columns->items[i];
		const struct slice cell = csv_cell(row->pool, fields->items[i]);
		const char *problem = column->field == LEAD_OTHER_FIELDS && cell.size > 0 ? row_add_members(row, cell) : NULL;
		if (problem != NULL)
			return problem;
		if (column->field != LEAD_OTHER_FIELDS)
			row_add(row, column, cell);
	}
	for (size_t i = fields->count; i < columns->count; i++) /* a missing cell is an empty one, which can have a meaning */
		if (columns->items[i].rules != NULL)
			row_add(row, &columns->items[i], SLICE(""));
	return NULL;
}

const char *
row_from_csv(struct pool *pool, const struct row_limits *limits, const struct row_columns *columns,
    const struct csv_fields *fields, struct row_notes *notes, struct import *import)
{
	struct row row = row_begin(pool, limits);
	const char *problem = check_count(pool, fields, columns->count);
	if (problem == NULL)
		problem = add_cells(&row, columns, fields);
	if (problem == NULL)
		problem = row_finish(&row, import);
	*notes = row.notes;
	return problem;
}
