/* SPDX-License-Identifier: MIT */
#include "store/queue/due_deliveries.h"

#include <string.h>

#include "engine/events.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "webhook/webhook_url.h"

DB_STATEMENT(sql_select_clock_and_work,
    "SELECT " NOW ", EXISTS (SELECT 1 FROM {prefix}bulk_jobs WHERE delayed_until_ms <= " NOW "),"
    " EXISTS (SELECT 1 FROM {prefix}operator_jobs FORCE INDEX (by_turn)"
    "   WHERE turn_ms IS NOT NULL AND lease_until_ms <= " NOW "),"
    " (SELECT COUNT(*) > 1 FROM (SELECT 1 FROM {prefix}accounts LIMIT 2) a)");
/* By place: the oldest of each account first, then the second of each, and so on. However many webhooks of an account have
 * something due, those of others are found. Ended webhooks, most of which no longer belong to an account, have places of their
 * own. */
#define BY_PLACE(found)                                                                                                      \
	"SELECT f.*, ROW_NUMBER() OVER (PARTITION BY f.account_id, f.ended ORDER BY f.ready_ms) AS place FROM (" found ") f" \
	" ORDER BY place, f.ready_ms LIMIT 20000"

/* with the index (shard, webhook_id, due_ms), this takes one probe for each shard and webhook, however many rows are due. The
 * LIMIT is above every due_query.limit */
DB_STATEMENT_ANEW(sql_select_due_webhooks,
    BY_PLACE("SELECT d.webhook_id, w.state IS NULL AS ended,"
	     " GREATEST(d.first_ms, CASE WHEN w.state = 'active' THEN COALESCE(s.hold_until_ms, 0) ELSE 0 END) AS ready_ms, "
	     "d.first_ms,"
	     " CAST(COALESCE(s.failures, 0) AS UNSIGNED), CAST(COALESCE(s.probes, 0) AS UNSIGNED),"
	     " s.failing_since_ms, s.last_delivery_ms IS NOT NULL, CAST(COALESCE(w.rate, 0) AS UNSIGNED),"
	     " CAST(COALESCE(c.account_id, 0) AS UNSIGNED) AS account_id"
	     " FROM (SELECT shard, webhook_id, MIN(due_ms) AS first_ms"
	     "   FROM {prefix}due"
	     "   WHERE shard IN ({list})"
	     "   GROUP BY shard, webhook_id) d"
	     " LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
	     " LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id"
	     " LEFT JOIN {prefix}campaigns c ON c.id = w.campaign_id"
	     " WHERE w.state IS NULL OR w.state = 'active'"));
/* As above, but only for the newest rows. A removed row stays in the indexes while an older snapshot is open, for example by a
 * dump: the statement above reads over all of them, webhook by webhook; this statement reads only over those with recent ids.
 * Ids are taken in blocks of nearly a hundred thousand at most, so a new row may have an older id; the next full query finds
 * what this one misses, for example right after midnight */
DB_STATEMENT(sql_select_newest_due,
    BY_PLACE("SELECT d.webhook_id, FALSE AS ended, GREATEST(d.first_ms, s.hold_until_ms) AS ready_ms, d.first_ms,"
	     " CAST(s.failures AS UNSIGNED), CAST(s.probes AS UNSIGNED), s.failing_since_ms, s.last_delivery_ms IS NOT NULL,"
	     " CAST(w.rate AS UNSIGNED), c.account_id"
	     " FROM (SELECT webhook_id, MIN(due_ms) AS first_ms"
	     "   FROM {prefix}due FORCE INDEX (PRIMARY)"
	     "   WHERE id >= (SELECT " NOW " DIV 86400000 * 68719476736 + GREATEST(next, 200000) - 200000"
	     "     FROM {prefix}id_blocks"
	     "     WHERE name = 'history') AND shard IN ({list})"
	     "   GROUP BY webhook_id) d"
	     " STRAIGHT_JOIN {prefix}webhooks w ON w.id = d.webhook_id"
	     " STRAIGHT_JOIN {prefix}campaigns c ON c.id = w.campaign_id"
	     " STRAIGHT_JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"
	     " WHERE w.state = 'active'"));

/* two ranges of the index alone, which ends with the id: the cost depends only on the limit */
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

/* ---- webhooks ---- */

/* Bit i of `shards`: shard i. */
static struct db_list
shard_list(struct pool *pool, uint64_t shards)
{
	struct db_value *list = POOL_ARRAY(pool, DELIVERY_SHARDS, struct db_value);
	size_t count = 0;
	for (unsigned i = 0; i < DELIVERY_SHARDS; i++)
		if (shards & UINT64_C(1) << i)
			list[count++] = DB_U64(i);
	return (struct db_list){ list, count };
}

/* The rows are sorted by place. */
static void
sort_webhooks(const struct db_rows *rows, size_t limit, struct due_webhooks *webhooks)
{
	enum { WEBHOOK, ENDED, READY_MS, FIRST_MS, FAILURES, PROBES, FAILING_SINCE_MS, SUCCEEDED, RATE, ACCOUNT_ID };
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t id = db_get_u64(rows, i, WEBHOOK);
		int64_t ready_ms = db_get_i64(rows, i, READY_MS);
		if (db_get_bool(rows, i, ENDED)) {
			if (webhooks->ended_count < limit)
				webhooks->ended[webhooks->ended_count++] = id;
		} else if (ready_ms > webhooks->now_ms) {
			if (webhooks->next_due_ms < 0 || ready_ms < webhooks->next_due_ms)
				webhooks->next_due_ms = ready_ms;
		} else if (webhooks->due_count < limit) {
			webhooks->due[webhooks->due_count++] = (struct due_webhook){
				.webhook_id = id,
				.account_id = db_get_u64(rows, i, ACCOUNT_ID),
				.first_due_ms = db_get_i64(rows, i, FIRST_MS),
				.failures = (unsigned)db_get_u64(rows, i, FAILURES),
				.probes = (unsigned)db_get_u64(rows, i, PROBES),
				.failing_since_ms = db_get_time(rows, i, FAILING_SINCE_MS),
				.succeeded = db_get_bool(rows, i, SUCCEEDED),
				.rate = (unsigned)db_get_u64(rows, i, RATE),
			};
		}
	}
}

enum result
store_due_webhooks(struct store *store, struct pool *pool, const struct due_query *query, struct due_webhooks *webhooks)
{
	enum { NOW_MS, BULK_WORK, FREE_JOBS, SEVERAL_ACCOUNTS };
	const struct db_arguments arguments = { .lists = { shard_list(pool, query->shards) }, .list_count = 1 };
	struct db_rows work, rows;
	enum result result = store_query(store, pool, &work, &sql_select_clock_and_work);
	const int64_t queried_ms = clock_monotonic_ms();
	if (result == RESULT_OK)
		result = db_query(
		    store->db, pool, query->newest ? &sql_select_newest_due : &sql_select_due_webhooks, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	const size_t room = rows.count < query->limit ? rows.count : query->limit;
	*webhooks = (struct due_webhooks){
		.due = POOL_ARRAY(pool, room, struct due_webhook),
		.ended = POOL_ARRAY(pool, room, uint64_t),
		.now_ms = db_get_i64(&work, 0, NOW_MS),
		.next_due_ms = -1,
		.bulk_work = db_get_bool(&work, 0, BULK_WORK),
		.free_jobs = db_get_bool(&work, 0, FREE_JOBS),
		.several_accounts = db_get_bool(&work, 0, SEVERAL_ACCOUNTS),
	};
	sort_webhooks(&rows, query->limit, webhooks);
	webhooks->now_ms += clock_monotonic_ms() - queried_ms;
	return RESULT_OK;
}

/* ---- deliveries ---- */

static struct destination
destination_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row)
{
	enum { ID, STATE, URL, SECRET, PREVIOUS_SECRET, SCHEDULE, ACCEPTS, CA_FILE, CLIENT_CERTIFICATE, CLIENT_KEY };
	const uint64_t id = db_get_u64(rows, row, ID);
	struct slice url, secret, previous, dialled;
	enum result result = store_open(store, pool, URL_OF_WEBHOOK(id), db_get_bytes(rows, row, URL), &url);
	if (result == RESULT_OK)
		result = store_open(store, pool, SECRET_OF_WEBHOOK(id), db_get_bytes(rows, row, SECRET), &secret);
	if (result == RESULT_OK)
		result = store_open(store, pool, SECRET_OF_WEBHOOK(id), db_get_bytes(rows, row, PREVIOUS_SECRET), &previous);
	const bool good = result == RESULT_OK;
	return (struct destination){
		.sealed = !good,
		.webhook_id = id,
		.state = store_webhook_state(db_get_bytes(rows, row, STATE)),
		.url = good && webhook_url_dial(pool, url, &dialled) ? dialled : SLICE_NONE,
		.secret = good ? secret : SLICE_NONE,
		.previous_secret = good ? previous : SLICE_NONE,
		.schedule = db_get_bytes(rows, row, SCHEDULE),
		.accepts = db_get_bytes(rows, row, ACCEPTS),
		.ca_file = db_get_bytes(rows, row, CA_FILE),
		.client_certificate = db_get_bytes(rows, row, CLIENT_CERTIFICATE),
		.client_key = db_get_bytes(rows, row, CLIENT_KEY),
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

/* Turns the rows of one request, which begin at *row, into deliveries to `destination` of which only the id is set. */
static void
take_positions(struct due_request *request, const struct db_rows *rows, size_t *row, const struct id_set *under_way,
    const struct destination *destination, struct due_deliveries *deliveries)
{
	enum { WEBHOOK, DUE_MS, ID };
	size_t read = 0, found = 0, taken = 0;
	for (; *row < rows->count && db_get_u64(rows, *row, WEBHOOK) == request->webhook_id; (*row)++, found++) {
		if (taken == request->rows)
			continue;
		request->last.due_ms = db_get_i64(rows, *row, DUE_MS);
		request->last.id = db_get_u64(rows, *row, ID);
		read++;
		if (id_set_contains(under_way, request->last.id))
			continue;
		deliveries->items[deliveries->count++] =
		    (struct due_delivery){ .id = request->last.id, .destination = destination };
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

static struct due_delivery
due_from_row(
    const struct store *store, struct pool *pool, const struct db_rows *rows, size_t row, const struct destination *destination)
{
	enum { ID, EVENT_ID, ATTEMPTS, ATTEMPTS_BEFORE, TYPE, FORMAT, BRACKETS, PAYLOAD };
	const uint64_t id = db_get_u64(rows, row, ID);
	log_work(LOG_UINT("delivery", id));
	return (struct due_delivery){
		.id = id,
		.event_id = db_get_u64(rows, row, EVENT_ID),
		.destination = destination,
		.event = db_is_null(rows, row, TYPE) ? SLICE_NONE : event_name((enum event_type)db_get_u64(rows, row, TYPE)),
		.attempt = (unsigned)db_get_u64(rows, row, ATTEMPTS) + 1,
		.attempts_before = (unsigned)db_get_u64(rows, row, ATTEMPTS_BEFORE),
		.message_id = delivery_message_id(pool, store->installation_id, id),
		.payload = db_get_bytes(rows, row, PAYLOAD),
		.form = store_is_form(db_get_bytes(rows, row, FORMAT)),
		.form_brackets = db_get_bool(rows, row, BRACKETS),
	};
}

/* Reads the rest of deliveries of which only the id and the destination are set; removes those that have ended in the
 * meantime. */
static enum result
read_due(struct store *store, struct pool *pool, struct due_deliveries *deliveries)
{
	struct due_delivery *const items = deliveries->items;
	const size_t found = deliveries->count;
	uint64_t *ids = POOL_ARRAY(pool, found, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < found; i++)
		ids[i] = items[i].id;
	const struct db_list list = store_id_list(pool, ids, found);
	enum result result = store_query_lists(store, pool, &sql_select_due_rows, &list, 1, &rows);
	deliveries->count = 0;
	for (size_t i = 0, row; i < found && result == RESULT_OK; i++)
		if (store_find_row(&rows, items[i].id, &row))
			items[deliveries->count++] = due_from_row(store, pool, &rows, row, items[i].destination);
	log_work_done();
	return result;
}

enum result
store_fetch_due(struct store *store, struct pool *pool, struct due_request *requests, size_t request_count,
    const struct id_set *under_way, struct due_deliveries *deliveries)
{
	struct destination *destinations = POOL_ARRAY(pool, request_count, struct destination);
	struct db_rows positions;
	size_t row = 0;
	enum result result = store_read_installation(store);
	deliveries->count = 0;
	if (result == RESULT_OK)
		result = find_positions(store, pool, requests, request_count, &positions);
	if (result != RESULT_OK)
		return result;
	deliveries->items = POOL_ARRAY(pool, positions.count, struct due_delivery);
	for (size_t i = 0; i < request_count; i++) {
		destinations[i].webhook_id = requests[i].webhook_id;
		take_positions(&requests[i], &positions, &row, under_way, &destinations[i], deliveries);
	}
	if (deliveries->count > 0)
		result = read_due(store, pool, deliveries);
	/* read last, so that a delivery goes to the destination that is set at that time */
	if (result == RESULT_OK && deliveries->count > 0)
		result = store_destinations(store, pool, destinations, request_count);
	for (size_t i = 0; i < request_count; i++) /* otherwise it is left alone: a poll reports when that changes */
		requests[i].more = requests[i].more && destinations[i].state == WEBHOOK_ACTIVE;
	return result;
}
