/* SPDX-License-Identifier: MIT
 * Fetches for the handlers what the committer or a cache may have; they read everything else from the worker's own store.
 * These functions do not answer the call: the caller makes a failure of the result (call_failure). Results are in the pool of
 * the request, as store/store.h describes. */
#ifndef LEADHOOK_API_FETCH_H
#define LEADHOOK_API_FETCH_H

#include "api/board.h"
#include "api/call.h"

/* From a cache, at most a second old. */
MUST_CHECK enum result fetch_key(struct call *call, const unsigned char hash[32], struct api_key *key);
/* call->campaign and call->now_ms. From a cache, at most a second old, unless the route shows counters. */
MUST_CHECK enum result fetch_campaign(struct call *call, uint64_t id);

/* A lead as JSON. Within a loop of store_reads it is consistent with the other reads. */
void fetch_lead(struct call *call, const struct look_up *look_up, struct outcome *outcome);
/* A page of leads with the data of their payloads. */
MUST_CHECK enum result fetch_page(struct call *call, const struct lead_filter *filter, struct lead_page *page,
    struct payload_subject **subjects, const struct payload_settings **settings);
/* At most `limit` leaders, from a cache when they were read at these versions. RESULT_CONFLICT: leads have changed since. */
MUST_CHECK enum result fetch_board(
    struct call *call, size_t limit, const struct campaign_versions *versions, int64_t now_ms, struct board *board);

#endif
