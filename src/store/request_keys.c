/* SPDX-License-Identifier: MIT */
#include "store/request_keys.h"

#include <string.h>

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_lock_request_key, "SELECT object_id, parameters FROM {prefix}request_keys WHERE hash = ? FOR UPDATE");
DB_STATEMENT(sql_insert_request_key, "INSERT INTO {prefix}request_keys (hash, parameters, object_id, created_ms)"
				     " VALUES (?, ?, ?, " NOW ")");
DB_STATEMENT(
    sql_delete_request_keys, "DELETE FROM {prefix}request_keys WHERE created_ms < " NOW " - ? LIMIT ?");

store_statement_list sql_of_request_keys = { &sql_lock_request_key, &sql_insert_request_key, &sql_delete_request_keys, NULL };

enum { OBJECT_ID, PARAMETERS };

void
store_expect_request(struct store *store, const struct request_key *key)
{
	store->request = (struct expected_request){ .key = key };
}

bool
store_found_request(const struct store *store, uint64_t *object_id, bool *same)
{
	*object_id = store->request.object_id;
	*same = store->request.same;
	return store->request.found;
}

static struct db_value
hash_value(const unsigned char hash[32])
{
	return db_bytes((struct slice){ (const char *)hash, 32 });
}

/* Sets what was found. RESULT_NOT_FOUND: the key is new. */
static enum result
find_key(struct store *store, struct pool *pool)
{
	struct expected_request *request = &store->request;
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_lock_request_key, hash_value(request->key->hash));
	if (result != RESULT_OK)
		return result;
	const struct slice parameters = db_get_bytes(&rows, 0, PARAMETERS);
	request->found = true;
	request->object_id = db_get_u64(&rows, 0, OBJECT_ID);
	request->same = parameters.size == 32 && memcmp(parameters.data, request->key->parameters, 32) == 0;
	return RESULT_OK;
}

enum result
store_find_request(struct store *store)
{
	struct pool *pool = pool_new();
	const enum result result = store->request.key == NULL ? RESULT_NOT_FOUND : find_key(store, pool);
	pool_free(&pool);
	return result;
}

enum result
request_keys_note(struct store *store, struct pool *pool, uint64_t object_id)
{
	const struct request_key *key = store->request.key;
	if (key == NULL)
		return RESULT_OK;
	const enum result result = find_key(store, pool);
	if (result == RESULT_NOT_FOUND)
		return store_change_one(
		    store, &sql_insert_request_key, hash_value(key->hash), hash_value(key->parameters), DB_U64(object_id));
	return result == RESULT_OK ? RESULT_CONFLICT : result;
}

enum { DAY_MS = 24 * 3600 * 1000, PIECE_ROWS = 200, PIECES = 20 };

enum result
store_clean_up_request_keys(struct store *store)
{
	uint64_t deleted = PIECE_ROWS;
	enum result result = RESULT_OK;
	for (unsigned i = 0; i < PIECES && result == RESULT_OK && deleted == PIECE_ROWS; i++)
		result = db_execute(store->db, &sql_delete_request_keys,
		    &DB_VALUES(DB_I64((int64_t)REQUEST_KEY_DAYS * DAY_MS), DB_U64(PIECE_ROWS)), &deleted);
	return result;
}
