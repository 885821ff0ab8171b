/* SPDX-License-Identifier: MIT
 * setcontext(3) enters a fiber for the first time. After that, _setjmp and _longjmp switch between the stacks. Unlike
 * swapcontext(3), they do not set the signal mask, which is the same for all and would cost two system calls for each wait. The
 * longjmp of _FORTIFY_SOURCE allows jumps within one stack only. */
#undef _FORTIFY_SOURCE
#include "os/fiber.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/panic.h"
#include "base/pool.h"
#include "os/clock.h"
#include "os/log.h"

#if HAS_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#else
/* The address sanitizer must know on which stack the thread runs. */
#define __sanitizer_start_switch_fiber(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#define __sanitizer_finish_switch_fiber(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#endif

/* Inaccessible memory below each stack: an overflow ends the process. Larger than the distance from which valgrind takes a
 * change of the stack pointer for another stack. */
enum { GUARD_BYTES = 3 * 1024 * 1024 };

struct fiber {
	struct event_loop *loop;
	ucontext_t start; /* where it begins */
	jmp_buf place;    /* where it continues */
	void *memory;     /* the guard and the stack */
	void (*run)(void *context);
	void *argument;
	bool started; /* `start` was used */
	bool running;
	/* while it waits */
	struct event_timer timer;
	bool timed_out;
	struct log_field work; /* its current work (os/log.h) */
	bool has_work;
};

static _Thread_local struct fiber *current;
/* Where the thread continues when a fiber waits. */
static _Thread_local struct {
	jmp_buf place;
	const void *stack;
	size_t stack_bytes;
} outside;

/* Continues the fiber until it waits or its function returns. */
static void
enter(struct fiber *fiber)
{
	void *fake = NULL;
	current = fiber;
	__sanitizer_start_switch_fiber(&fake, (char *)fiber->memory + GUARD_BYTES, FIBER_STACK_BYTES);
	if (_setjmp(outside.place) == 0) {
		if (fiber->started)
			_longjmp(fiber->place, 1);
		fiber->started = true;
		setcontext(&fiber->start);
		panic("setcontext failed");
	}
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
	current = NULL;
}

/* The time of a wait is over. */
static void
late(void *context, int64_t now_ms UNUSED)
{
	struct fiber *fiber = context;
	fiber->timed_out = true;
	enter(fiber);
}

struct fiber *
fiber_new(struct event_loop *loop)
{
	struct fiber *fiber = memory_alloc(sizeof(*fiber));
	fiber->loop = loop;
	fiber->memory = mmap(
	    NULL, GUARD_BYTES + FIBER_STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (fiber->memory == MAP_FAILED ||
	    mprotect((char *)fiber->memory + GUARD_BYTES, FIBER_STACK_BYTES, PROT_READ | PROT_WRITE) != 0)
		memory_exhausted();
	fiber->timer = (struct event_timer){ .due_ms = CLOCK_NEVER, .run = late, .context = fiber };
	event_loop_add_timer(loop, &fiber->timer);
	return fiber;
}

void
fiber_free(struct fiber **fiber)
{
	if (*fiber == NULL)
		return;
	require(!(*fiber)->running);
	event_loop_remove_timer(&(*fiber)->timer);
	munmap((*fiber)->memory, GUARD_BYTES + FIBER_STACK_BYTES);
	free(*fiber);
	*fiber = NULL;
}

/* Returns when the fiber is continued. */
static void
leave(struct fiber *fiber)
{
	void *fake = NULL;
	const struct log_field *work = log_current_work();
	fiber->has_work = work != NULL;
	if (fiber->has_work)
		fiber->work = *work;
	log_work_done();
	__sanitizer_start_switch_fiber(&fake, outside.stack, outside.stack_bytes);
	if (_setjmp(fiber->place) == 0)
		_longjmp(outside.place, 1);
	__sanitizer_finish_switch_fiber(fake, &outside.stack, &outside.stack_bytes);
	if (fiber->has_work)
		log_work(fiber->work);
}

/* The first function on the stack of a fiber, for all that it runs. */
static void
run_forever(void)
{
	struct fiber *fiber = current;
	__sanitizer_finish_switch_fiber(NULL, &outside.stack, &outside.stack_bytes);
	for (;;) {
		fiber->run(fiber->argument);
		fiber->running = false;
		leave(fiber);
	}
}

void
fiber_run(struct fiber *fiber, void (*run)(void *context), void *context)
{
	require(current == NULL && !fiber->running);
	fiber->run = run;
	fiber->argument = context;
	fiber->running = true;
	if (!fiber->started) {
		getcontext(&fiber->start);
		fiber->start.uc_stack.ss_sp = (char *)fiber->memory + GUARD_BYTES;
		fiber->start.uc_stack.ss_size = FIBER_STACK_BYTES;
		fiber->start.uc_link = NULL;
		makecontext(&fiber->start, run_forever, 0);
	}
	enter(fiber);
}

bool
fiber_is_running(const struct fiber *fiber)
{
	return fiber->running;
}

bool
fiber_is_current(void)
{
	return current != NULL;
}

/* An event_handler. */
static void
ready(void *context, int fd UNUSED, uint32_t events UNUSED)
{
	enter(context);
}

static bool
wait_alone(int fd, short events, int64_t until_ms)
{
	for (;;) {
		struct pollfd one = { .fd = fd, .events = events };
		const int64_t left = until_ms - clock_monotonic_ms();
		if (left <= 0)
			return false;
		const int ready_count = poll(&one, 1, left < INT_MAX ? (int)left : INT_MAX);
		if (ready_count > 0)
			return true;
		if (ready_count < 0 && errno != EINTR)
			panic("poll failed");
	}
}

bool
fiber_wait(int fd, short events, int64_t until_ms)
{
	struct fiber *fiber = current;
	if (fiber == NULL)
		return wait_alone(fd, events, until_ms);
	if (fd >= 0 && !event_loop_watch(fiber->loop, fd, (uint32_t)events, ready, fiber))
		panic("a descriptor cannot be watched");
	fiber->timed_out = false;
	fiber->timer.due_ms = until_ms;
	leave(fiber);
	fiber->timer.due_ms = CLOCK_NEVER;
	if (fd >= 0 && !event_loop_watch(fiber->loop, fd, 0, NULL, NULL))
		panic("a descriptor cannot be watched");
	return !fiber->timed_out;
}

void
fiber_pause(int64_t ms)
{
	(void)fiber_wait(-1, 0, clock_monotonic_ms() + ms);
}

void
fiber_keep(int fd)
{
	if (current != NULL)
		event_loop_keep(current->loop, fd);
}

void
fiber_forget(int fd)
{
	if (current != NULL)
		event_loop_forget(current->loop, fd);
}
