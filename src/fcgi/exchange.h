/* SPDX-License-Identifier: MIT
 * The inside of fcgi/server.h's exchange: one connection, one request, read by libfcgi. The one file that knows the library. */
#ifndef LEADHOOK_FCGI_EXCHANGE_H
#define LEADHOOK_FCGI_EXCHANGE_H

#include "base/attributes.h"
#include "fcgi/server.h"

/* One for all requests of a process, one after another; `options` (times set) must stay. NULL when libfcgi cannot start
 * (logged). Changes the handlers of SIGPIPE, SIGTERM and SIGUSR1 to libfcgi's: set your own afterwards. */
MUST_CHECK struct fcgi_exchange *exchange_new(const struct fcgi_options *options);
/* *exchange may be NULL; it is set to NULL. */
void exchange_free(struct fcgi_exchange **exchange);

/* Takes over the connection and reads the request's parameters. False when none came: the connection is closed then. */
MUST_CHECK bool exchange_open(struct fcgi_exchange *exchange, int connection);
/* Reads the body to its end and settles its state; keeps `limit` bytes at most. Once, after exchange_open. */
void exchange_read_body(struct fcgi_exchange *exchange, size_t limit);
/* Ends what the handler left open. True when it had answered. */
bool exchange_close(struct fcgi_exchange *exchange);

#endif
