/* SPDX-License-Identifier: MIT
 * What `leadhook status` shows. */
#pragma once

#include "store/figures.h"
#include "store/operator/database_nodes.h"
#include "store/store.h"

/* Erasures of people and removals of campaigns that are not finished; and those of them that began more than an hour ago. */
struct unfinished_removals {
	uint64_t all, late;
};
MUST_CHECK enum result store_count_removals(struct store *store, struct pool *pool, struct unfinished_removals *unfinished);

struct store_status {
	struct store_figures figures;
	struct unfinished_removals removals;
	uint32_t schema_version;
	struct slice server_version;
	struct node_status *node; /* NULL: the server is not a node of a cluster */
};
MUST_CHECK enum result store_get_status(struct store *store, struct pool *pool, struct store_status *status);
