/* SPDX-License-Identifier: MIT
 * Addresses and ports that deliveries may be sent to (docs/deliveries.md 5); prevents server-side request forgery. */
#ifndef LEADHOOK_WEBHOOK_ADDRESS_H
#define LEADHOOK_WEBHOOK_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "identity/network.h"

/* The default of dispatch.deny_ports: the port blocking list of WHATWG's Fetch standard (without its port 0) and the usual
 * ports of databases, caches, container engines and file shares. */
#define ADDRESS_DENY_PORTS                                                                                                    \
	"1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 " \
	"137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 "    \
	"1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 "                    \
	"445 873 1433 1521 2375 2376 2379 2380 3306 3389 4567 4568 5432 5984 6379 9042 9200 9300 11211 27017 33060"

struct address_rules {
	struct network_list allow; /* allowed even if in a denied network */
	const uint16_t *deny_ports;
	size_t deny_port_count;
};

/* From the settings dispatch.allow_networks and dispatch.deny_ports (lists; an absent one has its default, an empty one is
 * empty). The rules live in the pool. Returns false, with *bad set to the first invalid item, on errors. */
MUST_CHECK bool address_rules_parse(
    struct pool *pool, struct slice allow_networks, struct slice deny_ports, struct address_rules *rules, struct slice *bad);

/* True when a connection to this address and port is allowed. An IPv4 address embedded in a v4-mapped, 6to4, Teredo or NAT64
 * address is checked like the IPv4 address itself, including against the allowed networks. Families other than IPv4 and IPv6
 * are denied. */
MUST_CHECK bool address_allowed(const struct address_rules *rules, const struct sockaddr *address);

/* The two parts of that check. */
MUST_CHECK bool address_ip_allowed(const struct address_rules *rules, const struct ip_address *address);
MUST_CHECK bool address_port_allowed(const struct address_rules *rules, uint16_t port);

#endif
