/* SPDX-License-Identifier: MIT */
#include "db/error.h"

#include <errmsg.h>
#include <mysqld_error.h>

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"

/* Not in Connector/C's headers. The first two concern files of the server, such as temporary ones. */
enum {
	EE_WRITE = 3,
	EE_DISK_FULL = 20,
	ER_CHECKREAD_CHANGED = 1020,
	ER_WSREP_NOT_READY = 1047,
	ER_KILLED = 1927,
	ER_STATEMENT_TIMEOUT_MS = 1969
};

#define HINT_DISK "free disk space for the data, log and temporary files of the server"
#define HINT_READ_ONLY "the server is read-only: turn off read_only or innodb_read_only, or connect to the primary"
#define HINT_ROOM "raise max_connections of the server, or lower server.workers"
#define HINT_ACCOUNT "the account's limit (max_user_connections, or one per hour): raise it, or lower server.workers"
#define HINT_SLOW "the server is slow: check its process list for locks, its disk, its load"
#define HINT_AWAY "check that the server is running and responds, and check the [database] section"
#define HINT_ACCESS "check user, password and name in the [database] section, and the privileges of that account"
#define HINT_TLS \
	"the server must offer TLS, with a certificate for database.host that database.tls_ca (by default, the system) trusts"
#define HINT_PLUGIN "check host and port in the [database] section; the account must use mysql_native_password or ed25519"
#define HINT_NODE "the node is not connected to most of its cluster, or is catching up: check the other nodes and its log"
#define HINT_MEMORY "the server is out of memory or threads: check its log"

/* Any other error is a defect or a broken installation. */
static const struct db_error errors[DB_ERRORS_MAX] = {
	{ ER_LOCK_DEADLOCK, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT, NULL },
	{ ER_LOCK_WAIT_TIMEOUT, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT, NULL },
	{ ER_DUP_ENTRY, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT, NULL },
	{ ER_CHECKREAD_CHANGED, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT, NULL },
	{ ER_SAME_NAME_PARTITION, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT, NULL },
	{ ER_RANGE_NOT_INCREASING_ERROR, RESULT_CONFLICT, METRIC_DATABASE_CONFLICT,
	    NULL }, /* another process has created that partition */
	{ ER_WSREP_NOT_READY, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_NODE },
	{ ER_CON_COUNT_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_ROOM },
	{ ER_TOO_MANY_USER_CONNECTIONS, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_ACCOUNT },
	{ ER_USER_LIMIT_REACHED, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_ACCOUNT },
	{ ER_MAX_PREPARED_STMT_COUNT_REACHED, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT,
	    "raise max_prepared_stmt_count of the server, or lower server.workers" },
	{ ER_HOST_IS_BLOCKED, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, "run FLUSH HOSTS on the server" },
	/* the operator must correct this, and may be doing so */
	{ ER_ACCESS_DENIED_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_ACCESS },
	{ ER_ACCESS_DENIED_NO_PASSWORD_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_ACCESS },
	{ ER_DBACCESS_DENIED_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_ACCESS },
	{ ER_BAD_DB_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_ACCESS },
	{ ER_HOST_NOT_PRIVILEGED, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_ACCESS },
	{ ER_SERVER_SHUTDOWN, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ ER_NORMAL_SHUTDOWN, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ ER_QUERY_INTERRUPTED, RESULT_UNAVAILABLE, METRIC_DATABASE_OTHER, "the statement was killed" },
	{ ER_KILLED, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, "the connection was killed" },
	{ ER_STATEMENT_TIMEOUT_MS, RESULT_UNAVAILABLE, METRIC_DATABASE_SLOW, HINT_SLOW },
	{ EE_WRITE, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ EE_DISK_FULL, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ ER_DISK_FULL, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ ER_ERROR_ON_WRITE, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ ER_RECORD_FILE_FULL, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ ER_TEMP_FILE_WRITE_FAILURE, RESULT_UNAVAILABLE, METRIC_DATABASE_DISK, HINT_DISK },
	{ ER_OPTION_PREVENTS_STATEMENT, RESULT_UNAVAILABLE, METRIC_DATABASE_READ_ONLY, HINT_READ_ONLY },
	{ ER_READ_ONLY_MODE, RESULT_UNAVAILABLE, METRIC_DATABASE_READ_ONLY, HINT_READ_ONLY },
	{ ER_OPEN_AS_READONLY, RESULT_UNAVAILABLE, METRIC_DATABASE_READ_ONLY, HINT_READ_ONLY },
	{ ER_OUTOFMEMORY, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_MEMORY },
	{ ER_OUT_OF_RESOURCES, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_MEMORY },
	{ ER_CANT_CREATE_THREAD, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, HINT_MEMORY },
	{ ER_LOCK_TABLE_FULL, RESULT_UNAVAILABLE, METRIC_DATABASE_LIMIT, "raise innodb_buffer_pool_size of the server" },
	{ CR_CONNECTION_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_CONN_HOST_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_UNKNOWN_HOST, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_SERVER_GONE_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_SERVER_LOST, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_SERVER_LOST_EXTENDED, RESULT_UNAVAILABLE, METRIC_DATABASE_AWAY, HINT_AWAY },
	{ CR_SSL_CONNECTION_ERROR, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_TLS },
	{ CR_PLUGIN_NOT_ALLOWED, RESULT_UNAVAILABLE, METRIC_DATABASE_ACCESS, HINT_PLUGIN },
};

const struct db_error *
error_find(unsigned number)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors) && errors[i].number != 0; i++)
		if (errors[i].number == number)
			return &errors[i];
	return NULL;
}

size_t
error_place(const struct db_error *error)
{
	return (size_t)(error - errors);
}

bool
error_is_lost(unsigned number)
{
	return (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) || number == ER_SERVER_SHUTDOWN ||
	       number == ER_NORMAL_SHUTDOWN || number == ER_KILLED || number == ER_WSREP_NOT_READY;
}

/* A node that has just lost its cluster rejects a COMMIT, or a change outside a transaction, with a general error number. */
unsigned
error_number(unsigned number, const char *text)
{
	return number == ER_ERROR_DURING_COMMIT && strstr(text, "Primary Component") != NULL ? ER_WSREP_NOT_READY : number;
}

/* The server may complete a COMMIT and then report that it was interrupted, or that its log could not be written. */
bool
error_leaves_commit_open(unsigned number)
{
	return number == ER_QUERY_INTERRUPTED || number == ER_STATEMENT_TIMEOUT_MS || number == ER_ERROR_DURING_COMMIT ||
	       number == ER_ERROR_ON_WRITE;
}

static bool
is_among(unsigned number, const unsigned *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

enum denial
error_denial(unsigned number)
{
	static const struct {
		unsigned number;
		enum denial denial;
	} denials[] = {
		{ ER_ACCESS_DENIED_ERROR, DENIAL_ACCOUNT },
		{ ER_ACCESS_DENIED_NO_PASSWORD_ERROR, DENIAL_ACCOUNT },
		{ ER_HOST_NOT_PRIVILEGED, DENIAL_HOST },
		{ ER_DBACCESS_DENIED_ERROR, DENIAL_DATABASE },
		{ ER_BAD_DB_ERROR, DENIAL_DATABASE },
		{ CR_SSL_CONNECTION_ERROR, DENIAL_TLS },
		{ CR_PLUGIN_NOT_ALLOWED, DENIAL_PLUGIN },
	};
	for (size_t i = 0; i < ARRAY_SIZE(denials); i++)
		if (denials[i].number == number)
			return denials[i].denial;
	return DENIAL_NONE;
}

/* True when the quoted texts are our names or the server's: tables, accounts, files. If in doubt, they are treated as user
 * data. */
static bool
quotes_names(unsigned number)
{
	static const unsigned numbers[] = { EE_WRITE, EE_DISK_FULL, ER_DISK_FULL, ER_ERROR_ON_WRITE, ER_RECORD_FILE_FULL,
		ER_TEMP_FILE_WRITE_FAILURE, ER_NO_SUCH_TABLE, ER_BAD_FIELD_ERROR, ER_TABLEACCESS_DENIED_ERROR,
		ER_COLUMNACCESS_DENIED_ERROR, ER_OPEN_AS_READONLY, ER_READ_ONLY_MODE, ER_OPTION_PREVENTS_STATEMENT,
		ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED, ER_HOST_IS_BLOCKED };
	return error_denial(number) != DENIAL_NONE || (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) ||
	       is_among(number, numbers, ARRAY_SIZE(numbers));
}

/* A quoted value may itself contain quotes, so it ends at the last one. */
void
error_text_without_values(unsigned number, const char *text, char *out, size_t size)
{
	if (number == CR_PLUGIN_NOT_ALLOWED) /* Connector/C 3.3 does not report the server's plugin */
		text = "the server requires an authentication plugin that is not allowed";
	const char *first = strchr(text, '\''), *last = strrchr(text, '\'');
	if (first == NULL || quotes_names(number))
		snprintf(out, size, "%s", text);
	else
		snprintf(out, size, "%.*s'...'%s", (int)(first - text), text, last + 1);
}
