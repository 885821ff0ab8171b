/* SPDX-License-Identifier: MIT */
#include "api/call/service.h"

#include <stdlib.h>

#include "api/call/board.h"

struct api *
api_new(const struct api_options *options, struct api_common *common, struct store *store, struct store *reader,
    const struct api_backend *backend)
{
	struct api *api = memory_alloc(sizeof(*api));
	api->options = options;
	api->common = common;
	api->store = store;
	api->reader = reader;
	api->boards = boards_new();
	api->backend = backend;
	return api;
}

void
api_free(struct api **api)
{
	if (*api != NULL)
		cache_free(&(*api)->boards);
	free(*api);
	*api = NULL;
}
