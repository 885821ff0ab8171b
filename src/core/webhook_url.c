/* SPDX-License-Identifier: MIT
 * Not libcurl's URL API, which belongs to the sender: there, addresses are judged again when they are dialled. What is taken
 * here is narrow enough that no two parsers disagree about the host. */
#include "core/webhook_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/domain.h"

static const struct scheme {
	struct slice prefix;
	bool tls;
	uint16_t port;
} schemes[] = {
	{ SLICE("http://"), false, 80 },
	{ SLICE("https://"), true, 443 },
};

/* A URL cut into what is judged; the slices lie in its text. */
struct parts {
	const struct scheme *scheme;
	struct slice host; /* without brackets */
	struct slice port; /* empty: none */
	bool bracketed;
};

/* No white space, control characters (C1 are C2 80 to C2 9F in UTF-8) or backslashes. */
static bool
is_plain(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (c <= ' ' || c == 0x7f || c == '\\')
			return false;
		if (c == 0xc2 && i + 1 < text.size && (unsigned char)text.data[i + 1] < 0xa0)
			return false;
	}
	return true;
}

static bool
split_port(struct slice rest, struct parts *parts)
{
	if (rest.size > 0 && rest.data[0] != ':')
		return false;
	parts->port = slice_sub(rest, 1, rest.size);
	return true;
}

static bool
split_authority(struct slice authority, struct parts *parts)
{
	if (slice_find(authority, '@') != authority.size)
		return false;
	parts->bracketed = slice_starts_with(authority, SLICE("["));
	size_t end = slice_find(authority, parts->bracketed ? ']' : ':');
	if (parts->bracketed && end == authority.size)
		return false;
	parts->host = slice_sub(authority, parts->bracketed ? 1 : 0, end);
	return split_port(slice_sub(authority, parts->bracketed ? end + 1 : end, authority.size), parts);
}

static bool
split(struct slice text, struct parts *parts)
{
	*parts = (struct parts){ .scheme = NULL };
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (slice_starts_with_nocase(text, schemes[i].prefix))
			parts->scheme = &schemes[i];
	if (parts->scheme == NULL)
		return false;
	struct slice rest = slice_sub(text, parts->scheme->prefix.size, text.size);
	size_t end = 0;
	while (end < rest.size && rest.data[end] != '/' && rest.data[end] != '?' && rest.data[end] != '#')
		end++;
	return split_authority(slice_sub(rest, 0, end), parts);
}

/* A '%' that begins no pair stays, and makes the name invalid. */
static struct slice
decode_percent(struct pool *pool, struct slice host)
{
	char *out = pool_alloc(pool, host.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < host.size; i++) {
		int high = host.data[i] == '%' && i + 2 < host.size ? ascii_hex_digit(host.data[i + 1]) : -1;
		int low = high >= 0 ? ascii_hex_digit(host.data[i + 2]) : -1;
		out[size++] = low >= 0 ? (char)(high * 16 + low) : host.data[i];
		i += low >= 0 ? 2 : 0;
	}
	return (struct slice){ out, size };
}

/* Letters, digits, hyphens and, for names inside a network, underscores; in labels of 1 to 63. Changes it to lower case. */
static bool
is_host_name(char *data, size_t size)
{
	struct slice rest = { data, size }, label;
	if (size == 0 || size > DOMAIN_MAX || data[size - 1] == '.')
		return false;
	for (size_t i = 0; i < size; i++) {
		data[i] = ascii_lower(data[i]);
		if (!ascii_is_alpha(data[i]) && !ascii_is_digit(data[i]) && data[i] != '-' && data[i] != '_' && data[i] != '.')
			return false;
	}
	while (slice_next(&rest, '.', &label))
		if (label.size == 0 || label.size > DOMAIN_LABEL_MAX)
			return false;
	return true;
}

/* As the resolver sees it: such a name is an IPv4 address or nothing (WHATWG URL, "ends in a number"). */
static bool
ends_in_number(struct slice name)
{
	struct slice last =
	    slice_sub(name, slice_find_last(name, '.') == name.size ? 0 : slice_find_last(name, '.') + 1, name.size);
	bool hex = slice_starts_with(last, SLICE("0x"));
	for (size_t i = hex ? 2 : 0; i < last.size; i++)
		if (hex ? ascii_hex_digit(last.data[i]) < 0 : !ascii_is_digit(last.data[i]))
			return false;
	return true;
}

/* An address between brackets; its zone id says nothing about where the address lies. */
static bool
parse_bracketed(struct slice host, struct ip_address *address)
{
	return slice_find(host, ':') != host.size && ip_address_parse(slice_sub(host, 0, slice_find(host, '%')), address);
}

/* Sets *literal when the name is an address after all. */
static bool
parse_name(struct pool *pool, struct slice typed, struct slice *host, struct ip_address *address, bool *literal)
{
	struct slice decoded = decode_percent(pool, typed);
	if (slice_ends_with(decoded, SLICE(".")))
		decoded.size--;
	bool ascii = true;
	for (size_t i = 0; i < decoded.size; i++)
		ascii = ascii && (unsigned char)decoded.data[i] < 0x80;
	if (!ascii && !domain_to_ascii(pool, decoded, &decoded))
		return false;
	char *name = pool_string(pool, decoded);
	if (!is_host_name(name, decoded.size))
		return false;
	*host = (struct slice){ name, decoded.size };
	*literal = ends_in_number(*host);
	struct in_addr v4;
	if (*literal && inet_aton(name, &v4) == 0)
		return false;
	if (*literal)
		*address = ip_address_from_v4((const unsigned char *)&v4);
	return true;
}

enum webhook_url_result
webhook_url_parse(struct pool *pool, struct slice text, const struct address_rules *rules, struct webhook_url *url)
{
	struct parts parts;
	struct ip_address address;
	struct slice host = SLICE_NONE;
	uint64_t port;
	if (text.size > WEBHOOK_URL_MAX || !is_plain(text) || !split(text, &parts))
		return WEBHOOK_URL_INVALID;
	bool literal = parts.bracketed;
	if (literal ? !parse_bracketed(parts.host, &address) : !parse_name(pool, parts.host, &host, &address, &literal))
		return WEBHOOK_URL_INVALID;
	port = parts.scheme->port;
	if (parts.port.size > 0 && (!slice_to_u64(parts.port, UINT16_MAX, &port) || port == 0))
		return WEBHOOK_URL_INVALID;
	if (literal && !address_ip_allowed(rules, &address))
		return WEBHOOK_URL_FORBIDDEN;
	if (!address_port_allowed(rules, (uint16_t)port))
		return WEBHOOK_URL_FORBIDDEN;
	*url = (struct webhook_url){
		.tls = parts.scheme->tls, .host = literal ? ip_address_format(pool, &address) : host, .port = (uint16_t)port
	};
	return WEBHOOK_URL_OK;
}

static bool
contains_nocase(struct slice text, struct slice part)
{
	for (size_t at = 0; at + part.size <= text.size; at++)
		if (slice_equal_nocase(slice_sub(text, at, at + part.size), part))
			return true;
	return false;
}

bool
webhook_url_wants_form(struct slice url, struct slice form_hosts)
{
	struct parts parts;
	struct slice item;
	if (!split(url, &parts))
		return false;
	while (slice_next_item(&form_hosts, &item))
		if (contains_nocase(parts.host, item))
			return true;
	return false;
}
