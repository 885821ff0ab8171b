/* SPDX-License-Identifier: MIT
 * The state of a store: its connection, ids taken from blocks, the installation record, and what is cached. Internal to
 * src/store with its subfolders, and to tests.
 *
 * The caller of store_new owns the store; one thread uses it. What is read once (the installation record) is freed with it. */
#pragma once

#include "crypto/seal.h"
#include "db/db.h"
#include "engine/payload.h"
#include "os/log.h"
#include "store/campaign_cache.h"
#include "store/ids.h"
#include "store/store.h"

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
	bool schema_logged; /* the log already says that the schema has the wrong version */
	struct slice installation_id;
	struct payload_settings payload;
	struct cached_campaigns campaign_cache;
	struct cached_node *cached_nodes; /* rank_cache.c; NULL: not allocated yet */
	uint64_t node_generations;        /* number of generations of nodes so far */
	struct log_throttle batch_log, installation_log, secrets_log;
};
