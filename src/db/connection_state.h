/* SPDX-License-Identifier: MIT
 * The state of a connection. Internal to src/db. */
#pragma once

#include <mysql.h>

#include "db/db.h"
#include "db/error.h"
#include "os/log.h"

/* A statement, prepared for lists or items of several sizes. */
struct prepared {
	const struct db_statement *statement;
	MYSQL_STMT **handles; /* by size; each is NULL until it is prepared */
};

struct db_host {
	char *name;            /* "": as in the option file or Connector/C's default */
	unsigned port;         /* 0: as in the option file or Connector/C's default */
	unsigned timeouts;     /* since it was connected */
	int64_t away_until_ms; /* it has timed out and is not tried before this time */
};

struct db {
	const struct db_options *options;
	struct db_host *hosts;     /* at least one host */
	size_t host_count, host;   /* the host of the connection, or the one that is tried first */
	MYSQL *mysql;              /* NULL: not connected */
	struct prepared *prepared; /* statements that were run, sorted by address */
	size_t statement_count, statement_capacity;
	bool lets_others_run; /* calls are made so that other fibers run while they wait */
	bool in_transaction;
	bool is_node;        /* the server is a node of a cluster */
	bool unknown;        /* the last COMMIT may have taken effect, perhaps on another node */
	int64_t used_ms;     /* when the connection was last used */
	int64_t begun_ms;    /* start of the current or last call */
	int64_t deadline_ms; /* nothing is started after this time */
	bool late;           /* the last call was rejected because of the deadline */
	unsigned error;
	char error_text[MYSQL_ERRMSG_SIZE];
};
