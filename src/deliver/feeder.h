/* SPDX-License-Identifier: MIT
 * Leases shards, finds webhooks with due deliveries and fetches the deliveries, in a thread of its own, so that the dispatcher
 * keeps sending. Fetched deliveries wait in slots; the scheduler decides their order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "deliver/dispatcher.h"
#include "deliver/maintenance.h"
#include "deliver/scheduler.h"
#include "deliver/slots.h"
#include "deliver/tasks.h"
#include "os/clock.h"

struct feeder;
struct job_worker;
struct store;

enum {
	FEEDER_ROWS = 512,         /* maximum number of deliveries that wait to be sent */
	FEEDER_WEBHOOKS_MAX = 8192 /* maximum number of webhooks with something due or under way */
};

/* What it uses; must stay valid. `lock` may be NULL. */
struct feeder_parts {
	struct event_loop *loop;
	const struct dispatcher_options *options;
	struct scheduler *scheduler;
	struct slots *slots;
	struct maintenance *maintenance;
	struct job_worker *jobs;
	struct lock *lock;
	const unsigned char *owner; /* the owner of the leases and of the signs that the dispatcher works */
};

/* Returns NULL, logged, when no thread can be created. */
struct feeder *feeder_new(struct store *store, const struct feeder_parts *with);
/* Waits for the current task. */
void feeder_free(struct feeder **feeder);

/* The tasks of its thread. */
struct tasks *feeder_tasks(const struct feeder *feeder);

/* Called before each wait. Watches the options' wake_fd only while a wake would make the next poll earlier, so that many wakes
 * cost no more than one. */
void feeder_watch_wakes(struct feeder *feeder);

/* The database's time. */
int64_t feeder_database_ms(const struct feeder *feeder);
/* The database's time minus clock_monotonic_ms. */
int64_t feeder_database_ahead_ms(const struct feeder *feeder);
/* True while the leases of the shards outlast any attempt that starts now. */
bool feeder_may_send(const struct feeder *feeder);
/* The database refused an outcome, perhaps because another dispatcher has the shard: nothing is sent until the lease is
 * renewed. Otherwise the delivery, which stays due, would be sent again and again. */
void feeder_doubt_lease(struct feeder *feeder);
/* Releases deliveries that have waited too long to be sent: their webhook may have changed. */
void feeder_drop_old(struct feeder *feeder);
/* When feeder_drop_old has something to do. */
int64_t feeder_drop_ms(const struct feeder *feeder);
/* Call when other threads have made progress: the next poll may find more. */
void feeder_note_progress(struct feeder *feeder);
/* True when the last poll has found nothing, and nothing has changed since. */
bool feeder_found_nothing(const struct feeder *feeder);

/* Called in each iteration of the loop with the time that the recorder has been busy with its current task. The dispatcher
 * writes no heartbeat (store/heartbeats.h) while that time is too long, or while the loop or the feeder's own thread hangs. */
void feeder_note_recorder(struct feeder *feeder, int64_t busy_ms);

/* Stops fetching. The shards are released once no slot is used. */
void feeder_end(struct feeder *feeder);
bool feeder_has_ended(const struct feeder *feeder);
/* True after the first poll. */
bool feeder_has_polled(const struct feeder *feeder);
