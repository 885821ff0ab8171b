/* SPDX-License-Identifier: MIT
 * Addresses and user agents of leads are dropped some days after the sign-up (leadhook.conf(5), lead.ip_days). Leads are read
 * in the order of their ids, once. */
#include <inttypes.h>

#include "base/encode.h"
#include "store/query.h"
#include "store/queue/dispatch.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_leads_with_addresses,
    "SELECT id, campaign_id, created_ms <= " NOW " - ? AND (ip IS NOT NULL OR user_agent IS NOT NULL)"
    " FROM {prefix}leads"
    " WHERE id > ?"
    " ORDER BY id LIMIT 1000");
DB_STATEMENT(sql_select_addresses_of_leads, "SELECT DISTINCT campaign_id, " CALLER_NETWORK " FROM {prefix}leads"
					    " WHERE id IN ({list}) AND ip IS NOT NULL");
DB_STATEMENT(sql_select_counted_to, "SELECT ip_counted_to FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_uncount_addresses, "INSERT INTO {prefix}ip_leads (campaign_id, ip, leads)"
				    " SELECT campaign_id, " CALLER_NETWORK " AS network, -COUNT(*) FROM {prefix}leads"
				    " WHERE subscription_number <= ? AND " COUNTS_FOR_IP " AND id IN ({list})"
				    " GROUP BY campaign_id, network"
				    " ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)");
DB_STATEMENT(sql_drop_addresses, "UPDATE " ROWS_WITH_IDS("leads") " SET t.ip = NULL, t.user_agent = NULL");
DB_STATEMENT(sql_delete_uncounted_address, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? AND ip = ? AND leads <= 0");
DB_STATEMENT(sql_select_address_pass, "SELECT CAST(value AS SIGNED) <= " NOW " - ?"
				      " FROM {prefix}installation WHERE name = ?");
DB_STATEMENT(sql_end_address_pass, "INSERT INTO {prefix}installation (name, value) VALUES ('addresses_dropped_ms', " NOW ")"
				   " ON DUPLICATE KEY UPDATE value = VALUES(value)");
DB_STATEMENT(sql_note_dropped_addresses, "INSERT INTO {prefix}installation (name, value)"
					 " VALUES ('addresses_dropped_to', ?)"
					 " ON DUPLICATE KEY UPDATE value = VALUES(value)");

enum { PIECE = 1000, PIECES = 20 /* in one call */, PASS_MS = 24 * 3600 * 1000, ID = 0, CAMPAIGN_ID, IS_OLD };

static enum result
read_position(struct store *store, struct pool *pool, uint64_t *position)
{
	struct slice value;
	const enum result result = store_read_installation_value(store, pool, SLICE("addresses_dropped_to"), &value);
	*position = 0;
	if (result == RESULT_OK && !slice_to_u64(value, UINT64_MAX, position))
		return RESULT_FAILED;
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static bool
is_chosen(const struct db_rows *rows, size_t row, uint64_t campaign_id)
{
	return db_get_bool(rows, row, IS_OLD) && db_get_u64(rows, row, CAMPAIGN_ID) == campaign_id;
}

/* The ids of the chosen rows of a campaign, from `first` on. */
static size_t
ids_of_campaign(const struct db_rows *rows, size_t first, struct db_value *ids)
{
	size_t count = 0;
	for (size_t i = first; i < rows->count; i++)
		if (is_chosen(rows, i, db_get_u64(rows, first, CAMPAIGN_ID)))
			ids[count++] = DB_U64(db_get_u64(rows, i, ID));
	return count;
}

/* Under the lock of the campaign, so that no batch writes the addresses that it has loaded. */
static enum result
drop_of_campaign(struct store *store, struct pool *pool, uint64_t campaign_id, struct db_list ids)
{
	struct db_rows addresses, counted;
	enum result result = store_lock_counters(store, pool, campaign_id);
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_OK : result; /* it is being removed */
	result = store_query(store, pool, &counted, &sql_select_counted_to, DB_U64(campaign_id));
	if (result == RESULT_OK)
		result = store_query_lists(store, pool, &sql_select_addresses_of_leads, &ids, 1, &addresses);
	if (result == RESULT_OK && addresses.count > 0)
		result = db_execute(
		    store->db, &sql_uncount_addresses, &DB_LIST_AND_VALUES(ids, DB_U64(db_get_u64(&counted, 0, 0))), NULL);
	if (result == RESULT_OK)
		result = store_run_on_ids(store, &sql_drop_addresses, ids.values, ids.count, NULL);
	return result == RESULT_OK ? db_execute_rows(store->db, &sql_delete_uncounted_address, addresses.values,
					 addresses.columns, addresses.count)
				   : result;
}

static bool
is_first_of_campaign(const struct db_rows *rows, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (is_chosen(rows, i, db_get_u64(rows, row, CAMPAIGN_ID)))
			return false;
	return db_get_bool(rows, row, IS_OLD);
}

/* A transaction for each campaign: they are locked one at a time. */
static enum result
drop_rows(struct store *store, struct pool *pool, const struct db_rows *rows)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < rows->count && result == RESULT_OK; i++) {
		if (!is_first_of_campaign(rows, i))
			continue;
		struct db_value *ids = POOL_ARRAY(pool, rows->count, struct db_value);
		const struct db_list list = { ids, ids_of_campaign(rows, i, ids) };
		struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
		while (store_runs(&txn))
			txn.result = drop_of_campaign(store, txn.pool, db_get_u64(rows, i, CAMPAIGN_ID), list);
		result = txn.result;
	}
	return result;
}

/* *left: there may be more leads. */
static enum result
drop_piece(struct store *store, struct pool *pool, bool *left)
{
	uint64_t position;
	struct db_rows rows;
	char digits[DECIMAL_SIZE];
	*left = false;
	enum result result = read_position(store, pool, &position);
	if (result == RESULT_OK)
		result = store_query(
		    store, pool, &rows, &sql_select_leads_with_addresses, DB_I64(store->options.ip_ms), DB_U64(position));
	if (result == RESULT_OK)
		result = drop_rows(store, pool, &rows);
	if (result != RESULT_OK)
		return result;
	*left = rows.count == PIECE;
	const uint64_t next = *left ? db_get_u64(&rows, rows.count - 1, ID) : 0;
	result = store_run(store, &sql_note_dropped_addresses, db_bytes(encode_decimal(next, digits)));
	return result == RESULT_OK && !*left ? store_run(store, &sql_end_address_pass) : result;
}

/* A pass that has begun goes on at once, the next one begins a day after the last. */
static enum result
has_work(struct store *store, struct pool *pool, bool *work)
{
	uint64_t position;
	struct db_rows rows;
	enum result result = read_position(store, pool, &position);
	if (result == RESULT_OK)
		result = store_query(
		    store, pool, &rows, &sql_select_address_pass, DB_I64(PASS_MS), db_bytes(SLICE("addresses_dropped_ms")));
	*work = result == RESULT_OK && (position > 0 || rows.count == 0 || db_get_bool(&rows, 0, 0));
	return result;
}

enum result
store_drop_addresses(struct store *store)
{
	struct pool *pool = pool_new();
	bool left = false;
	enum result result = store->options.ip_ms > 0 ? has_work(store, pool, &left) : RESULT_OK;
	for (unsigned i = 0; i < PIECES && left && result == RESULT_OK; i++) {
		pool_reset(pool);
		result = drop_piece(store, pool, &left);
	}
	pool_free(&pool);
	return result;
}
