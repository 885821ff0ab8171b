/* SPDX-License-Identifier: MIT
 * IP addresses and networks as settings and headers spell them. No names, no look-ups. */
#ifndef LEADHOOK_CORE_NETWORK_H
#define LEADHOOK_CORE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Either family in one form: an IPv4 address is kept as its v4-mapped IPv6 address (RFC 4291 2.5.5.2), so the two spellings
 * are the same address. Network byte order. */
struct ip_address {
	unsigned char bytes[16];
};

enum { IP_V4_OFFSET = 12 };

bool ip_address_is_v4(const struct ip_address *address);
struct ip_address ip_address_from_v4(const unsigned char bytes[4]);

/* "192.0.2.1" (four decimal parts only), "2001:db8::1". False otherwise. */
MUST_CHECK bool ip_address_parse(struct slice text, struct ip_address *address);
/* False for other families than AF_INET and AF_INET6. */
MUST_CHECK bool ip_address_from_sockaddr(const struct sockaddr *from, struct ip_address *address);
/* The text of RFC 5952; IPv4 as four decimal parts. */
struct slice ip_address_format(struct pool *pool, const struct ip_address *address);

struct network {
	struct ip_address base;
	unsigned prefix; /* bits that must agree, 0..128; of an IPv4 network 96 more than written */
};

bool network_contains(const struct network *network, const struct ip_address *address);

struct network_list {
	const struct network *networks;
	size_t count;
};

/* Addresses and networks in CIDR notation, separated by commas or white space; none is a list too. Bits behind the prefix
 * must be zero: "10.0.0.1/8" is taken for a slip, not for 10.0.0.0/8. The list lives in the pool. False, with *bad set to the
 * item that is wrong, when one is. */
MUST_CHECK bool network_list_parse(struct pool *pool, struct slice text, struct network_list *list, struct slice *bad);

bool network_list_contains(const struct network_list *list, const struct ip_address *address);

#endif
