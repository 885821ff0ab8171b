/* SPDX-License-Identifier: MIT
 * Leases, claims and outcomes of the dispatcher. Claims are guarded updates by primary key; none depends on locks that other
 * nodes of a cluster would not see. */
#include "store/queue/dispatch.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "engine/events.h"
#include "store/query.h"
#include "store/queue/shards.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_lease_shards, "UPDATE {prefix}dispatch_shards"
			       " SET owner = ?, lease_until_ms = " NOW " + ?"
			       " WHERE owner IS NULL OR owner = ? OR lease_until_ms <= " NOW);
DB_STATEMENT(sql_select_leased_shards, "SELECT shard FROM {prefix}dispatch_shards WHERE owner = ?");
DB_STATEMENT(sql_release_shards, "UPDATE {prefix}dispatch_shards SET owner = NULL, lease_until_ms = 0 WHERE owner = ?");
/* one probe for each webhook, then only rows that come due within a lease, not earlier or later ones */
DB_STATEMENT(sql_select_claimed_webhooks, "SELECT shard, webhook_id, MIN(due_ms)"
					  " FROM {prefix}due"
					  " WHERE due_ms > " NOW " AND due_ms <= " NOW " + ? AND shard IN ({list})"
					  " GROUP BY shard, webhook_id");
DB_STATEMENT(sql_select_claims,
    "SELECT id"
    " FROM {prefix}due FORCE INDEX (by_webhook)"
    " WHERE shard = ? AND webhook_id = ? AND due_ms > " NOW " AND due_ms <= " NOW " + ? AND token >= ?"
    " AND token <= ?");
DB_STATEMENT(sql_release_claims, "UPDATE {prefix}due FORCE INDEX (PRIMARY)"
				 " SET due_ms = LEAST(due_ms, " NOW "), token = NULL"
				 " WHERE token >= ? AND token <= ? AND id IN ({list})");
DB_STATEMENT(sql_select_due_rows, "SELECT id, due_ms"
				  " FROM {prefix}due FORCE INDEX (by_webhook)"
				  " WHERE shard = ? AND webhook_id = ? AND due_ms >= ? AND due_ms <= " NOW " ORDER BY due_ms"
				  " LIMIT ?");
/* the index is forced here and in sql_lock_claimed: the server would read and lock all rows of a small table, and wait for
 * those of batches that are not committed yet */
DB_STATEMENT(sql_claim_due, "UPDATE {prefix}due FORCE INDEX (PRIMARY)"
			    " SET token = ?, due_ms = " NOW " + ?, attempts = attempts + 1"
			    " WHERE due_ms <= " NOW " AND id IN ({list})");
DB_STATEMENT(sql_select_claimed, "SELECT u.id, u.webhook_id, u.attempts, u.attempts_before, e.type, u.format, e.payload"
				 " FROM {prefix}due u"
				 " LEFT JOIN {prefix}events e ON e.id = u.event_id"
				 " WHERE u.token = ? AND u.id IN ({list})");
DB_STATEMENT(sql_select_destinations,
    "SELECT id, state, url, secret, CASE WHEN previous_until_ms > " NOW " THEN previous_secret END, schedule,"
    " ca_file, client_certificate, client_key"
    " FROM {prefix}webhooks FORCE INDEX (PRIMARY)"
    " WHERE id IN ({list})");

store_statement_list sql_of_dispatch = { &sql_lease_shards, &sql_select_leased_shards, &sql_release_shards,
	&sql_select_claimed_webhooks, &sql_select_claims, &sql_release_claims, &sql_select_due_rows, &sql_claim_due,
	&sql_select_claimed, &sql_select_destinations, NULL };

/* A claim's token is the first half of its owner's id and a random half, so that all claims of an owner can be found. */
enum { TOKEN_OWNER_SIZE = 8 };

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

/* Claims of a dead owner. */
struct claims {
	struct db_value tokens[2]; /* the lowest and the highest of the owner */
	struct db_value *ids;
	size_t count, capacity;
};

static enum result
find_claims(struct store *store, struct pool *pool, const struct db_value webhook[2], int64_t lease_ms, struct claims *claims)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_claims, webhook[0], webhook[1], DB_I64(lease_ms),
	    claims->tokens[0], claims->tokens[1]);
	for (size_t i = 0; i < rows.count; i++) {
		claims->ids = pool_grow(pool, claims->ids, claims->count, &claims->capacity, sizeof(*claims->ids));
		claims->ids[claims->count++] = rows.values[i];
	}
	return result;
}

enum result
store_owner_release(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE], int64_t lease_ms)
{
	unsigned char lowest[DISPATCH_TOKEN_SIZE], highest[DISPATCH_TOKEN_SIZE];
	memset(lowest, 0, sizeof(lowest));
	memset(highest, 0xff, sizeof(highest));
	memcpy(lowest, dead_owner, TOKEN_OWNER_SIZE);
	memcpy(highest, dead_owner, TOKEN_OWNER_SIZE);
	struct claims claims = { .tokens = { bytes_value(lowest, sizeof(lowest)), bytes_value(highest, sizeof(highest)) } };
	struct pool *pool = pool_new();
	const struct db_list shards = store_shard_list(pool, UINT64_MAX);
	struct db_rows webhooks;
	enum result result = store_read_installation(store);
	if (result == RESULT_OK)
		result = db_query(
		    store->db, pool, &sql_select_claimed_webhooks, &DB_LIST_AND_VALUES(shards, DB_I64(lease_ms)), &webhooks);
	for (size_t i = 0; result == RESULT_OK && i < webhooks.count; i++)
		result = find_claims(store, pool, webhooks.values + i * webhooks.columns, lease_ms, &claims);
	const struct db_list ids = { claims.ids, claims.count };
	for (size_t from = 0; result == RESULT_OK && from < ids.count; from += DB_LIST_MAX)
		result = db_execute(store->db, &sql_release_claims,
		    &DB_LIST_AND_VALUES(store_list_piece(ids, from), claims.tokens[0], claims.tokens[1]), NULL);
	pool_free(&pool);
	return result == RESULT_OK ? store_shards_release(store, dead_owner) : result;
}

static enum result
query_due_rows(struct store *store, struct pool *pool, const struct due_request *request, size_t limit, struct db_rows *rows)
{
	return store_query(store, pool, rows, &sql_select_due_rows, DB_U64(webhook_shard(request->webhook_id)),
	    DB_U64(request->webhook_id), DB_I64(request->from_ms), DB_U64(limit));
}

/* Rows that were left are read again. */
static enum result
read_ahead(struct store *store, struct pool *pool, const struct due_request *request)
{
	struct due_rows *ahead = request->ahead;
	struct db_rows rows;
	enum result result = query_due_rows(store, pool, request, DUE_ROWS_AHEAD, &rows);
	ahead->at = ahead->count = 0;
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		ahead->rows[i].id = db_get_u64(&rows, i, 0);
		ahead->rows[i].due_ms = db_get_i64(&rows, i, 1);
		ahead->count++;
	}
	return result;
}

static enum result
find_due_rows(struct store *store, struct pool *pool, struct due_request *request, struct db_value *ids, size_t *count)
{
	struct due_rows *ahead = request->ahead;
	struct db_rows rows;
	enum result result = RESULT_OK;
	request->last_ms = request->from_ms;
	if (ahead != NULL && request->rows <= DUE_ROWS_AHEAD) {
		if (ahead->count - ahead->at < request->rows)
			result = read_ahead(store, pool, request);
		for (size_t i = 0; i < request->rows && ahead->at < ahead->count; i++, ahead->at++) {
			ids[(*count)++] = DB_U64(ahead->rows[ahead->at].id);
			request->last_ms = ahead->rows[ahead->at].due_ms;
		}
		return result;
	}
	if (ahead != NULL)
		ahead->at = ahead->count = 0;
	result = query_due_rows(store, pool, request, request->rows, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		ids[(*count)++] = DB_U64(db_get_u64(&rows, i, 0));
		request->last_ms = db_get_i64(&rows, i, 1);
	}
	return result;
}

enum {
	DESTINATION_ID,
	DESTINATION_STATE,
	DESTINATION_URL,
	DESTINATION_SECRET,
	DESTINATION_PREVIOUS_SECRET,
	DESTINATION_SCHEDULE,
	DESTINATION_CA_FILE,
	DESTINATION_CLIENT_CERTIFICATE,
	DESTINATION_CLIENT_KEY
};

static struct destination
destination_from_row(const struct db_rows *rows, size_t row)
{
	return (struct destination){
		.webhook_id = db_get_u64(rows, row, DESTINATION_ID),
		.state = store_webhook_state(db_get_bytes(rows, row, DESTINATION_STATE)),
		.url = db_get_bytes(rows, row, DESTINATION_URL),
		.secret = db_get_bytes(rows, row, DESTINATION_SECRET),
		.previous_secret = db_get_bytes(rows, row, DESTINATION_PREVIOUS_SECRET),
		.schedule = db_get_bytes(rows, row, DESTINATION_SCHEDULE),
		.ca_file = db_get_bytes(rows, row, DESTINATION_CA_FILE),
		.client_certificate = db_get_bytes(rows, row, DESTINATION_CLIENT_CERTIFICATE),
		.client_key = db_get_bytes(rows, row, DESTINATION_CLIENT_KEY),
	};
}

enum result
store_destinations(
    struct store *store, struct pool *pool, const uint64_t *webhook_ids, size_t count, struct destination **destinations)
{
	struct db_value *ids = POOL_ARRAY(pool, count, struct db_value);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = DB_U64(webhook_ids[i]);
	struct db_list list = { ids, count };
	enum result result = store_query_lists(store, pool, &sql_select_destinations, &list, 1, &rows);
	if (result != RESULT_OK)
		return result;
	*destinations = POOL_ARRAY(pool, count, struct destination);
	for (size_t i = 0; i < count; i++)
		(*destinations)[i] = (struct destination){ .webhook_id = webhook_ids[i], .state = WEBHOOK_MISSING };
	for (size_t row = 0; row < rows.count; row++)
		for (size_t i = 0; i < count; i++)
			if (webhook_ids[i] == db_get_u64(&rows, row, DESTINATION_ID))
				(*destinations)[i] = destination_from_row(&rows, row);
	return RESULT_OK;
}

enum {
	CLAIMED_ID,
	CLAIMED_WEBHOOK_ID,
	CLAIMED_ATTEMPTS,
	CLAIMED_ATTEMPTS_BEFORE,
	CLAIMED_TYPE,
	CLAIMED_FORMAT,
	CLAIMED_PAYLOAD
};

/* Arguments of a claim. */
struct claim_batch {
	struct store *store;
	struct slice token;
	const struct destination *destinations; /* one for each request */
	size_t count;
};

static struct due_delivery
due_from_row(const struct claim_batch *c, struct pool *pool, const struct db_rows *rows, size_t row)
{
	const uint64_t id = db_get_u64(rows, row, CLAIMED_ID);
	log_work(LOG_UINT("delivery", id));
	const uint64_t webhook_id = db_get_u64(rows, row, CLAIMED_WEBHOOK_ID);
	size_t at = 0;
	while (at + 1 < c->count && c->destinations[at].webhook_id != webhook_id)
		at++;
	return (struct due_delivery){
		.id = id,
		.destination = &c->destinations[at],
		.event = db_is_null(rows, row, CLAIMED_TYPE) ? SLICE_NONE
							     : event_name((enum event_type)db_get_u64(rows, row, CLAIMED_TYPE)),
		.attempt = (unsigned)db_get_u64(rows, row, CLAIMED_ATTEMPTS),
		.attempts_before = (unsigned)db_get_u64(rows, row, CLAIMED_ATTEMPTS_BEFORE),
		.token = c->token,
		.message_id = delivery_message_id(pool, c->store->installation_id, id),
		.payload = db_get_bytes(rows, row, CLAIMED_PAYLOAD),
		.form = store_is_form(db_get_bytes(rows, row, CLAIMED_FORMAT)),
	};
}

/* The ids of due rows, grouped by request. */
static enum result
find_requested(struct store *store, struct pool *pool, struct due_request *requests, size_t request_count, struct db_list *ids)
{
	size_t wanted = 0, found = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < request_count; i++)
		wanted += requests[i].rows;
	struct db_value *values = POOL_ARRAY(pool, wanted, struct db_value);
	for (size_t i = 0; i < request_count && result == RESULT_OK; i++)
		result = find_due_rows(store, pool, &requests[i], values, &found);
	*ids = (struct db_list){ values, found };
	return result;
}

static enum result
find_destinations(struct claim_batch *c, struct pool *pool, const struct due_request *requests, size_t request_count)
{
	uint64_t *ids = POOL_ARRAY(pool, request_count, uint64_t);
	struct destination *destinations;
	for (size_t i = 0; i < request_count; i++)
		ids[i] = requests[i].webhook_id;
	enum result result = store_destinations(c->store, pool, ids, request_count, &destinations);
	if (result == RESULT_OK) {
		c->destinations = destinations;
		c->count = request_count;
	}
	return result;
}

/* Deliveries that may have been claimed although the statement failed. */
static void
perhaps_claimed(struct pool *pool, struct slice token, struct db_list ids, struct due_delivery **deliveries, size_t *count)
{
	*deliveries = POOL_ARRAY(pool, ids.count, struct due_delivery);
	*count = ids.count;
	for (size_t i = 0; i < ids.count; i++)
		(*deliveries)[i] = (struct due_delivery){ .id = ids.values[i].as.u64, .token = token };
}

enum result
store_claim(struct store *store, struct pool *pool, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms,
    struct due_request *requests, size_t request_count, struct due_delivery **deliveries, size_t *count)
{
	char *token = pool_alloc(pool, DISPATCH_TOKEN_SIZE);
	struct claim_batch batch = { .store = store, .token = { token, DISPATCH_TOKEN_SIZE } };
	struct db_list ids;
	struct db_rows rows;
	enum result result = store_read_installation(store);
	*count = 0;
	if (result == RESULT_OK)
		result = find_requested(store, pool, requests, request_count, &ids);
	if (result != RESULT_OK || ids.count == 0)
		return result;
	random_bytes(token, DISPATCH_TOKEN_SIZE);
	memcpy(token, owner, TOKEN_OWNER_SIZE);
	const struct db_value guard = db_bytes(batch.token);
	result = db_execute(store->db, &sql_claim_due, &DB_LIST_AND_VALUES(ids, guard, DB_I64(lease_ms)), NULL);
	if (result == RESULT_OK)
		result = db_query(store->db, pool, &sql_select_claimed, &DB_LIST_AND_VALUES(ids, guard), &rows);
	/* after the claim, so that the delivery goes to the destination that is set by then */
	if (result == RESULT_OK)
		result = find_destinations(&batch, pool, requests, request_count);
	if (result != RESULT_OK) {
		perhaps_claimed(pool, batch.token, ids, deliveries, count);
		return result;
	}
	*deliveries = POOL_ARRAY(pool, rows.count, struct due_delivery);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*deliveries)[i] = due_from_row(&batch, pool, &rows, i);
	log_work_done();
	return RESULT_OK;
}
