/* SPDX-License-Identifier: MIT
 * What is stored about a person, as JSON that the server makes of the rows: what an erasure would delete. */
#include "store/query.h"
#include "store/removal/people.h"
#include "store/removal/removal.h"
#include "store/statements.h"

#define TIME(column) "DATE_FORMAT(TIMESTAMPADD(MICROSECOND, " column " * 1000, '1970-01-01'), '%Y-%m-%dT%H:%i:%sZ')"
#define BOOLEAN(column) "JSON_COMPACT(IF(" column ", 'true', 'false'))"
/* A column that has JSON already, or is NULL. */
#define JSON(column) "JSON_COMPACT(CONVERT(COALESCE(NULLIF(" column ", ''), 'null') USING utf8mb4))"
#define TEXT(column) "CONVERT(" column " USING utf8mb4)"

DB_STATEMENT(
    sql_report_lead, "SELECT JSON_OBJECT('id', id, 'campaign_id', campaign_id, 'social_id', " TEXT(
			 "social_id") ", "
				      "'subscription_"
				      "number', "
				      "subscription_"
				      "number,"
				      " 'signed_up_"
				      "at', " TIME(
					  "c"
					  "r"
					  "e"
					  "a"
					  "t"
					  "e"
					  "d"
					  "_"
					  "m"
					  "s") ", 'updated_at', " TIME("updated_ms") ", 'email', email, 'phone_number', " TEXT("phone") ", 'verified_email', " BOOLEAN("verified_email") ", 'verified_phone_number', " BOOLEAN("verified_phone") ", 'opted_out', " BOOLEAN("opted_out") ", 'sms_opted_out', " BOOLEAN("sms_opted_out") ", 'waitlisted', " BOOLEAN("waitlisted") ", 'fraudulent', " BOOLEAN("fraudulent") ", 'fraud_flags', " JSON("fraud_"
																																																						  "flags") ","
																																																							   " "
																																																							   "'"
																																																							   "b"
																																																							   "o"
																																																							   "u"
																																																							   "n"
																																																							   "c"
																																																							   "e"
																																																							   "d"
																																																							   "'"
																																																							   ","
																																																							   " " BOOLEAN("bounced") ", 'custom_fields', " JSON("custom_fields") ", 'utm', " JSON("utm") ", 'uid', uid, 'redirect_url', redirect_url, 'ip', " TEXT(
																																																							       "ip") ", 'user_agent', user_agent, 'referrer', referrer, 'source', source, 'signup_url', signup_url, 'session_id', session_id,"
																																																								     " 'request_id', request_id, 'contest_score', score, 'referrals', referrals, 'tag_ids', tag_ids, 'action_ids', action_ids,"
																																																								     " 'reward_ids', reward_ids) FROM {prefix}leads WHERE id = ?");
DB_STATEMENT(sql_report_ledger,
    "SELECT JSON_OBJECT('at', " TIME("created_ms") ", 'reason', reason, 'points', delta, 'message', message)"
						   " FROM {prefix}score_entries WHERE lead_id = ? ORDER BY created_ms");
DB_STATEMENT(sql_report_referrers, "SELECT JSON_OBJECT('level', level, 'lead_id', ancestor_id)"
				   " FROM {prefix}referral_links WHERE lead_id = ? ORDER BY level");
DB_STATEMENT(sql_report_confirmations,
    "SELECT JSON_OBJECT('at', " TIME("confirmed_ms") ", 'channel', channel, 'address', " TEXT("address") ", 'ip', " TEXT(
	"ip") ", 'user_agent', user_agent) FROM {prefix}confirmations WHERE lead_id = ? ORDER BY confirmed_ms");
DB_STATEMENT(sql_report_messages,
    "SELECT JSON_OBJECT('requested_at', " TIME("created_ms") ", 'sent_at', " TIME(
	"sent_ms") ", 'state', state, 'recipient', " TEXT("recipient") ", 'content', " TEXT("content") ") FROM "
												       "{prefix}messages FORCE "
												       "INDEX (by_lead) WHERE "
												       "lead_id = ? ORDER BY "
												       "id");
DB_STATEMENT(sql_report_calls,
    "SELECT JSON_OBJECT('received_at', " TIME("received_ms") ", 'state', state, 'ip', " TEXT("ip") ", 'body', " TEXT(
	"body") ")"
		" FROM {prefix}inbound_calls FORCE INDEX (by_lead) WHERE lead_id = ? ORDER BY id");
DB_STATEMENT(sql_report_events,
    "SELECT JSON_OBJECT('id', id, 'at', " TIME("created_ms") ", 'deliveries', deliveries, 'payload', " JSON(
	"payload") ")"
		   " FROM {prefix}events FORCE INDEX (by_lead) WHERE lead_id = ?");

store_statement_list sql_of_report = { &sql_report_lead, &sql_report_ledger, &sql_report_referrers, &sql_report_confirmations,
	&sql_report_messages, &sql_report_calls, &sql_report_events, NULL };

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
