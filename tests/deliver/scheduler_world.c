/* SPDX-License-Identifier: MIT */
#include "scheduler_world.h"

#include <string.h>

const struct health_rules rules = { .concurrency_start = MAX,
	.concurrency_max = MAX,
	.breaker_failures = 5,
	.probe_wait_ms = 10000,
	.probe_wait_max_ms = 3600000,
	.disable_after_ms = INT64_MAX };
const struct health_rules wide = { .concurrency_start = SLOTS,
	.concurrency_max = SLOTS,
	.breaker_failures = 5,
	.probe_wait_ms = 10000,
	.probe_wait_max_ms = 3600000,
	.disable_after_ms = INT64_MAX };

struct scheduler *scheduler;
struct slots *slots;
struct due_request requests[ROWS];
struct slot *under_way[SLOTS];
size_t under_way_count;
size_t due[2 * WEBHOOKS];
static uint64_t next_id;
static bool several_accounts;

static void
begin_with(size_t webhooks, const struct health_rules *health)
{
	scheduler = scheduler_new(&(struct scheduler_limits){ webhooks, .in_flight = SLOTS, .turn = TURN }, health);
	slots = slots_new(SLOTS + ROWS);
	under_way_count = 0;
	next_id = 1;
	several_accounts = false;
	memset(due, 0, sizeof(due));
}

int
begin(void **state UNUSED)
{
	begin_with(WEBHOOKS, &rules);
	return 0;
}

int
end(void **state UNUSED)
{
	scheduler_free(&scheduler);
	slots_free(&slots);
	return 0;
}

void
begin_again(size_t webhooks, const struct health_rules *health)
{
	(void)end(NULL);
	begin_with(webhooks, health);
}

/* ---- offers ---- */

struct due_webhook
good(uint64_t webhook_id)
{
	return (struct due_webhook){ .webhook_id = webhook_id, .failing_since_ms = -1, .succeeded = true };
}

struct due_webhook
new_of(uint64_t account_id, uint64_t webhook_id)
{
	return (struct due_webhook){ .webhook_id = webhook_id, .account_id = account_id, .failing_since_ms = -1 };
}

void
offer_webhook(const struct due_webhook *webhook, size_t rows, int64_t now_ms)
{
	due[webhook->webhook_id] = rows;
	offer_since(webhook, scheduler_ends(scheduler), now_ms);
}

void
offer_since(const struct due_webhook *webhook, uint64_t ends, int64_t now_ms)
{
	struct due_webhook due_webhook = *webhook;
	const struct due_webhooks found = {
		.due = &due_webhook, .due_count = 1, .now_ms = now_ms, .several_accounts = several_accounts
	};
	scheduler_note_poll(scheduler, &found, ends);
}

void
set_several_accounts(bool several)
{
	const struct due_webhooks found = { .several_accounts = several };
	several_accounts = several;
	scheduler_note_poll(scheduler, &found, 0);
}

void
offer(uint64_t webhook_id, int64_t now_ms)
{
	const struct due_webhook webhook = good(webhook_id);
	offer_webhook(&webhook, ROWS, now_ms);
}

void
offer_failing(uint64_t webhook_id, int64_t now_ms)
{
	struct due_webhook webhook = good(webhook_id);
	webhook.failures = 1;
	webhook.failing_since_ms = 0;
	offer_webhook(&webhook, ROWS, now_ms);
}

/* ---- the feeder ---- */

static void
add_row(uint64_t webhook_id, int64_t now_ms)
{
	const struct destination destination = { .webhook_id = webhook_id };
	const struct due_delivery delivery = { .id = next_id++, .destination = &destination, .attempt = 1 };
	scheduler_add(scheduler, slots_take(slots, &delivery, now_ms), now_ms);
}

void
answer(struct due_request *request, int64_t now_ms)
{
	for (size_t i = 0; i < request->rows && due[request->webhook_id] > 0; i++) {
		due[request->webhook_id]--;
		add_row(request->webhook_id, now_ms);
	}
	request->last = (struct due_position){ now_ms + 1, next_id };
	request->more = due[request->webhook_id] > 0;
	scheduler_answer(scheduler, request, RESULT_OK, now_ms);
}

size_t
fetch_some(size_t rows, int64_t now_ms)
{
	assert_true(scheduler_wants(scheduler, now_ms));
	const size_t count = scheduler_request(scheduler, rows, ROWS, now_ms, requests);
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		struct due_request copy = requests[i];
		assert_true(copy.rows > 0);
		answer(&copy, now_ms);
	}
	return count;
}

size_t
room(void)
{
	return ROWS - slots_in(slots, SLOT_FETCHED);
}

void
fetch(int64_t now_ms)
{
	while (room() > 0 && scheduler_wants(scheduler, now_ms))
		(void)fetch_some(room(), now_ms);
}

size_t
rows_of(uint64_t webhook_id, size_t count)
{
	size_t rows = 0;
	for (size_t i = 0; i < count; i++)
		rows += requests[i].webhook_id == webhook_id ? requests[i].rows : 0;
	return rows;
}

/* ---- the sender ---- */

uint64_t
webhook_of(const struct slot *slot)
{
	return slot->delivery.destination->webhook_id;
}

uint64_t
send_one(size_t left, int64_t now_ms)
{
	const bool ready = scheduler_next_ms(scheduler, PLACES(left), now_ms) == now_ms;
	struct slot *slot = scheduler_take(scheduler, PLACES(left), now_ms);
	assert_int_equal(slot != NULL, ready);
	if (slot == NULL)
		return 0;
	slot_start(slot, NULL, now_ms);
	assert_true(under_way_count < SLOTS);
	under_way[under_way_count++] = slot;
	return webhook_of(slot);
}

size_t
send_all(int64_t now_ms)
{
	size_t sent = 0, before;
	do {
		before = sent;
		fetch(now_ms);
		while (send_one(SLOTS - under_way_count, now_ms) != 0)
			sent++;
	} while (sent > before);
	return sent;
}

size_t
sending(uint64_t webhook_id)
{
	size_t count = 0;
	for (size_t i = 0; i < under_way_count; i++)
		count += webhook_of(under_way[i]) == webhook_id ? 1 : 0;
	return count;
}

static void
release(size_t at)
{
	struct slot *slot = under_way[at];
	slot_end(slot, &(struct delivery_outcome){ .state = DELIVERY_DELIVERED }, 0);
	slot_release(slot);
	under_way[at] = under_way[--under_way_count];
}

void
ended(uint64_t webhook_id, int64_t now_ms)
{
	size_t at = 0;
	while (at < under_way_count && webhook_of(under_way[at]) != webhook_id)
		at++;
	assert_true(at < under_way_count);
	release(at);
	scheduler_ended(scheduler, webhook_id, now_ms);
}

enum health_change
attempted(uint64_t webhook_id, bool success, int64_t now_ms)
{
	struct health health;
	enum health_change change =
	    scheduler_attempted(scheduler, webhook_id, success ? RETRY_DELIVERED : RETRY_LATER, now_ms, &health);
	ended(webhook_id, now_ms);
	return change;
}

bool
hold(uint64_t webhook_id, int64_t until_ms)
{
	return scheduler_hold(scheduler, webhook_id, &until_ms, 0);
}

int64_t
held_until_ms(uint64_t webhook_id)
{
	int64_t until_ms = 0;
	assert_false(scheduler_hold(scheduler, webhook_id, &until_ms, 0));
	return until_ms;
}

void
drop(uint64_t webhook_id, int64_t now_ms)
{
	struct slot *next;
	for (struct slot *slot = scheduler_drop(scheduler, webhook_id, now_ms); slot != NULL; slot = next) {
		next = slot->next;
		assert_int_equal(webhook_of(slot), webhook_id);
		slot_release(slot);
		due[webhook_id]++;
	}
}
