/* SPDX-License-Identifier: MIT
 * Fetches for the handlers what the committer may have; they read everything else from the worker's own store.
 * These functions do not answer the call: the caller makes a failure of the result (call_failure). Results are in the pool of
 * the request, as store/store.h describes. */
#ifndef LEADHOOK_API_FETCH_H
#define LEADHOOK_API_FETCH_H

#include "api/call.h"

/* From a cache, at most a second old. */
MUST_CHECK enum result fetch_key(struct call *call, const unsigned char hash[32], struct api_key *key);
/* call->campaign and call->now_ms. From a cache, at most a second old, unless the route shows counters. */
MUST_CHECK enum result fetch_campaign(struct call *call, uint64_t id);

/* A lead as JSON. Within a loop of store_reads it is consistent with the other reads. */
void fetch_lead(struct call *call, const struct look_up *look_up, struct outcome *outcome);

#endif
