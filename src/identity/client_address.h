/* SPDX-License-Identifier: MIT
 * Who is asking (docs/api.md 5): the client behind trusted proxies. */
#ifndef LEADHOOK_CORE_CLIENT_ADDRESS_H
#define LEADHOOK_CORE_CLIENT_ADDRESS_H

#include "base/attributes.h"
#include "base/slice.h"
#include "identity/network.h"

/* REMOTE_ADDR or, while that is in `trusted`, the first address of X-Forwarded-For from the right that is not. Ports,
 * brackets and zone ids are stripped. What cannot be read ends the walk, for whatever stands left of it may be forged: the
 * last trusted address is then the client. False when REMOTE_ADDR is no address (a web server on a unix socket gives none). */
MUST_CHECK bool client_address(
    struct slice remote_addr, struct slice forwarded_for, const struct network_list *trusted, struct ip_address *client);

#endif
