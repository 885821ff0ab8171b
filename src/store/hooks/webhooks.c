/* SPDX-License-Identifier: MIT */
#include "store/hooks/webhooks.h"

#include "base/panic.h"
#include "crypto/digest.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_campaign_of_webhook, "SELECT campaign_id FROM {prefix}webhooks WHERE id = ?");
DB_STATEMENT(
    sql_select_webhook_by_url, "SELECT id, secret, state FROM {prefix}webhooks WHERE campaign_id = ? AND url_hash = ?");
DB_STATEMENT(sql_count_webhooks, "SELECT COUNT(*) FROM {prefix}webhooks WHERE campaign_id = ?");
DB_STATEMENT(sql_insert_webhook,
    "INSERT INTO {prefix}webhooks (id, campaign_id, url, url_hash, events, source, format, secret, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, " NOW ")");
DB_STATEMENT(sql_insert_webhook_status, "INSERT INTO {prefix}webhook_status (webhook_id) VALUES (?)");
DB_STATEMENT(sql_update_webhook, "UPDATE {prefix}webhooks"
				 " SET url = ?, events = ?, source = COALESCE(?, source), format = COALESCE(?, format)"
				 " WHERE id = ?");
DB_STATEMENT(sql_delete_webhook, "DELETE FROM {prefix}webhooks WHERE id = ?");
DB_STATEMENT(sql_delete_webhook_status, "DELETE FROM {prefix}webhook_status WHERE webhook_id = ?");
DB_STATEMENT(sql_enable_webhook, "UPDATE {prefix}webhooks"
				 " SET state = 'active'"
				 " WHERE id = ? AND state IN ('disabled', 'gone')");
DB_STATEMENT(sql_clear_webhook_status, "UPDATE {prefix}webhook_status"
				       " SET failing_since_ms = NULL, failures = 0, probes = 0, hold_until_ms = 0"
				       " WHERE webhook_id = ?");
DB_STATEMENT(sql_set_webhook_url, "UPDATE {prefix}webhooks SET url = ?, url_hash = ? WHERE id = ?");
DB_STATEMENT(sql_reset_webhook_status,
    "UPDATE {prefix}webhook_status"
    " SET failing_since_ms = NULL, failures = 0, probes = 0, hold_until_ms = 0, last_status = NULL,"
    " last_error = NULL, last_delivery_ms = NULL"
    " WHERE webhook_id = ?");
/* The index is forced: with old statistics, the server would read the webhooks of all campaigns by id. */
DB_STATEMENT(sql_select_webhooks, "SELECT " WEBHOOK_COLUMNS " FROM {prefix}webhooks w FORCE INDEX (by_campaign)"
				  " JOIN {prefix}webhook_status s ON s.webhook_id = w.id"
				  " WHERE w.campaign_id = ?"
				  " ORDER BY w.id");

struct webhook_row
row_webhook(struct store *store, struct pool *pool, struct row_reader *r)
{
	struct webhook_row webhook = { .id = row_u64(r) };
	webhook.campaign_id = row_u64(r);
	webhook.url = store_open_shown(store, pool, URL_OF_WEBHOOK(webhook.id), row_bytes(r));
	webhook.source = row_bytes(r);
	webhook.events = row_u32(r);
	webhook.form = store_is_form(row_bytes(r));
	webhook.state = store_webhook_state(row_bytes(r));
	webhook.failing_since_ms = row_time(r);
	webhook.last_delivery_ms = row_time(r);
	webhook.status = row_status(r);
	return webhook;
}

/* NULL: unchanged. */
static struct db_value
format_value(enum format_change format)
{
	if (format == FORMAT_UNCHANGED)
		return DB_NONE;
	return db_bytes(format == FORMAT_FORM ? SLICE("form") : SLICE("json"));
}

static enum result
insert_webhook(struct store *store, struct pool *pool, const struct precondition *precondition, const struct webhook_put *put,
    struct slice url_hash, uint64_t *id)
{
	const enum format_change format = put->format == FORMAT_UNCHANGED ? FORMAT_JSON : put->format;
	struct slice secret, url;
	enum result result = store_take_id(store, pool, precondition, ID_WEBHOOK, id);
	if (result == RESULT_OK)
		result = store_seal(store, pool, SECRET_OF_WEBHOOK(*id), put->secret, &secret);
	if (result == RESULT_OK)
		result = store_seal(store, pool, URL_OF_WEBHOOK(*id), put->url, &url);
	if (result != RESULT_OK)
		return result;
	result = store_change_one(store, &sql_insert_webhook, DB_U64(*id), DB_U64(put->campaign_id), db_bytes(url),
	    db_bytes(url_hash), DB_U64(put->events), db_bytes(put->source), format_value(format), db_bytes(secret));
	return result == RESULT_OK ? store_change_one(store, &sql_insert_webhook_status, DB_U64(*id)) : result;
}

enum result
store_activate_webhook(struct store *store, uint64_t webhook_id)
{
	require(db_in_transaction(store->db));
	const struct db_value id = DB_U64(webhook_id);
	enum result result = store_change_one(store, &sql_enable_webhook, id);
	if (result == RESULT_OK || result == RESULT_NOT_FOUND) /* the webhook was active */
		result = store_change_one(store, &sql_clear_webhook_status, id);
	return result;
}

enum result
store_move_webhook(struct store *store, struct pool *pool, const struct webhook_row *webhook, struct slice url, bool *taken)
{
	require(db_in_transaction(store->db));
	const struct digest digest = digest_sha256(&url, 1);
	const struct db_value id = DB_U64(webhook->id), hash = db_bytes(digest_slice(&digest));
	struct db_rows found;
	struct slice sealed;
	enum result result = store_query(store, pool, &found, &sql_select_webhook_by_url, DB_U64(webhook->campaign_id), hash);
	if (result != RESULT_OK)
		return result;
	*taken = found.count > 0 && db_get_u64(&found, 0, 0) != webhook->id;
	if (*taken)
		return RESULT_REFUSED;
	result = store_seal(store, pool, URL_OF_WEBHOOK(webhook->id), url, &sealed);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_set_webhook_url, db_bytes(sealed), hash, id);
	return result == RESULT_OK && found.count == 0 ? store_change_one(store, &sql_reset_webhook_status, id) : result;
}

/* A webhook whose receiver answered 410 becomes active when it is registered again. The URL is the same, but the stored one may
 * be sealed with a key that is lost. */
static enum result
replace_webhook(struct store *store, struct pool *pool, const struct webhook_put *put, uint64_t id, enum webhook_state state)
{
	struct slice url;
	enum result result = store_seal(store, pool, URL_OF_WEBHOOK(id), put->url, &url);
	if (result == RESULT_OK)
		result = store_change_one(store, &sql_update_webhook, db_bytes(url), DB_U64(put->events), db_bytes(put->source),
		    format_value(put->format), DB_U64(id));
	return result == RESULT_OK && state == WEBHOOK_GONE ? store_activate_webhook(store, id) : result;
}

/* The settings are locked, so that two calls for the same URL run one after the other. */
static enum result
put_webhook(struct store *store, struct pool *pool, const struct precondition *precondition, const struct webhook_put *put,
    uint64_t *id, bool *created)
{
	struct digest digest = digest_sha256(&put->url, 1);
	const struct db_value campaign = DB_U64(put->campaign_id), hash = db_bytes(digest_slice(&digest));
	struct db_rows found;
	enum result result = store_lock_settings(store, put->campaign_id, precondition);
	if (result == RESULT_OK)
		result = store_query(store, pool, &found, &sql_select_webhook_by_url, campaign, hash);
	if (result != RESULT_OK)
		return result;
	*created = found.count == 0;
	if (!*created) {
		*id = db_get_u64(&found, 0, 0);
		/* the secret is new in every call: an earlier run was committed, and its answer was lost */
		*created = store_is_secret(store, pool, SECRET_OF_WEBHOOK(*id), db_get_bytes(&found, 0, 1), put->secret);
		return replace_webhook(store, pool, put, *id, store_webhook_state(db_get_bytes(&found, 0, 2)));
	}
	result = store_check_room(store, &sql_count_webhooks, put->campaign_id, put->maximum);
	return result == RESULT_OK ? insert_webhook(store, pool, precondition, put, digest_slice(&digest), id) : result;
}

enum result
store_put_webhook(
    struct store *store, const struct precondition *precondition, const struct webhook_put *put, uint64_t *id, bool *created)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = put_webhook(store, txn.pool, precondition, put, id, created);
	return txn.result;
}

enum result
store_remove_webhook(struct store *store, uint64_t campaign_id, struct slice url)
{
	const struct digest digest = digest_sha256(&url, 1);
	uint64_t id;
	const enum result result =
	    store_read_number(store, &id, &sql_select_webhook_by_url, DB_U64(campaign_id), db_bytes(digest_slice(&digest)));
	return result == RESULT_OK ? store_remove_webhook_id(store, NULL, id) : result;
}

enum result
store_lock_webhook_settings(struct store *store, uint64_t webhook_id, const struct precondition *precondition)
{
	uint64_t campaign_id;
	const enum result result = store_read_number(store, &campaign_id, &sql_select_campaign_of_webhook, DB_U64(webhook_id));
	return result == RESULT_OK ? store_lock_settings(store, campaign_id, precondition) : result;
}

enum result
store_remove_webhook_id(struct store *store, const struct precondition *precondition, uint64_t id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_lock_webhook_settings(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_delete_webhook, DB_U64(id));
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, &sql_delete_webhook_status, DB_U64(id));
	}
	return txn.result;
}

enum result
store_list_webhooks(struct store *store, struct pool *pool, uint64_t campaign_id, struct webhook_row **webhooks, size_t *count)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_webhooks, DB_U64(campaign_id));
	if (result != RESULT_OK)
		return result;
	*webhooks = POOL_ARRAY(pool, rows.count, struct webhook_row);
	*count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*webhooks)[i] = row_webhook(store, pool, ROW(&rows, i));
	return RESULT_OK;
}
