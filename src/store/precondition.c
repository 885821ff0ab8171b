/* SPDX-License-Identifier: MIT */
#include "store/precondition.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_lock_request_key, "SELECT object_id, parameters FROM {prefix}request_keys WHERE hash = ? FOR UPDATE");
DB_STATEMENT(sql_insert_request_key, "INSERT INTO {prefix}request_keys (hash, parameters, object_id, created_ms)"
				     " VALUES (?, ?, ?, " NOW ")");

static struct db_value
hash_value(const unsigned char hash[32])
{
	return db_raw(hash, 32);
}

enum result
store_find_request(struct store *store, const struct request_key *key, struct repeated_request *request)
{
	enum { OBJECT_ID, PARAMETERS };
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_lock_request_key, hash_value(key->hash));
	if (result == RESULT_OK)
		*request = (struct repeated_request){ db_get_u64(&rows, 0, OBJECT_ID),
			slice_equal(db_get_bytes(&rows, 0, PARAMETERS), (struct slice){ (const char *)key->parameters, 32 }) };
	pool_free(&pool);
	return result;
}

enum result
store_use_request_key(struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t object_id)
{
	const struct request_key *key = precondition == NULL ? NULL : precondition->key;
	if (key == NULL)
		return RESULT_OK;
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_lock_request_key, hash_value(key->hash));
	if (result == RESULT_OK && rows.count > 0)
		return RESULT_REPEATED;
	return result == RESULT_OK ? store_change_one(store, &sql_insert_request_key, hash_value(key->hash),
					 hash_value(key->parameters), DB_U64(object_id))
				   : result;
}
