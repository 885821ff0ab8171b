/* SPDX-License-Identifier: MIT */
#include "store/commit_marks.h"

#include "base/panic.h"
#include "os/random.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_insert_token, "INSERT INTO {prefix}commit_tokens (token, created_ms) VALUES (?, " NOW ")");
DB_STATEMENT(sql_select_token, "SELECT token FROM {prefix}commit_tokens WHERE token = ?");
DB_STATEMENT(sql_select_mark_event, "SELECT id FROM {prefix}events WHERE id = ?");

struct commit_token
store_new_token(void)
{
	struct commit_token token;
	random_bytes(token.bytes, sizeof(token.bytes));
	return token;
}

static struct db_value
token_value(const struct commit_token *token)
{
	return db_raw(token->bytes, sizeof(token->bytes));
}

enum result
store_insert_token(struct store *store, const struct commit_token *token, bool *done_before)
{
	require(db_in_transaction(store->db));
	struct db_value value = token_value(token);
	enum result result = store_run(store, &sql_insert_token, value);
	if (done_before != NULL)
		*done_before = result == RESULT_CONFLICT && db_duplicate_key(store->db);
	return result;
}

enum result
store_find_mark(struct store *store, struct pool *pool, const struct commit_mark *mark, bool *found)
{
	require(db_in_transaction(store->db));
	struct db_value value = mark->event_id != 0 ? DB_U64(mark->event_id) : token_value(&mark->token);
	struct db_rows rows = { 0 };
	enum result result =
	    store_query(store, pool, &rows, mark->event_id != 0 ? &sql_select_mark_event : &sql_select_token, value);
	*found = rows.count > 0;
	return result;
}

enum result
store_insert_fence(struct store *store)
{
	const struct commit_token fence = store_new_token();
	return store_insert_token(store, &fence, NULL);
}
