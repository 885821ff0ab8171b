/* SPDX-License-Identifier: MIT
 * Which messages are due, and leases of them. */
#include <string.h>

#include "store/messages/mail_queue.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_mail_hold, "SELECT failures, held_until_ms - (" NOW "), held_since_ms, reason, answer, held_until_ms,"
				   " IF(refused_ms > " NOW " - 86400000, refused_ms, NULL), refused_reason, refused_answer"
				   " FROM {prefix}message_channels WHERE channel = ?");
/* by_turn makes this one probe for each campaign with something pending; ended messages have no turn */
#define MESSAGE_CAMPAIGNS(turns)                                                                                          \
	"SELECT turn, campaign_id, MIN(due_ms) - (" NOW ") FROM {prefix}messages FORCE INDEX (by_turn) WHERE turn " turns \
	" GROUP BY turn, campaign_id"
DB_STATEMENT_ANEW(sql_select_mail_campaigns, MESSAGE_CAMPAIGNS("IN (0, 1)"));
DB_STATEMENT_ANEW(sql_select_text_campaigns, MESSAGE_CAMPAIGNS("= 2"));
DB_STATEMENT(sql_select_due_messages,
    "{each}(SELECT CAST(? AS UNSIGNED), id FROM {prefix}messages FORCE INDEX (by_turn)"
    " WHERE turn = ? AND campaign_id = ? AND due_ms <= " NOW " ORDER BY due_ms LIMIT ?){between} UNION ALL {end}");
/* A message whose lease has ended without an outcome is due, but still has the owner. Assignments are made in this order. */
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
	return db_bytes((struct slice){ (const char *)owner, MAIL_OWNER_SIZE });
}

enum {
	HOLD_FAILURES,
	HOLD_LEFT_MS,
	HOLD_SINCE_MS,
	HOLD_REASON,
	HOLD_ANSWER,
	HOLD_UNTIL_MS,
	HOLD_REFUSED_MS,
	HOLD_REFUSED_REASON,
	HOLD_REFUSED_ANSWER
};

enum result
store_mail_hold(struct store *store, struct pool *pool, enum message_channel channel, struct mail_hold *hold)
{
	struct db_rows rows;
	const enum result result =
	    store_query_one(store, pool, &rows, &sql_select_mail_hold, db_bytes(message_channel_name(channel)));
	if (result != RESULT_OK)
		return result;
	*hold = (struct mail_hold){
		.failures = (unsigned)db_get_u64(&rows, 0, HOLD_FAILURES),
		.left_ms = db_get_i64(&rows, 0, HOLD_LEFT_MS),
		.since_ms = db_get_time(&rows, 0, HOLD_SINCE_MS),
		.reason = db_get_bytes(&rows, 0, HOLD_REASON),
		.answer = db_get_bytes(&rows, 0, HOLD_ANSWER),
		.held_until_ms = db_get_i64(&rows, 0, HOLD_UNTIL_MS),
		.refused_ms = db_get_time(&rows, 0, HOLD_REFUSED_MS),
		.refused_reason = db_get_bytes(&rows, 0, HOLD_REFUSED_REASON),
		.refused_answer = db_get_bytes(&rows, 0, HOLD_REFUSED_ANSWER),
	};
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

enum {
	QUEUED_ID,
	QUEUED_CAMPAIGN,
	QUEUED_ACCOUNT,
	QUEUED_LEAD,
	QUEUED_KIND,
	QUEUED_REF,
	QUEUED_READY,
	QUEUED_REPEATED,
	QUEUED_RECIPIENT,
	QUEUED_MESSAGE_ID,
	QUEUED_CONTENT,
	QUEUED_ATTEMPTS,
	QUEUED_CRASHES,
	QUEUED_FIRST_AGO,
	QUEUED_HAS_LEAD,
	QUEUED_OPTED_OUT,
	QUEUED_BOUNCED,
	QUEUED_NOW_MS,
	QUEUED_AGE_MS,
	QUEUED_EMAIL_KEY,
	QUEUED_REQUESTED_FOR,
	QUEUED_COUNTED,
	QUEUED_UNCONFIRMED
};

static struct queued_mail
mail_from_row(const struct db_rows *rows, size_t row)
{
	return (struct queued_mail){
		.id = db_get_u64(rows, row, QUEUED_ID),
		.campaign_id = db_get_u64(rows, row, QUEUED_CAMPAIGN),
		.account_id = db_is_null(rows, row, QUEUED_ACCOUNT) ? 0 : db_get_u64(rows, row, QUEUED_ACCOUNT),
		.lead_id = db_get_u64(rows, row, QUEUED_LEAD),
		.kind = (enum message_kind)db_get_u64(rows, row, QUEUED_KIND),
		.ref = db_get_u64(rows, row, QUEUED_REF),
		.is_ready = db_get_bool(rows, row, QUEUED_READY),
		.is_repeated = db_get_bool(rows, row, QUEUED_REPEATED),
		.recipient = db_get_bytes(rows, row, QUEUED_RECIPIENT),
		.message_id = db_get_bytes(rows, row, QUEUED_MESSAGE_ID),
		.content = db_get_bytes(rows, row, QUEUED_CONTENT),
		.attempts = (unsigned)db_get_u64(rows, row, QUEUED_ATTEMPTS),
		.crashes = (unsigned)db_get_u64(rows, row, QUEUED_CRASHES),
		.first_attempt_ms_ago = db_get_time(rows, row, QUEUED_FIRST_AGO),
		.has_lead = !db_is_null(rows, row, QUEUED_HAS_LEAD),
		.opted_out = db_get_bool(rows, row, QUEUED_OPTED_OUT),
		.bounced = db_get_bool(rows, row, QUEUED_BOUNCED),
		.now_ms = db_get_i64(rows, row, QUEUED_NOW_MS),
		.age_ms = db_get_i64(rows, row, QUEUED_AGE_MS),
		.email_key = db_get_bytes(rows, row, QUEUED_EMAIL_KEY),
		.requested_for = db_get_bytes(rows, row, QUEUED_REQUESTED_FOR),
		.is_counted = db_get_bool(rows, row, QUEUED_COUNTED),
		.is_unconfirmed = db_get_bool(rows, row, QUEUED_UNCONFIRMED),
	};
}

enum result
store_find_due_mails(struct store *store, struct pool *pool, const struct mail_request *requests, size_t request_count,
    struct due_mail **mails, size_t *count)
{
	enum { COLUMNS = 4 };
	struct db_value *values = POOL_ARRAY(pool, COLUMNS * request_count, struct db_value);
	struct db_rows rows = { 0 };
	for (size_t i = 0; i < request_count; i++) {
		const struct db_value row[COLUMNS] = { DB_U64(i), DB_U64(requests[i].turn), DB_U64(requests[i].campaign_id),
			DB_U64(requests[i].rows) };
		memcpy(values + COLUMNS * i, row, sizeof(row));
	}
	const struct db_arguments arguments = { .items = { values, COLUMNS, request_count } };
	const enum result result =
	    request_count == 0 ? RESULT_OK : db_query(store->db, pool, &sql_select_due_messages, &arguments, &rows);
	*mails = POOL_ARRAY(pool, rows.count, struct due_mail);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*mails)[i] = (struct due_mail){ (size_t)db_get_u64(&rows, i, 0), db_get_u64(&rows, i, 1) };
	return result;
}

static struct db_list
list_of(struct pool *pool, const uint64_t *ids, size_t count)
{
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	for (size_t i = 0; i < count; i++)
		values[i] = DB_U64(ids[i]);
	return (struct db_list){ values, count };
}

enum result
store_lease_mails(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids,
    size_t id_count, int64_t lease_ms, struct queued_mail **mails, size_t *count)
{
	struct db_rows leased = { 0 };
	const struct db_list list = list_of(pool, ids, id_count);
	*count = 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = db_execute(
		    store->db, &sql_lease_messages, &DB_LIST_AND_VALUES(list, owner_value(owner), DB_I64(lease_ms)), NULL);
		/* in the caller's pool; a repetition reads them again */
		if (txn.result == RESULT_OK)
			txn.result = db_query(store->db, pool, &sql_select_leased_messages,
			    &DB_LIST_AND_VALUES(list, owner_value(owner)), &leased);
	}
	if (txn.result != RESULT_OK)
		return txn.result;
	*mails = POOL_ARRAY(pool, leased.count, struct queued_mail);
	*count = leased.count;
	for (size_t i = 0; i < leased.count; i++)
		(*mails)[i] = mail_from_row(&leased, i);
	return RESULT_OK;
}

enum result
store_renew_mails(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids, size_t count,
    int64_t lease_ms, size_t *renewed)
{
	struct pool *pool = pool_new();
	uint64_t affected = 0;
	const struct db_list list = list_of(pool, ids, count);
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
	const struct db_list list = list_of(pool, ids, count);
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
