/* SPDX-License-Identifier: MIT
 * Caches what batches would otherwise read each time: a campaign's settings, webhooks and definitions. Their version is in the
 * row that every batch locks, and every change increments it under that lock. */
#include "store/campaign_cache.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/panic.h"
#include "os/clock.h"
#include "store/find.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "webhook/webhook_url.h"

DB_STATEMENT(sql_select_campaigns, SELECT_CAMPAIGN_USING("FORCE INDEX (PRIMARY)") " WHERE c.id IN ({list})");
DB_STATEMENT(sql_select_subscriptions, "SELECT id, campaign_id, events, format, url"
				       " FROM {prefix}webhooks FORCE INDEX (by_campaign)"
				       " WHERE campaign_id IN ({list})");

/* More than the number of campaigns that are busy on one host. */
enum { CAMPAIGNS_MAX = 64 };

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
cache_campaign(struct cached_campaigns *cache, struct cached_campaign *campaign)
{
	struct cached_campaign *old = find_campaign(cache, campaign->campaign.id);
	if (old != NULL) {
		campaign->large_points = old->large_points;
		campaign->large_points_until_ms = old->large_points_until_ms;
		remove_campaign(cache, (size_t)(old - cache->items));
	}
	if (cache->count == cache->capacity) {
		cache->capacity = cache->capacity == 0 ? CAMPAIGNS_MAX : 2 * cache->capacity;
		cache->items = memory_realloc(cache->items, cache->capacity * sizeof(*cache->items));
	}
	cache->items[cache->count++] = *campaign;
	campaign->group->members++;
}

enum { SUBSCRIPTION_ID, SUBSCRIPTION_CAMPAIGN_ID, SUBSCRIPTION_EVENTS, SUBSCRIPTION_FORMAT, SUBSCRIPTION_URL };

/* If the URL cannot be opened, nothing is sent to it either: sign-ups continue. */
static struct webhook
webhook_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row)
{
	const struct seal_place place = URL_OF_WEBHOOK(db_get_u64(rows, row, SUBSCRIPTION_ID));
	const struct slice url = store_open_shown(store, pool, place, db_get_bytes(rows, row, SUBSCRIPTION_URL));
	return (struct webhook){
		.id = db_get_u64(rows, row, SUBSCRIPTION_ID),
		.campaign_id = db_get_u64(rows, row, SUBSCRIPTION_CAMPAIGN_ID),
		.events = (uint32_t)db_get_u64(rows, row, SUBSCRIPTION_EVENTS),
		.form = store_is_form(db_get_bytes(rows, row, SUBSCRIPTION_FORMAT)) ||
			webhook_url_wants_form(url, slice_of(store->options.form_urls)),
	};
}

static const struct webhook *
webhooks_from_rows(struct store *store, struct pool *pool, const struct db_rows *rows, uint64_t campaign_id, size_t *count)
{
	size_t own = 0;
	for (size_t i = 0; i < rows->count; i++)
		own += db_get_u64(rows, i, SUBSCRIPTION_CAMPAIGN_ID) == campaign_id;
	struct webhook *webhooks = POOL_ARRAY(pool, own, struct webhook);
	*count = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_u64(rows, i, SUBSCRIPTION_CAMPAIGN_ID) == campaign_id)
			webhooks[(*count)++] = webhook_from_row(store, pool, rows, i);
	if (*count > 1)
		qsort(webhooks, *count, sizeof(*webhooks), compare_ids);
	return webhooks;
}

/* Reads these campaigns with a fixed number of statements. */
static enum result
read_campaigns(struct store *store, struct cache_group *group, struct db_list ids)
{
	struct db_rows campaigns, subscriptions, definitions;
	enum result result = store_query_lists(store, group->pool, &sql_select_campaigns, &ids, 1, &campaigns);
	if (result == RESULT_OK)
		result = store_query_lists(store, group->pool, &sql_select_subscriptions, &ids, 1, &subscriptions);
	if (result == RESULT_OK)
		result = store_query_definitions(store, group->pool, ids, &definitions);
	for (size_t i = 0; result == RESULT_OK && i < campaigns.count; i++) {
		struct cached_campaign cached = { .campaign = row_campaign(ROW(&campaigns, i)), .group = group };
		uint64_t id = cached.campaign.id;
		cached.webhooks = webhooks_from_rows(store, group->pool, &subscriptions, id, &cached.webhook_count);
		cached.definitions = store_definitions_from_rows(group->pool, &definitions, id);
		cached.lists = campaign_lists_read(group->pool, &cached.campaign);
		cached.nodes = ++store->node_generations;
		cached.read_ms = clock_monotonic_ms();
		cache_campaign(&store->campaign_cache, &cached);
	}
	return result;
}

/* Reads the campaigns that are not cached with the current version of their settings. */
static enum result
read_stale(struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count, int64_t now_ms)
{
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_list stale = { values, 0 };
	for (size_t i = 0; i < count; i++) {
		const struct cached_campaign *cached = find_campaign(&store->campaign_cache, campaigns[i].id);
		if (cached == NULL || cached->versions.settings != campaigns[i].versions.settings ||
		    now_ms - cached->read_ms >= STORE_FRESH_MS)
			values[stale.count++] = DB_U64(campaigns[i].id);
	}
	if (stale.count == 0)
		return RESULT_OK;
	struct cache_group *group = memory_alloc(sizeof(*group));
	*group = (struct cache_group){ .pool = pool_new(), .members = 1 };
	enum result result = read_campaigns(store, group, stale);
	release_group(group);
	return result;
}

enum result
store_cache_campaigns(struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count)
{
	const int64_t now_ms = clock_monotonic_ms();
	/* only before this call uses any campaign: the batch needs them until its end */
	remove_oldest(&store->campaign_cache);
	enum result result = read_stale(store, pool, campaigns, count, now_ms);
	for (size_t i = 0; i < count && result == RESULT_OK; i++) {
		struct cached_campaign *cached = find_campaign(&store->campaign_cache, campaigns[i].id);
		if (cached == NULL)
			continue;
		if (cached->versions.leads != campaigns[i].versions.leads)
			cached->nodes = ++store->node_generations; /* changed by a batch of another process */
		cached->versions = campaigns[i].versions;
		cached->used_ms = now_ms;
	}
	return result;
}

void
store_note_campaigns(struct store *store, const struct working_set *set)
{
	require(!db_in_transaction(store->db));
	for (size_t i = 0; i < set->campaign_count; i++) {
		struct cached_campaign *cached = find_campaign(&store->campaign_cache, set->campaigns[i].campaign.id);
		if (set->campaigns[i].changed && cached != NULL)
			cached->versions.leads++;
	}
}

void
store_note_large_points(struct store *store, const struct command *command)
{
	struct cached_campaign *cached = find_campaign(&store->campaign_cache, command->campaign_id);
	const size_t leads = command->as.points.lead_count;
	const int64_t now_ms = clock_monotonic_ms();
	require(command->kind == COMMAND_POINTS);
	if (cached == NULL)
		return;
	if (now_ms >= cached->large_points_until_ms || leads < cached->large_points)
		cached->large_points = leads;
	cached->large_points_until_ms = now_ms + MINUTE_MS;
}

bool
store_expects_large_points(const struct store *store, const struct command *command)
{
	if (command->kind != COMMAND_POINTS)
		return false;
	const struct cached_campaign *cached = find_campaign(&store->campaign_cache, command->campaign_id);
	return cached != NULL && command->as.points.lead_count >= cached->large_points &&
	       clock_monotonic_ms() < cached->large_points_until_ms;
}
