/* SPDX-License-Identifier: MIT
 * Fetches for the handlers the data that the committer may hold; they read everything else from the worker's own store. These
 * functions do not answer the call: the caller turns the result into a failure (call_failure). Results are in the pool of the
 * request, as store/store.h describes. */
#pragma once

#include "api/call/api_call.h"
#include "store/shown_leads.h"

/* Reads of lists and statistics, as a loop: its body reads from `store`, the reader's or the usual one, and is run again with
 * the usual one when the reader fails. Do not leave it by break or return.
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

/* From a cache, at most a second old. */
MUST_CHECK enum result fetch_key(struct call *call, const unsigned char hash[32], struct api_key *key);
/* call->campaign and call->now_ms. From a cache, at most a second old, unless the route shows counters. */
MUST_CHECK enum result fetch_campaign(struct call *call, uint64_t id);

/* A lead as JSON. Inside a store_reads loop of the same store it is consistent with the other reads. */
void fetch_lead(struct call *call, struct store *store, const struct look_up *look_up, struct outcome *outcome);
