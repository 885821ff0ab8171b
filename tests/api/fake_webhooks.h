/* SPDX-License-Identifier: MIT
 * Private to the fake store: its outbound webhooks. */
#pragma once

#include "api/api.h"

struct fake_webhooks;
/* An empty set of webhooks, in the pool. */
struct fake_webhooks *fake_webhooks_new(struct pool *pool);
struct fake_webhooks *fake_webhooks_of(struct store *store);
/* Adds the initial webhook of a campaign. */
void fake_webhooks_add(struct store *store, uint64_t campaign_id);
