/* SPDX-License-Identifier: MIT
 * What a FastCGI responder is told: its options, and the application that answers the requests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fcgi_exchange;
struct scoreboard_slot;

enum {
	FCGI_WORKERS_AUTO = -1,  /* as many as the program chooses */
	FCGI_WORKERS_UNSET = -2, /* 0 if the socket is descriptor 0 (one process per request: mod_fcgid), otherwise AUTO */
	FCGI_WORKERS_MAX = 1024,
	/* For lanes that wait most of the time. By default, a database server allows enough connections for all of them
	 * (docs/operating.md 2.2). */
	FCGI_WORKERS = 4,
	FCGI_LANES = 32
};

/* Usual values for the times in struct fcgi_options. */
#define FCGI_TIMES .receive_timeout_ms = 10000, .silence_timeout_ms = 5000, .idle_ms = 1000

/* Times are milliseconds, above 0. */
struct fcgi_options {
	/* A path with a '/' for a unix socket, or 127.x.x.x:PORT or [::1]:PORT; other addresses are refused. NULL: an inherited
	 * listening socket, descriptor 3 by LISTEN_FDS (sd_listen_fds(3)), otherwise descriptor 0. */
	const char *listen;
	unsigned socket_mode;     /* of a unix socket that is created here; 0 stands for 0660; never one open to all accounts */
	const char *socket_group; /* its group, name or number; NULL: the group of the process */
	unsigned workers_auto;      /* what FCGI_WORKERS_AUTO stands for */
	int workers;                /* 0: serves in the calling process without forking; or one of the constants above */
	size_t lanes;               /* requests that a worker serves at a time, above 0 */
	uint64_t max_requests;      /* a worker ends after this many requests, plus up to a tenth; 0: no limit */
	int64_t request_timeout_ms; /* a worker that takes longer for a request that it has received is killed, with its other
				       requests (not with workers 0) */
	int64_t receive_timeout_ms; /* time to receive all bytes of a request, and again to send the response */
	int64_t silence_timeout_ms; /* for the next byte */
	int64_t idle_ms;            /* interval of idle() calls without requests */
};

/* The application. All members are required except those of the companion. */
struct fcgi_application {
	void *context;
	/* On HUP, in the parent: reads the next configuration. Returns false, logged, on errors; then it must not have changed
	 * anything. */
	bool (*prepare)(void *context);
	/* After prepare, when this process no longer uses the previous configuration: replaces it with the next one. Workers
	 * inherit the result. */
	void (*adopt)(void *context);
	/* For each lane of a worker, before its first request; with workers 0 also after adopt. Returns what the next functions
	 * are called with; NULL, logged, when it cannot work. */
	void *(*lane_start)(void *context);
	/* After the last request. */
	void (*lane_stop)(void *lane);
	/* The maximum body size of this request; its parameters have been read, its body has not. This function and the next
	 * two run in a fiber (os/fiber.h): while they wait with fiber_wait, other lanes of the worker continue. */
	size_t (*body_limit)(void *lane, const struct fcgi_exchange *exchange);
	/* Answers the exchange, whatever the state of its body. */
	void (*handle)(void *lane, struct fcgi_exchange *exchange);
	/* After each exchange, once its connection is closed. */
	void (*answered)(void *lane);
	/* Each idle_ms, while the lane has no request. */
	void (*idle)(void *lane);
	/* In the parent, once, before the first fork: creates what workers and companion share. Returns false, logged, on
	 * errors; nothing is served then. NULL: no companion. Not called with workers 0. */
	bool (*companion_prepare)(void *context);
	/* In the companion's process: works until SIGTERM, which is blocked, and returns an exit status. It reports in its slot
	 * that it is ready, busy or idle. Required with companion_prepare. */
	int (*companion_run)(void *context, struct scoreboard_slot *slot);
};
