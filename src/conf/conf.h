/* SPDX-License-Identifier: MIT
 * The configuration: what the programs read from their file and their environment (docs/operating.md 3).
 *
 * A value comes from the environment (LEADHOOK_<SECTION>_<KEY>; a secret also from the file that
 * LEADHOOK_<SECTION>_<KEY>_FILE names), else from the file, else from the table in conf/settings.c. What the table cannot
 * tell by itself (networks, retry times) stays text and is parsed by the layer whose rule it is. */
#ifndef LEADHOOK_CONF_CONF_H
#define LEADHOOK_CONF_CONF_H

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/log.h"

enum { CONF_WORKERS_AUTO = 65535 };

/* The group of the MariaDB option file that is read. */
#define CONF_OPTION_GROUP "leadhook"

/* A text, path or list that is not set is "", never NULL. Lists stay texts, as the rules take them: items between white space
 * or commas, each checked for its form. Durations are milliseconds. */
struct conf_database {
	/* "": as the option file or Connector/C has it. The password stays while the process lives: each connection needs it.
	 */
	const char *host, *socket, *user, *password;
	const char *name;
	const char *prefix;      /* of every table; [A-Za-z0-9_]{0,20} */
	const char *option_file; /* read by Connector/C, group CONF_OPTION_GROUP; "": none */
	const char *tls;         /* "off" or "verify"; "": "verify" for another host */
	const char *tls_ca;      /* "": as the option file or the system has it */
	int64_t connect_timeout; /* whole seconds */
	unsigned port;           /* 0: as the option file or Connector/C has it */
};

struct conf_server {
	const char *listen; /* path of a unix socket, or loopback address:port; "": inherited */
	const char *socket_group;
	const char *base_path; /* "" or "/…" without a "/" at its end */
	const char *base_url;  /* scheme, host and base path as clients see them, without a "/" at its end; "": no links */
	const char *service_name;
	const char *trusted_proxies; /* networks */
	const char *state_dir;       /* where the programs of this host keep what they share; "": nowhere */
	int64_t request_timeout;
	int64_t idle_timeout; /* of a database connection */
	unsigned workers;     /* or CONF_WORKERS_AUTO */
	unsigned socket_mode;
	unsigned max_requests; /* of one worker; 0: any number */
	bool sandbox;          /* the dispatcher's too */
};

/* docs/api.md 1, Caps, and 5. */
struct conf_limits {
	size_t body_bytes, bulk_body_bytes, public_body_bytes;
	size_t name_bytes, value_bytes, custom_fields_bytes, public_custom_fields_bytes;
	unsigned json_depth, parameters, custom_fields, bulk_items;
	unsigned webhooks_per_campaign;
	/* items as 10/60s; "": no limit */
	const char *lookups_per_address, *readiness_per_address;
	const char *signups_per_address, *posts_per_address, *failed_keys_per_address;
	const char *new_leads_per_campaign, *deletes_per_account;
	unsigned account_per_minute; /* 0: no limit */
	unsigned account_bulk_jobs;  /* the same */
	size_t memory;               /* bytes that all of that is counted in */
};

struct conf_lead {
	const char *avatar_url;              /* has "{hash}"; "": no avatars */
	const char *disposable_domains_file; /* host names, as identity/host_list.h reads them; "": none */
};

struct conf_dispatch {
	const char *allow_networks; /* networks */
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
	unsigned in_flight, per_webhook, window; /* a window above per_webhook is per_webhook */
	unsigned breaker_failures;
};

struct conf_log {
	const char *file; /* "": standard error */
	enum log_level level;
};

struct conf {
	struct conf_database database;
	struct conf_server server;
	struct conf_limits limits;
	struct conf_lead lead;
	struct conf_dispatch dispatch;
	struct conf_log log;
	const char *file;        /* where it was looked for */
	const char *absent_file; /* the installed file, when nobody named another and it is not there; else NULL */
};

enum { CONF_PROBLEMS_MAX_BYTES = 8192 };

/* Reads the file that `path` names (--config), else the one that LEADHOOK_CONF names, else the installed one; only the last
 * may be missing. True: *conf is valid until conf_free. False: *conf is NULL, and `problems` has a line for each thing that is
 * wrong, `FILE:LINE: section.key: …` or `VARIABLE: …`, never with a secret's value in it. The caller gives an empty buffer,
 * CONF_PROBLEMS_MAX_BYTES are enough for anybody to read. */
MUST_CHECK bool conf_load(const char *path, struct conf **conf, struct buffer *problems);
/* Where the value of a setting stands, to begin a problem with: "FILE:LINE: section.key", a variable's name, or "section.key"
 * for a default. The text lives as long as *conf. */
const char *conf_origin(const struct conf *conf, const char *section, const char *key);
/* Frees it and sets *conf to NULL; *conf may be NULL. */
void conf_free(struct conf **conf);

#endif
