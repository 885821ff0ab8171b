/* SPDX-License-Identifier: MIT
 * By hour: the rows of lead_hours are cleared, then leads are counted from the highest number down, so that the latest hours
 * are complete first: batches count leads from `hours_counted_from` on, and pieces move it down. */
#include "store/queue/lead_counts.h"

#include "base/duration.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/sources.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

#define COUNTER_ZERO(type, column, member) #column " = 0, "
#define COUNTER_LEFT(type, column, member) " OR " #column " <> 0"

DB_STATEMENT(sql_select_hours_state, "SELECT hours_counted_from FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_discard_hours, "UPDATE {prefix}campaign_counters SET hours_counted_from = 4294967295 WHERE campaign_id = ?");
DB_STATEMENT(sql_begin_hours,
    "UPDATE {prefix}campaign_counters"
    " SET hours_counted_from = last_subscription_number + 1, referred_verified = 0, referrers = 0 WHERE campaign_id = ?");
DB_STATEMENT(sql_move_hours,
    "UPDATE {prefix}campaign_counters"
    " SET hours_counted_from = ?, referred_verified = referred_verified + ?, referrers = referrers + ? WHERE campaign_id = ?");
/* deleted leads cannot be counted again */
DB_STATEMENT(sql_clear_lead_hours,
    "UPDATE {prefix}lead_hours FORCE INDEX (PRIMARY)"
    " SET " CAMPAIGN_COUNTERS(COUNTER_ZERO) "campaign_id = campaign_id"
					    " WHERE campaign_id = ? AND (FALSE" CAMPAIGN_COUNTERS(
						COUNTER_LEFT) ")"
							      " ORDER BY hour, source_class LIMIT 1000");
DB_STATEMENT(sql_select_piece_of_leads,
    "SELECT MIN(t.subscription_number), COUNT(*), CAST(SUM(t.referred_verified) AS UNSIGNED), CAST(SUM(t.referrer) AS "
    "UNSIGNED) FROM"
    " (SELECT l.subscription_number, " LEAD_IS_REFERRED_VERIFIED " AS referred_verified, " LEAD_HAS_REFERRED " AS referrer"
    " FROM {prefix}leads l FORCE INDEX (by_number)"
    " WHERE l.campaign_id = ? AND l.subscription_number < ?"
    " ORDER BY l.subscription_number DESC LIMIT 1000) t");
DB_STATEMENT(sql_count_lead_hours, "INSERT INTO {prefix}lead_hours (campaign_id, hour, source_class" COUNTER_COLUMN_LIST ")"
				   " SELECT " LEAD_HOUR COUNTED_LEADS " FROM {prefix}leads l FORCE INDEX (by_number)"
				   " WHERE l.campaign_id = ? AND l.subscription_number >= ? AND l.subscription_number < ?"
				   " GROUP BY " LEAD_HOUR ADD_TO_LEAD_HOURS);
DB_STATEMENT(sql_select_uncounted_campaign, "SELECT campaign_id FROM {prefix}campaign_counters"
					    " WHERE campaign_id > ? AND hours_counted_from > 0 ORDER BY campaign_id LIMIT 1");
DB_STATEMENT(sql_select_hours_pass,
    "SELECT CAST(value AS SIGNED) BETWEEN " NOW " - ? AND " NOW " FROM {prefix}installation WHERE name = ?");
DB_STATEMENT(sql_end_hours_pass, "INSERT INTO {prefix}installation (name, value) VALUES ('hours_counted_ms', " NOW ")"
				 " ON DUPLICATE KEY UPDATE value = VALUES(value)");
DB_STATEMENT(sql_select_lead_hours_left, "SELECT campaign_id, hour, source_class FROM {prefix}lead_hours FORCE INDEX (PRIMARY)"
					 " WHERE campaign_id = ? LIMIT 1000");
DB_STATEMENT(sql_delete_lead_hour, "DELETE FROM {prefix}lead_hours WHERE campaign_id = ? AND hour = ? AND source_class = ?");
DB_STATEMENT(sql_select_lead_sources_left,
    "SELECT campaign_id, day, kind, value FROM {prefix}lead_sources FORCE INDEX (PRIMARY)"
    " WHERE campaign_id = ? LIMIT 1000");
DB_STATEMENT(
    sql_delete_lead_source, "DELETE FROM {prefix}lead_sources WHERE campaign_id = ? AND day = ? AND kind = ? AND value = ?");
DB_STATEMENT(sql_select_webhook_hours_left,
    "SELECT webhook_id, hour FROM {prefix}webhook_hours FORCE INDEX (PRIMARY) WHERE webhook_id = ? LIMIT 1000");
DB_STATEMENT(sql_delete_webhook_hour, "DELETE FROM {prefix}webhook_hours WHERE webhook_id = ? AND hour = ?");
DB_STATEMENT(sql_select_hours_of_no_campaign,
    "SELECT h.campaign_id FROM (SELECT DISTINCT campaign_id FROM {prefix}lead_hours) h"
    " LEFT JOIN {prefix}campaign_counters n ON n.campaign_id = h.campaign_id WHERE n.campaign_id IS NULL LIMIT 1");
DB_STATEMENT(sql_select_sources_of_no_campaign,
    "SELECT s.campaign_id FROM (SELECT DISTINCT campaign_id FROM {prefix}lead_sources) s"
    " LEFT JOIN {prefix}campaign_counters n ON n.campaign_id = s.campaign_id WHERE n.campaign_id IS NULL LIMIT 1");
DB_STATEMENT(sql_select_hours_of_no_webhook,
    "SELECT h.webhook_id FROM (SELECT DISTINCT webhook_id FROM {prefix}webhook_hours) h"
    " LEFT JOIN {prefix}webhooks w ON w.id = h.webhook_id WHERE w.id IS NULL LIMIT 1");

DB_STATEMENT(sql_select_campaign_to_count, "SELECT campaign_id FROM {prefix}campaign_counters"
					   " WHERE campaign_id > ? AND sources_counted_to < last_subscription_number"
					   " ORDER BY campaign_id LIMIT 1");
DB_STATEMENT(sql_select_sources_state, "SELECT sources_counted_to, last_subscription_number"
				       " FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_select_sources_of_leads, "SELECT subscription_number, created_ms, source_class, utm, referrer, signup_url"
					  " FROM {prefix}leads FORCE INDEX (by_number)"
					  " WHERE campaign_id = ? AND subscription_number > ? AND subscription_number <= ?"
					  " ORDER BY subscription_number LIMIT 1000");
DB_STATEMENT(sql_check_sources_piece,
    "SELECT n.sources_counted_to, COUNT(l.subscription_number), CAST(COALESCE(SUM(l.subscription_number), 0) AS UNSIGNED)"
    " FROM {prefix}campaign_counters n"
    " LEFT JOIN {prefix}leads l FORCE INDEX (by_number) ON l.campaign_id = n.campaign_id"
    "   AND l.subscription_number > ? AND l.subscription_number <= ?"
    " WHERE n.campaign_id = ?"
    " GROUP BY n.campaign_id");
DB_STATEMENT(sql_move_sources, "UPDATE {prefix}campaign_counters SET sources_counted_to = ? WHERE campaign_id = ?");

/* Leads or rows per transaction, as in the statements; transactions per call; time between two passes. */
enum { PIECE = 1000, PIECES = 20, PASS_MS = 10 * MINUTE_MS };

enum result
store_recount_hours(struct store *store, uint64_t campaign_id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_counters(store, txn.pool, campaign_id);
		if (txn.result == RESULT_OK)
			txn.result = store_run(store, &sql_discard_hours, DB_U64(campaign_id));
	}
	return txn.result;
}

/* When the last row is cleared, counting begins with the next lead. */
static enum result
clear_piece(struct store *store, uint64_t campaign_id)
{
	uint64_t cleared = 0;
	const enum result result = db_execute(store->db, &sql_clear_lead_hours, &DB_VALUES(DB_U64(campaign_id)), &cleared);
	return result == RESULT_OK && cleared < PIECE ? store_run(store, &sql_begin_hours, DB_U64(campaign_id)) : result;
}

static enum result
count_piece(struct store *store, struct pool *pool, uint64_t campaign_id, uint32_t from, bool *done)
{
	enum { LOWEST, LEADS, REFERRED_VERIFIED, REFERRERS };
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_piece_of_leads, DB_U64(campaign_id), DB_U64(from));
	if (result != RESULT_OK)
		return result;
	const uint64_t leads = db_get_u64(&rows, 0, LEADS);
	struct db_value next = DB_U64(0), referred_verified = DB_U64(0), referrers = DB_U64(0);
	*done = leads < PIECE;
	if (leads > 0) {
		const uint64_t lowest = db_get_u64(&rows, 0, LOWEST);
		next = DB_U64(*done ? 0 : lowest);
		referred_verified = DB_U64(db_get_u64(&rows, 0, REFERRED_VERIFIED));
		referrers = DB_U64(db_get_u64(&rows, 0, REFERRERS));
		result = store_run(store, &sql_count_lead_hours, DB_U64(campaign_id), DB_U64(lowest), DB_U64(from));
	}
	return result == RESULT_OK ? store_run(store, &sql_move_hours, next, referred_verified, referrers, DB_U64(campaign_id))
				   : result;
}

static enum result
count_hours(struct store *store, struct pool *pool, uint64_t campaign_id, bool *done)
{
	struct db_rows rows;
	*done = false;
	enum result result = store_lock_counters(store, pool, campaign_id);
	if (result == RESULT_OK)
		result = store_query_one(store, pool, &rows, &sql_select_hours_state, DB_U64(campaign_id));
	if (result != RESULT_OK)
		return result;
	const uint32_t from = store_get_u32(&rows, 0, 0);
	if (from == UINT32_MAX)
		return clear_piece(store, campaign_id);
	if (from > 0)
		return count_piece(store, pool, campaign_id, from, done);
	*done = true;
	return RESULT_OK;
}

enum result
store_count_hours(struct store *store, uint64_t campaign_id, bool *done)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = count_hours(store, txn.pool, campaign_id, done);
	return txn.result;
}

static enum result
drop_rows(struct store *store, struct pool *pool, const struct db_statement *selection, const struct db_statement *deletion,
    uint64_t id, bool *all)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, selection, DB_U64(id));
	*all = rows.count < PIECE;
	return result == RESULT_OK ? db_execute_rows(store->db, deletion, rows.values, rows.columns, rows.count) : result;
}

enum result
store_drop_lead_counts(struct store *store, struct pool *pool, uint64_t campaign_id, bool *all)
{
	bool all_hours, all_sources;
	enum result result =
	    drop_rows(store, pool, &sql_select_lead_hours_left, &sql_delete_lead_hour, campaign_id, &all_hours);
	if (result == RESULT_OK)
		result =
		    drop_rows(store, pool, &sql_select_lead_sources_left, &sql_delete_lead_source, campaign_id, &all_sources);
	*all = result == RESULT_OK && all_hours && all_sources;
	return result;
}

/* Rows left by removed webhooks and campaigns: an attempt may end after its webhook was removed. */
static const struct {
	const struct db_statement *find, *selection, *deletion;
} removed[] = {
	{ &sql_select_hours_of_no_webhook, &sql_select_webhook_hours_left, &sql_delete_webhook_hour },
	{ &sql_select_hours_of_no_campaign, &sql_select_lead_hours_left, &sql_delete_lead_hour },
	{ &sql_select_sources_of_no_campaign, &sql_select_lead_sources_left, &sql_delete_lead_source },
};

static enum result
drop_removed(struct store *store, size_t kind, unsigned *pieces)
{
	bool left = true;
	enum result result = RESULT_OK;
	while (left && *pieces > 0 && result == RESULT_OK) {
		bool all;
		struct db_rows rows;
		struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
		while (store_runs(&txn)) {
			txn.result = store_query(store, txn.pool, &rows, removed[kind].find);
			left = rows.count > 0;
			if (txn.result == RESULT_OK && left)
				txn.result = drop_rows(store, txn.pool, removed[kind].selection, removed[kind].deletion,
				    db_get_u64(&rows, 0, 0), &all);
		}
		result = txn.result;
		(*pieces)--;
	}
	return result;
}

/* Continues rebuilds that were interrupted. */
static enum result
count_campaigns(struct store *store, unsigned *pieces)
{
	uint64_t campaign_id = 0;
	bool found = true;
	enum result result = RESULT_OK;
	while (found && *pieces > 0 && result == RESULT_OK) {
		struct pool *pool = pool_new();
		struct db_rows rows;
		result = store_query(store, pool, &rows, &sql_select_uncounted_campaign, DB_U64(campaign_id));
		found = result == RESULT_OK && rows.count > 0;
		bool done = !found;
		if (found)
			campaign_id = db_get_u64(&rows, 0, 0);
		for (; !done && *pieces > 0 && result == RESULT_OK; (*pieces)--)
			result = store_count_hours(store, campaign_id, &done);
		if (result == RESULT_NOT_FOUND)
			result = RESULT_OK; /* it is being removed */
		pool_free(&pool);
	}
	return result;
}

enum result
store_maintain_hours(struct store *store)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	unsigned pieces = PIECES;
	enum result result =
	    store_query(store, pool, &rows, &sql_select_hours_pass, DB_I64(PASS_MS), db_bytes(SLICE("hours_counted_ms")));
	const bool rests = result == RESULT_OK && rows.count > 0 && db_get_bool(&rows, 0, 0);
	pool_free(&pool);
	if (result != RESULT_OK || rests)
		return result;
	for (size_t i = 0; i < ARRAY_SIZE(removed) && result == RESULT_OK; i++)
		result = drop_removed(store, i, &pieces);
	if (result == RESULT_OK)
		result = count_campaigns(store, &pieces);
	return result == RESULT_OK && pieces > 0 ? store_run(store, &sql_end_hours_pass) : result;
}

/* ---- by source ---- */

/* Leads that are counted together: those of a campaign with numbers above `from`, up to `to`. */
struct sources_piece {
	uint64_t from, to;
	struct lead *leads;
	size_t count;
	uint64_t sum; /* of their numbers */
	bool more;    /* there may be leads above `to` */
};

/* All leads up to the last number are committed. */
static enum result
read_piece_of_sources(struct store *store, struct pool *pool, uint64_t campaign_id, struct sources_piece *piece)
{
	enum { COUNTED_TO, LAST_NUMBER };
	enum { NUMBER, CREATED_MS, SOURCE_CLASS, UTM, REFERRER, SIGNUP_URL };
	struct db_rows state, rows;
	enum result result = store_query_one(store, pool, &state, &sql_select_sources_state, DB_U64(campaign_id));
	if (result != RESULT_OK)
		return result;
	*piece = (struct sources_piece){ .from = db_get_u64(&state, 0, COUNTED_TO), .to = db_get_u64(&state, 0, LAST_NUMBER) };
	result = store_query(
	    store, pool, &rows, &sql_select_sources_of_leads, DB_U64(campaign_id), DB_U64(piece->from), DB_U64(piece->to));
	if (result != RESULT_OK)
		return result;
	piece->leads = POOL_ARRAY(pool, rows.count, struct lead);
	piece->count = rows.count;
	for (size_t i = 0; i < rows.count; i++) {
		piece->leads[i] = (struct lead){ .created_ms = db_get_i64(&rows, i, CREATED_MS),
			.source_class = store_get_u32(&rows, i, SOURCE_CLASS),
			.utm = db_get_bytes(&rows, i, UTM),
			.referrer = db_get_bytes(&rows, i, REFERRER),
			.signup_url = db_get_bytes(&rows, i, SIGNUP_URL) };
		piece->sum += db_get_u64(&rows, i, NUMBER);
	}
	piece->more = rows.count == PIECE;
	if (piece->more)
		piece->to = db_get_u64(&rows, rows.count - 1, NUMBER);
	return RESULT_OK;
}

/* Whether the piece is still to be counted, and as it was read: an import may have added a lead to it. */
static enum result
check_piece_of_sources(struct store *store, struct pool *pool, uint64_t campaign_id, const struct sources_piece *piece)
{
	enum { COUNTED_TO, LEADS, SUM };
	struct db_rows rows;
	const enum result result = store_query_one(
	    store, pool, &rows, &sql_check_sources_piece, DB_U64(piece->from), DB_U64(piece->to), DB_U64(campaign_id));
	if (result != RESULT_OK)
		return result;
	return db_get_u64(&rows, 0, COUNTED_TO) == piece->from && db_get_u64(&rows, 0, LEADS) == piece->count &&
		       db_get_u64(&rows, 0, SUM) == piece->sum
		   ? RESULT_OK
		   : RESULT_CONFLICT;
}

/* The leads are read before the counters are locked, so that sign-ups wait only while the counts are written. */
static enum result
count_piece_of_sources(struct store *store, struct pool *pool, uint64_t campaign_id, bool *more)
{
	struct sources_piece piece;
	enum result result = read_piece_of_sources(store, pool, campaign_id, &piece);
	if (result == RESULT_OK)
		result = store_lock_counters(store, pool, campaign_id);
	if (result == RESULT_OK)
		result = check_piece_of_sources(store, pool, campaign_id, &piece);
	if (result == RESULT_OK)
		result = store_add_sources(store, pool, campaign_id, piece.leads, piece.count);
	if (result != RESULT_OK)
		return result;
	*more = piece.more;
	return store_run(store, &sql_move_sources, DB_U64(piece.to), DB_U64(campaign_id));
}

static enum result
count_sources(struct store *store, uint64_t campaign_id, bool *more)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = count_piece_of_sources(store, txn.pool, campaign_id, more);
	return txn.result;
}

enum result
store_count_sources(struct store *store, struct source_pass *pass, bool *left)
{
	enum result result = RESULT_OK;
	unsigned pieces = PIECES;
	*left = true;
	while (pieces > 0 && *left && result == RESULT_OK) {
		struct pool *pool = pool_new();
		struct db_rows rows;
		bool more = false;
		result = store_query(store, pool, &rows, &sql_select_campaign_to_count, DB_U64(pass->campaign_id));
		if (result == RESULT_OK && rows.count == 0) {
			*left = pass->more;
			*pass = (struct source_pass){ 0 };
		} else if (result == RESULT_OK) {
			pass->campaign_id = db_get_u64(&rows, 0, 0);
			result = count_sources(store, pass->campaign_id, &more);
			pass->more = pass->more || more;
			pieces--;
		}
		if (result == RESULT_NOT_FOUND)
			result = RESULT_OK; /* it is being removed */
		pool_free(&pool);
	}
	return result;
}
