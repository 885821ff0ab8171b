/* SPDX-License-Identifier: MIT
 * leadhook-fcgi(8): FastCGI responders. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sysexits.h>
#include <unistd.h>

#include "api/api.h"
#include "commit/client.h"
#include "commit/committer.h"
#include "fcgi/exchange.h"
#include "fcgi/listener.h"
#include "fcgi/scoreboard.h"
#include "fcgi/server.h"
#include "identity/phone.h"
#include "manage/manage.h"
#include "os/clock.h"
#include "os/crash.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/sandbox.h"
#include "prog/api_options.h"
#include "prog/backend.h"
#include "prog/confinement.h"
#include "prog/program_options.h"
#include "prog/wiring.h"

static const char program[] = "leadhook-fcgi";

/* A response contains a lead, or a part of a list; a response that is larger than this becomes 500 answer_too_large. A header
 * may repeat the query. */
enum { ANSWER_MAX_BYTES = 16 * 1024 * 1024, HEADERS_MAX_BYTES = 256 * 1024 };

/* After a request, a response buffer above ANSWER_KEEP_BYTES is freed. Memory is returned to the system by the next free lane
 * after the pools have freed more than TRIM_BYTES: the requests then used about 1 MiB. */
enum { ANSWER_KEEP_BYTES = 16 * 1024, TRIM_BYTES = 384 * 1024 };

/* The parsed configuration and what depends on it. */
struct setup {
	struct wiring wiring;
	struct limiter *limiter;
	struct work_slots *slots[WORK_KINDS];
};

/* Created in the parent, inherited by the workers. */
struct service {
	const char *config_path;
	int64_t request_timeout_ms; /* from the first configuration; the parent uses it, too */
	struct setup setup, next;   /* `next` is prepared, and replaces `setup` when it is adopted */
	struct api_options api;
	struct api_common common; /* of the lanes of a worker */
	bool has_committer;
	struct endpoint committer;      /* shared by all generations */
	struct suspects *suspects;      /* shared by all generations */
	struct commit_answers *answers; /* empty in the parent; of all lanes in a worker */
	const char *own_socket;         /* path of the socket that a responder without a parent removes; "": none */
	struct sandbox *sandbox;        /* for new processes; NULL: none */
	bool is_confined;               /* this process has entered it */
};

struct lane {
	const struct service *service;
	struct store *store, *reader; /* for lists; NULL: they are read from `store` */
	struct backend sources;
	struct api_backend backend;
	struct api *api;
	struct operation_wiring operations;
	struct manage *manage;
	struct pool *pool; /* of the request */
	struct buffer answer;
	struct http_request request; /* read before its body */
};

static void
setup_free(struct setup *setup)
{
	limiter_close(&setup->limiter);
	for (int kind = 0; kind < WORK_KINDS; kind++)
		work_slots_close(&setup->slots[kind]);
	wiring_free(&setup->wiring);
}

/* If the database hangs, a request waits for at most one response; if its connection was idle before, it also waits for a new
 * connection and for a second response. The client must get its 503 before the worker is killed. */
static struct store *
open_store(const struct service *service, const struct wiring *wiring)
{
	int64_t share = service->request_timeout_ms / 4;
	return wiring_store(wiring->conf, &wiring->disposable_domains, share < WIRING_ANSWER_MS ? share : WIRING_ANSWER_MS);
}

static enum result
try_database(const struct service *service, const struct wiring *wiring)
{
	struct store *store = open_store(service, wiring);
	const enum result result = wiring_try_database(store);
	store_free(&store);
	return result;
}

/* Opens what all programs of the host share. */
static bool
open_limits(struct setup *setup)
{
	setup->limiter = wiring_limiter(&setup->wiring);
	bool opened = setup->limiter != NULL;
	for (int kind = 0; opened && kind < WORK_KINDS; kind++) {
		setup->slots[kind] = wiring_slots(setup->wiring.conf, (enum work_kind)kind);
		opened = setup->slots[kind] != NULL;
	}
	return opened;
}

/* Everything that can fail for the new workers is tried while the old ones serve. The limiter is last: it may replace its
 * file. */
static bool
prepare(void *context)
{
	struct service *service = context;
	struct setup *next = &service->next;
	if (!wiring_load(NULL, service->config_path, WIRING_TO_RUN, &next->wiring))
		return false;
	const bool works = try_database(service, &next->wiring) == RESULT_OK;
	if (works && open_limits(next))
		return true;
	setup_free(next);
	return false;
}

/* Computes the values that depend on the setup. */
static void
derive(struct service *service)
{
	/* the client must get its response before the worker is killed */
	service->api = api_options_of(&service->setup.wiring, service->setup.limiter, service->request_timeout_ms / 2);
	phone_load(); /* loads some megabytes that the workers then share */
	sandbox_free(&service->sandbox);
	if (!service->is_confined) /* once confined, no other sandbox is possible */
		service->sandbox = confinement_of_responder(service->setup.wiring.conf, service->own_socket);
}

static void
adopt(void *context)
{
	struct service *service = context;
	setup_free(&service->setup);
	service->setup = service->next;
	service->next = (struct setup){ .limiter = NULL };
	wiring_start_log(program, &service->setup.wiring);
	metrics_open(service->setup.wiring.conf->server.state_dir, LOG_LEVEL_WARNING);
	derive(service);
}

/* A read host that hangs must leave time for the other store. */
static struct store *
open_reader(const struct service *service)
{
	int64_t share = service->request_timeout_ms / 8;
	return wiring_reader(service->setup.wiring.conf, share < WIRING_ANSWER_MS / 2 ? share : WIRING_ANSWER_MS / 2);
}

static void
confine(struct service *service)
{
	sandbox_enter(&service->sandbox);
	service->is_confined = true;
}

static bool
prepare_committer(void *context)
{
	struct service *service = context;
	service->suspects = suspects_new();
	if (service->suspects == NULL)
		log_error("no_shared_memory", LOG_ERRNO(errno));
	service->answers = commit_answers_new();
	service->has_committer = service->suspects != NULL && endpoint_open(&service->committer);
	return service->has_committer;
}

static void
report_committer(void *slot, enum committer_state state)
{
	if (state == COMMITTER_READY)
		scoreboard_ready(slot);
	else if (state == COMMITTER_BUSY)
		scoreboard_busy(slot);
	else
		scoreboard_idle(slot);
}

/* Memory that the committer keeps between batches: freeing it after each batch would cost as much as writing a response. */
enum { BATCH_KEEP_BYTES = 8 * 1024 * 1024 };

static int
run_committer(void *context, struct scoreboard_slot *slot)
{
	struct service *service = context;
	confine(service);
	const struct wiring *wiring = &service->setup.wiring;
	struct store *store = open_store(service, wiring);
	struct wake_sender *dispatcher = wake_sender_new(wiring->conf->dispatch.lock_file);
	struct wake_sender *mailer = wake_sender_new(wiring_outbox_file(wiring, MAIL_CHANNEL));
	prctl(PR_SET_NAME, "leadhook-commit"); /* for ps(1) */
	mallopt(M_MMAP_THRESHOLD, BATCH_KEEP_BYTES);
	mallopt(M_TRIM_THRESHOLD, BATCH_KEEP_BYTES);
	const struct committer_options committer = {
		.endpoint = &service->committer,
		.store = store,
		.suspects = service->suspects,
		.dispatcher = dispatcher,
		.mailer = mailer,
		.idle_ms = service->setup.wiring.conf->server.idle_timeout,
		.report = report_committer,
		.context = slot,
	};
	int status = committer_run(&committer);
	wake_sender_free(&dispatcher);
	wake_sender_free(&mailer);
	store_free(&store);
	return status;
}

/* Reads, and commands that change no leads, use a store of the lane's own, which connects on demand. */
static void
open_backend(struct lane *lane, struct service *service)
{
	const struct wiring *wiring = &service->setup.wiring;
	lane->store = open_store(service, wiring);
	if (service->has_committer) {
		endpoint_close(&service->committer); /* otherwise this process would hold connections that it does not serve */
		lane->sources.committer = commit_client_new(&service->committer, service->answers);
	} else {
		lane->sources = (struct backend){
			.store = lane->store,
			.directory = commit_directory_new(lane->store),
			.dispatcher = wake_sender_new(wiring->conf->dispatch.lock_file),
		};
	}
	lane->sources.mailer = wake_sender_new(wiring_outbox_file(wiring, MAIL_CHANNEL));
	lane->backend = backend_for_api(&lane->sources);
}

static void
open_management(struct lane *lane)
{
	const struct setup *setup = &lane->service->setup;
	const struct wiring *wiring = &setup->wiring;
	const struct conf *conf = wiring->conf;
	lane->operations = (struct operation_wiring){ .api = lane->api,
		.webhook_addresses = &wiring->webhook_addresses,
		.mail_senders = &wiring->mail_senders,
		.sending_limits = wiring->sending_limits };
	const struct manage_options options = { .conf = conf,
		.wiring = &lane->operations,
		.login = { .store = lane->store,
		    .limiter = setup->limiter,
		    .slots = setup->slots[WORK_HASHES],
		    .limits = { conf->users.session_idle, conf->users.session_max },
		    .base_url = slice_of(conf->server.base_url),
		    .service_name = SLICE("Leadhook") },
		.long_calls = setup->slots[WORK_LONG_CALLS] };
	lane->api->manage = lane->manage = manage_new(&options);
}

static void *
lane_start(void *context)
{
	struct service *service = context;
	struct lane *lane = memory_alloc(sizeof(*lane));
	lane->service = service;
	confine(service);
	open_backend(lane, service);
	lane->reader = open_reader(service);
	lane->api = api_new(&service->api, &service->common, lane->store, lane->reader, &lane->backend);
	open_management(lane);
	lane->pool = pool_new();
	buffer_init(&lane->answer, ANSWER_MAX_BYTES + HEADERS_MAX_BYTES);
	return lane;
}

static void
lane_stop(void *state)
{
	struct lane *lane = state;
	buffer_free(&lane->answer);
	pool_free(&lane->pool);
	manage_free(&lane->manage);
	api_free(&lane->api);
	commit_client_free(&lane->sources.committer);
	commit_directory_free(&lane->sources.directory);
	wake_sender_free(&lane->sources.dispatcher);
	wake_sender_free(&lane->sources.mailer);
	store_free(&lane->store);
	store_free(&lane->reader);
	free(lane);
}

static struct slice
environment(void *context, const char *name)
{
	return fcgi_exchange_param(context, name);
}

/* nginx before 1.23 passes each line of a header separately, and drops headers whose names are only similar, so its lines form
 * one list. With other web servers, one of the values may come from the client. */
static void
join_forwarded_for(struct lane *lane, const struct fcgi_exchange *exchange)
{
	static const char name[] = "HTTP_X_FORWARDED_FOR";
	struct http_request *request = &lane->request;
	const bool several = fcgi_exchange_param_is_ambiguous(exchange, name);
	const bool one_name = slice_starts_with(fcgi_exchange_param(exchange, "SERVER_SOFTWARE"), SLICE("nginx/"));
	if (several && one_name)
		request->forwarded_for = fcgi_exchange_param_lines(exchange, lane->pool, name);
	request->forwarded_for_is_ambiguous = several && !one_name;
}

/* The limit depends on the path. */
static size_t
body_limit(void *state, const struct fcgi_exchange *exchange)
{
	struct lane *lane = state;
	/* a request with a bad path is kept, without its path */
	(void)!http_request_init(&lane->request, lane->pool, environment, (void *)exchange,
	    slice_of(lane->service->setup.wiring.conf->server.base_path));
	join_forwarded_for(lane, exchange);
	lane->request.sender_is_ambiguous = fcgi_exchange_param_is_ambiguous(exchange, "HTTP_FORWARDED") ||
					    fcgi_exchange_param_is_ambiguous(exchange, "HTTP_VIA") ||
					    fcgi_exchange_param_is_ambiguous(exchange, "HTTP_SEC_FETCH_SITE");
	lane->request.arrived_ms = clock_monotonic_ms();
	log_work(LOG_STR("request", pool_string(lane->pool, lane->request.request_id)));
	return api_body_limit(lane->api, &lane->request);
}

static const enum http_body_state body_states[] = {
	[FCGI_BODY_COMPLETE] = HTTP_BODY_WHOLE,
	[FCGI_BODY_TOO_LARGE] = HTTP_BODY_TOO_LARGE,
	[FCGI_BODY_WRONG_LENGTH] = HTTP_BODY_SHORT,
	[FCGI_BODY_ABORTED] = HTTP_BODY_SHORT,
};

static void
handle(void *state, struct fcgi_exchange *exchange)
{
	struct lane *lane = state;
	struct http_request *request = &lane->request;
	struct http_response response;
	request->body = fcgi_exchange_body(exchange);
	http_response_init(&response, lane->pool, ANSWER_MAX_BYTES);
	request->body_state = body_states[fcgi_exchange_body_state(exchange)];
	api_handle(lane->api, request, &response);
	if (!http_response_render(&response, request->request_id, &lane->answer))
		log_error("headers_too_large", LOG_UINT("bytes", response.body.size)); /* without a response, clients get 500 */
	else if (!fcgi_exchange_answer(exchange, buffer_slice(&lane->answer)))
		log_info("client_gone", LOG_UINT("status", response.status));
	http_response_free(&response);
}

static void
disconnect_idle(const struct lane *lane)
{
	const int64_t idle_ms = lane->service->setup.wiring.conf->server.idle_timeout;
	store_disconnect_idle(lane->store, idle_ms);
	if (lane->reader != NULL)
		store_disconnect_idle(lane->reader, idle_ms);
}

/* Otherwise each worker that has served large requests would keep their memory. */
static void
idle(void *lane)
{
	disconnect_idle(lane);
	if (memory_freed() > TRIM_BYTES)
		memory_trim();
}

static void
answered(void *state)
{
	struct lane *lane = state;
	api_afterwards(lane->api);
	log_work_done();
	pool_reset(lane->pool);
	buffer_recycle(&lane->answer, ANSWER_KEEP_BYTES);
	disconnect_idle(lane); /* a lane that constantly uses the committer needs no connection of its own */
}

static const char usage[] = "usage: leadhook-fcgi [--config FILE] [--listen PATH|ADDRESS:PORT] [--workers N|auto|0]\n"
			    "                     [--no-committer] [--check-config | --check-start] [--version] [--help]\n";

enum { OPTION_CONFIG, OPTION_LISTEN, OPTION_WORKERS, OPTION_NO_COMMITTER, OPTION_CHECK_CONFIG, OPTION_CHECK_START, OPTIONS };

static const struct option options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "listen", required_argument, NULL, OPTION_LISTEN },
	{ "workers", required_argument, NULL, OPTION_WORKERS },
	{ "no-committer", no_argument, NULL, OPTION_NO_COMMITTER },
	{ "check-config", no_argument, NULL, OPTION_CHECK_CONFIG },
	{ "check-start", no_argument, NULL, OPTION_CHECK_START },
	PROGRAM_OPTIONS,
};

/* Parses --workers; NULL: it is not given. Returns false, after printing a message, if it is not a number of workers. */
static bool
parse_workers(const char *text, int *workers)
{
	uint64_t number;
	*workers = text == NULL ? FCGI_WORKERS_UNSET : FCGI_WORKERS_AUTO;
	if (text == NULL || strcmp(text, "auto") == 0)
		return true;
	if (!slice_to_u64(slice_of(text), FCGI_WORKERS_MAX, &number)) {
		fprintf(stderr, "%s: --workers takes auto or a number from 0 to %d\n", program, FCGI_WORKERS_MAX);
		return false;
	}
	*workers = (int)number;
	return true;
}

static int
workers_of(const struct conf *conf, int given)
{
	if (given != FCGI_WORKERS_UNSET)
		return given;
	/* auto, under a process manager that passes the socket as descriptor 0, means one process */
	return conf->server.workers == CONF_WORKERS_AUTO ? FCGI_WORKERS_UNSET : (int)conf->server.workers;
}

/* --listen, otherwise the socket passed by a process manager, otherwise the configured one. */
static const char *
listen_on(const struct conf *conf, const char *given)
{
	if (given != NULL || *conf->server.listen == '\0' || fcgi_socket_is_inherited())
		return given;
	return conf->server.listen;
}

/* Without the committer, a request occupies its worker, and needs a connection to the database: those that write block each
 * other. */
static unsigned
workers_without_committer(void)
{
	enum { PER_CORE = 4, CORES_MAX = 4 };
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (cores < 1) /* unknown */
		return PER_CORE;
	return PER_CORE * (cores < CORES_MAX ? (unsigned)cores : CORES_MAX);
}

/* Uses the first configuration: the settings of the socket do not change later. */
static int
serve(struct service *service, const char *const *given, int workers, struct pool *pool)
{
	const struct conf *conf = service->setup.wiring.conf;
	const struct conf_server *server = &conf->server;
	const char *listen = listen_on(conf, given[OPTION_LISTEN]);
	const bool commits = given[OPTION_NO_COMMITTER] == NULL;
	if (listen != NULL)
		listen = pool_string(pool, slice_of(listen));
	const struct fcgi_options fcgi = {
		FCGI_TIMES,
		.listen = listen,
		.socket_mode = server->socket_mode,
		.socket_group = *server->socket_group != '\0' ? server->socket_group : NULL,
		.workers = workers_of(conf, workers),
		.workers_auto = commits ? FCGI_WORKERS : workers_without_committer(),
		.lanes = commits ? FCGI_LANES : 1,
		.max_requests = server->max_requests,
		.request_timeout_ms = service->request_timeout_ms,
	};
	const struct fcgi_application application = {
		.context = service,
		.prepare = prepare,
		.adopt = adopt,
		.lane_start = lane_start,
		.lane_stop = lane_stop,
		.body_limit = body_limit,
		.handle = handle,
		.answered = answered,
		.idle = idle,
		.companion_prepare = given[OPTION_NO_COMMITTER] == NULL ? prepare_committer : NULL,
		.companion_run = run_committer,
	};
	if (listen != NULL && strchr(listen, '/') != NULL && fcgi.workers == 0)
		service->own_socket = listen;
	if (!open_limits(&service->setup))
		return EX_CONFIG;
	metrics_open(server->state_dir, LOG_LEVEL_WARNING);
	metrics_add(METRIC_STARTS, METRIC_PROGRAM_FCGI, 1);
	derive(service);
	return fcgi_serve(&fcgi, &application);
}

int
main(int argc, char *argv[])
{
	const char *given[OPTIONS] = { NULL };
	int workers;
	sandbox_begin();
	fcgi_tidy_descriptors();
	crash_log_signals();
	int status = program_options_read(program, usage, options, argc, argv, given);
	if (status >= 0)
		return status;
	if (given[OPTION_CHECK_START] != NULL)
		return wiring_check_start(program, given[OPTION_CONFIG], WIRING_OF_RESPONDER);
	if (!parse_workers(given[OPTION_WORKERS], &workers))
		return EX_USAGE;
	struct service service = { .config_path = given[OPTION_CONFIG], .committer.fd = -1, .own_socket = "" };
	if (!wiring_load(program, service.config_path, given[OPTION_CHECK_CONFIG] == NULL ? WIRING_TO_RUN : WIRING_TO_CHECK,
		&service.setup.wiring))
		return EX_CONFIG;
	wiring_start_log(program, &service.setup.wiring);
	service.request_timeout_ms = service.setup.wiring.conf->server.request_timeout;
	struct pool *pool = pool_new();
	if (given[OPTION_CHECK_CONFIG] != NULL)
		status = EX_OK;
	else if (try_database(&service, &service.setup.wiring) == RESULT_FAILED)
		status = EX_CONFIG;
	else /* an unreachable database may recover; the store then checks it */
		status = serve(&service, given, workers, pool);
	pool_free(&pool);
	endpoint_close(&service.committer);
	suspects_free(&service.suspects);
	commit_answers_free(&service.answers);
	sandbox_free(&service.sandbox);
	setup_free(&service.setup);
	return status;
}
