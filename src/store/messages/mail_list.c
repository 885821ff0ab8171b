/* SPDX-License-Identifier: MIT */
#include "store/messages/mail_list.h"

#include "os/log.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define MAIL_COLUMNS                                                                                                     \
	"m.id, m.campaign_id, l.social_id, m.kind, m.ref, m.state, m.attempts, m.crashes, m.lease_owner IS NOT NULL AND" \
	" m.due_ms > " NOW ", m.turn IS NOT NULL AND m.due_ms <= " NOW                                                   \
	", m.created_ms, IF(m.turn IS NULL, NULL, m.due_ms), m.sent_ms, m.ended_ms, m.recipient,"                        \
	" m.message_id, m.last_status, m.last_answer, m.reason"

#define FROM_MESSAGES(index) " FROM {prefix}messages m FORCE INDEX (" index ") LEFT JOIN {prefix}leads l ON l.id = m.lead_id"

DB_STATEMENT(sql_select_mails, "SELECT " MAIL_COLUMNS FROM_MESSAGES("PRIMARY") " WHERE m.id < ? ORDER BY m.id DESC LIMIT ?");
DB_STATEMENT(sql_select_mails_of_campaign,
    "SELECT " MAIL_COLUMNS FROM_MESSAGES("by_campaign") " WHERE m.campaign_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?");
DB_STATEMENT(sql_select_mail, "SELECT " MAIL_COLUMNS ", m.content" FROM_MESSAGES("PRIMARY") " WHERE m.id = ?");
DB_STATEMENT(sql_lock_message,
    "SELECT kind, state, lease_owner IS NOT NULL AND due_ms > " NOW ", content IS NOT NULL, message_id IS NOT NULL, lead_id,"
    " campaign_id, ref FROM {prefix}messages WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_requeue_message,
    "UPDATE {prefix}messages"
    " SET due_ms = " NOW ", first_attempt_ms = NULL, crashes = 0, lease_owner = NULL, reason = NULL"
    " WHERE id = ?");
DB_STATEMENT(sql_count_repeats,
    "SELECT COUNT(m.id) FROM {prefix}leads l"
    " LEFT JOIN {prefix}messages m FORCE INDEX (by_lead) ON m.lead_id = l.id AND m.repeats IS NOT NULL"
    " AND m.created_ms > " NOW " - 86400000"
    " WHERE l.id = ? GROUP BY l.id");
DB_STATEMENT(sql_repeat_message,
    "INSERT INTO {prefix}messages (id, campaign_id, lead_id, kind, ref, turn, state, created_ms, due_ms, repeats)"
    " VALUES (?, ?, ?, ?, ?, ?, 'requested', " NOW ", " NOW ", ?)");
DB_STATEMENT(sql_count_messages, "SELECT COUNT(*), MIN(IF(due_ms <= " NOW ", due_ms, NULL))"
				 " FROM {prefix}messages FORCE INDEX (by_turn) WHERE turn IN (0, 1)");
DB_STATEMENT(sql_select_contents_removed,
    "SELECT contents_removed_ms, " NOW " - ? FROM {prefix}message_channels WHERE channel = 'mail'");
DB_STATEMENT(sql_select_old_contents, "SELECT id, ended_ms FROM {prefix}messages FORCE INDEX (by_end)"
				      " WHERE ended_ms >= ? AND ended_ms <= ?"
				      "   AND (content IS NOT NULL OR recipient IS NOT NULL OR last_answer IS NOT NULL)"
				      " ORDER BY ended_ms LIMIT ?");
/* an answer may repeat addresses and numbers */
DB_STATEMENT(sql_remove_contents,
    "UPDATE " ROWS_WITH_IDS("messages") " SET t.content = NULL, t.recipient = NULL, t.last_answer = NULL"
					" WHERE t.turn IS NULL");
DB_STATEMENT(sql_note_contents_removed, "UPDATE {prefix}message_channels SET contents_removed_ms = ? WHERE channel = 'mail'");
DB_STATEMENT(sql_delete_old_messages, "DELETE FROM {prefix}messages WHERE ended_ms < " NOW " - ? LIMIT ?");

/* Columns: MAIL_COLUMNS. */
static struct mail_row
read_mail(struct row_reader *r)
{
	struct mail_row mail = { .id = row_u64(r), .state = MESSAGE_FAILED };
	mail.campaign_id = row_u64(r);
	mail.lead_social_id = row_bytes(r);
	mail.kind = row_u32(r);
	mail.ref = row_u64(r);
	if (!message_state_parse(row_bytes(r), &mail.state))
		log_error("unknown_state", LOG_UINT("message", mail.id));
	mail.attempts = row_u32(r);
	mail.crashes = row_u32(r);
	mail.leased = row_bool(r);
	mail.is_due = row_bool(r);
	mail.created_ms = row_i64(r);
	mail.due_ms = row_time(r);
	mail.sent_ms = row_time(r);
	mail.ended_ms = row_time(r);
	mail.recipient = row_bytes(r);
	mail.message_id = row_bytes(r);
	mail.last_status = row_status(r);
	mail.last_answer = row_bytes(r);
	mail.reason = row_bytes(r);
	return mail;
}

static bool
is_wanted(const struct mail_filter *filter, const struct mail_row *mail)
{
	return (filter->state < 0 || mail->state == (enum message_state)filter->state) &&
	       (filter->kind < 0 || mail->kind == (unsigned)filter->kind);
}

static enum result
select_mails(struct store *store, struct pool *pool, const struct mail_filter *filter, uint64_t below, struct db_rows *rows)
{
	const struct db_value limit = DB_U64(MAILS_PIECE);
	if (filter->campaign_id == 0)
		return store_query(store, pool, rows, &sql_select_mails, DB_U64(below), limit);
	return store_query(store, pool, rows, &sql_select_mails_of_campaign, DB_U64(filter->campaign_id), DB_U64(below), limit);
}

enum result
store_list_mails(struct store *store, struct pool *pool, const struct mail_filter *filter, struct mail_list *list)
{
	uint64_t below = filter->after == 0 ? INT64_MAX : filter->after;
	size_t capacity = 0, examined = 0, size = MAILS_PIECE;
	enum result result = RESULT_OK;
	*list = (struct mail_list){ 0 };
	while (result == RESULT_OK && size == MAILS_PIECE && examined < MAILS_EXAMINED && list->count < filter->limit) {
		struct db_rows rows;
		size_t row = 0;
		result = select_mails(store, pool, filter, below, &rows);
		size = rows.count;
		examined += size;
		for (; result == RESULT_OK && row < size && list->count < filter->limit; row++) {
			const struct mail_row mail = read_mail(ROW(&rows, row));
			below = mail.id;
			if (!is_wanted(filter, &mail))
				continue;
			list->mails = pool_grow(pool, list->mails, list->count, &capacity, sizeof(*list->mails));
			list->mails[list->count++] = mail;
		}
		list->next = size == MAILS_PIECE || row < size ? below : 0;
	}
	return result;
}

enum result
store_find_mail(struct store *store, struct pool *pool, uint64_t id, struct mail_row *mail, struct slice *content)
{
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_mail, DB_U64(id));
	if (result != RESULT_OK)
		return result;
	struct row_reader *r = ROW(&rows, 0);
	*mail = read_mail(r);
	*content = row_bytes(r);
	return RESULT_OK;
}

enum { LOCKED_KIND, LOCKED_STATE, LOCKED_LEASED, LOCKED_CONTENT, LOCKED_COMPOSED, LOCKED_LEAD, LOCKED_CAMPAIGN, LOCKED_REF };

/* Locks the message. *has_ended: a new message is requested instead. If several messages of a lead are repeated at the same
 * time, their maximum may be exceeded by a few: the limits of the address still hold. */
static enum result
judge_again(struct store *store, struct pool *pool, uint64_t id, struct db_rows *rows, enum mail_again *what, bool *has_ended)
{
	struct db_rows repeats;
	enum message_state state = MESSAGE_FAILED;
	enum result result = store_query_one(store, pool, rows, &sql_lock_message, DB_U64(id));
	*what = MAIL_MISSING;
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_OK : result;
	if (!message_state_parse(db_get_bytes(rows, 0, LOCKED_STATE), &state))
		return RESULT_FAILED;
	*has_ended = state != MESSAGE_REQUESTED && state != MESSAGE_READY;
	*what = MAIL_QUEUED;
	if (db_get_u64(rows, 0, LOCKED_KIND) == MESSAGE_CODE)
		*what = MAIL_IS_TEXT;
	else if (db_get_bool(rows, 0, LOCKED_LEASED))
		*what = MAIL_LEASED;
	else if (*has_ended && db_get_bool(rows, 0, LOCKED_COMPOSED) && !db_get_bool(rows, 0, LOCKED_CONTENT))
		*what = MAIL_NO_CONTENT;
	if (*what != MAIL_QUEUED || !*has_ended)
		return RESULT_OK;
	result = store_query_one(store, pool, &repeats, &sql_count_repeats, DB_U64(db_get_u64(rows, 0, LOCKED_LEAD)));
	if (result == RESULT_NOT_FOUND)
		*what = MAIL_NO_LEAD;
	else if (result == RESULT_OK && db_get_i64(&repeats, 0, 0) >= MAIL_REPEATS_MAX)
		*what = MAIL_ENOUGH;
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static enum result
send_again(struct store *store, struct pool *pool, uint64_t id, enum mail_again *what)
{
	struct db_rows rows;
	bool has_ended = false;
	uint64_t new_id;
	enum result result = judge_again(store, pool, id, &rows, what, &has_ended);
	if (result != RESULT_OK || *what != MAIL_QUEUED)
		return result;
	if (!has_ended)
		return store_change_one(store, &sql_requeue_message, DB_U64(id));
	result = store_next_ids(store, pool, ID_MESSAGE, 1, &new_id);
	const enum message_kind kind = (enum message_kind)db_get_u64(&rows, 0, LOCKED_KIND);
	return result != RESULT_OK
		   ? result
		   : store_run(store, &sql_repeat_message, DB_U64(new_id), DB_U64(db_get_u64(&rows, 0, LOCKED_CAMPAIGN)),
			 DB_U64(db_get_u64(&rows, 0, LOCKED_LEAD)), DB_U64(kind), DB_U64(db_get_u64(&rows, 0, LOCKED_REF)),
			 DB_U64(message_turn(kind)), DB_U64(id));
}

enum result
store_mail_again(struct store *store, uint64_t id, enum mail_again *what)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = send_again(store, txn.pool, id, what);
	return txn.result;
}

enum result
store_count_pending_mails(struct store *store, struct mail_counts *counts)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_count_messages);
	if (result == RESULT_OK)
		*counts = (struct mail_counts){ (uint64_t)db_get_i64(&rows, 0, 0), db_get_time(&rows, 0, 1) };
	pool_free(&pool);
	return result;
}

/* ---- clean-up ---- */

/* Rows per transaction, and transactions per call. A content may have some hundred kilobytes. */
enum { CONTENT_CHUNK = 100, ROW_CHUNK = 500, CHUNKS = 20 };

enum { REMOVED_MS, REMOVE_TO_MS };

/* *left: there may be more. */
static enum result
remove_contents(struct store *store, struct pool *pool, bool *left)
{
	struct db_rows times, rows;
	*left = false;
	enum result result = store_query_one(store, pool, &times, &sql_select_contents_removed, DB_I64(MAIL_CONTENT_MS));
	if (result != RESULT_OK)
		return result;
	result = store_query(store, pool, &rows, &sql_select_old_contents, DB_I64(db_get_i64(&times, 0, REMOVED_MS)),
	    DB_I64(db_get_i64(&times, 0, REMOVE_TO_MS)), DB_U64(CONTENT_CHUNK));
	if (result != RESULT_OK || rows.count == 0)
		return result;
	*left = rows.count == CONTENT_CHUNK;
	result = store_run_on_ids(store, &sql_remove_contents, store_column_list(pool, &rows, 0).values, rows.count, NULL);
	return result == RESULT_OK ? store_run(store, &sql_note_contents_removed, DB_I64(db_get_i64(&rows, rows.count - 1, 1)))
				   : result;
}

enum result
store_clean_up_mails(struct store *store, int64_t retention_ms)
{
	enum result result = RESULT_OK;
	bool left = true;
	uint64_t deleted = ROW_CHUNK;
	for (unsigned i = 0; i < CHUNKS && result == RESULT_OK && left; i++) {
		struct pool *pool = pool_new();
		result = remove_contents(store, pool, &left);
		pool_free(&pool);
	}
	for (unsigned i = 0; i < CHUNKS && result == RESULT_OK && deleted == ROW_CHUNK && retention_ms > 0; i++)
		result = db_execute(
		    store->db, &sql_delete_old_messages, &DB_VALUES(DB_I64(retention_ms), DB_U64(ROW_CHUNK)), &deleted);
	return result;
}
