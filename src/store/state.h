/* SPDX-License-Identifier: MIT
 * The state of a store: its connection, ids taken from blocks, the installation record, and what is cached. Internal to
 * src/store with its subfolders, and to tests, as are all headers here but store.h.
 *
 * The caller of store_new owns the store; one thread uses it. What is read once (the installation record) is freed with it.
 * Functions fail as store.h says. */
#pragma once

#include "crypto/seal.h"
#include "db/db.h"
#include "engine/payload.h"
#include "os/log.h"
#include "store/campaign_cache.h"
#include "store/precondition.h"
#include "store/store.h"

/* Kinds of ids that are taken from blocks, in the order of id_names. */
enum id_kind {
	ID_ACCOUNT,
	ID_API_KEY,
	ID_CAMPAIGN,
	ID_WEBHOOK,
	ID_LEAD,
	ID_HISTORY, /* events, and the deliveries of each, which follow it */
	ID_TAG,
	ID_ACTION,
	ID_REWARD_LEVEL,
	ID_BULK_JOB,
	ID_POINTS_CALL,
	ID_INBOUND,
	ID_INBOUND_CALL,
	ID_MESSAGE,
	ID_USER,
	ID_AUDIT,
	ID_OPERATOR_JOB,
	ID_KINDS
};

struct store {
	struct store_options options;
	struct db_options db_options;
	struct db *db;
	bool in_snapshot;
	struct id_range ids[ID_KINDS];
	struct seal_keys *secrets_keys;
	/* read from the database once */
	struct pool *installation;
	bool has_installation;
	bool schema_logged; /* that the schema has the wrong version */
	struct slice installation_id;
	struct payload_settings payload;
	struct cached_campaigns campaign_cache;
	struct cached_node *cached_nodes; /* rank_cache.c; NULL: not allocated yet */
	uint64_t node_generations;        /* that were given */
	struct log_throttle batch_log, installation_log, secrets_log;
};

/* For commands that read all rows or change tables, with no client waiting. */
enum { STORE_LONG_TIMEOUT_S = 3600 };
/* Sets the timeout of each answer. It takes effect with a new connection, because the server needs it too. Returns the old
 * value. */
unsigned store_set_answer_timeout(struct store *store, unsigned answer_timeout_s);

/* Makes sure that at least `count` ids of the kind are reserved. Uses a transaction of its own: not to be called inside one.
 * Returns RESULT_UNAVAILABLE also when every attempt met a conflict. */
MUST_CHECK enum result store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count);
/* A cluster with a number n has the ids from n × size + 1 to (n + 1) × size - 1, so that an id / size is its number. 0: ids of
 * this kind have no such range. */
uint64_t store_id_range_size(enum id_kind kind);
/* Locks the block of a kind; *next is the first id that was not taken. */
MUST_CHECK enum result store_lock_id_block(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *next);
/* Sets the next id. The block must be locked. */
MUST_CHECK enum result store_set_next_id(struct store *store, enum id_kind kind, uint64_t next);
/* Takes `count` ids from *first on inside a transaction, where a block is not worth it. */
MUST_CHECK enum result store_next_ids(
    struct store *store, struct pool *pool, enum id_kind kind, uint64_t count, uint64_t *first);
/* Takes the id of a new object in the same way, and uses the request key. */
MUST_CHECK enum result store_take_id(
    struct store *store, struct pool *pool, const struct precondition *precondition, enum id_kind kind, uint64_t *id);

/* A value of the installation record. RESULT_NOT_FOUND: there is none of that name. */
MUST_CHECK enum result store_read_installation_value(
    struct store *store, struct pool *pool, struct slice name, struct slice *value);
/* Checks the schema and reads installation id and secret, once. Returns RESULT_FAILED, logged, when they are missing or
 * wrong, or the secret cannot be opened. */
MUST_CHECK enum result store_read_installation(struct store *store);
