/* SPDX-License-Identifier: MIT
 * A scheduler under test, with stand-ins for the feeder, the sender and the table of due deliveries. */
#pragma once

#include "unit.h"

#include "base/attributes.h"
#include "deliver/scheduler.h"

enum { SLOTS = 128, MAX = 4, TURN = 2, WEBHOOKS = 64, ROWS = 256 };
/* Places when all deliveries that have ended are recorded. */
#define PLACES(n) ((struct places){ (n), (n) })
enum { SHARE = SLOTS / 2, ACCOUNT_SHARE = SHARE / 4, RESERVE = SLOTS / 4 };

/* Webhooks may have MAX deliveries under way; with `wide`, SLOTS. */
extern const struct health_rules rules, wide;

extern struct scheduler *scheduler;
extern struct slots *slots;
extern struct due_request requests[ROWS];
extern struct slot *under_way[SLOTS]; /* sent, and not ended */
extern size_t under_way_count;
extern size_t due[2 * WEBHOOKS]; /* rows in the table for each webhook: deliveries that are neither fetched nor under way */

/* Setup and teardown of every test. */
int begin(void **state);
int end(void **state);
void begin_again(size_t webhooks, const struct health_rules *health);

/* A webhook that has succeeded before; one without any attempt. */
struct due_webhook good(uint64_t webhook_id);
struct due_webhook new_of(uint64_t account_id, uint64_t webhook_id);
/* Offers a webhook that has `rows` due deliveries. */
void offer_webhook(const struct due_webhook *webhook, size_t rows, int64_t now_ms);
/* Offers the webhook as it was read when this many deliveries had ended. */
void offer_since(const struct due_webhook *webhook, uint64_t ends, int64_t now_ms);
void set_several_accounts(bool several);
void offer(uint64_t webhook_id, int64_t now_ms);
void offer_failing(uint64_t webhook_id, int64_t now_ms);

/* Answers a request by fetching what it asks for. */
void answer(struct due_request *request, int64_t now_ms);
/* Makes one fetch of up to `rows` deliveries. Returns the number of its requests. */
size_t fetch_some(size_t rows, int64_t now_ms);
/* How many more deliveries may wait in slots. */
size_t room(void);
void fetch(int64_t now_ms);
/* How many rows of a webhook the last fetch, with this many requests, has requested. */
size_t rows_of(uint64_t webhook_id, size_t count);

uint64_t webhook_of(const struct slot *slot);
/* Starts the next delivery, with `left` slots left. Returns its webhook; 0: none. */
uint64_t send_one(size_t left, int64_t now_ms);
/* Fetches and sends everything it can. Returns how many deliveries it has sent. */
size_t send_all(int64_t now_ms);
/* How many deliveries of the webhook are under way. */
size_t sending(uint64_t webhook_id);
/* A delivery of the webhook ends and is recorded; with `attempted`, the webhook gets a result. */
void ended(uint64_t webhook_id, int64_t now_ms);
enum health_change attempted(uint64_t webhook_id, bool success, int64_t now_ms);
/* Returns false when the webhook was already held for that long. */
bool hold(uint64_t webhook_id, int64_t until_ms);
/* The end of the webhook's hold. */
int64_t held_until_ms(uint64_t webhook_id);
/* Drops the webhook's fetched deliveries, which are then due again. */
void drop(uint64_t webhook_id, int64_t now_ms);
