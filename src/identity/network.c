/* SPDX-License-Identifier: MIT */
#include "identity/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"

enum { ADDRESS_BITS = 128, V4_BITS = 32 };

static const unsigned char v4_mapped[IP_V4_OFFSET] = { [10] = 0xff, [11] = 0xff };

bool
ip_address_is_v4(const struct ip_address *address)
{
	return memcmp(address->bytes, v4_mapped, sizeof(v4_mapped)) == 0;
}

bool
ip_address_is_loopback(const struct ip_address *address)
{
	enum { V4_LOOPBACK = 127 };
	static const struct ip_address v6 = { { [15] = 1 } };
	return ip_address_is_v4(address) ? address->bytes[IP_V4_OFFSET] == V4_LOOPBACK
					 : memcmp(address->bytes, v6.bytes, sizeof(v6.bytes)) == 0;
}

struct ip_address
ip_address_from_v4(const unsigned char bytes[4])
{
	struct ip_address address;
	memcpy(address.bytes, v4_mapped, sizeof(v4_mapped));
	memcpy(address.bytes + IP_V4_OFFSET, bytes, 4);
	return address;
}

bool
ip_address_parse(struct slice text, struct ip_address *address)
{
	char terminated[INET6_ADDRSTRLEN];
	unsigned char bytes[16];
	if (text.size >= sizeof(terminated) || slice_find(text, '\0') != text.size)
		return false;
	if (text.size > 0)
		memcpy(terminated, text.data, text.size);
	terminated[text.size] = '\0';
	if (inet_pton(AF_INET, terminated, bytes) == 1) {
		*address = ip_address_from_v4(bytes);
		return true;
	}
	if (inet_pton(AF_INET6, terminated, bytes) != 1)
		return false;
	memcpy(address->bytes, bytes, sizeof(bytes));
	return true;
}

bool
ip_address_from_sockaddr(const struct sockaddr *from, struct ip_address *address)
{
	/* read as bytes because the caller's buffer may not be aligned for the larger type */
	const unsigned char *bytes = (const unsigned char *)from;
	if (from->sa_family == AF_INET)
		*address = ip_address_from_v4(bytes + offsetof(struct sockaddr_in, sin_addr));
	else if (from->sa_family == AF_INET6)
		memcpy(address->bytes, bytes + offsetof(struct sockaddr_in6, sin6_addr), sizeof(address->bytes));
	return from->sa_family == AF_INET || from->sa_family == AF_INET6;
}

static struct slice
format_v4(struct pool *pool, const unsigned char bytes[4])
{
	char digits[4][DECIMAL_SIZE];
	return POOL_JOIN(pool, encode_decimal(bytes[0], digits[0]), SLICE("."), encode_decimal(bytes[1], digits[1]), SLICE("."),
	    encode_decimal(bytes[2], digits[2]), SLICE("."), encode_decimal(bytes[3], digits[3]));
}

struct slice
ip_address_format(struct pool *pool, const struct ip_address *address)
{
	char text[INET6_ADDRSTRLEN];
	if (address == NULL)
		return SLICE_NONE;
	if (ip_address_is_v4(address))
		return format_v4(pool, address->bytes + IP_V4_OFFSET);
	inet_ntop(AF_INET6, address->bytes, text, sizeof(text));
	return pool_copy(pool, slice_of(text));
}

struct slice
ip_caller_network(struct pool *pool, struct slice text)
{
	struct ip_address address;
	if (!ip_address_parse(text, &address) || ip_address_is_v4(&address))
		return text;
	memset(address.bytes + sizeof(address.bytes) / 2, 0, sizeof(address.bytes) / 2);
	return pool_printf(pool, "%.*s/64", SLICE_ARGS(ip_address_format(pool, &address)));
}

bool
network_contains(const struct network *network, const struct ip_address *address)
{
	const size_t whole = network->prefix / 8;
	const unsigned rest = network->prefix % 8;
	if (memcmp(network->base.bytes, address->bytes, whole) != 0)
		return false;
	return rest == 0 || (network->base.bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

/* Whether no bit after the prefix is set. */
static bool
is_base(const struct network *network)
{
	for (unsigned bit = network->prefix; bit < ADDRESS_BITS; bit++)
		if ((network->base.bytes[bit / 8] >> (7 - bit % 8) & 1) != 0)
			return false;
	return true;
}

bool
network_parse(struct slice item, struct network *network)
{
	const size_t slash = slice_find(item, '/');
	const struct slice base = slice_sub(item, 0, slash);
	if (!ip_address_parse(base, &network->base))
		return false;
	network->prefix = ADDRESS_BITS;
	if (slash == item.size)
		return true;
	/* the prefix of a v4-mapped network written as IPv6 counts IPv6 bits */
	const bool dotted = slice_find(base, ':') == base.size;
	uint64_t bits;
	if (!slice_to_u64(slice_sub(item, slash + 1, item.size), dotted ? V4_BITS : ADDRESS_BITS, &bits))
		return false;
	network->prefix = (unsigned)bits + (dotted ? ADDRESS_BITS - V4_BITS : 0);
	return is_base(network);
}

/* By the first address; if two are equal, the larger network comes first. */
static int
compare(const void *left, const void *right)
{
	const struct network *a = left, *b = right;
	const int order = memcmp(a->base.bytes, b->base.bytes, sizeof(a->base.bytes));
	return order != 0 ? order : (int)a->prefix - (int)b->prefix;
}

/* Sorts the networks and drops those that are part of others, so that none overlap. Returns how many are left. */
static size_t
put_in_order(struct network *networks, size_t count)
{
	size_t left = 0;
	if (count > 1)
		qsort(networks, count, sizeof(*networks), compare);
	for (size_t i = 0; i < count; i++)
		if (left == 0 || !network_contains(&networks[left - 1], &networks[i].base))
			networks[left++] = networks[i];
	return left;
}

bool
network_list_parse(struct pool *pool, struct slice text, struct network_list *list, struct slice *bad)
{
	struct network *networks = NULL;
	size_t count = 0, capacity = 0;
	for (; slice_next_item(&text, bad); count++) {
		networks = pool_grow(pool, networks, count, &capacity, sizeof(*networks));
		if (!network_parse(*bad, &networks[count]))
			return false;
	}
	*list = (struct network_list){ networks, put_in_order(networks, count) };
	return true;
}

bool
network_list_contains(const struct network_list *list, const struct ip_address *address)
{
	/* only the last one that begins at or before the address can contain it */
	size_t low = 0, high = list->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (memcmp(list->networks[middle].base.bytes, address->bytes, sizeof(address->bytes)) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && network_contains(&list->networks[low - 1], address);
}

/* ---- addresses of clients ---- */

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
