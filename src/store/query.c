/* SPDX-License-Identifier: MIT */
#include "store/query.h"

#include <string.h>

#include "base/panic.h"
#include "store/state.h"
#include "webhook/delivery.h"

enum result
store_change_one_row(struct store *store, const struct db_statement *statement, const struct db_arguments *arguments)
{
	uint64_t affected;
	enum result result = db_execute(store->db, statement, arguments, &affected);
	return result == RESULT_OK && affected != 1 ? RESULT_NOT_FOUND : result;
}

enum result
store_query_row(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows)
{
	enum result result = db_query(store->db, pool, statement, arguments, rows);
	return result == RESULT_OK && rows->count == 0 ? RESULT_NOT_FOUND : result;
}

enum result
store_has_row(struct store *store, const struct db_statement *statement, const struct db_arguments *arguments)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_query_row(store, pool, statement, arguments, &rows);
	pool_free(&pool);
	return result;
}

enum result
store_read_first_number(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments, uint64_t *number)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query_row(store, pool, statement, arguments, &rows);
	if (result == RESULT_OK)
		*number = db_get_u64(&rows, 0, 0);
	pool_free(&pool);
	return result;
}

enum result
store_check_room(struct store *store, const struct db_statement *count, uint64_t id, uint64_t maximum)
{
	uint64_t rows;
	const enum result result = store_read_number(store, &rows, count, DB_U64(id));
	return result == RESULT_OK && rows >= maximum ? RESULT_TOO_MANY : result;
}

struct db_list
store_id_list(struct pool *pool, uint64_t *ids, size_t count)
{
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	size_t used = 0;
	(void)id_set(ids, count);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			values[used++] = DB_U64(ids[i]);
	return (struct db_list){ values, used };
}

struct db_list
store_list_of(struct pool *pool, const uint64_t *ids, size_t count)
{
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	for (size_t i = 0; i < count; i++)
		values[i] = DB_U64(ids[i]);
	return (struct db_list){ values, count };
}

struct db_list
store_column_list(struct pool *pool, const struct db_rows *rows, size_t column)
{
	struct db_value *values = POOL_ARRAY(pool, rows->count, struct db_value);
	for (size_t i = 0; i < rows->count; i++)
		values[i] = DB_U64(db_get_u64(rows, i, column));
	return (struct db_list){ values, rows->count };
}

struct db_list
store_list_piece(struct db_list list, size_t from)
{
	size_t left = list.count > from ? list.count - from : 0;
	return (struct db_list){ left == 0 ? NULL : list.values + from, left < DB_LIST_MAX ? left : DB_LIST_MAX };
}

static void
append_rows(struct pool *pool, struct db_rows *rows, const struct db_rows *more)
{
	size_t had = rows->count * more->columns, added = more->count * more->columns;
	struct db_value *values = POOL_ARRAY(pool, had + added, struct db_value);
	if (had > 0)
		memcpy(values, rows->values, had * sizeof(*values));
	if (added > 0)
		memcpy(values + had, more->values, added * sizeof(*values));
	*rows = (struct db_rows){ rows->count + more->count, more->columns, values };
}

enum result
store_query_long(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows)
{
	size_t longest = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < arguments->list_count; i++)
		longest = arguments->lists[i].count > longest ? arguments->lists[i].count : longest;
	*rows = (struct db_rows){ 0 };
	for (size_t from = 0; from < longest && result == RESULT_OK; from += DB_LIST_MAX) {
		struct db_arguments piece = *arguments;
		struct db_rows more;
		for (size_t i = 0; i < arguments->list_count; i++)
			piece.lists[i] = store_list_piece(arguments->lists[i], from);
		result = db_query(store->db, pool, statement, &piece, &more);
		if (from == 0)
			*rows = more;
		else
			append_rows(pool, rows, &more);
	}
	return result;
}

enum result
store_query_lists(struct store *store, struct pool *pool, const struct db_statement *statement, const struct db_list *lists,
    size_t list_count, struct db_rows *rows)
{
	struct db_arguments arguments = { .list_count = list_count };
	memcpy(arguments.lists, lists, list_count * sizeof(*lists));
	return store_query_long(store, pool, statement, &arguments, rows);
}

enum result
store_run_on_ids(
    struct store *store, const struct db_statement *statement, const struct db_value *ids, size_t count, uint64_t *affected)
{
	enum { IDS_AT_ONCE = 128 };
	enum result result = RESULT_OK;
	if (affected != NULL)
		*affected = 0;
	for (size_t from = 0; from < count && result == RESULT_OK; from += IDS_AT_ONCE) {
		uint64_t rows = 0;
		size_t left = count - from;
		const struct db_arguments arguments = { .items = { ids + from, 1, left < IDS_AT_ONCE ? left : IDS_AT_ONCE } };
		result = db_execute(store->db, statement, &arguments, &rows);
		if (affected != NULL)
			*affected += rows;
	}
	return result;
}

bool
store_find_row(const struct db_rows *rows, uint64_t id, size_t *row)
{
	size_t from = 0, to = rows->count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (db_get_u64(rows, middle, 0) < id)
			from = middle + 1;
		else
			to = middle;
	}
	*row = from;
	return from < rows->count && db_get_u64(rows, from, 0) == id;
}

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

/* Less than max_allowed_packet: 16 MiB by default, and at least the 1 MiB that `leadhook check` requires. After a larger
 * statement the connection is lost, which looks like a server that is down. */
enum { BYTES_AT_ONCE = 512 * 1024, BYTES_AROUND_VALUE = 10 /* a number, or the length of bytes, and the NULL flag */ };

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

enum result
store_query_items(struct store *store, const struct row_list *items, struct db_rows *rows)
{
	const struct db_arguments arguments = { .items = { items->values, items->columns, items->count } };
	*rows = (struct db_rows){ 0 };
	return items->count == 0 ? RESULT_OK : db_query(store->db, items->pool, items->statement, &arguments, rows);
}

enum result
store_run_items(struct store *store, const struct row_list *rows)
{
	const struct db_arguments arguments = { .items = { rows->values, rows->columns, rows->count } };
	return rows->count == 0 ? RESULT_OK : db_execute(store->db, rows->statement, &arguments, NULL);
}
