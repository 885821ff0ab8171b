/* SPDX-License-Identifier: MIT
 * Sends codes to phones (docs/mail.md 8), as the main function of a separate process: a gateway that hangs delays no mail, and
 * a mail server that hangs delays no code.
 *
 * A code is stored only as a hash. A text that may have been sent is never sent again, not even by the next process if this one
 * is killed. */
#pragma once

#include "deliver/outbox/outbox.h"
#include "deliver/send/sender.h"
#include "deliver/texts/gateway.h"
#include "store/messages/text_limits.h"

enum { TEXTER_IN_FLIGHT = 8 };

/* Everything it points to must stay valid. */
struct texter_options {
	struct outbox_options outbox; /* outbox.limits: the same as `limits` */
	struct text_gateway gateway;
	struct text_limits limits;
	struct sender_options sender; /* in_flight: TEXTER_IN_FLIGHT */
};

/* RESULT_OK, or RESULT_UNAVAILABLE when libcurl does not start. */
MUST_CHECK enum result texter_run(struct store *store, const struct texter_options *options);
