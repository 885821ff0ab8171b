/* SPDX-License-Identifier: MIT
 * Private part of fcgi/server.h's companion: how it reports its state to the parent. */
#ifndef LEADHOOK_FCGI_COMPANION_H
#define LEADHOOK_FCGI_COMPANION_H

#include "fcgi/scoreboard.h"
#include "fcgi/server.h"

struct fcgi_companion {
	struct scoreboard_slot *slot;
};

#endif
