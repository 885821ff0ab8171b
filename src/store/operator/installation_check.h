/* SPDX-License-Identifier: MIT
 * Checks the database server and the tables, for `leadhook check` and `leadhook doctor`. */
#pragma once

#include "store/operator/check_findings.h"
#include "store/store.h"

/* The most connections that the programs of a host open at once, by process: the table in docs/operating.md 2.2. */
struct connection_needs {
	unsigned workers;    /* 0: a single responder, without a committer, and with one connection */
	unsigned per_worker; /* connections */
	unsigned committer, dispatcher, mailer, texter, command;
};
/* Checks server version, rights, schema, session settings, and whether the server allows this many connections (NULL: not
 * checked). CHECK_DEEP, if the rest passed: recounts all redundant data, which may take minutes while sign-ups continue. A
 * failed query is a finding, not an error. */
enum check_depth { CHECK_QUICK, CHECK_DEEP };
void store_check(struct store *store, struct pool *pool, const struct connection_needs *needs, enum check_depth depth,
    struct finding **findings, size_t *count);
/* What `leadhook doctor` needs in addition to these findings. */
struct server_facts {
	struct slice data_folder; /* of a server on this host; otherwise absent */
	struct slice socket;      /* of a server on this host that is reached by TCP; otherwise absent */
	struct slice account;     /* "name"@"host", as statements write it */
	int64_t now_ms;           /* the database's time */
};
MUST_CHECK enum result store_read_server(struct store *store, struct pool *pool, struct server_facts *facts);
