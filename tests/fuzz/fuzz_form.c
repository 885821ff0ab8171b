/* SPDX-License-Identifier: MIT
 * The first line as a query and the rest as a form, and both as the query of a URL (docs/api.md 1, Parameters). */
#include "params_rules.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice body = fuzz_input(data, size), query = fuzz_line(&body);
	struct http_params *params;
	require_params(pool, query, SLICE("application/x-www-form-urlencoded"), body, &params);
	pool_free(&pool);
	return 0;
}
