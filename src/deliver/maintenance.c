/* SPDX-License-Identifier: MIT */
#include "deliver/maintenance.h"

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
	MAINTENANCE_MS = 10 * 1000
};

enum task { TASK_CLOSE, TASK_END, TASK_MAINTAIN, TASK_BULK, TASKS };

struct webhook_closing {
	uint64_t webhook_id;
	enum webhook_state state;
};

struct maintenance {
	struct runner *runner;
	const struct crashes *crashes;
	enum task under_way; /* TASKS: none */
	enum task last;      /* the one before: the next one's turn is first */
	struct back_off away[TASKS];

	struct webhook_closing closings[WEBHOOKS_MAX]; /* the oldest first */
	size_t closing_count;
	uint64_t webhooks[WEBHOOKS_MAX];
	size_t webhook_count;
	int64_t next_maintenance_ms;
	bool bulk_queued;

	/* what the thread is given, and what it answers */
	struct {
		struct webhook_closing closing;
		uint64_t webhook_id;
		size_t ended;
		bool maintains_days, bulk_left;
	} work;
};

struct maintenance *
maintenance_new(struct store *store, const struct crashes *crashes)
{
	struct maintenance *c = memory_alloc(sizeof(*c));
	c->under_way = c->last = TASKS;
	c->crashes = crashes;
	c->runner = runner_new(store);
	if (c->runner == NULL)
		maintenance_free(&c);
	return c;
}

void
maintenance_free(struct maintenance **maintenance)
{
	if (*maintenance == NULL)
		return;
	runner_free(&(*maintenance)->runner);
	free(*maintenance);
	*maintenance = NULL;
}

void
maintenance_end_webhooks(struct maintenance *c, const uint64_t *webhook_ids, size_t count)
{
	c->webhook_count = count < WEBHOOKS_MAX ? count : WEBHOOKS_MAX;
	for (size_t i = 0; i < c->webhook_count; i++)
		c->webhooks[i] = webhook_ids[i];
}

void
maintenance_close_webhook(struct maintenance *c, uint64_t webhook_id, enum webhook_state state)
{
	if (c->closing_count < WEBHOOKS_MAX)
		c->closings[c->closing_count++] = (struct webhook_closing){ webhook_id, state };
}

void
maintenance_bulk_work(struct maintenance *c, bool queued)
{
	c->bulk_queued = queued;
}

/* ---- each of them: in the thread, and afterwards ---- */

static enum result
close_one(struct store *store, void *context)
{
	const struct maintenance *c = context;
	return store_close_webhook(store, c->work.closing.webhook_id, c->work.closing.state);
}

static bool
closed_one(struct maintenance *c UNUSED)
{
	return true; /* the next look finds what is left of its deliveries */
}

static enum result
end_some(struct store *store, void *context)
{
	struct maintenance *c = context;
	return store_fail_pending(store, c->work.webhook_id, END_CHUNK, &c->work.ended);
}

static bool
ended_some(struct maintenance *c)
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
maintain(struct store *store, void *context)
{
	const struct maintenance *c = context;
	return store_maintain(store, c->work.maintains_days);
}

static bool
maintained(struct maintenance *c)
{
	c->next_maintenance_ms = clock_monotonic_ms() + MAINTENANCE_MS;
	return false;
}

static enum result
do_bulk(struct store *store, void *context)
{
	struct maintenance *c = context;
	struct pool *pool = pool_new();
	enum result result = bulk_run_chunk(store, pool, c->crashes, &c->work.bulk_left);
	pool_free(&pool);
	return result;
}

static bool
did_bulk(struct maintenance *c)
{
	c->bulk_queued = c->work.bulk_left;
	return true; /* webhooks may have to be told */
}

static const struct {
	const char *name;
	runner_work *work;
	bool (*done)(struct maintenance *);
} maintenance_all[TASKS] = {
	[TASK_CLOSE] = { "close_webhook", close_one, closed_one },
	[TASK_END] = { "end_pending", end_some, ended_some },
	[TASK_MAINTAIN] = { "housekeeping", maintain, maintained },
	[TASK_BULK] = { "bulk", do_bulk, did_bulk },
};

/* ---- whose turn it is ---- */

static int64_t
task_when(const struct maintenance *c, enum task task)
{
	const bool wanted[TASKS] = { [TASK_CLOSE] = c->closing_count > 0,
		[TASK_END] = c->webhook_count > 0,
		[TASK_MAINTAIN] = true,
		[TASK_BULK] = c->bulk_queued };
	const int64_t when = task == TASK_MAINTAIN ? c->next_maintenance_ms : 0;
	if (!wanted[task])
		return CLOCK_NEVER;
	return when > c->away[task].until_ms ? when : c->away[task].until_ms;
}

int64_t
maintenance_when(const struct maintenance *c)
{
	int64_t first = CLOCK_NEVER;
	if (c->under_way != TASKS)
		return CLOCK_NEVER;
	for (enum task task = 0; task < TASKS; task++) {
		const int64_t when = task_when(c, task);
		first = when < first ? when : first;
	}
	return first;
}

/* They take turns by their ids: one that fails must not hold up the others. */
static uint64_t
next_webhook(const struct maintenance *c)
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
next_closing(struct maintenance *c)
{
	const struct webhook_closing first = c->closings[0];
	memmove(c->closings, c->closings + 1, --c->closing_count * sizeof(*c->closings));
	return first;
}

void
maintenance_begin(struct maintenance *c, bool maintains_days)
{
	const int64_t now = clock_monotonic_ms();
	for (unsigned i = 1; i <= TASKS; i++) {
		const enum task task = ((unsigned)c->last + i) % TASKS;
		if (task_when(c, task) > now)
			continue;
		c->under_way = c->last = task;
		if (task == TASK_CLOSE)
			c->work.closing = next_closing(c);
		if (task == TASK_END)
			c->work.webhook_id = next_webhook(c);
		c->work.maintains_days = maintains_days;
		runner_start(c->runner, maintenance_all[task].work, c);
		return;
	}
}

bool
maintenance_are_done(const struct maintenance *c)
{
	return c->under_way != TASKS && runner_is_done(c->runner);
}

bool
maintenance_settle(struct maintenance *c)
{
	enum result result = RESULT_OK;
	const enum task task = c->under_way;
	if (!runner_take(c->runner, &result))
		return false;
	c->under_way = TASKS;
	if (result != RESULT_OK) {
		back_off(&c->away[task], maintenance_all[task].name, result);
		if (task == TASK_CLOSE) /* after the others: one locked campaign must not hold them up */
			maintenance_close_webhook(c, c->work.closing.webhook_id, c->work.closing.state);
		return false;
	}
	c->away[task] = (struct back_off){ 0 };
	return maintenance_all[task].done(c);
}

bool
maintenance_are_left(const struct maintenance *c)
{
	return c->closing_count > 0 || c->webhook_count > 0 || c->bulk_queued || c->under_way != TASKS;
}

bool
maintenance_are_busy(const struct maintenance *c)
{
	return c->under_way != TASKS;
}

int
maintenance_fd(const struct maintenance *c)
{
	return runner_fd(c->runner);
}
