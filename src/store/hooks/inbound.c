/* SPDX-License-Identifier: MIT */
#include "store/hooks/inbound.h"

#include "base/duration.h"
#include "store/hooks/inbound_calls.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define INBOUND_COLUMNS                                                                                                    \
	"i.id, i.campaign_id, c.account_id, a.per_minute, i.name, i.tag_id, i.source, i.map, i.created_ms,"                \
	" CASE WHEN i.previous_until_ms > " NOW " THEN i.previous_until_ms END, s.calls, s.created, s.updated, s.refused," \
	" s.last_call_ms"
#define INBOUND_JOINS                                                \
	" STRAIGHT_JOIN {prefix}campaigns c ON c.id = i.campaign_id" \
	" STRAIGHT_JOIN {prefix}accounts a ON a.id = c.account_id"   \
	" STRAIGHT_JOIN {prefix}inbound_status s ON s.inbound_id = i.id"
#define FROM_INBOUND " FROM {prefix}inbound_webhooks i" INBOUND_JOINS

DB_STATEMENT(sql_select_inbound_of_token,
    "SELECT " INBOUND_COLUMNS FROM_INBOUND " WHERE i.token_hash = ?"
    " UNION ALL SELECT " INBOUND_COLUMNS FROM_INBOUND " WHERE i.previous_hash = ? AND i.previous_until_ms > " NOW);
DB_STATEMENT(sql_select_inbound, "SELECT " INBOUND_COLUMNS FROM_INBOUND " WHERE i.id = ?");
DB_STATEMENT(sql_select_inbound_of_campaign,
    "SELECT " INBOUND_COLUMNS " FROM {prefix}inbound_webhooks i FORCE INDEX (by_campaign)" INBOUND_JOINS
    " WHERE i.campaign_id = ?"
    " ORDER BY i.id");
DB_STATEMENT(sql_select_inbound_by_name, "SELECT id FROM {prefix}inbound_webhooks WHERE campaign_id = ? AND name = ?");
DB_STATEMENT(sql_select_campaign_of_inbound, "SELECT campaign_id FROM {prefix}inbound_webhooks WHERE id = ?");
DB_STATEMENT(sql_select_inbound_token, "SELECT id FROM {prefix}inbound_webhooks WHERE id = ? AND token_hash = ?");
DB_STATEMENT(sql_count_inbound, "SELECT COUNT(*) FROM {prefix}inbound_webhooks WHERE campaign_id = ?");
DB_STATEMENT(sql_insert_inbound,
    "INSERT INTO {prefix}inbound_webhooks (id, campaign_id, name, token_hash, tag_id, source, map, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, " NOW ")");
DB_STATEMENT(sql_insert_inbound_status, "INSERT INTO {prefix}inbound_status (inbound_id) VALUES (?)");
DB_STATEMENT(sql_update_inbound,
    "UPDATE {prefix}inbound_webhooks"
    " SET source = CASE WHEN ? THEN ? ELSE source END, tag_id = CASE WHEN ? THEN ? ELSE tag_id END,"
    " map = CASE WHEN ? THEN ? ELSE map END"
    " WHERE id = ?");
/* columns are assigned from left to right, so previous_hash gets the old token */
DB_STATEMENT(sql_rotate_inbound, "UPDATE {prefix}inbound_webhooks"
				 " SET previous_hash = CASE WHEN ? > 0 THEN token_hash END,"
				 " previous_until_ms = CASE WHEN ? > 0 THEN " NOW " + ? END, token_hash = ?"
				 " WHERE id = ? AND token_hash <> ?");
DB_STATEMENT(sql_delete_inbound, "DELETE FROM {prefix}inbound_webhooks WHERE id = ?");
DB_STATEMENT(sql_delete_inbound_status, "DELETE FROM {prefix}inbound_status WHERE inbound_id = ?");
DB_STATEMENT(sql_delete_calls_of_inbound, "DELETE FROM {prefix}inbound_calls WHERE inbound_id = ?");

enum { HASH_SIZE = 32 };

static struct db_value
hash_value(const unsigned char *hash)
{
	return db_raw(hash, HASH_SIZE);
}

/* Columns: INBOUND_COLUMNS. */
static struct inbound_webhook
read_inbound(struct row_reader *r)
{
	struct inbound_webhook webhook = { .id = row_u64(r) };
	webhook.campaign_id = row_u64(r);
	webhook.account_id = row_u64(r);
	webhook.account_per_minute = row_time(r);
	webhook.name = row_bytes(r);
	webhook.tag_id = row_id(r);
	webhook.source = row_bytes(r);
	webhook.map = row_bytes(r);
	webhook.created_ms = row_i64(r);
	webhook.previous_until_ms = row_time(r);
	webhook.calls = row_u64(r);
	webhook.created = row_u64(r);
	webhook.updated = row_u64(r);
	webhook.refused = row_u64(r);
	webhook.last_call_ms = row_time(r);
	return webhook;
}

enum result
store_find_inbound_of_token(
    struct store *store, struct pool *pool, const unsigned char hash[32], struct inbound_webhook *webhook)
{
	struct db_rows rows;
	const struct db_value value = hash_value(hash);
	const enum result result = store_query_one(store, pool, &rows, &sql_select_inbound_of_token, value, value);
	if (result == RESULT_OK)
		*webhook = read_inbound(ROW(&rows, 0));
	return result;
}

enum result
store_find_inbound(struct store *store, struct pool *pool, uint64_t id, struct inbound_webhook *webhook)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_inbound, DB_U64(id));
	if (result != RESULT_OK)
		return result;
	*webhook = read_inbound(ROW(&rows, 0));
	return store_sum_refused_calls(store, pool, webhook->id, &webhook->stored, &webhook->stored_bytes);
}

enum result
store_list_inbound(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct inbound_webhook **webhooks, size_t *count)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_inbound_of_campaign, DB_U64(campaign_id));
	if (result != RESULT_OK)
		return result;
	*webhooks = POOL_ARRAY(pool, rows.count, struct inbound_webhook);
	*count = rows.count;
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		struct inbound_webhook *webhook = &(*webhooks)[i];
		*webhook = read_inbound(ROW(&rows, i));
		result = store_sum_refused_calls(store, pool, webhook->id, &webhook->stored, &webhook->stored_bytes);
	}
	return result;
}

static struct db_value
source_of(const struct inbound_put *put)
{
	return db_bytes(put->source.size > 0 ? put->source : SLICE_NONE);
}

static enum result
insert_inbound(struct store *store, struct pool *pool, const struct precondition *precondition, const struct inbound_put *put,
    uint64_t *id)
{
	enum result result = store_check_room(store, &sql_count_inbound, put->campaign_id, put->maximum);
	if (result == RESULT_OK)
		result = store_take_id(store, pool, precondition, ID_INBOUND, id);
	if (result == RESULT_OK)
		result =
		    store_change_one(store, &sql_insert_inbound, DB_U64(*id), DB_U64(put->campaign_id), db_bytes(put->name),
			hash_value(put->hash), store_id_or_null(put->tag_id), source_of(put), db_bytes(put->map));
	return result == RESULT_OK ? store_change_one(store, &sql_insert_inbound_status, DB_U64(*id)) : result;
}

static enum result
rotate(struct store *store, uint64_t id, const unsigned char *hash, unsigned overlap_hours)
{
	const struct db_value time = DB_I64(overlap_hours * HOUR_MS), token = hash_value(hash);
	enum result result = store_change_one(store, &sql_rotate_inbound, time, time, time, token, DB_U64(id), token);
	/* if the token, which is new in every call, is already stored, an earlier run was committed and its answer was lost */
	return result == RESULT_NOT_FOUND ? store_exists(store, &sql_select_inbound_token, DB_U64(id), token) : result;
}

static enum result
change_inbound(struct store *store, const struct inbound_put *put, uint64_t id, bool *fresh)
{
	enum result result = store_change_one(store, &sql_update_inbound, DB_BOOL(slice_present(put->source)), source_of(put),
	    DB_BOOL(put->set_tag), store_id_or_null(put->tag_id), DB_BOOL(put->set_map), db_bytes(put->map), DB_U64(id));
	*fresh = put->rotate;
	if (result != RESULT_OK)
		return result;
	if (put->rotate)
		return rotate(store, id, put->hash, INBOUND_OVERLAP_HOURS);
	/* the token is new in every call: an earlier run that added the webhook was committed, and its answer was lost */
	result = store_exists(store, &sql_select_inbound_token, DB_U64(id), hash_value(put->hash));
	*fresh = result == RESULT_OK;
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

/* The settings are locked, so that two calls for the same name run one after the other. */
static enum result
put_inbound(struct store *store, struct pool *pool, const struct precondition *precondition, const struct inbound_put *put,
    uint64_t *id, bool *fresh)
{
	const enum result result =
	    store_read_number(store, id, &sql_select_inbound_by_name, DB_U64(put->campaign_id), db_bytes(put->name));
	*fresh = true;
	if (result == RESULT_NOT_FOUND)
		return insert_inbound(store, pool, precondition, put, id);
	return result == RESULT_OK ? change_inbound(store, put, *id, fresh) : result;
}

/* The first of `Inbound via API`, `Inbound via API 2`, … that the campaign does not have yet. */
static enum result
choose_name(struct store *store, struct pool *pool, const struct inbound_put *put, struct slice *name)
{
	for (size_t i = 1; i <= put->maximum; i++) {
		uint64_t id;
		*name = i == 1 ? SLICE(INBOUND_NAME) : pool_printf(pool, INBOUND_NAME " %zu", i);
		enum result result =
		    store_read_number(store, &id, &sql_select_inbound_by_name, DB_U64(put->campaign_id), db_bytes(*name));
		if (result != RESULT_OK)
			return result == RESULT_NOT_FOUND ? RESULT_OK : result;
		/* as in change_inbound: an earlier run has added it */
		result = store_exists(store, &sql_select_inbound_token, DB_U64(id), hash_value(put->hash));
		if (result != RESULT_NOT_FOUND)
			return result;
	}
	return RESULT_TOO_MANY;
}

static enum result
put_named(struct store *store, struct pool *pool, const struct precondition *precondition, const struct inbound_put *put,
    uint64_t *id, bool *fresh)
{
	struct inbound_put named = *put;
	enum result result = store_lock_settings(store, put->campaign_id, precondition);
	if (result == RESULT_OK && put->id != 0) {
		*id = put->id;
		result = store_exists(store, &sql_select_campaign_of_inbound, DB_U64(put->id));
		return result == RESULT_OK ? change_inbound(store, put, put->id, fresh) : result;
	}
	if (result == RESULT_OK && !slice_present(put->name))
		result = choose_name(store, pool, put, &named.name);
	return result == RESULT_OK ? put_inbound(store, pool, precondition, &named, id, fresh) : result;
}

enum result
store_put_inbound(
    struct store *store, const struct precondition *precondition, const struct inbound_put *put, uint64_t *id, bool *fresh)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = put_named(store, txn.pool, precondition, put, id, fresh);
	return txn.result;
}

static enum result
lock_settings_of(struct store *store, uint64_t id, const struct precondition *precondition)
{
	uint64_t campaign_id;
	const enum result result = store_read_number(store, &campaign_id, &sql_select_campaign_of_inbound, DB_U64(id));
	return result == RESULT_OK ? store_lock_settings(store, campaign_id, precondition) : result;
}

enum result
store_rotate_inbound(struct store *store, const struct precondition *precondition, uint64_t id, const unsigned char hash[32],
    unsigned overlap_hours)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lock_settings_of(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = rotate(store, id, hash, overlap_hours);
	}
	return txn.result;
}

static bool
is_meant(const struct inbound_webhook *webhook, const struct inbound_reference *reference, uint64_t id_of_token)
{
	return (reference->id == 0 || webhook->id == reference->id) &&
	       (!slice_present(reference->name) || slice_equal(webhook->name, reference->name)) &&
	       (reference->hash == NULL || webhook->id == id_of_token);
}

enum result
store_identify_inbound(struct store *store, uint64_t campaign_id, const struct inbound_reference *reference, uint64_t *id)
{
	struct pool *pool = pool_new();
	struct inbound_webhook *webhooks, of_token = { .id = 0 };
	size_t count = 0;
	enum result result =
	    reference->hash == NULL ? RESULT_OK : store_find_inbound_of_token(store, pool, reference->hash, &of_token);
	if (result == RESULT_OK)
		result = store_list_inbound(store, pool, campaign_id, &webhooks, &count);
	*id = 0;
	for (size_t i = 0; i < count && *id == 0; i++)
		if (is_meant(&webhooks[i], reference, of_token.id))
			*id = webhooks[i].id;
	pool_free(&pool);
	return result == RESULT_OK && *id == 0 ? RESULT_NOT_FOUND : result;
}

enum result
store_remove_inbound(struct store *store, const struct precondition *precondition, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = lock_settings_of(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_delete_inbound, DB_U64(id));
		if (txn.result == RESULT_OK) /* waits for calls that are being written */
			txn.result = store_change_one(store, &sql_delete_inbound_status, DB_U64(id));
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_delete_calls_of_inbound, DB_U64(id));
	}
	return txn.result;
}
