/* SPDX-License-Identifier: MIT */
#include "api/call/fetch.h"

#include "os/clock.h"

enum { READER_AWAY_MS = 10000 };

bool
fetch_reads(struct list_read *read)
{
	struct api *api = read->call->api;
	if (read->store == NULL && api->reader != NULL && clock_monotonic_ms() >= api->common->reader_away_until_ms) {
		read->store = api->reader;
		read->result = store_same_installation(api->store, api->reader);
		if (read->result == RESULT_OK)
			return true;
	}
	if (read->store == api->store ||
	    (read->store != NULL && (read->result == RESULT_OK || read->result == RESULT_NOT_FOUND)))
		return false;
	/* a call that had no time left does not show that the host fails */
	if (read->store != NULL && read->result == RESULT_UNAVAILABLE && !store_was_late(api->reader))
		api->common->reader_away_until_ms = clock_monotonic_ms() + READER_AWAY_MS;
	read->store = api->store;
	return true;
}

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
	if ((call->route->flags & ROUTE_COUNTERS) == 0)
		return backend->find_campaign(backend->context, pool, id, call->deadline_ms, &call->campaign, &call->now_ms);
	struct list_read read = { .call = call };
	while (fetch_reads(&read))
		read.result = store_find_campaign(read.store, pool, id, &call->campaign, &call->now_ms);
	return read.result;
}

void
fetch_lead(struct call *call, struct store *store, const struct look_up *look_up, struct outcome *outcome)
{
	const struct api_backend *backend = call->api->backend;
	if (store_in_snapshot(store))
		store_answer_look_ups(store, call->request->pool, &look_up, 1, outcome);
	else
		backend->look_up(backend->context, call->request->pool, look_up, call->deadline_ms, outcome);
}
