/* SPDX-License-Identifier: MIT
 * Hosts of the database and nodes of a cluster (docs/cluster.md). */
#pragma once

#include "store/operator/check_findings.h"
#include "store/store.h"

/* A node of a cluster; counts are since its start. */
struct node_status {
	struct slice name, state; /* "Synced" and so on */
	uint64_t cluster_size;    /* connected nodes */
	uint64_t receive_queue;   /* changes of other nodes that it has not applied yet */
	bool flow_control;        /* commits on all nodes wait for one node with a long queue */
	uint64_t paused_ms;       /* how long commits have waited */
	uint64_t sent, received;  /* requests for flow control: by this node, and by all nodes */
};
/* *node is NULL if the server is not a node of a cluster. */
MUST_CHECK enum result store_read_node(struct store *store, struct pool *pool, struct node_status **node);
/* Adds findings about the hosts of the database, and about the cluster that the connected node belongs to. */
void check_cluster(struct store *store, struct check_findings *check);
