/* SPDX-License-Identifier: MIT
 * Rows for statements that insert or change many. */
#include <string.h>

#include "base/panic.h"
#include "store/private.h"

/* Less than max_allowed_packet: 16 MiB by default, at least the 1 MiB that `leadhook check` requires. A larger statement costs
 * the connection, which looks like a server that is down. */
enum { BYTES_AT_ONCE = 512 * 1024, BYTES_AROUND_VALUE = 10 /* a number, or the length of bytes, and the NULL flag */ };

struct row_list
store_row_list(struct pool *pool, const struct db_statement *statement, size_t capacity)
{
	return (struct row_list){ .pool = pool, .statement = statement, .capacity = capacity };
}

void
store_add_values(struct row_list *list, const struct db_value *values, size_t columns)
{
	require(list->count < list->capacity && (list->count == 0 || columns == list->columns));
	if (list->count == 0)
		list->values = POOL_ARRAY(list->pool, list->capacity * columns, struct db_value);
	list->columns = columns;
	memcpy(list->values + list->count++ * columns, values, columns * sizeof(*values));
}

static size_t
row_bytes(const struct row_list *list, size_t row)
{
	size_t bytes = list->columns * BYTES_AROUND_VALUE;
	for (size_t i = 0; i < list->columns; i++)
		if (list->values[row * list->columns + i].kind == DB_BYTES)
			bytes += list->values[row * list->columns + i].as.bytes.size;
	return bytes;
}

static enum result
run_list(struct store *store, const struct row_list *list)
{
	enum result result = RESULT_OK;
	for (size_t from = 0, to; from < list->count && result == RESULT_OK; from = to) {
		size_t bytes = row_bytes(list, from);
		for (to = from + 1; to < list->count; to++) {
			bytes += row_bytes(list, to);
			if (bytes > BYTES_AT_ONCE)
				break;
		}
		result =
		    db_execute_rows(store->db, list->statement, list->values + from * list->columns, list->columns, to - from);
	}
	return result;
}

enum result
store_run_row_lists(struct store *store, const struct row_list *const *lists, size_t count)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		result = run_list(store, lists[i]);
	return result;
}
