/* SPDX-License-Identifier: MIT
 * The health of webhooks, for long lists: one index probe for each webhook. */
#pragma once

#include "store/store.h"

struct webhook_health {
	uint64_t id, campaign_id;
	bool active;                          /* neither disabled nor gone */
	bool failing;                         /* its last attempt failed */
	int64_t oldest_due_ms;                /* when the first of its pending deliveries is due; -1: none is pending */
	uint64_t attempts, delivered, failed; /* set by store_add_recent_attempts */
};
/* The webhooks of the campaigns, by id, in the pool, with `oldest_due_ms`. Sorts `campaigns` in place. */
MUST_CHECK enum result store_find_webhook_health(struct store *store, struct pool *pool, uint64_t *campaigns,
    size_t campaign_count, struct webhook_health **webhooks, size_t *count);

/* Sets `oldest_due_ms`, initially -1, of webhooks in the order of their ids. */
MUST_CHECK enum result store_add_oldest_due(
    struct store *store, struct pool *pool, struct webhook_health *webhooks, size_t count);

/* Adds the attempts of the last HEALTH_HOURS hours, and the deliveries that they ended. `now_ms`: the database's time. */
enum { HEALTH_HOURS = 24 };
MUST_CHECK enum result store_add_recent_attempts(
    struct store *store, struct pool *pool, int64_t now_ms, struct webhook_health *webhooks, size_t count);
