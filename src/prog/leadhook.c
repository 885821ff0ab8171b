/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include "deliver/dispatcher.h"
#include "fcgi/application.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/random.h"
#include "os/sandbox.h"
#include "prog/api_options.h"
#include "prog/wiring.h"
#include "shell/shell.h"
#include "shell/test_sending.h"
#include "store/batch.h"

/* The configuration; empty until it is loaded. For most commands it only has to be valid: they parse what they need. */
static struct wiring wiring;
static struct job_settings job_settings; /* from the configuration */

static bool
load(const char *path, enum conf_lists lists, struct conf **conf, struct buffer *problems)
{
	bool good = wiring_read(path, lists, &wiring, problems);
	*conf = wiring.conf;
	if (good)
		job_settings = wiring_job_settings(&wiring);
	return good;
}

/* Counts the workers of server.workers, because the command does not know --workers and --no-committer. Each lane of a worker
 * has at most one connection; so has each other process. */
static struct connection_needs
connection_needs(const struct conf *conf)
{
	const unsigned workers = conf->server.workers;
	return (struct connection_needs){
		.workers = workers == CONF_WORKERS_AUTO ? FCGI_WORKERS : workers,
		.per_worker = FCGI_LANES,
		.committer = workers == 0 ? 0 : 1,
		.dispatcher = DISPATCHER_CONNECTIONS,
		.mailer = wiring_has_mail(conf) ? 1 : 0,
		.texter = wiring_has_texts(conf) ? 1 : 0,
		.command = 1,
	};
}

/* ---- payloads of inbound webhooks, which the command runs like a responder ---- */

static void
execute(void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome)
{
	store_execute(context, pool,
	    &(struct execution){ .commands = &command, .count = 1, .deadline_ms = deadline_ms, .outcomes = outcome });
}

static enum result
find_campaign(
    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms UNUSED, struct campaign *campaign, int64_t *now_ms)
{
	return store_find_campaign(context, pool, id, campaign, now_ms);
}

static struct api_options api_options;
static struct api_common api_common;
static struct api_backend backend = { .execute = execute, .find_campaign = find_campaign };

/* ---- the parts of the command ---- */

static struct store *open_store(const struct conf *conf);

static struct operation_wiring parts = {
	.load = load,
	.open_store = open_store,
	.connection_needs = connection_needs,
	.job_settings = &job_settings,
	.send_test = shell_send_test,
	.webhook_addresses = &wiring.webhook_addresses,
	.mail_senders = &wiring.mail_senders,
	.sending_limits = wiring.sending_limits,
};

static struct store *
open_store(const struct conf *conf)
{
	struct store *store = wiring_store(conf, &wiring.disposable_domains, WIRING_ANSWER_MS);
	api_options = api_options_of(&wiring, NULL, WIRING_ANSWER_MS);
	backend.context = store;
	api_free(&parts.api);
	parts.api = api_new(&api_options, &api_common, store, NULL, &backend);
	return store;
}

int
main(int argc, char *argv[])
{
	sandbox_begin();
	sandbox_hide();
	descriptors_fill();
	int status = shell_main(argc, argv, &parts, stdout, stderr);
	api_free(&parts.api);
	pool_free(&wiring.pool);
	return status;
}
