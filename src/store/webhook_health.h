/* SPDX-License-Identifier: MIT
 * How webhooks are, for lists of many: one probe of an index for each. */
#ifndef LEADHOOK_STORE_WEBHOOK_HEALTH_H
#define LEADHOOK_STORE_WEBHOOK_HEALTH_H

#include "db/db.h"
#include "store/store.h"

struct webhook_health {
	uint64_t id, campaign_id;
	bool active;           /* neither disabled, nor is its receiver gone */
	bool failing;          /* its last attempt failed */
	int64_t oldest_due_ms; /* when the first of its pending deliveries is due; -1: none is pending */
};
/* Those of the campaigns, at most DB_LIST_MAX, by id. In the pool. */
MUST_CHECK enum result store_find_webhook_health(
    struct store *store, struct pool *pool, struct db_list campaigns, struct webhook_health **webhooks, size_t *count);

#endif
