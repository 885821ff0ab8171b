/* SPDX-License-Identifier: MIT
 * Destinations of webhooks at registration (delivery.md 1). The addresses that a name has are judged when they are dialled. */
#ifndef LEADHOOK_CORE_WEBHOOK_URL_H
#define LEADHOOK_CORE_WEBHOOK_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "core/address.h"

enum { WEBHOOK_URL_MAX = 2048 };

enum webhook_url_result {
	WEBHOOK_URL_OK,
	WEBHOOK_URL_INVALID,  /* 409 invalid_url */
	WEBHOOK_URL_FORBIDDEN /* 409 forbidden_url: a literal address or a port that the rules deny */
};

struct webhook_url {
	bool tls;
	struct slice
	    host;      /* lower case, A-labels; an address as RFC 5952 has it, without brackets; no trailing dot; in the pool */
	uint16_t port; /* the scheme's when the URL names none */
};

/* Absolute, http or https in any case, at most WEBHOOK_URL_MAX bytes. No user-info, no ASCII white space, control characters
 * (C1 too) or backslashes anywhere, for parsers disagree about those. A fragment is taken and never sent. The host is decoded
 * and mapped as libcurl and the resolver would do it (percent-encoding, IDNA, inet_aton(3)'s spellings of IPv4, a trailing dot)
 * before it is judged; a name whose last label is a number, yet no address, is invalid. *url is set only for WEBHOOK_URL_OK. */
MUST_CHECK enum webhook_url_result webhook_url_parse(
    struct pool *pool, struct slice text, const struct address_rules *rules, struct webhook_url *url);

/* True when the host of a registered URL contains an item of the list setting dispatch.form_hosts, without regard to case
 * (delivery.md 2). */
bool webhook_url_wants_form(struct slice url, struct slice form_hosts);

#endif
