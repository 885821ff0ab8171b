/* SPDX-License-Identifier: MIT */
#include "conf/setting_table.h"

#include <string.h>

#include "base/duration.h"

static bool
is_word(struct slice text)
{
	return slice_is_alnum(text, "_");
}

/* Printable, without blanks. */
static bool
is_visible(struct slice text)
{
	return slice_is_printable(text) && slice_find(text, ' ') == text.size;
}

/* A path or URL that something is appended to: no query, no fragment, no trailing "/". */
static bool
is_stem(struct slice text)
{
	return is_visible(text) && slice_find(text, '?') == text.size && slice_find(text, '#') == text.size &&
	       !slice_ends_with(text, SLICE("/"));
}

static bool
is_base_path(struct slice text)
{
	return slice_starts_with(text, SLICE("/")) && is_stem(text);
}

static bool
is_web_address(struct slice text)
{
	size_t scheme = slice_starts_with(text, SLICE("https://")) ? 8 : slice_starts_with(text, SLICE("http://")) ? 7 : 0;
	return scheme > 0 && text.size > scheme && is_visible(text);
}

static bool
is_base_url(struct slice text)
{
	return is_web_address(text) && is_stem(text);
}

static bool
is_avatar_url(struct slice text)
{
	return is_web_address(text) && slice_contains(text, SLICE("{hash}"));
}

/* Checks only the form; identity/network.h parses it. */
static bool
looks_like_network(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_digit(text.data[i]) < 0 && memchr(".:/", text.data[i], 3) == NULL)
			return false;
	return true;
}

static bool
is_port(struct slice text)
{
	uint64_t port;
	return slice_to_u64(text, 65535, &port) && port > 0;
}

static bool
is_server(struct slice text)
{
	struct slice host;
	uint64_t port;
	return slice_split_port(text, &host, &port) && is_visible(host);
}

/* Checks only the form; the mail layer parses it. */
static bool
is_mailbox(struct slice text)
{
	return slice_find(text, '@') < text.size;
}

static bool
is_host(struct slice text)
{
	return is_visible(text) && slice_find(text, '/') == text.size;
}

static bool
is_duration(struct slice text)
{
	int64_t ms;
	return duration_parse(text, &ms);
}

/* Checks only the form; the limiter parses it. */
static bool
is_limit(struct slice text)
{
	uint64_t limit;
	const size_t stroke = slice_find(text, '/');
	return slice_to_u64(slice_sub(text, 0, stroke), UINT32_MAX, &limit) &&
	       is_duration(slice_sub(text, stroke + 1, text.size));
}

/* Checks only the form; the listener requires a loopback address. */
static bool
is_listen_place(struct slice text)
{
	return slice_starts_with(text, SLICE("/")) || slice_find(text, ':') < text.size;
}

static bool
is_gateway_url(struct slice text)
{
	return is_web_address(text) && slice_find(text, '#') == text.size;
}

static bool
is_header(struct slice text)
{
	const size_t colon = slice_find(text, ':');
	return slice_is_printable(text) && colon > 0 && colon < text.size && slice_is_alnum(slice_sub(text, 0, colon), "-_");
}

static bool
is_text_body(struct slice text)
{
	return slice_is_printable(text) && slice_contains(text, SLICE("{to}")) && slice_contains(text, SLICE("{text}"));
}

static bool
is_http_status(struct slice text)
{
	uint64_t status;
	return text.size == 3 && slice_to_u64(text, 599, &status) && status >= 200;
}

static bool
is_calling_code(struct slice text)
{
	uint64_t code;
	return text.size <= 7 && slice_to_u64(text, 9999999, &code) && code > 0 && text.data[0] != '0';
}

static bool
is_token(struct slice text)
{
	enum { TOKEN_MIN = 16 };
	return text.size >= TOKEN_MIN && is_visible(text);
}

/* The form that crypto/seal.h reads. */
static bool
is_key_list(struct slice text)
{
	enum { KEY_DIGITS = 64, KEYS_MAX = 8 };
	size_t count = 0;
	struct slice item;
	while (slice_next_item(&text, &item)) {
		if (item.size != KEY_DIGITS || ++count > KEYS_MAX)
			return false;
		for (size_t i = 0; i < item.size; i++)
			if (ascii_hex_digit(item.data[i]) < 0)
				return false;
	}
	return true;
}

static const struct conf_rule prefix = { "letters, digits and _", .holds = is_word };
static const struct conf_rule tls = { "nothing, off or verify", .words = "off verify" };
static const struct conf_rule mail_tls = { "required, implicit or none", .words = "required implicit none" };
static const struct conf_rule mailbox = { "an address, or a name and <address>", .holds = is_mailbox };
static const struct conf_rule host = { "nothing, or the name or address of a host", .holds = is_host };
static const struct conf_rule listen_at = { "nothing, an absolute path, or a loopback address and port",
	.holds = is_listen_place };
static const struct conf_rule header_text = { "printable ASCII", .holds = slice_is_printable };
static const struct conf_rule base_path = { "nothing, or a path that begins but does not end with /", .holds = is_base_path };
static const struct conf_rule base_url = { "nothing, or http:// or https:// and a host, without / at its end",
	.holds = is_base_url };
static const struct conf_rule avatar_url = { "nothing, or an http:// or https:// address with {hash} in it",
	.holds = is_avatar_url };
static const struct conf_rule networks = { "addresses or networks as 192.0.2.0/24 or 2001:db8::/32",
	.holds = looks_like_network };
static const struct conf_rule ports = { "port numbers from 1 to 65535", .holds = is_port };
static const struct conf_rule servers = { "hosts, each with :port or without", .holds = is_server };
static const struct conf_rule durations = { "durations as 5s, 30m or 24h", .holds = is_duration };
static const struct conf_rule limits = { "numbers of requests and durations as 10/60s", .holds = is_limit };
static const struct conf_rule content_type = { "form, json or query", .words = "form json query" };
static const struct conf_rule kind_of_numbers = { "mobile or any", .words = "mobile any" };
static const struct conf_rule gateway_url = { "nothing, or an http:// or https:// address without #", .holds = is_gateway_url };
static const struct conf_rule header = { "nothing, or a header as Name: value", .holds = is_header };
static const struct conf_rule text_body = { "printable ASCII with {to} and {text} in it", .holds = is_text_body };
static const struct conf_rule statuses = { "HTTP statuses from 200 to 599", .holds = is_http_status };
static const struct conf_rule calling_codes = { "digits without + and without leading zeros, as 49", .holds = is_calling_code };
static const struct conf_rule token = { "nothing, or at least 16 visible ASCII characters", .holds = is_token };
static const struct conf_rule key_list = { "nothing, or at most 8 keys of 64 hexadecimal digits", .holds = is_key_list };
static const struct conf_rule log_format = { "logfmt or json", .words = "logfmt json" };
static const struct conf_rule facility = { "nothing, daemon, user, mail, or local0 to local7",
	.words = "daemon user mail local0 local1 local2 local3 local4 local5 local6 local7" };
static const struct conf_rule url_parts = { "words of ASCII characters", .holds = is_visible };

/* The C type of each setting type in struct conf. */
#define PLACE_CONF_TEXT const char *
#define PLACE_CONF_PATH const char *
#define PLACE_CONF_SECRET const char *
#define PLACE_CONF_LIST const char *
#define PLACE_CONF_INTEGER unsigned
#define PLACE_CONF_WORKERS unsigned
#define PLACE_CONF_MODE unsigned
#define PLACE_CONF_SIZE size_t
#define PLACE_CONF_DURATION int64_t
#define PLACE_CONF_SWITCH bool
#define PLACE_CONF_LEVEL enum log_level

/* Does not compile if the member has another type: the compiler checks a comparison that is never evaluated. */
#define SETTING(section, key, type) \
#section, #key, type,       \
	    offsetof(struct conf, section.key) + 0 * sizeof((PLACE_##type *)0 == &((struct conf *)0)->section.key)

enum { TEXT_MAX = 255, PATH_BYTES_MAX = 4095, SOCKET_PATH_MAX = 107, URL_MAX = 2048, LIST_MAX = 256, LIMITS_MAX = 4 };
enum { KILO = 1024, MEGA = 1024 * 1024 };
/* The size of a TEXT column of the schema. */
enum { COLUMN_MAX = 65535 };
/* More items are always answered with 413 (docs/requirements.md, Limits). */
enum { BULK_ITEMS_MAX = 250 };
#define YEAR_MS (365 * DAY_MS)

/* The ports of "port blocking" in WHATWG's Fetch standard, and the usual ports of databases, caches, container engines and file
 * shares. */
#define DENIED_PORTS                                                                                                          \
	"1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 " \
	"137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 "    \
	"1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 "                    \
	"445 873 1433 1521 2375 2376 2379 2380 3306 3389 4567 4568 5432 5984 6379 9042 9200 9300 11211 27017 33060"

/* clang-format off */
static const struct conf_setting settings[] = {
	{ SETTING(database, host, CONF_LIST), "", 0, TEXT_MAX, &servers, "hosts of the database, in the order in which they are tried" },
	{ SETTING(database, read_host, CONF_LIST), "", 0, TEXT_MAX, &servers, "nodes of the cluster from which lists are read" },
	{ SETTING(database, port, CONF_INTEGER), "0", 0, 65535, NULL, "TCP port of the database server" },
	{ SETTING(database, socket, CONF_PATH), "", 0, SOCKET_PATH_MAX, NULL, "unix socket of the database server" },
	{ SETTING(database, user, CONF_TEXT), "", 0, TEXT_MAX, NULL, "database user" },
	{ SETTING(database, password, CONF_SECRET), "", 0, TEXT_MAX, NULL, "password of the database user" },
	{ SETTING(database, name, CONF_TEXT), "leadhook", 1, 64, NULL, "name of the database" },
	{ SETTING(database, prefix, CONF_TEXT), "lh_", 0, 20, &prefix, "prefix of the name of every table" },
	{ SETTING(database, option_file, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "MariaDB option file" },
	{ SETTING(database, tls, CONF_TEXT), "", 0, TEXT_MAX, &tls, "whether the certificate of the database server is verified" },
	{ SETTING(database, tls_ca, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "certificates with which the database server is verified" },
	{ SETTING(database, connect_timeout, CONF_DURATION), "5s", SECOND_MS, HOUR_MS, NULL, "time limit of connecting to the database server" },

	{ SETTING(server, listen, CONF_TEXT), "", 0, SOCKET_PATH_MAX, &listen_at, "socket for the web server" },
	{ SETTING(server, workers, CONF_WORKERS), "auto", 0, 1024, NULL, "number of responder processes" },
	{ SETTING(server, socket_mode, CONF_MODE), "0660", 0, 0777, NULL, "mode of the unix socket" },
	{ SETTING(server, socket_group, CONF_TEXT), "", 0, TEXT_MAX, NULL, "group of the unix socket" },
	{ SETTING(server, base_path, CONF_TEXT), "", 0, TEXT_MAX, &base_path, "path below which the web server offers the service" },
	{ SETTING(server, base_url, CONF_TEXT), "", 0, URL_MAX, &base_url, "address of the service in links" },
	{ SETTING(server, service_name, CONF_TEXT), "Leadhook", 1, 100, &header_text, "name of the service, User-Agent of deliveries" },
	{ SETTING(server, trusted_proxies, CONF_LIST), "", 0, LIST_MAX, &networks, "proxies whose X-Forwarded-For is trusted" },
	{ SETTING(server, state_dir, CONF_PATH), "/run/leadhook", 0, PATH_BYTES_MAX, NULL, "directory for what the programs share" },
	{ SETTING(server, secrets_key, CONF_SECRET), "", 0, URL_MAX, &key_list, "keys that seal secrets in the database; the first one seals" },
	{ SETTING(server, request_timeout, CONF_DURATION), "30s", 5 * SECOND_MS, HOUR_MS, NULL, "time limit of a request" },
	{ SETTING(server, idle_timeout, CONF_DURATION), "30s", SECOND_MS, DAY_MS, NULL, "time after which an idle database connection is closed" },
	{ SETTING(server, sandbox, CONF_SWITCH), "on", 0, 0, NULL, "whether the programs run in a sandbox" },
	{ SETTING(server, max_requests, CONF_INTEGER), "0", 0, 1000000000, NULL, "requests after which a worker is replaced" },

	{ SETTING(limits, body_bytes, CONF_SIZE), "256k", KILO, MEGA, NULL, "size of a request's body" },
	{ SETTING(limits, bulk_body_bytes, CONF_SIZE), "1M", KILO, 16 * MEGA, NULL, "size of a bulk call's body" },
	{ SETTING(limits, public_body_bytes, CONF_SIZE), "32k", KILO, MEGA, NULL, "size of a body without a key" },
	{ SETTING(limits, bulk_items, CONF_INTEGER), "250", 1, BULK_ITEMS_MAX, NULL, "leads in a bulk call" },
	{ SETTING(limits, json_depth, CONF_INTEGER), "16", 1, 128, NULL, "depth of a JSON body" },
	{ SETTING(limits, parameters, CONF_INTEGER), "200", 1, 10000, NULL, "parameters of a request" },
	{ SETTING(limits, name_bytes, CONF_SIZE), "64", 16, 255, NULL, "size of a parameter's name" },
	{ SETTING(limits, value_bytes, CONF_SIZE), "4k", 256, COLUMN_MAX, NULL, "size of a parameter's value" },
	{ SETTING(limits, custom_fields, CONF_INTEGER), "50", 0, 10000, NULL, "custom fields of a lead" },
	{ SETTING(limits, custom_fields_bytes, CONF_SIZE), "16k", 2, COLUMN_MAX, NULL, "size of a lead's custom fields together" },
	{ SETTING(limits, public_custom_fields_bytes, CONF_SIZE), "8k", 2, COLUMN_MAX, NULL, "the same for calls without a key" },
	{ SETTING(limits, webhooks_per_campaign, CONF_INTEGER), "20", 0, 10000, NULL, "webhooks of a campaign" },
	{ SETTING(limits, inbound_per_campaign, CONF_INTEGER), "20", 0, 10000, NULL, "inbound webhooks of a campaign" },
	{ SETTING(limits, campaigns_per_account, CONF_INTEGER), "1000", 0, 100000, NULL, "campaigns of an account" },
	{ SETTING(limits, keys_per_account, CONF_INTEGER), "200", 0, 10000, NULL, "API keys of an account" },
	{ SETTING(limits, users_per_account, CONF_INTEGER), "500", 0, 10000, NULL, "users of an account" },
	{ SETTING(limits, audit_bytes_per_account, CONF_SIZE), "8M", KILO, 1024 * MEGA, NULL, "old and new values in the audit log of an account in a day" },
	{ SETTING(limits, lookups_per_address, CONF_LIST), "100/60s 200/180s 300/540s", 0, LIMITS_MAX, &limits, "GET calls from an address without a key" },
	{ SETTING(limits, readiness_per_address, CONF_LIST), "300/60s", 0, LIMITS_MAX, &limits, "readiness checks from an address" },
	{ SETTING(limits, signups_per_address, CONF_LIST), "10/60s 20/180s 30/540s", 0, LIMITS_MAX, &limits, "POST calls from an address on a campaign without a key" },
	{ SETTING(limits, posts_per_address, CONF_LIST), "50/60s", 0, LIMITS_MAX, &limits, "POST calls from an address on all campaigns without a key" },
	{ SETTING(limits, failed_keys_per_address, CONF_LIST), "30/60s", 0, LIMITS_MAX, &limits, "wrong keys from an address" },
	{ SETTING(limits, new_leads_per_campaign, CONF_LIST), "", 0, LIMITS_MAX, &limits, "new leads of a campaign without a key" },
	{ SETTING(limits, inbound_per_url, CONF_LIST), "", 0, LIMITS_MAX, &limits, "calls of the URL of an inbound webhook" },
	{ SETTING(limits, unknown_urls_per_address, CONF_LIST), "600/60s", 0, LIMITS_MAX, &limits, "calls of unknown URLs of inbound webhooks from an address" },
	{ SETTING(limits, codes_per_address, CONF_LIST), "5/3600s", 0, LIMITS_MAX, &limits, "codes by text that calls from an address request without a key" },
	{ SETTING(limits, logins_per_address, CONF_LIST), "10/60s", 0, LIMITS_MAX, &limits, "logins from an address, including wrong ones" },
	{ SETTING(limits, test_mails_per_address, CONF_LIST), "10/3600s", 0, LIMITS_MAX, &limits, "mails with sample values that users send to an email address" },
	{ SETTING(limits, test_mails_per_account, CONF_LIST), "30/3600s", 0, LIMITS_MAX, &limits, "mails with sample values that the users of an account send" },
	{ SETTING(limits, deletes_per_account, CONF_LIST), "60/60s", 0, LIMITS_MAX, &limits, "DELETE calls of an account" },
	{ SETTING(limits, searches_per_account, CONF_LIST), "3/3s", 0, LIMITS_MAX, &limits, "parts of reports about people, and erasures, that an account requests" },
	{ SETTING(limits, changes_per_account, CONF_LIST), "10000/3600s", 0, LIMITS_MAX, &limits, "changes of an account by /manage/v1" },
	{ SETTING(limits, account_per_minute, CONF_INTEGER), "60000", 0, 1000000, NULL, "GET and POST calls of an account with a key in a minute" },
	{ SETTING(limits, account_bulk_jobs, CONF_INTEGER), "1000", 0, 1000000, NULL, "bulk calls of an account that are queued at a time" },
	{ SETTING(limits, hosts, CONF_INTEGER), "1", 1, 1000, NULL, "hosts that share these limits equally" },
	{ SETTING(limits, memory, CONF_SIZE), "16M", MEGA, 1024 * MEGA, NULL, "memory for counting callers" },

	{ SETTING(lead, avatar_url, CONF_TEXT), "https://www.gravatar.com/avatar/{hash}?d=mp", 0, URL_MAX, &avatar_url,
	  "address of a lead's picture" },
	{ SETTING(lead, disposable_domains_file, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "file with the hosts of disposable email addresses" },
	{ SETTING(lead, unverified_days, CONF_INTEGER), "0", 0, 3650, NULL, "days after which leads that did not verify are deleted" },
	{ SETTING(lead, ip_days, CONF_INTEGER), "0", 0, 3650, NULL, "days after which IP addresses and browsers of leads are deleted" },

	{ SETTING(dispatch, allow_networks, CONF_LIST), "", 0, LIST_MAX, &networks, "otherwise forbidden networks that webhooks may use" },
	{ SETTING(dispatch, nat64_prefixes, CONF_LIST), "", 0, LIST_MAX, &networks, "NAT64 prefixes besides 64:ff9b::/96" },
	{ SETTING(dispatch, deny_ports, CONF_LIST), DENIED_PORTS, 0, 65535, &ports, "ports that no webhook may use" },
	{ SETTING(dispatch, schedule, CONF_LIST), "5s 1m 5m 30m 2h 5h 10h 14h 20h 24h", 0, 32, &durations, "waits before each further attempt" },
	{ SETTING(dispatch, form_urls, CONF_LIST), "", 0, LIST_MAX, &url_parts, "parts of URLs that get forms instead of JSON" },
	{ SETTING(dispatch, connect_timeout, CONF_DURATION), "5s", 1, HOUR_MS, NULL, "time limit of connecting to a receiver" },
	{ SETTING(dispatch, attempt_timeout, CONF_DURATION), "15s", 1, HOUR_MS, NULL, "time limit of an attempt" },
	{ SETTING(dispatch, lease, CONF_DURATION), "60s", SECOND_MS, DAY_MS, NULL, "time after which another dispatcher takes over" },
	{ SETTING(dispatch, in_flight, CONF_INTEGER), "512", 1, 10000, NULL, "deliveries under way at a time" },
	{ SETTING(dispatch, per_webhook, CONF_INTEGER), "32", 1, 10000, NULL, "deliveries under way to one webhook" },
	{ SETTING(dispatch, initial_concurrency, CONF_INTEGER), "4", 1, 10000, NULL, "deliveries under way to a webhook at first" },
	{ SETTING(dispatch, breaker_failures, CONF_INTEGER), "5", 1, 1000000, NULL, "failures in a row that open a webhook's breaker" },
	{ SETTING(dispatch, breaker_wait, CONF_DURATION), "10s", SECOND_MS, DAY_MS, NULL, "wait before an open breaker's first probe" },
	{ SETTING(dispatch, breaker_max_wait, CONF_DURATION), "1h", SECOND_MS, DAY_MS, NULL, "longest wait between two probes" },
	{ SETTING(dispatch, disable_after, CONF_DURATION), "5d", MINUTE_MS, YEAR_MS, NULL, "time with nothing but failures after which a webhook is disabled" },
	{ SETTING(dispatch, rotation_overlap, CONF_DURATION), "24h", 0, YEAR_MS, NULL, "time for which the previous secret is used after a rotation" },
	{ SETTING(dispatch, retention, CONF_DURATION), "30d", DAY_MS, 10 * YEAR_MS, NULL, "time for which events and deliveries are stored" },
	{ SETTING(dispatch, max_runtime, CONF_DURATION), "55s", SECOND_MS, DAY_MS, NULL, "time limit of a run from cron" },
	{ SETTING(dispatch, poll_interval, CONF_DURATION), "200ms", 1, HOUR_MS, NULL, "time between two polls of an idle daemon" },
	{ SETTING(dispatch, lock_file, CONF_PATH), "/run/leadhook/dispatch.lock", 1, PATH_BYTES_MAX, NULL, "file that lets only one dispatcher run" },
	{ SETTING(dispatch, ca_file, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "certificates with which receivers are verified" },

	{ SETTING(mail, host, CONF_TEXT), "", 0, TEXT_MAX, &host, "mail server; empty: no mail" },
	{ SETTING(mail, port, CONF_INTEGER), "0", 0, 65535, NULL, "its port; 0: the usual one for mail.tls" },
	{ SETTING(mail, tls, CONF_TEXT), "required", 1, TEXT_MAX, &mail_tls, "how connections to the mail server are encrypted" },
	{ SETTING(mail, tls_ca, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "certificates with which the mail server is verified" },
	{ SETTING(mail, user, CONF_TEXT), "", 0, TEXT_MAX, NULL, "user at the mail server" },
	{ SETTING(mail, password, CONF_SECRET), "", 0, TEXT_MAX, NULL, "password of that user" },
	{ SETTING(mail, from, CONF_TEXT), "", 0, 1024, &mailbox, "sender of all mails" },
	{ SETTING(mail, reply_to, CONF_TEXT), "", 0, 1024, &mailbox, "where answers to mails go" },
	{ SETTING(mail, helo, CONF_TEXT), "", 0, TEXT_MAX, &host, "name by which this host greets the mail server" },
	{ SETTING(mail, connections, CONF_INTEGER), "2", 1, 50, NULL, "connections to the mail server at a time" },
	{ SETTING(mail, rate, CONF_INTEGER), "0", 0, 1000000, NULL, "mails an hour; 0: any number" },
	{ SETTING(mail, campaign_per_hour, CONF_INTEGER), "10000", 0, 1000000, NULL, "mails of one campaign an hour; 0: any number" },
	{ SETTING(mail, account_per_hour, CONF_INTEGER), "20000", 0, 10000000, NULL, "mails of one account an hour; 0: any number" },
	{ SETTING(mail, per_hour, CONF_INTEGER), "50000", 0, 10000000, NULL, "mails of all accounts an hour; 0: any number" },
	{ SETTING(mail, schedule, CONF_LIST), "30s 1m 5m 15m 30m 1h 2h", 1, 32, &durations, "waits before each further attempt; the last repeats" },
	{ SETTING(mail, retry_confirmation, CONF_DURATION), "24h", SECOND_MS, 7 * DAY_MS, NULL, "time for which confirmations and links are retried" },
	{ SETTING(mail, retry, CONF_DURATION), "3d", SECOND_MS, 7 * DAY_MS, NULL, "time for which other mails are retried" },

	{ SETTING(sms, url, CONF_SECRET), "", 0, URL_MAX, &gateway_url, "address of the gateway for texts to phones; empty: no texts" },
	{ SETTING(sms, header_1, CONF_SECRET), "", 0, URL_MAX, &header, "header of its requests" },
	{ SETTING(sms, header_2, CONF_SECRET), "", 0, URL_MAX, &header, "a second header" },
	{ SETTING(sms, header_3, CONF_SECRET), "", 0, URL_MAX, &header, "a third header" },
	{ SETTING(sms, content_type, CONF_TEXT), "form", 1, TEXT_MAX, &content_type, "what the body is; query: a GET request, whose URL has it" },
	{ SETTING(sms, body, CONF_SECRET), "to={to}&text={text}", 1, URL_MAX, &text_body, "body of its requests" },
	{ SETTING(sms, sent_status, CONF_LIST), "200 201 202", 1, 32, &statuses, "statuses of answers to texts that were accepted" },
	{ SETTING(sms, sent_text, CONF_TEXT), "", 0, TEXT_MAX, &header_text, "text that such an answer contains" },
	{ SETTING(sms, retry_status, CONF_LIST), "429 503", 0, 32, &statuses, "statuses of answers after which a text is sent again" },
	{ SETTING(sms, timeout, CONF_DURATION), "15s", SECOND_MS, MINUTE_MS, NULL, "time limit of a request" },
	{ SETTING(sms, calling_codes, CONF_LIST), "", 0, LIST_MAX, &calling_codes, "calling codes of the numbers that texts may go to" },
	{ SETTING(sms, numbers, CONF_TEXT), "mobile", 1, TEXT_MAX, &kind_of_numbers, "which of these numbers: possible mobile phones, or any" },
	{ SETTING(sms, number_per_day, CONF_INTEGER), "3", 1, 100, NULL, "codes for one number in a day" },
	{ SETTING(sms, prefix_per_hour, CONF_INTEGER), "10", 1, 1000000, NULL, "codes for numbers that differ in the last four digits, in an hour" },
	{ SETTING(sms, campaign_per_hour, CONF_INTEGER), "100", 1, 1000000, NULL, "codes of one campaign in an hour" },
	{ SETTING(sms, account_per_hour, CONF_INTEGER), "200", 1, 1000000, NULL, "codes of one account in an hour" },
	{ SETTING(sms, per_hour, CONF_INTEGER), "500", 1, 1000000, NULL, "codes of all accounts in an hour" },
	{ SETTING(sms, allow_networks, CONF_LIST), "", 0, LIST_MAX, &networks, "otherwise forbidden networks that the gateway may use" },

	{ SETTING(compat, authenticate, CONF_SWITCH), "off", 0, 0, NULL, "whether POST /v1/authenticate works" },

	{ SETTING(metrics, loopback, CONF_SWITCH), "off", 0, 0, NULL, "whether GET /metrics answers calls from this host" },
	{ SETTING(metrics, token, CONF_SECRET), "", 0, TEXT_MAX, &token, "bearer token that GET /metrics accepts; empty: none" },

	{ SETTING(users, session_idle, CONF_DURATION), "1h", MINUTE_MS, DAY_MS, NULL, "time without a request after which a session ends" },
	{ SETTING(users, session_max, CONF_DURATION), "12h", MINUTE_MS, DAY_MS, NULL, "time after the login at which a session ends" },
	{ SETTING(users, invitation, CONF_DURATION), "3d", MINUTE_MS, 7 * DAY_MS, NULL, "time for which links of invitations are valid" },

	{ SETTING(cluster, number, CONF_INTEGER), "0", 0, 2000, NULL, "number of this cluster among several" },

	{ SETTING(log, level, CONF_LEVEL), "info", LOG_LEVEL_ERROR, LOG_LEVEL_DEBUG, NULL, "level of the least important lines that are written" },
	{ SETTING(log, file, CONF_PATH), "", 0, PATH_BYTES_MAX, NULL, "log file" },
	{ SETTING(log, format, CONF_TEXT), "logfmt", 1, TEXT_MAX, &log_format, "form of the lines: logfmt or json" },
	{ SETTING(log, syslog, CONF_TEXT), "", 0, TEXT_MAX, &facility, "syslog facility that gets the lines instead" },
	{ SETTING(log, syslog_socket, CONF_PATH), "/dev/log", 1, SOCKET_PATH_MAX, NULL, "socket of the syslog daemon" },
};
/* clang-format on */

bool
conf_rule_holds(const struct conf_rule *rule, struct slice text)
{
	return text.size == 0 || (rule->words != NULL ? slice_is_listed(text, rule->words) : rule->holds(text));
}

const struct conf_setting *
conf_settings(size_t *count)
{
	*count = ARRAY_SIZE(settings);
	return settings;
}

const struct conf_setting *
conf_setting_find(const char *section, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcmp(settings[i].section, section) == 0 && strcmp(settings[i].key, key) == 0)
			return &settings[i];
	return NULL;
}
