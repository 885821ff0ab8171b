/* SPDX-License-Identifier: MIT */
#include "fcgi/companion.h"

#include "base/clock.h"

void
fcgi_companion_ready(struct fcgi_companion *companion)
{
	fcgi_companion_busy(companion, false);
	atomic_store(&companion->slot->ready, true);
}

void
fcgi_companion_busy(struct fcgi_companion *companion, bool busy)
{
	atomic_store(&companion->slot->busy_since, busy ? clock_monotonic_ms() : 0);
}
