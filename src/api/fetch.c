/* SPDX-License-Identifier: MIT */
#include "api/fetch.h"

enum result
fetch_key(struct call *call, const unsigned char hash[32], struct api_key *key)
{
	const struct api_backend *backend = call->api->backend;
	return backend->find_key(backend->context, call->request->pool, hash, call->deadline_ms, key);
}

enum result
fetch_campaign(struct call *call, uint64_t id)
{
	const struct api_backend *backend = call->api->backend;
	struct pool *pool = call->request->pool;
	if ((call->route->flags & ROUTE_COUNTERS) != 0)
		return store_find_campaign(call->api->store, pool, id, &call->campaign, &call->now_ms);
	return backend->find_campaign(backend->context, pool, id, call->deadline_ms, &call->campaign, &call->now_ms);
}

void
fetch_lead(struct call *call, const struct look_up *look_up, struct outcome *outcome)
{
	const struct api_backend *backend = call->api->backend;
	if (store_in_snapshot(call->api->store))
		store_answer_look_ups(call->api->store, call->request->pool, &look_up, 1, outcome);
	else
		backend->look_up(backend->context, call->request->pool, look_up, call->deadline_ms, outcome);
}
