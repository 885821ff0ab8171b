/* SPDX-License-Identifier: MIT
 * What batches would read again and again, kept by the process as long as nobody has changed it: what a campaign's sign-ups go
 * by - settings, webhooks, definitions - and its histogram. The versions of both stand in the row that every batch locks, and
 * every change moves them on under that lock. */
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/clock.h"
#include "store/private.h"
#include "webhook/webhook_url.h"

DB_STATEMENT(sql_select_campaigns, SELECT_CAMPAIGN_USING("FORCE INDEX (PRIMARY)") " WHERE c.id IN ({list})");
DB_STATEMENT(sql_select_subscriptions, "SELECT id, campaign_id, events, state, format, url"
				       " FROM {prefix}webhooks FORCE INDEX (by_campaign)"
				       " WHERE campaign_id IN ({list})");

store_statement_list sql_of_campaign_cache = { &sql_select_campaigns, &sql_select_subscriptions, NULL };

/* More than a host has busy campaigns. */
enum { KEPT_MAX = 64, NODES_MAX = 1024 /* of a campaign: 140 KiB */ };

/* Campaigns that were read together share their memory. */
struct cache_group {
	struct pool *pool;
	size_t members;
};

static void
leave_group(struct cache_group *group)
{
	if (--group->members > 0)
		return;
	pool_free(&group->pool);
	free(group);
}

static void
forget(struct cached_campaigns *kept, size_t i)
{
	leave_group(kept->items[i].group);
	free(kept->items[i].nodes);
	kept->items[i] = kept->items[--kept->count];
}

void
store_clear_campaign_cache(struct store *store)
{
	while (store->campaign_cache.count > 0)
		forget(&store->campaign_cache, 0);
	free(store->campaign_cache.items);
	store->campaign_cache = (struct cached_campaigns){ 0 };
}

static struct cached_campaign *
find(const struct cached_campaigns *kept, uint64_t id)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->items[i].campaign.id == id)
			return &kept->items[i];
	return NULL;
}

const struct cached_campaign *
store_cached_campaign(const struct store *store, uint64_t id)
{
	return find(&store->campaign_cache, id);
}

static void
forget_oldest(struct cached_campaigns *kept)
{
	while (kept->count > KEPT_MAX) {
		size_t oldest = 0;
		for (size_t i = 1; i < kept->count; i++)
			if (kept->items[i].used_ms < kept->items[oldest].used_ms)
				oldest = i;
		forget(kept, oldest);
	}
}

static void
keep(struct cached_campaigns *kept, const struct cached_campaign *campaign)
{
	struct cached_campaign *old = find(kept, campaign->campaign.id);
	if (old != NULL)
		forget(kept, (size_t)(old - kept->items));
	if (kept->count == kept->capacity) {
		kept->capacity = kept->capacity == 0 ? KEPT_MAX : 2 * kept->capacity;
		kept->items = memory_realloc(kept->items, kept->capacity * sizeof(*kept->items));
	}
	kept->items[kept->count++] = *campaign;
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

/* It is among them: it was asked for because it is. */
static struct campaign_versions
versions_of(const struct versioned_campaign *campaigns, size_t count, uint64_t id)
{
	size_t i = 0;
	while (i + 1 < count && campaigns[i].id != id)
		i++;
	return campaigns[i].versions;
}

/* Reads those campaigns anew, with a fixed number of statements. */
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
		struct cached_campaign kept = { .campaign = store_campaign_from_row(&campaigns, i), .group = group };
		uint64_t id = kept.campaign.id;
		kept.webhooks = webhooks_from_rows(store, group->pool, &subscriptions, id, &kept.webhook_count);
		kept.definitions = store_definitions_from_rows(group->pool, &definitions, id);
		kept.versions = versions_of(versioned, versioned_count, id);
		kept.read_ms = kept.used_ms = clock_monotonic_ms();
		keep(&store->campaign_cache, &kept);
	}
	return result;
}

enum result
store_cache_campaigns(struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count)
{
	struct db_value *stale = POOL_ARRAY(pool, count, struct db_value);
	size_t stale_count = 0;
	int64_t now_ms = clock_monotonic_ms();
	forget_oldest(&store->campaign_cache); /* none of this call's: the batch uses what is kept until its end */
	for (size_t i = 0; i < count; i++) {
		struct cached_campaign *kept = find(&store->campaign_cache, campaigns[i].id);
		if (kept == NULL || !cache_is_valid(kept->versions.settings, campaigns[i].versions.settings, kept->read_ms,
					now_ms, STORE_FRESH_MS)) {
			stale[stale_count++] = DB_U64(campaigns[i].id);
			continue;
		}
		if (kept->versions.leads != campaigns[i].versions.leads)
			kept->node_count = 0; /* somebody else's batch */
		kept->versions.leads = campaigns[i].versions.leads;
		kept->used_ms = now_ms;
	}
	if (stale_count == 0)
		return RESULT_OK;
	struct cache_group *group = memory_alloc(sizeof(*group));
	*group = (struct cache_group){ .pool = pool_new(), .members = 1 };
	enum result result = read_campaigns(store, group, (struct db_list){ stale, stale_count }, campaigns, count);
	leave_group(group);
	return result;
}

static struct rank_node *
find_node(struct cached_campaign *kept, uint64_t node)
{
	return kept == NULL ? NULL : rank_find(kept->nodes, kept->node_count, node);
}

static void
keep_nodes(struct cached_campaign *kept, const struct rank_node *nodes, size_t count)
{
	if (kept == NULL || count > NODES_MAX)
		return;
	if (kept->node_count + count > NODES_MAX)
		kept->node_count = 0;
	if (kept->node_count + count > kept->node_capacity) {
		kept->node_capacity = 2 * (kept->node_count + count);
		kept->nodes = memory_realloc(kept->nodes, kept->node_capacity * sizeof(*kept->nodes));
	}
	memcpy(kept->nodes + kept->node_count, nodes, count * sizeof(*nodes));
	kept->node_count += count;
	rank_sort(kept->nodes, kept->node_count);
}

/* Of some nodes by number: those of the first one's campaign. */
static size_t
same_campaign(const struct rank_node *nodes, size_t count)
{
	size_t i = 1;
	while (i < count && rank_campaign(nodes[i].node) == rank_campaign(nodes[0].node))
		i++;
	return i;
}

/* Reads nodes that are not kept yet, and keeps them. */
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
		keep_nodes(find(&store->campaign_cache, rank_campaign(nodes[i].node)), nodes + i, some);
	}
	return RESULT_OK;
}

enum result
store_cache_nodes(struct store *store, struct pool *pool, const uint64_t *numbers, size_t count, struct rank_node **nodes)
{
	uint64_t *missing = POOL_ARRAY(pool, count, uint64_t);
	size_t found = 0, missing_count = 0;
	*nodes = POOL_ARRAY(pool, count, struct rank_node);
	for (size_t i = 0; i < count; i++) {
		const struct rank_node *kept = find_node(find(&store->campaign_cache, rank_campaign(numbers[i])), numbers[i]);
		if (kept != NULL)
			(*nodes)[found++] = *kept;
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
	for (size_t i = 0; i < set->campaign_count; i++) {
		struct cached_campaign *kept = find(&store->campaign_cache, set->campaigns[i].campaign.id);
		if (set->campaigns[i].changed && kept != NULL)
			kept->versions.leads++;
	}
	for (size_t i = 0; i < change_count; i++) {
		struct rank_node *node =
		    find_node(find(&store->campaign_cache, rank_campaign(changes[i].node)), changes[i].node);
		for (size_t slot = 0; node != NULL && slot < RANK_SLOTS; slot++)
			node->leads[slot] += changes[i].leads[slot];
	}
}
