/* SPDX-License-Identifier: MIT
 * Hosts of the database and nodes of a cluster (docs/cluster.md): the findings of `leadhook check`, the state of a node. */
#include "store/operator/database_nodes.h"

#include <inttypes.h>

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

/* NULL if it is missing, as on servers without support for clusters. */
#define VARIABLE(table, name) "(SELECT VARIABLE_VALUE FROM information_schema." table " WHERE VARIABLE_NAME = '" name "')"
#define CLUSTER_SIZE VARIABLE("GLOBAL_STATUS", "WSREP_CLUSTER_SIZE")
#define STATE VARIABLE("GLOBAL_STATUS", "WSREP_LOCAL_STATE_COMMENT")
#define SYNC_WAIT VARIABLE("SESSION_VARIABLES", "WSREP_SYNC_WAIT")

DB_STATEMENT(sql_select_node, "SELECT " CLUSTER_SIZE ", " STATE ", " SYNC_WAIT);

DB_STATEMENT(sql_select_node_status,
    "SELECT " VARIABLE("GLOBAL_VARIABLES", "WSREP_NODE_NAME") ", " CLUSTER_SIZE ", " STATE ", " VARIABLE("GLOBAL_STATUS",
	"WSREP_LOCAL_RECV_QUEUE") ", " VARIABLE("GLOBAL_STATUS", "WSREP_FLOW_CONTROL_ACTIVE") ", " VARIABLE("GLOBAL_STATUS",
	"WSREP_FLOW_CONTROL_PAUSED_NS") ", " VARIABLE("GLOBAL_STATUS", "WSREP_FLOW_CONTROL_SENT") ", " VARIABLE("GLOBAL_STATUS",
	"WSREP_FLOW_CONTROL_RECV"));

enum { NODES_WANTED = 3 };

/* What is wrong with a read host; NULL: nothing. */
static const char *
fault_of_reader(struct store *store, struct store *reader)
{
	if (db_connect(reader->db) != RESULT_OK)
		return db_error_text(reader->db);
	if (store_read_installation(reader) != RESULT_OK || !slice_equal(reader->installation_id, store->installation_id))
		return "it does not have the data of this installation";
	return NULL;
}

/* Checks each host of database.read_host. */
static void
check_readers(struct store *store, struct check_findings *check)
{
	struct slice rest = slice_of(store->options.read_host == NULL ? "" : store->options.read_host), item;
	if (rest.size == 0 || store_read_installation(store) != RESULT_OK) /* a missing record is another finding */
		return;
	while (slice_next_item(&rest, &item)) {
		struct store_options options = store->options;
		options.read_host = pool_copy(check->pool, item).data;
		struct store *reader = store_new_reader(&options);
		const char *fault = fault_of_reader(store, reader);
		if (fault != NULL)
			check_add(check, "read_host", pool_printf(check->pool, "%s: %s", options.read_host, fault),
			    "name nodes of the same cluster in database.read_host; lists are read from database.host "
			    "meanwhile");
		store_free(&reader);
	}
}

/* Checks each host of database.host, over a connection of its own. Returns the number of hosts. */
static size_t
check_hosts(struct store *store, struct check_findings *check)
{
	const char *hosts = store->options.host == NULL ? "" : store->options.host;
	struct slice rest = slice_of(hosts), item;
	size_t count = 0;
	while (slice_next_item(&rest, &item)) {
		struct db_options options = store->db_options;
		options.host = pool_copy(check->pool, item).data;
		struct db *db = db_new(&options);
		if (db_connect(db) != RESULT_OK)
			check_add(check, "database_host", pool_printf(check->pool, "%s: %s", options.host, db_error_text(db)),
			    db_error_hint(db) == NULL ? "check that the server runs and is in database.host"
						      : db_error_hint(db));
		db_free(&db);
		count++;
	}
	return count;
}

static void
check_node(struct store *store, struct check_findings *check, size_t hosts)
{
	enum { NODE_CLUSTER_SIZE, NODE_STATE, NODE_SYNC_WAIT };
	struct db_rows rows;
	if (store_query(store, check->pool, &rows, &sql_select_node) != RESULT_OK) {
		check_add(check, "cluster_size", slice_of(store_error_text(store)), "see the server's log");
		return;
	}
	struct slice text = db_get_bytes(&rows, 0, NODE_CLUSTER_SIZE), state = db_get_bytes(&rows, 0, NODE_STATE);
	uint64_t size = 0;
	if (!slice_to_u64(text, UINT32_MAX, &size) || size < NODES_WANTED)
		check_add(check, "cluster_size", pool_printf(check->pool, "the cluster has %" PRIu64 " connected nodes", size),
		    "start the others: with fewer than three nodes, the loss of one stops all");
	if (!slice_equal(state, SLICE("Synced")))
		check_add(check, "node_state", pool_printf(check->pool, "the state of the node is '%.*s'", SLICE_ARGS(state)),
		    "see the node's log: it must be Synced");
	if (hosts > 1 && slice_equal(db_get_bytes(&rows, 0, NODE_SYNC_WAIT), SLICE("0")))
		check_add(check, "sync_wait", SLICE("wsrep_sync_wait is 0, and database.host has several hosts"),
		    "set wsrep_sync_wait = 1 on all nodes: otherwise a read may miss what was just written at another one");
}

void
check_cluster(struct store *store, struct check_findings *check)
{
	size_t hosts = check_hosts(store, check);
	check_readers(store, check);
	if (db_is_node(store->db))
		check_node(store, check, hosts);
}

/* 0 if it is missing. */
static uint64_t
number_of(const struct db_rows *rows, size_t column)
{
	uint64_t number;
	return slice_to_u64(db_get_bytes(rows, 0, column), INT64_MAX, &number) ? number : 0;
}

enum result
store_read_node(struct store *store, struct pool *pool, struct node_status **node)
{
	enum { NAME, SIZE, NODE_STATE, RECEIVE_QUEUE, FLOW_CONTROL, PAUSED_NS, SENT, RECEIVED };
	enum { NS_PER_MS = 1000000 };
	struct db_rows rows;
	*node = NULL;
	if (!db_is_node(store->db))
		return RESULT_OK;
	enum result result = store_query(store, pool, &rows, &sql_select_node_status);
	if (result != RESULT_OK)
		return result;
	*node = POOL_NEW(pool, struct node_status);
	**node = (struct node_status){
		.name = db_get_bytes(&rows, 0, NAME),
		.state = db_get_bytes(&rows, 0, NODE_STATE),
		.cluster_size = number_of(&rows, SIZE),
		.receive_queue = number_of(&rows, RECEIVE_QUEUE),
		.flow_control = slice_equal(db_get_bytes(&rows, 0, FLOW_CONTROL), SLICE("true")),
		.paused_ms = number_of(&rows, PAUSED_NS) / NS_PER_MS,
		.sent = number_of(&rows, SENT),
		.received = number_of(&rows, RECEIVED),
	};
	return RESULT_OK;
}
