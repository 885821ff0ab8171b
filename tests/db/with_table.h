/* SPDX-License-Identifier: MIT
 * A fixture for one test program: a private server with one table, which is emptied before each test, and a connection.
 *
 * Before including it, the program defines `options` and `lists` of statements, and the statements that create and empty the
 * table: MAKE_TABLE, EMPTY_TABLE. */
#ifndef LEADHOOK_TESTS_DB_WITH_TABLE_H
#define LEADHOOK_TESTS_DB_WITH_TABLE_H

#include "base/attributes.h"
#include "base/pool.h"
#include "db/db.h"
#include "private_server.h"

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
	world = (struct world){ db_new(&options, lists), pool_new() };
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

#endif
