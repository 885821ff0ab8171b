/* SPDX-License-Identifier: MIT
 * The process that takes connections and has them answered, one at a time. */
#ifndef LEADHOOK_FCGI_WORKER_H
#define LEADHOOK_FCGI_WORKER_H

#include "base/attributes.h"
#include "fcgi/listener.h"
#include "fcgi/scoreboard.h"
#include "fcgi/server.h"

struct worker_setup {
	const struct fcgi_options *options; /* defaults filled in */
	const struct fcgi_application *application;
	struct listener *listener;
	struct scoreboard *scoreboard;
	size_t slot;
	bool alone; /* no parent: HUP and the listener's path are this process's own business */
};

/* Serves until it is told to stop or has had its number of requests. Answers an exit status. Signals are blocked
 * (fcgi/signals.h). */
MUST_CHECK int worker_run(const struct worker_setup *setup);

#endif
