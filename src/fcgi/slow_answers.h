/* SPDX-License-Identifier: MIT
 * Answers that the web server reads slowly, because it passes them on as fast as the client reads (mod_proxy_fcgi, mod_fcgid).
 * The worker sends the rest between other requests instead of waiting. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "os/event_loop.h"

/* How many there may be for each lane of a worker. */
enum { SLOW_ANSWERS_MAX = 8 };

struct slow_answers;

/* The loop must stay valid. At most `maximum` answers, each with `ms` until its connection is closed. */
struct slow_answers *slow_answers_new(struct event_loop *loop, size_t maximum, int64_t ms);
/* Closes all connections. */
void slow_answers_free(struct slow_answers **slow);

/* Sends the answer and closes the connection, at once or as fast as it takes the answer; what is sent later is copied. Takes
 * ownership of the connection. If there are already as many as may be, gives up the oldest. Returns false when the peer is
 * gone. */
MUST_CHECK bool slow_answers_send(struct slow_answers *slow, int connection, struct slice answer);
/* Whether there are any. */
bool slow_answers_exist(const struct slow_answers *slow);
