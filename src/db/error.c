/* SPDX-License-Identifier: MIT
 * What an error number means: for the caller, for the connection, and for whoever reads the log. */
#include <errmsg.h>
#include <mysqld_error.h>

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "db/private.h"

/* Not in Connector/C's headers. The first two are the server's own files', temporary ones for instance. */
enum {
	EE_WRITE = 3,
	EE_DISK_FULL = 20,
	ER_CHECKREAD_CHANGED = 1020,
	ER_WSREP_NOT_READY = 1047,
	ER_KILLED = 1927,
	ER_STATEMENT_TIMEOUT_MS = 1969
};

#define MEND_DISK "free space where the server keeps its data, its log and its temporary files"
#define MEND_READ_ONLY "the server is read-only: switch read_only or innodb_read_only off, or connect to the primary"
#define MEND_ROOM "raise max_connections of the server, or lower server.workers"
#define MEND_ACCOUNT "the account's limit (max_user_connections, or one for each hour): raise it, or lower server.workers"
#define MEND_SLOW "the server is slow: see its process list for locks, its disk, its load"
#define MEND_AWAY "see that the server runs and answers, and the [database] section"
#define MEND_ACCESS "see user, password and name in the [database] section, and the rights of that account"
#define MEND_TLS "the server must offer TLS, with a certificate for database.host that database.tls_ca (else the system) trusts"
#define MEND_PLUGIN                                                                                        \
	"see that host and port in the [database] section are those of your server; its account must use " \
	"mysql_native_password "                                                                           \
	"or ed25519"
#define MEND_MEMORY "the server is out of memory or threads: see its log"

/* What is no entry here is a defect, or a broken installation. */
static const struct db_error errors[DB_ERRORS_MAX] = {
	{ ER_LOCK_DEADLOCK, RESULT_CONFLICT, NULL },
	{ ER_LOCK_WAIT_TIMEOUT, RESULT_CONFLICT, NULL },
	{ ER_DUP_ENTRY, RESULT_CONFLICT, NULL },
	{ ER_CHECKREAD_CHANGED, RESULT_CONFLICT, NULL },
	{ ER_SAME_NAME_PARTITION, RESULT_CONFLICT, NULL },
	{ ER_RANGE_NOT_INCREASING_ERROR, RESULT_CONFLICT, NULL }, /* somebody else has made that partition */
	{ ER_WSREP_NOT_READY, RESULT_CONFLICT, NULL },
	{ ER_CON_COUNT_ERROR, RESULT_UNAVAILABLE, MEND_ROOM },
	{ ER_TOO_MANY_USER_CONNECTIONS, RESULT_UNAVAILABLE, MEND_ACCOUNT },
	{ ER_USER_LIMIT_REACHED, RESULT_UNAVAILABLE, MEND_ACCOUNT },
	{ ER_MAX_PREPARED_STMT_COUNT_REACHED, RESULT_UNAVAILABLE,
	    "raise max_prepared_stmt_count of the server, or lower server.workers" },
	{ ER_HOST_IS_BLOCKED, RESULT_UNAVAILABLE, "run FLUSH HOSTS on the server" },
	/* the operator has to fix that, but perhaps is about to */
	{ ER_ACCESS_DENIED_ERROR, RESULT_UNAVAILABLE, MEND_ACCESS },
	{ ER_ACCESS_DENIED_NO_PASSWORD_ERROR, RESULT_UNAVAILABLE, MEND_ACCESS },
	{ ER_DBACCESS_DENIED_ERROR, RESULT_UNAVAILABLE, MEND_ACCESS },
	{ ER_BAD_DB_ERROR, RESULT_UNAVAILABLE, MEND_ACCESS },
	{ ER_HOST_NOT_PRIVILEGED, RESULT_UNAVAILABLE, MEND_ACCESS },
	{ ER_SERVER_SHUTDOWN, RESULT_UNAVAILABLE, MEND_AWAY },
	{ ER_NORMAL_SHUTDOWN, RESULT_UNAVAILABLE, MEND_AWAY },
	{ ER_QUERY_INTERRUPTED, RESULT_UNAVAILABLE, "somebody has ended the statement" },
	{ ER_KILLED, RESULT_UNAVAILABLE, "somebody has ended the connection" },
	{ ER_STATEMENT_TIMEOUT_MS, RESULT_UNAVAILABLE, MEND_SLOW },
	{ EE_WRITE, RESULT_UNAVAILABLE, MEND_DISK },
	{ EE_DISK_FULL, RESULT_UNAVAILABLE, MEND_DISK },
	{ ER_DISK_FULL, RESULT_UNAVAILABLE, MEND_DISK },
	{ ER_ERROR_ON_WRITE, RESULT_UNAVAILABLE, MEND_DISK },
	{ ER_RECORD_FILE_FULL, RESULT_UNAVAILABLE, MEND_DISK },
	{ ER_TEMP_FILE_WRITE_FAILURE, RESULT_UNAVAILABLE, MEND_DISK },
	{ ER_OPTION_PREVENTS_STATEMENT, RESULT_UNAVAILABLE, MEND_READ_ONLY },
	{ ER_READ_ONLY_MODE, RESULT_UNAVAILABLE, MEND_READ_ONLY },
	{ ER_OPEN_AS_READONLY, RESULT_UNAVAILABLE, MEND_READ_ONLY },
	{ ER_OUTOFMEMORY, RESULT_UNAVAILABLE, MEND_MEMORY },
	{ ER_OUT_OF_RESOURCES, RESULT_UNAVAILABLE, MEND_MEMORY },
	{ ER_CANT_CREATE_THREAD, RESULT_UNAVAILABLE, MEND_MEMORY },
	{ ER_LOCK_TABLE_FULL, RESULT_UNAVAILABLE, "raise innodb_buffer_pool_size of the server" },
	{ CR_CONNECTION_ERROR, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_CONN_HOST_ERROR, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_UNKNOWN_HOST, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_SERVER_GONE_ERROR, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_SERVER_LOST, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_SERVER_LOST_EXTENDED, RESULT_UNAVAILABLE, MEND_AWAY },
	{ CR_SSL_CONNECTION_ERROR, RESULT_UNAVAILABLE, MEND_TLS },
	{ CR_PLUGIN_NOT_ALLOWED, RESULT_UNAVAILABLE, MEND_PLUGIN },
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
	       number == ER_NORMAL_SHUTDOWN || number == ER_KILLED;
}

/* The server may come to the end of a COMMIT and tell then that it was interrupted, or that its log could not be written. */
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

bool
error_is_denial(unsigned number)
{
	static const unsigned numbers[] = { ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR,
		ER_DBACCESS_DENIED_ERROR, ER_BAD_DB_ERROR, ER_HOST_NOT_PRIVILEGED, CR_SSL_CONNECTION_ERROR,
		CR_PLUGIN_NOT_ALLOWED };
	return is_among(number, numbers, ARRAY_SIZE(numbers));
}

/* Whether what it quotes are names of ours and of the server's: tables, accounts, files. When in doubt it is what somebody
 * has sent.
 */
static bool
quotes_names(unsigned number)
{
	static const unsigned numbers[] = { EE_WRITE, EE_DISK_FULL, ER_DISK_FULL, ER_ERROR_ON_WRITE, ER_RECORD_FILE_FULL,
		ER_TEMP_FILE_WRITE_FAILURE, ER_NO_SUCH_TABLE, ER_BAD_FIELD_ERROR, ER_TABLEACCESS_DENIED_ERROR,
		ER_COLUMNACCESS_DENIED_ERROR, ER_OPEN_AS_READONLY, ER_READ_ONLY_MODE, ER_OPTION_PREVENTS_STATEMENT,
		ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED, ER_HOST_IS_BLOCKED };
	return error_is_denial(number) || (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) ||
	       is_among(number, numbers, ARRAY_SIZE(numbers));
}

/* A value may hold quotes itself, so it ends with the last one. */
void
error_text_without_values(unsigned number, const char *text, char *out, size_t size)
{
	if (number == CR_PLUGIN_NOT_ALLOWED) /* Connector/C 3.3 names another plugin than the server did */
		text = "the server asked for an authentication plugin that is not allowed";
	const char *first = strchr(text, '\''), *last = strrchr(text, '\'');
	if (first == NULL || quotes_names(number))
		snprintf(out, size, "%s", text);
	else
		snprintf(out, size, "%.*s'...'%s", (int)(first - text), text, last + 1);
}
