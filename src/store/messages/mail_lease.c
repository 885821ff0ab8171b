/* SPDX-License-Identifier: MIT */
#include "store/messages/mail_lease.h"

#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_mail_hold, "SELECT failures, held_until_ms - (" NOW "), held_since_ms, reason, answer, held_until_ms,"
				   " IF(refused_ms > " NOW " - 86400000, refused_ms, NULL), refused_reason, refused_answer"
				   " FROM {prefix}message_channels WHERE channel = ?");
/* with the index by_turn, this takes one probe for each campaign with something pending; ended messages have no turn */
#define MESSAGE_CAMPAIGNS(turns)                                                                                          \
	"SELECT turn, campaign_id, MIN(due_ms) - (" NOW ") FROM {prefix}messages FORCE INDEX (by_turn) WHERE turn " turns \
	" GROUP BY turn, campaign_id"
DB_STATEMENT_ANEW(sql_select_mail_campaigns, MESSAGE_CAMPAIGNS("IN (0, 1)"));
DB_STATEMENT_ANEW(sql_select_text_campaigns, MESSAGE_CAMPAIGNS("= 2"));
DB_STATEMENT(sql_select_due_messages,
    "{each}(SELECT CAST(? AS UNSIGNED), id FROM {prefix}messages FORCE INDEX (by_turn)"
    " WHERE turn = ? AND campaign_id = ? AND due_ms <= " NOW " ORDER BY due_ms LIMIT ?){between} UNION ALL {end}");
/* A message whose lease has ended without an outcome is due, but still has its owner. Assignments are made in this order. */
DB_STATEMENT(sql_lease_messages,
    "UPDATE {prefix}messages FORCE INDEX (PRIMARY)"
    " SET crashes = LEAST(crashes + (lease_owner IS NOT NULL), 255), lease_owner = ?, due_ms = " NOW " + ?"
    " WHERE turn IS NOT NULL AND due_ms <= " NOW " AND id IN ({list})");
DB_STATEMENT(sql_select_leased_messages,
    "SELECT m.id, m.campaign_id, c.account_id, m.lead_id, m.kind, m.ref, m.state = 'ready', m.repeats IS NOT NULL,"
    " COALESCE(m.recipient, r.recipient), COALESCE(m.message_id, r.message_id), COALESCE(m.content, r.content), m.attempts,"
    " m.crashes, " NOW " - m.first_attempt_ms, l.id, COALESCE(l.opted_out, FALSE), COALESCE(l.bounced, FALSE), " NOW ", " NOW
    " - m.created_ms, l.email_key, m.requested_for,"
    " m.requested_for IS NOT NULL AND m.composed_ms IS NOT NULL, COALESCE(c.verify_email AND NOT l.verified_email, FALSE)"
    " FROM {prefix}messages m FORCE INDEX (PRIMARY)"
    " LEFT JOIN {prefix}campaigns c ON c.id = m.campaign_id"
    " LEFT JOIN {prefix}leads l ON l.id = m.lead_id"
    " LEFT JOIN {prefix}messages r ON r.id = m.repeats"
    " WHERE m.lease_owner = ? AND m.id IN ({list})"
    " ORDER BY m.id");
DB_STATEMENT(sql_renew_messages, "UPDATE {prefix}messages FORCE INDEX (PRIMARY)"
				 " SET due_ms = " NOW " + ?"
				 " WHERE turn IS NOT NULL AND lease_owner = ? AND id IN ({list})");
DB_STATEMENT(sql_release_messages, "UPDATE {prefix}messages FORCE INDEX (PRIMARY)"
				   " SET due_ms = " NOW ", lease_owner = NULL"
				   " WHERE turn IS NOT NULL AND lease_owner = ? AND id IN ({list})");
DB_STATEMENT(sql_release_crashed, "UPDATE {prefix}messages FORCE INDEX (by_turn)"
				  " SET crashes = LEAST(crashes + 1, 255), due_ms = " NOW ", lease_owner = NULL"
				  " WHERE turn IN (0, 1) AND lease_owner = ?");

static struct db_value
owner_value(const unsigned char owner[MAIL_OWNER_SIZE])
{
	return db_raw(owner, MAIL_OWNER_SIZE);
}

enum result
store_mail_hold(struct store *store, struct pool *pool, enum message_channel channel, struct mail_hold *hold)
{
	struct db_rows rows;
	const enum result result =
	    store_query_one(store, pool, &rows, &sql_select_mail_hold, db_bytes(message_channel_name(channel)));
	if (result != RESULT_OK)
		return result;
	struct row_reader *r = ROW(&rows, 0);
	hold->failures = row_u32(r);
	hold->left_ms = row_i64(r);
	hold->since_ms = row_time(r);
	hold->reason = row_bytes(r);
	hold->answer = row_bytes(r);
	hold->held_until_ms = row_i64(r);
	hold->refused_ms = row_time(r);
	hold->refused_reason = row_bytes(r);
	hold->refused_answer = row_bytes(r);
	return RESULT_OK;
}

/* ---- campaigns ---- */

enum { DUE_TURN, DUE_CAMPAIGN, DUE_IN_MS };

enum result
store_mail_campaigns(struct store *store, struct pool *pool, enum message_channel channel, struct mail_campaign **campaigns,
    size_t *count, int64_t *next_ms)
{
	struct db_rows rows;
	enum result result =
	    store_query(store, pool, &rows, channel == TEXT_CHANNEL ? &sql_select_text_campaigns : &sql_select_mail_campaigns);
	struct sender_count *senders = POOL_ARRAY(pool, rows.count, struct sender_count);
	*campaigns = POOL_ARRAY(pool, rows.count, struct mail_campaign);
	*count = 0;
	*next_ms = -1;
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		const int64_t due_in_ms = db_get_i64(&rows, i, DUE_IN_MS);
		if (due_in_ms > 0) {
			*next_ms = *next_ms < 0 || due_in_ms < *next_ms ? due_in_ms : *next_ms;
			continue;
		}
		senders[*count] = (struct sender_count){ .campaign_id = db_get_u64(&rows, i, DUE_CAMPAIGN) };
		(*campaigns)[(*count)++].turn = (unsigned)db_get_u64(&rows, i, DUE_TURN);
	}
	if (result == RESULT_OK && *count > 0)
		result = store_read_senders(store, pool, channel, senders, *count);
	for (size_t i = 0; i < *count; i++)
		(*campaigns)[i].sender = senders[i];
	return result;
}

/* ---- leases ---- */

/* A row of sql_select_leased_messages. */
static struct queued_mail
read_mail(struct row_reader *r)
{
	struct queued_mail mail = { .id = row_u64(r) };
	mail.campaign_id = row_u64(r);
	mail.account_id = row_id(r);
	mail.lead_id = row_u64(r);
	mail.kind = (enum message_kind)row_u64(r);
	mail.ref = row_u64(r);
	mail.is_ready = row_bool(r);
	mail.is_repeated = row_bool(r);
	mail.recipient = row_bytes(r);
	mail.message_id = row_bytes(r);
	mail.content = row_bytes(r);
	mail.attempts = row_u32(r);
	mail.crashes = row_u32(r);
	mail.first_attempt_ms_ago = row_time(r);
	mail.has_lead = row_id(r) != 0;
	mail.opted_out = row_bool(r);
	mail.bounced = row_bool(r);
	mail.now_ms = row_i64(r);
	mail.age_ms = row_i64(r);
	mail.email_key = row_bytes(r);
	mail.requested_for = row_bytes(r);
	mail.is_counted = row_bool(r);
	mail.is_unconfirmed = row_bool(r);
	return mail;
}

enum result
store_find_due_mails(struct store *store, struct pool *pool, const struct mail_request *requests, size_t request_count,
    struct due_mail **mails, size_t *count)
{
	struct row_list items = store_row_list(pool, &sql_select_due_messages, request_count);
	struct db_rows rows;
	for (size_t i = 0; i < request_count; i++)
		store_add_row(
		    &items, DB_U64(i), DB_U64(requests[i].turn), DB_U64(requests[i].campaign_id), DB_U64(requests[i].rows));
	const enum result result = store_query_items(store, &items, &rows);
	*mails = POOL_ARRAY(pool, rows.count, struct due_mail);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*mails)[i] = (struct due_mail){ (size_t)db_get_u64(&rows, i, 0), db_get_u64(&rows, i, 1) };
	return result;
}

enum result
store_lease_mails(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids,
    size_t id_count, int64_t lease_ms, struct queued_mail **mails, size_t *count)
{
	struct db_rows leased = { 0 };
	const struct db_list list = store_list_of(pool, ids, id_count);
	*count = 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = db_execute(
		    store->db, &sql_lease_messages, &DB_LIST_AND_VALUES(list, owner_value(owner), DB_I64(lease_ms)), NULL);
		/* in the caller's pool; a repeated run reads them again */
		if (txn.result == RESULT_OK)
			txn.result = db_query(store->db, pool, &sql_select_leased_messages,
			    &DB_LIST_AND_VALUES(list, owner_value(owner)), &leased);
	}
	if (txn.result != RESULT_OK)
		return txn.result;
	*mails = POOL_ARRAY(pool, leased.count, struct queued_mail);
	*count = leased.count;
	for (size_t i = 0; i < leased.count; i++)
		(*mails)[i] = read_mail(ROW(&leased, i));
	return RESULT_OK;
}

enum result
store_renew_mails(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids, size_t count,
    int64_t lease_ms, size_t *renewed)
{
	struct pool *pool = pool_new();
	uint64_t affected = 0;
	const struct db_list list = store_list_of(pool, ids, count);
	const enum result result = db_execute(
	    store->db, &sql_renew_messages, &DB_LIST_AND_VALUES(list, DB_I64(lease_ms), owner_value(owner)), &affected);
	*renewed = (size_t)affected;
	pool_free(&pool);
	return result;
}

enum result
store_release_mails(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids, size_t count)
{
	struct pool *pool = pool_new();
	const struct db_list list = store_list_of(pool, ids, count);
	const enum result result =
	    db_execute(store->db, &sql_release_messages, &DB_LIST_AND_VALUES(list, owner_value(owner)), NULL);
	pool_free(&pool);
	return result;
}

enum result
store_release_crashed(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE])
{
	return store_run(store, &sql_release_crashed, owner_value(owner));
}
