/* SPDX-License-Identifier: MIT
 * Does not use libcurl's URL API, which belongs to the sender; there, addresses are checked again when connecting. The accepted
 * syntax is so narrow that all parsers agree on the host. libcurl gets a URL built from the checked parts, in ASCII, because it
 * would interpret other bytes in the locale's charset. */
#include "webhook/webhook_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "identity/domain.h"

/* libcurl's maximum length of a zone id; the maximum length of a URL with every byte percent-encoded and a host in A-labels. */
enum { ZONE_MAX = 15, DIALLED_MAX = 3 * WEBHOOK_URL_MAX + 2 * DOMAIN_MAX };

static const struct scheme {
	struct slice prefix;
	uint16_t port;
} schemes[] = {
	{ SLICE("http://"), 80 },
	{ SLICE("https://"), 443 },
};

/* A parsed URL; the parts point into its text. */
struct parts {
	const struct scheme *scheme;
	struct slice host; /* the host without brackets */
	struct slice port; /* empty: none */
	bool bracketed;
	struct slice target; /* path and query, without the fragment */
};

/* The host and port to connect to. */
struct destination {
	bool literal; /* the host is an address */
	struct ip_address address;
	struct slice host; /* as used for the connection: lower case, A-labels, no trailing dot; an address in RFC 5952 form */
	uint16_t port;     /* the scheme's default when the URL has none */
};

/* Whether there are no blanks, control characters or backslashes. */
static bool
is_plain(struct slice text)
{
	return !utf8_has_control(text) && slice_find(text, ' ') == text.size && slice_find(text, '\\') == text.size;
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
	struct slice rest = slice_sub(authority, parts->bracketed ? end + 1 : end, authority.size);
	parts->port = slice_sub(rest, 1, rest.size);
	return rest.size == 0 || rest.data[0] == ':';
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
	struct slice after_authority = slice_sub(rest, end, rest.size);
	parts->target = slice_sub(after_authority, 0, slice_find(after_authority, '#'));
	return split_authority(slice_sub(rest, 0, end), parts);
}

/* Letters, digits, hyphens and, for internal names, underscores; in labels of 1 to 63. Converts to lower case. */
static bool
is_host_name(char *data, size_t size)
{
	struct slice rest = { data, size }, label;
	if (size == 0 || size > DOMAIN_MAX || data[size - 1] == '.' || !slice_is_alnum(rest, "-_."))
		return false;
	for (size_t i = 0; i < size; i++)
		data[i] = ascii_lower(data[i]);
	while (slice_next(&rest, '.', &label))
		if (label.size == 0 || label.size > DOMAIN_LABEL_MAX)
			return false;
	return true;
}

/* The resolver parses such a name as an IPv4 address or not at all (WHATWG URL, "ends in a number"). */
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

/* Whether libcurl accepts it as the name of a network interface. */
static bool
is_zone(struct slice zone)
{
	return zone.size > 0 && zone.size <= ZONE_MAX && slice_is_alnum(zone, "-_.");
}

/* An IPv6 address in brackets. Its zone id does not affect the check, but a link-local address requires it. */
static bool
parse_bracketed(struct pool *pool, struct slice inside, struct destination *to)
{
	size_t end = slice_find(inside, '%');
	struct slice address = slice_sub(inside, 0, end), zone = slice_sub(inside, end + 1, inside.size);
	if (slice_starts_with(zone, SLICE("25")) && zone.size > 2)
		zone = slice_sub(zone, 2, zone.size); /* RFC 6874 */
	if (slice_find(address, ':') == address.size || !ip_address_parse(address, &to->address) ||
	    (end < inside.size && !is_zone(zone)))
		return false;
	to->literal = true;
	to->host = ip_address_format(pool, &to->address);
	if (!ip_address_is_v4(&to->address)) {
		struct slice scope = zone.size == 0 ? SLICE("") : pool_printf(pool, "%%25%.*s", SLICE_ARGS(zone));
		to->host = pool_printf(pool, "[%.*s%.*s]", SLICE_ARGS(to->host), SLICE_ARGS(scope));
	}
	return true;
}

/* The typed name may be another spelling of an address. */
static bool
parse_name(struct pool *pool, struct slice typed, struct destination *to)
{
	struct slice decoded = decode_percent(pool, typed); /* another '%' makes the name invalid */
	if (slice_ends_with(decoded, SLICE(".")))
		decoded.size--;
	if (!slice_is_ascii(decoded) && !domain_to_ascii(pool, decoded, &decoded))
		return false;
	char *name = pool_string(pool, decoded);
	if (!is_host_name(name, decoded.size))
		return false;
	to->host = (struct slice){ name, decoded.size };
	to->literal = ends_in_number(to->host);
	struct in_addr v4;
	if (!to->literal)
		return true;
	if (inet_aton(name, &v4) == 0)
		return false;
	to->address = ip_address_from_v4((const unsigned char *)&v4);
	to->host = ip_address_format(pool, &to->address);
	return true;
}

static bool
parse(struct pool *pool, struct slice text, struct parts *parts, struct destination *to)
{
	uint64_t port;
	if (text.size > WEBHOOK_URL_MAX || !is_plain(text) || !split(text, parts))
		return false;
	if (parts->bracketed ? !parse_bracketed(pool, parts->host, to) : !parse_name(pool, parts->host, to))
		return false;
	port = parts->scheme->port;
	if (parts->port.size > 0 && (!slice_to_u64(parts->port, UINT16_MAX, &port) || port == 0))
		return false;
	to->port = (uint16_t)port;
	return true;
}

enum webhook_url_result
webhook_url_judge(struct pool *pool, struct slice text, const struct address_rules *rules)
{
	struct parts parts;
	struct destination to;
	if (!parse(pool, text, &parts, &to))
		return WEBHOOK_URL_INVALID;
	if ((to.literal && !address_ip_allowed(rules, &to.address)) || !address_port_allowed(rules, to.port))
		return WEBHOOK_URL_FORBIDDEN;
	return WEBHOOK_URL_OK;
}

static void
add_target(struct buffer *out, struct slice target)
{
	if (!slice_starts_with(target, SLICE("/")))
		buffer_add_byte(out, '/');
	encode_target(out, target);
}

bool
webhook_url_dial(struct pool *pool, struct slice text, struct slice *dialled)
{
	struct parts parts;
	struct destination to;
	struct buffer out;
	if (!parse(pool, text, &parts, &to))
		return false;
	buffer_init(&out, DIALLED_MAX);
	buffer_add(&out, parts.scheme->prefix);
	buffer_add(&out, to.host);
	if (parts.port.size > 0) {
		buffer_add_byte(&out, ':');
		buffer_add_u64(&out, to.port);
	}
	add_target(&out, parts.target);
	bool whole = buffer_ok(&out);
	if (whole)
		*dialled = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return whole;
}

bool
webhook_url_wants_form(struct slice url, struct slice form_urls)
{
	struct slice item;
	while (slice_next_item(&form_urls, &item))
		if (slice_contains_nocase(url, item))
			return true;
	return false;
}

/* The port in the URL; 0 if there is none, or it is the scheme's default. */
static uint64_t
other_port(const struct parts *parts)
{
	uint64_t port;
	return slice_to_u64(parts->port, UINT16_MAX, &port) && port != parts->scheme->port ? port : 0;
}

static struct slice
without_www(struct slice host)
{
	const struct slice www = SLICE("www.");
	return slice_starts_with_nocase(host, www) ? slice_sub(host, www.size, host.size) : host;
}

/* The path without a slash at its end. */
static struct slice
without_slash(struct slice path)
{
	return slice_ends_with(path, SLICE("/")) ? slice_sub(path, 0, path.size - 1) : path;
}

bool
webhook_url_is_respelled(struct slice url, struct slice location)
{
	struct parts from, to;
	if (!slice_present(location) || !split(url, &from) || !split(location, &to))
		return false;
	const size_t from_path = slice_find(from.target, '?'), to_path = slice_find(to.target, '?');
	const struct slice one = slice_sub(from.target, 0, from_path), other = slice_sub(to.target, 0, to_path);
	const bool is_same = from.scheme == to.scheme && slice_equal_nocase(from.host, to.host) &&
			     (slice_equal(one, other) || one.size + other.size == 1);
	return !is_same && slice_equal_nocase(without_www(from.host), without_www(to.host)) &&
	       other_port(&from) == other_port(&to) && slice_equal(without_slash(one), without_slash(other)) &&
	       slice_equal(slice_sub(from.target, from_path, from.target.size), slice_sub(to.target, to_path, to.target.size));
}
