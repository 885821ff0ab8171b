/* SPDX-License-Identifier: MIT
 * Fibers: functions that take turns in one thread. A fiber runs until it waits; the thread then continues another one. So a
 * process can have many requests in progress, and the code that handles one is written as if there were no other. What fibers
 * share changes only while one of them waits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "os/event_loop.h"

struct fiber;

/* The loop must outlive the fiber. The fiber has a stack of FIBER_STACK_BYTES, of which only the pages that were used take
 * memory. */
enum { FIBER_STACK_BYTES = 1024 * 1024 };
struct fiber *fiber_new(struct event_loop *loop);
/* The fiber must not be running. */
void fiber_free(struct fiber **fiber);

/* Runs `run(context)` until it waits for the first time or returns; the loop continues it. Not called in a fiber, and not while
 * this one is running. */
void fiber_run(struct fiber *fiber, void (*run)(void *context), void *context);
/* Whether its function has not returned yet. */
bool fiber_is_running(const struct fiber *fiber);

/* Whether the caller is in a fiber. */
bool fiber_is_current(void);
/* Waits until the descriptor is ready for `events` (POLLIN, POLLOUT), or has failed. Returns false when `until_ms`
 * (clock_monotonic_ms) came first. -1: waits for the time only. In a fiber, others run in the meantime; elsewhere, this is
 * poll(2). At most one fiber may wait for a descriptor. Changes errno. */
bool fiber_wait(int fd, short events, int64_t until_ms);
/* Sleeps. */
void fiber_pause(int64_t ms);
/* For a descriptor that fibers wait for again and again until it can be read: saves the system calls of registering it for each
 * wait. Call fiber_forget before it is closed. Both do nothing outside of fibers. */
void fiber_keep(int fd);
void fiber_forget(int fd);
