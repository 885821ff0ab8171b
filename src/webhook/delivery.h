/* SPDX-License-Identifier: MIT
 * States, shards and ids of webhooks and deliveries, for all layers. */
#pragma once

#include <stdint.h>

#include "base/pool.h"

/* The order is that of the schema's enums; some values are never stored. */
enum webhook_state {
	WEBHOOK_ACTIVE,
	WEBHOOK_DISABLED, /* stopped: its deliveries wait */
	WEBHOOK_GONE,     /* the receiver answered 410: its deliveries wait, too */
	WEBHOOK_MISSING   /* deleted; never stored */
};

enum delivery_state {
	DELIVERY_PENDING, /* has a row in `due`; never stored */
	DELIVERY_DELIVERED,
	DELIVERY_FAILED
};

/* The answer to the last attempt of a delivery; never stored. */
enum answer_class {
	ANY_ANSWER,
	ANSWER_1XX, /* a complete answer with a status from 100 to 199; the next four likewise */
	ANSWER_2XX,
	ANSWER_3XX,
	ANSWER_4XX,
	ANSWER_5XX,
	NO_ANSWER /* no answer, or an incomplete one */
};

/* "pending", …: as in the schema and in the output of the command. */
const char *delivery_state_name(enum delivery_state state);
/* As shown to the webhook's owner: "active", "failing" (every attempt since `failing_since_ms` failed; -1: none) or
 * "disabled". */
const char *webhook_shown_state(enum webhook_state state, int64_t failing_since_ms);
/* "1xx", …, "error"; absent for ANY_ANSWER. */
struct slice answer_class_name(enum answer_class answer);
/* Returns false for any other name. */
MUST_CHECK bool webhook_state_parse(struct slice name, enum webhook_state *state);
MUST_CHECK bool delivery_state_parse(struct slice name, enum delivery_state *state);
MUST_CHECK bool answer_class_parse(struct slice name, enum answer_class *answer);

enum { DELIVERY_SHARDS = 64 };
/* The webhook's shard, 0..63; never changes. */
unsigned webhook_shard(uint64_t webhook_id);

/* The id of a history row contains the UTC day of `now_ms` from bit 36 on, and below it a number from a reserved block: 52 bits
 * in all, so that every JSON parser reads it exactly. The ids of an event's deliveries follow its own. At the end of the range
 * of numbers they overflow into the next day, where they are unique because that day's numbers are higher. */
uint64_t history_id(int64_t now_ms, uint64_t number);
/* The lowest id of the day that includes `ms`. */
uint64_t history_id_floor(int64_t ms);
/* The day in the id, counted from 1970-01-01, and its first millisecond. */
uint64_t history_day(uint64_t id);
int64_t history_day_ms(uint64_t day);

/* Compares ids, or structs that begin with one, for qsort. */
int compare_ids(const void *left, const void *right);
/* Ids in ascending order. */
struct id_set {
	const uint64_t *ids;
	size_t count;
};
/* Sorts the ids. */
struct id_set id_set(uint64_t *ids, size_t count);
MUST_CHECK bool id_set_contains(const struct id_set *set, uint64_t id);

/* The webhook-id header: stable over retries, unique for event and webhook, also among installations that share a receiver. */
struct slice delivery_message_id(struct pool *pool, struct slice installation_id, uint64_t delivery_id);
/* The webhook-id header of a test delivery (`webhook test`), which is not stored. `random` makes it unique. */
struct slice delivery_test_message_id(struct pool *pool, struct slice installation_id, struct slice random);
