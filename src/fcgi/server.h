/* SPDX-License-Identifier: MIT
 * A FastCGI responder: the socket, the processes, and the bytes of one request at a time. It hides the FastCGI library, and is
 * independent of HTTP and of the application.
 *
 * With workers, the calling process becomes the parent: it forks, waits and replaces, and handles no requests.
 *   TERM, INT, USR1  ends when the requests in flight are answered
 *   USR2             reopens the log file
 *   HUP              prepares and adopts again, starts new workers, then lets the old ones finish; refuses no request
 *
 * A dead worker is replaced, after an increasing delay when workers die repeatedly. A worker that hangs is killed first: in a
 * request for too long, or without a heartbeat when idle. There may be one companion, a process that works for all workers: it
 * is replaced like them, is ready before the old workers of a HUP end, and ends when no worker is left.
 *
 * A service manager (os/notify.h) gets reports from the process that started: when it serves, reloads and ends, and that it
 * is alive. */
#ifndef LEADHOOK_FCGI_SERVER_H
#define LEADHOOK_FCGI_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum {
	FCGI_WORKERS_AUTO = -1,  /* workers_per_core for each core, for four cores at most */
	FCGI_WORKERS_UNSET = -2, /* 0 when the socket is descriptor 0 (one process per request: mod_fcgid), else AUTO */
	FCGI_WORKERS_MAX = 1024,
	FCGI_WORKERS_PER_CORE = 32
};

/* The number for FCGI_WORKERS_AUTO on this host. */
size_t fcgi_workers_auto(size_t per_core);

/* The usual times of struct fcgi_options. */
#define FCGI_TIMES .receive_timeout_ms = 10000, .silence_timeout_ms = 5000, .idle_ms = 1000

/* Times are milliseconds, above 0. */
struct fcgi_options {
	/* A path with a '/' for a unix socket, or 127.x.x.x:PORT or [::1]:PORT; other addresses are refused. NULL: an inherited
	 * listening socket, descriptor 3 by LISTEN_FDS (sd_listen_fds(3)), else descriptor 0. */
	const char *listen;
	unsigned socket_mode;     /* of a unix socket that is created here; 0 stands for 0660; never one open to all accounts */
	const char *socket_group; /* its group, name or number; NULL: that of the process */
	unsigned workers_per_core;  /* for FCGI_WORKERS_AUTO */
	int workers;                /* 0: serves in the calling process without forking; see also the names above */
	uint64_t max_requests;      /* a worker ends after this number, plus up to a tenth; 0: no limit */
	int64_t request_timeout_ms; /* a worker that takes longer for a request is killed (not with workers 0) */
	int64_t receive_timeout_ms; /* to receive all bytes of a request, and again to send those of the response */
	int64_t silence_timeout_ms; /* for the next byte */
	int64_t idle_ms;            /* interval of idle() calls without requests */
};

/* One request while it is handled. */
struct fcgi_exchange;

enum fcgi_body_state {
	FCGI_BODY_COMPLETE,
	FCGI_BODY_TOO_LARGE,    /* over the limit, by the announced or the received size: answer 413 */
	FCGI_BODY_WRONG_LENGTH, /* fewer bytes than CONTENT_LENGTH, or that is not a number: answer 400 */
	FCGI_BODY_ABORTED       /* the web server aborted or stopped sending: answer 400, which may not arrive */
};

/* The value of a parameter of the web server ("REQUEST_URI"); absent when it was not sent, or is ambiguous. Valid until the
 * exchange is answered. */
struct slice fcgi_exchange_param(const struct fcgi_exchange *exchange, const char *name);
/* All values in the order in which they came, with commas: of a header that may have several lines (RFC 9110, 5.3). A single
 * one is valid as long as a parameter, others are in the pool. */
struct slice fcgi_exchange_param_lines(const struct fcgi_exchange *exchange, struct pool *pool, const char *name);
/* True when different values were sent. */
bool fcgi_exchange_param_is_ambiguous(const struct fcgi_exchange *exchange, const char *name);
/* The bytes of the body; empty unless the state is COMPLETE, so that partial bodies are never used. Valid as long as a
 * parameter. */
struct slice fcgi_exchange_body(const struct fcgi_exchange *exchange);
enum fcgi_body_state fcgi_exchange_body_state(const struct fcgi_exchange *exchange);
/* Sends a complete CGI response ("Status: 200 OK\r\n…\r\n\r\n…") and closes the connection; once per exchange. What the web
 * server does not take at once is sent later (slow_answers.h). Returns false when the peer was gone. Either way the exchange's
 * values become invalid. The handler may do a little more work, for which the client does not wait. */
MUST_CHECK bool fcgi_exchange_answer(struct fcgi_exchange *exchange, struct slice response);

/* The companion reports with these calls that it is ready; that it works on something that may take as long as a request (if it
 * takes longer, it is killed); and, each second, that it is idle (if it stops reporting for some seconds, it is killed). */
struct fcgi_companion;
void fcgi_companion_ready(struct fcgi_companion *companion);
void fcgi_companion_busy(struct fcgi_companion *companion, bool busy);

/* The application. All members are required but those of the companion. */
struct fcgi_application {
	void *context;
	/* On HUP, in the parent: reads the next configuration. Returns false, logged, on errors; it must have changed nothing
	 * then. */
	bool (*prepare)(void *context);
	/* After prepare, when this process no longer uses the previous configuration: replaces it by the next one. Workers
	 * inherit the result. */
	void (*adopt)(void *context);
	/* In each worker, before its first request; with workers 0 also after adopt. Returns NULL, logged, when it cannot
	 * work. */
	void *(*worker_start)(void *context);
	/* In each worker, after its last request. */
	void (*worker_stop)(void *worker);
	/* The maximum body size of this request; its parameters have been read, its body has not. */
	size_t (*body_limit)(void *worker, const struct fcgi_exchange *exchange);
	/* Answers the exchange, whatever the state of its body. */
	void (*handle)(void *worker, struct fcgi_exchange *exchange);
	/* After each exchange, with its connection closed. */
	void (*answered)(void *worker);
	/* Each idle_ms without a request. */
	void (*idle)(void *worker);
	/* In the parent, once, before the first fork: creates what workers and companion share. Returns false, logged, on
	 * errors: nothing is served then. NULL: no companion. Not called with workers 0. */
	bool (*companion_prepare)(void *context);
	/* In the companion's process: works until SIGTERM, which is blocked, and returns an exit status. Required with
	 * companion_prepare. */
	int (*companion_run)(void *context, struct fcgi_companion *companion);
};

/* Calls descriptors_fill() (FastCGI passes only descriptor 0), and closes the inherited descriptors above 2 except the
 * listening socket of LISTEN_FDS. Call first in main(), before any file is opened. */
void fcgi_tidy_descriptors(void);

/* True when the process inherited a listening socket, which options.listen = NULL uses. Call before fcgi_serve. */
bool fcgi_socket_is_inherited(void);

/* Serves until it is stopped. Returns an exit status of sysexits.h, EX_OK after an orderly stop. Errors are logged. Uses
 * SIGTERM SIGINT SIGUSR1 SIGUSR2 SIGHUP SIGCHLD SIGALRM and ignores SIGPIPE: the application must not use them. */
MUST_CHECK int fcgi_serve(const struct fcgi_options *options, const struct fcgi_application *application);

#endif
