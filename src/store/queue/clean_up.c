/* SPDX-License-Identifier: MIT
 * Cleans up the database for the dispatcher: ended campaigns, rows of deleted leads, old tokens, days of the history
 * (partitions.c). */
#include "store/messages/mail_queue.h"
#include "store/query.h"
#include "store/queue/clean_up.h"
#include "store/queue/dispatch.h"
#include "store/queue/hours.h"
#include "store/queue/operator_jobs.h"
#include "store/queue/partitions.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"
#include "store/users/audit.h"
#include "store/users/users.h"

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
DB_STATEMENT(sql_select_leads_with_entries_left, "SELECT lead_id FROM {prefix}deleted_leads ORDER BY lead_id LIMIT ?");
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
DB_STATEMENT(sql_delete_deleted_lead, "DELETE FROM {prefix}deleted_leads WHERE lead_id = ?");

/* after a table was filled or emptied, the server's automatic statistics can be so wrong that sql_select_due_webhooks reads all
 * rows instead of one for each webhook */
DB_STATEMENT(sql_refresh_statistics, "ANALYZE NO_WRITE_TO_BINLOG TABLE {prefix}due");

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS, CALL_CHUNK = 50 };

/* `chunk`: rows that a short transaction deletes. A logged call has up to a mebibyte. */
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
	{ &sql_delete_request_keys, 7 * (int64_t)DAY_MS, 1000 }, /* docs/manage.md 1.5 */
};

/* One chunk per call could not keep up with one token per batch. */
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

/* The same for rows of deleted leads: leads selected at once, rows in one transaction (repeated in the statement), transactions
 * in one call. */
enum { DELETED_LEADS = 100, ENTRY_CHUNK = 1000, ENTRY_CHUNKS = 20, ENTRY_COLUMNS = 4 };

/* What is left of a deleted lead: its ledger, the payloads that it came from, its messages. Chunks: as in the statements. */
static const struct {
	const struct db_statement *select, *delete;
	size_t columns, chunk;
} left_rows[] = {
	{ &sql_select_score_entries, &sql_delete_score_entry, ENTRY_COLUMNS, ENTRY_CHUNK },
	{ &sql_select_left_calls, &sql_delete_left_call, 1, CALL_CHUNK },
	{ &sql_select_left_messages, &sql_delete_left_message, 1, ENTRY_CHUNK },
};

enum result
store_drop_entries(struct store *store, struct db_list leads, bool *all)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*all = true;
		for (size_t i = 0; i < ARRAY_SIZE(left_rows) && txn.result == RESULT_OK && *all; i++) {
			struct db_rows rows;
			txn.result = store_query_lists(store, txn.pool, left_rows[i].select, &leads, 1, &rows);
			*all = rows.count < left_rows[i].chunk;
			if (txn.result == RESULT_OK)
				txn.result = db_execute_rows(
				    store->db, left_rows[i].delete, rows.values, left_rows[i].columns, rows.count);
		}
		/* leads are removed with the last of their rows: the next call goes on where one ends early */
		if (txn.result == RESULT_OK && *all)
			txn.result = db_execute_rows(store->db, &sql_delete_deleted_lead, leads.values, 1, leads.count);
	}
	return txn.result;
}

static enum result
drop_deleted_leads(struct store *store, struct pool *pool, unsigned *chunks, bool *more)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_leads_with_entries_left, DB_U64(DELETED_LEADS));
	bool all = rows.count == 0;
	*more = rows.count == DELETED_LEADS;
	for (; result == RESULT_OK && !all && *chunks > 0; (*chunks)--)
		result = store_drop_entries(store, (struct db_list){ rows.values, rows.count }, &all);
	return result;
}

static enum result
drop_old_entries(struct store *store)
{
	unsigned chunks = ENTRY_CHUNKS;
	bool more = true;
	enum result result = RESULT_OK;
	while (result == RESULT_OK && more && chunks > 0) {
		struct pool *pool = pool_new();
		result = drop_deleted_leads(store, pool, &chunks, &more);
		pool_free(&pool);
	}
	return result;
}

enum result
store_clean_up(struct store *store)
{
	enum result result = store_run(store, &sql_note_ended_campaigns);
	if (result == RESULT_OK)
		result = drop_old_entries(store);
	if (result == RESULT_OK)
		result = drop_old_rows(store);
	if (result == RESULT_OK)
		result = store_queue_unverified(store);
	if (result == RESULT_OK)
		result = store_drop_addresses(store);
	if (result == RESULT_OK)
		result = store_drop_old_jobs(store);
	if (result == RESULT_OK)
		result = store_clean_up_mails(store, store->options.retention_ms);
	if (result == RESULT_OK)
		result = store_clean_up_users(store);
	if (result == RESULT_OK)
		result = store_clean_up_audit(store);
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
