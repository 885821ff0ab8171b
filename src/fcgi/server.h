/* SPDX-License-Identifier: MIT
 * A FastCGI responder: the socket, the processes and the bytes of one request at a time. Nothing of the FastCGI library is
 * visible here, and nothing of HTTP or of the application is known below.
 *
 * With workers, the calling process becomes the parent: it forks, waits and replaces, and never touches a request.
 *   TERM, INT, USR1  ends when the requests in flight are answered
 *   HUP              prepares and adopts anew, starts new workers, then lets the old ones finish; refuses no request
 *
 * A dead worker is replaced, after a growing pause when deaths come fast. One that is stuck is killed first: in a request for
 * too long, or silent without one. Beside the workers there may be one companion, a process that does the application's work
 * for all of them: it is kept and replaced like them, is there before the old workers of a HUP end, and ends when no worker is
 * left. */
#ifndef LEADHOOK_FCGI_SERVER_H
#define LEADHOOK_FCGI_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

enum {
	FCGI_WORKERS_AUTO = -1,  /* workers_per_core for each core, for four cores at most */
	FCGI_WORKERS_UNSET = -2, /* 0 when the socket is descriptor 0 (one process a request: mod_fcgid), else AUTO */
	FCGI_WORKERS_MAX = 1024,
	FCGI_WORKERS_PER_CORE = 32
};

/* What FCGI_WORKERS_AUTO is on this host. */
size_t fcgi_workers_auto(size_t per_core);

/* Times are milliseconds; 0 stands for the default named beside it. */
struct fcgi_options {
	/* A path with a '/' in it for a unix socket, or 127.x.x.x:PORT or [::1]:PORT; no other address is taken. NULL: an
	 * inherited listening socket, descriptor 3 as LISTEN_FDS says (sd_listen_fds(3)), else descriptor 0. */
	const char *listen;
	unsigned socket_mode;       /* of a unix socket that is made here; 0 stands for 0660 */
	const char *socket_group;   /* its group, name or number; NULL leaves the process's own */
	unsigned workers_per_core;  /* FCGI_WORKERS_PER_CORE: what FCGI_WORKERS_AUTO goes by */
	int workers;                /* 0 serves in the calling process, without any fork; see also the names above */
	uint64_t max_requests;      /* a worker retires after so many, up to a tenth more; 0 never */
	int64_t request_timeout_ms; /* 30,000: a worker longer in one request is killed (not with workers 0) */
	int64_t receive_timeout_ms; /* 10,000: for all bytes of a request to come, and again for those of the answer to go */
	int64_t silence_timeout_ms; /* 5,000: for the next byte */
	int64_t idle_ms;            /* 1,000: how often idle() is called while no request comes */
};

/* One request while it is handled. */
struct fcgi_exchange;

enum fcgi_body_state {
	FCGI_BODY_COMPLETE,
	FCGI_BODY_TOO_LARGE,    /* over the limit, by what was announced or by what came: answer 413 */
	FCGI_BODY_WRONG_LENGTH, /* not as many bytes as CONTENT_LENGTH says, or that is no number: answer 400 */
	FCGI_BODY_ABORTED       /* the web server gave up, or sent nothing any more: answer 400; it may reach nobody */
};

/* The value of a parameter of the web server ("REQUEST_URI"); absent when it was not sent, or is ambiguous. Valid until the
 * exchange is answered. */
struct slice fcgi_exchange_param(const struct fcgi_exchange *exchange, const char *name);
/* Whether it was sent more than once, with different values. */
bool fcgi_exchange_param_is_ambiguous(const struct fcgi_exchange *exchange, const char *name);
/* The bytes of the body; empty unless the state is COMPLETE, so that nobody works on a part. Valid as long as a parameter. */
struct slice fcgi_exchange_body(const struct fcgi_exchange *exchange);
enum fcgi_body_state fcgi_exchange_body_state(const struct fcgi_exchange *exchange);
/* Sends a whole CGI response ("Status: 200 OK\r\n…\r\n\r\n…") and closes the connection; once per exchange. True when all
 * of it was handed to the system, false when the peer was gone. Either way the exchange's values are no more; the handler
 * may go on with small work that nobody waits for. */
MUST_CHECK bool fcgi_exchange_answer(struct fcgi_exchange *exchange, struct slice response);

/* How the companion tells that it takes work; that it is at something that may take as long as a request (if it takes longer,
 * it is killed); and, each second, that it is at nothing (if it does not for some seconds, it is killed). */
struct fcgi_companion;
void fcgi_companion_ready(struct fcgi_companion *companion);
void fcgi_companion_busy(struct fcgi_companion *companion, bool busy);

/* What is served. Members may be NULL unless said otherwise. */
struct fcgi_application {
	void *context;
	/* On HUP, in the parent: reads the next configuration. False (it has logged why): all goes on as before, so it must
	 * have changed nothing. */
	bool (*prepare)(void *context);
	/* After it, when nothing in this process uses the previous configuration any more: puts the next in its place. What
	 * it makes, workers inherit. Required with prepare. */
	void (*adopt)(void *context);
	/* In each worker, before its first request; with workers 0 also after adopt. NULL says that it cannot work (it has
	 * logged why). Required. */
	void *(*worker_start)(void *context);
	/* In each worker, after its last request. */
	void (*worker_stop)(void *worker);
	/* The most bytes of body that this request may have; its parameters are there, its body is not. Required. */
	size_t (*body_limit)(void *worker, const struct fcgi_exchange *exchange);
	/* Answers the exchange, whatever the state of its body. Required. */
	void (*handle)(void *worker, struct fcgi_exchange *exchange);
	/* After each exchange, its connection closed. */
	void (*answered)(void *worker);
	/* Each idle_ms without a request. */
	void (*idle)(void *worker);
	/* In the parent, once, before the first fork: makes what workers and companion meet at. False (it has logged why):
	 * there is no companion, and nothing is served. NULL: none is wanted. Not called with workers 0. */
	bool (*companion_prepare)(void *context);
	/* The companion's process: works until SIGTERM, which is blocked, and answers an exit status. Required with the one
	 * before. */
	int (*companion_run)(void *context, struct fcgi_companion *companion);
};

/* Call first in main(), before anything is opened: descriptors_fill() (FastCGI hands over 0 alone), and closes what was
 * inherited above descriptor 2 apart from the listening socket of LISTEN_FDS. */
void fcgi_tidy_descriptors(void);

/* Whether the process was given a listening socket, the one that options.listen = NULL takes. Ask before fcgi_serve. */
bool fcgi_socket_is_inherited(void);

/* Serves until it is told to stop; answers an exit status of sysexits.h, EX_OK after an orderly stop. Errors are logged.
 * Uses SIGTERM SIGINT SIGUSR1 SIGHUP SIGCHLD SIGALRM and ignores SIGPIPE: they are the application's no more. */
MUST_CHECK int fcgi_serve(const struct fcgi_options *options, const struct fcgi_application *application);

#endif
