/* SPDX-License-Identifier: MIT
 * Carries out payloads: the entries of a call, and whole payloads for the operator (docs/inbound.md 2 to 4). */
#pragma once

#include "api/inbound/inbound_payload.h"
#include "engine/inbound_result.h"
#include "store/hooks/inbound_calls.h"

/* Turns an entry into a lead, or stores in the result why it cannot. Clears an earlier failure of the call. */
void inbound_run_entry(struct call *call, const struct inbound_payload *payload, size_t number, struct inbound_result *result);
/* The payload with only this entry of the list, or with this entry and all that follow. In the pool. */
enum inbound_part { INBOUND_ENTRY, INBOUND_REST };
struct slice inbound_body(struct call *call, const struct inbound_payload *payload, size_t number, enum inbound_part part);

/* Maximum number of entries that a call turns into leads. */
enum { INBOUND_ENTRIES_MAX = 100 };
/* The result for the entries from `number` on, which are stored together because the call has no time or memory left for
 * them. */
struct inbound_result inbound_postponed(struct call *call, size_t number, size_t count);
/* The result of a call that has failed before its entries were read. */
struct inbound_result inbound_failed(const struct call *call);
/* Clears the failure of the call. */
void inbound_forget_failure(struct call *call);

enum inbound_way {
	INBOUND_EXECUTE, /* makes leads; does not count towards limits, and is not written to the log of calls */
	INBOUND_TRY      /* changes nothing: the results are what would probably happen */
};
/* Carries out a payload as a call of the webhook's URL with this content type and body would. The results are in the pool. */
void inbound_run(struct api *api, struct pool *pool, const struct inbound_webhook *webhook, const struct inbound_call *payload,
    enum inbound_way way, struct inbound_results *results);
