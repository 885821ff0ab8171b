/* SPDX-License-Identifier: MIT
 * One webhook, as the installation's operator sees and changes it (docs/operating.md 4). */
#include "store/operator/webhook_admin.h"

#include "base/panic.h"
#include "os/random.h"
#include "store/query.h"
#include "store/queue/due_deliveries.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_webhook,
    "SELECT " WEBHOOK_COLUMNS ", s.last_error, s.failures, CASE WHEN s.hold_until_ms > " NOW
    " THEN s.hold_until_ms END, CASE WHEN w.previous_until_ms > " NOW " THEN w.previous_until_ms END, w.schedule,"
    " w.accepts, w.rate, w.ca_file, w.client_certificate, w.client_key" FROM_WEBHOOKS " WHERE w.id = ?");
/* from the index alone */
DB_STATEMENT(sql_count_due_of_webhook, "SELECT COUNT(*), MIN(due_ms)"
				       " FROM {prefix}due FORCE INDEX (by_webhook)"
				       " WHERE shard = ? AND webhook_id = ?");
DB_STATEMENT(sql_set_webhook, "UPDATE {prefix}webhooks"
			      " SET events = ?, source = ?, format = ?, schedule = ?, accepts = ?, rate = ?, ca_file = ?,"
			      " client_certificate = ?, client_key = ?"
			      " WHERE id = ?");
DB_STATEMENT(sql_lock_secret, "SELECT secret FROM {prefix}webhooks WHERE id = ? FOR UPDATE");
/* columns are assigned from the left: the old secret is stored */
DB_STATEMENT(sql_rotate_secret, "UPDATE {prefix}webhooks"
				" SET previous_secret = CASE WHEN ? > 0 THEN secret END, previous_until_ms = CASE WHEN ? > 0"
				" THEN " NOW " + ? END, secret = ?"
				" WHERE id = ?");
DB_STATEMENT(sql_disable_webhook, "UPDATE {prefix}webhooks SET state = 'disabled' WHERE id = ? AND state = 'active'");

DB_STATEMENT(sql_select_active_urls, "SELECT id, url FROM {prefix}webhooks WHERE state = 'active' ORDER BY id DESC LIMIT ?");

DB_STATEMENT(sql_select_stopped_webhooks, "SELECT w.id, w.campaign_id, w.state = 'gone'" FROM_WEBHOOKS
					  " WHERE w.state = 'gone' OR (w.state = 'disabled' AND s.failing_since_ms IS NOT NULL)"
					  " ORDER BY w.id DESC"
					  " LIMIT ?");

static struct webhook_details
read_details(struct store *store, struct pool *pool, struct row_reader *r)
{
	struct webhook_details details = { .row = row_webhook(store, pool, r) };
	struct webhook_settings *settings = &details.settings;
	details.last_error = row_bytes(r);
	details.failures = row_u32(r);
	details.held_until_ms = row_time(r);
	details.previous_until_ms = row_time(r);
	settings->source = details.row.source;
	settings->events = details.row.events;
	settings->form = details.row.form;
	settings->schedule = row_bytes(r);
	settings->accepts = row_bytes(r);
	settings->rate = row_u32(r);
	settings->ca_file = row_bytes(r);
	settings->client_certificate = row_bytes(r);
	settings->client_key = row_bytes(r);
	return details;
}

enum result
store_find_webhook(struct store *store, struct pool *pool, uint64_t id, struct webhook_details *webhook)
{
	struct db_rows rows, pending;
	enum result result = store_query_one(store, pool, &rows, &sql_select_webhook, DB_U64(id));
	if (result == RESULT_OK)
		result = store_query(store, pool, &pending, &sql_count_due_of_webhook, DB_U64(webhook_shard(id)), DB_U64(id));
	if (result != RESULT_OK)
		return result;
	*webhook = read_details(store, pool, ROW(&rows, 0));
	webhook->pending = db_get_u64(&pending, 0, 0);
	webhook->oldest_due_ms = db_get_time(&pending, 0, 1);
	return RESULT_OK;
}

enum result
store_enable_webhook(struct store *store, const struct precondition *precondition, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_webhook_settings(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = store_activate_webhook(store, id);
	}
	return txn.result;
}

enum result
store_disable_webhook(struct store *store, const struct precondition *precondition, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_webhook_settings(store, id, precondition);
		if (txn.result != RESULT_OK)
			continue;
		txn.result = store_change_one(store, &sql_disable_webhook, DB_U64(id));
		if (txn.result == RESULT_NOT_FOUND) /* the webhook is not active */
			txn.result = RESULT_OK;
	}
	return txn.result;
}

/* The secret is new in every call: if it is already stored, an earlier run was committed, and its answer was lost. */
static enum result
rotate_secret(struct store *store, struct pool *pool, uint64_t id, struct slice secret, int64_t overlap_ms)
{
	const struct db_value webhook = DB_U64(id), overlap = DB_I64(overlap_ms);
	struct db_rows rows;
	struct slice stored;
	enum result result = store_query_one(store, pool, &rows, &sql_lock_secret, webhook);
	if (result != RESULT_OK || store_is_secret(store, pool, SECRET_OF_WEBHOOK(id), db_get_bytes(&rows, 0, 0), secret))
		return result;
	result = store_seal(store, pool, SECRET_OF_WEBHOOK(id), secret, &stored);
	return result == RESULT_OK
		   ? store_change_one(store, &sql_rotate_secret, overlap, overlap, overlap, db_bytes(stored), webhook)
		   : result;
}

enum result
store_rotate_secret(
    struct store *store, const struct precondition *precondition, uint64_t id, struct slice secret, int64_t overlap_ms)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_webhook_settings(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = rotate_secret(store, txn.pool, id, secret, overlap_ms);
	}
	return txn.result;
}

static enum result
edit_webhook(struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t webhook_id,
    struct webhook_change *change)
{
	struct webhook_settings settings;
	enum result result = store_lock_webhook_settings(store, webhook_id, precondition);
	if (result == RESULT_OK)
		result = store_find_webhook(store, pool, webhook_id, &change->before);
	if (result != RESULT_OK)
		return result;
	settings = change->before.settings;
	if (!change->edit(change->context, &settings))
		return RESULT_REFUSED;
	if (slice_present(settings.url))
		result = store_move_webhook(store, pool, &change->before.row, settings.url, &change->url_taken);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_set_webhook, DB_U64(settings.events), db_bytes(settings.source),
		    db_bytes(settings.form ? SLICE("form") : SLICE("json")), db_bytes(settings.schedule),
		    db_bytes(settings.accepts), DB_U64(settings.rate), db_bytes(settings.ca_file),
		    db_bytes(settings.client_certificate), db_bytes(settings.client_key), DB_U64(webhook_id));
	return result == RESULT_OK ? store_find_webhook(store, pool, webhook_id, &change->after) : result;
}

enum result
store_edit_webhook(
    struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t id, struct webhook_change *change)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	change->url_taken = false;
	while (store_runs(&txn))
		txn.result = edit_webhook(store, pool, precondition, id, change);
	return txn.result;
}

enum result
store_test_delivery(struct store *store, struct pool *pool, uint64_t webhook_id, struct due_delivery *delivery)
{
	enum { RANDOM_SIZE = 8 };
	char random[RANDOM_SIZE];
	struct destination *destination = POOL_NEW(pool, struct destination);
	enum result result = store_read_installation(store);
	destination->webhook_id = webhook_id;
	if (result == RESULT_OK)
		result = store_destinations(store, pool, destination, 1);
	if (result == RESULT_OK && destination->state == WEBHOOK_MISSING)
		result = RESULT_NOT_FOUND;
	if (result != RESULT_OK)
		return result;
	random_bytes(random, sizeof(random));
	*delivery = (struct due_delivery){
		.destination = destination,
		.attempt = 1,
		.message_id = delivery_test_message_id(pool, store->installation_id, (struct slice){ random, sizeof(random) }),
	};
	return RESULT_OK;
}

enum result
store_list_destinations(struct store *store, struct pool *pool, uint64_t maximum, struct slice **urls, size_t *count)
{
	struct db_rows rows;
	*count = 0;
	const enum result result = store_query(store, pool, &rows, &sql_select_active_urls, DB_U64(maximum));
	if (result != RESULT_OK)
		return result;
	*urls = POOL_ARRAY(pool, rows.count, struct slice);
	for (size_t i = 0; i < rows.count; i++) {
		const struct seal_place place = URL_OF_WEBHOOK(db_get_u64(&rows, i, 0));
		const struct slice url = store_open_shown(store, pool, place, db_get_bytes(&rows, i, 1));
		if (slice_present(url))
			(*urls)[(*count)++] = url;
	}
	return RESULT_OK;
}

enum result
store_list_stopped_webhooks(
    struct store *store, struct pool *pool, uint64_t maximum, struct stopped_webhook **webhooks, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_stopped_webhooks, DB_U64(maximum));
	if (result != RESULT_OK)
		return result;
	*count = rows.count;
	*webhooks = POOL_ARRAY(pool, rows.count, struct stopped_webhook);
	for (size_t i = 0; i < rows.count; i++)
		(*webhooks)[i] = (struct stopped_webhook){
			.id = db_get_u64(&rows, i, 0), .campaign_id = db_get_u64(&rows, i, 1), .gone = db_get_bool(&rows, i, 2)
		};
	return RESULT_OK;
}
