/* SPDX-License-Identifier: MIT */
#include "identity/login_throttle.h"

enum { FIRST_WAIT_MS = 1000 };

static int64_t
wait_after(uint32_t failures)
{
	int64_t wait_ms = FIRST_WAIT_MS;
	if (failures <= LOGIN_FREE_FAILURES)
		return 0;
	for (uint32_t i = LOGIN_FREE_FAILURES + 1; i < failures && wait_ms < LOGIN_WAIT_MAX_MS; i++)
		wait_ms *= 2;
	return wait_ms < LOGIN_WAIT_MAX_MS ? wait_ms : LOGIN_WAIT_MAX_MS;
}

int64_t
login_throttle_wait_ms(const struct login_throttle *throttle, int64_t now_ms)
{
	const int64_t wait_ms = throttle->until_ms - now_ms;
	if (wait_ms <= 0)
		return 0;
	return wait_ms < LOGIN_WAIT_MAX_MS ? wait_ms : LOGIN_WAIT_MAX_MS; /* otherwise the clock was set back */
}

void
login_throttle_count(struct login_throttle *throttle, int64_t now_ms)
{
	if (now_ms - throttle->until_ms > LOGIN_FAILURES_MS)
		throttle->failures = 0;
	if (throttle->failures < LOGIN_FAILURES_MAX)
		throttle->failures++;
	throttle->until_ms = now_ms + wait_after(throttle->failures);
}

void
login_throttle_uncount(struct login_throttle *throttle, int64_t now_ms)
{
	if (throttle->failures > 0)
		throttle->failures--;
	throttle->until_ms = now_ms;
}
