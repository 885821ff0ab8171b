/* SPDX-License-Identifier: MIT */
#include "deliver/scheduler_table.h"

#include <stdlib.h>

#include "base/attributes.h"
#include "base/panic.h"
#include "base/pool.h"

enum { LOW = 2 /* more deliveries are requested when at most this many are fetched */ };

struct scheduler *
scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules)
{
	struct scheduler *s = memory_alloc(sizeof(*s));
	s->limits = *limits;
	s->rules = rules;
	s->limited_until_ms = CLOCK_NEVER;
	s->webhooks = memory_alloc(limits->webhooks * sizeof(*s->webhooks));
	s->accounts = memory_alloc(limits->webhooks * sizeof(*s->accounts));
	s->sizes = memory_alloc((limits->webhooks + 1) * sizeof(*s->sizes));
	for (size_t i = 0; i < limits->webhooks; i++)
		SLIST_INSERT_HEAD(&s->unused_accounts, &s->accounts[i], chain);
	for (size_t i = 0; i < STATES; i++)
		TAILQ_INIT(&s->lists[i]);
	for (size_t i = 0; i < QUEUES; i++)
		TAILQ_INIT(&s->rotations[i]);
	return s;
}

void
scheduler_free(struct scheduler **scheduler)
{
	if (*scheduler == NULL)
		return;
	free((*scheduler)->webhooks);
	free((*scheduler)->accounts);
	free((*scheduler)->sizes);
	free(*scheduler);
	*scheduler = NULL;
}

/* ---- entries ---- */

struct webhook_entry *
table_find(const struct scheduler *s, uint64_t webhook_id)
{
	struct webhook_entry *webhook;
	SLIST_FOREACH (webhook, &s->buckets[webhook_id % TABLE_BUCKETS], chain)
		if (webhook->id == webhook_id)
			return webhook;
	return NULL;
}

struct webhook_entry *
table_must_find(const struct scheduler *s, uint64_t webhook_id)
{
	struct webhook_entry *webhook = table_find(s, webhook_id);
	if (webhook == NULL)
		panic("an unknown webhook");
	return webhook;
}

/* ---- accounts ---- */

static struct account_entry *
find_account(const struct scheduler *s, uint64_t account_id)
{
	struct account_entry *account;
	SLIST_FOREACH (account, &s->account_buckets[account_id % TABLE_BUCKETS], chain)
		if (account->id == account_id)
			return account;
	return NULL;
}

/* Records that the account now has this many webhooks: one more or one fewer than before. */
static void
set_size(struct scheduler *s, struct account_entry *account, size_t webhooks)
{
	if (account->webhooks > 0)
		LIST_REMOVE(account, size);
	account->webhooks = webhooks;
	if (webhooks > 0)
		LIST_INSERT_HEAD(&s->sizes[webhooks], account, size);
	if (webhooks > s->largest)
		s->largest = webhooks;
	else if (LIST_EMPTY(&s->sizes[s->largest]))
		s->largest--;
}

static struct account_entry *
enter_account(struct scheduler *s, uint64_t account_id)
{
	struct account_entry *account = find_account(s, account_id);
	if (account == NULL) {
		account = SLIST_FIRST(&s->unused_accounts);
		SLIST_REMOVE_HEAD(&s->unused_accounts, chain);
		*account = (struct account_entry){ .id = account_id };
		for (size_t i = 0; i < QUEUES; i++)
			TAILQ_INIT(&account->queues[i]);
		SLIST_INSERT_HEAD(&s->account_buckets[account_id % TABLE_BUCKETS], account, chain);
	}
	set_size(s, account, account->webhooks + 1);
	return account;
}

static void
leave_account(struct scheduler *s, struct account_entry *account)
{
	set_size(s, account, account->webhooks - 1);
	if (account->webhooks > 0)
		return;
	SLIST_REMOVE(&s->account_buckets[account->id % TABLE_BUCKETS], account, account_entry, chain);
	SLIST_INSERT_HEAD(&s->unused_accounts, account, chain);
}

/* ---- queues ---- */

static void
leave_queue(struct scheduler *s, struct webhook_entry *webhook, enum queue queue)
{
	struct account_entry *account = webhook->account;
	TAILQ_REMOVE(&account->queues[queue], webhook, queue[queue]);
	webhook->queued[queue] = false;
	s->wanting -= queue == QUEUE_FETCH_HEALTHY;
	if (TAILQ_EMPTY(&account->queues[queue]))
		TAILQ_REMOVE(&s->rotations[queue], account, rotation[queue]);
}

static void
enter_queue(struct scheduler *s, struct webhook_entry *webhook, enum queue queue)
{
	struct account_entry *account = webhook->account;
	if (TAILQ_EMPTY(&account->queues[queue]))
		TAILQ_INSERT_TAIL(&s->rotations[queue], account, rotation[queue]);
	TAILQ_INSERT_TAIL(&account->queues[queue], webhook, queue[queue]);
	webhook->queued[queue] = true;
	s->wanting += queue == QUEUE_FETCH_HEALTHY;
}

static void
leave_if_queued(struct scheduler *s, struct webhook_entry *webhook, enum queue queue)
{
	if (webhook->queued[queue])
		leave_queue(s, webhook, queue);
}

/* Puts the webhook in the queues of this set (bits), and removes it from all others. */
static void
set_queues(struct scheduler *s, struct webhook_entry *webhook, unsigned queues)
{
	for (unsigned i = 0; i < QUEUES; i++)
		if ((queues & 1U << i) == 0)
			leave_if_queued(s, webhook, (enum queue)i);
		else if (!webhook->queued[i])
			enter_queue(s, webhook, (enum queue)i);
}

void
table_pass_turn(struct scheduler *s, struct webhook_entry *webhook, enum queue queue)
{
	struct account_entry *account = webhook->account;
	TAILQ_REMOVE(&account->queues[queue], webhook, queue[queue]);
	TAILQ_INSERT_TAIL(&account->queues[queue], webhook, queue[queue]);
	TAILQ_REMOVE(&s->rotations[queue], account, rotation[queue]);
	TAILQ_INSERT_TAIL(&s->rotations[queue], account, rotation[queue]);
}

/* ---- places ---- */

/* The last webhook in the account's queues that only waits for a fetch, or NULL. It skips only webhooks with deliveries in
 * slots, which are few. Rate-limited webhooks are in none of these queues, because without their entry the limit would be lost.
 */
static struct webhook_entry *
find_waiting(const struct account_entry *account)
{
	static const enum queue queues[] = { QUEUE_FETCH_ON_PROBATION, QUEUE_FETCH_HEALTHY };
	struct webhook_entry *webhook;
	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		for (webhook = TAILQ_LAST(&account->queues[queues[i]], webhook_list); webhook != NULL;
		     webhook = TAILQ_PREV(webhook, webhook_list, queue[queues[i]]))
			if (table_used(webhook) == 0)
				return webhook;
	return NULL;
}

/* The webhook whose entry a webhook of this account may take, or NULL. */
static struct webhook_entry *
find_replaced(const struct scheduler *s, uint64_t account_id)
{
	const struct account_entry *account = find_account(s, account_id);
	if (!TAILQ_EMPTY(&s->lists[STATE_IDLE]))
		return TAILQ_FIRST(&s->lists[STATE_IDLE]);
	if ((account == NULL ? 0 : account->webhooks) + 1 >= s->largest)
		return NULL;
	return find_waiting(LIST_FIRST(&s->sizes[s->largest]));
}

static void
remove_webhook(struct scheduler *s, struct webhook_entry *webhook)
{
	for (size_t i = 0; i < QUEUES; i++)
		leave_if_queued(s, webhook, (enum queue)i);
	TAILQ_REMOVE(&s->lists[webhook->state], webhook, list);
	SLIST_REMOVE(&s->buckets[webhook->id % TABLE_BUCKETS], webhook, webhook_entry, chain);
	leave_account(s, webhook->account);
}

struct webhook_entry *
table_add(struct scheduler *s, uint64_t webhook_id, uint64_t account_id)
{
	struct webhook_entry *webhook;
	if (s->used < s->limits.webhooks)
		webhook = &s->webhooks[s->used++];
	else if ((webhook = find_replaced(s, account_id)) != NULL)
		remove_webhook(s, webhook);
	else
		return NULL;
	*webhook = (struct webhook_entry){ .id = webhook_id, .state = STATE_IDLE };
	webhook->account = enter_account(s, account_id);
	webhook->health = health_begin(s->rules, 0, 0, -1);
	TAILQ_INSERT_TAIL(&s->lists[STATE_IDLE], webhook, list);
	SLIST_INSERT_HEAD(&s->buckets[webhook_id % TABLE_BUCKETS], webhook, chain);
	return webhook;
}

/* ---- states ---- */

bool
table_is_on_probation(const struct webhook_entry *webhook)
{
	return !webhook->succeeded || webhook->health.failures > 0;
}

size_t
table_used(const struct webhook_entry *webhook)
{
	return webhook->in_flight + webhook->fetched + webhook->requested;
}

void
table_count_out(struct scheduler *s, const struct webhook_entry *webhook)
{
	if (!table_is_on_probation(webhook))
		return;
	s->on_probation -= table_used(webhook);
	s->in_flight_on_probation -= webhook->in_flight;
	webhook->account->on_probation -= table_used(webhook);
	webhook->account->in_flight_on_probation -= webhook->in_flight;
}

void
table_count_in(struct scheduler *s, const struct webhook_entry *webhook)
{
	if (!table_is_on_probation(webhook))
		return;
	s->on_probation += table_used(webhook);
	s->in_flight_on_probation += webhook->in_flight;
	webhook->account->on_probation += table_used(webhook);
	webhook->account->in_flight_on_probation += webhook->in_flight;
}

/* While a webhook is held, the database reports it as due again when the hold ends. */
static bool
is_held(const struct webhook_entry *webhook, int64_t now_ms)
{
	return now_ms < webhook->held_until_ms || now_ms < webhook->health.probe_at_ms;
}

static enum state
state_of(const struct scheduler *s, const struct webhook_entry *webhook, int64_t now_ms)
{
	if (!webhook->more && webhook->requested == 0 && webhook->fetched == 0)
		return webhook->in_flight > 0 ? STATE_BUSY : STATE_IDLE;
	if (is_held(webhook, now_ms) || health_allows(s->rules, &webhook->health, webhook->in_flight, now_ms) == 0)
		return STATE_BUSY;
	if (rate_allows(&webhook->rate, now_ms) == 0)
		return STATE_RATE_LIMITED;
	if (webhook->fetched == 0)
		return STATE_BUSY;
	return table_is_on_probation(webhook) ? STATE_ON_PROBATION : STATE_HEALTHY;
}

/* A healthy webhook gets the next deliveries before it can send them, so that it need not wait for them. */
static bool
wants_more(const struct scheduler *s, const struct webhook_entry *webhook, int64_t now_ms)
{
	if (!webhook->more || webhook->requested > 0 || webhook->fetched > LOW || is_held(webhook, now_ms) ||
	    rate_allows(&webhook->rate, now_ms) <= webhook->fetched)
		return false;
	return !table_is_on_probation(webhook) ||
	       health_allows(s->rules, &webhook->health, webhook->in_flight + webhook->fetched, now_ms) > 0;
}

void
table_requeue(struct scheduler *s, struct webhook_entry *webhook, int64_t now_ms)
{
	if (is_held(webhook, now_ms))
		webhook->more = false;
	const enum state state = state_of(s, webhook, now_ms);
	if (state != webhook->state) {
		TAILQ_REMOVE(&s->lists[webhook->state], webhook, list);
		TAILQ_INSERT_TAIL(&s->lists[state], webhook, list);
		webhook->state = state;
	}
	if (state == STATE_RATE_LIMITED && rate_next_ms(&webhook->rate) < s->limited_until_ms)
		s->limited_until_ms = rate_next_ms(&webhook->rate);
	const bool wants = wants_more(s, webhook, now_ms), probation = table_is_on_probation(webhook);
	const unsigned sends = state == STATE_HEALTHY        ? 1U << QUEUE_SEND_HEALTHY
			       : state == STATE_ON_PROBATION ? 1U << QUEUE_SEND_ON_PROBATION
							     : 0;
	const unsigned fetches = 1U << (probation ? QUEUE_FETCH_ON_PROBATION : QUEUE_FETCH_HEALTHY);
	set_queues(s, webhook, sends | (wants ? fetches : 0));
}

void
table_requeue_rate_limited(struct scheduler *s, int64_t now_ms)
{
	struct webhook_entry *following;
	const bool set_back = now_ms < s->requeued_ms;
	s->requeued_ms = now_ms;
	if (now_ms < s->limited_until_ms && !set_back)
		return;
	s->limited_until_ms = CLOCK_NEVER;
	for (struct webhook_entry *webhook = TAILQ_FIRST(&s->lists[STATE_RATE_LIMITED]); webhook != NULL; webhook = following) {
		following = TAILQ_NEXT(webhook, list);
		table_requeue(s, webhook, now_ms);
	}
}
