/* SPDX-License-Identifier: MIT
 * Retry times of deliveries (docs/deliveries.md 3). Pure: time and randomness are arguments. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/slice.h"

enum { RETRY_DELAYS_MAX = 32, RETRY_DELAY_MAX_MS = 7 * DAY_MS, RETRY_AFTER_MAX_MS = DAY_MS, RETRY_JITTER_PERCENT = 20 };

struct retry_schedule {
	int64_t delays_ms[RETRY_DELAYS_MAX];
	unsigned count; /* a delivery has count + 1 attempts: the first is made at once */
};

/* A list of durations (base/duration.h), separated by commas or white space, each from 1 s to 7 d; an empty list means a single
 * attempt. Returns false, with *bad set to the first invalid or excess item and *schedule unchanged, on errors. */
MUST_CHECK bool retry_schedule_parse(struct slice text, struct retry_schedule *schedule, struct slice *bad);

/* What the receiver answered to an attempt. */
struct retry_answer {
	bool answered;          /* a complete response was received; false for timeouts, refused connections, DNS, TLS */
	int status;             /* HTTP status, when answered */
	int64_t retry_after_ms; /* from retry_after_parse; -1: none */
	struct slice accepts;   /* for retry_is_taken */
};

/* Makes the delay up to RETRY_JITTER_PERCENT shorter or longer. `random`: any 64 bits (os/random.h). */
int64_t retry_jitter_ms(int64_t delay_ms, uint64_t random);

/* Whether a complete answer with this status means that the receiver accepted the delivery: 2xx, or a status in `accepts`, the
 * webhook's list, which is separated by commas and may be absent. */
bool retry_is_taken(int status, struct slice accepts);

enum retry_kind {
	RETRY_DELIVERED,
	RETRY_LATER,
	RETRY_EXHAUSTED /* no attempts are left in the schedule */
};

struct retry_decision {
	enum retry_kind kind;
	bool gone;        /* 410: the webhook becomes gone */
	int64_t delay_ms; /* for RETRY_LATER, from now */
	int64_t hold_ms;  /* > 0: how long to hold the webhook (429 and 503 with Retry-After), for any kind */
};

/* `attempts_made` includes this one: 1 after the first. `random` is any 64 bits (os/random.h), for the jitter. Retry-After is
 * a minimum, capped at RETRY_AFTER_MAX_MS; the jitter never shortens it. */
struct retry_decision retry_decide(
    const struct retry_schedule *schedule, const struct retry_answer *answer, unsigned attempts_made, uint64_t random);

/* Parses a Retry-After header (RFC 9110 10.2.3): seconds, or a date in any of the three forms of RFC 9110 5.6.7. Returns
 * milliseconds from `now_ms`, 0 for a past date, -1 for anything else and for the absent slice. Not capped; saturates. */
int64_t retry_after_parse(struct slice header, int64_t now_ms);
