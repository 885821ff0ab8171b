/* SPDX-License-Identifier: MIT
 * Answers that the web server reads slowly, because it passes them on as fast as the client reads (mod_proxy_fcgi, mod_fcgid).
 * The worker sends the rest between other requests instead of waiting. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/buffer.h"

enum { SLOW_ANSWERS_MAX = 8 };

struct slow_answers;

/* `epoll` reports when a connection takes more, with the descriptor as its data. Each answer has `ms` until its connection is
 * closed. */
struct slow_answers *slow_answers_new(int epoll, int64_t ms);
/* Closes all connections. */
void slow_answers_free(struct slow_answers **slow);

/* Sends the answer and closes the connection, at once or as fast as it takes the answer. Takes ownership of both. If there are
 * already SLOW_ANSWERS_MAX, gives up the oldest. Returns false when the peer is gone. */
MUST_CHECK bool slow_answers_send(struct slow_answers *slow, int connection, struct buffer *answer);
/* Call when the connection takes more bytes or is gone. */
void slow_answers_continue(struct slow_answers *slow, int connection);
/* Gives up answers whose time is over. Returns when to call this next, or CLOCK_NEVER. */
int64_t slow_answers_expire(struct slow_answers *slow);
