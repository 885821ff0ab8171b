/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "admin/admin.h"
#include "api/inbound.h"
#include "api/parameters.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/random.h"
#include "base/sandbox.h"
#include "deliver/dispatcher.h"
#include "deliver/lock.h"
#include "deliver/mail/judge.h"
#include "deliver/mail/smtp.h"
#include "deliver/send/request.h"
#include "deliver/send/web_client.h"
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
		.dispatcher =
		    (unsigned)DISPATCHER_CONNECTIONS + (wiring_has_mail(conf) ? 1U : 0U) + (wiring_has_texts(conf) ? 1U : 0U),
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

/* ---- The test of the mail server ---- */

static struct slice
test_mail(struct pool *pool, const char *sender, struct slice address, int64_t now_ms)
{
	char date[64];
	const time_t seconds = now_ms / 1000;
	struct tm utc;
	uint64_t number;
	random_bytes(&number, sizeof(number));
	gmtime_r(&seconds, &utc);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S +0000", &utc);
	return pool_printf(pool,
	    "Date: %s\r\nFrom: <%s>\r\nTo: <%.*s>\r\nMessage-ID: <test.%016" PRIx64 "@%s>\r\n"
	    "Subject: Test of Leadhook\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n"
	    "Auto-Submitted: auto-generated\r\n\r\nThe settings of leadhook.conf for mail work.\r\n",
	    date, sender, SLICE_ARGS(address), number, strchr(sender, '@') + 1);
}

static void
send_mail(struct pool *pool, struct slice address, struct admin_mail *mail)
{
	const struct mailer_options options = wiring_mailer(&wiring);
	const bool utf8 = !slice_is_ascii(address) || !slice_is_ascii(slice_of(options.server.sender));
	const struct smtp_mail sent = { pool_string(pool, address), utf8,
		test_mail(pool, options.server.sender, address, clock_wall_ms()) };
	struct smtp_result *result = POOL_NEW(pool, struct smtp_result);
	const int64_t begun_ms = clock_monotonic_ms();
	wiring_prepare_sending();
	struct smtp_connection *connection = smtp_new(&options.server, NULL);
	smtp_send(connection, &sent, result);
	smtp_free(&connection);
	const struct mail_judgement judgement = mail_judge(result);
	*mail = (struct admin_mail){ .accepted = judgement.verdict == MAIL_SENT,
		.status = result->status,
		.answer = *result->answer == '\0' ? SLICE_NONE : slice_of(result->answer),
		.reason = slice_of(judgement.reason),
		.error = *result->error == '\0' ? SLICE_NONE : slice_of(result->error),
		.hint = judgement.reason == NULL ? SLICE_NONE : slice_of(mail_hint(judgement.reason)),
		.duration_ms = clock_monotonic_ms() - begun_ms };
}

/* ---- Requests to the own web server ---- */

static void
send_request(struct pool *pool, const struct admin_request *request, struct admin_answer *answer)
{
	const struct web_request sent = { .method = request->method,
		.url = request->url,
		.ca_file = request->ca_file,
		.user_agent = request->user_agent,
		.headers = request->headers,
		.header_count = request->header_count,
		.body = request->body,
		.parts = request->parts,
		.pause_ms = request->pause_ms,
		.timeout_ms = request->timeout_ms };
	struct web_answer got = { .error = SENDER_INTERNAL, .error_text = SLICE("libcurl lacks an option") };
	const bool sends = web_client_send(pool, &sent, &got);
	*answer = (struct admin_answer){ .failure = !sends || (got.error != SENDER_OK && got.error != SENDER_CERTIFICATE)
							? ADMIN_NOT_ANSWERED
						    : got.error == SENDER_OK ? ADMIN_ANSWERED
									     : ADMIN_BAD_CERTIFICATE,
		.error = got.error_text,
		.status = got.status,
		.headers = got.headers,
		.body = got.body,
		.local_address = got.local_address };
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
run_inbound(void *context UNUSED, struct store *store, struct pool *pool, const struct inbound_webhook *webhook,
    const struct inbound_call *call, bool only_try, struct inbound_result *result)
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
		.send_mail = send_mail,
		.prepare_sending = wiring_prepare_sending,
		.send_request = send_request,
		.ca_file = web_client_ca_file,
		.see_dispatcher = lock_read,
		.run_inbound = run_inbound,
		.metric_routes = api_metric_routes,
		.is_reserved = parameter_is_reserved,
		.webhook_addresses = &wiring.webhook_addresses,
		.mail_senders = &wiring.mail_senders,
	};
	sandbox_begin();
	sandbox_hide(true);
	descriptors_fill();
	int status = admin_main(argc, argv, &parts, stdout, stderr);
	pool_free(&wiring.pool);
	return status;
}
