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

enum result
fetch_page(struct call *call, const struct lead_filter *filter, struct lead_page *page, struct payload_subject **subjects,
    const struct payload_settings **settings)
{
	struct store *store = call->api->store;
	struct pool *pool = call->request->pool;
	enum result result = store_list_leads(store, pool, call->campaign.id, filter, page);
	if (result == RESULT_OK)
		result = store_show_leads(store, pool, call->campaign.id, page->leads, page->count, subjects);
	return result == RESULT_OK ? store_payload_settings(store, settings) : result;
}

enum result
fetch_board(struct call *call, size_t limit, const struct campaign_versions *versions, int64_t now_ms, struct board *board)
{
	struct pool *pool = call->request->pool;
	const struct board_key key = { call->campaign.id, *versions, limit, call->account_id != 0 };
	struct campaign_versions later;
	struct lead *leaders;
	size_t count;
	if (boards_find(call->api->boards, &key, now_ms, board))
		return RESULT_OK;
	enum result result = store_leaderboard(call->api->store, pool, call->campaign.id, limit, &leaders, &count);
	if (result == RESULT_OK)
		result = store_find_versions(call->api->store, pool, call->campaign.id, &later);
	if (result != RESULT_OK)
		return result;
	if (!board_write(pool, leaders, count, key.full, call->response->body.maximum, board))
		return RESULT_FAILED;
	if (later.leads != versions->leads || later.settings != versions->settings)
		return RESULT_CONFLICT;
	boards_put(call->api->boards, &key, board, now_ms);
	return RESULT_OK;
}
