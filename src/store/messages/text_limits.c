/* SPDX-License-Identifier: MIT */
#include "store/messages/text_limits.h"

#include "base/duration.h"
#include "store/messages/mail_outcomes.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* A write, because only writes conflict on several nodes of a cluster. */
DB_STATEMENT(sql_count_sent_code, "UPDATE {prefix}message_channels SET sent = sent + 1 WHERE channel = 'text'");
/* Counts of all codes, and of those of this message's lead. */
DB_STATEMENT(sql_count_codes_of_number,
    "SELECT COUNT(*), " NOW " - MAX(s.sent_ms), " NOW " - MAX(IF(m.lead_id = own.lead_id, s.sent_ms, NULL))"
    " FROM {prefix}sent_codes s FORCE INDEX (by_number)"
    " LEFT JOIN {prefix}messages own ON own.id = ?"
    " LEFT JOIN {prefix}messages m ON m.id = s.message_id"
    " WHERE s.number_hash = ? AND s.sent_ms > " NOW " - 86400000 AND s.message_id <> ?");
DB_STATEMENT(sql_count_codes_of_prefix, "SELECT COUNT(*)"
					" FROM {prefix}sent_codes FORCE INDEX (by_prefix)"
					" WHERE prefix_hash = ? AND sent_ms > " NOW " - 3600000 AND message_id <> ?");
DB_STATEMENT(sql_find_sent_code, "SELECT 1 FROM {prefix}sent_codes WHERE message_id = ? AND campaign_id > 0");
DB_STATEMENT(sql_put_sent_code,
    "INSERT INTO {prefix}sent_codes (message_id, campaign_id, number_hash, prefix_hash, sent_ms)"
    " VALUES (?, ?, ?, ?, " NOW ")"
    " ON DUPLICATE KEY UPDATE campaign_id = GREATEST(campaign_id, VALUES(campaign_id)), number_hash = VALUES(number_hash), "
    "prefix_hash = VALUES(prefix_hash), sent_ms = VALUES(sent_ms)");
DB_STATEMENT(sql_make_text_ready, "UPDATE {prefix}messages SET state = 'ready', composed_ms = " NOW
				  " WHERE id = ? AND state = 'requested' AND lease_owner = ?");

int64_t
text_pause_ms(unsigned sent)
{
	static const int64_t pauses[] = { 0, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS };
	return pauses[sent < ARRAY_SIZE(pauses) ? sent : ARRAY_SIZE(pauses) - 1];
}

static struct db_value
hash_value(const unsigned char *hash)
{
	return db_raw(hash, MAIL_HASH_SIZE);
}

static enum result
check_number(struct store *store, struct pool *pool, const struct text_claim *claim, const struct text_limits *limits,
    enum text_verdict *verdict, int64_t *wait_ms)
{
	const struct db_value id = DB_U64(claim->message_id);
	struct db_rows rows;
	const enum result result =
	    store_query_one(store, pool, &rows, &sql_count_codes_of_number, id, hash_value(claim->number_hash), id);
	if (result != RESULT_OK)
		return result;
	const uint64_t sent = (uint64_t)db_get_i64(&rows, 0, 0);
	const int64_t pause_ms = text_pause_ms((unsigned)sent), own_ms = db_get_time(&rows, 0, 2);
	*wait_ms = sent == 0 ? 0 : pause_ms - db_get_i64(&rows, 0, 1);
	if (sent >= limits->number_per_day)
		*verdict = TEXT_NUMBER_LIMIT;
	else if (*wait_ms > 0)
		*verdict = own_ms >= 0 && own_ms < pause_ms ? TEXT_TOO_SOON : TEXT_EARLY;
	return RESULT_OK;
}

static enum result
check_limits(struct store *store, struct pool *pool, const struct text_claim *claim, const struct text_limits *limits,
    enum text_verdict *verdict, int64_t *wait_ms)
{
	uint64_t sent;
	enum result result = check_number(store, pool, claim, limits, verdict, wait_ms);
	if (result != RESULT_OK || *verdict != TEXT_PASSES)
		return result;
	result = store_read_number(
	    store, &sent, &sql_count_codes_of_prefix, hash_value(claim->prefix_hash), DB_U64(claim->message_id));
	if (result == RESULT_OK && sent >= limits->prefix_per_hour)
		*verdict = TEXT_PREFIX_LIMIT;
	return result;
}

/* Counts the text towards the hourly limits. */
static enum result
add_sending(struct store *store, struct pool *pool, const struct text_claim *claim, const struct text_limits *limits,
    enum text_verdict *verdict)
{
	static const enum text_verdict reached[] = { [SENDINGS_OF_ALL] = TEXT_INSTALLATION_LIMIT,
		[SENDINGS_OF_ACCOUNT] = TEXT_ACCOUNT_LIMIT,
		[SENDINGS_OF_CAMPAIGN] = TEXT_CAMPAIGN_LIMIT,
		[SENDING_SCOPES] = TEXT_PASSES };
	struct sender_count sender = { .account_id = claim->account_id, .campaign_id = claim->campaign_id };
	const enum result result = store_read_sendings(store, pool, TEXT_CHANNEL, &sender, 1);
	if (result != RESULT_OK)
		return result;
	*verdict = reached[sendings_reached(&limits->per_hour, &sender.sent)];
	return *verdict == TEXT_PASSES ? store_add_sending(store, TEXT_CHANNEL, claim->account_id, claim->campaign_id)
				       : RESULT_OK;
}

/* Counts the text towards the hourly limits, unless it was counted before, and makes its request ready. */
static enum result
claim_sending(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE],
    const struct text_claim *claim, const struct text_limits *limits, enum text_verdict *verdict)
{
	const struct db_value message = DB_U64(claim->message_id);
	enum result result = store_exists(store, &sql_find_sent_code, message);
	const bool was_counted = result == RESULT_OK;
	if (result == RESULT_NOT_FOUND)
		result = add_sending(store, pool, claim, limits, verdict);
	if (result != RESULT_OK || *verdict != TEXT_PASSES)
		return result;
	*verdict = was_counted ? TEXT_PASSES_AGAIN : TEXT_PASSES;
	return store_change_one(store, &sql_make_text_ready, message, db_raw(owner, MAIL_OWNER_SIZE));
}

enum result
store_claim_text(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct text_claim *claim,
    const struct text_limits *limits, enum text_verdict *verdict, int64_t *wait_ms)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		*verdict = TEXT_PASSES;
		/* the row of the channel is locked first: one transaction counts at a time */
		txn.result = store_run(store, &sql_count_sent_code);
		if (txn.result == RESULT_OK)
			txn.result = check_limits(store, txn.pool, claim, limits, verdict, wait_ms);
		if (txn.result == RESULT_OK && *verdict == TEXT_PASSES && claim->campaign_id != 0)
			txn.result = claim_sending(store, txn.pool, owner, claim, limits, verdict);
		if (txn.result == RESULT_OK && (*verdict == TEXT_PASSES || *verdict == TEXT_PASSES_AGAIN))
			txn.result = store_run(store, &sql_put_sent_code, DB_U64(claim->message_id), DB_U64(claim->campaign_id),
			    hash_value(claim->number_hash), hash_value(claim->prefix_hash));
	}
	return txn.result;
}
