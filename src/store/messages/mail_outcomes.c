/* SPDX-License-Identifier: MIT */
#include "store/messages/mail_outcomes.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* Mails that were handed over, or still may be. A mail that a page has requested for an address counts no matter what became of
 * it: otherwise it would show whether the address belongs to a lead. */
#define COUNTS "(state NOT IN ('failed', 'dropped') OR requested_for IS NOT NULL)"
DB_STATEMENT(sql_count_mails_of_recipient, "SELECT COUNT(*), " NOW " - MAX(composed_ms)"
					   " FROM {prefix}messages FORCE INDEX (by_recipient)"
					   " WHERE recipient_hash = ? AND composed_ms > " NOW " - 86400000 AND " COUNTS);
DB_STATEMENT(sql_select_mails_of_lead,
    "SELECT " NOW " - composed_ms"
    " FROM {prefix}messages FORCE INDEX (by_recipient)"
    " WHERE recipient_hash = ? AND kind = ? AND id <> ? AND ? IN (0, lead_id)"
    " AND ? IN (0, IF(requested_for IS NULL, 0, campaign_id)) AND " COUNTS " ORDER BY composed_ms DESC LIMIT ?");
DB_STATEMENT(sql_count_mail, "UPDATE {prefix}messages SET recipient_hash = ?, composed_ms = " NOW
			     " WHERE id = ? AND state = 'requested' AND composed_ms IS NULL AND lease_owner = ?");
DB_STATEMENT(sql_make_message_ready,
    "UPDATE {prefix}messages"
    " SET state = 'ready', recipient_hash = ?, recipient = ?, message_id = ?, content = ?, composed_ms = " NOW
    " WHERE id = ? AND state = 'requested' AND lease_owner = ?");
DB_STATEMENT(sql_uncount_code, "DELETE FROM {prefix}sent_codes WHERE message_id = ?");
DB_STATEMENT(sql_record_mail_outcome,
    "UPDATE {prefix}messages"
    " SET state = ?, attempts = LEAST(attempts + ?, 65535), first_attempt_ms = IF(?, COALESCE(first_attempt_ms, " NOW "),"
    " first_attempt_ms), crashes = 0, lease_owner = NULL, due_ms = " NOW " + ?, last_status = COALESCE(?, last_status),"
    " last_answer = COALESCE(?, last_answer), reason = ?, sent_ms = IF(?, " NOW ", sent_ms), ended_ms = IF(?, " NOW ", NULL),"
    " turn = IF(?, NULL, turn)"
    " WHERE id = ? AND turn IS NOT NULL AND (lease_owner = ? OR ?)");
DB_STATEMENT(sql_bring_forward,
    "UPDATE {prefix}messages FORCE INDEX (by_lead)"
    " SET due_ms = " NOW " WHERE lead_id = ? AND kind = ? AND state = 'ready' AND attempts > 0 AND lease_owner IS NULL"
    " AND due_ms > " NOW);
DB_STATEMENT(sql_mark_bounced,
    "UPDATE {prefix}leads FORCE INDEX (PRIMARY) SET bounced = TRUE WHERE id = ? AND campaign_id = ? AND email_key = ?");
DB_STATEMENT(sql_hold_mail, "UPDATE {prefix}message_channels"
			    " SET failures = ?, held_until_ms = " NOW " + ?, held_since_ms = COALESCE(held_since_ms, " NOW "),"
			    " reason = ?, answer = ?"
			    " WHERE channel = ?");
DB_STATEMENT(sql_note_refusal, "UPDATE {prefix}message_channels"
			       " SET refused_ms = " NOW ", refused_reason = ?, refused_answer = ?"
			       " WHERE channel = ?");
DB_STATEMENT(sql_resume_mail, "UPDATE {prefix}message_channels"
			      " SET failures = 0, held_until_ms = 0, held_since_ms = NULL, reason = NULL, answer = NULL"
			      " WHERE channel = ?");

static const struct slice state_names[MESSAGE_STATES] = {
	[MESSAGE_REQUESTED] = SLICE("requested"),
	[MESSAGE_READY] = SLICE("ready"),
	[MESSAGE_SENT] = SLICE("sent"),
	[MESSAGE_FAILED] = SLICE("failed"),
	[MESSAGE_DROPPED] = SLICE("dropped"),
};

struct slice
message_state_name(enum message_state state)
{
	return state_names[state];
}

bool
message_state_parse(struct slice name, enum message_state *state)
{
	for (size_t i = 0; i < MESSAGE_STATES; i++)
		if (slice_equal(name, state_names[i])) {
			*state = (enum message_state)i;
			return true;
		}
	return false;
}

enum result
store_count_mails(
    struct store *store, const unsigned char recipient_hash[MAIL_HASH_SIZE], unsigned *last_day, int64_t *youngest_ms)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result =
	    store_query_one(store, pool, &rows, &sql_count_mails_of_recipient, db_raw(recipient_hash, MAIL_HASH_SIZE));
	if (result == RESULT_OK) {
		*last_day = (unsigned)db_get_i64(&rows, 0, 0);
		*youngest_ms = db_get_time(&rows, 0, 1);
	}
	pool_free(&pool);
	return result;
}

enum result
store_mail_ages(struct store *store, const struct mails_of_kind *mails, int64_t *ages_ms, size_t max, size_t *count)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result =
	    store_query(store, pool, &rows, &sql_select_mails_of_lead, db_raw(mails->recipient_hash, MAIL_HASH_SIZE),
		DB_U64(mails->kind), DB_U64(mails->except), DB_U64(mails->lead_id), DB_U64(mails->requested_for), DB_U64(max));
	*count = result == RESULT_OK ? rows.count : 0;
	for (size_t i = 0; i < *count; i++)
		ages_ms[i] = db_get_i64(&rows, i, 0);
	pool_free(&pool);
	return result;
}

enum result
store_count_mail(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct queued_mail *mail)
{
	const struct slice hash = slice_sub(mail->requested_for, 0, MAIL_HASH_SIZE);
	return store_change_one(store, &sql_count_mail, db_bytes(hash), DB_U64(mail->id), db_raw(owner, MAIL_OWNER_SIZE));
}

enum result
store_mail_ready(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct ready_mail *mail)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_change_one(store, &sql_make_message_ready, db_raw(mail->recipient_hash, MAIL_HASH_SIZE),
		    db_bytes(mail->recipient), db_bytes(mail->message_id), db_bytes(mail->content), DB_U64(mail->id),
		    db_raw(owner, MAIL_OWNER_SIZE));
		if (txn.result == RESULT_OK && slice_present(mail->code))
			txn.result = lead_code_put(store, &mail->code_for, mail->code, CODE_RESETS_TRIES);
	}
	return txn.result;
}

enum result
store_mail_outcome(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct mail_outcome *outcome)
{
	const bool ended = outcome->state != MESSAGE_REQUESTED && outcome->state != MESSAGE_READY;
	const bool sent = outcome->state == MESSAGE_SENT;
	const bool counts = sent && outcome->campaign_id != 0;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_change_one(store, &sql_record_mail_outcome, db_bytes(message_state_name(outcome->state)),
		    DB_BOOL(outcome->attempted), DB_BOOL(outcome->attempted), DB_I64(outcome->delay_ms),
		    outcome->status == 0 ? DB_NONE : DB_U64((uint64_t)outcome->status),
		    db_bytes(slice_present(outcome->answer) ? slice_sub(outcome->answer, 0, MAIL_ANSWER_MAX) : SLICE_NONE),
		    db_bytes(outcome->reason), DB_BOOL(counts), DB_BOOL(ended), DB_BOOL(ended), DB_U64(outcome->id),
		    db_raw(owner, MAIL_OWNER_SIZE), DB_BOOL(sent));
		if (txn.result == RESULT_OK && counts)
			txn.result = store_add_sending(store, MAIL_CHANNEL, outcome->account_id, outcome->campaign_id);
		if (txn.result == RESULT_OK && outcome->uncounts)
			txn.result = store_run(store, &sql_uncount_code, DB_U64(outcome->id));
	}
	return txn.result;
}

enum result
store_bring_mail_forward(struct store *store, const struct queued_mail *mail)
{
	return store_run(store, &sql_bring_forward, DB_U64(mail->lead_id), DB_U64(mail->kind));
}

/* A batch that has loaded the lead would write the old flag back, so the campaign's lock is taken first. */
enum result
store_mail_bounced(struct store *store, uint64_t campaign_id, uint64_t lead_id, struct slice email_key)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_counters(store, txn.pool, campaign_id);
		if (txn.result == RESULT_OK)
			txn.result =
			    store_run(store, &sql_mark_bounced, DB_U64(lead_id), DB_U64(campaign_id), db_bytes(email_key));
	}
	return txn.result == RESULT_NOT_FOUND ? RESULT_OK : txn.result;
}

enum result
store_hold_mail(struct store *store, enum message_channel channel, unsigned failures, int64_t hold_ms, struct slice reason,
    struct slice answer)
{
	return store_run(store, &sql_hold_mail, DB_U64(failures), DB_I64(hold_ms), db_bytes(reason),
	    db_bytes(slice_present(answer) ? slice_sub(answer, 0, MAIL_ANSWER_MAX) : SLICE_NONE),
	    db_bytes(message_channel_name(channel)));
}

enum result
store_note_refusal(struct store *store, enum message_channel channel, struct slice reason, struct slice answer)
{
	return store_run(store, &sql_note_refusal, db_bytes(reason), db_bytes(slice_sub(answer, 0, MAIL_ANSWER_MAX)),
	    db_bytes(message_channel_name(channel)));
}

enum result
store_resume_mail(struct store *store, enum message_channel channel)
{
	return store_run(store, &sql_resume_mail, db_bytes(message_channel_name(channel)));
}
