/* SPDX-License-Identifier: MIT */
#include "store/secrets.h"

#include "base/panic.h"
#include "os/log.h"
#include "store/query.h"
#include "store/statements.h"

DB_STATEMENT(
    sql_lock_installation_secret, "SELECT value FROM {prefix}installation WHERE name = 'server_secret' LOCK IN SHARE MODE");

enum result
store_seal(struct store *store, struct pool *pool, struct seal_place place, struct slice text, struct slice *stored)
{
	struct db_rows rows;
	require(db_in_transaction(store->db));
	enum result result = store_query_one(store, pool, &rows, &sql_lock_installation_secret);
	if (result != RESULT_OK)
		return result;
	*stored = text;
	if (!seal_is_sealed(db_get_bytes(&rows, 0, 0)))
		return RESULT_OK;
	if (!seal_has_key(store->secrets_keys)) {
		log_error("no_secrets_key", LOG_STR("place", place.column),
		    LOG_STR("hint", "set server.secrets_key to the key of the other hosts"));
		return RESULT_FAILED;
	}
	*stored = seal(store->secrets_keys, pool, place, text);
	return RESULT_OK;
}

enum result
store_open(struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice *text)
{
	uint64_t suppressed;
	const enum seal_result opened = seal_open(store->secrets_keys, pool, place, stored, text);
	if (opened == SEAL_OPENED || opened == SEAL_PLAIN)
		return RESULT_OK;
	if (!log_throttle_passes(&store->secrets_log, &suppressed))
		return RESULT_FAILED;
	if (opened == SEAL_UNKNOWN_KEY)
		log_error("unknown_secrets_key", LOG_STR("place", place.column), LOG_UINT("id", place.id),
		    LOG_BYTES("key", seal_key_of(stored)), LOG_UINT("suppressed", suppressed),
		    LOG_STR("hint", "server.secrets_key does not have the key that this secret was sealed with"));
	else
		log_error("damaged_secret", LOG_STR("place", place.column), LOG_UINT("id", place.id),
		    LOG_UINT("suppressed", suppressed), LOG_STR("hint", "restore it from a backup, or replace it"));
	return RESULT_FAILED;
}

struct slice
store_open_shown(struct store *store, struct pool *pool, struct seal_place place, struct slice stored)
{
	struct slice text;
	return store_open(store, pool, place, stored, &text) == RESULT_OK ? text : SLICE_NONE;
}

bool
store_is_secret(const struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct slice text)
{
	struct slice own;
	const enum seal_result opened = seal_open(store->secrets_keys, pool, place, stored, &own);
	return (opened == SEAL_OPENED || opened == SEAL_PLAIN) && slice_equal(own, text);
}
