/* SPDX-License-Identifier: MIT */
#include "os/event_loop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "os/clock.h"

enum { EVENTS_MAX = 256 };

struct watch {
	uint32_t wanted, registered; /* events */
	bool kept;
	event_handler *handler;
	void *context;
};

LIST_HEAD(event_timers, event_timer);

struct event_loop {
	int epoll;
	struct watch *watches; /* by descriptor */
	size_t watch_capacity;
	struct event_timers timers;
	event_delayed *delayed;
	void *delayed_context;
	int64_t expected_ms; /* when the clock is expected to be read again; if it is read later, the thread was held up */
	bool returns;        /* event_loop_return was called */
};

struct event_loop *
event_loop_new(void)
{
	struct event_loop *loop = memory_alloc(sizeof(*loop));
	LIST_INIT(&loop->timers);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		panic("epoll_create1 failed");
	loop->expected_ms = clock_monotonic_ms();
	return loop;
}

void
event_loop_free(struct event_loop **loop)
{
	if (*loop == NULL)
		return;
	close((*loop)->epoll);
	free((*loop)->watches);
	free(*loop);
	*loop = NULL;
}

/* ---- descriptors ---- */

static struct watch *
watch_of(struct event_loop *loop, int fd)
{
	const size_t before = loop->watch_capacity;
	if ((size_t)fd >= before) {
		loop->watch_capacity = 2 * ((size_t)fd + 1);
		loop->watches = memory_realloc(loop->watches, loop->watch_capacity * sizeof(struct watch));
		memset(loop->watches + before, 0, (loop->watch_capacity - before) * sizeof(struct watch));
	}
	return &loop->watches[fd];
}

static bool
register_events(const struct event_loop *loop, int fd, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	const int call = watch->registered == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
	if (events == watch->registered)
		return true;
	if (epoll_ctl(loop->epoll, call, fd, &event) != 0 && events != 0)
		return false;
	watch->registered = events;
	return true;
}

/* The next event wanted for a kept descriptor is most likely readability. */
bool
event_loop_watch(struct event_loop *loop, int fd, uint32_t events, event_handler *handler, void *context)
{
	struct watch *watch = watch_of(loop, fd);
	watch->wanted = events;
	watch->handler = handler;
	watch->context = context;
	if (events == 0 && watch->kept && watch->registered == EPOLLIN)
		return true;
	return register_events(loop, fd, watch, events);
}

void
event_loop_watch_input(struct event_loop *loop, int fd, event_handler *handler, void *context)
{
	if (fd >= 0 && !event_loop_watch(loop, fd, EPOLLIN, handler, context))
		panic("a descriptor cannot be watched");
}

void
event_loop_forget(struct event_loop *loop, int fd)
{
	if (fd < 0)
		return;
	struct watch *watch = watch_of(loop, fd);
	(void)register_events(loop, fd, watch, 0);
	*watch = (struct watch){ .wanted = 0 };
}

void
event_loop_keep(struct event_loop *loop, int fd)
{
	watch_of(loop, fd)->kept = true;
}

static void
handle_event(struct event_loop *loop, const struct epoll_event *event)
{
	const int fd = event->data.fd;
	struct watch *watch = watch_of(loop, fd);
	if (watch->wanted == 0) { /* the other end has closed a connection that is kept */
		(void)register_events(loop, fd, watch, 0);
		return;
	}
	const bool failed = (event->events & (EPOLLERR | EPOLLHUP)) != 0;
	const uint32_t ready = failed ? watch->wanted : event->events & watch->wanted;
	if (ready != 0) /* an earlier handler may have changed what is wanted */
		watch->handler(watch->context, fd, ready);
}

/* ---- time ---- */

void
event_loop_add_timer(struct event_loop *loop, struct event_timer *timer)
{
	LIST_INSERT_HEAD(&loop->timers, timer, list);
}

void
event_loop_remove_timer(struct event_timer *timer)
{
	LIST_REMOVE(timer, list);
}

void
event_loop_on_delay(struct event_loop *loop, event_delayed *handler, void *context)
{
	loop->delayed = handler;
	loop->delayed_context = context;
}

/* Returns the time, and reports a delay. */
static int64_t
read_clock(struct event_loop *loop)
{
	const int64_t now = clock_monotonic_ms();
	if (now - loop->expected_ms >= EVENT_DELAY_MS && loop->delayed != NULL)
		loop->delayed(loop->delayed_context, loop->expected_ms, now);
	loop->expected_ms = now;
	return now;
}

static void
run_timers(struct event_loop *loop)
{
	struct event_timer *timer, *next;
	const int64_t now = read_clock(loop);
	for (timer = LIST_FIRST(&loop->timers); timer != NULL; timer = next) {
		next = LIST_NEXT(timer, list);
		if (timer->due_ms > now)
			continue;
		timer->due_ms = CLOCK_NEVER;
		timer->run(timer->context, now);
	}
}

/* When the first timer is due, or `until_ms` if that is earlier. */
static int64_t
first_due_ms(const struct event_loop *loop, int64_t until_ms)
{
	const struct event_timer *timer;
	LIST_FOREACH(timer, &loop->timers, list)
	until_ms = timer->due_ms < until_ms ? timer->due_ms : until_ms;
	return until_ms;
}

/* ---- waiting ---- */

static void
run_events(struct event_loop *loop, int64_t until_ms)
{
	struct epoll_event events[EVENTS_MAX];
	const int64_t now = read_clock(loop);
	const int64_t timeout_ms = until_ms <= now ? 0 : until_ms - now < INT_MAX ? until_ms - now : INT_MAX;
	loop->expected_ms = now + timeout_ms;
	const int count = epoll_wait(loop->epoll, events, EVENTS_MAX, (int)timeout_ms);
	if (count < 0 && errno != EINTR)
		panic("epoll_wait failed");
	(void)read_clock(loop);
	for (int i = 0; i < count; i++)
		handle_event(loop, &events[i]);
}

void
event_loop_wait(struct event_loop *loop, int64_t until_ms)
{
	loop->returns = false;
	run_timers(loop);
	do {
		run_events(loop, loop->returns ? 0 : first_due_ms(loop, until_ms));
		run_timers(loop);
	} while (!loop->returns && read_clock(loop) < until_ms);
}

void
event_loop_return(struct event_loop *loop)
{
	loop->returns = true;
}
