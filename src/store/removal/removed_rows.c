/* SPDX-License-Identifier: MIT */
#include "store/removal/removed_rows.h"

#include "store/query.h"
#include "store/queue/clean_up.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* the ids of an event's deliveries follow its own */
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

enum result
store_delete_rows_of_leads(struct store *store, struct db_list leads, struct removal_counts *counts)
{
	struct left_rows dropped = { .all = leads.count == 0 };
	enum result result = RESULT_OK;
	while (result == RESULT_OK && !dropped.all) {
		result = store_drop_left_rows(store, leads, &dropped);
		counts->messages += dropped.counts[LEFT_MESSAGES];
		counts->calls += dropped.counts[LEFT_CALLS];
	}
	return result;
}

enum result
store_delete_counted(
    struct store *store, const struct db_statement *statement, const struct db_value *ids, size_t count, uint64_t *counter)
{
	uint64_t deleted = 0;
	const enum result result = store_run_on_ids(store, statement, ids, count, &deleted);
	*counter += deleted;
	return result;
}

#define DELIVERIES_OF(event) DB_VALUES(DB_U64((event)->id), DB_U64((event)->id + (event)->deliveries))

/* What to do with events: first with their deliveries, by the range of their ids, then with the events. */
struct event_change {
	enum result (*change)(struct store *store, const struct found_event *event, struct removal_counts *counts);
	const struct db_statement *statement;
};

static enum result
change_events(struct store *store, struct pool *pool, const struct found_event *events, size_t count,
    struct removal_counts *counts, struct event_change what)
{
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++) {
		ids[i] = DB_U64(events[i].id);
		if (events[i].deliveries > 0)
			result = what.change(store, &events[i], counts);
	}
	counts->events += count;
	return result == RESULT_OK ? db_execute_rows(store->db, what.statement, ids, 1, count) : result;
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
	return change_events(store, pool, events, count, counts, (struct event_change){ delete_deliveries, &sql_empty_event });
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
	return change_events(store, pool, events, count, counts, (struct event_change){ clear_answers, &sql_clear_referral });
}
