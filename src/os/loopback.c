/* SPDX-License-Identifier: MIT */
#include "os/loopback.h"

#include <arpa/inet.h>
#include <string.h>

enum { V4_OFFSET = 12 }; /* of an IPv4 address in IPv6 */

bool
host_is_loopback(struct slice host)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in_addr v4;
	struct in6_addr v6;
	if (host.size > 0 && host.size < sizeof(text) && !slice_has_control(host))
		memcpy(text, host.data, host.size);
	if (inet_pton(AF_INET, text, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
	if (inet_pton(AF_INET6, text, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[V4_OFFSET] == IN_LOOPBACKNET);
	return slice_equal_nocase(host, SLICE("localhost"));
}
