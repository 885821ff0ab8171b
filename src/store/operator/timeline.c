/* SPDX-License-Identifier: MIT */
#include "store/operator/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/panic.h"
#include "engine/events.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

#define TEXT(column) "CONVERT(" column " USING utf8mb4)"

/* Columns of each part: kind, time, id, name, number, text, state, attempts, end, ip, user agent. The last bookings for a
 * reason are those with the highest references: leads, calls and definitions get ascending ids. */
#define BOOKINGS(reason)                                                                                          \
	"(SELECT 1 AS kind, created_ms AS at, ref AS id, '" reason "' AS name, delta AS number, message AS text," \
	" NULL AS state, 0 AS attempts, NULL AS ended, NULL AS ip, NULL AS agent"                                 \
	"   FROM {prefix}score_entries"                                                                           \
	"   WHERE lead_id = ? AND reason = '" reason "'"                                                          \
	"   ORDER BY ref DESC, round DESC"                                                                        \
	"   LIMIT ?)"

#define AND_BOOKINGS(reason, name) BOOKINGS(name) " UNION ALL "

/* For an event, `number` is its type, and `attempts` the number of its deliveries. */
/* clang-format off */
DB_STATEMENT(sql_select_timeline,
    "SELECT kind, at, id, name, number, text, state, attempts, ended, ip, agent"
    " FROM (" SCORE_REASON_LIST(AND_BOOKINGS)
    "(SELECT 5, created_ms, id, NULL, CAST(type AS SIGNED), NULL, NULL, CAST(deliveries AS SIGNED), NULL, NULL, NULL"
    "   FROM " EVENTS_OF_LEAD
    "   ORDER BY id DESC"
    "   LIMIT ?)"
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
    "   WHERE id = ?"
    " UNION ALL SELECT 6, marked_ms, CAST(0 AS UNSIGNED), CASE WHEN fraudulent THEN 'fraudulent' ELSE 'genuine' END, 0, fraud_flags, NULL, 0, NULL, NULL, marked_by"
    "   FROM {prefix}leads"
    "   WHERE id = ? AND marked_ms > 0) t"
    " WHERE at <= ?"
    " ORDER BY at DESC, kind DESC, id DESC"
    " LIMIT ?");
/* clang-format on */

/* the field that an event adds to its payload, at most one */
DB_STATEMENT(sql_select_event_extras,
    "SELECT id, JSON_COMPACT(JSON_EXTRACT(JSON_EXTRACT(" TEXT(
	"NULLIF(payload, '')") ", '$.__score_change', "
			       "'$.__fraudulent', '$.__referral', '$.__tagged', '$.__reward_level'), '$[0]'))"
			       " FROM {prefix}events FORCE INDEX (PRIMARY)"
			       " WHERE id IN ({list})"
			       " ORDER BY id");
DB_STATEMENT(sql_select_origin, "SELECT signup_url, session_id, request_id FROM {prefix}leads WHERE id = ?");

enum { PARTS = SCORE_REASONS + 4 /* parts of sql_select_timeline that have a limit */ };
enum { KIND, AT_MS, ID, NAME, NUMBER, WORDS, STATE, ATTEMPTS, ENDED_MS, IP, AGENT };
enum { EXTRA_ID, EXTRA_FIELD };

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
		[TIMELINE_MARK] = SLICE("mark"),
	};
	return names[kind];
}

struct slice
timeline_place_text(struct pool *pool, const struct timeline_place *place)
{
	return pool_printf(pool, "%" PRId64 ".%" PRIu32, place->at_ms, place->count);
}

bool
timeline_place_parse(struct slice text, struct timeline_place *place)
{
	uint64_t at_ms, count;
	const size_t dot = slice_find(text, '.');
	if (dot == text.size || !slice_to_u64(slice_sub(text, 0, dot), INT64_MAX, &at_ms) ||
	    !slice_to_u64(slice_sub(text, dot + 1, text.size), UINT32_MAX, &count))
		return false;
	*place = (struct timeline_place){ (int64_t)at_ms, (uint32_t)count };
	return true;
}

static struct slice
entry_name(const struct db_rows *rows, size_t row, enum timeline_kind kind)
{
	if (kind == TIMELINE_EVENT)
		return event_name((enum event_type)db_get_i64(rows, row, NUMBER));
	if (kind == TIMELINE_MESSAGE)
		return message_kind_name((enum message_kind)db_get_i64(rows, row, NUMBER));
	return db_get_bytes(rows, row, NAME);
}

static struct timeline_entry
entry_from_row(const struct db_rows *rows, size_t row)
{
	const enum timeline_kind kind = (enum timeline_kind)db_get_i64(rows, row, KIND);
	const int64_t attempts = db_get_i64(rows, row, ATTEMPTS);
	const struct slice text = db_get_bytes(rows, row, WORDS), agent = db_get_bytes(rows, row, AGENT);
	return (struct timeline_entry){
		.at_ms = db_get_i64(rows, row, AT_MS),
		.kind = kind,
		.id = db_get_u64(rows, row, ID),
		.name = entry_name(rows, row, kind),
		.points = kind == TIMELINE_POINTS ? db_get_i64(rows, row, NUMBER) : 0,
		.text = kind == TIMELINE_MARK ? SLICE_NONE : text,
		.extra = kind == TIMELINE_MARK ? text : SLICE_NONE,
		.made_by = kind == TIMELINE_MARK ? agent : SLICE_NONE,
		.state = db_get_bytes(rows, row, STATE),
		.attempts = kind == TIMELINE_MESSAGE ? (unsigned)attempts : 0,
		.ended_ms = db_get_time(rows, row, ENDED_MS),
		.ip = db_get_bytes(rows, row, IP),
		.user_agent = kind == TIMELINE_MARK ? SLICE_NONE : agent,
		.delivery_count = kind == TIMELINE_EVENT ? (size_t)attempts : 0,
	};
}

static enum result
find_entries(struct store *store, struct pool *pool, uint64_t lead_id, int64_t until_ms, size_t limit, struct db_rows *rows)
{
	struct db_value values[2 * PARTS + 4];
	size_t used = 0;
	for (size_t i = 0; i < PARTS; i++) {
		values[used++] = DB_U64(lead_id);
		values[used++] = DB_U64(TIMELINE_EXAMINED);
	}
	values[used++] = DB_U64(lead_id);
	values[used++] = DB_U64(lead_id);
	values[used++] = DB_I64(until_ms);
	values[used++] = DB_U64(limit);
	return db_query(store->db, pool, &sql_select_timeline, &DB_ARRAY(values, used), rows);
}

static int
compare_event_ids(const void *left, const void *right)
{
	const struct timeline_entry *const *a = left, *const *b = right;
	return (*a)->id < (*b)->id ? 1 : -1;
}

/* The events among the entries, the highest id first. */
static struct timeline_entry **
events_by_id(struct pool *pool, const struct timeline *timeline, size_t *count)
{
	struct timeline_entry **events = POOL_ARRAY(pool, timeline->count, struct timeline_entry *);
	*count = 0;
	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->entries[i].kind == TIMELINE_EVENT)
			events[(*count)++] = &timeline->entries[i];
	if (*count > 0)
		qsort(events, *count, sizeof(struct timeline_entry *), compare_event_ids);
	return events;
}

/* Adds the extra fields of events. An event that the retention has dropped in the meantime has none. */
static enum result
add_extras(struct store *store, struct pool *pool, struct timeline_entry **events, size_t count)
{
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	struct db_rows rows;
	size_t row;
	for (size_t i = 0; i < count; i++)
		ids[i] = DB_U64(events[i]->id);
	const enum result result =
	    store_query_lists(store, pool, &sql_select_event_extras, &(struct db_list){ ids, count }, 1, &rows);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		if (store_find_row(&rows, events[i]->id, &row))
			events[i]->extra = db_get_bytes(&rows, row, EXTRA_FIELD);
	return result;
}

/* The ids of deliveries follow the id of their event. */
static enum result
add_deliveries(struct store *store, struct pool *pool, struct timeline_entry **events, size_t event_count)
{
	struct delivery_row *deliveries;
	uint64_t *ids = NULL;
	size_t count = 0, capacity = 0, found;
	for (size_t i = 0; i < event_count; i++)
		for (size_t place = events[i]->delivery_count; place > 0; place--) {
			ids = pool_grow(pool, ids, count, &capacity, sizeof(*ids));
			ids[count++] = events[i]->id + place;
		}
	const enum result result = store_find_deliveries(store, pool, ids, count, &deliveries, &found);
	for (size_t i = 0, next = 0; i < event_count && result == RESULT_OK; i++) {
		const size_t first = next;
		while (next < found && deliveries[next].id > events[i]->id)
			next++;
		events[i]->deliveries = deliveries + first;
		events[i]->delivery_count = next - first;
	}
	return result;
}

/* Completes the events among the entries with what is read separately. */
static enum result
complete_events(struct store *store, struct pool *pool, const struct timeline *timeline)
{
	size_t count;
	struct timeline_entry **events = events_by_id(pool, timeline, &count);
	const enum result result = add_extras(store, pool, events, count);
	return result == RESULT_OK ? add_deliveries(store, pool, events, count) : result;
}

/* Whether the entry is about points for a referral: its id is then that of the referred lead. */
static bool
is_of_referral(const struct timeline_entry *entry)
{
	static const enum score_reason reasons[] = { SCORE_REFERRAL, SCORE_VERIFIED, SCORE_FRAUD, SCORE_APPROVE };
	for (size_t i = 0; entry->kind == TIMELINE_POINTS && i < ARRAY_SIZE(reasons); i++)
		if (slice_equal(entry->name, score_reason_name(reasons[i])))
			return true;
	return false;
}

static enum result
add_referred(struct store *store, struct pool *pool, const struct timeline *timeline)
{
	uint64_t *ids = POOL_ARRAY(pool, timeline->count, uint64_t);
	struct lead_names names;
	size_t count = 0;
	for (size_t i = 0; i < timeline->count; i++)
		if (is_of_referral(&timeline->entries[i]))
			ids[count++] = timeline->entries[i].id;
	const enum result result = store_name_leads(store, pool, ids, count, &names);
	for (size_t i = 0; i < timeline->count && result == RESULT_OK; i++)
		if (is_of_referral(&timeline->entries[i]))
			timeline->entries[i].lead = lead_name_of(&names, timeline->entries[i].id);
	return result;
}

static void
add_to_place(struct timeline_place *place, int64_t at_ms)
{
	place->count = at_ms == place->at_ms ? place->count + 1 : 1;
	place->at_ms = at_ms;
}

/* The number of entries up to the place that have the same time as the place. */
static size_t
seen_before(const struct db_rows *rows, const struct timeline_place *after)
{
	size_t row = 0;
	while (row < rows->count && row < after->count && db_get_i64(rows, row, AT_MS) == after->at_ms)
		row++;
	return row;
}

enum result
store_lead_timeline(struct store *store, struct pool *pool, uint64_t lead_id, const struct timeline_place *after, size_t limit,
    struct timeline *timeline)
{
	struct db_rows rows;
	require(limit <= TIMELINE_ENTRIES_MAX);
	*timeline = (struct timeline){ .entries = POOL_ARRAY(pool, limit, struct timeline_entry), .end = *after };
	const enum result result =
	    find_entries(store, pool, lead_id, after->count == 0 ? INT64_MAX : after->at_ms, limit + 1 + after->count, &rows);
	if (result != RESULT_OK)
		return result;
	size_t row = seen_before(&rows, after);
	for (; row < rows.count && timeline->count < limit; row++) {
		const struct timeline_entry entry = entry_from_row(&rows, row);
		add_to_place(&timeline->end, entry.at_ms);
		timeline->entries[timeline->count++] = entry;
	}
	timeline->more = row < rows.count;
	const enum result completed = complete_events(store, pool, timeline);
	return completed == RESULT_OK ? add_referred(store, pool, timeline) : completed;
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
