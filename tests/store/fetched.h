/* SPDX-License-Identifier: MIT
 * Due, fetched and recorded deliveries, for the tests of the dispatcher's rows. */
#pragma once

#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"
#include "store/queue/redeliver.h"
#include "store/queue/shards.h"
#include "world.h"

enum { LONG_MS = 60 * 1000, ALL_ROWS = 1000 };

/* Numbers of pending and ended deliveries of a webhook, and of rows of attempts of either (takes the webhook twice). */
#define DUE "SELECT COUNT(*) FROM t_due WHERE webhook_id = %" PRIu64
#define DELIVERIES "SELECT COUNT(*) FROM t_deliveries WHERE webhook_id = %" PRIu64
#define ATTEMPTS                                                                                                     \
	"SELECT COUNT(*) FROM t_attempts a WHERE a.delivery_id IN (SELECT id FROM t_due WHERE webhook_id = %" PRIu64 \
	" UNION SELECT id FROM t_deliveries WHERE webhook_id = %" PRIu64 ")"

extern const unsigned char owners[2][DISPATCH_OWNER_SIZE];
extern const struct id_set no_ids;

/* Makes a webhook, then a number of new leads. */
uint64_t make_due(struct world *w, size_t count);
/* Leases free shards for an owner; returns all those that it has. */
uint64_t lease(struct world *w, const unsigned char *owner, int64_t lease_ms);
/* Fetches the oldest deliveries of a webhook. The first owner leases the shards, unless the other one does. */
struct due_deliveries fetch(struct world *w, uint64_t webhook, size_t rows);
/* As fetch, for any request. */
struct due_deliveries fetch_request(struct world *w, struct due_request *request, const struct id_set *under_way);
/* The outcome of the next attempt; a status of 0 is a timeout. */
struct delivery_outcome outcome_of(const struct due_delivery *delivery, enum delivery_state state, int status);
/* Records outcomes for the first owner. Returns how many of them were stale. */
size_t record_outcomes(struct world *w, struct delivery_outcome *outcomes, size_t count);
