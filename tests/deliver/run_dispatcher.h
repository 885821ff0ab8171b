/* SPDX-License-Identifier: MIT
 * Runs a dispatcher in its own fake world (fake_world.h). */
#pragma once

#include "deliver/dispatcher.h"
#include "fake_world.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };
enum { SLOTS = 32, PER_WEBHOOK = 8, POLL = 100 };

extern struct retry_schedule schedule;
/* Options of the next run; fresh_world sets those of a run from cron. */
extern struct dispatcher_options options;

/* The setup of every test. */
int fresh_world(void **state);
MUST_CHECK enum result run(struct lock *lock);
/* Attempts received by a webhook. */
size_t sent(uint64_t webhook_id);
/* Runs a daemon that is stopped at `until_ms`. */
void stay_until(int64_t until_ms);
