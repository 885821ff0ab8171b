/* SPDX-License-Identifier: MIT */
#include "fcgi/server.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>

#include "base/log.h"
#include "fcgi/listener.h"
#include "fcgi/parent.h"
#include "fcgi/scoreboard.h"
#include "fcgi/signals.h"
#include "fcgi/worker.h"

static struct fcgi_options
with_defaults(struct fcgi_options options)
{
	const struct {
		int64_t *value, fallback;
	} times[] = {
		{ &options.request_timeout_ms, 30000 },
		{ &options.receive_timeout_ms, 10000 },
		{ &options.silence_timeout_ms, 5000 },
		{ &options.idle_ms, 1000 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (*times[i].value <= 0)
			*times[i].value = times[i].fallback;
	if (options.workers_per_core == 0)
		options.workers_per_core = FCGI_WORKERS_PER_CORE;
	return options;
}

static size_t
count_workers(const struct fcgi_options *options, const struct listener *listener)
{
	int workers = options->workers;
	if (workers >= 0)
		return workers < FCGI_WORKERS_MAX ? (size_t)workers : FCGI_WORKERS_MAX;
	if (workers == FCGI_WORKERS_UNSET && listener_is_standard_input(listener))
		return 0;
	return fcgi_workers_auto(options->workers_per_core);
}

static int
serve_alone(const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener)
{
	const struct worker_setup setup = {
		.options = options,
		.application = application,
		.listener = listener,
		.scoreboard = scoreboard_new(1),
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
	const struct fcgi_options settled = with_defaults(*options);
	int status;
	signals_block();
	struct listener *listener = listener_open(&settled, &status);
	if (listener == NULL)
		return status;
	size_t workers = count_workers(&settled, listener);
	log_info("serving", LOG_STR("listen", listener_name(listener)), LOG_UINT("workers", workers));
	status =
	    workers == 0 ? serve_alone(&settled, application, listener) : parent_run(&settled, application, listener, workers);
	log_info("stopped", LOG_INT("status", status));
	listener_close(&listener);
	return status;
}
