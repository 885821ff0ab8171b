/* SPDX-License-Identifier: MIT */
#include "deliver/turns.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/pool.h"

enum { BUCKETS = 1024 };

struct known_webhook {
	uint64_t id;
	size_t in_flight;
	struct due_request *request; /* while turns_take runs: where it asks */
	size_t asked, started;       /* since the last turns_take */
	int64_t silent_until_ms;
	bool in_ring;
	TAILQ_ENTRY(known_webhook) ring;
	SLIST_ENTRY(known_webhook) chain; /* of its bucket, or of the unused ones */
};

SLIST_HEAD(chain, known_webhook);
TAILQ_HEAD(ring, known_webhook);

struct turns {
	size_t limit, turn;
	struct ring ring; /* the first is next */
	size_t ring_size;
	struct chain buckets[BUCKETS];
	struct chain unused;
	struct known_webhook *webhooks;
};

struct turns *
turns_new(size_t webhooks, size_t in_flight, size_t turn)
{
	struct turns *turns = memory_alloc(sizeof(*turns));
	turns->limit = in_flight;
	turns->turn = turn;
	TAILQ_INIT(&turns->ring);
	turns->webhooks = memory_alloc(webhooks * sizeof(*turns->webhooks));
	for (size_t i = webhooks; i > 0; i--)
		SLIST_INSERT_HEAD(&turns->unused, &turns->webhooks[i - 1], chain);
	return turns;
}

void
turns_free(struct turns **turns)
{
	if (*turns == NULL)
		return;
	free((*turns)->webhooks);
	free(*turns);
	*turns = NULL;
}

static struct chain *
bucket_of(struct turns *turns, uint64_t webhook_id)
{
	return &turns->buckets[webhook_id % BUCKETS];
}

static struct known_webhook *
find(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook;
	SLIST_FOREACH(webhook, bucket_of(turns, webhook_id), chain)
	if (webhook->id == webhook_id)
		return webhook;
	return NULL;
}

/* NULL when there is no room. */
static struct known_webhook *
find_or_add(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = find(turns, webhook_id);
	if (webhook != NULL || SLIST_EMPTY(&turns->unused))
		return webhook;
	webhook = SLIST_FIRST(&turns->unused);
	SLIST_REMOVE_HEAD(&turns->unused, chain);
	*webhook = (struct known_webhook){ .id = webhook_id };
	SLIST_INSERT_HEAD(bucket_of(turns, webhook_id), webhook, chain);
	return webhook;
}

static void
forget_if_idle(struct turns *turns, struct known_webhook *webhook)
{
	if (webhook->in_ring || webhook->in_flight > 0)
		return;
	SLIST_REMOVE(bucket_of(turns, webhook->id), webhook, known_webhook, chain);
	SLIST_INSERT_HEAD(&turns->unused, webhook, chain);
}

static void
leave_ring(struct turns *turns, struct known_webhook *webhook)
{
	if (!webhook->in_ring)
		return;
	TAILQ_REMOVE(&turns->ring, webhook, ring);
	turns->ring_size--;
	webhook->in_ring = false;
}

void
turns_offer(struct turns *turns, uint64_t webhook_id, int64_t now_ms)
{
	struct known_webhook *webhook = find_or_add(turns, webhook_id);
	if (webhook == NULL || webhook->in_ring || now_ms < webhook->silent_until_ms)
		return;
	TAILQ_INSERT_TAIL(&turns->ring, webhook, ring);
	turns->ring_size++;
	webhook->in_ring = true;
}

bool
turns_waiting(const struct turns *turns)
{
	const struct known_webhook *webhook;
	TAILQ_FOREACH(webhook, &turns->ring, ring)
	if (webhook->in_flight < turns->limit)
		return true;
	return false;
}

/* How many deliveries a turn of this webhook gives it. */
static size_t
rows_of_turn(const struct turns *turns, const struct known_webhook *webhook, size_t slots)
{
	size_t taken = webhook->in_flight + webhook->asked;
	size_t rows = taken < turns->limit ? turns->limit - taken : 0;
	rows = rows < turns->turn ? rows : turns->turn;
	return rows < slots ? rows : slots;
}

size_t
turns_take(struct turns *turns, size_t slots, struct due_request *requests)
{
	struct known_webhook *webhook;
	size_t count = 0;
	TAILQ_FOREACH(webhook, &turns->ring, ring)
	{
		webhook->request = NULL;
		webhook->asked = webhook->started = 0;
	}
	/* Ends when the slots are given out, or when a whole round gave out none. */
	for (size_t passed = 0; slots > 0 && passed < turns->ring_size;) {
		webhook = TAILQ_FIRST(&turns->ring);
		TAILQ_REMOVE(&turns->ring, webhook, ring);
		TAILQ_INSERT_TAIL(&turns->ring, webhook, ring);
		size_t rows = rows_of_turn(turns, webhook, slots);
		passed = rows == 0 ? passed + 1 : 0;
		if (rows == 0)
			continue;
		if (webhook->request == NULL)
			webhook->request = &requests[count++];
		webhook->asked += rows;
		*webhook->request = (struct due_request){ .webhook_id = webhook->id, .rows = webhook->asked };
		slots -= rows;
	}
	return count;
}

bool
turns_silence(struct turns *turns, uint64_t webhook_id, int64_t until_ms)
{
	struct known_webhook *webhook = find(turns, webhook_id);
	if (webhook == NULL || until_ms <= webhook->silent_until_ms)
		return false;
	webhook->silent_until_ms = until_ms;
	leave_ring(turns, webhook);
	forget_if_idle(turns, webhook);
	return true;
}

/* A delivery is claimed only for a webhook in the ring, and the webhook is kept until the last one has ended: without it the
 * counts would be wrong for good. */
static struct known_webhook *
must_find(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = find(turns, webhook_id);
	if (webhook == NULL)
		abort();
	return webhook;
}

void
turns_started(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	webhook->in_flight++;
	webhook->started++;
}

void
turns_ended(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	webhook->in_flight--;
	forget_if_idle(turns, webhook);
}

void
turns_settle(struct turns *turns)
{
	struct known_webhook *next;
	for (struct known_webhook *webhook = TAILQ_FIRST(&turns->ring); webhook != NULL; webhook = next) {
		next = TAILQ_NEXT(webhook, ring);
		if (webhook->started >= webhook->asked)
			continue;
		leave_ring(turns, webhook);
		forget_if_idle(turns, webhook);
	}
}
