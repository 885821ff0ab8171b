/* SPDX-License-Identifier: MIT
 * The health of a webhook: its concurrency, its circuit breaker, and when it is disabled (docs/deliveries.md 3 and 4). Pure:
 * the time is an argument.
 *
 * While the breaker is open, only one probe at a time is sent, each after a wait. docs/deliveries.md has a state diagram. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct health_rules {
	size_t concurrency_start, concurrency_max; /* concurrency of deliveries to a webhook; at least 1 */
	unsigned breaker_failures;                 /* consecutive failures that open the breaker; at least 1 */
	int64_t probe_wait_ms;                     /* from opening to the first probe; doubles after each failed one … */
	int64_t probe_wait_max_ms;                 /* … up to this */
	int64_t disable_after_ms;                  /* time without a success */
};

/* All times are of one clock. */
struct health {
	unsigned failures;        /* failed attempts since the last success */
	unsigned probes;          /* how many of these were probes */
	int64_t failing_since_ms; /* time of the first of `failures`; -1: none */
	size_t concurrency;       /* how many deliveries may be under way */
	int64_t probe_at_ms;      /* the breaker allows nothing before this time */
	bool probing;             /* the attempt under way is a probe */
};

/* How an attempt changed the state. */
enum health_change {
	HEALTH_UNCHANGED,
	HEALTH_OPENED,  /* the breaker opened after consecutive failures */
	HEALTH_CLOSED,  /* the breaker closed after a success */
	HEALTH_DISABLED /* the webhook has failed for too long and must be disabled */
};

/* Restores the health from stored numbers. An open breaker has no wait: the caller stores when the webhook is due. */
struct health health_begin(const struct health_rules *rules, unsigned failures, unsigned probes, int64_t failing_since_ms);

/* True while only probes are allowed. */
bool health_is_open(const struct health_rules *rules, const struct health *health);

/* How many more attempts may start now while `in_flight` are under way. */
size_t health_allows(const struct health_rules *rules, const struct health *health, size_t in_flight, int64_t now_ms);

/* Records the start of an allowed attempt. */
void health_start(const struct health_rules *rules, struct health *health);

/* Record the end of an attempt. A success closes the breaker and increases the concurrency by one, starting from 1 if the
 * breaker was open. A failure halves the concurrency. */
MUST_CHECK enum health_change health_succeed(const struct health_rules *rules, struct health *health);
MUST_CHECK enum health_change health_fail(const struct health_rules *rules, struct health *health, int64_t now_ms);
