/* SPDX-License-Identifier: MIT */
#include "webhook/delivery.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/encode.h"

static const struct slice webhook_states[] = {
	[WEBHOOK_ACTIVE] = SLICE("active"),
	[WEBHOOK_DISABLED] = SLICE("disabled"),
	[WEBHOOK_GONE] = SLICE("gone"),
};

static const struct slice delivery_states[] = {
	[DELIVERY_PENDING] = SLICE("pending"),
	[DELIVERY_DELIVERED] = SLICE("delivered"),
	[DELIVERY_FAILED] = SLICE("failed"),
};

static const struct slice answer_classes[] = {
	[ANY_ANSWER] = { NULL, 0 },
	[ANSWER_1XX] = SLICE("1xx"),
	[ANSWER_2XX] = SLICE("2xx"),
	[ANSWER_3XX] = SLICE("3xx"),
	[ANSWER_4XX] = SLICE("4xx"),
	[ANSWER_5XX] = SLICE("5xx"),
	[NO_ANSWER] = SLICE("error"),
};

const char *
webhook_shown_state(enum webhook_state state, int64_t failing_since_ms)
{
	if (state != WEBHOOK_ACTIVE)
		return "disabled";
	return failing_since_ms >= 0 ? "failing" : "active";
}

const char *
delivery_state_name(enum delivery_state state)
{
	return delivery_states[state].data;
}

bool
webhook_state_parse(struct slice name, enum webhook_state *state)
{
	*state = (enum webhook_state)slice_place_in(name, webhook_states, ARRAY_SIZE(webhook_states));
	return *state < ARRAY_SIZE(webhook_states);
}

bool
delivery_state_parse(struct slice name, enum delivery_state *state)
{
	*state = (enum delivery_state)slice_place_in(name, delivery_states, ARRAY_SIZE(delivery_states));
	return *state < ARRAY_SIZE(delivery_states);
}

struct slice
answer_class_name(enum answer_class answer)
{
	return answer_classes[answer];
}

bool
answer_class_parse(struct slice name, enum answer_class *answer)
{
	*answer = (enum answer_class)slice_place_in(name, answer_classes, ARRAY_SIZE(answer_classes));
	return *answer != ANY_ANSWER && *answer < ARRAY_SIZE(answer_classes);
}

unsigned
webhook_shard(uint64_t webhook_id)
{
	/* Fibonacci hashing: spreads consecutive ids, such as those of one busy campaign */
	return (unsigned)(webhook_id * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

enum { NUMBER_BITS = 36 };

uint64_t
history_id(int64_t now_ms, uint64_t number)
{
	return history_id_floor(now_ms) | (number & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

uint64_t
history_id_floor(int64_t ms)
{
	return (uint64_t)(ms / DAY_MS) << NUMBER_BITS;
}

uint64_t
history_day(uint64_t id)
{
	return id >> NUMBER_BITS;
}

int64_t
history_day_ms(uint64_t day)
{
	return (int64_t)day * DAY_MS;
}

int
compare_ids(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

struct id_set
id_set(uint64_t *ids, size_t count)
{
	if (count > 0)
		qsort(ids, count, sizeof(*ids), compare_ids);
	return (struct id_set){ ids, count };
}

bool
id_set_contains(const struct id_set *set, uint64_t id)
{
	return set->count > 0 && bsearch(&id, set->ids, set->count, sizeof(id), compare_ids) != NULL;
}

struct slice
delivery_message_id(struct pool *pool, struct slice installation_id, uint64_t delivery_id)
{
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { SLICE("msg_"), installation_id, SLICE("_"), encode_decimal(delivery_id, digits) };
	return pool_join(pool, pieces, ARRAY_SIZE(pieces));
}

struct slice
delivery_test_message_id(struct pool *pool, struct slice installation_id, struct slice random)
{
	return pool_printf(pool, "msg_%.*s_test_%.*s", SLICE_ARGS(installation_id), SLICE_ARGS(encode_hex(pool, random)));
}
