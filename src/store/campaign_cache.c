/* SPDX-License-Identifier: MIT
 * Caches what batches would read again each time: a campaign's settings, webhooks and definitions, and its histogram. The
 * versions of both are in the row that every batch locks, and every change increments them under that lock. */
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/panic.h"
#include "store/private.h"
#include "webhook/webhook_url.h"

DB_STATEMENT(sql_select_campaigns, SELECT_CAMPAIGN_USING("FORCE INDEX (PRIMARY)") " WHERE c.id IN ({list})");
DB_STATEMENT(sql_select_subscriptions, "SELECT id, campaign_id, events, state, format, url"
				       " FROM {prefix}webhooks FORCE INDEX (by_campaign)"
				       " WHERE campaign_id IN ({list})");

store_statement_list sql_of_campaign_cache = { &sql_select_campaigns, &sql_select_subscriptions, NULL };

/* More than the busy campaigns of a host. */
enum { CAMPAIGNS_MAX = 64, NODES_MAX = 1024 /* of a campaign: 140 KiB */ };

/* Campaigns that were read together share their memory. */
struct cache_group {
	struct pool *pool;
	size_t members;
};

static void
release_group(struct cache_group *group)
{
	if (--group->members > 0)
		return;
	pool_free(&group->pool);
	free(group);
}

static void
remove_campaign(struct cached_campaigns *cache, size_t i)
{
	release_group(cache->items[i].group);
	free(cache->items[i].nodes);
	cache->items[i] = cache->items[--cache->count];
}

void
store_clear_campaign_cache(struct store *store)
{
	while (store->campaign_cache.count > 0)
		remove_campaign(&store->campaign_cache, 0);
	free(store->campaign_cache.items);
	store->campaign_cache = (struct cached_campaigns){ 0 };
}

static struct cached_campaign *
find_campaign(const struct cached_campaigns *cache, uint64_t id)
{
	for (size_t i = 0; i < cache->count; i++)
		if (cache->items[i].campaign.id == id)
			return &cache->items[i];
	return NULL;
}

const struct cached_campaign *
store_cached_campaign(const struct store *store, uint64_t id)
{
	return find_campaign(&store->campaign_cache, id);
}

static void
remove_oldest(struct cached_campaigns *cache)
{
	while (cache->count > CAMPAIGNS_MAX) {
		size_t oldest = 0;
		for (size_t i = 1; i < cache->count; i++)
			if (cache->items[i].used_ms < cache->items[oldest].used_ms)
				oldest = i;
		remove_campaign(cache, oldest);
	}
}

static void
cache_campaign(struct cached_campaigns *cache, const struct cached_campaign *campaign)
{
	struct cached_campaign *old = find_campaign(cache, campaign->campaign.id);
	if (old != NULL)
		remove_campaign(cache, (size_t)(old - cache->items));
	if (cache->count == cache->capacity) {
		cache->capacity = cache->capacity == 0 ? CAMPAIGNS_MAX : 2 * cache->capacity;
		cache->items = memory_realloc(cache->items, cache->capacity * sizeof(*cache->items));
	}
	cache->items[cache->count++] = *campaign;
	campaign->group->members++;
}

enum {
	SUBSCRIPTION_ID,
	SUBSCRIPTION_CAMPAIGN_ID,
	SUBSCRIPTION_EVENTS,
	SUBSCRIPTION_STATE,
	SUBSCRIPTION_FORMAT,
	SUBSCRIPTION_URL
};

static struct webhook
webhook_from_row(const struct store *store, const struct db_rows *rows, size_t row)
{
	return (struct webhook){
		.id = db_get_u64(rows, row, SUBSCRIPTION_ID),
		.campaign_id = db_get_u64(rows, row, SUBSCRIPTION_CAMPAIGN_ID),
		.events = (uint32_t)db_get_u64(rows, row, SUBSCRIPTION_EVENTS),
		.state = store_webhook_state(db_get_bytes(rows, row, SUBSCRIPTION_STATE)),
		.form = store_is_form(db_get_bytes(rows, row, SUBSCRIPTION_FORMAT)) ||
			webhook_url_wants_form(db_get_bytes(rows, row, SUBSCRIPTION_URL), slice_of(store->options.form_urls)),
	};
}

static int
compare_webhooks(const void *left, const void *right)
{
	const struct webhook *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static const struct webhook *
webhooks_from_rows(
    const struct store *store, struct pool *pool, const struct db_rows *rows, uint64_t campaign_id, size_t *count)
{
	size_t own = 0;
	for (size_t i = 0; i < rows->count; i++)
		own += db_get_u64(rows, i, SUBSCRIPTION_CAMPAIGN_ID) == campaign_id;
	struct webhook *webhooks = POOL_ARRAY(pool, own, struct webhook);
	*count = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_u64(rows, i, SUBSCRIPTION_CAMPAIGN_ID) == campaign_id)
			webhooks[(*count)++] = webhook_from_row(store, rows, i);
	if (*count > 1)
		qsort(webhooks, *count, sizeof(*webhooks), compare_webhooks);
	return webhooks;
}

/* The campaign is always among them. */
static struct campaign_versions
versions_of(const struct versioned_campaign *campaigns, size_t count, uint64_t id)
{
	size_t i = 0;
	while (i + 1 < count && campaigns[i].id != id)
		i++;
	return campaigns[i].versions;
}

/* Reads these campaigns with a fixed number of statements. */
static enum result
read_campaigns(struct store *store, struct cache_group *group, struct db_list ids, const struct versioned_campaign *versioned,
    size_t versioned_count)
{
	struct db_rows campaigns, subscriptions, definitions;
	enum result result = store_query_lists(store, group->pool, &sql_select_campaigns, &ids, 1, &campaigns);
	if (result == RESULT_OK)
		result = store_query_lists(store, group->pool, &sql_select_subscriptions, &ids, 1, &subscriptions);
	if (result == RESULT_OK)
		result = store_query_definitions(store, group->pool, ids, &definitions);
	for (size_t i = 0; result == RESULT_OK && i < campaigns.count; i++) {
		struct cached_campaign cached = { .campaign = store_campaign_from_row(&campaigns, i), .group = group };
		uint64_t id = cached.campaign.id;
		cached.webhooks = webhooks_from_rows(store, group->pool, &subscriptions, id, &cached.webhook_count);
		cached.definitions = store_definitions_from_rows(group->pool, &definitions, id);
		cached.versions = versions_of(versioned, versioned_count, id);
		cached.read_ms = cached.used_ms = clock_monotonic_ms();
		cache_campaign(&store->campaign_cache, &cached);
	}
	return result;
}

enum result
store_cache_campaigns(struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count)
{
	struct db_value *stale = POOL_ARRAY(pool, count, struct db_value);
	size_t stale_count = 0;
	int64_t now_ms = clock_monotonic_ms();
	remove_oldest(
	    &store->campaign_cache); /* only before this call's campaigns are used: the batch needs them until its end */
	for (size_t i = 0; i < count; i++) {
		struct cached_campaign *cached = find_campaign(&store->campaign_cache, campaigns[i].id);
		if (cached == NULL || !cache_is_valid(cached->versions.settings, campaigns[i].versions.settings,
					  cached->read_ms, now_ms, STORE_FRESH_MS)) {
			stale[stale_count++] = DB_U64(campaigns[i].id);
			continue;
		}
		if (cached->versions.leads != campaigns[i].versions.leads)
			cached->node_count = 0; /* changed by a batch of another process */
		cached->versions.leads = campaigns[i].versions.leads;
		cached->used_ms = now_ms;
	}
	if (stale_count == 0)
		return RESULT_OK;
	struct cache_group *group = memory_alloc(sizeof(*group));
	*group = (struct cache_group){ .pool = pool_new(), .members = 1 };
	enum result result = read_campaigns(store, group, (struct db_list){ stale, stale_count }, campaigns, count);
	release_group(group);
	return result;
}

static struct rank_node *
find_node(struct cached_campaign *cached, uint64_t node)
{
	return cached == NULL ? NULL : rank_find(cached->nodes, cached->node_count, node);
}

static void
cache_nodes(struct cached_campaign *cached, const struct rank_node *nodes, size_t count)
{
	if (cached == NULL || count > NODES_MAX)
		return;
	if (cached->node_count + count > NODES_MAX)
		cached->node_count = 0;
	if (cached->node_count + count > cached->node_capacity) {
		cached->node_capacity = 2 * (cached->node_count + count);
		cached->nodes = memory_realloc(cached->nodes, cached->node_capacity * sizeof(*cached->nodes));
	}
	memcpy(cached->nodes + cached->node_count, nodes, count * sizeof(*nodes));
	cached->node_count += count;
	rank_sort(cached->nodes, cached->node_count);
}

/* How many of the first nodes belong to the first one's campaign. */
static size_t
same_campaign(const struct rank_node *nodes, size_t count)
{
	size_t i = 1;
	while (i < count && rank_campaign(nodes[i].node) == rank_campaign(nodes[0].node))
		i++;
	return i;
}

/* Reads nodes that are not cached, and caches them. */
static enum result
read_nodes(struct store *store, struct pool *pool, uint64_t *numbers, size_t count, struct rank_node *nodes)
{
	struct rank_node *rows;
	size_t row_count;
	enum result result = store_read_histogram(store, pool, numbers, count, &rows, &row_count);
	if (result != RESULT_OK)
		return result;
	for (size_t i = 0; i < count; i++) {
		const struct rank_node *row = rank_find(rows, row_count, numbers[i]);
		nodes[i] = row == NULL ? (struct rank_node){ .node = numbers[i] } : *row;
	}
	for (size_t i = 0, some; i < count; i += some) {
		some = same_campaign(nodes + i, count - i);
		cache_nodes(find_campaign(&store->campaign_cache, rank_campaign(nodes[i].node)), nodes + i, some);
	}
	return RESULT_OK;
}

enum result
store_cache_nodes(struct store *store, struct pool *pool, const uint64_t *numbers, size_t count, struct rank_node **nodes)
{
	require(db_in_transaction(store->db));
	uint64_t *missing = POOL_ARRAY(pool, count, uint64_t);
	size_t found = 0, missing_count = 0;
	*nodes = POOL_ARRAY(pool, count, struct rank_node);
	for (size_t i = 0; i < count; i++) {
		const struct rank_node *cached =
		    find_node(find_campaign(&store->campaign_cache, rank_campaign(numbers[i])), numbers[i]);
		if (cached != NULL)
			(*nodes)[found++] = *cached;
		else
			missing[missing_count++] = numbers[i];
	}
	if (missing_count == 0)
		return RESULT_OK;
	enum result result = read_nodes(store, pool, missing, missing_count, *nodes + found);
	rank_sort(*nodes, count);
	return result;
}

void
store_note_batch(struct store *store, const struct working_set *set, const struct rank_node *changes, size_t change_count)
{
	require(!db_in_transaction(store->db));
	for (size_t i = 0; i < set->campaign_count; i++) {
		struct cached_campaign *cached = find_campaign(&store->campaign_cache, set->campaigns[i].campaign.id);
		if (set->campaigns[i].changed && cached != NULL)
			cached->versions.leads++;
	}
	for (size_t i = 0; i < change_count; i++) {
		struct rank_node *node =
		    find_node(find_campaign(&store->campaign_cache, rank_campaign(changes[i].node)), changes[i].node);
		for (size_t slot = 0; node != NULL && slot < RANK_SLOTS; slot++)
			node->leads[slot] += changes[i].leads[slot];
	}
}
