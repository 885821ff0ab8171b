/* SPDX-License-Identifier: MIT */
#include "limit/limit_address.h"

#include <string.h>

enum { V6_NETWORK_SIZE = 6, V4_SPREAD = 8 };
_Static_assert(sizeof(struct limit_name) <= (size_t)LIMITER_CALLER_MAX, "an address and a campaign");

/* The bytes of an IPv6 address that identify its caller: a client has a /64, a site a /56, some a /48. */
static const size_t reach_bytes[LIMIT_REACHES] = { [REACH_CALLER] = 8, [REACH_SITE] = 7, [REACH_PROVIDER] = 6 };

size_t
limit_claim_address(const struct ip_address *address, enum limit_kind kind, uint64_t campaign_id, struct limit_claim *claims,
    struct limit_name *names)
{
	const bool v4 = ip_address_is_v4(address);
	const size_t reaches = v4 ? 1 : LIMIT_REACHES;
	for (size_t reach = 0; reach < reaches; reach++) {
		struct limit_name *caller = &names[reach];
		memset(caller, 0, sizeof(*caller));
		memcpy(caller->bytes, address->bytes, v4 ? sizeof(address->bytes) : reach_bytes[reach]);
		memcpy(caller->bytes + sizeof(address->bytes), &campaign_id, sizeof(campaign_id));
		claims[reach] = (struct limit_claim){
			.kind = kind, .reach = (enum limit_reach)reach, .caller = { caller->bytes, sizeof(caller->bytes) }
		};
	}
	return reaches;
}

/* An IPv6 site has a /48, with more callers than fit into the memory. An IPv4 address is a caller for each campaign. */
struct limit_network
limit_network_of(const struct ip_address *address)
{
	const bool v4 = ip_address_is_v4(address);
	const struct slice name = { (const char *)address->bytes, v4 ? sizeof(address->bytes) : V6_NETWORK_SIZE };
	return (struct limit_network){ name, v4 ? V4_SPREAD : LIMITER_SPREAD };
}
