/* SPDX-License-Identifier: MIT
 * Leases of shards, what the death of a dispatcher leaves, and what is due. */
#include "store/queue/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/events.h"
#include "os/log.h"
#include "store/query.h"
#include "store/queue/operator_jobs.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_lease_shards, "UPDATE {prefix}dispatch_shards"
			       " SET owner = ?, lease_until_ms = " NOW " + ?"
			       " WHERE owner IS NULL OR owner = ? OR lease_until_ms <= " NOW);
DB_STATEMENT(sql_select_leased_shards, "SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?");
/* the owner stays: only its attempts are counted by sql_count_attempt */
DB_STATEMENT(sql_release_shards, "UPDATE {prefix}dispatch_shards SET lease_until_ms = 0 WHERE owner = ?");
DB_STATEMENT(sql_count_attempt,
    "UPDATE {prefix}due"
    " SET attempts = attempts + 1, due_ms = " NOW " + ?"
    " WHERE id = ? AND attempts + 1 = ? AND shard IN (SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?)");
/* two ranges of the index alone, which ends with the id: the cost depends on the limit only */
DB_STATEMENT(sql_select_due_positions, "{each}(SELECT webhook_id, due_ms, id"
				       "   FROM {prefix}due FORCE INDEX (by_webhook)"
				       "   WHERE shard = ? AND webhook_id = ? AND (due_ms > ? OR (due_ms = ? AND id > ?))"
				       " AND due_ms <= " NOW " ORDER BY due_ms, id"
				       "   LIMIT ?){between} UNION ALL {end}");
DB_STATEMENT(sql_select_due_rows, "SELECT u.id, u.event_id, u.attempts, u.attempts_before, e.type, u.format,"
				  " COALESCE(e.form_brackets, FALSE), e.payload"
				  " FROM {prefix}due u FORCE INDEX (PRIMARY)"
				  " LEFT JOIN {prefix}events e ON e.id = u.event_id"
				  " WHERE u.id IN ({list})"
				  " ORDER BY u.id");
DB_STATEMENT(sql_select_destinations,
    "SELECT id, state, url, secret, CASE WHEN previous_until_ms > " NOW " THEN previous_secret END, schedule,"
    " accepts, ca_file, client_certificate, client_key"
    " FROM {prefix}webhooks FORCE INDEX (PRIMARY)"
    " WHERE id IN ({list})"
    " ORDER BY id");

static struct db_value
bytes_value(const unsigned char *bytes, size_t size)
{
	return db_bytes((struct slice){ (const char *)bytes, size });
}

enum result
store_shards_lease(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *leased)
{
	struct db_value own = bytes_value(owner, DISPATCH_OWNER_SIZE);
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_read_installation(store);
	*leased = 0;
	if (result == RESULT_OK)
		result = store_run(store, &sql_lease_shards, own, DB_I64(lease_ms), own);
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_select_leased_shards, own);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		*leased |= UINT64_C(1) << (db_get_u64(&rows, i, 0) % DELIVERY_SHARDS);
	pool_free(&pool);
	return result;
}

enum result
store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	struct db_value own = bytes_value(owner, DISPATCH_OWNER_SIZE);
	return store_run(store, &sql_release_shards, own);
}

enum result
store_recover(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE],
    const struct interrupted_delivery *interrupted, size_t count)
{
	struct db_value owner = bytes_value(dead_owner, DISPATCH_OWNER_SIZE);
	/* an attempt that was counted is not counted again */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		struct row_list attempts = store_row_list(txn.pool, &sql_count_attempt, count);
		for (size_t i = 0; i < count; i++)
			store_add_row(&attempts, DB_I64(interrupted[i].delay_ms), DB_U64(interrupted[i].id),
			    DB_U64(interrupted[i].attempt), owner);
		txn.result = store_shards_release(store, dead_owner);
		if (txn.result == RESULT_OK)
			txn.result = store_run_lists(store, &attempts);
		if (txn.result == RESULT_OK)
			txn.result = store_release_jobs(store, dead_owner);
	}
	return txn.result;
}

enum {
	DESTINATION_ID,
	DESTINATION_STATE,
	DESTINATION_URL,
	DESTINATION_SECRET,
	DESTINATION_PREVIOUS_SECRET,
	DESTINATION_SCHEDULE,
	DESTINATION_ACCEPTS,
	DESTINATION_CA_FILE,
	DESTINATION_CLIENT_CERTIFICATE,
	DESTINATION_CLIENT_KEY
};

static struct destination
destination_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row)
{
	const uint64_t id = db_get_u64(rows, row, DESTINATION_ID);
	struct slice url, secret, previous;
	enum result result = store_open(store, pool, URL_OF_WEBHOOK(id), db_get_bytes(rows, row, DESTINATION_URL), &url);
	if (result == RESULT_OK)
		result = store_open(store, pool, SECRET_OF_WEBHOOK(id), db_get_bytes(rows, row, DESTINATION_SECRET), &secret);
	if (result == RESULT_OK)
		result = store_open(
		    store, pool, SECRET_OF_WEBHOOK(id), db_get_bytes(rows, row, DESTINATION_PREVIOUS_SECRET), &previous);
	const bool good = result == RESULT_OK;
	return (struct destination){
		.sealed = !good,
		.webhook_id = id,
		.state = store_webhook_state(db_get_bytes(rows, row, DESTINATION_STATE)),
		.url = good ? url : SLICE_NONE,
		.secret = good ? secret : SLICE_NONE,
		.previous_secret = good ? previous : SLICE_NONE,
		.schedule = db_get_bytes(rows, row, DESTINATION_SCHEDULE),
		.accepts = db_get_bytes(rows, row, DESTINATION_ACCEPTS),
		.ca_file = db_get_bytes(rows, row, DESTINATION_CA_FILE),
		.client_certificate = db_get_bytes(rows, row, DESTINATION_CLIENT_CERTIFICATE),
		.client_key = db_get_bytes(rows, row, DESTINATION_CLIENT_KEY),
	};
}

enum result
store_destinations(struct store *store, struct pool *pool, struct destination *destinations, size_t count)
{
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = destinations[i].webhook_id;
	const struct db_list list = store_id_list(pool, ids, count);
	enum result result = store_query_lists(store, pool, &sql_select_destinations, &list, 1, &rows);
	for (size_t i = 0, row; i < count && result == RESULT_OK; i++) {
		if (store_find_row(&rows, destinations[i].webhook_id, &row))
			destinations[i] = destination_from_row(store, pool, &rows, row);
		else
			destinations[i].state = WEBHOOK_MISSING;
	}
	return result;
}

enum { POSITION_WEBHOOK_ID, POSITION_DUE_MS, POSITION_ID };

/* Takes the rows of one request, which begin at *row, as deliveries to `destination` that have only their id. */
static void
take_positions(struct due_request *request, const struct db_rows *rows, size_t *row, const struct id_set *under_way,
    const struct destination *destination, struct due_delivery *deliveries, size_t *count)
{
	size_t read = 0, found = 0, taken = 0;
	for (; *row < rows->count && db_get_u64(rows, *row, POSITION_WEBHOOK_ID) == request->webhook_id; (*row)++, found++) {
		if (taken == request->rows)
			continue;
		request->last.due_ms = db_get_i64(rows, *row, POSITION_DUE_MS);
		request->last.id = db_get_u64(rows, *row, POSITION_ID);
		read++;
		if (id_set_contains(under_way, request->last.id))
			continue;
		deliveries[(*count)++] = (struct due_delivery){ .id = request->last.id, .destination = destination };
		taken++;
	}
	request->more = found > read || found == request->rows + request->under_way;
}

static enum result
find_positions(struct store *store, struct pool *pool, const struct due_request *requests, size_t count, struct db_rows *rows)
{
	enum { COLUMNS = 6 };
	struct db_value *values = POOL_ARRAY(pool, count * COLUMNS, struct db_value);
	for (size_t i = 0; i < count; i++) {
		const struct due_request *request = &requests[i];
		const struct db_value item[COLUMNS] = { DB_U64(webhook_shard(request->webhook_id)), DB_U64(request->webhook_id),
			DB_I64(request->last.due_ms), DB_I64(request->last.due_ms), DB_U64(request->last.id),
			DB_U64(request->rows + request->under_way) };
		memcpy(values + i * COLUMNS, item, sizeof(item));
	}
	const struct db_arguments arguments = { .items = { values, COLUMNS, count } };
	return db_query(store->db, pool, &sql_select_due_positions, &arguments, rows);
}

enum { DUE_ID, DUE_EVENT_ID, DUE_ATTEMPTS, DUE_ATTEMPTS_BEFORE, DUE_TYPE, DUE_FORMAT, DUE_BRACKETS, DUE_PAYLOAD };

static struct due_delivery
due_from_row(
    const struct store *store, struct pool *pool, const struct db_rows *rows, size_t row, const struct destination *destination)
{
	const uint64_t id = db_get_u64(rows, row, DUE_ID);
	log_work(LOG_UINT("delivery", id));
	return (struct due_delivery){
		.id = id,
		.event_id = db_get_u64(rows, row, DUE_EVENT_ID),
		.destination = destination,
		.event =
		    db_is_null(rows, row, DUE_TYPE) ? SLICE_NONE : event_name((enum event_type)db_get_u64(rows, row, DUE_TYPE)),
		.attempt = (unsigned)db_get_u64(rows, row, DUE_ATTEMPTS) + 1,
		.attempts_before = (unsigned)db_get_u64(rows, row, DUE_ATTEMPTS_BEFORE),
		.message_id = delivery_message_id(pool, store->installation_id, id),
		.payload = db_get_bytes(rows, row, DUE_PAYLOAD),
		.form = store_is_form(db_get_bytes(rows, row, DUE_FORMAT)),
		.form_brackets = db_get_bool(rows, row, DUE_BRACKETS),
	};
}

/* Reads the rest of deliveries that have only their id and destination; those that have ended since are removed. */
static enum result
read_due(struct store *store, struct pool *pool, struct due_delivery *deliveries, size_t *count)
{
	const size_t found = *count;
	uint64_t *ids = POOL_ARRAY(pool, found, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < found; i++)
		ids[i] = deliveries[i].id;
	const struct db_list list = store_id_list(pool, ids, found);
	enum result result = store_query_lists(store, pool, &sql_select_due_rows, &list, 1, &rows);
	*count = 0;
	for (size_t i = 0, row; i < found && result == RESULT_OK; i++)
		if (store_find_row(&rows, deliveries[i].id, &row))
			deliveries[(*count)++] = due_from_row(store, pool, &rows, row, deliveries[i].destination);
	log_work_done();
	return result;
}

enum result
store_fetch_due(struct store *store, struct pool *pool, struct due_request *requests, size_t request_count,
    const struct id_set *under_way, struct due_delivery **deliveries, size_t *count)
{
	struct destination *destinations = POOL_ARRAY(pool, request_count, struct destination);
	struct db_rows positions;
	size_t row = 0;
	enum result result = store_read_installation(store);
	*count = 0;
	if (result == RESULT_OK)
		result = find_positions(store, pool, requests, request_count, &positions);
	if (result != RESULT_OK)
		return result;
	*deliveries = POOL_ARRAY(pool, positions.count, struct due_delivery);
	for (size_t i = 0; i < request_count; i++) {
		destinations[i].webhook_id = requests[i].webhook_id;
		take_positions(&requests[i], &positions, &row, under_way, &destinations[i], *deliveries, count);
	}
	if (*count > 0)
		result = read_due(store, pool, *deliveries, count);
	/* at the end, so that a delivery goes to the destination that is set by then */
	if (result == RESULT_OK && *count > 0)
		result = store_destinations(store, pool, destinations, request_count);
	for (size_t i = 0; i < request_count; i++) /* otherwise left: a poll reports when that changes */
		requests[i].more = requests[i].more && destinations[i].state == WEBHOOK_ACTIVE;
	return result;
}
