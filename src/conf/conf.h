/* SPDX-License-Identifier: MIT
 * The configuration that programs read from their file and their environment (leadhook.conf(5)).
 *
 * A value comes from the environment (LEADHOOK_<SECTION>_<KEY>; a secret also from the file named by
 * LEADHOOK_<SECTION>_<KEY>_FILE), otherwise from the file, otherwise from the table in conf/setting_table.c. Values that the
 * table cannot check (networks, retry times) stay text; the layer that uses them parses them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "os/log.h"

enum { CONF_WORKERS_AUTO = 65535 };

/* A text, path or list that is not set is "", never NULL. Lists stay text: items separated by white space or commas, each
 * checked by its rule. Durations are in milliseconds. */
struct conf_database {
	/* "": the value in the option file, or Connector/C's default. The password stays in memory, because each connection
	 * needs it. */
	const char *host;      /* list; items may have a port */
	const char *read_host; /* the same */
	const char *socket, *user, *password;
	const char *name;
	const char *prefix;      /* of every table; [A-Za-z0-9_]{0,20} */
	const char *option_file; /* read by Connector/C, group leadhook; "": none */
	const char *tls;         /* "off" or "verify"; "": "verify" for another host */
	const char *tls_ca;      /* "": as in the option file, otherwise the system's */
	int64_t connect_timeout; /* whole seconds */
	unsigned port;           /* 0: as in the option file or Connector/C's default */
};

struct conf_server {
	const char *listen; /* path of a unix socket, or loopback address:port; "": inherited */
	const char *socket_group;
	const char *base_path; /* "" or "/…" without a trailing "/" */
	const char *base_url;  /* scheme, host and base path as clients see them, without a trailing "/"; "": no links */
	const char *service_name;
	const char *trusted_proxies; /* networks */
	const char *state_dir;       /* folder with the shared state of all programs on this host; "": none */
	const char *secrets_key;     /* keys, as crypto/seal.h reads them; a secret */
	int64_t request_timeout;
	int64_t idle_timeout; /* of a database connection */
	unsigned workers;     /* or CONF_WORKERS_AUTO */
	unsigned socket_mode;
	unsigned max_requests; /* per worker; 0: no limit */
	bool sandbox;          /* also for the dispatcher */
};

/* docs/api.md 1, Caps, and docs/api.md 5. */
struct conf_limits {
	size_t body_bytes, bulk_body_bytes, public_body_bytes;
	size_t name_bytes, value_bytes, custom_fields_bytes, public_custom_fields_bytes;
	unsigned json_depth, parameters, custom_fields, bulk_items;
	unsigned webhooks_per_campaign, inbound_per_campaign;
	unsigned campaigns_per_account, keys_per_account, users_per_account;
	size_t audit_bytes_per_account; /* per account and day */
	/* items as 10/60s; "": no limit */
	const char *lookups_per_address, *readiness_per_address;
	const char *signups_per_address, *posts_per_address, *failed_keys_per_address;
	const char *new_leads_per_campaign, *deletes_per_account, *searches_per_account, *changes_per_account;
	const char *inbound_per_url, *unknown_urls_per_address;
	const char *codes_per_address, *logins_per_address, *test_mails_per_address, *test_mails_per_account;
	unsigned account_per_minute; /* 0: no limit */
	unsigned account_bulk_jobs;  /* 0: no limit */
	unsigned hosts;              /* hosts that share the rates above equally */
	size_t memory;               /* bytes for the counters of all limits */
};

struct conf_lead {
	const char *avatar_url;              /* contains "{hash}"; "": no avatars */
	const char *disposable_domains_file; /* host names, as identity/domain.h reads them; "": none */
	unsigned unverified_days;            /* 0: never */
	unsigned ip_days;                    /* 0: never */
};

struct conf_dispatch {
	const char *allow_networks; /* networks */
	const char *nat64_prefixes; /* networks */
	const char *deny_ports;     /* decimal, 1 to 65535 */
	const char *schedule;       /* durations */
	const char *form_urls;
	const char *lock_file;
	const char *ca_file; /* "": the system's */
	int64_t connect_timeout, attempt_timeout;
	int64_t lease; /* >= attempt_timeout + 15 s */
	int64_t max_runtime, poll_interval;
	int64_t breaker_wait, breaker_max_wait, disable_after;
	int64_t rotation_overlap, retention;
	unsigned in_flight, per_webhook, initial_concurrency; /* initial_concurrency: at most per_webhook is used */
	unsigned breaker_failures;
};

/* docs/mail.md. Mail is on if `host` and `from` are set; neither can be set alone. */
struct conf_mail {
	const char *host; /* the server to which all mail is sent; "": mail is off */
	const char *tls;  /* "required" (STARTTLS), "implicit" or, for a loopback host, "none" */
	const char *user, *password;
	const char *from, *reply_to; /* an address, or NAME <ADDRESS> */
	const char *helo;            /* "": the host's name */
	const char *tls_ca;          /* "": the system's */
	const char *schedule;        /* durations */
	int64_t retry_confirmation;  /* how long confirmations and links are retried */
	int64_t retry;               /* how long all other mails are retried */
	unsigned port;               /* 0: the usual one for `tls` */
	unsigned rate;               /* mails an hour; 0: any number */
	unsigned campaign_per_hour;  /* of one campaign; 0: any number */
	unsigned account_per_hour;   /* of all campaigns of an account; 0: any number */
	unsigned per_hour;           /* of all accounts; 0: any number */
	unsigned connections;
};

/* docs/mail.md 8. Texts are on if `url` and `calling_codes` are set. `url`, the headers and `body` are secrets, because they
 * may contain keys of the gateway. */
struct conf_sms {
	const char *url;                            /* of the gateway; "": texts are off */
	const char *header_1, *header_2, *header_3; /* "Name: value"; "": none */
	const char *content_type;                   /* "form", "json" or "query" */
	const char *body;                           /* contains {to} and {text} */
	const char *sent_status, *retry_status;     /* lists */
	const char *sent_text;                      /* text that the answer must contain; "": none */
	const char *calling_codes;                  /* list of digits */
	const char *numbers;                        /* "mobile" or "any" */
	const char *allow_networks;
	int64_t timeout;
	unsigned number_per_day, prefix_per_hour, campaign_per_hour, account_per_hour, per_hour;
};

/* Calls that only clients of other services need (docs/compatibility.md). */
struct conf_compat {
	bool authenticate; /* POST /v1/authenticate */
};

/* docs/operating.md 12. GET /metrics works if one of them is set. */
struct conf_metrics {
	bool loopback;
	const char *token; /* "": none */
};

/* docs/users.md. */
struct conf_users {
	int64_t session_idle, session_max; /* from the last request; from the login */
	int64_t invitation;                /* how long links are valid that owners and operators make in the dashboard */
};

struct conf_cluster {
	unsigned number; /* number of this cluster among several; 0: none */
};

struct conf_log {
	const char *file;   /* "": standard error */
	const char *format; /* "logfmt" or "json" */
	const char *syslog; /* name of a facility; "": none */
	const char *syslog_socket;
	enum log_level level;
};

struct conf {
	struct conf_database database;
	struct conf_server server;
	struct conf_limits limits;
	struct conf_lead lead;
	struct conf_dispatch dispatch;
	struct conf_mail mail;
	struct conf_sms sms;
	struct conf_compat compat;
	struct conf_metrics metrics;
	struct conf_users users;
	struct conf_cluster cluster;
	struct conf_log log;
	const char *file;        /* the file that was read or looked for */
	const char *absent_file; /* the installed file, if it is missing and no other file was named; otherwise NULL */
};

enum { CONF_PROBLEMS_MAX_BYTES = 8192 };

/* Whether lists in files that the configuration names are also read. */
enum conf_lists { CONF_WITHOUT_LISTS, CONF_WITH_LISTS };

/* Reads the file `path` (--config); if that is NULL, the file that LEADHOOK_CONF names; if that is not set, the installed file.
 * Only the installed file may be missing. Returns true: *conf is valid until conf_free. Returns false: *conf is NULL, and
 * `problems` has a line for each error, `FILE:LINE: section.key: …` or `VARIABLE: …`, never with a secret's value. `problems`
 * must be empty; CONF_PROBLEMS_MAX_BYTES is a suitable maximum. */
MUST_CHECK bool conf_load(const char *path, struct conf **conf, struct buffer *problems);
/* The origin of a setting's value, as the start of an error message: "FILE:LINE: section.key", a variable's name, or
 * "section.key" for a default. Lives as long as *conf. */
const char *conf_origin(const struct conf *conf, const char *section, const char *key);
/* Frees it and sets *conf to NULL; *conf may be NULL. */
void conf_free(struct conf **conf);
