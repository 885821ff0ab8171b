/* SPDX-License-Identifier: MIT
 * The connection, ids from blocks, the installation record, and reads in a snapshot. */
#include "store/store.h"

#include <stdlib.h>

#include "base/panic.h"
#include "os/log.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_lock_id_block, "SELECT next FROM {prefix}id_blocks WHERE name = ? FOR UPDATE");
DB_STATEMENT(sql_set_next_id, "UPDATE {prefix}id_blocks SET next = ? WHERE name = ?");
DB_STATEMENT(sql_select_installation_value, "SELECT value FROM {prefix}installation WHERE name = ?");
static const char *const id_names[ID_KINDS] = {
	[ID_ACCOUNT] = "account",
	[ID_API_KEY] = "api_key",
	[ID_CAMPAIGN] = "campaign",
	[ID_WEBHOOK] = "webhook",
	[ID_LEAD] = "lead",
	[ID_HISTORY] = "history",
	[ID_TAG] = "tag",
	[ID_ACTION] = "action",
	[ID_REWARD_LEVEL] = "reward_level",
	[ID_BULK_JOB] = "bulk_job",
	[ID_POINTS_CALL] = "points_call",
	[ID_INBOUND] = "inbound",
	[ID_INBOUND_CALL] = "inbound_call",
	[ID_MESSAGE] = "message",
	[ID_USER] = "user",
	[ID_AUDIT] = "audit",
	[ID_OPERATOR_JOB] = "operator_job",
};

/* The size of a block: this number, plus this many times the ids needed now. Ids that are unused when the process ends are
 * lost, which is harmless. */
enum { ID_BLOCK = 1000, ID_BLOCK_TIMES = 8 };

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
		.session = store_session,
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

uint64_t
store_id_range_size(enum id_kind kind)
{
	return kind == ID_CAMPAIGN ? UINT64_C(1000000) : kind == ID_LEAD ? UINT64_C(1000000000000) : 0;
}

enum result
store_lock_id_block(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *next)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_lock_id_block, db_bytes(slice_of(id_names[kind])));
	if (result == RESULT_OK && rows.count != 1) {
		log_error("no_id_block", LOG_STR("name", id_names[kind]), LOG_STR("hint", "run leadhook upgrade"));
		return RESULT_FAILED;
	}
	if (result == RESULT_OK)
		*next = db_get_u64(&rows, 0, 0);
	return result;
}

enum result
store_set_next_id(struct store *store, enum id_kind kind, uint64_t next)
{
	return store_run(store, &sql_set_next_id, DB_U64(next), db_bytes(slice_of(id_names[kind])));
}

/* Ids of another cluster must not be given. */
static bool
has_ids(const struct store *store, enum id_kind kind, uint64_t first, uint64_t count)
{
	const uint64_t size = store_id_range_size(kind), number = store->options.cluster_number;
	if (number == 0 || size == 0 || (first > number * size && first + count <= (number + 1) * size))
		return true;
	log_error("no_ids", LOG_STR("name", id_names[kind]), LOG_UINT("next", first), LOG_UINT("cluster", number),
	    LOG_STR("hint", "run leadhook check: cluster.number must be that of the database, and has a range of ids"));
	return false;
}

enum result
store_next_ids(struct store *store, struct pool *pool, enum id_kind kind, uint64_t count, uint64_t *first)
{
	require(db_in_transaction(store->db));
	enum result result = store_lock_id_block(store, pool, kind, first);
	if (result == RESULT_OK && !has_ids(store, kind, *first, count))
		result = RESULT_FAILED;
	return result == RESULT_OK ? store_set_next_id(store, kind, *first + count) : result;
}

enum result
store_take_id(struct store *store, struct pool *pool, const struct precondition *precondition, enum id_kind kind, uint64_t *id)
{
	const enum result result = store_next_ids(store, pool, kind, 1, id);
	return result == RESULT_OK ? store_use_request_key(store, pool, precondition, *id) : result;
}

enum result
store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count)
{
	require(!db_in_transaction(store->db));
	struct id_range *range = &store->ids[kind];
	if (range->end - range->next >= count)
		return RESULT_OK;
	/* a caller that needs many probably needs as many again */
	const uint64_t size = ID_BLOCK_TIMES * count + ID_BLOCK;
	uint64_t first = 0;
	/* if the outcome is unknown, a gap in the ids is harmless */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = store_next_ids(store, txn.pool, kind, size, &first);
	if (txn.result == RESULT_OK)
		*range = (struct id_range){ first, first + size };
	return txn.result == RESULT_UNKNOWN || txn.result == RESULT_CONFLICT ? RESULT_UNAVAILABLE : txn.result;
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
	pool_reset(store->installation); /* of attempts that failed */
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
