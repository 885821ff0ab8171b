/* SPDX-License-Identifier: MIT
 * What an IP address counts as: a caller and, for IPv6, also a part of two networks. */
#pragma once

#include "identity/network.h"
#include "limit/limiter.h"

/* The name of a caller: an address, with or without a campaign. */
struct limit_name {
	char bytes[sizeof(struct ip_address) + sizeof(uint64_t)];
};

/* Makes the claims of an address and its networks, and returns their number, at most LIMIT_REACHES. `campaign_id` 0: the limit
 * is not counted by campaign. Clients without an address are one caller together. The claims point into `names`. */
size_t limit_claim_address(const struct ip_address *address, enum limit_kind kind, uint64_t campaign_id,
    struct limit_claim *claims, struct limit_name *names);
/* The network of these callers. It points into `address`. */
struct limit_network limit_network_of(const struct ip_address *address);
