/* SPDX-License-Identifier: MIT
 * Private part of fcgi/server.h's exchange: one connection, one request, read by libfcgi. Only this file uses the library. */
#ifndef LEADHOOK_FCGI_EXCHANGE_H
#define LEADHOOK_FCGI_EXCHANGE_H

#include "base/attributes.h"
#include "fcgi/server.h"

struct slow_answers;

/* One per process, reused for each request; `options` and `slow`, which sends its answers, must stay valid. Returns NULL,
 * logged, when libfcgi cannot be initialized. Installs libfcgi's handlers for SIGPIPE, SIGTERM and SIGUSR1: install others
 * afterwards. */
MUST_CHECK struct fcgi_exchange *exchange_new(const struct fcgi_options *options, struct slow_answers *slow);
void exchange_free(struct fcgi_exchange **exchange);

/* Takes the connection and reads the request's parameters. Returns false, with the connection closed, when no request was
 * received. */
MUST_CHECK bool exchange_open(struct fcgi_exchange *exchange, int connection);
/* Reads the body to its end and sets its state; stores at most `limit` bytes. Once, after exchange_open. */
void exchange_read_body(struct fcgi_exchange *exchange, size_t limit);
/* Closes the connection if the handler has not. Returns true when the handler had answered. */
bool exchange_close(struct fcgi_exchange *exchange);

#endif
