/* SPDX-License-Identifier: MIT
 * The process that forks the workers, replaces them and ends them; it touches nothing but signals. */
#ifndef LEADHOOK_FCGI_PARENT_H
#define LEADHOOK_FCGI_PARENT_H

#include "base/attributes.h"
#include "fcgi/listener.h"
#include "fcgi/server.h"

/* Keeps `workers` (> 0) workers at it until it is told to stop. `options` have their defaults filled in; signals are blocked
 * (fcgi/signals.h); the application is prepared. Answers an exit status. */
MUST_CHECK int parent_run(
    const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener, size_t workers);

#endif
