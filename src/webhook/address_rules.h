/* SPDX-License-Identifier: MIT
 * Addresses and ports that deliveries may be sent to (docs/deliveries.md 5); prevents server-side request forgery. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/pool.h"
#include "identity/network.h"

/* Prefixes in the order of the setting. */
struct nat64_prefixes {
	const struct network *networks;
	size_t count;
};

struct address_rules {
	struct network_list allow;   /* allowed even within denied networks */
	bool allow_only;             /* no addresses other than those of `allow` are allowed */
	struct nat64_prefixes nat64; /* in addition to 64:ff9b::/96 */
	const uint16_t *deny_ports;
	size_t deny_port_count;
};

/* Makes rules from the lists dispatch.allow_networks and dispatch.deny_ports. The rules live in the pool. Returns false, with
 * *bad set to the first invalid item, on errors. */
MUST_CHECK bool address_rules_parse(
    struct pool *pool, struct slice allow_networks, struct slice deny_ports, struct address_rules *rules, struct slice *bad);

/* Parses the prefixes of a network that translates IPv6 addresses into the IPv4 addresses embedded in them (RFC 6052 2.2): IPv6
 * networks, as in network_list_parse, of 32, 40, 48, 56, 64 or 96 bits. Returns false, with *bad set, as above. */
MUST_CHECK bool address_nat64_parse(struct pool *pool, struct slice text, struct nat64_prefixes *nat64, struct slice *bad);

/* True when a connection to this address and port is allowed. An IPv4 address embedded in a v4-mapped, 6to4, Teredo or NAT64
 * address is checked like the IPv4 address itself, including against the allowed networks. Families other than IPv4 and IPv6
 * are denied. */
MUST_CHECK bool address_allowed(const struct address_rules *rules, const struct sockaddr *address);

/* The two parts of that check. */
MUST_CHECK bool address_ip_allowed(const struct address_rules *rules, const struct ip_address *address);
MUST_CHECK bool address_port_allowed(const struct address_rules *rules, uint16_t port);
