/* SPDX-License-Identifier: MIT
 * The engine erases leads, so that counters, ranks and referrals of others stay right; then everything else that is stored
 * about the person, which is found by the leads and by the address, is erased from other tables. */
#include "store/removal/erase.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/random.h"
#include "store/batch.h"
#include "store/erased_people.h"
#include "store/find.h"
#include "store/query.h"
#include "store/removal/wanted_person.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_erasure, "INSERT INTO {prefix}erasures"
				 " (id, campaign_id, channel, address, spellings, lead_ids, social_ids, worked_ms, created_ms)"
				 " VALUES (?, ?, ?, ?, ?, ?, ?, " NOW ", " NOW ")");
DB_STATEMENT(sql_count_erasures_of_account,
    "SELECT COUNT(*) FROM {prefix}erasures e STRAIGHT_JOIN {prefix}campaigns c ON c.id = e.campaign_id"
    " WHERE c.account_id = (SELECT account_id FROM {prefix}campaigns WHERE id = ?)");
DB_STATEMENT(sql_select_erasure, "SELECT campaign_id, channel, address, spellings, lead_ids, social_ids, step, position,"
				 " position_second"
				 " FROM {prefix}erasures"
				 " WHERE id = ?");
DB_STATEMENT(
    sql_select_idle_erasure, "SELECT id FROM {prefix}erasures WHERE worked_ms <= " NOW " - ? ORDER BY worked_ms LIMIT 1");
DB_STATEMENT(sql_move_erasure,
    "UPDATE {prefix}erasures SET step = ?, position = ?, position_second = ?, worked_ms = " NOW " WHERE id = ?");
DB_STATEMENT(sql_set_erased_leads, "UPDATE {prefix}erasures SET lead_ids = ?, social_ids = ? WHERE id = ?");
DB_STATEMENT(sql_postpone_erasure, "UPDATE {prefix}erasures SET worked_ms = " NOW " + ? WHERE id BETWEEN ? AND ?");
DB_STATEMENT(sql_delete_erasure, "DELETE FROM {prefix}erasures WHERE id = ?");
DB_STATEMENT(sql_delete_calls, "DELETE t FROM " ROWS_WITH_IDS("inbound_calls"));
DB_STATEMENT(sql_delete_messages, "DELETE t FROM " ROWS_WITH_IDS("messages"));
DB_STATEMENT(sql_delete_operator_jobs, "DELETE t FROM " ROWS_WITH_IDS("operator_jobs"));
DB_STATEMENT(
    sql_delete_confirmation, "DELETE FROM {prefix}confirmations WHERE lead_id = ? AND confirmed_ms = ? AND address = ?");

enum { LEADS_AT_ONCE = 50, LEAD_MS = 30000, SEARCH_MS = 200 };

/* In the order in which they are done. The numbers are stored. */
enum erase_step {
	ERASE_LEADS,
	ERASE_FOUND_EVENTS,
	ERASE_REFERRALS,
	ERASE_ROWS,
	ERASE_FOUND_CALLS,
	ERASE_FOUND_MESSAGES,
	ERASE_FOUND_CONFIRMATIONS,
	ERASE_FOUND_JOBS,
	ERASE_CLAIMS,
	ERASE_END
};

struct erasure {
	struct db_value id;
	uint64_t campaign_id;
	struct slice address;
	struct wanted wanted;
	unsigned step;
	struct search_place position; /* in a step without a search, only the first number is used */
};

/* A part of an erasure. */
struct part {
	struct store *store;
	struct pool *pool; /* belongs to the erasure */
	struct erasure *erasure;
	struct removal_counts *counts;
	struct search_place position; /* the position after this part */
	bool step_done, more_leads;   /* leads were added */
};

/* Stores the hash, too, so that no import brings back a lead that was already deleted. */
static enum result
note_person(struct store *store, struct pool *pool, const struct erase_request *request)
{
	const struct person *person = &request->person;
	return store_note_erased(store, pool, person->campaign_id, person->channel, person->address,
	    request->importable ? PERSON_IMPORTABLE : PERSON_ERASED);
}

/* As exact as needed: concurrent calls may exceed the maximum. */
static enum result
has_room(struct store *store, const struct erase_request *request)
{
	return request->most == 0
		   ? RESULT_OK
		   : store_check_room(store, &sql_count_erasures_of_account, request->person.campaign_id, request->most);
}

enum result
store_begin_erasure(struct store *store, const struct erase_request *request, unsigned char id[ERASURE_ID_SIZE], size_t *leads)
{
	const struct person *person = &request->person;
	random_bytes(id, ERASURE_ID_SIZE);
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		struct person_found found;
		txn.result = has_room(store, request);
		if (txn.result == RESULT_OK)
			txn.result = note_person(store, txn.pool, request);
		if (txn.result == RESULT_OK)
			txn.result = store_find_leads_of(store, txn.pool, person, &found);
		if (txn.result != RESULT_OK)
			continue;
		*leads = found.own;
		const struct wanted wanted = wanted_of(txn.pool, person, &found);
		txn.result = store_run(store, &sql_insert_erasure, db_raw(id, ERASURE_ID_SIZE), DB_U64(person->campaign_id),
		    db_bytes(lead_channel_name(person->channel)), db_bytes(person->address),
		    db_bytes(store_address_spellings(txn.pool, person, &found)), db_bytes(wanted_ids_text(txn.pool, &wanted)),
		    db_bytes(wanted_social_ids_text(txn.pool, &wanted)));
	}
	return txn.result;
}

/* ---- steps ---- */

/* LEADS_AT_ONCE ids of the erasure's leads, beginning at its position, which is an index into them. */
static struct db_list
some_leads(struct part *part)
{
	const struct wanted *wanted = &part->erasure->wanted;
	struct db_value *ids = POOL_ARRAY(part->pool, LEADS_AT_ONCE, struct db_value);
	size_t count = 0;
	for (uint64_t at = part->erasure->position.first; count < LEADS_AT_ONCE && at < wanted->count; at++)
		ids[count++] = DB_U64(wanted->leads[at].id);
	part->position.first = part->erasure->position.first + count;
	part->step_done = count < LEADS_AT_ONCE;
	return (struct db_list){ ids, count };
}

static enum result
save_progress(const struct part *part)
{
	const struct erasure *erasure = part->erasure;
	const unsigned step = part->step_done ? erasure->step + 1 : erasure->step;
	const struct search_place position = part->step_done ? (struct search_place){ 0 } : part->position;
	enum result result = RESULT_OK;
	if (part->more_leads) /* stored before the position, because a repeated run can reach the position again */
		result = store_run(part->store, &sql_set_erased_leads, db_bytes(wanted_ids_text(part->pool, &erasure->wanted)),
		    db_bytes(wanted_social_ids_text(part->pool, &erasure->wanted)), erasure->id);
	return result == RESULT_OK ? store_run(part->store, &sql_move_erasure, DB_U64(step), DB_U64(position.first),
					 DB_U64(position.second), erasure->id)
				   : result;
}

/* Deletes a lead as an API call does, but without an event; or removes only the address that it claims. */
static enum result
delete_lead(struct part *part, const struct lead *lead, struct slice claim, uint64_t *counter)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.campaign_id = lead->campaign_id,
		.as.change = { .action = LEAD_DELETE,
		    .argument = LEAD_DELETE_ERASED,
		    .address = claim,
		    .lead = { .identity = LEAD_BY_ID, .id = lead->id } },
	};
	const struct command *const commands[] = { &command };
	struct outcome outcome;
	store_execute(part->store, part->pool,
	    &(struct execution){
		.commands = commands, .count = 1, .deadline_ms = clock_monotonic_ms() + LEAD_MS, .outcomes = &outcome });
	if (outcome.failure == FAILURE_UNAVAILABLE)
		return RESULT_UNAVAILABLE;
	if (outcome.failure != FAILURE_NONE && outcome.failure != FAILURE_LEAD_NOT_FOUND &&
	    outcome.failure != FAILURE_CAMPAIGN_NOT_FOUND)
		return RESULT_FAILED;
	*counter += outcome.failure == FAILURE_NONE ? 1 : 0;
	return RESULT_OK;
}

static enum result
find_leads(const struct part *part, struct person_found *found)
{
	const struct erasure *erasure = part->erasure;
	const struct person person = { erasure->campaign_id, erasure->wanted.channel, erasure->address, SLICE_NONE };
	return store_find_leads_of(part->store, part->pool, &person, found);
}

/* Leads that were imported, or signed up, after the erasure began. */
static enum result
add_new_leads(struct part *part)
{
	struct erasure *erasure = part->erasure;
	struct person_found found;
	const enum result result = find_leads(part, &found);
	part->more_leads = result == RESULT_OK && wanted_add_own(&erasure->wanted, &found);
	part->step_done = !part->more_leads;
	return result;
}

static enum result
erase_leads(struct part *part)
{
	struct db_rows rows;
	enum result result = store_query_leads(part->store, part->pool, LEAD_BY_ID, some_leads(part), &rows);
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		const struct lead lead = row_lead(ROW(&rows, i));
		result = delete_lead(part, &lead, SLICE_NONE, &part->counts->leads);
	}
	if (result == RESULT_OK && part->step_done)
		result = add_new_leads(part);
	return result == RESULT_OK ? save_progress(part) : result;
}

static enum result
erase_rows(struct part *part)
{
	const enum result result = store_delete_rows_of_leads(part->store, some_leads(part), part->counts);
	return result == RESULT_OK ? save_progress(part) : result;
}

/* ---- what is found ---- */

/* Rows of a piece that belong to the person, each with its relation. */
struct found_rows {
	struct db_rows rows;
	struct found_row {
		enum relation relation;
		struct slice social_id; /* of an event; or absent */
	} * about;
};

/* A transaction: `change` deletes rows; then the part records where the next part begins. */
typedef enum result change_part(struct part *part, struct pool *pool, const struct found_rows *found);

static enum result
run_part(struct part *part, change_part *change, const struct found_rows *found)
{
	const struct removal_counts before = *part->counts;
	struct transaction txn = store_transaction(part->store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*part->counts = before;
		txn.result = change(part, txn.pool, found);
		if (txn.result == RESULT_OK)
			txn.result = save_progress(part);
	}
	return txn.result;
}

/* Adds the leads of found events that were the person's and have been deleted since. */
static enum result
add_deleted_leads(struct part *part, struct pool *pool, const struct person_lead *leads, size_t count)
{
	struct person_lead *deleted = POOL_ARRAY(pool, count, struct person_lead);
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	size_t deleted_count = 0;
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = DB_U64(leads[i].id);
	const enum result result = store_query_leads(part->store, pool, LEAD_BY_ID, (struct db_list){ ids, count }, &rows);
	if (result != RESULT_OK)
		return result;
	uint64_t *existing = POOL_ARRAY(pool, rows.count, uint64_t);
	for (size_t i = 0; i < rows.count; i++)
		existing[i] = row_lead(ROW(&rows, i)).id;
	const struct id_set set = id_set(existing, rows.count);
	for (size_t i = 0; i < count; i++)
		if (slice_present(leads[i].social_id) && !id_set_contains(&set, leads[i].id))
			deleted[deleted_count++] = leads[i];
	/* stays true if the transaction is repeated, although the leads are then known */
	part->more_leads = wanted_add(&part->erasure->wanted, deleted, deleted_count) || part->more_leads;
	return RESULT_OK;
}

/* Events of the person are emptied; events of referrers no longer name the person. */
static enum result
change_found_events(struct part *part, struct pool *pool, const struct found_rows *found)
{
	const struct db_rows *rows = &found->rows;
	struct found_event *own = POOL_ARRAY(pool, rows->count, struct found_event),
			   *others = POOL_ARRAY(pool, rows->count, struct found_event);
	struct person_lead *leads = POOL_ARRAY(pool, rows->count, struct person_lead);
	size_t own_count = 0, other_count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct found_event event = { db_get_u64(rows, i, SEARCHED_ID), db_get_u64(rows, i, SEARCHED_FIRST) };
		if (found->about[i].relation == RELATION_NAMED)
			others[other_count++] = event;
		else {
			leads[own_count] =
			    (struct person_lead){ db_get_u64(rows, i, SEARCHED_LEAD_ID), found->about[i].social_id };
			own[own_count++] = event;
		}
	}
	enum result result = own_count == 0 ? RESULT_OK : add_deleted_leads(part, pool, leads, own_count);
	if (result == RESULT_OK)
		result = store_empty_events(part->store, pool, own, own_count, part->counts);
	return result == RESULT_OK ? store_clear_referrals(part->store, pool, others, other_count, part->counts) : result;
}

static enum result
delete_found(
    struct part *part, struct pool *pool, const struct db_rows *rows, const struct db_statement *statement, uint64_t *counter)
{
	const struct db_list ids = store_column_list(pool, rows, SEARCHED_ID);
	return store_delete_counted(part->store, statement, ids.values, ids.count, counter);
}

static enum result
delete_found_calls(struct part *part, struct pool *pool, const struct found_rows *found)
{
	return delete_found(part, pool, &found->rows, &sql_delete_calls, &part->counts->calls);
}

static enum result
delete_found_messages(struct part *part, struct pool *pool, const struct found_rows *found)
{
	return delete_found(part, pool, &found->rows, &sql_delete_messages, &part->counts->messages);
}

static enum result
delete_found_jobs(struct part *part, struct pool *pool, const struct found_rows *found)
{
	return delete_found(part, pool, &found->rows, &sql_delete_operator_jobs, &part->counts->jobs);
}

/* Deletes confirmations of an address that the lead no longer has. */
static enum result
delete_found_confirmations(struct part *part, struct pool *pool UNUSED, const struct found_rows *found)
{
	const struct db_rows *rows = &found->rows;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < rows->count && result == RESULT_OK; i++) {
		uint64_t deleted = 0;
		result = db_execute(part->store->db, &sql_delete_confirmation,
		    &DB_VALUES(DB_U64(db_get_u64(rows, i, SEARCHED_ID)), DB_I64(db_get_i64(rows, i, SEARCHED_FIRST)),
			db_bytes(db_get_bytes(rows, i, SEARCHED_TEXTS))),
		    &deleted);
		part->counts->confirmations += deleted;
	}
	return result;
}

/* Steps that search a table. */
static const struct search_step {
	enum searched_table table;
	change_part *change;
} searches[] = {
	[ERASE_FOUND_EVENTS] = { SEARCH_EVENTS, change_found_events },
	[ERASE_REFERRALS] = { SEARCH_EVENTS, change_found_events }, /* for leads that the previous step has found */
	[ERASE_FOUND_CALLS] = { SEARCH_CALLS, delete_found_calls },
	[ERASE_FOUND_MESSAGES] = { SEARCH_MESSAGES, delete_found_messages },
	[ERASE_FOUND_CONFIRMATIONS] = { SEARCH_CONFIRMATIONS, delete_found_confirmations },
	[ERASE_FOUND_JOBS] = { SEARCH_JOBS, delete_found_jobs },
};

/* Drops the rows of a piece that do not belong to the person. */
static struct found_rows
find_own(const struct part *part, struct pool *pool, enum searched_table table, struct db_rows rows)
{
	struct found_row *about = POOL_ARRAY(pool, rows.count, struct found_row);
	size_t count = 0;
	for (size_t i = 0; i < rows.count; i++) {
		struct found_row *row = &about[count];
		row->relation = wanted_relation(&part->erasure->wanted, pool, table, &rows, i, &row->social_id);
		if (row->relation == RELATION_NONE || row->relation == RELATION_MENTIONED)
			continue;
		memmove(
		    rows.values + count++ * rows.columns, rows.values + i * rows.columns, rows.columns * sizeof(*rows.values));
	}
	rows.count = count;
	return (struct found_rows){ rows, about };
}

/* Reads pieces until something is found, or for SEARCH_MS, and then deletes it. */
static enum result
erase_found(struct part *part)
{
	const struct search_step *search_step = &searches[part->erasure->step];
	const int64_t end_ms = clock_monotonic_ms() + SEARCH_MS;
	enum result result;
	bool goes_on;
	part->position = part->erasure->position;
	do {
		struct pool *pool = pool_new();
		struct db_rows rows;
		result = store_search(part->store, pool, search_step->table, part->erasure->campaign_id, part->position, &rows);
		part->step_done = rows.count == 0;
		if (!part->step_done)
			part->position = store_searched_place(&rows, rows.count - 1);
		const struct found_rows found = find_own(part, pool, search_step->table, rows);
		goes_on = result == RESULT_OK && found.rows.count == 0 && !part->step_done && clock_monotonic_ms() < end_ms;
		if (result == RESULT_OK && !goes_on)
			result = run_part(part, search_step->change, &found);
		pool_free(&pool);
	} while (goes_on);
	return result;
}

/* ---- claims ---- */

_Static_assert(offsetof(struct lead, id) == 0, "compare_ids compares it");

/* LEADS_AT_ONCE of the leads of others that claim the address, by id: they lose the address, and stay. */
static enum result
erase_claims(struct part *part)
{
	const struct erasure *erasure = part->erasure;
	struct person_found found;
	enum result result = find_leads(part, &found);
	const size_t count = found.count - found.own;
	struct lead *claims = count > 0 ? found.leads + found.own : NULL;
	size_t tried = 0;
	part->position = erasure->position;
	if (count > 0)
		qsort(claims, count, sizeof(*claims), compare_ids);
	for (size_t i = 0; i < count && tried < LEADS_AT_ONCE && result == RESULT_OK; i++) {
		if (claims[i].id <= erasure->position.first)
			continue;
		result = delete_lead(part, &claims[i], erasure->address, &part->counts->claims);
		part->position.first = claims[i].id;
		tried++;
	}
	part->step_done = tried < LEADS_AT_ONCE;
	return result == RESULT_OK ? save_progress(part) : result;
}

/* ---- the end ---- */

static enum result
erase_itself(struct part *part)
{
	return store_run(part->store, &sql_delete_erasure, part->erasure->id);
}

static enum result (*const steps[])(struct part *part) = {
	[ERASE_LEADS] = erase_leads,
	[ERASE_FOUND_EVENTS] = erase_found,
	[ERASE_REFERRALS] = erase_found,
	[ERASE_ROWS] = erase_rows,
	[ERASE_FOUND_CALLS] = erase_found,
	[ERASE_FOUND_MESSAGES] = erase_found,
	[ERASE_FOUND_CONFIRMATIONS] = erase_found,
	[ERASE_FOUND_JOBS] = erase_found,
	[ERASE_CLAIMS] = erase_claims,
	[ERASE_END] = erase_itself,
};

enum { CAMPAIGN_ID, CHANNEL, ADDRESS, SPELLINGS, LEAD_IDS, SOCIAL_IDS, STEP, POSITION, POSITION_SECOND };

static struct erasure
erasure_from_row(struct pool *pool, struct db_value id, const struct db_rows *rows)
{
	const enum lead_channel channel =
	    slice_equal(db_get_bytes(rows, 0, CHANNEL), lead_channel_name(CHANNEL_PHONE)) ? CHANNEL_PHONE : CHANNEL_EMAIL;
	struct erasure erasure = {
		.id = id,
		.campaign_id = db_get_u64(rows, 0, CAMPAIGN_ID),
		.address = db_get_bytes(rows, 0, ADDRESS),
		.wanted = { .channel = channel,
		    .finder = store_address_finder(pool, channel, db_get_bytes(rows, 0, SPELLINGS)),
		    .pool = pool },
		.step = (unsigned)db_get_u64(rows, 0, STEP),
		.position = { db_get_u64(rows, 0, POSITION), db_get_u64(rows, 0, POSITION_SECOND) },
	};
	wanted_read(&erasure.wanted, db_get_bytes(rows, 0, LEAD_IDS), db_get_bytes(rows, 0, SOCIAL_IDS));
	return erasure;
}

enum result
store_continue_erasure(struct store *store, const unsigned char id[ERASURE_ID_SIZE], struct removal_counts *counts, bool *done)
{
	const struct db_value id_value = db_raw(id, ERASURE_ID_SIZE);
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_erasure, id_value);
	*done = result == RESULT_OK && rows.count == 0;
	if (result == RESULT_OK && !*done) {
		struct erasure erasure = erasure_from_row(pool, id_value, &rows);
		struct part part = { .store = store, .pool = pool, .erasure = &erasure, .counts = counts };
		result = erasure.step < ARRAY_SIZE(steps) ? steps[erasure.step](&part) : RESULT_FAILED;
	}
	pool_free(&pool);
	return result;
}

uint64_t
erasure_number(const unsigned char id[ERASURE_ID_SIZE])
{
	uint64_t number;
	memcpy(&number, id, sizeof(number));
	return number;
}

enum result
store_postpone_erasure(struct store *store, uint64_t number, int64_t more_ms)
{
	unsigned char first[ERASURE_ID_SIZE] = { 0 }, last[ERASURE_ID_SIZE];
	memset(last, 0xff, sizeof(last));
	memcpy(first, &number, sizeof(number));
	memcpy(last, &number, sizeof(number));
	return store_run(
	    store, &sql_postpone_erasure, DB_I64(more_ms), db_raw(first, sizeof(first)), db_raw(last, sizeof(last)));
}

enum result
store_find_erasure(struct store *store, int64_t idle_ms, unsigned char id[ERASURE_ID_SIZE], bool *found)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_idle_erasure, DB_I64(idle_ms));
	*found = result == RESULT_OK && rows.count > 0;
	if (*found)
		memcpy(id, db_get_bytes(&rows, 0, 0).data, ERASURE_ID_SIZE);
	pool_free(&pool);
	return result;
}
