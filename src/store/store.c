/* SPDX-License-Identifier: MIT
 * The connection, the installation record, and reads in a snapshot. */
#include "store/store.h"

#include <stdlib.h>

#include "base/panic.h"
#include "os/log.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_installation_value, "SELECT value FROM {prefix}installation WHERE name = ?");

/* Run on each new connection. Answers must not depend on the server's configuration. The lock wait is short because batches are
 * repeated. A transaction whose connection is lost may stay open on the server with its locks: the server ends it after
 * idle_transaction_timeout. Our own transactions pause only while a batch is being decided. */
static const char *const session[] = {
	"SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', "
	"innodb_lock_wait_timeout = 5, lock_wait_timeout = 15, idle_transaction_timeout = 10, autocommit = 1",
	/* a statement of its own: the variable has another name since MariaDB 11.1 */
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	NULL,
};

struct store *
store_new(const struct store_options *options)
{
	struct store *store = memory_alloc(sizeof(*store));
	store->options = *options;
	store->db_options = (struct db_options){
		.host = options->host,
		.socket = options->socket,
		.user = options->user,
		.password = options->password,
		.database = options->database,
		.option_file = options->option_file,
		.tls = options->tls,
		.tls_ca = options->tls_ca,
		.port = options->port,
		.connect_timeout_s = options->connect_timeout_s,
		.io_timeout_s = options->io_timeout_s,
		.prefix = options->prefix,
		.session = session,
	};
	store->secrets_keys = seal_keys_new(options->secrets_key == NULL ? SLICE("") : slice_of(options->secrets_key));
	if (store->secrets_keys == NULL)
		panic("the keys of the secrets are not valid");
	store->db = db_new(&store->db_options);
	store->installation = pool_new();
	return store;
}

struct store *
store_new_reader(const struct store_options *options)
{
	if (options->read_host == NULL || *options->read_host == '\0')
		return NULL;
	struct store_options nodes = *options;
	nodes.host = options->read_host;
	struct store *store = store_new(&nodes);
	store->db_options.synced = true;
	return store;
}

void
store_free(struct store **store)
{
	if (*store == NULL)
		return;
	db_free(&(*store)->db);
	store_clear_campaign_cache(*store);
	free((*store)->cached_nodes);
	pool_free(&(*store)->installation);
	seal_keys_free(&(*store)->secrets_keys);
	free(*store);
	*store = NULL;
}

void
store_disconnect_idle(struct store *store, int64_t idle_ms)
{
	db_disconnect_idle(store->db, idle_ms);
}

void
store_set_deadline(struct store *store, int64_t deadline_ms)
{
	db_set_deadline(store->db, deadline_ms);
	db_clear_late(store->db);
}

bool
store_was_late(const struct store *store)
{
	return db_was_late(store->db);
}

unsigned
store_set_answer_timeout(struct store *store, unsigned answer_timeout_s)
{
	require(!db_in_transaction(store->db));
	const unsigned before_s = store->db_options.io_timeout_s;
	db_disconnect(store->db);
	store->db_options.io_timeout_s = answer_timeout_s;
	return before_s;
}

bool
store_in_snapshot(const struct store *store)
{
	return store->in_snapshot;
}

bool
store_reads(struct consistent_read *read)
{
	enum { RUNS_AS_IS = 2 };
	struct store *store = read->store;
	const unsigned runs = read->runs++;
	if (runs > RUNS_AS_IS) {
		store->in_snapshot = false;
		db_rollback(store->db);
		return false;
	}
	if (runs > 0 && (read->result != RESULT_CONFLICT || store->in_snapshot))
		return false;
	if (runs < RUNS_AS_IS)
		return true;
	read->result = db_begin_snapshot(store->db);
	store->in_snapshot = read->result == RESULT_OK;
	return store->in_snapshot;
}

enum result
store_read_installation_value(struct store *store, struct pool *pool, struct slice name, struct slice *value)
{
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, &sql_select_installation_value, db_bytes(name));
	if (result == RESULT_OK)
		*value = db_get_bytes(&rows, 0, 0);
	return result;
}

static enum result
read_needed_value(struct store *store, const char *name, struct slice *value)
{
	enum result result = store_read_installation_value(store, store->installation, slice_of(name), value);
	if (result != RESULT_NOT_FOUND)
		return result;
	log_error("not_installed", LOG_STR("missing", name), LOG_STR("hint", "run leadhook install"));
	return RESULT_FAILED;
}

enum result
store_read_installation(struct store *store)
{
	struct slice secret;
	if (store->has_installation)
		return RESULT_OK;
	enum result result = store_demand_schema(store);
	if (result == RESULT_WRONG_SCHEMA)
		return RESULT_FAILED;
	pool_reset(store->installation); /* discards what failed attempts have read */
	if (result == RESULT_OK)
		result = read_needed_value(store, "installation_id", &store->installation_id);
	if (result == RESULT_OK)
		result = read_needed_value(store, "server_secret", &secret);
	if (result == RESULT_OK)
		result = store_open(store, store->installation, SECRET_OF_INSTALLATION, secret, &store->payload.server_secret);
	store->payload.base_url = slice_of(store->options.base_url);
	store->payload.avatar_url = slice_of(store->options.avatar_url);
	store->payload.sends_mail = store->options.sends_mail;
	store->payload.sends_texts = store->options.sends_texts;
	store->has_installation = result == RESULT_OK;
	return result;
}

enum result
store_same_installation(struct store *store, struct store *other)
{
	enum result result = store_read_installation(store);
	if (result == RESULT_OK)
		result = store_read_installation(other);
	if (result != RESULT_OK || slice_equal(store->installation_id, other->installation_id))
		return result;
	uint64_t suppressed;
	if (log_throttle_passes(&other->installation_log, &suppressed))
		log_error("other_installation", LOG_UINT("suppressed", suppressed),
		    LOG_STR("hint", "name nodes of the same cluster in database.read_host"));
	return RESULT_UNAVAILABLE;
}

bool
store_sends_mail(const struct store *store)
{
	return store->options.sends_mail;
}

bool
store_sends_texts(const struct store *store)
{
	return store->options.sends_texts;
}

const char *
store_error_text(const struct store *store)
{
	return db_error_text(store->db);
}

enum denial
store_denial(const struct store *store)
{
	return db_denial(store->db);
}

enum result
store_payload_settings(struct store *store, const struct payload_settings **settings)
{
	*settings = &store->payload;
	return store_read_installation(store);
}
