/* SPDX-License-Identifier: MIT */
#include "deliver/scheduler.h"

#include "base/panic.h"
#include "deliver/scheduler_table.h"

enum { NOTE_MS = 1000 /* minimum time between stored results of a webhook that succeeds */ };

/* ---- what is due ---- */

/* Takes over the values in the database, because the operator or another dispatcher may have changed them, except for the
 * concurrency. */
static void
take_stored_health(struct scheduler *s, struct webhook_entry *webhook, const struct due_webhook *found)
{
	struct health fresh = health_begin(s->rules, found->failures, found->probes, found->failing_since_ms);
	fresh.concurrency = webhook->health.concurrency;
	table_count_out(s, webhook);
	webhook->health = fresh;
	webhook->succeeded = found->succeeded;
	table_count_in(s, webhook);
	webhook->held_until_ms = 0;
}

uint64_t
scheduler_ends(const struct scheduler *s)
{
	return s->ends;
}

static void
offer(struct scheduler *s, const struct due_webhook *found, uint64_t ends, int64_t now_ms)
{
	struct webhook_entry *webhook = table_find(s, found->webhook_id);
	if (webhook == NULL)
		webhook = table_add(s, found->webhook_id, found->account_id);
	if (webhook == NULL)
		return;
	if (webhook->in_flight == 0 && webhook->end <= ends)
		take_stored_health(s, webhook, found);
	webhook->rate.per_second = found->rate;
	if (found->first_due_ms <= webhook->read.due_ms)
		webhook->read = (struct due_position){ .due_ms = found->first_due_ms };
	webhook->more = true;
	table_requeue(s, webhook, now_ms);
}

void
scheduler_note_poll(struct scheduler *s, const struct due_webhooks *found, uint64_t ends)
{
	s->several_accounts = found->several_accounts;
	for (size_t i = 0; i < found->due_count; i++)
		offer(s, &found->due[i], ends, found->now_ms);
}

void
scheduler_retain(struct scheduler *s, uint64_t shards, int64_t now_ms)
{
	for (size_t i = 0; i < s->used; i++) {
		struct webhook_entry *webhook = &s->webhooks[i];
		if ((shards & UINT64_C(1) << webhook_shard(webhook->id)) != 0)
			continue;
		webhook->more = false;
		table_requeue(s, webhook, now_ms);
	}
}

/* ---- shares ---- */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
rest(size_t all, size_t used)
{
	return used < all ? all - used : 0;
}

static size_t
probation_share(const struct scheduler *s)
{
	return s->limits.in_flight > 1 ? s->limits.in_flight / 2 : 1;
}

/* True when so few slots are left that only webhooks with nothing under way get one. Outcomes that cannot be recorded, because
 * a lock blocks them, never use up all slots. */
static bool
are_scarce(const struct scheduler *s, struct places places)
{
	return places.unsent <= s->limits.in_flight / 4 || places.free <= s->limits.in_flight / 8;
}

/* How many deliveries on probation an account may have under way. */
static size_t
account_share(const struct scheduler *s)
{
	const size_t share = probation_share(s);
	return s->several_accounts && share >= 4 ? share / 4 : share;
}

/* If there are several accounts, each gets at most half of the places, so that slow receivers of one leave room for the others.
 */
static bool
has_its_places(const struct scheduler *s, const struct account_entry *account)
{
	return s->several_accounts && s->limits.in_flight > 1 && account->in_flight >= s->limits.in_flight / 2;
}

/* Alternates between the two kinds of webhooks. */
static struct webhook_entry *
choose(bool *probation_next, struct webhook_entry *healthy, struct webhook_entry *other)
{
	struct webhook_entry *chosen = other != NULL && (healthy == NULL || *probation_next) ? other : healthy;
	*probation_next = chosen == healthy;
	return chosen;
}

/* ---- fetching ---- */

/* How many deliveries of this webhook can be used soon. */
static size_t
usable(const struct scheduler *s, const struct webhook_entry *webhook, int64_t now_ms)
{
	const size_t held = webhook->in_flight + webhook->fetched, left = rest(probation_share(s), s->on_probation);
	size_t rows = rest(rate_allows(&webhook->rate, now_ms), webhook->fetched);
	if (!table_is_on_probation(webhook)) {
		const size_t each = s->limits.in_flight / s->wanting;
		rows = least(rows, each > s->limits.turn ? each : s->limits.turn);
		return least(rows, webhook->health.concurrency);
	}
	rows = least(rows, health_allows(s->rules, &webhook->health, held, now_ms));
	rows = least(rows, least(s->limits.turn, rest(account_share(s), webhook->account->on_probation)));
	if (are_scarce(s, (struct places){ left, left }))
		return held == 0 ? least(rows, least(left, 1)) : 0;
	return least(rows, left - s->limits.in_flight / 4);
}

/* The webhook of this queue whose deliveries are fetched next, or NULL. It skips only webhooks with something under way, which
 * are few. */
static struct webhook_entry *
next_to_fetch_in(const struct scheduler *s, enum queue queue, int64_t now_ms)
{
	const bool probation = queue == QUEUE_FETCH_ON_PROBATION;
	struct account_entry *account;
	struct webhook_entry *webhook;
	if (probation && s->on_probation >= probation_share(s))
		return NULL;
	TAILQ_FOREACH (account, &s->rotations[queue], rotation[queue]) {
		if (has_its_places(s, account) || (probation && account->on_probation >= account_share(s)))
			continue;
		TAILQ_FOREACH (webhook, &account->queues[queue], queue[queue])
			if (usable(s, webhook, now_ms) > 0)
				return webhook;
	}
	return NULL;
}

bool
scheduler_wants(struct scheduler *s, int64_t now_ms)
{
	table_requeue_rate_limited(s, now_ms);
	return next_to_fetch_in(s, QUEUE_FETCH_HEALTHY, now_ms) != NULL ||
	       next_to_fetch_in(s, QUEUE_FETCH_ON_PROBATION, now_ms) != NULL;
}

static void
set_requested(struct scheduler *s, struct webhook_entry *webhook, size_t rows)
{
	table_count_out(s, webhook);
	webhook->requested = rows;
	table_count_in(s, webhook);
}

size_t
scheduler_request(struct scheduler *s, size_t rows, size_t most, int64_t now_ms, struct due_request *requests)
{
	size_t count = 0;
	table_requeue_rate_limited(s, now_ms);
	while (rows > 0 && count < most) {
		struct webhook_entry *webhook = choose(&s->probation_next[0], next_to_fetch_in(s, QUEUE_FETCH_HEALTHY, now_ms),
		    next_to_fetch_in(s, QUEUE_FETCH_ON_PROBATION, now_ms));
		if (webhook == NULL)
			break;
		const size_t wanted = least(rows, usable(s, webhook, now_ms));
		requests[count++] = (struct due_request){
			.webhook_id = webhook->id,
			.rows = wanted,
			.under_way = webhook->in_flight + webhook->fetched,
			.last = webhook->read,
		};
		rows -= wanted;
		set_requested(s, webhook, wanted);
		table_pass_turn(s, webhook, table_is_on_probation(webhook) ? QUEUE_FETCH_ON_PROBATION : QUEUE_FETCH_HEALTHY);
		table_requeue(s, webhook, now_ms);
	}
	return count;
}

void
scheduler_answer(struct scheduler *s, const struct due_request *request, enum result result, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, request->webhook_id);
	set_requested(s, webhook, 0);
	if (result == RESULT_OK) {
		webhook->read = request->last;
		webhook->more = webhook->more && request->more;
	}
	table_requeue(s, webhook, now_ms);
}

void
scheduler_add(struct scheduler *s, struct slot *slot, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, slot->delivery.destination->webhook_id);
	if (webhook->fetched == 0)
		webhook->first = slot;
	else
		webhook->last->next = slot;
	webhook->last = slot;
	table_count_out(s, webhook);
	webhook->fetched++;
	table_count_in(s, webhook);
	table_requeue(s, webhook, now_ms);
}

struct slot *
scheduler_drop(struct scheduler *s, uint64_t webhook_id, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, webhook_id);
	struct slot *first = webhook->fetched > 0 ? webhook->first : NULL;
	table_count_out(s, webhook);
	webhook->fetched = 0;
	table_count_in(s, webhook);
	webhook->read = (struct due_position){ 0 };
	webhook->more = true;
	table_requeue(s, webhook, now_ms);
	return first;
}

/* ---- sending ---- */

/* The webhook of this queue that sends next, or NULL. It skips only webhooks with something under way, which are few. */
static struct webhook_entry *
next_to_send_in(const struct scheduler *s, enum queue queue, struct places places)
{
	struct account_entry *account;
	struct webhook_entry *webhook;
	if (places.free == 0)
		return NULL;
	TAILQ_FOREACH (account, &s->rotations[queue], rotation[queue]) {
		if (has_its_places(s, account) ||
		    (queue == QUEUE_SEND_ON_PROBATION && account->in_flight_on_probation >= account_share(s)))
			continue;
		TAILQ_FOREACH (webhook, &account->queues[queue], queue[queue])
			if (!are_scarce(s, places) || webhook->in_flight == 0)
				return webhook;
	}
	return NULL;
}

static struct webhook_entry *
next_on_probation(const struct scheduler *s, struct places places)
{
	const size_t left = rest(probation_share(s), s->in_flight_on_probation);
	return next_to_send_in(
	    s, QUEUE_SEND_ON_PROBATION, (struct places){ least(places.free, left), least(places.unsent, left) });
}

int64_t
scheduler_next_ms(struct scheduler *s, struct places places, int64_t now_ms)
{
	if (places.free == 0)
		return CLOCK_NEVER;
	table_requeue_rate_limited(s, now_ms);
	if (next_to_send_in(s, QUEUE_SEND_HEALTHY, places) != NULL || next_on_probation(s, places) != NULL)
		return now_ms;
	return s->limited_until_ms;
}

bool
scheduler_waiting(const struct scheduler *s)
{
	for (size_t i = 0; i < QUEUES; i++)
		if (!TAILQ_EMPTY(&s->rotations[i]))
			return true;
	return !TAILQ_EMPTY(&s->lists[STATE_RATE_LIMITED]);
}

struct slot *
scheduler_take(struct scheduler *s, struct places places, int64_t now_ms)
{
	table_requeue_rate_limited(s, now_ms);
	struct webhook_entry *webhook =
	    choose(&s->probation_next[1], next_to_send_in(s, QUEUE_SEND_HEALTHY, places), next_on_probation(s, places));
	if (webhook == NULL)
		return NULL;
	struct slot *slot = webhook->first;
	table_pass_turn(s, webhook, table_is_on_probation(webhook) ? QUEUE_SEND_ON_PROBATION : QUEUE_SEND_HEALTHY);
	table_count_out(s, webhook);
	webhook->first = slot->next;
	webhook->fetched--;
	webhook->in_flight++;
	webhook->account->in_flight++;
	table_count_in(s, webhook);
	health_start(s->rules, &webhook->health);
	rate_start(&webhook->rate, now_ms);
	table_requeue(s, webhook, now_ms);
	return slot;
}

/* ---- results ---- */

enum health_change
scheduler_attempted(struct scheduler *s, uint64_t webhook_id, enum retry_kind kind, int64_t now_ms, struct health *health)
{
	struct webhook_entry *webhook = table_must_find(s, webhook_id);
	const bool success = kind == RETRY_DELIVERED;
	require(webhook->in_flight > 0);
	table_count_out(s, webhook);
	enum health_change change =
	    success ? health_succeed(s->rules, &webhook->health) : health_fail(s->rules, &webhook->health, now_ms);
	webhook->succeeded = webhook->succeeded || success;
	table_count_in(s, webhook);
	table_requeue(s, webhook, now_ms);
	*health = webhook->health;
	return change;
}

struct health
scheduler_health(const struct scheduler *s, uint64_t webhook_id)
{
	const struct webhook_entry *webhook = table_must_find(s, webhook_id);
	require(webhook->in_flight > 0);
	return webhook->health;
}

bool
scheduler_claim_result(struct scheduler *s, uint64_t webhook_id, enum result_interest interest, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, webhook_id);
	if (interest == RESULT_IS_ROUTINE && now_ms >= webhook->noted_ms && now_ms < webhook->noted_ms + NOTE_MS)
		return false;
	webhook->noted_ms = now_ms;
	return true;
}

bool
scheduler_hold(struct scheduler *s, uint64_t webhook_id, int64_t *until_ms, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, webhook_id);
	const bool later = *until_ms > webhook->held_until_ms;
	if (later) {
		webhook->held_until_ms = *until_ms;
		table_requeue(s, webhook, now_ms);
	}
	*until_ms = webhook->held_until_ms > webhook->health.probe_at_ms ? webhook->held_until_ms : webhook->health.probe_at_ms;
	return later;
}

void
scheduler_ended(struct scheduler *s, uint64_t webhook_id, int64_t now_ms)
{
	struct webhook_entry *webhook = table_must_find(s, webhook_id);
	require(webhook->in_flight > 0);
	table_count_out(s, webhook);
	webhook->in_flight--;
	webhook->account->in_flight--;
	webhook->end = ++s->ends;
	table_count_in(s, webhook);
	table_requeue(s, webhook, now_ms);
}
