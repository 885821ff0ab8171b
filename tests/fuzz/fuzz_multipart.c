/* SPDX-License-Identifier: MIT
 * The first line as a content type and the rest as a body, especially multipart/form-data (docs/api.md 1, Body types). */
#include "params_rules.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice body = fuzz_input(data, size), content_type = fuzz_line(&body);
	struct http_params *params;
	require_params(pool, SLICE("email=a&email=b&plan[]=x"), content_type, body, &params);
	pool_free(&pool);
	return 0;
}
