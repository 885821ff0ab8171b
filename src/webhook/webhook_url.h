/* SPDX-License-Identifier: MIT
 * Destinations of webhooks: at registration (docs/deliveries.md 1), and as they are dialled. The addresses that a name has are
 * judged by the sender. */
#ifndef LEADHOOK_WEBHOOK_WEBHOOK_URL_H
#define LEADHOOK_WEBHOOK_WEBHOOK_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "webhook/address.h"

enum { WEBHOOK_URL_MAX = 2048 };

enum webhook_url_result {
	WEBHOOK_URL_OK,
	WEBHOOK_URL_INVALID,  /* 409 invalid_url */
	WEBHOOK_URL_FORBIDDEN /* 409 forbidden_url: a literal address or a port that the rules deny */
};

/* Absolute, http or https in any case, at most WEBHOOK_URL_MAX bytes. No user-info, no ASCII white space, control characters
 * (C1 too) or backslashes anywhere, for parsers disagree about those. A fragment is taken and never sent. The host is decoded
 * and mapped as libcurl and the resolver would do it (percent-encoding, IDNA, inet_aton(3)'s spellings of IPv4, a trailing dot)
 * before it is judged; a name whose last label is a number, yet no address, is invalid. */
MUST_CHECK enum webhook_url_result webhook_url_judge(struct pool *pool, struct slice text, const struct address_rules *rules);

/* The URL that is dialled for one that may be registered: with the host that was judged, the port when one was given, path
 * and query. What may not stand in a request line is percent-encoded, other characters than ASCII as UTF-8. Its host is still
 * to be judged by the addresses that it has. False when it is none; *dialled is then untouched. */
MUST_CHECK bool webhook_url_dial(struct pool *pool, struct slice text, struct slice *dialled);

/* True when a registered URL contains an item of the list setting dispatch.form_urls, anywhere and without regard to case
 * (docs/deliveries.md 2). */
bool webhook_url_wants_form(struct slice url, struct slice form_urls);

#endif
