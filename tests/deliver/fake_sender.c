/* SPDX-License-Identifier: MIT
 * The fake world's threads and receivers. Time passes here, while the dispatcher waits. */
#include "fake_world.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/attributes.h"
#include "base/panic.h"
#include "base/pool.h"
#include "deliver/process/runner.h"
#include "deliver/slots.h"
#include "os/event_loop.h"

enum { IDLE_WAITS_MAX = 10000 };

/* Descriptors: the one for signals, as in run_dispatcher.c, and those of the threads, from which nothing is read. */
enum { STOP_FD = 0, THREAD_FDS = 1000, WATCHES = 8 };

struct attempt_in_flight {
	void *cookie;
	struct world_webhook *webhook;
	struct world_answer answer;
	int64_t started_ms, ends_ms;
};

struct sender {
	struct sender_options options;
	sender_done *done;
	void *context;
	struct attempt_in_flight *attempts;
	size_t count;
	size_t idle_waits; /* consecutive waits in which no time passes */
};
static struct sender *the_sender;

/* ---- threads: a batch is recorded at its end, a task is run at its start ---- */

struct runner {
	struct store *store;
	runner_work *work;
	void *context;
	enum result result;
	int64_t done_ms;
	bool busy;
};

static struct runner *runners[WORLD_THREADS];

static int
place_of(const struct store *store)
{
	return store == WORLD_RECORDER ? 0 : store == WORLD_MAINTENANCE ? 1 : store == WORLD_OPERATOR ? 2 : 3;
}

struct runner *
runner_new(struct store *store)
{
	struct runner *runner = memory_alloc(sizeof(*runner));
	runner->store = store;
	runners[place_of(store)] = runner;
	return runner;
}

/* Runs the work without advancing the dispatcher's clock; returns its duration. */
static int64_t
run_now(struct runner *runner)
{
	const int64_t before = world.now_ms;
	world.thread = runner->store;
	runner->result = runner->work(runner->store, runner->context);
	world.thread = NULL;
	const int64_t took = world.now_ms - before;
	world.now_ms = before;
	return took;
}

void
runner_free(struct runner **runner)
{
	if ((*runner)->busy && (*runner)->store == WORLD_RECORDER)
		(void)run_now(*runner);
	for (size_t i = 0; i < WORLD_THREADS; i++)
		runners[i] = runners[i] == *runner ? NULL : runners[i];
	free(*runner);
	*runner = NULL;
}

void
runner_start(struct runner *runner, runner_work *work, void *context)
{
	if (runner->busy)
		abort();
	runner->work = work;
	runner->context = context;
	runner->busy = true;
	runner->done_ms = world.now_ms + (runner->store == WORLD_RECORDER ? world.record_ms : run_now(runner));
}

bool
runner_take(struct runner *runner, enum result *result)
{
	if (!runner->busy || world.now_ms < runner->done_ms)
		return false;
	if (runner->store == WORLD_RECORDER)
		(void)run_now(runner);
	runner->busy = false;
	*result = runner->result;
	return true;
}

int
runner_fd(const struct runner *runner)
{
	return THREAD_FDS + place_of(runner->store);
}

/* When the first of the threads is done. */
static int64_t
first_done_ms(void)
{
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < WORLD_THREADS; i++)
		if (runners[i] != NULL && runners[i]->busy && runners[i]->done_ms < first)
			first = runners[i]->done_ms;
	return first;
}

/* ---- the sender ---- */

struct slice
sender_error_name(enum sender_error error)
{
	return error == SENDER_OK ? SLICE_NONE : error == SENDER_INTERRUPTED ? SLICE("interrupted") : SLICE("fake");
}

struct sender *
sender_new(struct event_loop *loop UNUSED, const struct sender_options *options, sender_done *done, void *context)
{
	struct sender *sender = memory_alloc(sizeof(*sender));
	sender->options = *options;
	sender->done = done;
	sender->context = context;
	sender->attempts = memory_alloc(options->in_flight * sizeof(*sender->attempts));
	the_sender = sender;
	world.run++;
	world.unrecorded = 0;
	return sender;
}

void
sender_free(struct sender **sender)
{
	if (*sender == NULL)
		return;
	free((*sender)->attempts);
	free(*sender);
	*sender = NULL;
}

/* One signature, or two during a rotation of the secret. */
static unsigned
signatures_in(const struct attempt *attempt)
{
	unsigned count = 0;
	for (size_t i = 0; i < attempt->header_count; i++)
		if (slice_starts_with(attempt->headers[i], SLICE("webhook-signature: ")))
			for (size_t at = 0; at + 3 < attempt->headers[i].size; at++)
				count += memcmp(attempt->headers[i].data + at, " v1,", 4) == 0 ? 1 : 0;
	return count;
}

static struct world_answer
next_answer(struct world_webhook *webhook)
{
	struct world_answer usual = { webhook->status, webhook->error, webhook->retry_after, 1 };
	if (webhook->script_count == 0)
		return webhook->received <= webhook->fails_first ? (struct world_answer){ .status = 500 } : usual;
	struct world_answer *answer = &webhook->script[webhook->script_at];
	if (webhook->script_at + 1 < webhook->script_count && --answer->times == 0)
		webhook->script_at++;
	return *answer;
}

void
sender_start(struct sender *sender, const struct attempt *attempt, void *cookie)
{
	const uint64_t webhook_id = strtoul(strrchr(attempt->url, '/') + 1, NULL, 10);
	struct world_webhook *webhook = &world.webhooks[webhook_id];
	if (sender->count == sender->options.in_flight)
		abort();
	if (world.fatal != 0 && ((const struct slot *)cookie)->delivery.id == world.fatal)
		panic("poison");
	world_note_start(((const struct slot *)cookie)->delivery.id);
	webhook->received++;
	if (++webhook->in_flight > webhook->most_in_flight)
		webhook->most_in_flight = webhook->in_flight;
	world.seen[world.seen_count++ % WORLD_SEEN] = (struct world_seen){ world.now_ms, webhook_id, signatures_in(attempt) };
	sender->attempts[sender->count++] = (struct attempt_in_flight){ .cookie = cookie,
		.webhook = webhook,
		.answer = next_answer(webhook),
		.started_ms = world.now_ms,
		.ends_ms = world.now_ms + webhook->latency_ms };
	if (world.killer != 0 && ((const struct slot *)cookie)->delivery.id == world.killer)
		world_kill();
}

static void
end_attempt(struct sender *sender, size_t at)
{
	struct attempt_in_flight attempt = sender->attempts[at];
	struct attempt_result result = {
		.error = attempt.answer.error,
		.status = attempt.answer.status,
		.retry_after = slice_of(attempt.answer.retry_after),
		.duration_ms = world.now_ms - attempt.started_ms,
	};
	sender->attempts[at] = sender->attempts[--sender->count];
	attempt.webhook->in_flight--;
	sender->done(sender->context, attempt.cookie, &result);
}

int64_t __wrap_clock_monotonic_ms(void);
int64_t __wrap_clock_monotonic_us(void);
int64_t __wrap_clock_boot_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return world.now_ms;
}

int64_t
__wrap_clock_monotonic_us(void)
{
	return 1000 * world.now_ms;
}

int64_t
__wrap_clock_boot_ms(void)
{
	return world.now_ms + world.suspended_ms;
}

/* Fails the test when the dispatcher spins. */
static void
note_wait(struct sender *sender, bool idle)
{
	sender->idle_waits = idle ? sender->idle_waits + 1 : 0;
	if (sender->idle_waits > IDLE_WAITS_MAX) {
		fprintf(stderr, "the dispatcher spins at %lld ms\n", (long long)world.now_ms);
		abort();
	}
}

static bool
readable(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	return fd >= 0 && poll(&one, 1, 0) == 1;
}

/* ---- the loop ---- */

struct event_loop {
	struct {
		int fd;
		uint32_t events;
		event_handler *handler;
		void *context;
	} watches[WATCHES];
	size_t count;
};

struct event_loop *
event_loop_new(void)
{
	return memory_alloc(sizeof(struct event_loop));
}

void
event_loop_free(struct event_loop **loop)
{
	free(*loop);
	*loop = NULL;
}

bool
event_loop_watch(struct event_loop *loop, int fd, uint32_t events, event_handler *handler, void *context)
{
	size_t at = 0;
	while (at < loop->count && loop->watches[at].fd != fd)
		at++;
	if (at == loop->count && loop->count++ == WATCHES)
		abort();
	loop->watches[at].fd = fd;
	loop->watches[at].events = events;
	loop->watches[at].handler = handler;
	loop->watches[at].context = context;
	return true;
}

void
event_loop_watch_input(struct event_loop *loop, int fd, event_handler *handler, void *context)
{
	if (fd >= 0)
		(void)!event_loop_watch(loop, fd, EPOLLIN, handler, context);
}

void
event_loop_forget(struct event_loop *loop, int fd)
{
	for (size_t i = 0; i < loop->count; i++)
		if (loop->watches[i].fd == fd)
			loop->watches[i] = loop->watches[--loop->count];
}

void
event_loop_return(struct event_loop *loop UNUSED)
{
}

/* Whether the dispatcher waits for its wake socket, and the socket is readable. */
static bool
is_woken(const struct event_loop *loop)
{
	for (size_t i = 0; i < loop->count; i++)
		if (loop->watches[i].fd != STOP_FD && loop->watches[i].fd < THREAD_FDS && loop->watches[i].events != 0 &&
		    readable(loop->watches[i].fd))
			return true;
	return false;
}

static bool
is_ready(int fd)
{
	if (fd == STOP_FD)
		return world.stop_ms >= 0 && world.now_ms >= world.stop_ms;
	if (fd >= THREAD_FDS)
		return runners[fd - THREAD_FDS]->busy && world.now_ms >= runners[fd - THREAD_FDS]->done_ms;
	return readable(fd);
}

static bool
waits_for_stop(const struct event_loop *loop)
{
	for (size_t i = 0; i < loop->count; i++)
		if (loop->watches[i].fd == STOP_FD)
			return world.stop_ms >= 0;
	return false;
}

/* A handler may remove its descriptor; the last descriptor then takes its place. */
static void
handle_ready(struct event_loop *loop)
{
	world.wakes += is_woken(loop);
	for (size_t i = loop->count; i-- > 0;)
		if (i < loop->count && loop->watches[i].events != 0 && is_ready(loop->watches[i].fd))
			loop->watches[i].handler(loop->watches[i].context, loop->watches[i].fd, EPOLLIN);
}

void
event_loop_wait(struct event_loop *loop, int64_t until)
{
	struct sender *sender = the_sender;
	const int64_t before = world.now_ms;
	for (size_t i = 0; i < sender->count; i++)
		until = sender->attempts[i].ends_ms < until ? sender->attempts[i].ends_ms : until;
	if (waits_for_stop(loop) && world.stop_ms < until)
		until = world.stop_ms;
	if (world.happen != NULL && world.happens_ms < until)
		until = world.happens_ms;
	if (first_done_ms() < until)
		until = first_done_ms();
	if (is_woken(loop))
		until = before;
	world.now_ms = until > before ? until : before;
	while (world.happen != NULL && world.happens_ms <= world.now_ms)
		world.happen();
	size_t ended = 0;
	for (size_t i = sender->count; i > 0; i--)
		if (sender->attempts[i - 1].ends_ms <= world.now_ms) {
			end_attempt(sender, i - 1);
			ended++;
		}
	note_wait(sender, ended == 0 && world.now_ms == before);
	handle_ready(loop);
}
