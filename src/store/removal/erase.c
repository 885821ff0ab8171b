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
    "INSERT INTO {prefix}erasures (id, campaign_id, channel, address, pattern, lead_ids, importable, worked_ms, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, " NOW ", " NOW ")");
DB_STATEMENT(sql_select_erasure, "SELECT campaign_id, channel, address, pattern, lead_ids, importable, step, position"
				 " FROM {prefix}erasures"
				 " WHERE id = ?");
DB_STATEMENT(
    sql_select_idle_erasure, "SELECT id FROM {prefix}erasures WHERE worked_ms <= " NOW " - ? ORDER BY created_ms LIMIT 1");
DB_STATEMENT(sql_move_erasure, "UPDATE {prefix}erasures SET step = ?, position = ?, worked_ms = " NOW " WHERE id = ?");
DB_STATEMENT(sql_delete_erasure, "DELETE FROM {prefix}erasures WHERE id = ?");
DB_STATEMENT(sql_delete_unused_addresses, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? AND ip = ? AND leads <= 0");
DB_STATEMENT(sql_select_events_of_leads, "SELECT id, deliveries"
					 " FROM {prefix}events FORCE INDEX (by_lead)"
					 " WHERE lead_id IN ({list})"
					 " LIMIT 200");
/* the next four read a table in pieces */
DB_STATEMENT(sql_search_events,
    "SELECT id, deliveries, (? IN (0, campaign_id)) AND " HAS_ADDRESS("payload") " FROM {prefix}events"
										 " WHERE id > ?"
										 " ORDER BY id LIMIT 2000");
DB_STATEMENT(sql_search_calls, "SELECT id, (? IN (0, campaign_id)) AND " HAS_ADDRESS("body") " FROM {prefix}inbound_calls"
											     " WHERE id > ?"
											     " ORDER BY id LIMIT 100");
DB_STATEMENT(sql_search_messages, "SELECT id, (? IN (0, campaign_id)) AND " HAS_ADDRESS("recipient") ", kind, ref"
												     " FROM {prefix}messages"
												     " WHERE id > ?"
												     " ORDER BY id LIMIT 2000");
DB_STATEMENT(sql_search_confirmations, "SELECT lead_id, MAX(" HAS_ADDRESS("address") ")"
										     " FROM {prefix}confirmations"
										     " WHERE lead_id > ?"
										     " GROUP BY lead_id"
										     " ORDER BY lead_id LIMIT 2000");
DB_STATEMENT(sql_delete_calls, "DELETE t FROM " ROWS_WITH_IDS("inbound_calls"));
DB_STATEMENT(sql_delete_messages, "DELETE t FROM " ROWS_WITH_IDS("messages"));
DB_STATEMENT(sql_delete_confirmations_to, "DELETE FROM {prefix}confirmations WHERE lead_id = ? AND " HAS_ADDRESS("address"));

store_statement_list sql_of_erase = { &sql_insert_erasure, &sql_select_erasure, &sql_select_idle_erasure, &sql_move_erasure,
	&sql_delete_erasure, &sql_delete_unused_addresses, &sql_select_events_of_leads, &sql_search_events, &sql_search_calls,
	&sql_search_messages, &sql_search_confirmations, &sql_delete_calls, &sql_delete_messages, &sql_delete_confirmations_to,
	NULL };

enum { LEADS_AT_ONCE = 50, EVENTS_AT_ONCE = 200, LEAD_MS = 30000 };

/* Stored: new ones are added at the end. */
enum erase_step {
	ERASE_LEADS,
	ERASE_ROWS,
	ERASE_EVENTS,
	ERASE_FOUND_EVENTS,
	ERASE_FOUND_CALLS,
	ERASE_FOUND_MESSAGES,
	ERASE_FOUND_CONFIRMATIONS,
	ERASE_END
};

struct erasure {
	struct slice id;
	uint64_t campaign_id;
	enum lead_channel channel;
	struct slice address, pattern, lead_ids;
	bool importable;
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

enum result
store_begin_erasure(struct store *store, const struct erase_request *request, unsigned char id[REMOVAL_ID_SIZE], size_t *leads)
{
	random_bytes(id, REMOVAL_ID_SIZE);
	const struct slice id_slice = { (const char *)id, REMOVAL_ID_SIZE };
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		struct lead *found = NULL;
		struct slice ids = SLICE_NONE;
		txn.result = store_find_leads_of(store, txn.pool, &request->person, &found, leads);
		for (size_t i = 0; i < *leads && txn.result == RESULT_OK; i++)
			ids = id_list_add(txn.pool, ids, found[i].id);
		if (txn.result == RESULT_OK)
			txn.result =
			    store_run(store, &sql_insert_erasure, db_bytes(id_slice), DB_U64(request->person.campaign_id),
				db_bytes(lead_channel_name(request->person.channel)), db_bytes(request->person.address),
				db_bytes(store_address_pattern(txn.pool, &request->person, found, *leads)), db_bytes(ids),
				DB_BOOL(request->importable));
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
	return store_run(
	    part->store, &sql_move_erasure, DB_U64(step), DB_U64(part->step_done ? 0 : part->position), db_bytes(erasure->id));
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
	return slice_present(lead->ip)
		   ? store_run(part->store, &sql_delete_unused_addresses, DB_U64(lead->campaign_id), db_bytes(lead->ip))
		   : RESULT_OK;
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
search(struct part *part, struct pool *pool, const struct db_statement *statement, struct db_rows *rows)
{
	const struct erasure *erasure = part->erasure;
	const enum result result = store_query(part->store, pool, rows, statement, DB_U64(erasure->campaign_id),
	    db_bytes(erasure->pattern), DB_U64(erasure->position));
	end_piece(part, rows);
	return result;
}

/* Events that have the address though they are of no lead of the person: those of leads that were deleted before, and
 * `referral` events of referrers. */
static enum result
empty_found_events(struct part *part, struct pool *pool)
{
	enum { ID, DELIVERIES, FOUND };
	struct db_rows rows;
	const enum result result = search(part, pool, &sql_search_events, &rows);
	struct found_event *events = POOL_ARRAY(pool, rows.count, struct found_event);
	size_t count = 0;
	for (size_t i = 0; i < rows.count; i++)
		if (db_get_bool(&rows, i, FOUND))
			events[count++] = (struct found_event){ db_get_u64(&rows, i, ID), db_get_u64(&rows, i, DELIVERIES) };
	return result == RESULT_OK ? store_empty_events(part->store, pool, events, count, part->counts) : result;
}

static enum result
erase_found_events(struct part *part)
{
	return run_part(part, empty_found_events);
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
call_is_found(const struct part *part UNUSED, const struct db_rows *rows, size_t row)
{
	return db_get_bool(rows, row, 1);
}

static enum result
delete_found_calls(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	const enum result result = search(part, pool, &sql_search_calls, &rows);
	return result == RESULT_OK ? delete_found(part, pool, &rows, &sql_delete_calls, call_is_found, &part->counts->calls)
				   : result;
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
	const enum result result = search(part, pool, &sql_search_messages, &rows);
	return result == RESULT_OK
		   ? delete_found(part, pool, &rows, &sql_delete_messages, message_is_found, &part->counts->messages)
		   : result;
}

static enum result
erase_found_messages(struct part *part)
{
	return run_part(part, delete_found_messages);
}

/* Of an address that a lead has no more. With the address alone: whatever the campaign is. */
static enum result
delete_found_confirmations(struct part *part, struct pool *pool)
{
	const struct db_value pattern = db_bytes(part->erasure->pattern);
	struct db_rows rows;
	enum result result =
	    store_query(part->store, pool, &rows, &sql_search_confirmations, pattern, DB_U64(part->erasure->position));
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

/* ---- the end ---- */

static enum result
erase_itself(struct part *part)
{
	const struct erasure *erasure = part->erasure;
	struct transaction txn = store_transaction(part->store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = erasure->importable ? RESULT_OK
					     : store_insert_erased(part->store, txn.pool, erasure->campaign_id,
						   erasure->channel, erasure->address);
		if (txn.result == RESULT_OK)
			txn.result = store_run(part->store, &sql_delete_erasure, db_bytes(erasure->id));
	}
	return txn.result;
}

static enum result (*const steps[])(struct part *part) = {
	[ERASE_LEADS] = erase_leads,
	[ERASE_ROWS] = erase_rows,
	[ERASE_EVENTS] = erase_events,
	[ERASE_FOUND_EVENTS] = erase_found_events,
	[ERASE_FOUND_CALLS] = erase_found_calls,
	[ERASE_FOUND_MESSAGES] = erase_found_messages,
	[ERASE_FOUND_CONFIRMATIONS] = erase_found_confirmations,
	[ERASE_END] = erase_itself,
};

enum { CAMPAIGN_ID, CHANNEL, ADDRESS, PATTERN, LEAD_IDS, IMPORTABLE, STEP, POSITION };

static struct erasure
erasure_from_row(struct slice id, const struct db_rows *rows)
{
	return (struct erasure){
		.id = id,
		.campaign_id = db_get_u64(rows, 0, CAMPAIGN_ID),
		.channel = slice_equal(db_get_bytes(rows, 0, CHANNEL), lead_channel_name(CHANNEL_PHONE)) ? CHANNEL_PHONE
													 : CHANNEL_EMAIL,
		.address = db_get_bytes(rows, 0, ADDRESS),
		.pattern = db_get_bytes(rows, 0, PATTERN),
		.lead_ids = db_get_bytes(rows, 0, LEAD_IDS),
		.importable = db_get_bool(rows, 0, IMPORTABLE),
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
