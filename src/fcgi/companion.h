/* SPDX-License-Identifier: MIT
 * The inside of fcgi/server.h's companion: how it tells its parent what it is at. */
#ifndef LEADHOOK_FCGI_COMPANION_H
#define LEADHOOK_FCGI_COMPANION_H

#include "fcgi/scoreboard.h"
#include "fcgi/server.h"

struct fcgi_companion {
	struct scoreboard_slot *slot;
};

#endif
