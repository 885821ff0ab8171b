/* SPDX-License-Identifier: MIT
 * Waits for descriptors and timers with epoll(7), and calls their handlers. One thread uses a loop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/attributes.h"

struct event_loop;

struct event_loop *event_loop_new(void);
/* Descriptors stay open. */
void event_loop_free(struct event_loop **loop);

/* ---- descriptors ---- */

/* `ready`: which of the wanted events have occurred; all of them after an error, which reading or writing then reports. */
typedef void event_handler(void *context, int fd, uint32_t ready);

/* Calls the handler while one of `events` (EPOLLIN, EPOLLOUT) holds; 0: no longer calls it. Replaces an earlier call for the
 * same descriptor. Returns false, with errno, when the system refuses. */
MUST_CHECK bool event_loop_watch(struct event_loop *loop, int fd, uint32_t events, event_handler *handler, void *context);
/* Likewise for EPOLLIN and a descriptor that must be watched; -1: ignored. A failure ends the process. */
void event_loop_watch_input(struct event_loop *loop, int fd, event_handler *handler, void *context);
/* Must be called before a watched descriptor is closed. -1: ignored. */
void event_loop_forget(struct event_loop *loop, int fd);
/* Leaves the descriptor registered with the system while none of its events is wanted, until it is forgotten. Saves two system
 * calls for a connection that is used again. */
void event_loop_keep(struct event_loop *loop, int fd);

/* ---- time ---- */

struct event_timer {
	int64_t due_ms; /* clock_monotonic_ms; CLOCK_NEVER: stopped. May be changed at any time */
	void (*run)(void *context, int64_t now_ms);
	void *context;
	LIST_ENTRY(event_timer) list;
};
/* The loop calls `run` when the timer is due, after it has set due_ms to CLOCK_NEVER. The timer belongs to the caller and must
 * be removed before it is freed. */
void event_loop_add_timer(struct event_loop *loop, struct event_timer *timer);
void event_loop_remove_timer(struct event_timer *timer);

/* Called when the thread has spent EVENT_DELAY_MS or more outside of the wait, or when the process was stopped, from `since_ms`
 * to `now_ms`: events and timers were handled later by that time. */
enum { EVENT_DELAY_MS = 100 };
typedef void event_delayed(void *context, int64_t since_ms, int64_t now_ms);
/* One handler for each loop. NULL: none. */
void event_loop_on_delay(struct event_loop *loop, event_delayed *handler, void *context);

/* ---- waiting ---- */

/* Handles events and timers until `until_ms` (clock_monotonic_ms), or until event_loop_return was called, but at least what is
 * ready now. */
void event_loop_wait(struct event_loop *loop, int64_t until_ms);
/* For handlers: ends the wait once all events that have occurred are handled. */
void event_loop_return(struct event_loop *loop);
