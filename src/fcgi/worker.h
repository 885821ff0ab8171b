/* SPDX-License-Identifier: MIT
 * The process that accepts connections and serves them, one in each of its lanes. */
#pragma once

#include "base/attributes.h"
#include "fcgi/application.h"
#include "fcgi/listener.h"
#include "fcgi/scoreboard.h"
#include "os/notify.h"

struct worker_setup {
	const struct fcgi_options *options;
	const struct fcgi_application *application;
	struct listener *listener;
	struct scoreboard *scoreboard;
	size_t slot;
	struct notifier *notifier; /* for a process without a parent; otherwise NULL, because the parent reports */
	bool alone;                /* without a parent: this process handles HUP and the listener's path itself */
};

/* Serves until it is stopped or has reached its number of requests. Returns an exit status. Signals must be blocked
 * (fcgi/signals.h). */
MUST_CHECK int worker_run(const struct worker_setup *setup);
