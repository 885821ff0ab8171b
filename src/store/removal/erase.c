/* SPDX-License-Identifier: MIT
 * Erases a person: their leads by the engine, so that counters, ranks and referrals of others stay right; then what is stored
 * about them in other tables, found by their leads and by their address. */
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/id_list.h"
#include "store/erased.h"
#include "store/query.h"
#include "store/read.h"
#include "store/removal/pattern.h"
#include "store/removal/removal.h"
#include "store/removal/rows.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_erasure,
    "INSERT INTO {prefix}erasures"
    " (id, campaign_id, channel, address, whole, in_text, lead_ids, social_ids, worked_ms, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, " NOW ", " NOW ")");
DB_STATEMENT(sql_select_erasure, "SELECT campaign_id, channel, address, whole, in_text, lead_ids, social_ids, step, position"
				 " FROM {prefix}erasures"
				 " WHERE id = ?");
DB_STATEMENT(
    sql_select_idle_erasure, "SELECT id FROM {prefix}erasures WHERE worked_ms <= " NOW " - ? ORDER BY created_ms LIMIT 1");
DB_STATEMENT(sql_move_erasure, "UPDATE {prefix}erasures"
			       " SET step = ?, position = ?, lead_ids = ?, social_ids = ?, worked_ms = " NOW " WHERE id = ?");
DB_STATEMENT(sql_postpone_erasure, "UPDATE {prefix}erasures SET worked_ms = " NOW " WHERE id = ?");
DB_STATEMENT(sql_delete_erasure, "DELETE FROM {prefix}erasures WHERE id = ?");
DB_STATEMENT(sql_select_events_of_leads, "SELECT id, deliveries"
					 " FROM {prefix}events FORCE INDEX (by_lead)"
					 " WHERE lead_id IN ({list})"
					 " LIMIT 200");
/* the next read a table in pieces */
/* clang-format off */
DB_STATEMENT(sql_search_events,
    "SELECT id, deliveries, (? IN (0, campaign_id)) AND " HAS_ADDRESS("payload")
    " FROM {prefix}events WHERE id > ? ORDER BY id LIMIT 2000");
DB_STATEMENT(sql_search_calls,
    "SELECT id, (? IN (0, campaign_id)) AND (" HAS_ADDRESS("body") " OR " HAS_ADDRESS("message") ")"
    " FROM {prefix}inbound_calls WHERE id > ? ORDER BY id LIMIT 100");
DB_STATEMENT(sql_search_messages,
    "SELECT id, (? IN (0, campaign_id)) AND " HAS_ADDRESS("recipient") ", kind, ref"
    " FROM {prefix}messages WHERE id > ? ORDER BY id LIMIT 2000");
/* a confirmation is of the campaign of its lead */
DB_STATEMENT(sql_search_confirmations,
    "SELECT c.lead_id, MAX((? = 0 OR ? = l.campaign_id) AND " HAS_ADDRESS("c.address") ")"
    " FROM {prefix}confirmations c LEFT JOIN {prefix}leads l ON l.id = c.lead_id"
    " WHERE c.lead_id > ? GROUP BY c.lead_id ORDER BY c.lead_id LIMIT 2000");
/* a test mail to the address, and what the mail server has answered */
DB_STATEMENT(sql_search_operator_jobs,
    "SELECT id, (? IN (0, COALESCE(campaign_id, 0))) AND (" HAS_ADDRESS("parameters") " OR " HAS_ADDRESS("result") ")"
    " FROM {prefix}operator_jobs WHERE id > ? ORDER BY id LIMIT 1000");
/* clang-format on */
/* Of found events: whose they are, and what their payloads have as the address. */
DB_STATEMENT(sql_select_found_events,
    "SELECT e.id, e.lead_id, l.id IS NULL, JSON_VALUE(CONVERT(e.payload USING utf8mb4), '$.social_id'),"
    " JSON_VALUE(CONVERT(e.payload USING utf8mb4), '$.email') REGEXP CONVERT(? USING utf8mb4)"
    " OR JSON_VALUE(CONVERT(e.payload USING utf8mb4), '$.phone_number') REGEXP CONVERT(? USING utf8mb4)"
    " FROM {prefix}events e LEFT JOIN {prefix}leads l ON l.id = e.lead_id"
    " WHERE e.id IN ({list})");
DB_STATEMENT(sql_delete_calls, "DELETE t FROM " ROWS_WITH_IDS("inbound_calls"));
DB_STATEMENT(sql_delete_messages, "DELETE t FROM " ROWS_WITH_IDS("messages"));
DB_STATEMENT(sql_delete_operator_jobs, "DELETE t FROM " ROWS_WITH_IDS("operator_jobs"));
DB_STATEMENT(sql_delete_confirmations_to, "DELETE FROM {prefix}confirmations WHERE lead_id = ? AND " HAS_ADDRESS("address"));

store_statement_list sql_of_erase = { &sql_insert_erasure, &sql_select_erasure, &sql_select_idle_erasure, &sql_move_erasure,
	&sql_postpone_erasure, &sql_delete_erasure, &sql_select_events_of_leads, &sql_search_events, &sql_search_calls,
	&sql_search_messages, &sql_search_confirmations, &sql_search_operator_jobs, &sql_select_found_events, &sql_delete_calls,
	&sql_delete_messages, &sql_delete_operator_jobs, &sql_delete_confirmations_to, NULL };

enum { LEADS_AT_ONCE = 50, EVENTS_AT_ONCE = 200, LEAD_MS = 30000 };

/* Stored: new ones are added at the end. */
enum erase_step {
	ERASE_LEADS,
	ERASE_FOUND_EVENTS,
	ERASE_REFERRALS,
	ERASE_ROWS,
	ERASE_EVENTS,
	ERASE_FOUND_CALLS,
	ERASE_FOUND_MESSAGES,
	ERASE_FOUND_CONFIRMATIONS,
	ERASE_FOUND_JOBS,
	ERASE_END
};

struct erasure {
	struct slice id;
	uint64_t campaign_id;
	enum lead_channel channel;
	struct slice address, whole, in_text, lead_ids, social_ids;
	unsigned step;
	uint64_t position;
};

/* A part of an erasure. */
struct part {
	struct store *store;
	struct pool *pool; /* of the erasure */
	struct erasure *erasure;
	struct removal_counts *counts;
	uint64_t position; /* after this part */
	bool step_done;
};

/* Adds a lead to the lists. Returns false if it is in them already. */
static bool
add_lead(struct pool *pool, struct slice *lead_ids, struct slice *social_ids, uint64_t id, struct slice social_id)
{
	if (id_list_has(*lead_ids, id))
		return false;
	*lead_ids = id_list_add(pool, *lead_ids, id);
	*social_ids = slice_present(*social_ids) ? POOL_JOIN(pool, *social_ids, SLICE(","), social_id) : social_id;
	return true;
}

/* With the hash, so that no import brings a lead back that was deleted already. */
static enum result
note_person(struct store *store, struct pool *pool, const struct erase_request *request)
{
	const struct person *person = &request->person;
	return request->importable ? store_delete_erased(store, pool, person->campaign_id, person->channel, person->address)
				   : store_insert_erased(store, pool, person->campaign_id, person->channel, person->address);
}

enum result
store_begin_erasure(struct store *store, const struct erase_request *request, unsigned char id[REMOVAL_ID_SIZE], size_t *leads)
{
	const struct person *person = &request->person;
	random_bytes(id, REMOVAL_ID_SIZE);
	const struct slice id_slice = { (const char *)id, REMOVAL_ID_SIZE };
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		struct lead *found = NULL;
		struct slice lead_ids = SLICE_NONE, social_ids = SLICE_NONE;
		txn.result = note_person(store, txn.pool, request);
		if (txn.result == RESULT_OK)
			txn.result = store_find_leads_of(store, txn.pool, person, &found, leads);
		if (txn.result != RESULT_OK)
			continue;
		for (size_t i = 0; i < *leads; i++)
			add_lead(txn.pool, &lead_ids, &social_ids, found[i].id, found[i].social_id);
		const struct address_patterns patterns = store_address_patterns(txn.pool, person, found, *leads);
		txn.result = store_run(store, &sql_insert_erasure, db_bytes(id_slice), DB_U64(person->campaign_id),
		    db_bytes(lead_channel_name(person->channel)), db_bytes(person->address), db_bytes(patterns.whole),
		    db_bytes(patterns.in_text), db_bytes(lead_ids), db_bytes(social_ids));
	}
	return txn.result;
}

/* ---- steps ---- */

/* LEADS_AT_ONCE ids of the erasure's leads, from its position on. */
static struct db_list
some_leads(struct part *part)
{
	struct slice rest = part->erasure->lead_ids;
	struct db_value *ids = POOL_ARRAY(part->pool, LEADS_AT_ONCE, struct db_value);
	size_t count = 0;
	uint64_t id;
	for (uint64_t at = 0; count < LEADS_AT_ONCE && id_list_next(&rest, &id); at++)
		if (at >= part->erasure->position)
			ids[count++] = DB_U64(id);
	part->position = part->erasure->position + count;
	part->step_done = count < LEADS_AT_ONCE;
	return (struct db_list){ ids, count };
}

static enum result
move(const struct part *part)
{
	const struct erasure *erasure = part->erasure;
	const unsigned step = part->step_done ? erasure->step + 1 : erasure->step;
	return store_run(part->store, &sql_move_erasure, DB_U64(step), DB_U64(part->step_done ? 0 : part->position),
	    db_bytes(erasure->lead_ids), db_bytes(erasure->social_ids), db_bytes(erasure->id));
}

/* Deletes a lead as a call of the API does, but without an event. */
static enum result
delete_lead(struct part *part, const struct lead *lead)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.campaign_id = lead->campaign_id,
		.as.change = { .action = LEAD_DELETE,
		    .argument = LEAD_DELETE_ERASED,
		    .lead = { .identity = LEAD_BY_ID, .id = lead->id } },
	};
	const struct command *const commands[] = { &command };
	struct outcome outcome;
	store_execute(part->store, part->pool, commands, 1, clock_monotonic_ms() + LEAD_MS, &outcome, NULL);
	if (outcome.failure == FAILURE_UNAVAILABLE)
		return RESULT_UNAVAILABLE;
	if (outcome.failure != FAILURE_NONE && outcome.failure != FAILURE_LEAD_NOT_FOUND &&
	    outcome.failure != FAILURE_CAMPAIGN_NOT_FOUND)
		return RESULT_FAILED;
	part->counts->leads += outcome.failure == FAILURE_NONE ? 1 : 0;
	return RESULT_OK;
}

/* Leads that were imported, or signed up, since the erasure began. */
static enum result
add_new_leads(struct part *part)
{
	struct erasure *erasure = part->erasure;
	const struct person person = { erasure->campaign_id, erasure->channel, erasure->address, SLICE_NONE };
	struct lead *leads;
	size_t count;
	const enum result result = store_find_leads_of(part->store, part->pool, &person, &leads, &count);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		if (add_lead(part->pool, &erasure->lead_ids, &erasure->social_ids, leads[i].id, leads[i].social_id))
			part->step_done = false;
	return result;
}

static enum result
erase_leads(struct part *part)
{
	struct db_rows rows;
	enum result result = store_query_leads(part->store, part->pool, LEAD_BY_ID, some_leads(part), &rows);
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		const struct lead lead = store_lead_from_row(&rows, i);
		result = delete_lead(part, &lead);
	}
	if (result == RESULT_OK && part->step_done)
		result = add_new_leads(part);
	return result == RESULT_OK ? move(part) : result;
}

static enum result
erase_rows(struct part *part)
{
	const enum result result = store_delete_rows_of_leads(part->store, some_leads(part), part->counts);
	return result == RESULT_OK ? move(part) : result;
}

/* A step whose part is one transaction: `change` deletes and sets where the next part begins. */
static enum result
run_part(struct part *part, enum result (*change)(struct part *part, struct pool *pool))
{
	const struct removal_counts before = *part->counts;
	struct transaction txn = store_transaction(part->store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*part->counts = before;
		txn.result = change(part, txn.pool);
		if (txn.result == RESULT_OK)
			txn.result = move(part);
	}
	return txn.result;
}

/* The events of the leads. They no longer belong to them afterwards, so the next part finds others. */
static enum result
empty_some_events(struct part *part, struct pool *pool)
{
	const struct db_list leads = some_leads(part);
	struct db_rows rows;
	enum result result = store_query_lists(part->store, pool, &sql_select_events_of_leads, &leads, 1, &rows);
	struct found_event *events = POOL_ARRAY(pool, rows.count, struct found_event);
	for (size_t i = 0; i < rows.count; i++)
		events[i] = (struct found_event){ db_get_u64(&rows, i, 0), db_get_u64(&rows, i, 1) };
	if (rows.count == EVENTS_AT_ONCE) {
		part->position = part->erasure->position;
		part->step_done = false;
	}
	return result == RESULT_OK ? store_empty_events(part->store, pool, events, rows.count, part->counts) : result;
}

static enum result
erase_events(struct part *part)
{
	return run_part(part, empty_some_events);
}

/* The next part begins after the last row of this one. */
static void
end_piece(struct part *part, const struct db_rows *rows)
{
	part->step_done = rows->count == 0;
	part->position = rows->count == 0 ? 0 : db_get_u64(rows, rows->count - 1, 0);
}

/* Reads a piece of a table. */
static enum result
search(struct part *part, struct pool *pool, const struct db_statement *statement, struct slice pattern, struct db_rows *rows)
{
	const struct erasure *erasure = part->erasure;
	const enum result result = store_query(
	    part->store, pool, rows, statement, DB_U64(erasure->campaign_id), db_bytes(pattern), DB_U64(erasure->position));
	end_piece(part, rows);
	return result;
}

/* Empties the events of a piece that were found. */
static enum result
empty_found(struct part *part, struct pool *pool, const struct db_rows *rows)
{
	enum { ID, DELIVERIES, FOUND };
	struct found_event *events = POOL_ARRAY(pool, rows->count, struct found_event);
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_bool(rows, i, FOUND))
			events[count++] = (struct found_event){ db_get_u64(rows, i, ID), db_get_u64(rows, i, DELIVERIES) };
	return store_empty_events(part->store, pool, events, count, part->counts);
}

/* Leads that were deleted before, and are the person: their events have the address as their own. */
static enum result
add_deleted_leads(struct part *part, struct pool *pool, const struct db_rows *rows)
{
	enum { ID, LEAD_ID, IS_DELETED, SOCIAL_ID, IS_OWN };
	struct erasure *erasure = part->erasure;
	uint64_t *ids = POOL_ARRAY(pool, rows->count, uint64_t);
	const struct db_value whole = db_bytes(erasure->whole), single[] = { whole, whole };
	size_t count = 0;
	struct db_rows found;
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_bool(rows, i, 2))
			ids[count++] = db_get_u64(rows, i, 0);
	if (count == 0)
		return RESULT_OK;
	const struct db_list list = store_id_list(pool, ids, count);
	for (size_t from = 0; from < list.count; from += DB_LIST_MAX) {
		const struct db_arguments arguments = { .values = single,
			.count = ARRAY_SIZE(single),
			.lists = { store_list_piece(list, from) },
			.list_count = 1 };
		const enum result result = db_query(part->store->db, pool, &sql_select_found_events, &arguments, &found);
		if (result != RESULT_OK)
			return result;
		for (size_t i = 0; i < found.count; i++)
			if (db_get_bool(&found, i, IS_DELETED) && !db_is_null(&found, i, IS_OWN) &&
			    db_get_bool(&found, i, IS_OWN))
				add_lead(part->pool, &erasure->lead_ids, &erasure->social_ids, db_get_u64(&found, i, LEAD_ID),
				    pool_copy(part->pool, db_get_bytes(&found, i, SOCIAL_ID)));
	}
	return RESULT_OK;
}

/* Events that have the address: of the leads, of leads that were deleted before, `referral` events of referrers. */
static enum result
empty_found_events(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	enum result result = search(part, pool, &sql_search_events, part->erasure->in_text, &rows);
	if (result == RESULT_OK)
		result = add_deleted_leads(part, pool, &rows);
	return result == RESULT_OK ? empty_found(part, pool, &rows) : result;
}

static enum result
erase_found_events(struct part *part)
{
	return run_part(part, empty_found_events);
}

/* `referral` events of referrers that have another address of a lead. */
static enum result
empty_referrals(struct part *part, struct pool *pool)
{
	struct slice rest = part->erasure->social_ids, social_id, pattern = SLICE("");
	struct db_rows rows;
	while (slice_next(&rest, ',', &social_id))
		pattern = POOL_JOIN(pool, pattern, pattern.size > 0 ? SLICE("|") : SLICE(""), social_id);
	if (pattern.size == 0) {
		part->step_done = true;
		return RESULT_OK;
	}
	pattern = POOL_JOIN(pool, SLICE("\"__referral\":\\{\"social_id\":\"(?:"), pattern, SLICE(")\""));
	const enum result result = search(part, pool, &sql_search_events, pattern, &rows);
	return result == RESULT_OK ? empty_found(part, pool, &rows) : result;
}

static enum result
erase_referrals(struct part *part)
{
	return run_part(part, empty_referrals);
}

static enum result
delete_found(struct part *part, struct pool *pool, const struct db_rows *rows, const struct db_statement *statement,
    bool (*is_found)(const struct part *part, const struct db_rows *rows, size_t row), uint64_t *counter)
{
	struct db_value *ids = POOL_ARRAY(pool, rows->count, struct db_value);
	size_t count = 0;
	uint64_t deleted = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (is_found(part, rows, i))
			ids[count++] = DB_U64(db_get_u64(rows, i, 0));
	const enum result result = store_run_on_ids(part->store, statement, ids, count, &deleted);
	*counter += deleted;
	return result;
}

static bool
text_is_found(const struct part *part UNUSED, const struct db_rows *rows, size_t row)
{
	return db_get_bool(rows, row, 1);
}

/* Of a table with two texts that may have the address. */
static enum result
delete_found_texts(struct part *part, struct pool *pool, const struct db_statement *searching,
    const struct db_statement *deletion, uint64_t *counter)
{
	struct db_rows rows;
	const struct db_value pattern = db_bytes(part->erasure->in_text);
	const enum result result = store_query(part->store, pool, &rows, searching, DB_U64(part->erasure->campaign_id), pattern,
	    pattern, DB_U64(part->erasure->position));
	end_piece(part, &rows);
	return result == RESULT_OK ? delete_found(part, pool, &rows, deletion, text_is_found, counter) : result;
}

static enum result
delete_found_calls(struct part *part, struct pool *pool)
{
	return delete_found_texts(part, pool, &sql_search_calls, &sql_delete_calls, &part->counts->calls);
}

static enum result
erase_found_calls(struct part *part)
{
	return run_part(part, delete_found_calls);
}

/* A message to the address, or one that names the person to its referrer. */
static bool
message_is_found(const struct part *part, const struct db_rows *rows, size_t row)
{
	enum { ID, FOUND, KIND, REF };
	return db_get_bool(rows, row, FOUND) || (db_get_u64(rows, row, KIND) == MESSAGE_REFERRAL &&
						    id_list_has(part->erasure->lead_ids, db_get_u64(rows, row, REF)));
}

static enum result
delete_found_messages(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	const enum result result = search(part, pool, &sql_search_messages, part->erasure->whole, &rows);
	return result == RESULT_OK
		   ? delete_found(part, pool, &rows, &sql_delete_messages, message_is_found, &part->counts->messages)
		   : result;
}

static enum result
erase_found_messages(struct part *part)
{
	return run_part(part, delete_found_messages);
}

/* Of an address that a lead has no more. */
static enum result
delete_found_confirmations(struct part *part, struct pool *pool)
{
	const struct db_value pattern = db_bytes(part->erasure->whole), campaign = DB_U64(part->erasure->campaign_id);
	struct db_rows rows;
	enum result result = store_query(
	    part->store, pool, &rows, &sql_search_confirmations, campaign, campaign, pattern, DB_U64(part->erasure->position));
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++)
		if (db_get_bool(&rows, i, 1))
			result = store_run(part->store, &sql_delete_confirmations_to, DB_U64(db_get_u64(&rows, i, 0)), pattern);
	end_piece(part, &rows);
	return result;
}

static enum result
erase_found_confirmations(struct part *part)
{
	return run_part(part, delete_found_confirmations);
}

static enum result
delete_found_jobs(struct part *part, struct pool *pool)
{
	uint64_t jobs = 0;
	return delete_found_texts(part, pool, &sql_search_operator_jobs, &sql_delete_operator_jobs, &jobs);
}

static enum result
erase_found_jobs(struct part *part)
{
	return run_part(part, delete_found_jobs);
}

/* ---- the end ---- */

static enum result
erase_itself(struct part *part)
{
	return store_run(part->store, &sql_delete_erasure, db_bytes(part->erasure->id));
}

static enum result (*const steps[])(struct part *part) = {
	[ERASE_LEADS] = erase_leads,
	[ERASE_FOUND_EVENTS] = erase_found_events,
	[ERASE_REFERRALS] = erase_referrals,
	[ERASE_ROWS] = erase_rows,
	[ERASE_EVENTS] = erase_events,
	[ERASE_FOUND_CALLS] = erase_found_calls,
	[ERASE_FOUND_MESSAGES] = erase_found_messages,
	[ERASE_FOUND_CONFIRMATIONS] = erase_found_confirmations,
	[ERASE_FOUND_JOBS] = erase_found_jobs,
	[ERASE_END] = erase_itself,
};

enum { CAMPAIGN_ID, CHANNEL, ADDRESS, WHOLE, IN_TEXT, LEAD_IDS, SOCIAL_IDS, STEP, POSITION };

static struct erasure
erasure_from_row(struct slice id, const struct db_rows *rows)
{
	return (struct erasure){
		.id = id,
		.campaign_id = db_get_u64(rows, 0, CAMPAIGN_ID),
		.channel = slice_equal(db_get_bytes(rows, 0, CHANNEL), lead_channel_name(CHANNEL_PHONE)) ? CHANNEL_PHONE
													 : CHANNEL_EMAIL,
		.address = db_get_bytes(rows, 0, ADDRESS),
		.whole = db_get_bytes(rows, 0, WHOLE),
		.in_text = db_get_bytes(rows, 0, IN_TEXT),
		.lead_ids = db_get_bytes(rows, 0, LEAD_IDS),
		.social_ids = db_get_bytes(rows, 0, SOCIAL_IDS),
		.step = (unsigned)db_get_u64(rows, 0, STEP),
		.position = db_get_u64(rows, 0, POSITION),
	};
}

enum result
store_continue_erasure(struct store *store, const unsigned char id[REMOVAL_ID_SIZE], struct removal_counts *counts, bool *done)
{
	const struct slice id_slice = { (const char *)id, REMOVAL_ID_SIZE };
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_erasure, db_bytes(id_slice));
	*done = result == RESULT_OK && rows.count == 0;
	if (result == RESULT_OK && !*done) {
		struct erasure erasure = erasure_from_row(id_slice, &rows);
		struct part part = { .store = store, .pool = pool, .erasure = &erasure, .counts = counts };
		result = erasure.step < ARRAY_SIZE(steps) ? steps[erasure.step](&part) : RESULT_FAILED;
	}
	pool_free(&pool);
	return result;
}

enum result
store_postpone_erasure(struct store *store, const unsigned char id[REMOVAL_ID_SIZE])
{
	return store_run(store, &sql_postpone_erasure, db_bytes((struct slice){ (const char *)id, REMOVAL_ID_SIZE }));
}

enum result
store_find_erasure(struct store *store, int64_t idle_ms, unsigned char id[REMOVAL_ID_SIZE], bool *found)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_idle_erasure, DB_I64(idle_ms));
	*found = result == RESULT_OK && rows.count > 0;
	if (*found)
		memcpy(id, db_get_bytes(&rows, 0, 0).data, REMOVAL_ID_SIZE);
	pool_free(&pool);
	return result;
}
