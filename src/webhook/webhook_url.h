/* SPDX-License-Identifier: MIT
 * Destinations of webhooks: at registration (docs/deliveries.md 1) and for connections. The sender checks the addresses that a
 * name resolves to. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "webhook/address_rules.h"

enum { WEBHOOK_URL_MAX = 2048 };

enum webhook_url_result {
	WEBHOOK_URL_OK,
	WEBHOOK_URL_INVALID,  /* 409 invalid_url */
	WEBHOOK_URL_FORBIDDEN /* 409 forbidden_url: a literal address or a port that the rules deny */
};

/* Absolute, http or https in any case, at most WEBHOOK_URL_MAX bytes. No user-info, ASCII white space, control characters
 * (including C1) or backslashes, because parsers disagree about them. A fragment is accepted and never sent. The host is
 * decoded and mapped as by libcurl and the resolver (percent-encoding, IDNA, inet_aton(3)'s forms of IPv4, a trailing dot)
 * before the check. A name whose last label is a number, but which is not an address, is invalid. */
MUST_CHECK enum webhook_url_result webhook_url_judge(struct pool *pool, struct slice text, const struct address_rules *rules);

/* Sets *dialled to the URL to connect to: the checked host, the port if given, path and query. Characters that are not allowed
 * in a request line are percent-encoded, non-ASCII ones as UTF-8. The addresses of the host must still be checked. Returns
 * false, with *dialled unchanged, when the URL is invalid. */
MUST_CHECK bool webhook_url_dial(struct pool *pool, struct slice text, struct slice *dialled);

/* Whether a redirect from `url` only leads to another spelling of the same URL: with https, or with or without "www." or a
 * slash at the end. Web servers redirect like this before they do any work, even with a status that looks like success
 * (docs/deliveries.md 3.3). Pages that redirect to themselves have done their work. */
bool webhook_url_is_respelled(struct slice url, struct slice location);

/* True when a registered URL contains an item of the list setting dispatch.form_urls, anywhere, ignoring case
 * (docs/deliveries.md 2). */
bool webhook_url_wants_form(struct slice url, struct slice form_urls);
