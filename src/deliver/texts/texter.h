/* SPDX-License-Identifier: MIT
 * Sends codes to phones (docs/mail.md 8): leases what is due, makes the code, sends it and records what came of it. The main
 * function of a process of its own: a gateway that hangs delays no mail, and a mail server that hangs no code.
 *
 * A code is stored as a hash alone. A text that may have been sent is not sent again: also not by the next process, when this
 * one is killed. */
#ifndef LEADHOOK_DELIVER_TEXTS_TEXTER_H
#define LEADHOOK_DELIVER_TEXTS_TEXTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"
#include "deliver/send/sender.h"
#include "deliver/texts/gateway.h"
#include "store/messages/text_queue.h"

struct companion_life;
struct store;

enum { TEXTER_IN_FLIGHT = 8 };

/* What it points to must stay valid. */
struct texter_options {
	struct text_gateway gateway;
	struct text_limits limits;
	struct sender_options sender; /* in_flight: TEXTER_IN_FLIGHT */
	bool stay;                    /* true: runs until it is stopped; false: until nothing is due */
	int64_t max_runtime_ms;       /* begins nothing after that; 0: no limit */
	int stop_fd;                  /* at its end of file, or when it is readable, it stops; or -1 */
	struct companion_life *life;  /* gets signs of life (process/companion.h); or NULL */
	int signals;                  /* the same, a signalfd; or -1 */
};

/* RESULT_OK, or RESULT_UNAVAILABLE when libcurl does not start. */
MUST_CHECK enum result texter_run(struct store *store, const struct texter_options *options);

#endif
