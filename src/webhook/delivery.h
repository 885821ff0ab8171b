/* SPDX-License-Identifier: MIT
 * The words of a delivery that store and deliver share: states, shards, ids. */
#ifndef LEADHOOK_WEBHOOK_DELIVERY_H
#define LEADHOOK_WEBHOOK_DELIVERY_H

#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"

/* As in the schema's enums, but for what is never stored. */
enum webhook_state {
	WEBHOOK_ACTIVE,
	WEBHOOK_DISABLED, /* its deliveries wait */
	WEBHOOK_GONE,     /* the receiver answered 410: nothing is kept, nothing is made */
	WEBHOOK_MISSING   /* removed; never stored */
};

enum delivery_state {
	DELIVERY_PENDING, /* has a row of `due`; never stored */
	DELIVERY_DELIVERED,
	DELIVERY_FAILED
};

/* "pending", …: the schema's and the command's words. */
const char *delivery_state_name(enum delivery_state state);
/* What the webhook's owner is told: "active", "failing" (every attempt since `failing_since_ms` failed; -1: none did) or
 * "disabled". */
const char *webhook_shown_state(enum webhook_state state, int64_t failing_since_ms);
/* False when the word is none of them. */
MUST_CHECK bool webhook_state_parse(struct slice name, enum webhook_state *state);
MUST_CHECK bool delivery_state_parse(struct slice name, enum delivery_state *state);

enum { DELIVERY_SHARDS = 64 };
/* Which shard works a webhook: 0..63, the same for ever. */
unsigned webhook_shard(uint64_t webhook_id);

/* Ids of history rows carry the UTC day of `now_ms` from bit 36 on, above a number that came from a block: 52 bits in all, so
 * that they are exact in any JSON reader. An event's deliveries are counted on from its id; where the number is at its end they
 * run over into the next day, where nobody else has these ids, because the numbers go on behind theirs. */
uint64_t history_id(int64_t now_ms, uint64_t number);
/* The lowest id of the day that `ms` lies in. */
uint64_t history_id_floor(int64_t ms);
/* The day that an id carries, counted from 1970-01-01; and its first millisecond. */
uint64_t history_day(uint64_t id);
int64_t history_day_ms(uint64_t day);

/* The webhook-id header: stable over retries, unique for event and webhook, also among installations that share a receiver. */
struct slice delivery_message_id(struct pool *pool, struct slice installation_id, uint64_t delivery_id);
/* The same of one that no table has: a trial of `webhook test`. `random` tells trials apart. */
struct slice delivery_test_message_id(struct pool *pool, struct slice installation_id, struct slice random);

#endif
