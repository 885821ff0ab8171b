/* SPDX-License-Identifier: MIT
 * Settings, webhooks and definitions of campaigns, cached under their versions (docs/architecture.md 4.2).
 *
 * The store owns the cache. A cached campaign is valid until the next store_cache_campaigns. Reading from the database can fail
 * like any use of the connection; nothing else here can. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "engine/decide/working_set.h"

struct store;

/* What sign-ups need to know about a campaign, cached between batches (campaign_cache.c). */
struct cached_campaign {
	struct campaign campaign;       /* its counters are those at the time of reading */
	const struct webhook *webhooks; /* by id */
	size_t webhook_count;
	struct definitions definitions;
	struct campaign_lists lists;
	struct campaign_versions versions;
	uint64_t nodes; /* generation of the histogram nodes that are valid for versions.leads (rank_cache.c) */
	int64_t read_ms, used_ms;
	/* until then, a command for points of this many leads counts as too much work for one transaction */
	int64_t large_points_until_ms;
	size_t large_points;
	struct cache_group *group; /* holds the texts */
};

struct cached_campaigns {
	struct cached_campaign *items;
	size_t count, capacity;
};

struct versioned_campaign {
	uint64_t id;
	struct campaign_versions versions;
};

/* Makes sure that the settings of these campaigns are cached with these versions, and that their cached histograms are not
 * older. A batch calls it with their counters locked, so nothing changes in between. Without the lock, cached data may be newer
 * than its version, which then no longer matches. Campaigns without a row are skipped. */
MUST_CHECK enum result store_cache_campaigns(
    struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count);
/* NULL: it does not exist. Valid until the next store_cache_campaigns. */
const struct cached_campaign *store_cached_campaign(const struct store *store, uint64_t id);
void store_clear_campaign_cache(struct store *store);

/* The first notes, for a minute, that a command for points was too much work for one transaction. The second returns whether a
 * command probably is, because a command for as many leads or fewer was. */
void store_note_large_points(struct store *store, const struct command *command);
MUST_CHECK bool store_expects_large_points(const struct store *store, const struct command *command);

/* Updates the versions after the commit of a batch. */
void store_note_campaigns(struct store *store, const struct working_set *set);
