/* SPDX-License-Identifier: MIT
 * One connection and its one request: reads the records of FastCGI 1.0, and writes those of the response. The application calls
 * the functions fcgi_exchange_…, the worker calls the others. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "fcgi/application.h"

struct slow_answers;

/* One request while it is handled. */
struct fcgi_exchange;

enum fcgi_body_state {
	FCGI_BODY_COMPLETE,
	FCGI_BODY_TOO_LARGE,    /* over the limit, by the announced or the received size: answer 413 */
	FCGI_BODY_WRONG_LENGTH, /* fewer bytes than CONTENT_LENGTH, or CONTENT_LENGTH is not a number: answer 400 */
	FCGI_BODY_ABORTED       /* the web server aborted or stopped sending: answer 400, which may not arrive */
};

/* The value of a parameter of the web server ("REQUEST_URI"); absent if it was not sent or is ambiguous. Valid until the
 * exchange is answered. */
struct slice fcgi_exchange_param(const struct fcgi_exchange *exchange, const char *name);
/* All values in their order, joined with commas, for a header that may have several lines (RFC 9110, 5.3). A single value is
 * valid as long as a parameter; joined values are in the pool. */
struct slice fcgi_exchange_param_lines(const struct fcgi_exchange *exchange, struct pool *pool, const char *name);
/* True when different values were sent. */
bool fcgi_exchange_param_is_ambiguous(const struct fcgi_exchange *exchange, const char *name);
/* The bytes of the body; empty unless the state is COMPLETE, so that partial bodies are never used. Valid as long as a
 * parameter is. */
struct slice fcgi_exchange_body(const struct fcgi_exchange *exchange);
enum fcgi_body_state fcgi_exchange_body_state(const struct fcgi_exchange *exchange);
/* Sends a complete CGI response ("Status: 200 OK\r\n…\r\n\r\n…") and closes the connection; once per exchange. What the web
 * server does not read at once is sent later (slow_answers.h). Returns false when the peer was gone. Either way the exchange's
 * values become invalid. The handler may do a little more work, which the client does not wait for. */
MUST_CHECK bool fcgi_exchange_answer(struct fcgi_exchange *exchange, struct slice response);

/* For the worker: reused for each request; `options` and `slow`, which sends its answers, must stay valid. */
struct fcgi_exchange *exchange_new(const struct fcgi_options *options, struct slow_answers *slow);
void exchange_free(struct fcgi_exchange **exchange);

/* Takes ownership of the connection and reads the request's parameters. Waits with fiber_wait (os/fiber.h). Returns false, with
 * the connection closed, when no request was received. */
MUST_CHECK bool exchange_open(struct fcgi_exchange *exchange, int connection);
/* Reads the body to its end and sets its state; stores at most `limit` bytes. Once, after exchange_open. */
void exchange_read_body(struct fcgi_exchange *exchange, size_t limit);
/* Closes the connection if the handler has not. Returns true if the handler had answered. */
bool exchange_close(struct fcgi_exchange *exchange);
