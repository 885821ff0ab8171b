/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <stdio.h>

#include "admin/admin.h"
#include "base/descriptors.h"
#include "base/sandbox.h"
#include "deliver/dispatcher.h"
#include "deliver/request.h"
#include "fcgi/server.h"
#include "prog/wiring.h"

/* What the configuration comes to; empty until it is loaded. Of most commands nothing but that it is right: what they need,
 * they parse themselves. */
static struct wiring wiring;

static bool
load(const char *path, struct conf **conf, struct buffer *problems)
{
	bool good = wiring_read(path, &wiring, problems);
	*conf = wiring.conf;
	return good;
}

static struct store *
open_store(const struct conf *conf)
{
	return wiring_store(conf, NULL, WIRING_ANSWER_MS);
}

/* By server.workers: check knows neither --workers nor --no-committer. Each process holds one connection at most. */
static struct connection_needs
connection_needs(const struct conf *conf)
{
	const unsigned workers = conf->server.workers;
	return (struct connection_needs){
		.workers = workers == CONF_WORKERS_AUTO ? (unsigned)fcgi_workers_auto(FCGI_WORKERS_PER_CORE) : workers,
		.committer = 1,
		.dispatcher = DISPATCHER_CONNECTIONS,
		.command = 1,
	};
}

/* An attempt that is under way. */
struct sending {
	struct pool *pool;
	struct admin_attempt *attempt;
	bool done;
};

static void
on_done(void *context, void *cookie UNUSED, const struct attempt_result *result)
{
	struct sending *sending = context;
	*sending->attempt = (struct admin_attempt){
		.status = result->status,
		.error = sender_error_name(result->error),
		.answer = pool_copy(sending->pool, result->answer),
		.duration_ms = result->duration_ms,
	};
	sending->done = true;
}

static bool
deliver(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct admin_attempt *made)
{
	struct sender_options options = wiring_sender(&wiring);
	struct sending sending = { .pool = pool, .attempt = made };
	struct attempt attempt = { 0 };
	options.in_flight = 1;
	wiring_prepare_sending();
	if (!request_make(pool, delivery, now_ms, &attempt)) {
		*made = (struct admin_attempt){ .error = sender_error_name(SENDER_INTERNAL) };
		return true;
	}
	struct sender *sender = sender_new(&options, on_done, &sending);
	if (sender == NULL)
		return false;
	sender_start(sender, &attempt, NULL);
	static const int nobody[SENDER_WAKE_FDS] = { -1, -1 };
	while (!sending.done)
		sender_wait(sender, options.timeout_ms, nobody);
	sender_free(&sender);
	return true;
}

int
main(int argc, char *argv[])
{
	static const struct admin_wiring parts = {
		.load = load,
		.open_store = open_store,
		.connection_needs = connection_needs,
		.deliver = deliver,
	};
	sandbox_begin();
	sandbox_hide(true);
	descriptors_fill();
	int status = admin_main(argc, argv, &parts, stdout, stderr);
	pool_free(&wiring.pool);
	return status;
}
