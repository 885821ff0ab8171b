/* SPDX-License-Identifier: MIT */
#include "db/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/panic.h"
#include "db/connection_state.h"
#include "db/server_calls.h"
#include "os/clock.h"
#include "os/log.h"

enum { TEXT_MAX = 256 * 1024 };
enum { SIZES_MAX = 37 /* 1 + the largest size_index: sizes with at most three significant bits, up to DB_LIST_MAX */ };

/* Set by the linker; NULL in a program without statements. */
extern const struct db_statement __start_sql_statements[] __attribute__((weak)), __stop_sql_statements[] __attribute__((weak));

const struct db_statement *
db_statements(size_t *count)
{
	*count = (size_t)(__stop_sql_statements - __start_sql_statements);
	return __start_sql_statements;
}

static struct prepared *
insert_prepared(struct db *db, const struct db_statement *statement, size_t place)
{
	if (db->statement_count == db->statement_capacity) {
		db->statement_capacity = 2 * db->statement_capacity + 64;
		db->prepared = memory_realloc(db->prepared, db->statement_capacity * sizeof(*db->prepared));
	}
	struct prepared *made = db->prepared + place;
	memmove(made + 1, made, (db->statement_count++ - place) * sizeof(*made));
	*made = (struct prepared){ statement, memory_alloc(SIZES_MAX * sizeof(MYSQL_STMT *)) };
	return made;
}

static struct prepared *
find_prepared(struct db *db, const struct db_statement *statement)
{
	size_t from = 0, to = db->statement_count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if ((uintptr_t)db->prepared[middle].statement < (uintptr_t)statement)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < db->statement_count && db->prepared[from].statement == statement)
		return &db->prepared[from];
	return insert_prepared(db, statement, from);
}

/* The largest number up to `count` with at most three significant bits. */
static size_t
round_size_down(size_t count)
{
	size_t unit = 1;
	while (count / unit >= 8)
		unit *= 2;
	return count / unit * unit;
}

/* The index of the handles for a rounded size: one for each size from 1 to 7, then four for each doubling. */
static size_t
size_index(size_t size)
{
	size_t index = 0;
	for (; size >= 8; size /= 2)
		index += 4;
	return index + size;
}

static void
close_handle(MYSQL_STMT **handle)
{
	if (*handle != NULL)
		mysql_stmt_close(*handle);
	*handle = NULL;
}

void
statements_close(struct db *db)
{
	for (size_t i = 0; i < db->statement_count; i++)
		for (size_t k = 0; k < SIZES_MAX; k++)
			close_handle(&db->prepared[i].handles[k]);
}

void
statements_free(struct db *db)
{
	for (size_t i = 0; i < db->statement_count; i++)
		free(db->prepared[i].handles);
	free(db->prepared);
}

static enum result
statement_failed(struct db *db, const struct db_statement *statement, MYSQL_STMT *handle)
{
	char text[MYSQL_ERRMSG_SIZE];
	snprintf(text, sizeof(text), "%s", mysql_stmt_error(handle));
	unsigned number = mysql_stmt_errno(handle);
	mysql_stmt_free_result(handle);
	return db_failed(db, statement->name, number, text);
}

/* Removes everything up to and including `mark` from *text, and returns what came before the mark. */
static struct slice
take_until(struct slice *text, struct slice mark)
{
	size_t at = 0;
	while (at < text->size && !slice_starts_with(slice_sub(*text, at, text->size), mark))
		at++;
	if (at == text->size)
		panic("a repeated part without an end");
	const struct slice before = slice_sub(*text, 0, at);
	*text = slice_sub(*text, at + mark.size, text->size);
	return before;
}

/* Replaces {prefix} in the text, each {list} by `places` question marks, and {each} by as many parts. */
static void
expand(const struct db *db, struct slice text, size_t places, struct buffer *out)
{
	static const struct slice prefix = SLICE("{prefix}"), list = SLICE("{list}"), each = SLICE("{each}"),
				  between = SLICE("{between}"), end = SLICE("{end}");
	while (text.size > 0) {
		size_t at = slice_find(text, '{');
		buffer_add(out, slice_sub(text, 0, at));
		text = slice_sub(text, at, text.size);
		if (slice_starts_with(text, prefix)) {
			buffer_add_text(out, db->options->prefix);
			text = slice_sub(text, prefix.size, text.size);
		} else if (slice_starts_with(text, list)) {
			for (size_t i = 0; i < places; i++)
				buffer_add_text(out, i == 0 ? "?" : ",?");
			text = slice_sub(text, list.size, text.size);
		} else if (slice_starts_with(text, each)) {
			text = slice_sub(text, each.size, text.size);
			const struct slice part = take_until(&text, between), separator = take_until(&text, end);
			for (size_t i = 0; i < places; i++) {
				buffer_add(out, i == 0 ? SLICE("") : separator);
				expand(db, part, 1, out);
			}
		} else {
			buffer_add(out, slice_sub(text, 0, 1));
			text = slice_sub(text, 1, text.size);
		}
	}
}

/* Called after a PREPARE: a node that rolls back the transaction at that moment answers OK, and would run the next statement
 * outside of it. */
static enum result
verify_transaction(struct db *db, const struct db_statement *statement)
{
	if (!db->in_transaction || !db->is_node)
		return RESULT_OK;
	if (server_ping(db) != 0)
		return db_connection_failed(db, statement->name);
	return db_check_transaction(db, statement->name);
}

/* The prepared statement for lists or items of a rounded size. */
static enum result
prepare(struct db *db, const struct db_statement *statement, size_t size, MYSQL_STMT **handle)
{
	struct prepared *prepared = find_prepared(db, statement);
	MYSQL_STMT **place = &prepared->handles[size_index(size)];
	if (statement->prepare_each_run)
		close_handle(place);
	if (*place == NULL) {
		struct buffer text;
		MYSQL_STMT *made = mysql_stmt_init(db->mysql);
		if (made == NULL)
			memory_exhausted();
		buffer_init(&text, TEXT_MAX);
		expand(db, slice_of(statement->sql), size, &text);
		bool done = buffer_ok(&text) && server_prepare(db, made, text.data, text.size) == 0;
		buffer_free(&text);
		if (!done) {
			enum result result = statement_failed(db, statement, made);
			mysql_stmt_close(made);
			return result;
		}
		/* makes Connector/C compute the longest value of each column */
		my_bool update_max_length = 1;
		mysql_stmt_attr_set(made, STMT_ATTR_UPDATE_MAX_LENGTH, &update_max_length);
		*place = made;
		enum result result = verify_transaction(db, statement);
		if (result != RESULT_OK)
			return result;
	}
	*handle = *place;
	return RESULT_OK;
}

static void
bind_value(MYSQL_BIND *bind, const struct db_value *value)
{
	*bind = (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_NULL };
	switch (value->kind) {
	case DB_NULL:
		break;
	case DB_UNSIGNED:
		bind->buffer_type = MYSQL_TYPE_LONGLONG;
		bind->is_unsigned = 1;
		bind->buffer = (void *)(uintptr_t)&value->as.u64;
		break;
	case DB_SIGNED:
		bind->buffer_type = MYSQL_TYPE_LONGLONG;
		bind->buffer = (void *)(uintptr_t)&value->as.i64;
		break;
	case DB_BYTES:
		bind->buffer_type = MYSQL_TYPE_BLOB;
		bind->buffer = (void *)(uintptr_t)value->as.bytes.data;
		bind->buffer_length = value->as.bytes.size;
		break;
	}
}

/* A power of two: each size that is prepared takes memory on the server, and lists and items can be padded. */
static size_t
padded_size(const struct db_arguments *arguments)
{
	require(arguments->list_count <= DB_LISTS);
	size_t longest = arguments->items.count > 1 ? arguments->items.count : 1, size = 1;
	for (size_t i = 0; i < arguments->list_count; i++)
		if (arguments->lists[i].count > longest)
			longest = arguments->lists[i].count;
	if (longest > DB_LIST_MAX)
		panic("a list beyond DB_LIST_MAX");
	while (size < longest)
		size *= 2;
	return size;
}

/* All values of a call, with the padding, in the order of their question marks. */
static MYSQL_BIND *
bind_arguments(struct pool *pool, const struct db_arguments *arguments, size_t places, size_t *count)
{
	static const struct db_value nothing = { DB_NULL, { .u64 = 0 } };
	const struct db_items *items = &arguments->items;
	MYSQL_BIND *binds = POOL_ARRAY(pool, arguments->count + (arguments->list_count + items->columns) * places, MYSQL_BIND);
	size_t at = 0;
	for (size_t i = 0; i < arguments->count; i++)
		bind_value(&binds[at++], &arguments->values[i]);
	for (size_t i = 0; i < arguments->list_count; i++) {
		const struct db_list *list = &arguments->lists[i];
		for (size_t k = 0; k < places; k++)
			bind_value(
			    &binds[at++], list->count == 0 ? &nothing : &list->values[k < list->count ? k : list->count - 1]);
	}
	for (size_t i = 0; i < items->columns * places; i++)
		bind_value(&binds[at++], i < items->columns * items->count ? &items->values[i] : &nothing);
	*count = at;
	return binds;
}

static enum result
run_for_size(struct db *db, struct pool *pool, const struct db_statement *statement, const struct db_arguments *arguments,
    size_t size, MYSQL_STMT **handle)
{
	size_t count;
	enum result result = db_connect(db);
	if (result == RESULT_OK)
		result = prepare(db, statement, size, handle);
	if (result != RESULT_OK)
		return result;
	MYSQL_BIND *binds = bind_arguments(pool, arguments, size, &count);
	if (mysql_stmt_param_count(*handle) != count) {
		log_error("wrong_argument_count", LOG_STR("statement", statement->name));
		panic("wrong number of arguments");
	}
	db->used_ms = clock_monotonic_ms();
	if ((count > 0 && mysql_stmt_bind_param(*handle, binds) != 0) || server_execute(db, *handle) != 0)
		return statement_failed(db, statement, *handle);
	return RESULT_OK;
}

static enum result
run(struct db *db, struct pool *pool, const struct db_statement *statement, const struct db_arguments *arguments,
    MYSQL_STMT **handle)
{
	static const struct db_arguments none = { 0 };
	if (arguments == NULL)
		arguments = &none;
	return run_for_size(db, pool, statement, arguments, padded_size(arguments), handle);
}

/* The buffer that a column is fetched to. */
struct column {
	union {
		uint64_t u64;
		int64_t i64;
	} number;
	char *bytes;
	unsigned long size;
	my_bool is_null, is_cut;
	bool numeric, is_unsigned;
};

static bool
is_numeric(enum enum_field_types type)
{
	return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 || type == MYSQL_TYPE_LONG ||
	       type == MYSQL_TYPE_LONGLONG;
}

static struct column *
bind_columns(struct pool *pool, MYSQL_STMT *handle, MYSQL_RES *metadata, unsigned count)
{
	struct column *columns = POOL_ARRAY(pool, count, struct column);
	MYSQL_BIND *binds = POOL_ARRAY(pool, count, MYSQL_BIND);
	for (unsigned i = 0; i < count; i++) {
		const MYSQL_FIELD *field = mysql_fetch_field_direct(metadata, i);
		struct column *column = &columns[i];
		column->numeric = is_numeric(field->type);
		column->is_unsigned = (field->flags & UNSIGNED_FLAG) != 0;
		binds[i].is_null = &column->is_null;
		binds[i].length = &column->size;
		binds[i].error = &column->is_cut;
		if (column->numeric) {
			binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
			binds[i].is_unsigned = column->is_unsigned;
			binds[i].buffer = &column->number;
		} else {
			column->bytes = pool_bytes(pool, field->max_length + 1);
			binds[i].buffer_type = MYSQL_TYPE_BLOB;
			binds[i].buffer = column->bytes;
			binds[i].buffer_length = field->max_length + 1;
		}
	}
	return mysql_stmt_bind_result(handle, binds) == 0 ? columns : NULL;
}

/* The value points into the buffer of the column. */
static struct db_value
column_value(const struct column *column)
{
	if (column->is_null)
		return DB_NONE;
	if (column->numeric)
		return column->is_unsigned ? DB_U64(column->number.u64) : DB_I64(column->number.i64);
	struct slice bytes = { column->bytes, column->size };
	column->bytes[column->size] = '\0';
	return db_bytes(bytes);
}

/* The server may return an error in the middle of the rows, for example when it locks them one at a time. Connector/C would
 * then wait for more rows at the next use of the handle, so the handle is closed, and the statement is prepared again. */
static enum result
answer_failed(struct db *db, const struct db_statement *statement, MYSQL_STMT *handle)
{
	enum result result = statement_failed(db, statement, handle);
	struct prepared *prepared = find_prepared(db, statement);
	for (size_t i = 0; i < SIZES_MAX && db->mysql != NULL; i++)
		if (prepared->handles[i] == handle)
			close_handle(&prepared->handles[i]);
	return result;
}

enum result
db_query(struct db *db, struct pool *pool, const struct db_statement *statement, const struct db_arguments *arguments,
    struct db_rows *rows)
{
	MYSQL_STMT *handle;
	*rows = (struct db_rows){ 0 };
	const bool may_be_idle = db->mysql != NULL && !db->in_transaction;
	enum result result = run(db, pool, statement, arguments, &handle);
	/* the server closed the idle connection: the query is harmless, so it is repeated once */
	if (result == RESULT_UNAVAILABLE && may_be_idle && db->mysql == NULL)
		result = run(db, pool, statement, arguments, &handle);
	if (result != RESULT_OK)
		return result;
	if (server_store_rows(db, handle) != 0)
		return answer_failed(db, statement, handle);
	MYSQL_RES *metadata = mysql_stmt_result_metadata(handle);
	if (metadata == NULL)
		return statement_failed(db, statement, handle);
	rows->columns = mysql_num_fields(metadata);
	size_t count = (size_t)mysql_stmt_num_rows(handle);
	rows->values = POOL_ARRAY(pool, count * rows->columns, struct db_value);
	struct column *columns = bind_columns(pool, handle, metadata, (unsigned)rows->columns);
	mysql_free_result(metadata);
	if (columns == NULL)
		return statement_failed(db, statement, handle);
	int more = MYSQL_NO_DATA;
	while (rows->count < count && (more = mysql_stmt_fetch(handle)) == 0) {
		rows->count++;
		for (size_t i = 0; i < rows->columns; i++) {
			struct db_value value = column_value(&columns[i]);
			if (value.kind == DB_BYTES && rows->count < count) /* the buffer is used again for the next row */
				value.as.bytes = pool_copy(pool, value.as.bytes);
			rows->values[(rows->count - 1) * rows->columns + i] = value;
		}
	}
	if (more != 0 && more != MYSQL_NO_DATA)
		return statement_failed(db, statement, handle);
	/* Connector/C frees the rows only at the statement's next use, unless they can be fetched again. Without rows, that
	 * would make the next use wait for rows. */
	if (count > 0)
		mysql_stmt_data_seek(handle, 0);
	mysql_stmt_free_result(handle);
	return db_check_transaction(db, statement->name);
}

enum result
db_execute(struct db *db, const struct db_statement *statement, const struct db_arguments *arguments, uint64_t *affected)
{
	MYSQL_STMT *handle;
	struct pool *pool = pool_new();
	enum result result = run(db, pool, statement, arguments, &handle);
	if (result == RESULT_OK)
		result = db_check_transaction(db, statement->name);
	pool_free(&pool);
	if (result == RESULT_OK && affected != NULL)
		*affected = mysql_stmt_affected_rows(handle);
	return result;
}

/* Binds a column of many rows for Connector/C's bulk execution: an array of numbers, or of pointers and lengths, and an array
 * of NULL indicators. */
static void
bind_column_of_rows(struct pool *pool, MYSQL_BIND *bind, const struct db_value *values, size_t columns, size_t count)
{
	char *indicators = POOL_ARRAY(pool, count, char);
	int64_t *numbers = POOL_ARRAY(pool, count, int64_t);
	const void **pointers = POOL_ARRAY(pool, count, const void *);
	unsigned long *lengths = POOL_ARRAY(pool, count, unsigned long);
	bool bytes = false, is_unsigned = false;
	for (size_t i = 0; i < count; i++) {
		const struct db_value *value = &values[i * columns];
		indicators[i] = value->kind == DB_NULL ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
		if (value->kind == DB_BYTES) {
			bytes = true;
			pointers[i] = value->as.bytes.data;
			lengths[i] = value->as.bytes.size;
		} else if (value->kind != DB_NULL) {
			is_unsigned = is_unsigned || value->kind == DB_UNSIGNED;
			memcpy(&numbers[i], &value->as, sizeof(numbers[i]));
		}
	}
	*bind = (MYSQL_BIND){ .buffer_type = bytes ? MYSQL_TYPE_BLOB : MYSQL_TYPE_LONGLONG, .is_unsigned = is_unsigned };
	bind->buffer = bytes ? (void *)pointers : (void *)numbers;
	bind->length = lengths;
	bind->u.indicator = indicators;
}

static enum result
execute_array(struct db *db, struct pool *pool, const struct db_statement *statement, const struct db_value *values,
    size_t columns, size_t count)
{
	MYSQL_STMT *handle;
	enum result result = prepare(db, statement, 1, &handle);
	if (result != RESULT_OK)
		return result;
	MYSQL_BIND *binds = POOL_ARRAY(pool, columns, MYSQL_BIND);
	for (size_t i = 0; i < columns; i++)
		bind_column_of_rows(pool, &binds[i], values + i, columns, count);
	unsigned rows = (unsigned)count;
	db->used_ms = clock_monotonic_ms();
	mysql_stmt_attr_set(handle, STMT_ATTR_ARRAY_SIZE, &rows);
	bool done = mysql_stmt_bind_param(handle, binds) == 0 && server_execute(db, handle) == 0;
	rows = 0; /* resets it for ordinary use */
	mysql_stmt_attr_set(handle, STMT_ATTR_ARRAY_SIZE, &rows);
	return done ? db_check_transaction(db, statement->name) : statement_failed(db, statement, handle);
}

/* Runs the statement with the rows as items, which need no padding; or, if it has no repeated part, row by row. */
static enum result
execute_items(struct db *db, struct pool *pool, const struct db_statement *statement, const struct db_value *values,
    size_t columns, size_t count)
{
	enum { ROWS_AT_ONCE = 128 };
	MYSQL_STMT *handle;
	const size_t most = strstr(statement->sql, "{each}") == NULL ? 1 : ROWS_AT_ONCE;
	enum result result = RESULT_OK;
	for (size_t at = 0, size; at < count && result == RESULT_OK; at += size) {
		size = round_size_down(count - at < most ? count - at : most);
		const struct db_arguments rows = { .items = { values + at * columns, columns, size } };
		result = run_for_size(db, pool, statement, &rows, size, &handle);
		if (result == RESULT_OK)
			result = db_check_transaction(db, statement->name);
	}
	return result;
}

enum result
db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count)
{
	if (count == 0)
		return RESULT_OK;
	enum result result = db_connect(db);
	if (result != RESULT_OK)
		return result;
	struct pool *pool = pool_new();
	result = db->is_node || count == 1 ? execute_items(db, pool, statement, values, columns, count)
					   : execute_array(db, pool, statement, values, columns, count);
	pool_free(&pool);
	return result;
}

enum result
db_run_text(struct db *db, struct slice text)
{
	require(!db->in_transaction);
	struct buffer expanded;
	enum result result = db_connect(db);
	if (result != RESULT_OK)
		return result;
	buffer_init(&expanded, TEXT_MAX);
	buffer_add_text(&expanded, "SET STATEMENT max_statement_time = 0 FOR ");
	expand(db, text, 1, &expanded);
	db->used_ms = clock_monotonic_ms();
	if (server_query(db, buffer_slice(&expanded).data, expanded.size) != 0)
		result = db_connection_failed(db, "text");
	buffer_free(&expanded);
	return result;
}

enum result
db_check_statement(struct db *db, const struct db_statement *statement)
{
	MYSQL_STMT *handle;
	enum result result = db_connect(db);
	return result == RESULT_OK ? prepare(db, statement, 1, &handle) : result;
}
