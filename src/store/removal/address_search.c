/* SPDX-License-Identifier: MIT */
#include "store/removal/address_search.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

/* clang-format off */
/* A piece of a search. Its place is `first` and `second`; `order` contains those of the two that are columns. */
#define PIECE(first, second, order, columns, table, where, limit) \
	"SELECT " first ", " second ", " columns " FROM {prefix}" table " WHERE " where AFTER(first, second) \
	" ORDER BY " order " LIMIT " limit
#define PIECE_OF_ALL(columns, table, limit) PIECE("t.id", "0", "t.id", columns, table " t FORCE INDEX (PRIMARY)", "", limit)
#define PIECE_OF_CAMPAIGN(columns, table, index, limit) \
	PIECE("t.id", "0", "t.id", columns, table " t FORCE INDEX (" index ")", "t.campaign_id = ? AND ", limit)

#define SOCIAL_ID "(SELECT l.social_id FROM {prefix}leads l WHERE l.id = t.lead_id)"
#define OF_EVENTS "t.id, t.lead_id, " SOCIAL_ID ", t.campaign_id, t.deliveries, t.type, t.payload"
#define OF_MESSAGES "t.id, t.lead_id, NULL, t.campaign_id, t.kind, t.ref, t.recipient"
#define OF_CALLS "t.id, t.lead_id, " SOCIAL_ID ", t.campaign_id, 0, 0, t.body, t.message"
/* answers of receivers and mail servers are not searched: they belong to these, no matter what they contain */
#define OF_JOBS "t.id, 0, NULL, 0, 0, 0, CONVERT(JSON_VALUE(t.parameters, '$.address') USING utf8mb4)"
#define OF_LEADS \
	"t.id, t.id, t.social_id, t.campaign_id, 0, 0, t.email, t.phone, t.custom_fields, t.utm, t.uid, t.redirect_url," \
	" t.user_agent, t.referrer, t.source, t.signup_url, t.session_id, t.request_id"
#define PIECE_EVENTS "200"
#define PIECE_MESSAGES "1000"
#define PIECE_CALLS "50"
#define PIECE_JOBS "200"
#define PIECE_LEADS "500"

DB_STATEMENT(sql_search_events, PIECE_OF_ALL(OF_EVENTS, "events", PIECE_EVENTS));
DB_STATEMENT(sql_search_events_of_campaign, PIECE("t.lead_id", "t.id", "t.lead_id, t.id", OF_EVENTS,
    "events t FORCE INDEX (by_lead)", "t.campaign_id = ? AND ", PIECE_EVENTS));
DB_STATEMENT(sql_search_messages, PIECE_OF_ALL(OF_MESSAGES, "messages", PIECE_MESSAGES));
DB_STATEMENT(sql_search_messages_of_campaign, PIECE_OF_CAMPAIGN(OF_MESSAGES, "messages", "by_campaign", PIECE_MESSAGES));
DB_STATEMENT(sql_search_calls, PIECE_OF_ALL(OF_CALLS, "inbound_calls", PIECE_CALLS));
DB_STATEMENT(sql_search_calls_of_campaign, PIECE_OF_CAMPAIGN(OF_CALLS, "inbound_calls", "by_campaign", PIECE_CALLS));
DB_STATEMENT(sql_search_operator_jobs, PIECE_OF_ALL(OF_JOBS, "operator_jobs", PIECE_JOBS));
DB_STATEMENT(sql_search_operator_jobs_of_campaign, PIECE_OF_CAMPAIGN(OF_JOBS, "operator_jobs", "by_campaign", PIECE_JOBS));
DB_STATEMENT(sql_search_leads, PIECE_OF_ALL(OF_LEADS, "leads", PIECE_LEADS));
DB_STATEMENT(sql_search_leads_of_campaign,
    PIECE("t.subscription_number", "0", "t.subscription_number", OF_LEADS, "leads t FORCE INDEX (by_number)",
	"t.campaign_id = ? AND ", PIECE_LEADS));
/* a confirmation belongs to the campaign of its lead; a lead without one gives a row with only its place */
#define CONFIRMATIONS_OF(leads) \
	"SELECT l.place, 0, c.lead_id, c.lead_id, NULL, 0, c.confirmed_ms, 0, c.address FROM (" leads ") l" \
	" LEFT JOIN {prefix}confirmations c ON c.lead_id = l.id ORDER BY l.place"
DB_STATEMENT(sql_search_confirmations, CONFIRMATIONS_OF("SELECT id AS place, id FROM {prefix}leads FORCE INDEX (PRIMARY)"
    " WHERE " AFTER("id", "0") " ORDER BY id LIMIT " PIECE_LEADS));
DB_STATEMENT(sql_search_confirmations_of_campaign, CONFIRMATIONS_OF("SELECT subscription_number AS place, id"
    " FROM {prefix}leads FORCE INDEX (by_number)"
    " WHERE campaign_id = ? AND " AFTER("subscription_number", "0") " ORDER BY subscription_number LIMIT " PIECE_LEADS));
/* clang-format on */

static const struct {
	const struct db_statement *all, *of_campaign;
} searches[SEARCHED_TABLES] = {
	[SEARCH_EVENTS] = { &sql_search_events, &sql_search_events_of_campaign },
	[SEARCH_MESSAGES] = { &sql_search_messages, &sql_search_messages_of_campaign },
	[SEARCH_CALLS] = { &sql_search_calls, &sql_search_calls_of_campaign },
	[SEARCH_CONFIRMATIONS] = { &sql_search_confirmations, &sql_search_confirmations_of_campaign },
	[SEARCH_JOBS] = { &sql_search_operator_jobs, &sql_search_operator_jobs_of_campaign },
	[SEARCH_LEADS] = { &sql_search_leads, &sql_search_leads_of_campaign },
};

enum result
store_search(struct store *store, struct pool *pool, enum searched_table table, uint64_t campaign_id, struct search_place after,
    struct db_rows *rows)
{
	const struct db_value first = DB_U64(after.first), second = DB_U64(after.second);
	return campaign_id == 0
		   ? store_query(store, pool, rows, searches[table].all, first, first, second)
		   : store_query(store, pool, rows, searches[table].of_campaign, DB_U64(campaign_id), first, first, second);
}

struct search_place
store_searched_place(const struct db_rows *rows, size_t row)
{
	const uint64_t first = db_get_u64(rows, row, SEARCHED_PLACE_FIRST),
		       second = db_get_u64(rows, row, SEARCHED_PLACE_SECOND);
	return (struct search_place){ first, second };
}
