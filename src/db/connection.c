/* SPDX-License-Identifier: MIT
 * A connection to MariaDB, transactions, and what an error means. */
#include <errmsg.h>
#include <mysqld_error.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "db/private.h"

/* Not in Connector/C's headers. */
enum { ER_WSREP_NOT_READY = 1047, ER_CHECKREAD_CHANGED = 1020, ER_KILLED = 1927, ER_STATEMENT_TIMEOUT_MS = 1969 };

struct db *
db_new(const struct db_options *options, const struct db_statement *statements, size_t count)
{
	struct db *db = memory_alloc(sizeof(*db));
	db->options = options;
	db->statements = statements;
	db->statement_count = count;
	db->prepared = memory_alloc(count * LIST_SIZES * sizeof(MYSQL_STMT *));
	return db;
}

void
db_disconnect(struct db *db)
{
	for (size_t i = 0; i < db->statement_count * LIST_SIZES; i++)
		if (db->prepared[i] != NULL) {
			mysql_stmt_close(db->prepared[i]);
			db->prepared[i] = NULL;
		}
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
	free((*db)->prepared);
	free(*db);
	*db = NULL;
}

bool
db_duplicate_key(const struct db *db)
{
	return db->error == ER_DUP_ENTRY;
}

bool
db_access_denied(const struct db *db)
{
	switch (db->error) {
	case ER_ACCESS_DENIED_ERROR:
	case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
	case ER_DBACCESS_DENIED_ERROR:
	case ER_BAD_DB_ERROR:
	case ER_HOST_NOT_PRIVILEGED:
		return true;
	default:
		return false;
	}
}

const char *
db_error_text(const struct db *db)
{
	return db->error_text;
}

/* What the caller should do about an error number. */
static enum result
classify(unsigned number)
{
	static const struct {
		unsigned number;
		enum result result;
	} classes[] = {
		{ ER_LOCK_DEADLOCK, RESULT_CONFLICT },
		{ ER_LOCK_WAIT_TIMEOUT, RESULT_CONFLICT },
		{ ER_DUP_ENTRY, RESULT_CONFLICT },
		{ ER_CHECKREAD_CHANGED, RESULT_CONFLICT },
		{ ER_SAME_NAME_PARTITION, RESULT_CONFLICT },
		{ ER_RANGE_NOT_INCREASING_ERROR, RESULT_CONFLICT }, /* somebody else has made that partition */
		{ ER_WSREP_NOT_READY, RESULT_CONFLICT },
		{ ER_CON_COUNT_ERROR, RESULT_UNAVAILABLE },
		{ ER_TOO_MANY_USER_CONNECTIONS, RESULT_UNAVAILABLE },
		{ ER_USER_LIMIT_REACHED, RESULT_UNAVAILABLE },
		{ ER_SERVER_SHUTDOWN, RESULT_UNAVAILABLE },
		{ ER_NORMAL_SHUTDOWN, RESULT_UNAVAILABLE },
		{ ER_QUERY_INTERRUPTED, RESULT_UNAVAILABLE },
		{ ER_KILLED, RESULT_UNAVAILABLE },
		{ ER_STATEMENT_TIMEOUT_MS, RESULT_UNAVAILABLE },
		{ ER_DISK_FULL, RESULT_UNAVAILABLE },
		{ ER_RECORD_FILE_FULL, RESULT_UNAVAILABLE },
		{ ER_OPTION_PREVENTS_STATEMENT, RESULT_UNAVAILABLE }, /* read-only server */
		{ CR_CONNECTION_ERROR, RESULT_UNAVAILABLE },
		{ CR_CONN_HOST_ERROR, RESULT_UNAVAILABLE },
		{ CR_UNKNOWN_HOST, RESULT_UNAVAILABLE },
		{ CR_SERVER_GONE_ERROR, RESULT_UNAVAILABLE },
		{ CR_SERVER_LOST, RESULT_UNAVAILABLE },
		{ CR_SERVER_LOST_EXTENDED, RESULT_UNAVAILABLE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i].number == number)
			return classes[i].result;
	return RESULT_FAILED;
}

/* Errors after which the connection is of no use. */
static bool
is_lost(unsigned number)
{
	return (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) || number == ER_SERVER_SHUTDOWN ||
	       number == ER_NORMAL_SHUTDOWN || number == ER_KILLED;
}

enum result
db_failed(struct db *db, const char *what, unsigned number, const char *text)
{
	enum result result = classify(number);
	db->error = number;
	snprintf(db->error_text, sizeof(db->error_text), "%s", text);
	if (result != RESULT_CONFLICT)
		log_event(result == RESULT_FAILED ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING, "database_error",
		    (const struct log_field[]){ LOG_STR("statement", what), LOG_UINT("number", number), LOG_STR("error", text),
			LOG_INT("idle_ms", clock_monotonic_ms() - db->used_ms) },
		    4);
	if (is_lost(number)) {
		db_disconnect(db);
		result = RESULT_UNAVAILABLE;
	}
	return result;
}

enum result
db_connection_failed(struct db *db, const char *what)
{
	/* copied first: the text lives in the connection that db_failed() may close */
	char text[MYSQL_ERRMSG_SIZE];
	snprintf(text, sizeof(text), "%s", mysql_error(db->mysql));
	return db_failed(db, what, mysql_errno(db->mysql), text);
}

static const char *
or_null(const char *text)
{
	return text == NULL || *text == '\0' ? NULL : text;
}

enum result
db_connect(struct db *db)
{
	const struct db_options *o = db->options;
	if (db->mysql != NULL)
		return RESULT_OK;
	db->mysql = mysql_init(NULL);
	if (db->mysql == NULL)
		memory_exhausted();
	unsigned connect_timeout = o->connect_timeout_s, io_timeout = o->io_timeout_s;
	mysql_options(db->mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout);
	mysql_options(db->mysql, MYSQL_OPT_READ_TIMEOUT, &io_timeout);
	mysql_options(db->mysql, MYSQL_OPT_WRITE_TIMEOUT, &io_timeout);
	mysql_options(db->mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (or_null(o->option_file) != NULL) {
		mysql_options(db->mysql, MYSQL_READ_DEFAULT_FILE, o->option_file);
		mysql_options(db->mysql, MYSQL_READ_DEFAULT_GROUP, "leadhook");
	}
	db->used_ms = clock_monotonic_ms();
	if (mysql_real_connect(db->mysql, or_null(o->host), or_null(o->user), or_null(o->password), or_null(o->database),
		o->port, or_null(o->socket), CLIENT_FOUND_ROWS) == NULL) {
		/* a password is being changed, a host is not yet allowed: for whoever waits it is as good as out of reach */
		enum result result = db_connection_failed(db, "connect");
		db_disconnect(db);
		return result == RESULT_FAILED ? RESULT_UNAVAILABLE : result;
	}
	for (const char *const *text = o->session; text != NULL && *text != NULL; text++)
		if (mysql_real_query(db->mysql, *text, strlen(*text)) != 0) {
			enum result result = db_connection_failed(db, "session");
			db_disconnect(db);
			return result;
		}
	return RESULT_OK;
}

static enum result
plain_query(struct db *db, const char *text)
{
	db->used_ms = clock_monotonic_ms();
	return mysql_real_query(db->mysql, text, strlen(text)) == 0 ? RESULT_OK : db_connection_failed(db, text);
}

static enum result
start(struct db *db, bool snapshot)
{
	enum result result = db_connect(db);
	if (result == RESULT_OK && snapshot)
		result = plain_query(db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"); /* the next one alone */
	if (result == RESULT_OK)
		result =
		    plain_query(db, snapshot ? "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY" : "START TRANSACTION");
	return result;
}

static enum result
begin(struct db *db, bool snapshot)
{
	bool fresh = db->mysql == NULL;
	enum result result = start(db, snapshot);
	/* the server closes connections that were idle too long: nothing was begun, so once more */
	if (result == RESULT_UNAVAILABLE && !fresh)
		result = start(db, snapshot);
	db->in_transaction = result == RESULT_OK;
	/* who knows what is open now, and how the next one would be isolated */
	if (result != RESULT_OK)
		db_disconnect(db);
	return result;
}

enum result
db_begin(struct db *db)
{
	return begin(db, false);
}

enum result
db_begin_snapshot(struct db *db)
{
	return begin(db, true);
}

enum result
db_commit(struct db *db)
{
	enum result result = plain_query(db, "COMMIT");
	/* without the answer nobody knows whether it was done */
	if (result != RESULT_OK && db->mysql == NULL)
		return RESULT_UNKNOWN;
	if (result != RESULT_OK)
		db_rollback(db);
	db->in_transaction = false;
	return result;
}

void
db_rollback(struct db *db)
{
	if (db->mysql == NULL || !db->in_transaction)
		return;
	if (mysql_real_query(db->mysql, "ROLLBACK", strlen("ROLLBACK")) != 0)
		db_disconnect(db);
	db->in_transaction = false;
}
