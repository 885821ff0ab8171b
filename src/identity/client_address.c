/* SPDX-License-Identifier: MIT */
#include "identity/client_address.h"

/* "192.0.2.1", "192.0.2.1:1234", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:1234", each IPv6 form also with a zone
 * ("%eth0"). */
static bool
parse_hop(struct slice text, struct ip_address *address)
{
	struct slice host = slice_trim(text);
	if (slice_starts_with(host, SLICE("["))) {
		size_t end = slice_find(host, ']');
		if (end == host.size || (end + 1 < host.size && host.data[end + 1] != ':'))
			return false;
		host = slice_sub(host, 1, end);
	} else if (slice_find(host, ':') == slice_find_last(host, ':')) {
		host = slice_sub(host, 0, slice_find(host, ':'));
	}
	return ip_address_parse(slice_sub(host, 0, slice_find(host, '%')), address);
}

/* Splits off the last item that is not empty (RFC 9110 5.6.1.2). */
static bool
previous_hop(struct slice *rest, struct slice *hop)
{
	while (rest->size > 0) {
		const size_t comma = slice_find_last(*rest, ',');
		const bool first = comma == rest->size;
		*hop = slice_trim(slice_sub(*rest, first ? 0 : comma + 1, rest->size));
		*rest = slice_sub(*rest, 0, first ? 0 : comma);
		if (hop->size > 0)
			return true;
	}
	return false;
}

bool
client_address_first(struct slice list, struct ip_address *address)
{
	struct slice hop;
	while (slice_next_item(&list, &hop))
		if (parse_hop(hop, address))
			return true;
	return false;
}

bool
client_address(
    struct slice remote_addr, struct slice forwarded_for, const struct network_list *trusted, struct ip_address *client)
{
	struct ip_address hop;
	struct slice text;
	if (!parse_hop(remote_addr, client))
		return false;
	while (network_list_contains(trusted, client) && previous_hop(&forwarded_for, &text) && parse_hop(text, &hop))
		*client = hop;
	return true;
}
