/* SPDX-License-Identifier: MIT
 * Sends deliveries again (docs/deliveries.md 3.2). */
#pragma once

#include "store/store.h"

/* Result of a request to send a delivery again. */
enum redelivery {
	REDELIVERY_QUEUED,     /* is due now; its schedule begins again, its attempts keep counting up */
	REDELIVERY_HELD,       /* as REDELIVERY_QUEUED, but its webhook is not active, or is on hold */
	REDELIVERY_NO_WEBHOOK, /* the webhook was removed */
	REDELIVERY_NO_EVENT,   /* the event was dropped by the retention */
	REDELIVERY_AT_LIMIT,   /* it has REDELIVER_ATTEMPTS_MAX attempts, or more */
	REDELIVERY_MISSING,    /* no such delivery */
	REDELIVERIES
};
/* Sends deliveries again, in one transaction; what[i] is the result for ids[i]. `note` (may be NULL) is called at the end of
 * the transaction: a result other than RESULT_OK undoes everything. It may be called several times. RESULT_UNKNOWN: it may have
 * been committed. */
enum { REDELIVER_MAX = 250 };
/* The last schedule may exceed it. The columns of attempts have room for 65,535. */
enum { REDELIVER_ATTEMPTS_MAX = 1000 };
typedef enum result redelivery_note(void *context);
MUST_CHECK enum result store_redeliver(
    struct store *store, const uint64_t *ids, size_t count, enum redelivery *what, redelivery_note *note, void *context);
