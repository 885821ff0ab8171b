/* SPDX-License-Identifier: MIT
 * An application that returns its request, for tests/system/web_servers/test_fastcgi*.py. QUERY_STRING selects what it does:
 *   sleep=MS  before the response    exit    dies without one    silent  returns without one
 * BODY_LIMIT is the maximum body size in bytes. prepare() reads the text of the --config file: it refuses "bad", workers refuse
 * "refuse", with "slow" the companion (--companion 1) takes a while to be ready, with "stuck" it is busy forever. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/buffer.h"
#include "fcgi/exchange.h"
#include "fcgi/listener.h"
#include "fcgi/scoreboard.h"
#include "fcgi/server.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/log.h"

enum { DEFAULT_LIMIT = 256 * 1024, RESPONSE_MAX = 4 * 1024 * 1024, SLOW_MS = 200 };

struct echo {
	const char *config_path;
	char config[64], next[64];
	unsigned long answered, idle;
};

static const struct {
	const char *status, *name;
} states[] = {
	[FCGI_BODY_COMPLETE] = { "200 OK", "complete" },
	[FCGI_BODY_TOO_LARGE] = { "413 Content Too Large", "too_large" },
	[FCGI_BODY_WRONG_LENGTH] = { "400 Bad Request", "wrong_length" },
	[FCGI_BODY_ABORTED] = { "400 Bad Request", "aborted" },
};

static bool
prepare(void *context)
{
	struct echo *self = context;
	char text[sizeof(self->next)] = "none";
	if (self->config_path != NULL) {
		int fd = open(self->config_path, O_RDONLY | O_CLOEXEC);
		ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		text[size < 0 ? 0 : size] = '\0';
		if (size < 0 || strcmp(text, "bad") == 0)
			return false;
	}
	memcpy(self->next, text, sizeof(text));
	return true;
}

static void
adopt(void *context)
{
	struct echo *self = context;
	memcpy(self->config, self->next, sizeof(self->config));
}

static void *
lane_start(void *context)
{
	struct echo *self = context;
	return strcmp(self->config, "refuse") == 0 ? NULL : self;
}

static size_t
body_limit(void *lane, const struct fcgi_exchange *exchange)
{
	(void)lane;
	uint64_t limit;
	if (!slice_to_u64(fcgi_exchange_param(exchange, "BODY_LIMIT"), RESPONSE_MAX / 2, &limit))
		limit = DEFAULT_LIMIT;
	return (size_t)limit;
}

static void
answer(const struct echo *self, struct fcgi_exchange *exchange)
{
	enum fcgi_body_state state = fcgi_exchange_body_state(exchange);
	struct slice body = fcgi_exchange_body(exchange), uri = fcgi_exchange_param(exchange, "REQUEST_URI");
	struct buffer response;
	buffer_init(&response, RESPONSE_MAX);
	buffer_printf(&response, "Status: %s\r\nContent-Type: text/plain\r\nX-State: %s\r\nX-Pid: %ld\r\n",
	    states[state].status, states[state].name, (long)getpid());
	buffer_printf(&response, "X-Config: %s\r\nX-Answered: %lu\r\nX-Idle: %lu\r\nX-Uri: %.*s\r\n\r\n", self->config,
	    self->answered, self->idle, SLICE_ARGS(uri));
	buffer_add(&response, body);
	if (!buffer_ok(&response) || !fcgi_exchange_answer(exchange, buffer_slice(&response)))
		log_info("answer_lost", LOG_STR("state", states[state].name));
	buffer_free(&response);
}

static void
handle(void *lane, struct fcgi_exchange *exchange)
{
	struct slice query = fcgi_exchange_param(exchange, "QUERY_STRING");
	uint64_t ms;
	log_info("handling", LOG_STR("state", states[fcgi_exchange_body_state(exchange)].name));
	if (slice_equal(query, SLICE("exit")))
		_exit(EX_SOFTWARE);
	if (slice_starts_with(query, SLICE("sleep=")) && slice_to_u64(slice_sub(query, 6, query.size), 60000, &ms))
		fiber_wait(-1, 0, clock_monotonic_ms() + (int64_t)ms);
	if (!slice_equal(query, SLICE("silent")))
		answer(lane, exchange);
}

static void
answered(void *lane)
{
	((struct echo *)lane)->answered++;
}

static void
idle(void *lane)
{
	((struct echo *)lane)->idle++;
}

static void
lane_stop(void *lane)
{
	const struct echo *self = lane;
	log_info("bye", LOG_UINT("answered", self->answered), LOG_STR("config", self->config));
}

static bool
companion_prepare(void *context)
{
	log_info("companion_prepared", LOG_STR("config", ((const struct echo *)context)->config));
	return true;
}

static int
companion_run(void *context, struct scoreboard_slot *slot)
{
	const struct echo *self = context;
	sigset_t term;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	if (strcmp(self->config, "slow") == 0)
		poll(NULL, 0, SLOW_MS);
	log_info("companion_hello", LOG_STR("config", self->config)); /* ready ends the previous one, which logs that */
	scoreboard_ready(slot);
	if (strcmp(self->config, "stuck") == 0)
		scoreboard_busy(slot);
	while (sigtimedwait(&term, NULL, &(struct timespec){ .tv_sec = 1 }) != SIGTERM)
		if (strcmp(self->config, "stuck") != 0)
			scoreboard_idle(slot);
	log_info("companion_bye", LOG_STR("config", self->config));
	return EX_OK;
}

static struct echo echo;
static int64_t workers = FCGI_WORKERS_UNSET, mode, max_requests, companion, lanes = 1;
static struct fcgi_options options = { FCGI_TIMES, .request_timeout_ms = 30000, .workers_auto = FCGI_WORKERS };

/* --name value or --name number; `mode` in decimal. */
static const struct {
	const char *name;
	const char **text;
	int64_t *number;
} settings[] = {
	{ "--listen", &options.listen, NULL },
	{ "--group", &options.socket_group, NULL },
	{ "--config", &echo.config_path, NULL },
	{ "--mode", NULL, &mode },
	{ "--workers", NULL, &workers },
	{ "--lanes", NULL, &lanes },
	{ "--max-requests", NULL, &max_requests },
	{ "--request-ms", NULL, &options.request_timeout_ms },
	{ "--receive-ms", NULL, &options.receive_timeout_ms },
	{ "--silence-ms", NULL, &options.silence_timeout_ms },
	{ "--idle-ms", NULL, &options.idle_ms },
	{ "--companion", NULL, &companion },
};

static bool
set(const char *name, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcmp(settings[i].name, name) == 0) {
			uint64_t number = 0;
			if (settings[i].text != NULL)
				*settings[i].text = value;
			else if (slice_to_u64(slice_of(value), INT32_MAX, &number))
				*settings[i].number = (int64_t)number;
			else
				return false;
			return true;
		}
	return false;
}

int
main(int argc, char **argv)
{
	struct fcgi_application application = {
		.context = &echo,
		.prepare = prepare,
		.adopt = adopt,
		.lane_start = lane_start,
		.lane_stop = lane_stop,
		.body_limit = body_limit,
		.handle = handle,
		.answered = answered,
		.idle = idle,
		.companion_run = companion_run,
	};
	fcgi_tidy_descriptors();
	log_init("echo_app", LOG_LEVEL_DEBUG);
	for (int i = 1; i < argc; i += 2)
		if (i + 1 == argc || !set(argv[i], argv[i + 1]))
			return EX_USAGE;
	if (companion != 0)
		application.companion_prepare = companion_prepare;
	options.workers = (int)workers;
	options.socket_mode = (unsigned)mode;
	options.lanes = (size_t)lanes;
	options.max_requests = (uint64_t)max_requests;
	if (!prepare(&echo))
		return EX_CONFIG;
	adopt(&echo);
	return fcgi_serve(&options, &application);
}
