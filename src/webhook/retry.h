/* SPDX-License-Identifier: MIT
 * When a delivery is tried again (docs/deliveries.md 3). Pure: time and chance are handed in. */
#ifndef LEADHOOK_WEBHOOK_RETRY_H
#define LEADHOOK_WEBHOOK_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

enum {
	RETRY_DELAYS_MAX = 32,
	RETRY_DELAY_MAX_MS = 7 * 24 * 3600 * 1000,
	RETRY_AFTER_MAX_MS = 24 * 3600 * 1000,
	RETRY_JITTER_PERCENT = 20
};

struct retry_schedule {
	int64_t delays_ms[RETRY_DELAYS_MAX];
	unsigned count; /* a delivery has count + 1 attempts: the first is made at once */
};

/* A list of durations (base/duration.h), separated by commas or white space, each from 1 s to 7 d; an empty list makes one
 * attempt only. False, with *bad set to the item, when one is wrong or one too many; *schedule is then untouched. */
MUST_CHECK bool retry_schedule_parse(struct slice text, struct retry_schedule *schedule, struct slice *bad);

/* What came of an attempt. */
struct attempt_outcome {
	bool answered;          /* a whole answer came; false for timeouts, refused connections, DNS, TLS */
	int status;             /* of HTTP, when answered */
	int64_t retry_after_ms; /* from retry_after_parse; -1: none */
};

enum retry_verdict {
	RETRY_DELIVERED,
	RETRY_LATER,
	RETRY_EXHAUSTED, /* the schedule is at its end */
	RETRY_GONE       /* 410: the webhook is to be disabled, this and its pending deliveries have failed */
};

struct retry_decision {
	enum retry_verdict verdict;
	int64_t delay_ms; /* of RETRY_LATER, from now */
	int64_t hold_ms;  /* > 0: nothing goes to the whole webhook for that long (429 and 503 with Retry-After), whatever the
			     verdict is */
};

/* `attempts_made` counts this one: 1 after the first. `random` is any 64 bits (base/random.h): the jitter. Retry-After is a
 * floor, capped at RETRY_AFTER_MAX_MS; it is never shortened by the jitter. */
struct retry_decision retry_decide(
    const struct retry_schedule *schedule, const struct attempt_outcome *outcome, unsigned attempts_made, uint64_t random);

/* The value of a Retry-After header (RFC 9110 10.2.3) in milliseconds from `now_ms`: seconds, or a date in any of the three
 * forms of RFC 9110 5.6.7; a date that is past is 0. -1 for anything else and for the absent slice. Not capped, but never
 * more than fits. */
int64_t retry_after_parse(struct slice header, int64_t now_ms);

#endif
