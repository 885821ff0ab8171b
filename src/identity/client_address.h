/* SPDX-License-Identifier: MIT
 * The address of the client, even when the request came through trusted proxies (leadhook.conf(5)). */
#pragma once

#include "base/attributes.h"
#include "base/slice.h"
#include "identity/network.h"

/* REMOTE_ADDR or, if that is in `trusted`, the first address of X-Forwarded-For from the right that is not. Ports, brackets
 * and zone ids are removed. An invalid entry ends the search, because everything to its left may be forged; the client then is
 * the last trusted address. Returns false when REMOTE_ADDR is no address (a web server on a unix socket sends none). */
MUST_CHECK bool client_address(
    struct slice remote_addr, struct slice forwarded_for, const struct network_list *trusted, struct ip_address *client);

/* The first address of a list like X-Forwarded-For, with or without a port, brackets and a zone. Other items are skipped.
 * Returns false when there is none. */
MUST_CHECK bool client_address_first(struct slice list, struct ip_address *address);
