/* SPDX-License-Identifier: MIT
 * A fixture: each test with this setup and teardown gets a new pool. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"

static struct pool *pool;

static int
begin(void **state UNUSED)
{
	pool = pool_new();
	return 0;
}

static int
end(void **state UNUSED)
{
	pool_free(&pool);
	return 0;
}
