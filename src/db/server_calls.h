/* SPDX-License-Identifier: MIT
 * The calls of Connector/C that wait for the server, in its form or so that other fibers (os/fiber.h) run in the meantime.
 * Internal to src/db. */
#pragma once

#include "db/connection_state.h"

/* Each returns what the function of Connector/C returns; server_connect whether it is connected. A connection that is opened in
 * a fiber lets others run in all of its calls, except while Connector/C resolves the name of the host and begins TLS. `host`: ""
 * as in struct db_host. */
MUST_CHECK bool server_connect(struct db *db, const char *host, unsigned port);
MUST_CHECK int server_query(struct db *db, const char *text, size_t size);
MUST_CHECK int server_ping(struct db *db);
MUST_CHECK MYSQL_RES *server_store_result(struct db *db);
MUST_CHECK int server_prepare(struct db *db, MYSQL_STMT *handle, const char *text, size_t size);
MUST_CHECK int server_execute(struct db *db, MYSQL_STMT *handle);
MUST_CHECK int server_store_rows(struct db *db, MYSQL_STMT *handle);
