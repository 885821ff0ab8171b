/* SPDX-License-Identifier: MIT */
#include "fcgi/companion.h"

void
fcgi_companion_ready(struct fcgi_companion *companion)
{
	fcgi_companion_busy(companion, false);
	atomic_store(&companion->slot->ready, true);
}

void
fcgi_companion_busy(struct fcgi_companion *companion, bool busy)
{
	scoreboard_beat(companion->slot, busy);
}
