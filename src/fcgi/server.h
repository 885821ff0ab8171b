/* SPDX-License-Identifier: MIT
 * A FastCGI responder: the socket, the processes, and the records of requests. It is independent of HTTP and of the
 * application.
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
#pragma once

#include "base/attributes.h"
#include "fcgi/application.h"

/* Serves until it is stopped. Returns an exit status of sysexits.h, EX_OK after an orderly stop. Errors are logged. Uses
 * SIGTERM SIGINT SIGUSR1 SIGUSR2 SIGHUP SIGCHLD and ignores SIGPIPE: the application must not use them. */
MUST_CHECK int fcgi_serve(const struct fcgi_options *options, const struct fcgi_application *application);
