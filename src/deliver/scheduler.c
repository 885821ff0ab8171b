/* SPDX-License-Identifier: MIT */
#include "deliver/scheduler.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/panic.h"
#include "base/pool.h"

enum { BUCKETS = 4096, RATE_BURSTS = 10 /* of a second */, US_PER_MS = 1000, US_PER_S = 1000000 };

/* The state of a webhook, and the list that it is in. */
enum state {
	STATE_IDLE, /* nothing due, nothing under way; stored for its concurrency and rate; the first is evicted first */
	STATE_BUSY, /* something under way; as many as its concurrency */
	STATE_RATE_LIMITED, /* rate-limited */
	STATE_HEALTHY,      /* healthy, ready to send; the first is next */
	STATE_ON_PROBATION, /* on probation, ready to send; shares half of the slots */
	STATES
};

struct webhook_entry {
	uint64_t id;
	struct health health;
	bool due;       /* has due deliveries, according to the last poll */
	bool succeeded; /* at least once */
	size_t in_flight;
	unsigned rate;
	int64_t due_from_ms; /* all deliveries that are due before have been claimed */
	struct due_rows ahead;
	int64_t limited_until_us; /* when the deliveries so far end, at one per 1/rate s */
	int64_t held_until_ms;
	struct due_request *request; /* its request, during scheduler_take */
	size_t requested, started;   /* since the last scheduler_take */
	enum state state;
	TAILQ_ENTRY(webhook_entry) list;
	SLIST_ENTRY(webhook_entry) chain; /* of its bucket */
	TAILQ_ENTRY(webhook_entry) requesting;
};

SLIST_HEAD(chain, webhook_entry);
TAILQ_HEAD(webhook_list, webhook_entry);

struct scheduler {
	struct scheduler_limits limits;
	const struct health_rules *rules;
	struct webhook_entry *webhooks;
	size_t used; /* slots used by webhooks on probation */
	struct webhook_list lists[STATES];
	struct webhook_list requesting; /* had requests in the last scheduler_take */
	struct chain buckets[BUCKETS];
	size_t probation_in_flight;
	bool probation_next; /* serves the probation list next */
};

struct scheduler *
scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules)
{
	struct scheduler *scheduler = memory_alloc(sizeof(*scheduler));
	scheduler->limits = *limits;
	scheduler->rules = rules;
	scheduler->webhooks = memory_alloc(limits->webhooks * sizeof(*scheduler->webhooks));
	for (size_t i = 0; i < STATES; i++)
		TAILQ_INIT(&scheduler->lists[i]);
	TAILQ_INIT(&scheduler->requesting);
	return scheduler;
}

void
scheduler_free(struct scheduler **scheduler)
{
	if (*scheduler == NULL)
		return;
	free((*scheduler)->webhooks);
	free(*scheduler);
	*scheduler = NULL;
}

static struct webhook_entry *
find(const struct scheduler *scheduler, uint64_t webhook_id)
{
	struct webhook_entry *webhook;
	SLIST_FOREACH(webhook, &scheduler->buckets[webhook_id % BUCKETS], chain)
	if (webhook->id == webhook_id)
		return webhook;
	return NULL;
}

/* Deliveries are claimed only for webhooks in a list, and an entry stays until its last delivery has ended. Without the entry
 * the counts would stay wrong. */
static struct webhook_entry *
must_find(const struct scheduler *scheduler, uint64_t webhook_id)
{
	struct webhook_entry *webhook = find(scheduler, webhook_id);
	if (webhook == NULL)
		panic("an unknown webhook");
	return webhook;
}

/* ---- states ---- */

static bool
is_on_probation(const struct webhook_entry *webhook)
{
	return !webhook->succeeded || webhook->health.failures > 0;
}

/* count_out and count_in enclose every change of `in_flight` and of health. */
static void
count_out(struct scheduler *scheduler, const struct webhook_entry *webhook)
{
	if (is_on_probation(webhook))
		scheduler->probation_in_flight -= webhook->in_flight;
}

static void
count_in(struct scheduler *scheduler, const struct webhook_entry *webhook)
{
	if (is_on_probation(webhook))
		scheduler->probation_in_flight += webhook->in_flight;
}

/* Deliveries that the rate limit allows now: those of a tenth of a second, at least one. */
static size_t
rate_allows(const struct webhook_entry *webhook, int64_t now_ms)
{
	if (webhook->rate == 0)
		return SIZE_MAX;
	const int64_t each_us = US_PER_S / (int64_t)webhook->rate;
	const int64_t burst = webhook->rate < RATE_BURSTS ? 1 : webhook->rate / RATE_BURSTS;
	const int64_t ahead_us = webhook->limited_until_us - now_ms * US_PER_MS;
	if (ahead_us <= 0)
		return (size_t)burst;
	return (size_t)((burst * each_us - ahead_us) / each_us > 0 ? (burst * each_us - ahead_us) / each_us : 0);
}

/* When the rate limit allows the next delivery. */
static int64_t
rate_next_ms(const struct webhook_entry *webhook)
{
	const int64_t each_us = US_PER_S / (int64_t)webhook->rate;
	const int64_t burst = webhook->rate < RATE_BURSTS ? 1 : webhook->rate / RATE_BURSTS;
	return (webhook->limited_until_us - (burst - 1) * each_us + US_PER_MS - 1) / US_PER_MS;
}

static enum state
state_of(const struct scheduler *scheduler, const struct webhook_entry *webhook, int64_t now_ms)
{
	if (!webhook->due)
		return webhook->in_flight > 0 ? STATE_BUSY : STATE_IDLE;
	if (health_allows(scheduler->rules, &webhook->health, webhook->in_flight + webhook->requested, now_ms) == 0)
		return STATE_BUSY;
	if (rate_allows(webhook, now_ms) <= webhook->requested)
		return STATE_RATE_LIMITED;
	return is_on_probation(webhook) ? STATE_ON_PROBATION : STATE_HEALTHY;
}

/* While a webhook is held, the database reports it as due again when the hold ends. */
static bool
is_held(const struct webhook_entry *webhook, int64_t now_ms)
{
	return now_ms < webhook->held_until_ms || now_ms < webhook->health.probe_at_ms;
}

/* Moves the webhook to the list of its state; to the end, if that is another list. */
static void
requeue(struct scheduler *scheduler, struct webhook_entry *webhook, int64_t now_ms)
{
	if (is_held(webhook, now_ms))
		webhook->due = false;
	enum state state = state_of(scheduler, webhook, now_ms);
	if (state == webhook->state)
		return;
	TAILQ_REMOVE(&scheduler->lists[webhook->state], webhook, list);
	TAILQ_INSERT_TAIL(&scheduler->lists[state], webhook, list);
	webhook->state = state;
}

/* Adds an entry for an unknown webhook. Returns NULL when the table is full. */
static struct webhook_entry *
add(struct scheduler *scheduler, uint64_t webhook_id)
{
	struct webhook_entry *webhook = TAILQ_FIRST(&scheduler->lists[STATE_IDLE]);
	if (scheduler->used < scheduler->limits.webhooks) {
		webhook = &scheduler->webhooks[scheduler->used++];
	} else if (webhook != NULL) {
		TAILQ_REMOVE(&scheduler->lists[STATE_IDLE], webhook, list);
		SLIST_REMOVE(&scheduler->buckets[webhook->id % BUCKETS], webhook, webhook_entry, chain);
	} else {
		return NULL;
	}
	*webhook = (struct webhook_entry){ .id = webhook_id, .state = STATE_IDLE };
	webhook->health = health_begin(scheduler->rules, 0, 0, -1);
	TAILQ_INSERT_TAIL(&scheduler->lists[STATE_IDLE], webhook, list);
	SLIST_INSERT_HEAD(&scheduler->buckets[webhook_id % BUCKETS], webhook, chain);
	return webhook;
}

/* Takes over the values of the database, which the operator or another dispatcher may have changed; not the concurrency. */
static void
refresh(struct scheduler *scheduler, struct webhook_entry *webhook, const struct due_webhook *found)
{
	struct health fresh = health_begin(scheduler->rules, found->failures, found->probes, found->failing_since_ms);
	fresh.concurrency = webhook->health.concurrency;
	webhook->health = fresh;
	webhook->succeeded = found->succeeded;
	webhook->held_until_ms = 0;
}

void
scheduler_offer(struct scheduler *scheduler, const struct due_webhook *found, int64_t now_ms)
{
	struct webhook_entry *webhook = find(scheduler, found->webhook_id);
	if (webhook == NULL)
		webhook = add(scheduler, found->webhook_id);
	if (webhook == NULL)
		return;
	if (webhook->in_flight == 0)
		refresh(scheduler, webhook, found);
	webhook->rate = found->rate;
	if (!webhook->due || found->first_due_ms < webhook->due_from_ms) {
		webhook->due_from_ms = found->first_due_ms;
		webhook->ahead.at = webhook->ahead.count = 0;
	}
	webhook->due = true;
	requeue(scheduler, webhook, now_ms);
}

void
scheduler_retain(struct scheduler *scheduler, uint64_t shards, int64_t now_ms)
{
	for (size_t i = 0; i < scheduler->used; i++) {
		struct webhook_entry *webhook = &scheduler->webhooks[i];
		if ((shards & UINT64_C(1) << webhook_shard(webhook->id)) != 0)
			continue;
		webhook->due = false;
		requeue(scheduler, webhook, now_ms);
	}
}

/* ---- allocation of slots ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The unused part of the slots for webhooks on probation. */
static size_t
left_for_probation(const struct scheduler *scheduler)
{
	const size_t share = scheduler->limits.slots > 1 ? scheduler->limits.slots / 2 : 1;
	return scheduler->probation_in_flight < share ? share - scheduler->probation_in_flight : 0;
}

/* True when so few slots are left that only webhooks with nothing under way get one. */
static bool
are_scarce(const struct scheduler *scheduler, size_t slots)
{
	return slots <= scheduler->limits.slots / 4;
}

/* Returns the next webhook of a list that has `slots` slots left, or NULL. Few are skipped: each of those has something under
 * way. */
static struct webhook_entry *
next_in(const struct scheduler *scheduler, enum state state, size_t slots)
{
	struct webhook_entry *webhook;
	if (slots == 0)
		return NULL;
	TAILQ_FOREACH(webhook, &scheduler->lists[state], list)
	if (!are_scarce(scheduler, slots) || webhook->in_flight + webhook->requested == 0)
		return webhook;
	return NULL;
}

static struct webhook_entry *
next(const struct scheduler *scheduler, size_t slots, size_t probation_slots)
{
	struct webhook_entry *healthy = next_in(scheduler, STATE_HEALTHY, slots);
	struct webhook_entry *other = next_in(scheduler, STATE_ON_PROBATION, least(slots, probation_slots));
	return other != NULL && (healthy == NULL || scheduler->probation_next) ? other : healthy;
}

/* Moves webhooks whose rate limit allows a delivery again. */
static void
requeue_rate_limited(struct scheduler *scheduler, int64_t now_ms)
{
	struct webhook_entry *following;
	for (struct webhook_entry *webhook = TAILQ_FIRST(&scheduler->lists[STATE_RATE_LIMITED]); webhook != NULL;
	     webhook = following) {
		following = TAILQ_NEXT(webhook, list);
		requeue(scheduler, webhook, now_ms);
	}
}

int64_t
scheduler_next_ms(struct scheduler *scheduler, size_t slots, int64_t now_ms)
{
	int64_t first = CLOCK_NEVER;
	if (slots == 0)
		return CLOCK_NEVER;
	requeue_rate_limited(scheduler, now_ms);
	if (next(scheduler, slots, left_for_probation(scheduler)) != NULL)
		return now_ms;
	const struct webhook_entry *webhook;
	TAILQ_FOREACH(webhook, &scheduler->lists[STATE_RATE_LIMITED], list)
	first = rate_next_ms(webhook) < first ? rate_next_ms(webhook) : first;
	return first;
}

bool
scheduler_waiting(const struct scheduler *scheduler)
{
	return !TAILQ_EMPTY(&scheduler->lists[STATE_HEALTHY]) || !TAILQ_EMPTY(&scheduler->lists[STATE_ON_PROBATION]) ||
	       !TAILQ_EMPTY(&scheduler->lists[STATE_RATE_LIMITED]);
}

/* Deliveries that this webhook gets in its turn. */
static size_t
rows_of_turn(const struct scheduler *scheduler, const struct webhook_entry *webhook, size_t slots, size_t probation_slots,
    int64_t now_ms)
{
	size_t rows = health_allows(scheduler->rules, &webhook->health, webhook->in_flight + webhook->requested, now_ms);
	rows = least(rows, rate_allows(webhook, now_ms) - webhook->requested);
	rows = least(rows, scheduler->limits.turn);
	const size_t left = is_on_probation(webhook) ? least(slots, probation_slots) : slots;
	return least(rows, are_scarce(scheduler, left) ? 1 : left - scheduler->limits.slots / 4);
}

size_t
scheduler_take(struct scheduler *scheduler, size_t slots, size_t most, int64_t now_ms, struct due_request *requests)
{
	struct webhook_entry *webhook;
	size_t count = 0, probation_slots = left_for_probation(scheduler);
	TAILQ_INIT(&scheduler->requesting);
	requeue_rate_limited(scheduler, now_ms);
	while (most > 0 && (webhook = next(scheduler, slots, probation_slots)) != NULL) {
		const size_t rows = least(most, rows_of_turn(scheduler, webhook, slots, probation_slots, now_ms));
		if (rows == 0) { /* the clock was set back since the webhook got its state */
			requeue(scheduler, webhook, now_ms);
			continue;
		}
		if (webhook->requested == 0) {
			webhook->request = &requests[count++];
			webhook->started = 0;
			TAILQ_INSERT_TAIL(&scheduler->requesting, webhook, requesting);
		}
		webhook->requested += rows;
		*webhook->request = (struct due_request){ .webhook_id = webhook->id,
			.rows = webhook->requested,
			.ahead = &webhook->ahead,
			.from_ms = webhook->due_from_ms };
		slots -= rows;
		most -= rows;
		probation_slots -= is_on_probation(webhook) ? rows : 0;
		scheduler->probation_next = !is_on_probation(webhook);
		TAILQ_REMOVE(&scheduler->lists[webhook->state], webhook, list);
		TAILQ_INSERT_TAIL(&scheduler->lists[webhook->state], webhook, list);
		requeue(scheduler, webhook, now_ms);
	}
	return count;
}

void
scheduler_started(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms)
{
	struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	count_out(scheduler, webhook);
	webhook->in_flight++;
	count_in(scheduler, webhook);
	webhook->started++;
	health_start(scheduler->rules, &webhook->health);
	if (webhook->rate > 0) {
		const int64_t now_us = now_ms * US_PER_MS;
		const int64_t from_us = webhook->limited_until_us > now_us ? webhook->limited_until_us : now_us;
		webhook->limited_until_us = from_us + US_PER_S / (int64_t)webhook->rate;
	}
}

void
scheduler_taken(struct scheduler *scheduler, int64_t now_ms)
{
	struct webhook_entry *webhook;
	TAILQ_FOREACH(webhook, &scheduler->requesting, requesting)
	{
		if (webhook->started < webhook->requested)
			webhook->due = false;
		webhook->due_from_ms = webhook->request->last_ms;
		webhook->requested = 0;
		requeue(scheduler, webhook, now_ms);
	}
	TAILQ_INIT(&scheduler->requesting);
}

/* ---- results ---- */

enum health_change
scheduler_attempted(struct scheduler *scheduler, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health)
{
	struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	require(webhook->in_flight > 0);
	count_out(scheduler, webhook);
	enum health_change change = health_end(scheduler->rules, &webhook->health, success, now_ms);
	webhook->succeeded = webhook->succeeded || success;
	count_in(scheduler, webhook);
	requeue(scheduler, webhook, now_ms);
	*health = webhook->health;
	return change;
}

struct health
scheduler_health(const struct scheduler *scheduler, uint64_t webhook_id)
{
	const struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	require(webhook->in_flight > 0);
	return webhook->health;
}

bool
scheduler_hold(struct scheduler *scheduler, uint64_t webhook_id, int64_t until_ms)
{
	struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	if (until_ms <= webhook->held_until_ms)
		return false;
	webhook->held_until_ms = until_ms;
	requeue(scheduler, webhook, 0);
	return true;
}

int64_t
scheduler_held_until_ms(const struct scheduler *scheduler, uint64_t webhook_id)
{
	const struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	return webhook->held_until_ms > webhook->health.probe_at_ms ? webhook->held_until_ms : webhook->health.probe_at_ms;
}

void
scheduler_ended(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms)
{
	struct webhook_entry *webhook = must_find(scheduler, webhook_id);
	count_out(scheduler, webhook);
	require(webhook->in_flight > 0);
	webhook->in_flight--;
	count_in(scheduler, webhook);
	requeue(scheduler, webhook, now_ms);
}
