/* SPDX-License-Identifier: MIT
 * What is stored about a person, as JSON that the server makes of the rows: what an erasure would delete. */
#include "store/query.h"
#include "store/removal/pattern.h"
#include "store/removal/people.h"
#include "store/removal/removal.h"
#include "store/statements.h"

#define TIME(column) "DATE_FORMAT(TIMESTAMPADD(MICROSECOND, " column " * 1000, '1970-01-01'), '%Y-%m-%dT%H:%i:%sZ')"
#define BOOLEAN(column) "JSON_COMPACT(IF(" column ", 'true', 'false'))"
/* A column that has JSON already, or is NULL. */
#define JSON(column) "JSON_COMPACT(CONVERT(COALESCE(NULLIF(" column ", ''), 'null') USING utf8mb4))"
#define TEXT(column) "CONVERT(" column " USING utf8mb4)"

/* clang-format off */
DB_STATEMENT(sql_report_lead,
    "SELECT JSON_OBJECT('id', id, 'campaign_id', campaign_id, 'social_id', " TEXT("social_id")
    ", 'subscription_number', subscription_number, 'signed_up_at', " TIME("created_ms") ", 'updated_at', " TIME("updated_ms")
    ", 'email', email, 'phone_number', " TEXT("phone")
    ", 'verified_email', " BOOLEAN("verified_email") ", 'verified_phone_number', " BOOLEAN("verified_phone")
    ", 'opted_out', " BOOLEAN("opted_out") ", 'sms_opted_out', " BOOLEAN("sms_opted_out")
    ", 'waitlisted', " BOOLEAN("waitlisted") ", 'fraudulent', " BOOLEAN("fraudulent")
    ", 'fraud_flags', " JSON("fraud_flags") ", 'bounced', " BOOLEAN("bounced")
    ", 'custom_fields', " JSON("custom_fields") ", 'utm', " JSON("utm")
    ", 'uid', uid, 'redirect_url', redirect_url, 'ip', " TEXT("ip") ", 'user_agent', user_agent, 'referrer', referrer"
    ", 'source', source, 'signup_url', signup_url, 'session_id', session_id, 'request_id', request_id"
    ", 'contest_score', score, 'referrals', referrals, 'tag_ids', tag_ids, 'action_ids', action_ids, 'reward_ids', reward_ids)"
    " FROM {prefix}leads WHERE id = ?");
DB_STATEMENT(sql_report_ledger,
    "SELECT JSON_OBJECT('at', " TIME("created_ms") ", 'reason', reason, 'points', delta, 'message', message)"
    " FROM {prefix}score_entries WHERE lead_id = ? ORDER BY created_ms");
DB_STATEMENT(sql_report_referrers,
    "SELECT JSON_OBJECT('level', level, 'lead_id', ancestor_id)"
    " FROM {prefix}referral_links WHERE lead_id = ? ORDER BY level");
#define CONFIRMATION \
    "JSON_OBJECT('at', " TIME("confirmed_ms") ", 'channel', channel, 'address', " TEXT("address") ", 'ip', " TEXT("ip") \
    ", 'user_agent', user_agent)"
#define MESSAGE \
    "JSON_OBJECT('requested_at', " TIME("created_ms") ", 'sent_at', " TIME("sent_ms") ", 'state', state, 'recipient', " \
    TEXT("recipient") ", 'content', " TEXT("content") ")"
#define CALL \
    "JSON_OBJECT('received_at', " TIME("received_ms") ", 'state', state, 'ip', " TEXT("ip") ", 'body', " TEXT("body") ")"
#define EVENT \
    "JSON_OBJECT('id', id, 'at', " TIME("created_ms") ", 'deliveries', deliveries, 'payload', " JSON("payload") ")"
DB_STATEMENT(sql_report_confirmations,
    "SELECT " CONFIRMATION " FROM {prefix}confirmations WHERE lead_id = ? ORDER BY confirmed_ms");
DB_STATEMENT(sql_report_messages,
    "SELECT " MESSAGE " FROM {prefix}messages FORCE INDEX (by_lead) WHERE lead_id = ? ORDER BY id");
DB_STATEMENT(sql_report_calls,
    "SELECT " CALL " FROM {prefix}inbound_calls FORCE INDEX (by_lead) WHERE lead_id = ? ORDER BY id");
DB_STATEMENT(sql_report_events,
    "SELECT " EVENT " FROM {prefix}events FORCE INDEX (by_lead) WHERE lead_id = ?");
/* the next read a table in pieces: what has the address and is of none of the leads */
#define FOUND(object, table, found, limit) \
    "SELECT id, lead_id, IF((? IN (0, campaign_id)) AND " found ", " object ", NULL)" \
    " FROM {prefix}" table " WHERE id > ? ORDER BY id LIMIT " limit
DB_STATEMENT(sql_report_found_events, FOUND(EVENT, "events", HAS_ADDRESS("payload"), "1000"));
DB_STATEMENT(sql_report_found_messages, FOUND(MESSAGE, "messages", HAS_ADDRESS("recipient"), "1000"));
DB_STATEMENT(sql_report_found_calls, FOUND(CALL, "inbound_calls", HAS_ADDRESS("body"), "100"));
DB_STATEMENT(sql_report_found_jobs,
    "SELECT id, NULL, IF((? IN (0, COALESCE(campaign_id, 0))) AND " HAS_ADDRESS("parameters") ", JSON_OBJECT('at', "
    TIME("created_ms") ", 'kind', " TEXT("kind") ", 'parameters', " JSON("parameters") ", 'result', " JSON("result") "), NULL)"
    " FROM {prefix}operator_jobs WHERE id > ? ORDER BY id LIMIT 1000");
/* clang-format on */

store_statement_list sql_of_report = { &sql_report_lead, &sql_report_ledger, &sql_report_referrers, &sql_report_confirmations,
	&sql_report_messages, &sql_report_calls, &sql_report_events, &sql_report_found_events, &sql_report_found_messages,
	&sql_report_found_calls, &sql_report_found_jobs, NULL };

static const struct {
	const char *name;
	const struct db_statement *statement;
} sections[REPORT_SECTIONS] = {
	{ "lead", &sql_report_lead },
	{ "ledger", &sql_report_ledger },
	{ "referrers", &sql_report_referrers },
	{ "confirmations", &sql_report_confirmations },
	{ "messages", &sql_report_messages },
	{ "calls", &sql_report_calls },
	{ "events", &sql_report_events },
};

enum result
store_report_lead(struct store *store, struct pool *pool, uint64_t lead_id, struct report_section report[REPORT_SECTIONS])
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < REPORT_SECTIONS && result == RESULT_OK; i++) {
		struct db_rows rows;
		result = store_query(store, pool, &rows, sections[i].statement, DB_U64(lead_id));
		report[i] = (struct report_section){ sections[i].name, POOL_ARRAY(pool, rows.count, struct slice), rows.count };
		for (size_t k = 0; k < rows.count; k++)
			report[i].items[k] = db_get_bytes(&rows, k, 0);
	}
	return result;
}

/* Adds what a piece has that is of none of the leads. */
static void
add_found(struct pool *pool, const struct db_rows *rows, const struct lead *leads, size_t lead_count,
    struct report_section *section, size_t *capacity)
{
	enum { ID, LEAD_ID, OBJECT };
	for (size_t i = 0; i < rows->count; i++) {
		bool own = db_is_null(rows, i, OBJECT);
		for (size_t k = 0; k < lead_count && !own; k++)
			own = !db_is_null(rows, i, LEAD_ID) && db_get_u64(rows, i, LEAD_ID) == leads[k].id;
		if (own)
			continue;
		section->items = pool_grow(pool, section->items, section->count, capacity, sizeof(*section->items));
		section->items[section->count++] = pool_copy(pool, db_get_bytes(rows, i, OBJECT));
	}
}

enum result
store_report_found(struct store *store, struct pool *pool, const struct person *person, const struct lead *leads,
    size_t lead_count, struct report_section report[REPORT_FOUND_SECTIONS])
{
	const struct address_patterns patterns = store_address_patterns(pool, person, leads, lead_count);
	const struct {
		const char *name;
		const struct db_statement *statement;
		struct slice pattern;
	} searches[REPORT_FOUND_SECTIONS] = {
		{ "events", &sql_report_found_events, patterns.in_text },
		{ "messages", &sql_report_found_messages, patterns.whole },
		{ "calls", &sql_report_found_calls, patterns.in_text },
		{ "jobs", &sql_report_found_jobs, patterns.in_text },
	};
	enum result result = RESULT_OK;
	for (size_t i = 0; i < REPORT_FOUND_SECTIONS && result == RESULT_OK; i++) {
		size_t capacity = 0;
		uint64_t after = 0;
		report[i] = (struct report_section){ .name = searches[i].name };
		for (bool more = true; more && result == RESULT_OK;) {
			struct pool *piece = pool_new();
			struct db_rows rows;
			result = store_query(store, piece, &rows, searches[i].statement, DB_U64(person->campaign_id),
			    db_bytes(searches[i].pattern), DB_U64(after));
			add_found(pool, &rows, leads, lead_count, &report[i], &capacity);
			more = rows.count > 0;
			after = more ? db_get_u64(&rows, rows.count - 1, 0) : after;
			pool_free(&piece);
		}
	}
	return result;
}
