/* SPDX-License-Identifier: MIT
 * How a webhook fares, and how much it is sent: its window, its circuit breaker, and when it is disabled (docs/deliveries.md 3
 * and 4). Pure: time is handed in.
 *
 * The breaker is closed, or open: then nothing is sent but one probe at a time, each when the wait after the one before is
 * over. docs/deliveries.md draws it. */
#ifndef LEADHOOK_WEBHOOK_HEALTH_H
#define LEADHOOK_WEBHOOK_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct health_rules {
	size_t window_start, window_max; /* deliveries under way at a time; at least 1 */
	unsigned breaker_failures;       /* in a row, that open the breaker; at least 1 */
	int64_t probe_wait_ms;           /* from the opening to the first probe; doubles after each that fails … */
	int64_t probe_wait_max_ms;       /* … up to this */
	int64_t disable_after_ms;        /* of nothing but failures */
};

/* Times are all of one clock. */
struct health {
	unsigned failures;        /* attempts since the last success */
	unsigned probes;          /* of them, those that were probes */
	int64_t failing_since_ms; /* the first of them; -1: none */
	size_t window;
	int64_t probe_at_ms; /* the breaker lets nothing through before */
	bool probing;        /* the attempt under way is a probe */
};

/* What came of an attempt, beyond the numbers. */
enum health_change {
	HEALTH_UNCHANGED,
	HEALTH_OPENED,  /* the breaker, by a failure too many */
	HEALTH_CLOSED,  /* the breaker, by a success */
	HEALTH_DISABLED /* failed for too long: is to be disabled */
};

/* Of a webhook that has failed as often as that, as far as is known. When the breaker is open its wait is over: whoever keeps
 * these numbers keeps the wait. */
struct health health_begin(const struct health_rules *rules, unsigned failures, unsigned probes, int64_t failing_since_ms);

/* True while only probes are let through. */
bool health_is_open(const struct health_rules *rules, const struct health *health);

/* How many more attempts may start now, with `in_flight` under way. */
size_t health_allows(const struct health_rules *rules, const struct health *health, size_t in_flight, int64_t now_ms);

/* An attempt starts that was allowed. */
void health_start(const struct health_rules *rules, struct health *health);

/* An attempt has ended. After a success the breaker is closed and the window grows by one, from 1 when it was open; after a
 * failure it is halved. */
MUST_CHECK enum health_change health_end(const struct health_rules *rules, struct health *health, bool success, int64_t now_ms);

#endif
