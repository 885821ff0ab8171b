/* SPDX-License-Identifier: MIT
 * IP addresses and networks in settings and headers. No host names, no DNS. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/pool.h"

/* Both families in one form: an IPv4 address is stored as its v4-mapped IPv6 address (RFC 4291 2.5.5.2), so that both spellings
 * mean the same address. Network byte order. */
struct ip_address {
	unsigned char bytes[16];
};

enum { IP_V4_OFFSET = 12 };

bool ip_address_is_v4(const struct ip_address *address);
/* 127.0.0.0/8 or ::1. */
bool ip_address_is_loopback(const struct ip_address *address);
struct ip_address ip_address_from_v4(const unsigned char bytes[4]);

/* Parses "192.0.2.1" (four decimal parts only) or "2001:db8::1". Returns false otherwise. */
MUST_CHECK bool ip_address_parse(struct slice text, struct ip_address *address);
/* Returns false for a family other than AF_INET and AF_INET6. */
MUST_CHECK bool ip_address_from_sockaddr(const struct sockaddr *from, struct ip_address *address);
/* The text form of RFC 5952; IPv4 as four decimal parts. NULL: absent. */
struct slice ip_address_format(struct pool *pool, const struct ip_address *address);

/* The network of a caller, by which leads are counted (docs/api.md 4.6). For IPv6 it is the /64 ("2001:db8::/64"), because a
 * client can use all of its addresses. An IPv4 address, or a text that is not an address, is returned unchanged. In the pool,
 * or `text` itself. */
struct slice ip_caller_network(struct pool *pool, struct slice text);

struct network {
	struct ip_address base;
	unsigned prefix; /* bits that must match, 0..128; for an IPv4 network 96 more than written */
};

/* An address or a network in CIDR notation. Bits after the prefix must be zero: "10.0.0.1/8" is treated as a mistake, not as
 * 10.0.0.0/8. Returns false otherwise. */
MUST_CHECK bool network_parse(struct slice item, struct network *network);

bool network_contains(const struct network *network, const struct ip_address *address);

struct network_list {
	const struct network *networks; /* sorted by first address, without overlaps */
	size_t count;
};

/* Networks separated by commas or white space; the list may be empty. It is in the pool. Returns false, with *bad set, at the
 * first item that is not valid. */
MUST_CHECK bool network_list_parse(struct pool *pool, struct slice text, struct network_list *list, struct slice *bad);

/* Takes logarithmic time. */
bool network_list_contains(const struct network_list *list, const struct ip_address *address);

/* The address of the client, even if the request came through trusted proxies (leadhook.conf(5)): REMOTE_ADDR or, if that is in
 * `trusted`, the first address of X-Forwarded-For from the right that is not. Ports, brackets and zone ids are removed. An
 * invalid entry ends the search, because everything to its left may be forged; the client is then the last trusted address.
 * Returns false when REMOTE_ADDR is not an address (a web server on a unix socket sends none). */
MUST_CHECK bool client_address(
    struct slice remote_addr, struct slice forwarded_for, const struct network_list *trusted, struct ip_address *client);

/* The first address of a list like X-Forwarded-For, with or without a port, brackets and a zone. Other items are skipped.
 * Returns false when there is none. */
MUST_CHECK bool client_address_first(struct slice list, struct ip_address *address);
