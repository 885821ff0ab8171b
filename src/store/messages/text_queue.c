/* SPDX-License-Identifier: MIT
 * Due texts, and the limits of codes. */
#include "store/messages/text_queue.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* by_turn makes this one probe for each campaign with something pending */
DB_STATEMENT_ANEW(sql_select_text_campaigns, "SELECT campaign_id, MIN(due_ms) - (" NOW ")"
					     " FROM {prefix}messages FORCE INDEX (by_turn)"
					     " WHERE turn = 2"
					     " GROUP BY campaign_id");
/* A write, because only writes conflict on several nodes of a cluster. */
DB_STATEMENT(sql_count_sent_code, "UPDATE {prefix}message_channels SET sent = sent + 1 WHERE channel = 'text'");
DB_STATEMENT(sql_count_codes_of_number, "SELECT COUNT(*), " NOW " - MAX(sent_ms)"
					" FROM {prefix}sent_codes FORCE INDEX (by_number)"
					" WHERE number_hash = ? AND sent_ms > " NOW " - 86400000 AND message_id <> ?");
DB_STATEMENT(sql_count_codes_of_prefix, "SELECT COUNT(*)"
					" FROM {prefix}sent_codes FORCE INDEX (by_prefix)"
					" WHERE prefix_hash = ? AND sent_ms > " NOW " - 3600000 AND message_id <> ?");
/* counts no further than the limit */
DB_STATEMENT(sql_count_codes_of_campaign,
    "SELECT COUNT(*)"
    " FROM (SELECT 1 FROM {prefix}sent_codes FORCE INDEX (by_campaign)"
    "   WHERE campaign_id = ? AND sent_ms > " NOW " - 3600000 AND message_id <> ? LIMIT ?) s");
DB_STATEMENT(sql_find_sent_code, "SELECT 1 FROM {prefix}sent_codes WHERE message_id = ?");
DB_STATEMENT(sql_put_sent_code,
    "INSERT INTO {prefix}sent_codes (message_id, campaign_id, number_hash, prefix_hash, sent_ms)"
    " VALUES (?, ?, ?, ?, " NOW ")"
    " ON DUPLICATE KEY UPDATE number_hash = VALUES(number_hash), prefix_hash = VALUES(prefix_hash), sent_ms = VALUES(sent_ms)");
DB_STATEMENT(sql_make_text_ready, "UPDATE {prefix}messages SET state = 'ready', composed_ms = " NOW
				  " WHERE id = ? AND state = 'requested' AND lease_owner = ?");

store_statement_list sql_of_text_queue = { &sql_select_text_campaigns, &sql_count_sent_code, &sql_count_codes_of_number,
	&sql_count_codes_of_prefix, &sql_count_codes_of_campaign, &sql_find_sent_code, &sql_put_sent_code, &sql_make_text_ready,
	NULL };

enum { DUE_CAMPAIGN, DUE_IN_MS };

/* One of each campaign: a campaign with many does not delay those of others. */
enum result
store_find_due_texts(
    struct store *store, struct pool *pool, uint64_t after, size_t limit, struct due_text **texts, size_t *count)
{
	struct db_rows rows;
	struct due_mail *found = NULL;
	size_t wanted = 0, found_count = 0;
	*count = 0;
	*texts = POOL_ARRAY(pool, limit, struct due_text);
	enum result result = store_query(store, pool, &rows, &sql_select_text_campaigns);
	if (result != RESULT_OK)
		return result;
	struct mail_request *requests = POOL_ARRAY(pool, limit, struct mail_request);
	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < rows.count && wanted < limit; i++) {
			const uint64_t campaign_id = db_get_u64(&rows, i, DUE_CAMPAIGN);
			if (db_get_i64(&rows, i, DUE_IN_MS) <= 0 && (campaign_id > after) == (round == 0))
				requests[wanted++] = (struct mail_request){ campaign_id, TEXT_TURN, 1 };
		}
	result = store_find_due_mails(store, pool, requests, wanted, &found, &found_count);
	for (size_t i = 0; result == RESULT_OK && i < found_count; i++)
		(*texts)[(*count)++] = (struct due_text){ found[i].id, requests[found[i].request].campaign_id };
	return result;
}

/* ---- limits ---- */

int64_t
text_pause_ms(unsigned sent)
{
	enum { MINUTE_MS = 60 * 1000 };
	static const int64_t pauses[] = { 0, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS };
	return pauses[sent < ARRAY_SIZE(pauses) ? sent : ARRAY_SIZE(pauses) - 1];
}

static struct db_value
hash_value(const unsigned char *hash)
{
	return db_bytes((struct slice){ (const char *)hash, MAIL_HASH_SIZE });
}

static enum result
check_number(struct store *store, struct pool *pool, const struct text_claim *claim, const struct text_limits *limits,
    enum text_verdict *verdict)
{
	struct db_rows rows;
	const enum result result = store_query_one(
	    store, pool, &rows, &sql_count_codes_of_number, hash_value(claim->number_hash), DB_U64(claim->message_id));
	if (result != RESULT_OK)
		return result;
	const uint64_t sent = (uint64_t)db_get_i64(&rows, 0, 0);
	if (sent >= limits->number_per_day)
		*verdict = TEXT_NUMBER_LIMIT;
	else if (sent > 0 && db_get_i64(&rows, 0, 1) < text_pause_ms((unsigned)sent))
		*verdict = TEXT_TOO_SOON;
	return RESULT_OK;
}

static enum result
check_limits(struct store *store, struct pool *pool, const struct text_claim *claim, const struct text_limits *limits,
    enum text_verdict *verdict)
{
	struct db_rows rows;
	enum result result = check_number(store, pool, claim, limits, verdict);
	if (result != RESULT_OK || *verdict != TEXT_PASSES)
		return result;
	result = store_query_one(
	    store, pool, &rows, &sql_count_codes_of_prefix, hash_value(claim->prefix_hash), DB_U64(claim->message_id));
	if (result == RESULT_OK && db_get_i64(&rows, 0, 0) >= (int64_t)limits->prefix_per_hour)
		*verdict = TEXT_PREFIX_LIMIT;
	if (result != RESULT_OK || *verdict != TEXT_PASSES)
		return result;
	result = store_query_one(store, pool, &rows, &sql_count_codes_of_campaign, DB_U64(claim->campaign_id),
	    DB_U64(claim->message_id), DB_U64(limits->campaign_per_hour));
	if (result == RESULT_OK && db_get_i64(&rows, 0, 0) >= (int64_t)limits->campaign_per_hour)
		*verdict = TEXT_CAMPAIGN_LIMIT;
	return result;
}

/* The row of the channel is locked first: one transaction counts at a time. */
static enum result
claim_text(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE], const struct text_claim *claim,
    const struct text_limits *limits, enum text_verdict *verdict)
{
	*verdict = TEXT_PASSES;
	enum result result = store_run(store, &sql_count_sent_code);
	if (result == RESULT_OK)
		result = check_limits(store, pool, claim, limits, verdict);
	if (result != RESULT_OK || *verdict != TEXT_PASSES)
		return result;
	const struct db_value message = DB_U64(claim->message_id);
	result = store_change_one(
	    store, &sql_make_text_ready, message, db_bytes((struct slice){ (const char *)owner, MAIL_OWNER_SIZE }));
	if (result != RESULT_OK)
		return result;
	result = store_exists(store, &sql_find_sent_code, message);
	if (result == RESULT_OK)
		*verdict = TEXT_PASSES_AGAIN;
	else if (result != RESULT_NOT_FOUND)
		return result;
	return store_run(store, &sql_put_sent_code, message, DB_U64(claim->campaign_id), hash_value(claim->number_hash),
	    hash_value(claim->prefix_hash));
}

enum result
store_claim_text(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct text_claim *claim,
    const struct text_limits *limits, enum text_verdict *verdict)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = claim_text(store, txn.pool, owner, claim, limits, verdict);
	return txn.result;
}
