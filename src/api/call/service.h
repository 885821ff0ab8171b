/* SPDX-License-Identifier: MIT
 * What calls share: the settings, the stores, the backend, and what is remembered between calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cache.h"
#include "http/params.h"
#include "limit/limiter.h"
#include "os/log.h"
#include "store/find.h"
#include "store/shown_leads.h"
#include "webhook/address_rules.h"

/* GET /metrics; without `loopback` and `token` it is off, and the path is unknown. */
struct api_metrics {
	bool loopback;      /* answers calls from this host */
	struct slice token; /* answers calls with this bearer token; empty: none */
	const char *state_dir, *log_file;
};

/* All pointers must stay valid as long as the api. */
struct api_options {
	struct http_caps caps;
	size_t body_bytes, bulk_body_bytes; /* maximum size of a body; and of a body of bulk calls */
	size_t public_body_bytes;           /* maximum of a body without a key */
	bool authenticates;                 /* POST /v1/authenticate works */
	struct api_metrics metrics;
	size_t bulk_items;                /* maximum of leads; at most BULK_LEADS_MAX */
	size_t utm_bytes;                 /* maximum size of a lead's utm parameters together, as JSON */
	size_t public_utm_bytes;          /* maximum for a call without a key */
	struct slice base_url, base_path; /* of the API for browsers; empty: unknown, or none */
	size_t webhooks_per_campaign, inbound_per_campaign;
	unsigned account_bulk_jobs;                 /* maximum of queued jobs; 0: unlimited */
	struct limiter *limiter;                    /* shared by all processes of this host */
	unsigned account_per_minute;                /* GET and POST calls; 0: unlimited. An account may have its own limit */
	unsigned limit_hosts;                       /* hosts that share the limits of accounts; the limiter has its share */
	const struct network_list *trusted_proxies; /* their X-Forwarded-For is used */
	const struct address_rules *webhook_addresses;
	int64_t backend_timeout_ms; /* half of server.request_timeout: from the start of a request to the backend's deadline */
};

/* Runs commands and looks up keys, campaigns and leads: the store itself, or the committer. All other reads use the store. */
struct api_backend {
	void *context;
	/* Like the functions in store/batch.h, shown_leads.h and find.h, for one command or look-up; they fail after
	 * `deadline_ms` (clock_monotonic_ms). After FAILURE_UNAVAILABLE a command may have been run. Keys and campaigns may be
	 * a second old; texts are in the pool. */
	void (*execute)(
	    void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome);
	void (*look_up)(
	    void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms, struct outcome *outcome);
	enum result (*find_key)(
	    void *context, struct pool *pool, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key);
	enum result (*find_campaign)(
	    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms);
	/* Like store_ready; the answer may be a second old. */
	enum result (*ready)(void *context, struct pool *pool, int64_t deadline_ms);
	/* NULL if the look-up of keys records their use. */
	enum result (*touch_key)(void *context, const struct api_key *key);
	/* Called when the store has requested messages outside of a command. NULL if the sending processes find them. */
	void (*wake_mailer)(void *context);
};

/* What a call may wait for: reads, the lock of the campaign, the table of bulk jobs. */
enum call_wait { WAIT_READ, WAIT_CAMPAIGN, WAIT_BULK_JOBS, CALL_WAITS };

/* The campaign of the last timeout, and until when calls on it, or on all campaigns, are refused. */
struct refusal {
	uint64_t campaign_id; /* WAIT_READ: 0 */
	int64_t until_ms, all_until_ms;
};

/* Sign-ups of a campaign that a limit has refused, and their addresses, not stored yet. */
struct refused {
	uint64_t campaign_id;
	uint32_t signups, addresses;
	int64_t stored_ms; /* when counts were last stored */
};
enum { REFUSED_CAMPAIGNS_MAX = 16 };

/* What the apis of a process have learnt, for all of them. Zero-initialized: nothing. */
struct api_common {
	struct refusal refusals[CALL_WAITS];
	int64_t reader_away_until_ms;
	struct log_throttle refusal_log[LIMIT_KINDS];
};

struct api {
	const struct api_options *options;
	struct api_common *common;
	struct store *store, *reader; /* as in api_new */
	struct cache *boards;
	struct manage *manage; /* answers below /manage; NULL: none does */
	const struct api_backend *backend;
	struct api_key used_key; /* the last request's key; id 0: none */
	struct refused refused[REFUSED_CAMPAIGNS_MAX];
	uint64_t last_lead_id; /* the lead that a sign-up has made; 0: none yet */
};

/* One for each lane of a worker (fcgi/application.h). The caller owns stores, backend, and what is common. `reader`: a store
 * for lists and statistics, with current data; NULL: `store` is used. When the reader fails, `store` is used for the call and
 * for the next ten seconds. */
struct api *api_new(const struct api_options *options, struct api_common *common, struct store *store, struct store *reader,
    const struct api_backend *backend);
void api_free(struct api **api);
