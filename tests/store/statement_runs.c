/* SPDX-License-Identifier: MIT
 * The statements of all files, and a run of one with its values. */
#include "statement_values.h"

#include <string.h>

#include "planted.h"

size_t
statement_count(void)
{
	size_t count;
	(void)db_statements(&count);
	return count;
}

const struct db_statement *
statement_at(size_t number)
{
	size_t count;
	return db_statements(&count) + number;
}

static size_t
places_in(const char *sql)
{
	size_t count = 0;
	for (; *sql != '\0'; sql++)
		count += *sql == '?';
	return count;
}

enum result
run_with_values(struct db *db, struct pool *pool, const struct db_statement *run, const struct statement_values *used,
    size_t size, struct db_rows *rows)
{
	const char *kinds = used->values, *lists = used->lists, *slash = strchr(lists, '/');
	const char *items = slash == NULL ? "" : slash + 1;
	size_t columns = strlen(items), count = places_in(run->sql) - columns, last = strlen(kinds);
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_arguments arguments = { .values = values, .count = count, .list_count = strcspn(lists, "/") };
	for (size_t i = 0; i < count; i++)
		values[i] = i + last < count ? DB_U64(1) : planted_value(pool, (enum value_kind)kinds[i + last - count], 0);
	for (size_t k = 0; k < arguments.list_count; k++) {
		struct db_value *list = POOL_ARRAY(pool, size, struct db_value);
		for (size_t i = 0; i < size; i++)
			list[i] = planted_value(pool, (enum value_kind)lists[k], i);
		arguments.lists[k] = (struct db_list){ list, size };
	}
	struct db_value *of_items = POOL_ARRAY(pool, size * columns, struct db_value);
	for (size_t i = 0; i < size * columns; i++)
		of_items[i] = planted_value(pool, (enum value_kind)items[i % columns], i / columns);
	arguments.items = (struct db_items){ of_items, columns, columns == 0 ? 0 : size };
	return db_query(db, pool, run, &arguments, rows);
}
