/* SPDX-License-Identifier: MIT */
#include "db/connection.h"

#include <errmsg.h>
#include <mysqld_error.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "db/connection_state.h"
#include "db/server_calls.h"
#include "os/clock.h"
#include "os/log.h"

/* A call that fails after WAITED_MS or more has waited for a server that hangs. That server is then not tried for AWAY_MS:
 * further calls go to another host, or fail at once, instead of waiting one after another. Until an attempt succeeds, each
 * waits for at most RETRY_TIMEOUT_S, except every FULL_EVERY-th one: the server may only be slow. */
enum { WAITED_MS = 900, AWAY_MS = 1000, RETRY_TIMEOUT_S = 2, FULL_EVERY = 3 };

/* For all connections of the thread: the lanes of a worker have the same server. */
static _Thread_local struct {
	struct log_throttle errors[DB_ERRORS_MAX], late, no_node;
} throttles;

static void
read_hosts(struct db *db)
{
	struct slice rest = slice_of(db->options->host == NULL ? "" : db->options->host), count = rest, item, name;
	do
		db->host_count++;
	while (slice_next_item(&count, &item));
	db->hosts = memory_alloc(db->host_count * sizeof(*db->hosts));
	db->host_count = 0;
	while (slice_next_item(&rest, &item)) {
		uint64_t port;
		if (!slice_split_port(item, &name, &port))
			panic("no host of a database");
		struct db_host *host = &db->hosts[db->host_count++];
		host->port = port != 0 ? (unsigned)port : db->options->port;
		host->name = memory_alloc(name.size + 1);
		memcpy(host->name, name.data, name.size);
	}
	if (db->host_count == 0)
		db->hosts[db->host_count++].port = db->options->port;
}

struct db *
db_new(const struct db_options *options)
{
	struct db *db = memory_alloc(sizeof(*db));
	db->options = options;
	read_hosts(db);
	db->deadline_ms = CLOCK_NEVER;
	return db;
}

void
db_disconnect(struct db *db)
{
	statements_close(db);
	if (db->mysql != NULL)
		mysql_close(db->mysql);
	db->mysql = NULL;
	db->in_transaction = false;
}

void
db_disconnect_idle(struct db *db, int64_t idle_ms)
{
	if (db->mysql != NULL && !db->in_transaction && clock_monotonic_ms() - db->used_ms >= idle_ms)
		db_disconnect(db);
}

void
db_free(struct db **db)
{
	if (*db == NULL)
		return;
	db_disconnect(*db);
	statements_free(*db);
	for (size_t i = 0; i < (*db)->host_count; i++)
		free((*db)->hosts[i].name);
	free((*db)->hosts);
	free(*db);
	*db = NULL;
}

bool
db_duplicate_key(const struct db *db)
{
	return db->error == ER_DUP_ENTRY;
}

enum denial
db_denial(const struct db *db)
{
	return error_denial(db->error);
}

const char *
db_error_text(const struct db *db)
{
	return db->error_text;
}

const char *
db_error_hint(const struct db *db)
{
	const struct db_error *error = db->error == 0 ? NULL : error_find(db->error);
	return error == NULL ? NULL : error->hint;
}

int64_t
db_set_deadline(struct db *db, int64_t deadline_ms)
{
	int64_t before_ms = db->deadline_ms;
	db->deadline_ms = deadline_ms;
	return before_ms;
}

void
db_clear_late(struct db *db)
{
	db->late = false;
}

bool
db_was_late(const struct db *db)
{
	return db->late;
}

/* True when the deadline has passed. */
static bool
is_late(struct db *db)
{
	uint64_t suppressed;
	if (clock_monotonic_ms() < db->deadline_ms)
		return false;
	db->late = true;
	db->error = 0;
	metrics_add(METRIC_DATABASE_ERRORS, METRIC_DATABASE_SLOW, 1);
	snprintf(db->error_text, sizeof(db->error_text), "the deadline has passed");
	if (log_throttle_passes(&throttles.late, &suppressed))
		log_warning("database_slow", LOG_UINT("suppressed", suppressed),
		    LOG_STR("hint", "check the process list of the server for locks, its disk, its load"));
	return true;
}

/* Logs a defect every time, and a problem of the server at most once a minute. */
static void
log_failure(struct db *db, const struct db_error *error, const char *what)
{
	uint64_t suppressed = 0;
	if (error != NULL &&
	    (error->result == RESULT_CONFLICT || !log_throttle_passes(&throttles.errors[error_place(error)], &suppressed)))
		return;
	int64_t now_ms = clock_monotonic_ms();
	const struct log_field fields[] = { LOG_STR("statement", what), LOG_UINT("number", db->error),
		LOG_STR("error", db->error_text), LOG_INT("took_ms", now_ms - db->begun_ms), LOG_UINT("suppressed", suppressed),
		LOG_STR("hint", error == NULL ? "" : error->hint) };
	bool is_operator_error = error == NULL || error_denial(db->error) != DENIAL_NONE;
	log_event(is_operator_error ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING, "database_error", fields,
	    ARRAY_SIZE(fields) - (error == NULL ? 2 : 0));
}

enum result
db_failed(struct db *db, const char *what, unsigned reported, const char *text)
{
	unsigned number = error_number(reported, text);
	const struct db_error *error = error_find(number);
	db->error = number;
	error_text_without_values(number, text, db->error_text, sizeof(db->error_text));
	metrics_add(METRIC_DATABASE_ERRORS, error == NULL ? METRIC_DATABASE_OTHER : error->kind, 1);
	log_failure(db, error, what);
	if (!error_is_lost(number))
		return error == NULL ? RESULT_FAILED : error->result;
	int64_t now_ms = clock_monotonic_ms();
	if (now_ms - db->begun_ms >= WAITED_MS) {
		db->hosts[db->host].timeouts++;
		db->hosts[db->host].away_until_ms = now_ms + AWAY_MS;
	}
	db_disconnect(db);
	return RESULT_UNAVAILABLE;
}

enum result
db_connection_failed(struct db *db, const char *what)
{
	/* copied first: db_failed() may close the connection that owns the text */
	char text[MYSQL_ERRMSG_SIZE];
	snprintf(text, sizeof(text), "%s", mysql_error(db->mysql));
	return db_failed(db, what, mysql_errno(db->mysql), text);
}

static void
set_options(struct db *db)
{
	const struct db_options *o = db->options;
	unsigned connect_timeout = o->connect_timeout_s, io_timeout = o->io_timeout_s;
	if (db->hosts[db->host].timeouts % FULL_EVERY != 0 && connect_timeout > RETRY_TIMEOUT_S)
		connect_timeout = RETRY_TIMEOUT_S;
	trust_set_options(db);
	mysql_options(db->mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout);
	mysql_options(db->mysql, MYSQL_OPT_READ_TIMEOUT, &io_timeout);
	mysql_options(db->mysql, MYSQL_OPT_WRITE_TIMEOUT, &io_timeout);
	mysql_options(db->mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
}

static enum result
session_query(struct db *db, const char *text)
{
	if (is_late(db))
		return RESULT_UNAVAILABLE;
	return server_query(db, text, strlen(text)) == 0 ? RESULT_OK : db_connection_failed(db, "session");
}

/* A replica that is not a node of a cluster cannot wait for earlier commits. */
static enum result
refuse_server(struct db *db)
{
	uint64_t suppressed;
	db->error = 0;
	snprintf(db->error_text, sizeof(db->error_text), "the server is not a node of a cluster");
	if (log_throttle_passes(&throttles.no_node, &suppressed))
		log_warning("no_node", LOG_STR("host", db->hosts[db->host].name), LOG_UINT("suppressed", suppressed),
		    LOG_STR("hint", "name nodes of the same Galera cluster in database.read_host, or nothing"));
	return RESULT_UNAVAILABLE;
}

static enum result
begin_node(struct db *db)
{
	enum result result = db->options->synced ? session_query(db, "SET SESSION wsrep_sync_wait = 1") : RESULT_OK;
	/* a node that has lost its cluster still accepts connections, SET and SHOW, but nothing else */
	return result == RESULT_OK ? session_query(db, "DO 0") : result;
}

static enum result
read_is_node(struct db *db)
{
	enum result result = session_query(db, "SHOW SESSION VARIABLES LIKE 'wsrep\\_on'");
	if (result != RESULT_OK)
		return result;
	MYSQL_RES *rows = server_store_result(db);
	if (rows == NULL)
		return db_connection_failed(db, "session");
	MYSQL_ROW row = mysql_fetch_row(rows);
	db->is_node = row != NULL && strcmp(row[1], "ON") == 0;
	mysql_free_result(rows);
	if (db->is_node)
		return begin_node(db);
	return db->options->synced ? refuse_server(db) : RESULT_OK;
}

/* The server ends statements before our timeout: no abandoned statement continues there, and the connection stays usable. It
 * checks the time only between rows: no statement may call a function that takes long for a single row
 * (tests/checks/sources.sh). */
static enum result
begin_session(struct db *db)
{
	char limit[64];
	unsigned tenths = db->options->io_timeout_s * 9;
	snprintf(limit, sizeof(limit), "SET SESSION max_statement_time = %u.%u", tenths / 10, tenths % 10);
	enum result result = session_query(db, limit);
	for (const char *const *text = db->options->session; result == RESULT_OK && text != NULL && *text != NULL; text++)
		result = session_query(db, *text);
	return result == RESULT_OK ? read_is_node(db) : result;
}

static enum result
connect_to_host(struct db *db)
{
	struct db_host *host = &db->hosts[db->host];
	db->begun_ms = clock_monotonic_ms();
	db->mysql = mysql_init(NULL);
	if (db->mysql == NULL)
		memory_exhausted();
	set_options(db);
	db->used_ms = db->begun_ms;
	enum result result = RESULT_OK;
	if (!server_connect(db, host->name, host->port)) {
		/* perhaps a password is being changed, or a host is not allowed yet: treated as unreachable */
		result = db_connection_failed(db, "connect");
		result = result == RESULT_FAILED ? RESULT_UNAVAILABLE : result;
	}
	if (result == RESULT_OK)
		result = begin_session(db);
	if (result == RESULT_OK)
		host->timeouts = 0;
	else
		db_disconnect(db);
	return result;
}

enum result
db_connect(struct db *db)
{
	const size_t first = db->host;
	bool tried = false;
	enum result result = RESULT_UNAVAILABLE;
	if (is_late(db))
		return result;
	db->begun_ms = clock_monotonic_ms();
	if (db->mysql != NULL)
		return RESULT_OK;
	for (size_t i = 0; i < db->host_count && result != RESULT_OK && !(tried && is_late(db)); i++) {
		db->host = (first + i) % db->host_count;
		if (clock_monotonic_ms() < db->hosts[db->host].away_until_ms)
			continue;
		result = connect_to_host(db);
		tried = true;
	}
	if (result != RESULT_OK)
		db->host = first;
	if (!tried) {
		snprintf(db->error_text, sizeof(db->error_text), "the last connection attempt timed out");
		db->error = 0;
	}
	return result;
}

static enum result
plain_query(struct db *db, const char *text)
{
	db->used_ms = db->begun_ms = clock_monotonic_ms();
	return server_query(db, text, strlen(text)) == 0 ? RESULT_OK : db_connection_failed(db, text);
}

/* What a transaction sees: the latest state, or the state at its beginning. */
enum view { LATEST, SNAPSHOT };

/* A caller that checks whether a COMMIT without an answer took effect must see what other nodes have committed before. A node
 * waits for that only at the beginning of a transaction. */
static const char *
start_text(const struct db *db, enum view view)
{
	if (view == SNAPSHOT)
		return "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
	return db->unknown && db->is_node ? "SET STATEMENT wsrep_sync_wait = 1 FOR START TRANSACTION" : "START TRANSACTION";
}

static enum result
start(struct db *db, enum view view)
{
	enum result result = db_connect(db);
	if (result == RESULT_OK && view == SNAPSHOT)
		result =
		    plain_query(db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"); /* affects only the next transaction */
	return result == RESULT_OK ? plain_query(db, start_text(db, view)) : result;
}

static enum result
begin(struct db *db, enum view view)
{
	require(!db->in_transaction);
	bool fresh = db->mysql == NULL;
	if (is_late(db))
		return RESULT_UNAVAILABLE;
	enum result result = start(db, view);
	/* the server closed the idle connection: nothing was started, so retry once */
	if (result == RESULT_UNAVAILABLE && !fresh)
		result = start(db, view);
	if (result != RESULT_OK) {
		db_disconnect(db); /* the state of the transaction and its isolation level are unknown */
		return result;
	}
	db->in_transaction = true;
	db->unknown = db->unknown && view == SNAPSHOT;
	/* earlier errors, including those of other hosts, do not belong to this transaction */
	db->error = 0;
	db->error_text[0] = '\0';
	return RESULT_OK;
}

enum result
db_begin(struct db *db)
{
	return begin(db, LATEST);
}

enum result
db_begin_snapshot(struct db *db)
{
	return begin(db, SNAPSHOT);
}

enum result
db_commit(struct db *db)
{
	require(db->in_transaction);
	if (is_late(db)) {
		db_rollback(db);
		return RESULT_UNAVAILABLE;
	}
	enum result result = plain_query(db, "COMMIT");
	/* without a response, or with an inconclusive one, the commit may have succeeded */
	if (result != RESULT_OK && (db->mysql == NULL || error_leaves_commit_open(db->error))) {
		db_disconnect(db);
		db->unknown = true;
		return RESULT_UNKNOWN;
	}
	if (result != RESULT_OK)
		db_rollback(db);
	db->in_transaction = false;
	return result;
}

/* When the deadline has passed, the connection is closed, and the server rolls back. */
void
db_rollback(struct db *db)
{
	if (db->mysql == NULL || !db->in_transaction)
		return;
	if (clock_monotonic_ms() >= db->deadline_ms || server_query(db, "ROLLBACK", strlen("ROLLBACK")) != 0)
		db_disconnect(db);
	db->in_transaction = false;
}

bool
db_is_node(const struct db *db)
{
	return db->is_node;
}

enum result
db_check_transaction(struct db *db, const char *what)
{
	unsigned status = 0;
	if (!db->in_transaction)
		return RESULT_OK;
	mariadb_get_infov(db->mysql, MARIADB_CONNECTION_SERVER_STATUS, &status);
	if ((status & SERVER_STATUS_IN_TRANS) != 0)
		return RESULT_OK;
	return db_failed(db, what, ER_LOCK_DEADLOCK, "the server has ended the transaction");
}

bool
db_in_transaction(const struct db *db)
{
	return db->in_transaction;
}
