/* SPDX-License-Identifier: MIT */
#include "fcgi/server.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "fcgi/listener.h"
#include "fcgi/parent.h"
#include "fcgi/scoreboard.h"
#include "fcgi/signals.h"
#include "fcgi/worker.h"
#include "fcgi/worker_count.h"
#include "os/log.h"
#include "os/notify.h"

static size_t
count_workers(const struct fcgi_options *options, const struct listener *listener)
{
	int workers = options->workers;
	if (workers >= 0)
		return workers < FCGI_WORKERS_MAX ? (size_t)workers : FCGI_WORKERS_MAX;
	if (workers == FCGI_WORKERS_UNSET && listener_descriptor(listener) == STDIN_FILENO)
		return 0;
	return fcgi_workers_auto(options->workers_per_core);
}

static int
serve_alone(const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener,
    struct notifier *notifier)
{
	const struct worker_setup setup = {
		.options = options,
		.application = application,
		.listener = listener,
		.scoreboard = scoreboard_new(1),
		.notifier = notifier,
		.alone = true,
	};
	if (setup.scoreboard == NULL) {
		log_error("scoreboard_failed", LOG_ERRNO(errno));
		return EX_OSERR;
	}
	return worker_run(&setup);
}

int
fcgi_serve(const struct fcgi_options *options, const struct fcgi_application *application)
{
	int status;
	signals_block();
	struct listener *listener = listener_open(options, &status);
	if (listener == NULL)
		return status;
	struct notifier *notifier = notifier_new();
	size_t workers = count_workers(options, listener);
	log_info("serving", LOG_STR("listen", listener_name(listener)), LOG_UINT("workers", workers));
	status = workers == 0 ? serve_alone(options, application, listener, notifier)
			      : parent_run(options, application, listener, workers, notifier);
	log_info("stopped", LOG_INT("status", status));
	notifier_free(&notifier);
	listener_close(&listener);
	return status;
}
