/* SPDX-License-Identifier: MIT
 * The process that forks, replaces and ends the workers; it handles only signals. */
#pragma once

#include "base/attributes.h"
#include "fcgi/application.h"
#include "fcgi/listener.h"
#include "os/notify.h"

/* Runs `workers` (> 0) workers until it is stopped. Signals are blocked (fcgi/signals.h), the application is
 * prepared. Reports to the notifier: it is ready when all children are, and alive while it supervises them. Returns an exit
 * status. */
MUST_CHECK int parent_run(const struct fcgi_options *options, const struct fcgi_application *application,
    struct listener *listener, size_t workers, struct notifier *notifier);
