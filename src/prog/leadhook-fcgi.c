/* SPDX-License-Identifier: MIT
 * leadhook-fcgi(8): FastCGI responders. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "api/api.h"
#include "base/log.h"
#include "core/phone.h"
#include "fcgi/server.h"
#include "prog/wiring.h"

static const char program[] = "leadhook-fcgi";

/* An answer holds a lead, or a list of a few hundred campaigns. */
enum { ANSWER_MAX_BYTES = 16 * 1024 * 1024, HEADERS_MAX_BYTES = 4096 };

/* What a configuration comes to. Made in the parent, inherited by the workers; a new one on HUP. */
struct service {
	const char *config_path;
	struct conf *conf;
	struct pool *pool;
	struct address_rules webhook_addresses;
	struct network_list trusted_proxies;
	struct api_options api;
};

struct worker {
	const struct service *service;
	struct store *store;
	struct api *api;
	struct pool *pool; /* of the request */
	struct buffer answer;
};

static bool
prepare(void *context)
{
	struct service *service = context;
	struct service next = { .config_path = service->config_path, .pool = pool_new() };
	next.conf = wiring_load(program, service->config_path);
	if (next.conf == NULL || !wiring_address_rules(next.conf, next.pool, &next.webhook_addresses) ||
	    !wiring_trusted_proxies(next.conf, next.pool, &next.trusted_proxies)) {
		conf_free(&next.conf);
		pool_free(&next.pool);
		return false;
	}
	conf_free(&service->conf);
	pool_free(&service->pool);
	*service = next;
	const struct conf_limits *limits = &service->conf->limits;
	service->api = (struct api_options){
		.caps = HTTP_CAPS_DEFAULT,
		.webhooks_per_campaign = limits->webhooks_per_campaign,
		.trusted_proxies = &service->trusted_proxies,
		.webhook_addresses = &service->webhook_addresses,
		.request_timeout_ms =
		    service->conf->server.request_timeout / 2, /* the answer is to come before the worker is killed */
	};
	service->api.caps.depth = limits->json_depth;
	service->api.caps.parameters = limits->parameters;
	service->api.caps.name_bytes = limits->name_bytes;
	service->api.caps.value_bytes = limits->value_bytes;
	phone_load(); /* some megabytes that the workers then share */
	return true;
}

static void *
worker_start(void *context)
{
	struct worker *worker = memory_alloc(sizeof(*worker));
	worker->service = context;
	worker->store = wiring_store(worker->service->conf);
	worker->api = api_new(&worker->service->api, worker->store);
	worker->pool = pool_new();
	buffer_init(&worker->answer, ANSWER_MAX_BYTES + HEADERS_MAX_BYTES);
	return worker;
}

static void
worker_stop(void *state)
{
	struct worker *worker = state;
	buffer_free(&worker->answer);
	pool_free(&worker->pool);
	api_free(&worker->api);
	store_free(&worker->store);
	free(worker);
}

static struct slice
environment(void *context, const char *name)
{
	return fcgi_exchange_param(context, name);
}

static size_t
body_limit(void *state, const struct fcgi_exchange *exchange)
{
	(void)exchange;
	return ((struct worker *)state)->service->conf->limits.body_bytes;
}

static enum http_body_state
body_state(const struct fcgi_exchange *exchange)
{
	switch (fcgi_exchange_body_state(exchange)) {
	case FCGI_BODY_COMPLETE:
		return HTTP_BODY_WHOLE;
	case FCGI_BODY_TOO_LARGE:
		return HTTP_BODY_TOO_LARGE;
	case FCGI_BODY_WRONG_LENGTH:
	case FCGI_BODY_ABORTED:
		break;
	}
	return HTTP_BODY_SHORT;
}

static void
handle(void *state, struct fcgi_exchange *exchange)
{
	struct worker *worker = state;
	struct http_request request;
	struct http_response response;
	bool path_is_valid = http_request_init(&request, worker->pool, environment, exchange,
				 slice_of(worker->service->conf->server.base_path)) == RESULT_OK;
	log_request_id(pool_string(worker->pool, request.request_id));
	request.body = fcgi_exchange_body(exchange);
	http_response_init(&response, worker->pool, ANSWER_MAX_BYTES);
	request.body_state = body_state(exchange);
	api_handle(worker->api, &request, path_is_valid, &response);
	buffer_clear(&worker->answer);
	if (!http_response_render(&response, request.request_id, &worker->answer))
		log_error("answer_too_large", LOG_UINT("bytes", response.body.size)); /* closing without an answer is a 500 */
	else if (!fcgi_exchange_answer(exchange, buffer_slice(&worker->answer)))
		log_info("client_gone", LOG_UINT("status", response.status));
	http_response_free(&response);
}

static void
answered(void *state)
{
	struct worker *worker = state;
	api_afterwards(worker->api);
	log_request_id(NULL);
	pool_reset(worker->pool);
}

static void
idle(void *state)
{
	struct worker *worker = state;
	store_rest(worker->store, worker->service->conf->server.idle_timeout);
}

static const char usage[] = "usage: leadhook-fcgi [--config FILE] [--listen PATH|ADDRESS:PORT] [--workers N|auto|0]\n"
			    "                     [--check-config] [--version] [--help]\n";

struct arguments {
	const char *config, *listen;
	int workers; /* FCGI_WORKERS_UNSET: not given */
	bool check_only;
};

/* Answers -1 to go on, else the exit status. */
static int
parse_arguments(int argc, char *argv[], struct arguments *arguments)
{
	enum { OPTION_CONFIG = 1, OPTION_LISTEN, OPTION_WORKERS, OPTION_CHECK_CONFIG, OPTION_VERSION, OPTION_HELP };
	static const struct option options[] = { { "config", required_argument, NULL, OPTION_CONFIG },
		{ "listen", required_argument, NULL, OPTION_LISTEN }, { "workers", required_argument, NULL, OPTION_WORKERS },
		{ "check-config", no_argument, NULL, OPTION_CHECK_CONFIG }, { "version", no_argument, NULL, OPTION_VERSION },
		{ "help", no_argument, NULL, OPTION_HELP }, { NULL, 0, NULL, 0 } };
	uint64_t number;
	int option;
	*arguments = (struct arguments){ .workers = FCGI_WORKERS_UNSET };
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case OPTION_CONFIG:
			arguments->config = optarg;
			break;
		case OPTION_LISTEN:
			arguments->listen = optarg;
			break;
		case OPTION_WORKERS:
			if (strcmp(optarg, "auto") == 0)
				arguments->workers = FCGI_WORKERS_AUTO;
			else if (slice_to_u64(slice_of(optarg), FCGI_WORKERS_MAX, &number))
				arguments->workers = (int)number;
			else {
				fprintf(
				    stderr, "%s: --workers takes auto or a number from 0 to %d\n", program, FCGI_WORKERS_MAX);
				return EX_USAGE;
			}
			break;
		case OPTION_CHECK_CONFIG:
			arguments->check_only = true;
			break;
		case OPTION_VERSION:
			printf("%s %s\n", program, LEADHOOK_VERSION);
			return EX_OK;
		case OPTION_HELP:
			fputs(usage, stdout);
			return EX_OK;
		default:
			fputs(usage, stderr);
			return EX_USAGE;
		}
	if (optind < argc) {
		fputs(usage, stderr);
		return EX_USAGE;
	}
	return -1;
}

static int
workers_of(const struct conf *conf, int given)
{
	if (given != FCGI_WORKERS_UNSET)
		return given;
	/* auto under a process manager that brings the socket on descriptor 0 means one process */
	return conf->server.workers == CONF_WORKERS_AUTO ? FCGI_WORKERS_UNSET : (int)conf->server.workers;
}

/* --listen, else the socket that a process manager handed over, else the configured one. */
static const char *
listen_on(const struct conf *conf, const char *given)
{
	if (given != NULL || *conf->server.listen == '\0' || fcgi_socket_is_inherited())
		return given;
	return conf->server.listen;
}

/* NULL stays NULL. */
static const char *
kept(struct pool *pool, const char *text)
{
	return text == NULL ? NULL : pool_string(pool, slice_of(text));
}

static int
serve(struct service *service, const struct arguments *arguments)
{
	const struct conf_server *server = &service->conf->server;
	struct pool *pool = pool_new(); /* prepare() replaces the configuration, its texts with it */
	struct fcgi_options options = {
		.listen = kept(pool, listen_on(service->conf, arguments->listen)),
		.socket_mode = server->socket_mode,
		.socket_group = *server->socket_group != '\0' ? kept(pool, server->socket_group) : NULL,
		.workers = workers_of(service->conf, arguments->workers),
		.max_requests = server->max_requests,
		.request_timeout_ms = server->request_timeout,
	};
	struct fcgi_application application = { service, prepare, worker_start, worker_stop, body_limit, handle, answered,
		idle };
	int status = fcgi_serve(&options, &application);
	pool_free(&pool);
	return status;
}

int
main(int argc, char *argv[])
{
	struct arguments arguments;
	struct service service = { 0 };
	fcgi_tidy_descriptors();
	int status = parse_arguments(argc, argv, &arguments);
	if (status >= 0)
		return status;
	service.config_path = arguments.config;
	service.conf = wiring_load(program, arguments.config);
	if (service.conf == NULL)
		return EX_CONFIG;
	status = wiring_check(service.conf);
	if (status == EX_OK && !arguments.check_only) {
		struct store *store = wiring_store(service.conf);
		status = wiring_schema_fits(store) ? EX_OK : EX_CONFIG;
		store_free(&store);
		if (status == EX_OK)
			status = serve(&service, &arguments);
	}
	pool_free(&service.pool);
	conf_free(&service.conf);
	return status;
}
