/* SPDX-License-Identifier: MIT
 * How often passwords may be tried for one address (docs/users.md 3). From the fifth failure on, the next attempt has to wait:
 * one second at first, twice as long after each further failure. An address is never locked out completely. */
#pragma once

#include <stdint.h>

#include "base/duration.h"

enum {
	LOGIN_FREE_FAILURES = 4, /* without a wait */
	LOGIN_WAIT_MAX_MS = 15 * MINUTE_MS,
	LOGIN_FAILURES_MS = DAY_MS, /* failures are forgotten this long after the end of the last wait */
	LOGIN_FAILURES_MAX = 1000   /* further failures are not counted, because waits no longer grow */
};

/* Initially zeroed: no failures. */
struct login_throttle {
	uint32_t failures;
	int64_t until_ms; /* end of the wait; without a wait, the time of the last attempt */
};

/* How long to wait before the next attempt; 0: it may be made now. */
int64_t login_throttle_wait_ms(const struct login_throttle *throttle, int64_t now_ms);
/* Counts an attempt as a failure. If it succeeds, the caller resets the throttle. */
void login_throttle_count(struct login_throttle *throttle, int64_t now_ms);
/* Takes back an attempt that neither failed nor succeeded, with its wait. Other attempts made since then stay counted. */
void login_throttle_uncount(struct login_throttle *throttle, int64_t now_ms);
