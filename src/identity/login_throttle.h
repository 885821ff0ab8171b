/* SPDX-License-Identifier: MIT
 * How often the password of one address may be tried (docs/users.md 3): from the fifth failure on there is a wait before the
 * next attempt, of a second at first, that doubles with each failure. The address is never locked for longer. */
#ifndef LEADHOOK_IDENTITY_LOGIN_THROTTLE_H
#define LEADHOOK_IDENTITY_LOGIN_THROTTLE_H

#include <stdint.h>

enum {
	LOGIN_FREE_FAILURES = 4, /* without a wait */
	LOGIN_WAIT_MAX_MS = 15 * 60 * 1000,
	LOGIN_FAILURES_MS = 24 * 3600 * 1000, /* failures no longer count that long after the last wait has ended */
	LOGIN_FAILURES_MAX = 1000             /* more are not counted: waits do not grow any more */
};

/* Zeros: no failures. */
struct login_throttle {
	uint32_t failures;
	int64_t until_ms; /* end of the wait; when the last attempt was made, if there is no wait */
};

/* The time until an attempt may be made; 0: now. */
int64_t login_throttle_wait_ms(const struct login_throttle *throttle, int64_t now_ms);
/* Counts an attempt, as a failure until it has succeeded. */
void login_throttle_count(struct login_throttle *throttle, int64_t now_ms);
/* Takes one back that was neither a failure nor a success. Its wait is no longer due; another attempt made since then is
 * counted. */
void login_throttle_uncount(struct login_throttle *throttle, int64_t now_ms);

#endif
