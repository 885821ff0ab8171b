/* SPDX-License-Identifier: MIT */
#include "store/users/audit.h"

#include "base/utf8.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define AUDIT_COLUMNS                                                                                                  \
	"id, created_ms, actor, actor_id, actor_name, account_id, campaign_id, operation, target_id, before_json, ip," \
	" request_id, state, after_json"

/* A filter that is not set matches every row. Limits of time are limits of ids. */
#define SELECT_AUDIT(index, condition)                                                      \
	"SELECT " AUDIT_COLUMNS " FROM {prefix}audit FORCE INDEX (" index ")"               \
	" WHERE " condition "id >= ? AND id < ?"                                            \
	"   AND (? = 0 OR account_id = ?) AND (? = 0 OR (actor = 'user' AND actor_id = ?))" \
	" ORDER BY id DESC LIMIT ?"

DB_STATEMENT(sql_insert_audit,
    "INSERT INTO {prefix}audit (id, created_ms, actor, actor_id, actor_name, account_id, campaign_id, operation, target_id,"
    " state, before_json, ip, request_id)"
    " VALUES (?, " NOW ", ?, ?, ?, ?, ?, ?, ?, 'begun', ?, ?, ?)");
DB_STATEMENT(sql_select_key_name, "SELECT name FROM {prefix}api_keys WHERE id = ?");
DB_STATEMENT(sql_end_audit, "UPDATE {prefix}audit SET state = ?, before_json = COALESCE(?, before_json), after_json = ?, "
			    "target_id = COALESCE(?, target_id) WHERE id = ? AND state = 'begun'");
#define TODAY NOW " DIV 86400000"
#define BYTES_OF_TODAY "IF(audit_day = " TODAY ", audit_bytes, 0)"
DB_STATEMENT(sql_take_audit_bytes,
    "UPDATE {prefix}accounts"
    " SET audit_bytes = " BYTES_OF_TODAY " + ?, audit_day = " TODAY " WHERE id = ? AND " BYTES_OF_TODAY " + ? <= ?");
DB_STATEMENT(sql_select_audit, SELECT_AUDIT("PRIMARY", ""));
DB_STATEMENT(sql_select_audit_of_account, SELECT_AUDIT("by_account", "account_id = ? AND "));
DB_STATEMENT(sql_select_audit_of_campaign, SELECT_AUDIT("by_campaign", "campaign_id = ? AND "));
DB_STATEMENT(sql_select_audit_of_actor, SELECT_AUDIT("by_actor", "actor = 'user' AND actor_id = ? AND "));
DB_STATEMENT(sql_select_audit_since, "SELECT id FROM {prefix}audit FORCE INDEX (by_time)"
				     " WHERE created_ms >= ?"
				     " ORDER BY created_ms, id LIMIT 1");
DB_STATEMENT(sql_count_audit, "SELECT COUNT(*) FROM {prefix}audit WHERE id < ? AND (? = 0 OR account_id = ?)");
DB_STATEMENT(sql_select_audit_ids, "SELECT id FROM {prefix}audit FORCE INDEX (PRIMARY) WHERE id < ? ORDER BY id LIMIT ?");
DB_STATEMENT(sql_select_audit_ids_of_account, "SELECT id FROM {prefix}audit FORCE INDEX (by_account)"
					      " WHERE account_id = ? AND id < ? ORDER BY id LIMIT ?");
DB_STATEMENT(sql_delete_audit, "DELETE t FROM " ROWS_WITH_IDS("audit"));
DB_STATEMENT(sql_select_audit_id, "SELECT id FROM {prefix}audit WHERE id = ?");

static const struct slice actors[AUDIT_ACTORS] = { SLICE("user"), SLICE("key"), SLICE("shell") };
static const struct slice states[AUDIT_STATES] = { SLICE("begun"), SLICE("done"), SLICE("failed") };

enum { IP_MAX = 45 };

struct slice
audit_actor_name(enum audit_actor actor)
{
	return actors[actor];
}

struct slice
audit_state_name(enum audit_state state)
{
	return states[state];
}

static unsigned
find_name(const struct slice *names, unsigned count, struct slice name)
{
	unsigned i = 0;
	while (i + 1 < count && !slice_equal(names[i], name))
		i++;
	return i;
}

/* ---- writing ---- */

static struct db_value
cut(struct slice text, size_t maximum)
{
	return db_bytes(utf8_cut(text, maximum));
}

/* The JSON in its stored form, which counts towards the account's limit. */
static enum result
judge_json(struct store *store, const struct audit_entry *entry, struct slice *json)
{
	if (json->size > AUDIT_JSON_MAX)
		*json = SLICE("{\"omitted\":\"too large\"}");
	if (!slice_present(*json) || entry->account_id == 0 || entry->json_max == 0)
		return RESULT_OK;
	const enum result result = store_change_one(store, &sql_take_audit_bytes, DB_U64(json->size), DB_U64(entry->account_id),
	    DB_U64(json->size), DB_U64(entry->json_max));
	if (result == RESULT_NOT_FOUND)
		*json = SLICE("{\"omitted\":\"daily limit\"}");
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

/* For a key, the name that it has now. */
static enum result
find_actor_name(struct store *store, struct pool *pool, const struct audit_entry *entry, struct slice *name)
{
	struct db_rows rows;
	*name = entry->actor_name;
	if (entry->actor != AUDIT_KEY)
		return RESULT_OK;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_key_name, DB_U64(entry->actor_id));
	if (result == RESULT_OK)
		*name = db_get_bytes(&rows, 0, 0);
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

/* The id is taken in the same transaction, so that ids increase with time. A run that may have been committed is repeated: its
 * id shows whether it was. */
enum result
store_begin_audit(struct store *store, const struct audit_entry *entry, uint64_t *id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	*id = 0;
	while (store_runs(&txn)) {
		txn.result = *id == 0 ? RESULT_NOT_FOUND : store_exists(store, &sql_select_audit_id, DB_U64(*id));
		if (txn.result != RESULT_NOT_FOUND)
			continue;
		struct slice name, before = entry->before;
		txn.result = find_actor_name(store, txn.pool, entry, &name);
		if (txn.result == RESULT_OK)
			txn.result = judge_json(store, entry, &before);
		if (txn.result == RESULT_OK)
			txn.result = store_next_ids(store, txn.pool, ID_AUDIT, 1, id);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_insert_audit, DB_U64(*id), db_bytes(actors[entry->actor]),
			    DB_U64(entry->actor_id), cut(name, AUDIT_NAME_MAX), store_id_or_null(entry->account_id),
			    store_id_or_null(entry->campaign_id), cut(entry->operation, AUDIT_OPERATION_MAX),
			    store_id_or_null(entry->target_id), db_bytes(before), cut(entry->ip, IP_MAX),
			    cut(entry->request_id, AUDIT_REQUEST_ID_MAX));
	}
	return txn.result;
}

enum result
store_end_audit(struct store *store, const struct audit_entry *entry, uint64_t id, const struct audit_end *end)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		struct slice before = end->before, after = end->after;
		txn.result = judge_json(store, entry, &before);
		if (txn.result == RESULT_OK)
			txn.result = judge_json(store, entry, &after);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_end_audit, db_bytes(states[end->state]), db_bytes(before),
			    db_bytes(after), store_id_or_null(end->target_id), DB_U64(id));
	}
	return txn.result;
}

/* ---- reading ---- */

/* Columns: AUDIT_COLUMNS. */
static struct audit_row
read_row(struct row_reader *r)
{
	struct audit_row row = { .id = row_u64(r) };
	struct audit_entry *entry = &row.entry;
	row.created_ms = row_i64(r);
	entry->actor = (enum audit_actor)find_name(actors, AUDIT_ACTORS, row_bytes(r));
	entry->actor_id = row_u64(r);
	entry->actor_name = row_bytes(r);
	entry->account_id = row_id(r);
	entry->campaign_id = row_id(r);
	entry->operation = row_bytes(r);
	entry->target_id = row_id(r);
	entry->before = row_bytes(r);
	entry->ip = row_bytes(r);
	entry->request_id = row_bytes(r);
	row.state = (enum audit_state)find_name(states, AUDIT_STATES, row_bytes(r));
	row.after = row_bytes(r);
	return row;
}

/* The first id at or after a time; higher than all ids if there is none. */
static enum result
id_since(struct store *store, struct pool *pool, int64_t ms, uint64_t *id)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_audit_since, DB_I64(ms));
	*id = result == RESULT_OK && rows.count > 0 ? db_get_u64(&rows, 0, 0) : INT64_MAX;
	return result;
}

static enum result
select_rows(struct store *store, struct pool *pool, const struct audit_filter *filter, uint64_t first, uint64_t end,
    struct db_rows *rows)
{
	const struct {
		uint64_t id;
		const struct db_statement *statement;
	} narrow[] = {
		{ filter->campaign_id, &sql_select_audit_of_campaign },
		{ filter->user_id, &sql_select_audit_of_actor },
		{ filter->account_id, &sql_select_audit_of_account },
	};
	const struct db_value account = DB_U64(filter->account_id), user = DB_U64(filter->user_id),
			      limit = DB_U64(filter->limit);
	for (size_t i = 0; i < ARRAY_SIZE(narrow); i++)
		if (narrow[i].id != 0)
			return store_query(store, pool, rows, narrow[i].statement, DB_U64(narrow[i].id), DB_U64(first),
			    DB_U64(end), account, account, user, user, limit);
	return store_query(
	    store, pool, rows, &sql_select_audit, DB_U64(first), DB_U64(end), account, account, user, user, limit);
}

enum result
store_list_audit(
    struct store *store, struct pool *pool, const struct audit_filter *filter, struct audit_row **rows, size_t *count)
{
	uint64_t first = 0, end = INT64_MAX;
	struct db_rows found = { .count = 0 };
	enum result result = filter->since_ms >= 0 ? id_since(store, pool, filter->since_ms, &first) : RESULT_OK;
	if (result == RESULT_OK && filter->until_ms >= 0)
		result = id_since(store, pool, filter->until_ms, &end);
	if (filter->before_id != 0 && filter->before_id < end)
		end = filter->before_id;
	if (result == RESULT_OK)
		result = select_rows(store, pool, filter, first, end, &found);
	*rows = POOL_ARRAY(pool, found.count, struct audit_row);
	*count = found.count;
	for (size_t i = 0; i < found.count; i++)
		(*rows)[i] = read_row(ROW(&found, i));
	return result;
}

/* ---- clean-up ---- */

enum { PRUNED_AT_ONCE = 500 };

enum result
store_count_audit(struct store *store, uint64_t account_id, int64_t before_ms, uint64_t *count)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	uint64_t end;
	enum result result = id_since(store, pool, before_ms, &end);
	if (result == RESULT_OK)
		result =
		    store_query_one(store, pool, &rows, &sql_count_audit, DB_U64(end), DB_U64(account_id), DB_U64(account_id));
	*count = result == RESULT_OK ? db_get_u64(&rows, 0, 0) : 0;
	pool_free(&pool);
	return result;
}

/* *more: there may be further rows, even if another process has deleted some of these. */
static enum result
prune_piece(struct store *store, struct pool *pool, uint64_t account_id, uint64_t end, uint64_t *deleted, bool *more)
{
	const struct db_value limit = DB_U64(PRUNED_AT_ONCE);
	struct db_rows rows;
	const enum result result = account_id == 0 ? store_query(store, pool, &rows, &sql_select_audit_ids, DB_U64(end), limit)
						   : store_query(store, pool, &rows, &sql_select_audit_ids_of_account,
							 DB_U64(account_id), DB_U64(end), limit);
	*deleted = 0;
	*more = rows.count == PRUNED_AT_ONCE;
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_audit, rows.values, rows.count, deleted) : result;
}

enum result
store_prune_audit(struct store *store, uint64_t account_id, int64_t before_ms, uint64_t *count)
{
	struct pool *pool = pool_new();
	uint64_t end, deleted;
	bool more = true;
	enum result result = id_since(store, pool, before_ms, &end);
	*count = 0;
	while (result == RESULT_OK && more) {
		pool_reset(pool);
		result = prune_piece(store, pool, account_id, end, &deleted, &more);
		*count += deleted;
	}
	pool_free(&pool);
	return result;
}
