/* SPDX-License-Identifier: MIT
 * A part reads some rows of one section after another, in the order of an index, and so costs no more than what it shows. */
#include "store/removal/person_report.h"

#include <inttypes.h>

#include "engine/message.h"
#include "engine/model.h"
#include "os/clock.h"
#include "store/query.h"
#include "store/removal/wanted_person.h"
#include "store/rows.h"
#include "store/statements.h"

#define TIME(column) "DATE_FORMAT(TIMESTAMPADD(MICROSECOND, " column " * 1000, '1970-01-01'), '%Y-%m-%dT%H:%i:%sZ')"
#define BOOLEAN(column) "JSON_COMPACT(IF(" column ", 'true', 'false'))"
/* A column that already contains JSON, or is NULL. */
#define JSON(column) "JSON_COMPACT(CONVERT(COALESCE(NULLIF(" column ", ''), 'null') USING utf8mb4))"
#define TEXT(column) "CONVERT(" column " USING utf8mb4)"

/* clang-format off */
/* Rows that are read at once, of a lead's section and of what is found. */
#define AT_ONCE 20
#define JSON_GROWTH 6 /* the most that a text grows in JSON: "\u0001" */
#define SOME LIMIT_OF(AT_ONCE)
DB_STATEMENT(sql_report_lead,
    "SELECT id, 0, JSON_OBJECT('id', id, 'campaign_id', campaign_id, 'social_id', " TEXT("social_id")
    ", 'subscription_number', subscription_number, 'signed_up_at', " TIME("created_ms") ", 'updated_at', " TIME("updated_ms")
    ", 'email', email, 'phone_number', " TEXT("phone")
    ", 'verified_email', " BOOLEAN("verified_email") ", 'verified_phone_number', " BOOLEAN("verified_phone")
    ", 'opted_out', " BOOLEAN("opted_out") ", 'sms_opted_out', " BOOLEAN("sms_opted_out")
    ", 'waitlisted', " BOOLEAN("waitlisted") ", 'fraudulent', " BOOLEAN("fraudulent")
    ", 'fraud_flags', " JSON("fraud_flags") ", 'bounced', " BOOLEAN("bounced")
    ", 'custom_fields', " JSON("custom_fields") ", 'utm', " JSON("utm")
    ", 'uid', uid, 'redirect_url', redirect_url, 'ip', " TEXT("ip") ", 'user_agent', user_agent, 'referrer', referrer"
    ", 'language', language, 'source', source, 'signup_url', signup_url, 'session_id', session_id, 'request_id', request_id"
    ", 'contest_score', score, 'referrals', referrals, 'tag_ids', tag_ids, 'action_ids', action_ids, 'reward_ids', reward_ids)"
    " FROM {prefix}leads WHERE id = ? AND " AFTER("id", "0"));
DB_STATEMENT(sql_report_ledger,
    "SELECT ref, round, JSON_OBJECT('at', " TIME("created_ms") ", 'reason', reason, 'points', delta, 'message', message)"
    " FROM {prefix}score_entries WHERE lead_id = ? AND reason = ? AND " AFTER("ref", "round") " ORDER BY ref, round" SOME);
DB_STATEMENT(sql_report_referrers,
    "SELECT level, 0, JSON_OBJECT('level', level, 'lead_id', ancestor_id)"
    " FROM {prefix}referral_links WHERE lead_id = ? AND " AFTER("level", "0") " ORDER BY level" SOME);
/* Without the content, because whoever has its links can act as the lead. */
#define KIND(kind, name) ", '" name "'"
#define MESSAGE \
    "JSON_OBJECT('id', id, 'kind', ELT(kind + 1" MESSAGE_KIND_LIST(KIND) "), 'requested_at', " TIME("created_ms") \
    ", 'sent_at', " TIME("sent_ms") ", 'state', state, 'recipient', " TEXT("recipient") ")"
#define CALL \
    "JSON_OBJECT('received_at', " TIME("received_ms") ", 'state', state, 'ip', " TEXT("ip") ", 'body', " TEXT("body") ")"
#define EVENT(payload) \
    "JSON_OBJECT('id', id, 'at', " TIME("created_ms") ", 'deliveries', deliveries, 'payload', JSON_COMPACT(" payload "))"
/* Without links that allow anyone to act as the lead, and without the addresses of leads that it referred. */
#define EVENT_OF_PERSON \
    EVENT("JSON_REMOVE(" JSON("payload") ", '$.status_url', '$.unsubscribe_url', '$.__referral.email', '$.__referral.phone_number')")
/* What belongs to the person in an event of a referrer. */
#define EVENT_OF_REFERRER \
    EVENT("JSON_OBJECT('__referral', JSON_EXTRACT(" JSON("payload") ", '$.__referral'))")
#define JOB \
    "JSON_OBJECT('at', " TIME("created_ms") ", 'kind', " TEXT("kind") ", 'parameters', " JSON("parameters") \
    ", 'result', " JSON("result") ")"
#define CONFIRMATION(sender) \
    "confirmed_ms, channel + 0, JSON_OBJECT('at', " TIME("confirmed_ms") ", 'channel', channel, 'address', " TEXT("address") \
    ", 'ip', " sender(TEXT("ip")) ", 'user_agent', " sender("user_agent") ") FROM {prefix}confirmations"
#define SENDER(value) value
/* Someone who owns a claimed address and confirms it is not the lead. */
#define UNLESS_CLAIMED(value) \
    "IF(channel + 0 = (SELECT claimed FROM {prefix}leads WHERE id = lead_id), NULL, " value ")"
DB_STATEMENT(sql_report_confirmations, "SELECT " CONFIRMATION(UNLESS_CLAIMED) " WHERE lead_id = ? AND " AFTER("confirmed_ms", "channel + 0")
    " ORDER BY confirmed_ms, channel" SOME);
#define OF_LEAD(object, table) \
    "SELECT id, 0, " object " FROM {prefix}" table " FORCE INDEX (by_lead)" \
    " WHERE lead_id = ? AND " AFTER("id", "0") " ORDER BY id" SOME
DB_STATEMENT(sql_report_messages, OF_LEAD(MESSAGE, "messages"));
DB_STATEMENT(sql_report_calls, OF_LEAD(CALL, "inbound_calls"));
DB_STATEMENT(sql_report_events,
    "SELECT id, 0, " EVENT_OF_PERSON " FROM " EVENTS_OF_LEAD " WHERE " AFTER("id", "0") " ORDER BY id" SOME);
#define WITH_IDS(object, table) "SELECT id, 0, " object " FROM {prefix}" table " WHERE id IN ({list}) ORDER BY id"
DB_STATEMENT(sql_report_found_messages, WITH_IDS(MESSAGE, "messages"));
DB_STATEMENT(sql_report_found_calls, WITH_IDS(CALL, "inbound_calls"));
DB_STATEMENT(sql_report_found_events, WITH_IDS(EVENT_OF_PERSON, "events"));
DB_STATEMENT(sql_report_found_referrals, WITH_IDS(EVENT_OF_REFERRER, "events"));
DB_STATEMENT(sql_report_found_confirmations,
    "SELECT " CONFIRMATION(SENDER) " WHERE lead_id IN ({list}) AND address IN ({list}) ORDER BY lead_id, confirmed_ms, channel");
DB_STATEMENT(sql_report_found_jobs, WITH_IDS(JOB, "operator_jobs"));
/* clang-format on */

/* clang-format off */
/* For each lead, in this order. */
static const struct {
	const char *name;
	const struct db_statement *statement;
	enum score_reason reason; /* for the ledger, whose reasons are read one after the other */
} of_lead[] = {
	{ "lead", &sql_report_lead, 0 },
#define LEDGER(reason, name) { "ledger", &sql_report_ledger, SCORE_##reason },
	SCORE_REASON_LIST(LEDGER)
#undef LEDGER
	{ "referrers", &sql_report_referrers, 0 },
	{ "confirmations", &sql_report_confirmations, 0 },
	{ "messages", &sql_report_messages, 0 },
	{ "calls", &sql_report_calls, 0 },
	{ "events", &sql_report_events, 0 },
};
/* clang-format on */

/* Then rows that belong to none of the leads: by their relation to the person. Data of others that contain the address are only
 * named. */
static const struct {
	const char *name;
	enum searched_table table;
	const struct db_statement *own, *naming;
	const char *mentions; /* what a row of the table is called if it is only named */
} of_none[] = {
	{ "events", SEARCH_EVENTS, &sql_report_found_events, &sql_report_found_referrals, "event" },
	{ "messages", SEARCH_MESSAGES, &sql_report_found_messages, NULL, NULL },
	{ "calls", SEARCH_CALLS, &sql_report_found_calls, NULL, "call" },
	{ "confirmations", SEARCH_CONFIRMATIONS, &sql_report_found_confirmations, NULL, NULL },
	{ "jobs", SEARCH_JOBS, &sql_report_found_jobs, NULL, NULL },
	{ NULL, SEARCH_LEADS, NULL, NULL, "lead" },
};

/* The sections of each lead, in the order of their ids; then those that belong to no lead. */
enum { LEAD_SECTIONS = ARRAY_SIZE(of_lead), SECTIONS = LEAD_SECTIONS + ARRAY_SIZE(of_none) };

bool
store_is_report_place(const struct report_place *place)
{
	return place->section < LEAD_SECTIONS ? place->section == 0 || place->lead_id > 0
					      : place->section < SECTIONS && place->lead_id == 0;
}

struct report_reader {
	struct store *store;
	struct pool *pool;
	const struct person *person;
	struct wanted wanted;
	struct report_place *place;
	struct report_part *part;
	size_t capacity, size;
};

static void
add_item(struct report_reader *reader, const char *section, uint64_t lead_id, struct slice data)
{
	struct report_part *part = reader->part;
	part->items = pool_grow(reader->pool, part->items, part->count, &reader->capacity, sizeof(*part->items));
	part->items[part->count++] = (struct report_item){ section, lead_id, data };
	reader->size += data.size;
}

static void
add_rows(struct report_reader *reader, const char *section, uint64_t lead_id, const struct db_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		add_item(reader, section, lead_id, pool_copy(reader->pool, db_get_bytes(rows, i, 2)));
}

/* ---- of leads ---- */

/* The lead with this id or the next higher one; 0: there is none. */
static uint64_t
lead_from(const struct id_set *leads, uint64_t id)
{
	size_t place = 0;
	while (place < leads->count && leads->ids[place] < id)
		place++;
	return place < leads->count ? leads->ids[place] : 0;
}

static enum result
read_lead_section(struct report_reader *reader, struct pool *pool, uint64_t lead_id)
{
	struct report_place *place = reader->place;
	const struct db_value lead = DB_U64(lead_id), first = DB_I64(place->first), second = DB_I64(place->second);
	const struct db_statement *statement = of_lead[place->section].statement;
	struct db_rows rows;
	const enum result result = statement == &sql_report_ledger
				       ? store_query(reader->store, pool, &rows, statement, lead,
					     DB_U64(of_lead[place->section].reason + 1U), first, first, second)
				       : store_query(reader->store, pool, &rows, statement, lead, first, first, second);
	if (result != RESULT_OK)
		return result;
	add_rows(reader, of_lead[place->section].name, lead_id, &rows);
	if (rows.count == AT_ONCE) {
		place->first = (int64_t)db_get_u64(&rows, rows.count - 1, 0);
		place->second = (int64_t)db_get_u64(&rows, rows.count - 1, 1);
	} else if (place->section + 1 < LEAD_SECTIONS)
		*place = (struct report_place){ lead_id, place->section + 1, -1, -1 };
	else
		*place = (struct report_place){ lead_id + 1, 0, -1, -1 };
	return RESULT_OK;
}

/* ---- what is found ---- */

static void
add_mention(struct report_reader *reader, const char *in, struct slice social_id, const struct db_rows *rows, size_t row)
{
	add_item(reader, "mentioned_by", 0,
	    pool_printf(reader->pool, "{\"campaign_id\":%" PRIu64 ",\"social_id\":\"%.*s\",\"in\":\"%s\",\"id\":%" PRIu64 "}",
		db_get_u64(rows, row, SEARCHED_CAMPAIGN_ID), SLICE_ARGS(social_id), in, db_get_u64(rows, row, SEARCHED_ID)));
}

/* Rows of a piece: ids and the first text, which is the address of a confirmation. */
struct found {
	struct db_value *ids, *texts;
	size_t count;
};

static enum result
add_found(struct report_reader *reader, struct pool *pool, size_t section, const struct db_statement *statement,
    const struct found *found)
{
	const struct db_list lists[] = { { found->ids, found->count }, { found->texts, found->count } };
	struct db_rows rows;
	if (found->count == 0 || statement == NULL)
		return RESULT_OK;
	const enum result result = store_query_lists(
	    reader->store, pool, statement, lists, of_none[section].table == SEARCH_CONFIRMATIONS ? 2 : 1, &rows);
	if (result == RESULT_OK)
		add_rows(reader, of_none[section].name, 0, &rows);
	return result;
}

/* Whether reading can stop before this row: several rows may have the same place. */
static bool
is_new_place(const struct db_rows *rows, size_t row)
{
	if (row == 0)
		return true;
	const struct search_place place = store_searched_place(rows, row), before = store_searched_place(rows, row - 1);
	return place.first != before.first || place.second != before.second;
}

/* Judges rows of a piece that belong to no lead of the person, up to AT_ONCE, or until a part is full, and then the rest of the
 * same place. Returns how many rows it has judged. */
static size_t
judge_rows(struct report_reader *reader, struct pool *pool, size_t section, const struct db_rows *rows, struct found *own,
    struct found *naming)
{
	size_t row = 0, size = 0;
	for (size_t count = 0; row < rows->count; row++) {
		if ((count >= AT_ONCE || size >= REPORT_PART_BYTES / JSON_GROWTH) && is_new_place(rows, row))
			break;
		struct slice social_id;
		const enum relation relation =
		    wanted_relation(&reader->wanted, pool, of_none[section].table, rows, row, &social_id);
		if (relation == RELATION_NONE || relation == RELATION_OF_LEAD)
			continue;
		count++;
		if (relation == RELATION_MENTIONED) {
			add_mention(reader, of_none[section].mentions, social_id, rows, row);
			continue;
		}
		struct found *found = relation == RELATION_OWN ? own : naming;
		size += db_get_bytes(rows, row, SEARCHED_TEXTS).size;
		found->ids[found->count] = DB_U64(db_get_u64(rows, row, SEARCHED_ID));
		found->texts[found->count++] = db_bytes(db_get_bytes(rows, row, SEARCHED_TEXTS));
	}
	return row;
}

static struct found
nothing_found(struct pool *pool, const struct db_rows *rows)
{
	struct db_value *ids = POOL_ARRAY(pool, rows->count, struct db_value),
			*texts = POOL_ARRAY(pool, rows->count, struct db_value);
	return (struct found){ ids, texts, 0 };
}

/* A piece of a table, with up to AT_ONCE matching rows. */
static enum result
read_found_section(struct report_reader *reader, struct pool *pool)
{
	struct report_place *place = reader->place;
	const size_t section = place->section - LEAD_SECTIONS;
	struct search_place after = { 0 };
	struct db_rows rows;
	if (place->first >= 0)
		after = (struct search_place){ (uint64_t)place->first, (uint64_t)place->second };
	enum result result =
	    store_search(reader->store, pool, of_none[section].table, reader->person->campaign_id, after, &rows);
	if (result != RESULT_OK)
		return result;
	struct found own = nothing_found(pool, &rows), naming = nothing_found(pool, &rows);
	const size_t judged = judge_rows(reader, pool, section, &rows, &own, &naming);
	if (rows.count == 0)
		*place = (struct report_place){ 0, place->section + 1, -1, -1 };
	else {
		const struct search_place last = store_searched_place(&rows, judged - 1);
		place->first = (int64_t)last.first;
		place->second = (int64_t)last.second;
	}
	result = add_found(reader, pool, section, of_none[section].own, &own);
	return result == RESULT_OK ? add_found(reader, pool, section, of_none[section].naming, &naming) : result;
}

/* *more: there is something to read after it. */
static enum result
read_some(struct report_reader *reader, bool *more)
{
	struct report_place *place = reader->place;
	struct pool *pool = pool_new();
	enum result result = RESULT_OK;
	if (place->section < LEAD_SECTIONS) {
		const uint64_t lead_id = lead_from(&reader->wanted.ids, place->lead_id);
		if (lead_id == 0)
			*place = (struct report_place){ 0, LEAD_SECTIONS, -1, -1 };
		else {
			if (lead_id != place->lead_id)
				*place = (struct report_place){ lead_id, 0, -1, -1 };
			result = read_lead_section(reader, pool, lead_id);
		}
	} else if (place->section < SECTIONS)
		result = read_found_section(reader, pool);
	*more = place->section < SECTIONS;
	pool_free(&pool);
	return result;
}

enum result
store_report_part(struct store *store, struct pool *pool, const struct person *person, int64_t deadline_ms,
    struct report_place *place, struct report_part *part)
{
	struct report_reader reader = { .store = store, .pool = pool, .person = person, .place = place, .part = part };
	struct person_found found;
	enum result result = store_find_leads_of(store, pool, person, &found);
	*part = (struct report_part){ .more = true };
	reader.wanted = wanted_of(pool, person, &found);
	do
		result = result == RESULT_OK ? read_some(&reader, &part->more) : result;
	while (result == RESULT_OK && part->more && reader.size < REPORT_PART_BYTES && clock_monotonic_ms() < deadline_ms);
	return result;
}
