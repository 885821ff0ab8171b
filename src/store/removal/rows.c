/* SPDX-License-Identifier: MIT */
#include "store/removal/rows.h"

#include "store/query.h"
#include "store/queue/clean_up.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_delete_messages_of_leads, "DELETE t FROM " ROWS_OF_LEADS("messages"));
DB_STATEMENT(sql_delete_calls_of_leads, "DELETE t FROM " ROWS_OF_LEADS("inbound_calls"));
DB_STATEMENT(sql_delete_codes_of_leads, "DELETE t FROM " ROWS_OF_LEADS("lead_codes"));
/* an event's deliveries have the ids after its own */
DB_STATEMENT(sql_delete_due_of_event, "DELETE FROM {prefix}due WHERE id > ? AND id <= ?");
DB_STATEMENT(sql_delete_deliveries_of_event, "DELETE FROM {prefix}deliveries WHERE id > ? AND id <= ?");
DB_STATEMENT(sql_delete_attempts_of_event, "DELETE FROM {prefix}attempts WHERE delivery_id > ? AND delivery_id <= ?");
DB_STATEMENT(
    sql_empty_event, "UPDATE {prefix}events SET campaign_id = 0, lead_id = 0, deliveries = 0, payload = '' WHERE id = ?");
DB_STATEMENT(sql_clear_referral,
    "UPDATE {prefix}events"
    " SET payload = JSON_COMPACT(JSON_REPLACE(CONVERT(payload USING utf8mb4), '$.__referral', JSON_OBJECT())) WHERE id = ?");
DB_STATEMENT(
    sql_clear_answers_of_event, "UPDATE {prefix}deliveries SET answer = NULL WHERE id > ? AND id <= ? AND answer IS NOT NULL");
DB_STATEMENT(sql_clear_answers_of_attempts,
    "UPDATE {prefix}attempts SET answer = NULL WHERE delivery_id > ? AND delivery_id <= ? AND answer IS NOT NULL");

static enum result
delete_counted(struct store *store, const struct db_statement *statement, struct db_list leads, uint64_t *counter)
{
	uint64_t deleted = 0;
	const enum result result = store_run_on_ids(store, statement, leads.values, leads.count, &deleted);
	*counter += deleted;
	return result;
}

static enum result
delete_personal_rows(struct store *store, struct db_list leads, struct removal_counts *counts)
{
	uint64_t codes = 0;
	enum result result = delete_counted(store, &sql_delete_messages_of_leads, leads, &counts->messages);
	if (result == RESULT_OK)
		result = delete_counted(store, &sql_delete_calls_of_leads, leads, &counts->calls);
	return result == RESULT_OK ? delete_counted(store, &sql_delete_codes_of_leads, leads, &codes) : result;
}

enum result
store_delete_rows_of_leads(struct store *store, struct db_list leads, struct removal_counts *counts)
{
	struct removal_counts before = *counts;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*counts = before;
		txn.result = delete_personal_rows(store, leads, counts);
	}
	enum result result = txn.result;
	for (bool all = leads.count == 0; result == RESULT_OK && !all;)
		result = store_drop_entries(store, leads, &all);
	return result;
}

#define DELIVERIES_OF(event) DB_VALUES(DB_U64((event)->id), DB_U64((event)->id + (event)->deliveries))

typedef enum result change_event(struct store *store, const struct found_event *event, struct removal_counts *counts);

/* Changes what belongs to the events, each by the range of its deliveries, then the events. */
static enum result
change_events(struct store *store, struct pool *pool, const struct found_event *events, size_t count,
    struct removal_counts *counts, change_event *change, const struct db_statement *statement)
{
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++) {
		ids[i] = DB_U64(events[i].id);
		if (events[i].deliveries > 0)
			result = change(store, &events[i], counts);
	}
	counts->events += count;
	return result == RESULT_OK ? db_execute_rows(store->db, statement, ids, 1, count) : result;
}

static enum result
delete_deliveries(struct store *store, const struct found_event *event, struct removal_counts *counts)
{
	const struct db_arguments range = DELIVERIES_OF(event);
	uint64_t pending = 0, ended = 0;
	enum result result = db_execute(store->db, &sql_delete_due_of_event, &range, &pending);
	if (result == RESULT_OK)
		result = db_execute(store->db, &sql_delete_deliveries_of_event, &range, &ended);
	if (result == RESULT_OK)
		result = db_execute(store->db, &sql_delete_attempts_of_event, &range, NULL);
	counts->pending += pending;
	counts->ended += ended;
	return result;
}

enum result
store_empty_events(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts)
{
	return change_events(store, pool, events, count, counts, delete_deliveries, &sql_empty_event);
}

static enum result
clear_answers(struct store *store, const struct found_event *event, struct removal_counts *counts UNUSED)
{
	const struct db_arguments range = DELIVERIES_OF(event);
	const enum result result = db_execute(store->db, &sql_clear_answers_of_event, &range, NULL);
	return result == RESULT_OK ? db_execute(store->db, &sql_clear_answers_of_attempts, &range, NULL) : result;
}

enum result
store_clear_referrals(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts)
{
	return change_events(store, pool, events, count, counts, clear_answers, &sql_clear_referral);
}
