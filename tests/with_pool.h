/* SPDX-License-Identifier: MIT
 * A fixture for one test program: a new pool for every test that has these two as its setup and teardown. */
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
