/* SPDX-License-Identifier: MIT */
#include "deliver/scheduler.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/panic.h"
#include "base/pool.h"

enum { BUCKETS = 4096, RATE_BURSTS = 10 /* a second */, US_PER_MS = 1000, US_PER_S = 1000000 };

/* Where a known webhook stands; it is in the list of that name. */
enum place {
	PLACE_IDLE,     /* nothing due, nothing under way: known for its window and rate; the first is forgotten first */
	PLACE_BUSY,     /* something under way, and it may have no more */
	PLACE_PACED,    /* its rate lets nothing through now */
	PLACE_TRUSTED,  /* waits for its turn; the first is next */
	PLACE_DOUBTFUL, /* the same, among those that share half of the slots */
	PLACES
};

struct known_webhook {
	uint64_t id;
	struct health health;
	bool due;       /* has something, as far as we know */
	bool succeeded; /* ever */
	size_t in_flight;
	unsigned rate;
	int64_t due_from_ms; /* nothing that is due before is left */
	struct due_rows ahead;
	int64_t paced_until_us; /* its deliveries so far, one each 1/rate s, go that far */
	int64_t silent_until_ms;
	struct due_request *request; /* while scheduler_take runs: where it asks */
	size_t asked, started;       /* since the last scheduler_take */
	enum place place;
	TAILQ_ENTRY(known_webhook) list;
	SLIST_ENTRY(known_webhook) chain; /* of its bucket */
	TAILQ_ENTRY(known_webhook) asking;
};

SLIST_HEAD(chain, known_webhook);
TAILQ_HEAD(webhook_list, known_webhook);

struct scheduler {
	struct scheduler_limits limits;
	const struct health_rules *rules;
	struct known_webhook *webhooks;
	size_t used; /* of them */
	struct webhook_list places[PLACES];
	struct webhook_list asking; /* had requests in the last scheduler_take */
	struct chain buckets[BUCKETS];
	size_t doubtful_in_flight;
	bool doubtful_next; /* of the two that wait, in turn */
};

struct scheduler *
scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules)
{
	struct scheduler *scheduler = memory_alloc(sizeof(*scheduler));
	scheduler->limits = *limits;
	scheduler->rules = rules;
	scheduler->webhooks = memory_alloc(limits->webhooks * sizeof(*scheduler->webhooks));
	for (size_t i = 0; i < PLACES; i++)
		TAILQ_INIT(&scheduler->places[i]);
	TAILQ_INIT(&scheduler->asking);
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

static struct known_webhook *
find(const struct scheduler *scheduler, uint64_t webhook_id)
{
	struct known_webhook *webhook;
	SLIST_FOREACH(webhook, &scheduler->buckets[webhook_id % BUCKETS], chain)
	if (webhook->id == webhook_id)
		return webhook;
	return NULL;
}

/* A delivery is claimed only for a webhook that waits, and the webhook is known until the last one has ended: without it the
 * counts would be wrong for good. */
static struct known_webhook *
must_find(const struct scheduler *scheduler, uint64_t webhook_id)
{
	struct known_webhook *webhook = find(scheduler, webhook_id);
	if (webhook == NULL)
		panic("an unknown webhook");
	return webhook;
}

/* ---- who is where ---- */

static bool
is_on_probation(const struct known_webhook *webhook)
{
	return !webhook->succeeded || webhook->health.failures > 0;
}

/* Around every change of what is under way, or of how a webhook fares. */
static void
count_out(struct scheduler *scheduler, const struct known_webhook *webhook)
{
	if (is_on_probation(webhook))
		scheduler->doubtful_in_flight -= webhook->in_flight;
}

static void
count_in(struct scheduler *scheduler, const struct known_webhook *webhook)
{
	if (is_on_probation(webhook))
		scheduler->doubtful_in_flight += webhook->in_flight;
}

/* Deliveries that its rate lets through now: those of a tenth of a second together, at least one. */
static size_t
rate_allows(const struct known_webhook *webhook, int64_t now_ms)
{
	if (webhook->rate == 0)
		return SIZE_MAX;
	const int64_t each_us = US_PER_S / (int64_t)webhook->rate;
	const int64_t burst = webhook->rate < RATE_BURSTS ? 1 : webhook->rate / RATE_BURSTS;
	const int64_t ahead_us = webhook->paced_until_us - now_ms * US_PER_MS;
	if (ahead_us <= 0)
		return (size_t)burst;
	return (size_t)((burst * each_us - ahead_us) / each_us > 0 ? (burst * each_us - ahead_us) / each_us : 0);
}

/* When it lets the next one through. */
static int64_t
rate_next_ms(const struct known_webhook *webhook)
{
	const int64_t each_us = US_PER_S / (int64_t)webhook->rate;
	const int64_t burst = webhook->rate < RATE_BURSTS ? 1 : webhook->rate / RATE_BURSTS;
	return (webhook->paced_until_us - (burst - 1) * each_us + US_PER_MS - 1) / US_PER_MS;
}

static enum place
place_of(const struct scheduler *scheduler, const struct known_webhook *webhook, int64_t now_ms)
{
	if (!webhook->due)
		return webhook->in_flight > 0 ? PLACE_BUSY : PLACE_IDLE;
	if (health_allows(scheduler->rules, &webhook->health, webhook->in_flight + webhook->asked, now_ms) == 0)
		return PLACE_BUSY;
	if (rate_allows(webhook, now_ms) <= webhook->asked)
		return PLACE_PACED;
	return is_on_probation(webhook) ? PLACE_DOUBTFUL : PLACE_TRUSTED;
}

/* Held: the database goes on knowing that something is due, and tells again when the time has come. */
static bool
is_held(const struct known_webhook *webhook, int64_t now_ms)
{
	return now_ms < webhook->silent_until_ms || now_ms < webhook->health.probe_at_ms;
}

/* Puts it where it belongs; to the end, where that is another place. */
static void
put(struct scheduler *scheduler, struct known_webhook *webhook, int64_t now_ms)
{
	if (is_held(webhook, now_ms))
		webhook->due = false;
	enum place place = place_of(scheduler, webhook, now_ms);
	if (place == webhook->place)
		return;
	TAILQ_REMOVE(&scheduler->places[webhook->place], webhook, list);
	TAILQ_INSERT_TAIL(&scheduler->places[place], webhook, list);
	webhook->place = place;
}

/* An entry for a webhook that is not known; NULL when there is none. */
static struct known_webhook *
add(struct scheduler *scheduler, uint64_t webhook_id)
{
	struct known_webhook *webhook = TAILQ_FIRST(&scheduler->places[PLACE_IDLE]);
	if (scheduler->used < scheduler->limits.webhooks) {
		webhook = &scheduler->webhooks[scheduler->used++];
	} else if (webhook != NULL) {
		TAILQ_REMOVE(&scheduler->places[PLACE_IDLE], webhook, list);
		SLIST_REMOVE(&scheduler->buckets[webhook->id % BUCKETS], webhook, known_webhook, chain);
	} else {
		return NULL;
	}
	*webhook = (struct known_webhook){ .id = webhook_id, .place = PLACE_IDLE };
	webhook->health = health_begin(scheduler->rules, 0, 0, -1);
	TAILQ_INSERT_TAIL(&scheduler->places[PLACE_IDLE], webhook, list);
	SLIST_INSERT_HEAD(&scheduler->buckets[webhook_id % BUCKETS], webhook, chain);
	return webhook;
}

/* What the database knows: its operator may have changed it, or another dispatcher; but for the window. */
static void
refresh(struct scheduler *scheduler, struct known_webhook *webhook, const struct due_webhook *told)
{
	struct health fresh = health_begin(scheduler->rules, told->failures, told->probes, told->failing_since_ms);
	fresh.window = webhook->health.window;
	webhook->health = fresh;
	webhook->succeeded = told->succeeded;
	webhook->silent_until_ms = 0;
}

void
scheduler_offer(struct scheduler *scheduler, const struct due_webhook *told, int64_t now_ms)
{
	struct known_webhook *webhook = find(scheduler, told->webhook_id);
	if (webhook == NULL)
		webhook = add(scheduler, told->webhook_id);
	if (webhook == NULL)
		return;
	if (webhook->in_flight == 0)
		refresh(scheduler, webhook, told);
	webhook->rate = told->rate;
	if (!webhook->due || told->first_due_ms < webhook->due_from_ms) {
		webhook->due_from_ms = told->first_due_ms;
		webhook->ahead.at = webhook->ahead.count = 0;
	}
	webhook->due = true;
	put(scheduler, webhook, now_ms);
}

void
scheduler_retain(struct scheduler *scheduler, uint64_t shards, int64_t now_ms)
{
	for (size_t i = 0; i < scheduler->used; i++) {
		struct known_webhook *webhook = &scheduler->webhooks[i];
		if ((shards & UINT64_C(1) << webhook_shard(webhook->id)) != 0)
			continue;
		webhook->due = false;
		put(scheduler, webhook, now_ms);
	}
}

/* ---- giving out ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A share of the slots for the doubtful, and what is left of it. */
static size_t
left_for_probation(const struct scheduler *scheduler)
{
	const size_t share = scheduler->limits.slots > 1 ? scheduler->limits.slots / 2 : 1;
	return scheduler->doubtful_in_flight < share ? share - scheduler->doubtful_in_flight : 0;
}

/* So few that each webhook may have one alone. */
static bool
are_scarce(const struct scheduler *scheduler, size_t slots)
{
	return slots <= scheduler->limits.slots / 4;
}

/* The one whose turn it is in a list that has so many slots left, or NULL. Those that are passed over are few: each has
 * something under way. */
static struct known_webhook *
next_in(const struct scheduler *scheduler, enum place place, size_t slots)
{
	struct known_webhook *webhook;
	if (slots == 0)
		return NULL;
	TAILQ_FOREACH(webhook, &scheduler->places[place], list)
	if (!are_scarce(scheduler, slots) || webhook->in_flight + webhook->asked == 0)
		return webhook;
	return NULL;
}

static struct known_webhook *
next(const struct scheduler *scheduler, size_t slots, size_t doubtful)
{
	struct known_webhook *trusted = next_in(scheduler, PLACE_TRUSTED, slots);
	struct known_webhook *other = next_in(scheduler, PLACE_DOUBTFUL, least(slots, doubtful));
	return other != NULL && (trusted == NULL || scheduler->doubtful_next) ? other : trusted;
}

/* Those whose rate lets something through again. */
static void
put_rate_limited(struct scheduler *scheduler, int64_t now_ms)
{
	struct known_webhook *following;
	for (struct known_webhook *webhook = TAILQ_FIRST(&scheduler->places[PLACE_PACED]); webhook != NULL;
	     webhook = following) {
		following = TAILQ_NEXT(webhook, list);
		put(scheduler, webhook, now_ms);
	}
}

int64_t
scheduler_next_ms(struct scheduler *scheduler, size_t slots, int64_t now_ms)
{
	int64_t first = CLOCK_NEVER;
	if (slots == 0)
		return CLOCK_NEVER;
	put_rate_limited(scheduler, now_ms);
	if (next(scheduler, slots, left_for_probation(scheduler)) != NULL)
		return now_ms;
	const struct known_webhook *webhook;
	TAILQ_FOREACH(webhook, &scheduler->places[PLACE_PACED], list)
	first = rate_next_ms(webhook) < first ? rate_next_ms(webhook) : first;
	return first;
}

bool
scheduler_waiting(const struct scheduler *scheduler)
{
	return !TAILQ_EMPTY(&scheduler->places[PLACE_TRUSTED]) || !TAILQ_EMPTY(&scheduler->places[PLACE_DOUBTFUL]) ||
	       !TAILQ_EMPTY(&scheduler->places[PLACE_PACED]);
}

/* How many deliveries a turn of this webhook gives it. */
static size_t
rows_of_turn(
    const struct scheduler *scheduler, const struct known_webhook *webhook, size_t slots, size_t doubtful, int64_t now_ms)
{
	size_t rows = health_allows(scheduler->rules, &webhook->health, webhook->in_flight + webhook->asked, now_ms);
	rows = least(rows, rate_allows(webhook, now_ms) - webhook->asked);
	rows = least(rows, scheduler->limits.turn);
	const size_t left = is_on_probation(webhook) ? least(slots, doubtful) : slots;
	return least(rows, are_scarce(scheduler, left) ? 1 : left - scheduler->limits.slots / 4);
}

size_t
scheduler_take(struct scheduler *scheduler, size_t slots, size_t most, int64_t now_ms, struct due_request *requests)
{
	struct known_webhook *webhook;
	size_t count = 0, doubtful = left_for_probation(scheduler);
	TAILQ_INIT(&scheduler->asking);
	put_rate_limited(scheduler, now_ms);
	while (most > 0 && (webhook = next(scheduler, slots, doubtful)) != NULL) {
		const size_t rows = least(most, rows_of_turn(scheduler, webhook, slots, doubtful, now_ms));
		if (rows == 0) { /* the clock went back since it was put here */
			put(scheduler, webhook, now_ms);
			continue;
		}
		if (webhook->asked == 0) {
			webhook->request = &requests[count++];
			webhook->started = 0;
			TAILQ_INSERT_TAIL(&scheduler->asking, webhook, asking);
		}
		webhook->asked += rows;
		*webhook->request = (struct due_request){ .webhook_id = webhook->id,
			.rows = webhook->asked,
			.ahead = &webhook->ahead,
			.from_ms = webhook->due_from_ms };
		slots -= rows;
		most -= rows;
		doubtful -= is_on_probation(webhook) ? rows : 0;
		scheduler->doubtful_next = !is_on_probation(webhook);
		TAILQ_REMOVE(&scheduler->places[webhook->place], webhook, list);
		TAILQ_INSERT_TAIL(&scheduler->places[webhook->place], webhook, list);
		put(scheduler, webhook, now_ms);
	}
	return count;
}

void
scheduler_started(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms)
{
	struct known_webhook *webhook = must_find(scheduler, webhook_id);
	count_out(scheduler, webhook);
	webhook->in_flight++;
	count_in(scheduler, webhook);
	webhook->started++;
	health_start(scheduler->rules, &webhook->health);
	if (webhook->rate > 0) {
		const int64_t now_us = now_ms * US_PER_MS;
		const int64_t from_us = webhook->paced_until_us > now_us ? webhook->paced_until_us : now_us;
		webhook->paced_until_us = from_us + US_PER_S / (int64_t)webhook->rate;
	}
}

void
scheduler_settle(struct scheduler *scheduler, int64_t now_ms)
{
	struct known_webhook *webhook;
	TAILQ_FOREACH(webhook, &scheduler->asking, asking)
	{
		if (webhook->started < webhook->asked)
			webhook->due = false;
		webhook->due_from_ms = webhook->request->last_ms;
		webhook->asked = 0;
		put(scheduler, webhook, now_ms);
	}
	TAILQ_INIT(&scheduler->asking);
}

/* ---- what comes of it ---- */

enum health_change
scheduler_attempted(struct scheduler *scheduler, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health)
{
	struct known_webhook *webhook = must_find(scheduler, webhook_id);
	count_out(scheduler, webhook);
	enum health_change change = health_end(scheduler->rules, &webhook->health, success, now_ms);
	webhook->succeeded = webhook->succeeded || success;
	count_in(scheduler, webhook);
	put(scheduler, webhook, now_ms);
	*health = webhook->health;
	return change;
}

struct health
scheduler_health(const struct scheduler *scheduler, uint64_t webhook_id)
{
	return must_find(scheduler, webhook_id)->health;
}

bool
scheduler_hold(struct scheduler *scheduler, uint64_t webhook_id, int64_t until_ms)
{
	struct known_webhook *webhook = must_find(scheduler, webhook_id);
	if (until_ms <= webhook->silent_until_ms)
		return false;
	webhook->silent_until_ms = until_ms;
	put(scheduler, webhook, 0);
	return true;
}

int64_t
scheduler_held_until_ms(const struct scheduler *scheduler, uint64_t webhook_id)
{
	const struct known_webhook *webhook = must_find(scheduler, webhook_id);
	return webhook->silent_until_ms > webhook->health.probe_at_ms ? webhook->silent_until_ms : webhook->health.probe_at_ms;
}

void
scheduler_ended(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms)
{
	struct known_webhook *webhook = must_find(scheduler, webhook_id);
	count_out(scheduler, webhook);
	webhook->in_flight--;
	count_in(scheduler, webhook);
	put(scheduler, webhook, now_ms);
}
