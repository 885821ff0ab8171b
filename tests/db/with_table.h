/* SPDX-License-Identifier: MIT
 * A fixture for one test program: a private server with one table, which is emptied before each test, and a connection.
 *
 * Before including it, the program defines the statements that create and empty the table:
 * MAKE_TABLE, EMPTY_TABLE. It may define the statements of each new connection, SESSION, and how long an answer may take,
 * TIMEOUT_S. The prefix is t_. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "db/db.h"
#include "private_server.h"

#ifndef SESSION
#define SESSION NULL
#endif
#ifndef TIMEOUT_S
#define TIMEOUT_S 10
#endif

static struct db_options options = {
	.user = PRIVATE_SERVER_USER,
	.password = PRIVATE_SERVER_PASSWORD,
	.database = PRIVATE_SERVER_DATABASE,
	.connect_timeout_s = TIMEOUT_S,
	.io_timeout_s = TIMEOUT_S,
	.prefix = "t_",
	.session = SESSION,
};

struct world {
	struct db *db;
	struct pool *pool;
};

static int
start(void **state UNUSED)
{
	if (!private_server_start())
		return -1;
	options.socket = private_server_socket();
	root_run(MAKE_TABLE);
	return 0;
}

static int
stop(void **state UNUSED)
{
	private_server_stop();
	return 0;
}

static struct world world;

static int
open_world(void **state)
{
	root_run(EMPTY_TABLE);
	world = (struct world){ db_new(&options), pool_new() };
	*state = &world;
	return 0;
}

static int
close_world(void **state)
{
	struct world *w = *state;
	db_free(&w->db);
	pool_free(&w->pool);
	return 0;
}
