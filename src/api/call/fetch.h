/* SPDX-License-Identifier: MIT
 * Fetches the data that the committer may have cached; handlers read everything else from the worker's own store. These
 * functions do not answer the call: the caller turns the result into a failure (call_failure). Results are in the pool of the
 * request, as store/store.h describes. */
#pragma once

#include "api/call/api_call.h"
#include "store/shown_leads.h"

/* Reads lists and statistics in a loop. Its body reads from `store`: the reader if there is one. If the reader fails, the body
 * runs again with the usual store. Do not leave it by break or return.
 *
 *	struct list_read read = { .call = call };
 *	while (fetch_reads(&read))
 *		read.result = store_list_campaigns(read.store, …);
 *	return read.result; */
struct list_read {
	struct call *call;
	struct store *store;
	enum result result;
};
bool fetch_reads(struct list_read *read);

/* Reads the key from a cache, which is at most a second old. */
MUST_CHECK enum result fetch_key(struct call *call, const unsigned char hash[32], struct api_key *key);
/* Sets call->campaign and call->now_ms, from a cache that is at most a second old unless the route shows counters. */
MUST_CHECK enum result fetch_campaign(struct call *call, uint64_t id);

/* A lead as JSON. Inside a store_reads loop of the same store it is consistent with the other reads. */
void fetch_lead(struct call *call, struct store *store, const struct look_up *look_up, struct outcome *outcome);
