/* SPDX-License-Identifier: MIT */
#include "store/operator/timeline.h"

#include <inttypes.h>

#include "base/panic.h"
#include "engine/events.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

#define TEXT(column) "CONVERT(" column " USING utf8mb4)"

/* Columns of each part: kind, time, id, name, number, text, state, attempts, end, ip, user agent. The last bookings of a reason
 * are those with the highest references: leads, calls and definitions get ids one after the other. */
#define BOOKINGS(reason)                                                                                          \
	"(SELECT 1 AS kind, created_ms AS at, ref AS id, '" reason "' AS name, delta AS number, message AS text," \
	" NULL AS state, 0 AS attempts, NULL AS ended, NULL AS ip, NULL AS agent"                                 \
	"   FROM {prefix}score_entries"                                                                           \
	"   WHERE lead_id = ? AND reason = '" reason "'"                                                          \
	"   ORDER BY ref DESC, round DESC"                                                                        \
	"   LIMIT ?)"

/* clang-format off */
DB_STATEMENT(sql_select_timeline,
    "SELECT kind, at, id, name, number, text, state, attempts, ended, ip, agent"
    " FROM (" BOOKINGS("signup")
    " UNION ALL " BOOKINGS("custom")
    " UNION ALL " BOOKINGS("tag")
    " UNION ALL " BOOKINGS("action")
    " UNION ALL " BOOKINGS("referral")
    " UNION ALL " BOOKINGS("verified")
    " UNION ALL " BOOKINGS("fraud")
    " UNION ALL " BOOKINGS("approve")
    " UNION ALL (SELECT 3, created_ms, id, NULL, CAST(kind AS SIGNED), " TEXT("reason") ", state, CAST(attempts AS SIGNED), ended_ms, NULL, NULL"
    "   FROM {prefix}messages FORCE INDEX (by_lead)"
    "   WHERE lead_id = ?"
    "   ORDER BY id DESC"
    "   LIMIT ?)"
    " UNION ALL (SELECT 4, received_ms, id, NULL, 0, " TEXT("error") ", state, 0, NULL, " TEXT("ip") ", NULL"
    "   FROM {prefix}inbound_calls FORCE INDEX (by_lead)"
    "   WHERE lead_id = ?"
    "   ORDER BY id DESC"
    "   LIMIT ?)"
    " UNION ALL (SELECT 2, confirmed_ms, CAST(0 AS UNSIGNED), channel, 0, NULL, NULL, 0, NULL, " TEXT("ip") ", user_agent"
    "   FROM {prefix}confirmations"
    "   WHERE lead_id = ?"
    "   ORDER BY confirmed_ms DESC"
    "   LIMIT ?)"
    " UNION ALL SELECT 0, created_ms, id, NULL, 0, NULL, NULL, 0, NULL, " TEXT("ip") ", user_agent"
    "   FROM {prefix}leads"
    "   WHERE id = ?) t"
    " WHERE at <= ?"
    " ORDER BY at DESC, kind DESC, id DESC"
    " LIMIT ?");
/* clang-format on */

/* the field that an event adds to the payload, which has at most one of them */
DB_STATEMENT(sql_select_timeline_events,
    "SELECT id, created_ms, type, deliveries, JSON_COMPACT(JSON_EXTRACT(JSON_EXTRACT(" TEXT(
	"NULLIF(payload, '')") ", "
			       "'$.__score_change', '$.__fraudulent', '$.__referral', '$.__tagged', '$.__reward_level'), "
			       "'$[0]'))"
			       " FROM {prefix}events FORCE INDEX (by_lead)"
			       " WHERE lead_id = ? AND id < ?"
			       " ORDER BY id DESC"
			       " LIMIT ?");
DB_STATEMENT(sql_select_origin, "SELECT signup_url, session_id, request_id FROM {prefix}leads WHERE id = ?");

store_statement_list sql_of_timeline = { &sql_select_timeline, &sql_select_timeline_events, &sql_select_origin, NULL };

enum { PARTS = 11 /* of sql_select_timeline, with a limit */ };
enum {
	ENTRY_KIND,
	ENTRY_MS,
	ENTRY_ID,
	ENTRY_NAME,
	ENTRY_NUMBER,
	ENTRY_TEXT,
	ENTRY_STATE,
	ENTRY_ATTEMPTS,
	ENTRY_ENDED_MS,
	ENTRY_IP,
	ENTRY_USER_AGENT
};
enum { EVENT_ID, EVENT_MS, EVENT_TYPE, EVENT_DELIVERIES, EVENT_EXTRA };

struct slice
timeline_kind_name(enum timeline_kind kind)
{
	static const struct slice names[] = {
		[TIMELINE_SIGNUP] = SLICE("signup"),
		[TIMELINE_POINTS] = SLICE("points"),
		[TIMELINE_CONFIRMATION] = SLICE("confirmation"),
		[TIMELINE_MESSAGE] = SLICE("message"),
		[TIMELINE_CALL] = SLICE("inbound_call"),
		[TIMELINE_EVENT] = SLICE("event"),
	};
	return names[kind];
}

struct slice
timeline_place_text(struct pool *pool, const struct timeline_place *place)
{
	return pool_printf(pool, "%" PRId64 ".%" PRIu32 ".%" PRIu64, place->at_ms, place->count, place->event_id);
}

bool
timeline_place_parse(struct slice text, struct timeline_place *place)
{
	struct slice parts[3];
	uint64_t numbers[ARRAY_SIZE(parts)];
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!slice_next(&text, '.', &parts[i]) || !slice_to_u64(parts[i], i == 1 ? UINT32_MAX : INT64_MAX, &numbers[i]))
			return false;
	*place = (struct timeline_place){ (int64_t)numbers[0], (uint32_t)numbers[1], numbers[2] };
	return text.size == 0;
}

static struct timeline_entry
entry_from_row(const struct db_rows *rows, size_t row)
{
	const enum timeline_kind kind = (enum timeline_kind)db_get_i64(rows, row, ENTRY_KIND);
	const int64_t number = db_get_i64(rows, row, ENTRY_NUMBER);
	const struct slice message_kind = kind == TIMELINE_MESSAGE ? message_kind_name((enum message_kind)number) : SLICE_NONE;
	return (struct timeline_entry){
		.at_ms = db_get_i64(rows, row, ENTRY_MS),
		.kind = kind,
		.id = db_get_u64(rows, row, ENTRY_ID),
		.name = kind == TIMELINE_MESSAGE ? message_kind : db_get_bytes(rows, row, ENTRY_NAME),
		.points = kind == TIMELINE_POINTS ? number : 0,
		.text = db_get_bytes(rows, row, ENTRY_TEXT),
		.state = db_get_bytes(rows, row, ENTRY_STATE),
		.attempts = (unsigned)db_get_i64(rows, row, ENTRY_ATTEMPTS),
		.ended_ms = db_get_time(rows, row, ENTRY_ENDED_MS),
		.ip = db_get_bytes(rows, row, ENTRY_IP),
		.user_agent = db_get_bytes(rows, row, ENTRY_USER_AGENT),
	};
}

/* What is not an event. */
static enum result
find_entries(struct store *store, struct pool *pool, uint64_t lead_id, int64_t until_ms, size_t limit, struct db_rows *rows)
{
	struct db_value values[2 * PARTS + 3];
	size_t used = 0;
	for (size_t i = 0; i < PARTS; i++) {
		values[used++] = DB_U64(lead_id);
		values[used++] = DB_U64(TIMELINE_EXAMINED);
	}
	values[used++] = DB_U64(lead_id);
	values[used++] = DB_I64(until_ms);
	values[used++] = DB_U64(limit);
	return db_query(store->db, pool, &sql_select_timeline, &DB_ARRAY(values, used), rows);
}

/* Adds the deliveries of the events among the entries. The ids of a delivery follow its event's. */
static enum result
add_deliveries(struct store *store, struct pool *pool, struct timeline *timeline)
{
	struct delivery_row *deliveries;
	uint64_t *ids = NULL;
	size_t count = 0, capacity = 0, found;
	for (size_t i = 0; i < timeline->count; i++)
		for (size_t place = 1; place <= timeline->entries[i].delivery_count; place++) {
			ids = pool_grow(pool, ids, count, &capacity, sizeof(*ids));
			ids[count++] = timeline->entries[i].id + place;
		}
	const enum result result = store_find_deliveries(store, pool, ids, count, &deliveries, &found);
	for (size_t i = 0, next = 0; i < timeline->count && result == RESULT_OK; i++) {
		struct timeline_entry *entry = &timeline->entries[i];
		const uint64_t last = entry->id + entry->delivery_count;
		const size_t first = next;
		if (entry->kind != TIMELINE_EVENT)
			continue;
		while (next < found && deliveries[next].id > entry->id && deliveries[next].id <= last)
			next++;
		entry->deliveries = deliveries + first;
		entry->delivery_count = next - first;
	}
	return result;
}

static struct timeline_entry
event_from_row(const struct db_rows *rows, size_t row)
{
	return (struct timeline_entry){
		.at_ms = db_get_i64(rows, row, EVENT_MS),
		.kind = TIMELINE_EVENT,
		.id = db_get_u64(rows, row, EVENT_ID),
		.name = event_name((enum event_type)db_get_u64(rows, row, EVENT_TYPE)),
		.ended_ms = -1,
		.extra = db_get_bytes(rows, row, EVENT_EXTRA),
		.delivery_count = (size_t)db_get_u64(rows, row, EVENT_DELIVERIES),
	};
}

/* Both have the latest first; of two with the same time, events come first. */
static void
merge(const struct db_rows *rows, size_t row, const struct db_rows *events, size_t limit, struct timeline *timeline)
{
	struct timeline_place *end = &timeline->end;
	size_t event = 0;
	while (timeline->count < limit && (row < rows->count || event < events->count)) {
		struct timeline_entry *entry = &timeline->entries[timeline->count++];
		if (row == rows->count ||
		    (event < events->count && db_get_i64(events, event, EVENT_MS) >= db_get_i64(rows, row, ENTRY_MS))) {
			*entry = event_from_row(events, event++);
			end->event_id = entry->id;
			continue;
		}
		*entry = entry_from_row(rows, row++);
		end->count = entry->at_ms == end->at_ms ? end->count + 1 : 1;
		end->at_ms = entry->at_ms;
	}
	timeline->more = row < rows->count || event < events->count;
}

/* Entries up to the place that have its time. */
static size_t
seen_before(const struct db_rows *rows, const struct timeline_place *after)
{
	size_t row = 0;
	while (row < rows->count && row < after->count && db_get_i64(rows, row, ENTRY_MS) == after->at_ms)
		row++;
	return row;
}

enum result
store_lead_timeline(struct store *store, struct pool *pool, uint64_t lead_id, const struct timeline_place *after, size_t limit,
    struct timeline *timeline)
{
	struct db_rows rows, events;
	require(limit <= TIMELINE_ENTRIES_MAX);
	*timeline = (struct timeline){ .entries = POOL_ARRAY(pool, limit, struct timeline_entry), .end = *after };
	enum result result =
	    find_entries(store, pool, lead_id, after->count == 0 ? INT64_MAX : after->at_ms, limit + 1 + after->count, &rows);
	if (result == RESULT_OK)
		result = store_query(store, pool, &events, &sql_select_timeline_events, DB_U64(lead_id),
		    DB_U64(after->event_id == 0 ? INT64_MAX : after->event_id), DB_U64(limit + 1));
	if (result != RESULT_OK)
		return result;
	merge(&rows, seen_before(&rows, after), &events, limit, timeline);
	return add_deliveries(store, pool, timeline);
}

enum result
store_find_origin(struct store *store, struct pool *pool, struct lead *lead)
{
	enum { SIGNUP_URL, SESSION_ID, REQUEST_ID };
	struct db_rows rows;
	const enum result result = store_query_one(store, pool, &rows, &sql_select_origin, DB_U64(lead->id));
	if (result != RESULT_OK)
		return result;
	lead->signup_url = db_get_bytes(&rows, 0, SIGNUP_URL);
	lead->session_id = db_get_bytes(&rows, 0, SESSION_ID);
	lead->request_id = db_get_bytes(&rows, 0, REQUEST_ID);
	return RESULT_OK;
}
