/* SPDX-License-Identifier: MIT */
#include "deliver/turns.h"

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
	struct due_request *request; /* while turns_take runs: where it asks */
	size_t asked, started;       /* since the last turns_take */
	enum place place;
	TAILQ_ENTRY(known_webhook) list;
	SLIST_ENTRY(known_webhook) chain; /* of its bucket */
	TAILQ_ENTRY(known_webhook) asking;
};

SLIST_HEAD(chain, known_webhook);
TAILQ_HEAD(webhook_list, known_webhook);

struct turns {
	struct turns_limits limits;
	const struct health_rules *rules;
	struct known_webhook *webhooks;
	size_t used; /* of them */
	struct webhook_list places[PLACES];
	struct webhook_list asking; /* had requests in the last turns_take */
	struct chain buckets[BUCKETS];
	size_t doubtful_in_flight;
	bool doubtful_next; /* of the two that wait, in turn */
};

struct turns *
turns_new(const struct turns_limits *limits, const struct health_rules *rules)
{
	struct turns *turns = memory_alloc(sizeof(*turns));
	turns->limits = *limits;
	turns->rules = rules;
	turns->webhooks = memory_alloc(limits->webhooks * sizeof(*turns->webhooks));
	for (size_t i = 0; i < PLACES; i++)
		TAILQ_INIT(&turns->places[i]);
	TAILQ_INIT(&turns->asking);
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

static struct known_webhook *
find(const struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook;
	SLIST_FOREACH(webhook, &turns->buckets[webhook_id % BUCKETS], chain)
	if (webhook->id == webhook_id)
		return webhook;
	return NULL;
}

/* A delivery is claimed only for a webhook that waits, and the webhook is known until the last one has ended: without it the
 * counts would be wrong for good. */
static struct known_webhook *
must_find(const struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = find(turns, webhook_id);
	if (webhook == NULL)
		panic("an unknown webhook");
	return webhook;
}

/* ---- who is where ---- */

static bool
is_doubtful(const struct known_webhook *webhook)
{
	return !webhook->succeeded || webhook->health.failures > 0;
}

/* Around every change of what is under way, or of how a webhook fares. */
static void
count_out(struct turns *turns, const struct known_webhook *webhook)
{
	if (is_doubtful(webhook))
		turns->doubtful_in_flight -= webhook->in_flight;
}

static void
count_in(struct turns *turns, const struct known_webhook *webhook)
{
	if (is_doubtful(webhook))
		turns->doubtful_in_flight += webhook->in_flight;
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
place_of(const struct turns *turns, const struct known_webhook *webhook, int64_t now_ms)
{
	if (!webhook->due)
		return webhook->in_flight > 0 ? PLACE_BUSY : PLACE_IDLE;
	if (health_allows(turns->rules, &webhook->health, webhook->in_flight + webhook->asked, now_ms) == 0)
		return PLACE_BUSY;
	if (rate_allows(webhook, now_ms) <= webhook->asked)
		return PLACE_PACED;
	return is_doubtful(webhook) ? PLACE_DOUBTFUL : PLACE_TRUSTED;
}

/* Held: the database goes on knowing that something is due, and tells again when the time has come. */
static bool
is_held(const struct known_webhook *webhook, int64_t now_ms)
{
	return now_ms < webhook->silent_until_ms || now_ms < webhook->health.probe_at_ms;
}

/* Puts it where it belongs; to the end, where that is another place. */
static void
put(struct turns *turns, struct known_webhook *webhook, int64_t now_ms)
{
	if (is_held(webhook, now_ms))
		webhook->due = false;
	enum place place = place_of(turns, webhook, now_ms);
	if (place == webhook->place)
		return;
	TAILQ_REMOVE(&turns->places[webhook->place], webhook, list);
	TAILQ_INSERT_TAIL(&turns->places[place], webhook, list);
	webhook->place = place;
}

/* An entry for a webhook that is not known; NULL when there is none. */
static struct known_webhook *
add(struct turns *turns, uint64_t webhook_id)
{
	struct known_webhook *webhook = TAILQ_FIRST(&turns->places[PLACE_IDLE]);
	if (turns->used < turns->limits.webhooks) {
		webhook = &turns->webhooks[turns->used++];
	} else if (webhook != NULL) {
		TAILQ_REMOVE(&turns->places[PLACE_IDLE], webhook, list);
		SLIST_REMOVE(&turns->buckets[webhook->id % BUCKETS], webhook, known_webhook, chain);
	} else {
		return NULL;
	}
	*webhook = (struct known_webhook){ .id = webhook_id, .place = PLACE_IDLE };
	webhook->health = health_begin(turns->rules, 0, 0, -1);
	TAILQ_INSERT_TAIL(&turns->places[PLACE_IDLE], webhook, list);
	SLIST_INSERT_HEAD(&turns->buckets[webhook_id % BUCKETS], webhook, chain);
	return webhook;
}

/* What the database knows: its operator may have changed it, or another dispatcher; but for the window. */
static void
refresh(struct turns *turns, struct known_webhook *webhook, const struct due_webhook *told)
{
	struct health fresh = health_begin(turns->rules, told->failures, told->probes, told->failing_since_ms);
	fresh.window = webhook->health.window;
	webhook->health = fresh;
	webhook->succeeded = told->succeeded;
	webhook->silent_until_ms = 0;
}

void
turns_offer(struct turns *turns, const struct due_webhook *told, int64_t now_ms)
{
	struct known_webhook *webhook = find(turns, told->webhook_id);
	if (webhook == NULL)
		webhook = add(turns, told->webhook_id);
	if (webhook == NULL)
		return;
	if (webhook->in_flight == 0)
		refresh(turns, webhook, told);
	webhook->rate = told->rate;
	if (!webhook->due || told->first_due_ms < webhook->due_from_ms) {
		webhook->due_from_ms = told->first_due_ms;
		webhook->ahead.at = webhook->ahead.count = 0;
	}
	webhook->due = true;
	put(turns, webhook, now_ms);
}

void
turns_keep(struct turns *turns, uint64_t shards, int64_t now_ms)
{
	for (size_t i = 0; i < turns->used; i++) {
		struct known_webhook *webhook = &turns->webhooks[i];
		if ((shards & UINT64_C(1) << webhook_shard(webhook->id)) != 0)
			continue;
		webhook->due = false;
		put(turns, webhook, now_ms);
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
left_for_doubtful(const struct turns *turns)
{
	const size_t share = turns->limits.slots > 1 ? turns->limits.slots / 2 : 1;
	return turns->doubtful_in_flight < share ? share - turns->doubtful_in_flight : 0;
}

/* So few that each webhook may have one alone. */
static bool
are_scarce(const struct turns *turns, size_t slots)
{
	return slots <= turns->limits.slots / 4;
}

/* The one whose turn it is in a list that has so many slots left, or NULL. Those that are passed over are few: each has
 * something under way. */
static struct known_webhook *
next_in(const struct turns *turns, enum place place, size_t slots)
{
	struct known_webhook *webhook;
	if (slots == 0)
		return NULL;
	TAILQ_FOREACH(webhook, &turns->places[place], list)
	if (!are_scarce(turns, slots) || webhook->in_flight + webhook->asked == 0)
		return webhook;
	return NULL;
}

static struct known_webhook *
next(const struct turns *turns, size_t slots, size_t doubtful)
{
	struct known_webhook *trusted = next_in(turns, PLACE_TRUSTED, slots);
	struct known_webhook *other = next_in(turns, PLACE_DOUBTFUL, least(slots, doubtful));
	return other != NULL && (trusted == NULL || turns->doubtful_next) ? other : trusted;
}

/* Those whose rate lets something through again. */
static void
put_paced(struct turns *turns, int64_t now_ms)
{
	struct known_webhook *following;
	for (struct known_webhook *webhook = TAILQ_FIRST(&turns->places[PLACE_PACED]); webhook != NULL; webhook = following) {
		following = TAILQ_NEXT(webhook, list);
		put(turns, webhook, now_ms);
	}
}

int64_t
turns_next_ms(struct turns *turns, size_t slots, int64_t now_ms)
{
	int64_t first = CLOCK_NEVER;
	if (slots == 0)
		return CLOCK_NEVER;
	put_paced(turns, now_ms);
	if (next(turns, slots, left_for_doubtful(turns)) != NULL)
		return now_ms;
	const struct known_webhook *webhook;
	TAILQ_FOREACH(webhook, &turns->places[PLACE_PACED], list)
	first = rate_next_ms(webhook) < first ? rate_next_ms(webhook) : first;
	return first;
}

bool
turns_waiting(const struct turns *turns)
{
	return !TAILQ_EMPTY(&turns->places[PLACE_TRUSTED]) || !TAILQ_EMPTY(&turns->places[PLACE_DOUBTFUL]) ||
	       !TAILQ_EMPTY(&turns->places[PLACE_PACED]);
}

/* How many deliveries a turn of this webhook gives it. */
static size_t
rows_of_turn(const struct turns *turns, const struct known_webhook *webhook, size_t slots, size_t doubtful, int64_t now_ms)
{
	size_t rows = health_allows(turns->rules, &webhook->health, webhook->in_flight + webhook->asked, now_ms);
	rows = least(rows, rate_allows(webhook, now_ms) - webhook->asked);
	rows = least(rows, turns->limits.turn);
	const size_t left = is_doubtful(webhook) ? least(slots, doubtful) : slots;
	return least(rows, are_scarce(turns, left) ? 1 : left - turns->limits.slots / 4);
}

size_t
turns_take(struct turns *turns, size_t slots, size_t most, int64_t now_ms, struct due_request *requests)
{
	struct known_webhook *webhook;
	size_t count = 0, doubtful = left_for_doubtful(turns);
	TAILQ_INIT(&turns->asking);
	put_paced(turns, now_ms);
	while (most > 0 && (webhook = next(turns, slots, doubtful)) != NULL) {
		const size_t rows = least(most, rows_of_turn(turns, webhook, slots, doubtful, now_ms));
		if (rows == 0) { /* the clock went back since it was put here */
			put(turns, webhook, now_ms);
			continue;
		}
		if (webhook->asked == 0) {
			webhook->request = &requests[count++];
			webhook->started = 0;
			TAILQ_INSERT_TAIL(&turns->asking, webhook, asking);
		}
		webhook->asked += rows;
		*webhook->request = (struct due_request){ .webhook_id = webhook->id,
			.rows = webhook->asked,
			.ahead = &webhook->ahead,
			.from_ms = webhook->due_from_ms };
		slots -= rows;
		most -= rows;
		doubtful -= is_doubtful(webhook) ? rows : 0;
		turns->doubtful_next = !is_doubtful(webhook);
		TAILQ_REMOVE(&turns->places[webhook->place], webhook, list);
		TAILQ_INSERT_TAIL(&turns->places[webhook->place], webhook, list);
		put(turns, webhook, now_ms);
	}
	return count;
}

void
turns_started(struct turns *turns, uint64_t webhook_id, int64_t now_ms)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	count_out(turns, webhook);
	webhook->in_flight++;
	count_in(turns, webhook);
	webhook->started++;
	health_start(turns->rules, &webhook->health);
	if (webhook->rate > 0) {
		const int64_t now_us = now_ms * US_PER_MS;
		const int64_t from_us = webhook->paced_until_us > now_us ? webhook->paced_until_us : now_us;
		webhook->paced_until_us = from_us + US_PER_S / (int64_t)webhook->rate;
	}
}

void
turns_settle(struct turns *turns, int64_t now_ms)
{
	struct known_webhook *webhook;
	TAILQ_FOREACH(webhook, &turns->asking, asking)
	{
		if (webhook->started < webhook->asked)
			webhook->due = false;
		webhook->due_from_ms = webhook->request->last_ms;
		webhook->asked = 0;
		put(turns, webhook, now_ms);
	}
	TAILQ_INIT(&turns->asking);
}

/* ---- what comes of it ---- */

enum health_change
turns_attempted(struct turns *turns, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	count_out(turns, webhook);
	enum health_change change = health_end(turns->rules, &webhook->health, success, now_ms);
	webhook->succeeded = webhook->succeeded || success;
	count_in(turns, webhook);
	put(turns, webhook, now_ms);
	*health = webhook->health;
	return change;
}

struct health
turns_health(const struct turns *turns, uint64_t webhook_id)
{
	return must_find(turns, webhook_id)->health;
}

bool
turns_silence(struct turns *turns, uint64_t webhook_id, int64_t until_ms)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	if (until_ms <= webhook->silent_until_ms)
		return false;
	webhook->silent_until_ms = until_ms;
	put(turns, webhook, 0);
	return true;
}

int64_t
turns_held_until_ms(const struct turns *turns, uint64_t webhook_id)
{
	const struct known_webhook *webhook = must_find(turns, webhook_id);
	return webhook->silent_until_ms > webhook->health.probe_at_ms ? webhook->silent_until_ms : webhook->health.probe_at_ms;
}

void
turns_ended(struct turns *turns, uint64_t webhook_id, int64_t now_ms)
{
	struct known_webhook *webhook = must_find(turns, webhook_id);
	count_out(turns, webhook);
	webhook->in_flight--;
	count_in(turns, webhook);
	put(turns, webhook, now_ms);
}
