/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <stdio.h>

#include "admin/admin.h"
#include "api/inbound.h"
#include "api/parameters.h"
#include "base/descriptors.h"
#include "base/sandbox.h"
#include "deliver/dispatcher.h"
#include "deliver/lock.h"
#include "deliver/send/request.h"
#include "fcgi/server.h"
#include "prog/api_options.h"
#include "prog/wiring.h"

/* The configuration; empty until it is loaded. For most commands it only has to be valid: they parse what they need. */
static struct wiring wiring;

static bool
load(const char *path, bool lists, struct conf **conf, struct buffer *problems)
{
	bool good = wiring_read(path, lists, &wiring, problems);
	*conf = wiring.conf;
	return good;
}

static struct store *
open_store(const struct conf *conf)
{
	return wiring_store(conf, &wiring.disposable_domains, WIRING_ANSWER_MS);
}

/* From server.workers: check has neither --workers nor --no-committer. Each process has at most one connection. */
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
struct pending_attempt {
	struct pool *pool;
	struct admin_attempt *attempt;
	bool done;
};

static void
on_done(void *context, void *cookie UNUSED, const struct attempt_result *result)
{
	struct pending_attempt *pending = context;
	*pending->attempt = (struct admin_attempt){
		.status = result->status,
		.error = sender_error_name(result->error),
		.answer = pool_copy(pending->pool, result->answer),
		.duration_ms = result->duration_ms,
	};
	pending->done = true;
}

static bool
deliver(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct admin_attempt *made)
{
	struct sender_options options = wiring_sender(&wiring);
	struct pending_attempt pending = { .pool = pool, .attempt = made };
	struct attempt attempt = { 0 };
	options.in_flight = 1;
	wiring_prepare_sending();
	if (!request_make(pool, delivery, now_ms, &attempt)) {
		*made = (struct admin_attempt){ .error = sender_error_name(SENDER_INTERNAL) };
		return true;
	}
	struct sender *sender = sender_new(&options, on_done, &pending);
	if (sender == NULL)
		return false;
	sender_start(sender, &attempt, NULL);
	static const int no_fds[SENDER_WAKE_FDS] = { -1, -1, -1, -1, -1 };
	while (!pending.done)
		sender_wait(sender, options.timeout_ms, no_fds);
	sender_free(&sender);
	return true;
}

/* ---- Payloads of inbound webhooks, which the command runs as a responder would ---- */

static void
execute(void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome)
{
	store_execute(context, pool, &command, 1, deadline_ms, outcome, NULL);
}

static enum result
find_campaign(
    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms UNUSED, struct campaign *campaign, int64_t *now_ms)
{
	return store_find_campaign(context, pool, id, campaign, now_ms);
}

static void
run_inbound(struct store *store, struct pool *pool, const struct inbound_webhook *webhook, const struct inbound_call *call,
    bool only_try, struct inbound_result *result)
{
	const struct api_options options = api_options_of(&wiring, NULL, WIRING_ANSWER_MS);
	const struct api_backend backend = { .context = store, .execute = execute, .find_campaign = find_campaign };
	struct api *api = api_new(&options, store, NULL, &backend);
	api_run_inbound(api, pool, webhook, call->content_type, call->body, only_try, result);
	api_free(&api);
}

int
main(int argc, char *argv[])
{
	static const struct admin_wiring parts = {
		.load = load,
		.open_store = open_store,
		.connection_needs = connection_needs,
		.deliver = deliver,
		.see_dispatcher = lock_read,
		.run_inbound = run_inbound,
		.is_reserved = parameter_is_reserved,
		.webhook_addresses = &wiring.webhook_addresses,
	};
	sandbox_begin();
	sandbox_hide(true);
	descriptors_fill();
	int status = admin_main(argc, argv, &parts, stdout, stderr);
	pool_free(&wiring.pool);
	return status;
}
