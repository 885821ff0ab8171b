/* SPDX-License-Identifier: MIT */
#include "deliver/chores.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pool.h"
#include "deliver/back_off.h"
#include "deliver/bulk.h"
#include "store/queue/dispatch.h"

enum {
	WEBHOOKS_MAX = 64, /* to be ended; the next look finds the others again */
	END_CHUNK = 500,   /* deliveries which are ended in one transaction */
	HOUSEKEEPING_MS = 10 * 1000
};

enum chore { CHORE_CLOSE, CHORE_END, CHORE_HOUSE, CHORE_BULK, CHORES };

struct webhook_closing {
	uint64_t webhook_id;
	enum webhook_state state;
};

struct chores {
	struct runner *runner;
	enum chore under_way; /* CHORES: none */
	enum chore last;      /* the one before: the next one's turn is first */
	struct back_off away[CHORES];

	struct webhook_closing closings[WEBHOOKS_MAX]; /* the oldest first */
	size_t closing_count;
	uint64_t webhooks[WEBHOOKS_MAX];
	size_t webhook_count;
	int64_t next_housekeeping_ms;
	bool bulk_queued;

	/* what the thread is given, and what it answers */
	struct {
		struct webhook_closing closing;
		uint64_t webhook_id;
		size_t ended;
		bool keeps_days, bulk_left;
	} work;
};

struct chores *
chores_new(struct store *store)
{
	struct chores *c = memory_alloc(sizeof(*c));
	c->under_way = c->last = CHORES;
	c->runner = runner_new(store);
	if (c->runner == NULL)
		chores_free(&c);
	return c;
}

void
chores_free(struct chores **chores)
{
	if (*chores == NULL)
		return;
	runner_free(&(*chores)->runner);
	free(*chores);
	*chores = NULL;
}

void
chores_end_webhooks(struct chores *c, const uint64_t *webhook_ids, size_t count)
{
	c->webhook_count = count < WEBHOOKS_MAX ? count : WEBHOOKS_MAX;
	for (size_t i = 0; i < c->webhook_count; i++)
		c->webhooks[i] = webhook_ids[i];
}

void
chores_close_webhook(struct chores *c, uint64_t webhook_id, enum webhook_state state)
{
	if (c->closing_count < WEBHOOKS_MAX)
		c->closings[c->closing_count++] = (struct webhook_closing){ webhook_id, state };
}

void
chores_bulk_work(struct chores *c, bool queued)
{
	c->bulk_queued = queued;
}

/* ---- each of them: in the thread, and afterwards ---- */

static enum result
close_one(struct store *store, void *context)
{
	const struct chores *c = context;
	return store_close_webhook(store, c->work.closing.webhook_id, c->work.closing.state);
}

static bool
closed_one(struct chores *c UNUSED)
{
	return true; /* the next look finds what is left of its deliveries */
}

static enum result
end_some(struct store *store, void *context)
{
	struct chores *c = context;
	return store_fail_pending(store, c->work.webhook_id, END_CHUNK, &c->work.ended);
}

static bool
ended_some(struct chores *c)
{
	if (c->work.ended > 0) {
		log_debug("pending_ended", LOG_UINT("webhook", c->work.webhook_id), LOG_UINT("deliveries", c->work.ended));
		return true;
	}
	for (size_t i = 0; i < c->webhook_count; i++)
		if (c->webhooks[i] == c->work.webhook_id)
			c->webhooks[i--] = c->webhooks[--c->webhook_count];
	return false;
}

static enum result
keep_house(struct store *store, void *context)
{
	const struct chores *c = context;
	return store_housekeeping(store, c->work.keeps_days);
}

static bool
kept_house(struct chores *c)
{
	c->next_housekeeping_ms = clock_monotonic_ms() + HOUSEKEEPING_MS;
	return false;
}

static enum result
do_bulk(struct store *store, void *context)
{
	struct chores *c = context;
	struct pool *pool = pool_new();
	enum result result = bulk_run_chunk(store, pool, &c->work.bulk_left);
	pool_free(&pool);
	return result;
}

static bool
did_bulk(struct chores *c)
{
	c->bulk_queued = c->work.bulk_left;
	return true; /* webhooks may have to be told */
}

static const struct {
	const char *name;
	runner_work *work;
	bool (*done)(struct chores *);
} chores_all[CHORES] = {
	[CHORE_CLOSE] = { "close_webhook", close_one, closed_one },
	[CHORE_END] = { "end_pending", end_some, ended_some },
	[CHORE_HOUSE] = { "housekeeping", keep_house, kept_house },
	[CHORE_BULK] = { "bulk", do_bulk, did_bulk },
};

/* ---- whose turn it is ---- */

static int64_t
chore_when(const struct chores *c, enum chore chore)
{
	const bool wanted[CHORES] = { [CHORE_CLOSE] = c->closing_count > 0,
		[CHORE_END] = c->webhook_count > 0,
		[CHORE_HOUSE] = true,
		[CHORE_BULK] = c->bulk_queued };
	const int64_t when = chore == CHORE_HOUSE ? c->next_housekeeping_ms : 0;
	if (!wanted[chore])
		return CLOCK_NEVER;
	return when > c->away[chore].until_ms ? when : c->away[chore].until_ms;
}

int64_t
chores_when(const struct chores *c)
{
	int64_t first = CLOCK_NEVER;
	if (c->under_way != CHORES)
		return CLOCK_NEVER;
	for (enum chore chore = 0; chore < CHORES; chore++) {
		const int64_t when = chore_when(c, chore);
		first = when < first ? when : first;
	}
	return first;
}

/* They take turns by their ids: one that fails must not hold up the others. */
static uint64_t
next_webhook(const struct chores *c)
{
	uint64_t first = UINT64_MAX, next = UINT64_MAX;
	for (size_t i = 0; i < c->webhook_count; i++) {
		const uint64_t id = c->webhooks[i];
		first = id < first ? id : first;
		if (id > c->work.webhook_id)
			next = id < next ? id : next;
	}
	return next != UINT64_MAX ? next : first;
}

static struct webhook_closing
next_closing(struct chores *c)
{
	const struct webhook_closing first = c->closings[0];
	memmove(c->closings, c->closings + 1, --c->closing_count * sizeof(*c->closings));
	return first;
}

void
chores_begin(struct chores *c, bool keeps_days)
{
	const int64_t now = clock_monotonic_ms();
	for (unsigned i = 1; i <= CHORES; i++) {
		const enum chore chore = ((unsigned)c->last + i) % CHORES;
		if (chore_when(c, chore) > now)
			continue;
		c->under_way = c->last = chore;
		if (chore == CHORE_CLOSE)
			c->work.closing = next_closing(c);
		if (chore == CHORE_END)
			c->work.webhook_id = next_webhook(c);
		c->work.keeps_days = keeps_days;
		runner_start(c->runner, chores_all[chore].work, c);
		return;
	}
}

bool
chores_are_done(const struct chores *c)
{
	return c->under_way != CHORES && runner_is_done(c->runner);
}

bool
chores_settle(struct chores *c)
{
	enum result result = RESULT_OK;
	const enum chore chore = c->under_way;
	if (!runner_take(c->runner, &result))
		return false;
	c->under_way = CHORES;
	if (result != RESULT_OK) {
		back_off(&c->away[chore], chores_all[chore].name, result);
		if (chore == CHORE_CLOSE) /* after the others: one locked campaign must not hold them up */
			chores_close_webhook(c, c->work.closing.webhook_id, c->work.closing.state);
		return false;
	}
	c->away[chore] = (struct back_off){ 0 };
	return chores_all[chore].done(c);
}

bool
chores_are_left(const struct chores *c)
{
	return c->closing_count > 0 || c->webhook_count > 0 || c->bulk_queued || c->under_way != CHORES;
}

bool
chores_are_busy(const struct chores *c)
{
	return c->under_way != CHORES;
}

int
chores_fd(const struct chores *c)
{
	return runner_fd(c->runner);
}
