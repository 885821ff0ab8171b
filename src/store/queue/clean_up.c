/* SPDX-License-Identifier: MIT */
#include "store/queue/clean_up.h"

#include "base/duration.h"
#include "base/encode.h"
#include "engine/id_list.h"
#include "identity/login_throttle.h"
#include "store/bulk.h"
#include "store/messages/mail_list.h"
#include "store/query.h"
#include "store/queue/lead_counts.h"
#include "store/queue/partitions.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_note_ended_campaigns, "UPDATE {prefix}campaigns"
				       " SET ended_ms = ends_ms"
				       " WHERE ended_ms IS NULL AND ends_ms <= " NOW);
DB_STATEMENT(sql_delete_old_tokens, "DELETE FROM {prefix}commit_tokens WHERE created_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_codes, "DELETE FROM {prefix}lead_codes WHERE expires_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_sendings, "DELETE FROM {prefix}sendings WHERE slot < (" NOW " - ?) DIV 300000 LIMIT ?");
DB_STATEMENT(sql_delete_old_sent_codes, "DELETE FROM {prefix}sent_codes WHERE sent_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_expired_calls, "DELETE FROM {prefix}inbound_calls WHERE expires_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_used_proofs, "DELETE FROM {prefix}used_proofs WHERE expires_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_request_keys, "DELETE FROM {prefix}request_keys WHERE created_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(
    sql_delete_old_operator_jobs, "DELETE FROM {prefix}operator_jobs WHERE ended_ms < " NOW " - ? ORDER BY ended_ms LIMIT ?");
DB_STATEMENT(sql_delete_old_sessions, "DELETE FROM {prefix}sessions WHERE created_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_invitations, "DELETE FROM {prefix}invitations WHERE expires_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_attempts, "DELETE FROM {prefix}login_attempts WHERE until_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_delete_old_audit, "DELETE FROM {prefix}audit WHERE created_ms < " NOW " - ? LIMIT ?");
DB_STATEMENT(sql_select_deleted_leads, "SELECT lead_id FROM {prefix}deleted_leads ORDER BY lead_id LIMIT ?");
/* selected first, because a DELETE with a list may lock the entries of all leads */
DB_STATEMENT(sql_select_score_entries, "SELECT lead_id, CAST(reason AS UNSIGNED), ref, round"
				       " FROM {prefix}score_entries FORCE INDEX (PRIMARY)"
				       " WHERE lead_id IN ({list})"
				       " LIMIT 1000");
DB_STATEMENT(sql_delete_score_entry, "DELETE FROM {prefix}score_entries"
				     " WHERE lead_id = ? AND reason = ? AND ref = ? AND round = ?");
DB_STATEMENT(
    sql_select_left_calls, "SELECT id FROM {prefix}inbound_calls FORCE INDEX (by_lead) WHERE lead_id IN ({list}) LIMIT 50");
DB_STATEMENT(sql_delete_left_call, "DELETE FROM {prefix}inbound_calls WHERE id = ?");
DB_STATEMENT(
    sql_select_left_messages, "SELECT id FROM {prefix}messages FORCE INDEX (by_lead) WHERE lead_id IN ({list}) LIMIT 1000");
DB_STATEMENT(sql_delete_left_message, "DELETE FROM {prefix}messages WHERE id = ?");
DB_STATEMENT(sql_select_left_codes,
    "SELECT lead_id, channel FROM {prefix}lead_codes FORCE INDEX (PRIMARY) WHERE lead_id IN ({list}) LIMIT 1000");
DB_STATEMENT(sql_delete_left_code, "DELETE FROM {prefix}lead_codes WHERE lead_id = ? AND channel = ?");
DB_STATEMENT(sql_delete_deleted_lead, "DELETE FROM {prefix}deleted_leads WHERE lead_id = ?");

/* A lead that is gone or verified needs no job; the job examines it again. Jobs lock their campaign before a lead. */
DB_STATEMENT(sql_select_unverified, "SELECT u.lead_id, u.campaign_id,"
				    " l.id IS NOT NULL AND NOT l.verified_email AND NOT l.verified_phone, c.account_id"
				    " FROM {prefix}unverified_leads u FORCE INDEX (by_time)"
				    " JOIN {prefix}campaigns c ON c.id = u.campaign_id"
				    " LEFT JOIN {prefix}leads l ON l.id = u.lead_id"
				    " WHERE u.requested_ms < " NOW " - ?"
				    " ORDER BY u.requested_ms"
				    " LIMIT 250");
DB_STATEMENT(sql_delete_unverified, "DELETE t FROM " ROWS_OF_LEADS("unverified_leads"));
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
/* after a table was filled or emptied, the server's automatic statistics can be so wrong that sql_select_due_webhooks reads all
 * rows instead of one for each webhook */
DB_STATEMENT(sql_refresh_statistics, "ANALYZE NO_WRITE_TO_BINLOG TABLE {prefix}due");

enum { CALL_CHUNK = 50 };

/* clang-format off */
/* Rows that are deleted at an age. `chunk`: how many a short transaction deletes. A logged call may have up to a mebibyte. */
static const struct {
	const struct db_statement *statement;
	int64_t age_ms;
	uint64_t chunk;
} old_rows[] = {
	{ &sql_delete_old_tokens, DAY_MS, 1000 },
	{ &sql_delete_old_codes, 0, 1000 },
	{ &sql_delete_old_sent_codes, DAY_MS, 1000 },
	{ &sql_delete_old_sendings, DAY_MS, 1000 },
	{ &sql_delete_used_proofs, HOUR_MS, 1000 }, /* a sign-up is committed some time after its proof was checked */
	{ &sql_delete_expired_calls, 0, CALL_CHUNK },
	{ &sql_delete_request_keys, 7 * DAY_MS, 1000 }, /* docs/manage.md 1.5 */
	{ &sql_delete_old_operator_jobs, 30 * DAY_MS, 1000 }, /* docs/architecture.md 6.1 */
	{ &sql_delete_old_sessions, DAY_MS, 1000 }, /* the longest users.session_max */
	{ &sql_delete_old_invitations, 0, 1000 },
	{ &sql_delete_old_attempts, LOGIN_FAILURES_MS, 1000 },
	{ &sql_delete_old_audit, 400 * DAY_MS, 200 }, /* docs/users.md 6 */
};
/* clang-format on */

/* Deleting one chunk per call could not keep up with one token per batch. */
static enum result
drop_old_rows(struct store *store)
{
	enum { CHUNKS = 20 };
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(old_rows); i++) {
		uint64_t dropped = old_rows[i].chunk;
		for (unsigned k = 0; k < CHUNKS && result == RESULT_OK && dropped == old_rows[i].chunk; k++)
			result = db_execute(store->db, old_rows[i].statement,
			    &DB_VALUES(DB_I64(old_rows[i].age_ms), DB_U64(old_rows[i].chunk)), &dropped);
	}
	return result;
}

/* ---- deleted leads ---- */

/* Leads selected at once; rows per transaction, as in the statements; transactions per call. */
enum { DELETED_LEADS = 100, LEFT_CHUNK = 1000, LEFT_CHUNKS = 20 };

/* What is left of deleted leads: their ledger, the payloads that they came from, their messages and codes. */
static const struct {
	const struct db_statement *select, *delete;
	size_t chunk;
} left_rows[LEFT_KINDS] = {
	[LEFT_ENTRIES] = { &sql_select_score_entries, &sql_delete_score_entry, LEFT_CHUNK },
	[LEFT_CALLS] = { &sql_select_left_calls, &sql_delete_left_call, CALL_CHUNK },
	[LEFT_MESSAGES] = { &sql_select_left_messages, &sql_delete_left_message, LEFT_CHUNK },
	[LEFT_CODES] = { &sql_select_left_codes, &sql_delete_left_code, LEFT_CHUNK },
};

enum result
store_drop_left_rows(struct store *store, struct db_list leads, struct left_rows *dropped)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*dropped = (struct left_rows){ .all = true };
		for (size_t i = 0; i < LEFT_KINDS && txn.result == RESULT_OK && dropped->all; i++) {
			struct db_rows rows;
			txn.result = store_query_lists(store, txn.pool, left_rows[i].select, &leads, 1, &rows);
			dropped->counts[i] = rows.count;
			dropped->all = rows.count < left_rows[i].chunk;
			if (txn.result == RESULT_OK)
				txn.result =
				    db_execute_rows(store->db, left_rows[i].delete, rows.values, rows.columns, rows.count);
		}
		/* leads are removed with the last of their rows: if one call ends early, the next continues there */
		if (txn.result == RESULT_OK && dropped->all)
			txn.result = db_execute_rows(store->db, &sql_delete_deleted_lead, leads.values, 1, leads.count);
	}
	return txn.result;
}

static enum result
drop_some_deleted_leads(struct store *store, struct pool *pool, unsigned *chunks, bool *more)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_deleted_leads, DB_U64(DELETED_LEADS));
	struct left_rows dropped = { .all = rows.count == 0 };
	*more = rows.count == DELETED_LEADS;
	for (; result == RESULT_OK && !dropped.all && *chunks > 0; (*chunks)--)
		result = store_drop_left_rows(store, (struct db_list){ rows.values, rows.count }, &dropped);
	return result;
}

static enum result
drop_deleted_leads(struct store *store)
{
	unsigned chunks = LEFT_CHUNKS;
	bool more = true;
	enum result result = RESULT_OK;
	while (result == RESULT_OK && more && chunks > 0) {
		struct pool *pool = pool_new();
		result = drop_some_deleted_leads(store, pool, &chunks, &more);
		pool_free(&pool);
	}
	return result;
}

/* ---- leads by campaign ---- */

/* Columns of sql_select_unverified; the other statement lacks the last one. */
enum { LEAD_ID, CAMPAIGN_ID, IS_CHOSEN, ACCOUNT_ID };

/* The chosen leads of this row's campaign if this is the first row of that campaign; otherwise none. */
static struct db_list
leads_of_campaign(struct pool *pool, const struct db_rows *rows, size_t first)
{
	const uint64_t campaign_id = db_get_u64(rows, first, CAMPAIGN_ID);
	struct db_value *ids = NULL;
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		if (!db_get_bool(rows, i, IS_CHOSEN) || db_get_u64(rows, i, CAMPAIGN_ID) != campaign_id)
			continue;
		if (count == 0 && i != first)
			break;
		if (count == 0)
			ids = POOL_ARRAY(pool, rows->count, struct db_value);
		ids[count++] = DB_U64(db_get_u64(rows, i, LEAD_ID));
	}
	return (struct db_list){ ids, count };
}

/* ---- unverified leads ---- */

/* Leads that were sent a mail to verify their address and did not verify it (leadhook.conf(5), lead.unverified_days): bulk jobs
 * delete them. */
enum { UNVERIFIED_CHUNK = 250 };
_Static_assert((int)UNVERIFIED_CHUNK <= (int)BULK_LEADS_MAX, "leads of one job");

static enum result
queue_deletion(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row, struct db_list leads)
{
	const struct bulk_request request = {
		.account_id = db_get_u64(rows, row, ACCOUNT_ID),
		.campaign_id = db_get_u64(rows, row, CAMPAIGN_ID),
		.action = LEAD_DELETE,
		.argument = LEAD_DELETE_UNVERIFIED,
	};
	struct slice ids = SLICE_NONE;
	uint64_t job_id;
	for (size_t i = 0; i < leads.count; i++)
		ids = id_list_add(pool, ids, leads.values[i].as.u64);
	return store_insert_jobs(store, pool, &request, ids, leads.count, &job_id);
}

/* A job for the leads of each campaign. *left: there may be more. The rows are removed when the jobs are inserted, so a
 * repeated run finds others. */
static enum result
queue_chunk(struct store *store, struct pool *pool, bool *left)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_unverified, DB_I64(store->options.unverified_ms));
	const struct db_list ids = store_column_list(pool, &rows, LEAD_ID);
	*left = rows.count == UNVERIFIED_CHUNK;
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		const struct db_list leads = leads_of_campaign(pool, &rows, i);
		if (leads.count > 0)
			result = queue_deletion(store, pool, &rows, i, leads);
	}
	return result == RESULT_OK ? store_run_on_ids(store, &sql_delete_unverified, ids.values, ids.count, NULL) : result;
}

static enum result
queue_unverified(struct store *store)
{
	bool left = store->options.unverified_ms > 0;
	enum result result = RESULT_OK;
	while (left && result == RESULT_OK) {
		struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
		while (store_runs(&txn))
			txn.result = queue_chunk(store, txn.pool, &left);
		result = txn.result;
	}
	return result;
}

/* ---- addresses ---- */

/* Addresses and user agents of leads are dropped some days after the sign-up (leadhook.conf(5), lead.ip_days). Leads are read
 * in the order of their ids, once per pass, which begins a day after the last one. */
enum { ADDRESS_PIECE = 1000, ADDRESS_PIECES = 20 /* in one call */ };

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

/* One transaction for each campaign: they are locked one at a time. */
static enum result
drop_rows(struct store *store, struct pool *pool, const struct db_rows *rows)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < rows->count && result == RESULT_OK; i++) {
		const struct db_list leads = leads_of_campaign(pool, rows, i);
		if (leads.count == 0)
			continue;
		struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
		while (store_runs(&txn))
			txn.result = drop_of_campaign(store, txn.pool, db_get_u64(rows, i, CAMPAIGN_ID), leads);
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
	*left = rows.count == ADDRESS_PIECE;
	const uint64_t next = *left ? db_get_u64(&rows, rows.count - 1, LEAD_ID) : 0;
	result = store_run(store, &sql_note_dropped_addresses, db_bytes(encode_decimal(next, digits)));
	return result == RESULT_OK && !*left ? store_run(store, &sql_end_address_pass) : result;
}

/* A pass that has begun continues at once; the next one begins a day after the last. */
static enum result
has_work(struct store *store, struct pool *pool, bool *work)
{
	uint64_t position;
	struct db_rows rows;
	enum result result = read_position(store, pool, &position);
	if (result == RESULT_OK)
		result = store_query(
		    store, pool, &rows, &sql_select_address_pass, DB_I64(DAY_MS), db_bytes(SLICE("addresses_dropped_ms")));
	*work = result == RESULT_OK && (position > 0 || rows.count == 0 || db_get_bool(&rows, 0, 0));
	return result;
}

static enum result
drop_addresses(struct store *store)
{
	struct pool *pool = pool_new();
	bool left = false;
	enum result result = store->options.ip_ms > 0 ? has_work(store, pool, &left) : RESULT_OK;
	for (unsigned i = 0; i < ADDRESS_PIECES && left && result == RESULT_OK; i++) {
		pool_reset(pool);
		result = drop_piece(store, pool, &left);
	}
	pool_free(&pool);
	return result;
}

enum result
store_clean_up(struct store *store)
{
	enum result result = store_run(store, &sql_note_ended_campaigns);
	if (result == RESULT_OK)
		result = drop_deleted_leads(store);
	if (result == RESULT_OK)
		result = drop_old_rows(store);
	if (result == RESULT_OK)
		result = queue_unverified(store);
	if (result == RESULT_OK)
		result = drop_addresses(store);
	if (result == RESULT_OK)
		result = store_clean_up_mails(store, store->options.retention_ms);
	if (result == RESULT_OK)
		store_maintain_days(store);
	return result == RESULT_OK ? store_maintain_hours(store) : result;
}

enum result
store_refresh_statistics(struct store *store)
{
	struct pool *pool = pool_new();
	struct db_rows report;
	enum result result = store_query(store, pool, &report, &sql_refresh_statistics);
	pool_free(&pool);
	return result;
}
