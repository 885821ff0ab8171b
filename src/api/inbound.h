/* SPDX-License-Identifier: MIT
 * Payloads of inbound webhooks (docs/inbound.md 2 to 4), for the call of a URL and for the operator's command. */
#ifndef LEADHOOK_API_INBOUND_H
#define LEADHOOK_API_INBOUND_H

#include "api/api.h"
#include "engine/inbound_result.h"
#include "store/inbound.h"

/* Makes a payload a lead, or each of its entries. It does not count, and is not written to the log. `only_try`: nothing is
 * changed, and the results are what would probably come of it. They live in the pool. */
void api_run_inbound(struct api *api, struct pool *pool, const struct inbound_webhook *webhook, struct slice content_type,
    struct slice body, bool only_try, struct inbound_results *results);

#endif
