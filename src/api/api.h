/* SPDX-License-Identifier: MIT
 * The HTTP interface: from a request to its response, over one store (docs/api.md). It does not depend on FastCGI. */
#ifndef LEADHOOK_API_API_H
#define LEADHOOK_API_API_H

#include <stddef.h>
#include <stdint.h>

#include "http/params.h"
#include "http/request.h"
#include "http/response.h"
#include "limit/limiter.h"
#include "os/metrics_page.h"
#include "store/store.h"
#include "webhook/address_rules.h"

struct api;

/* GET /metrics; off, and an unknown path, without `loopback` and `token`. */
struct api_metrics {
	bool loopback;      /* answers calls from this host */
	struct slice token; /* answers calls with this bearer token; empty: none */
	const char *state_dir, *log_file;
};

/* The caller of an extension. */
struct api_caller {
	const struct api_key *key;        /* that was sent and is valid; NULL: none was sent */
	const struct ip_address *address; /* NULL: unknown */
	struct call *call;                /* for the functions below */
};
/* The limits of a call without a key. The extension applies one of the first two to each. Each returns false after it has
 * answered. */
MUST_CHECK bool api_caller_pass_address(const struct api_caller *caller);
/* Of the account whose user the extension has found. `per_minute`: as account_per_minute of struct api_key. */
MUST_CHECK bool api_caller_pass_account(const struct api_caller *caller, uint64_t account_id, int64_t per_minute);
/* Whether the address may send one more token that is not valid: checked before a look-up, noted after it. */
MUST_CHECK bool api_caller_may_guess(const struct api_caller *caller);
void api_caller_note_guess(const struct api_caller *caller);

/* Another interface below a path of its own, `/<segment>/…` (docs/manage.md). The API reads the key, only from the header
 * Authorization, and applies the limits of accounts and addresses. Its failures are problems of RFC 9457. Scripts of other
 * origins cannot read the answers. */
struct api_extension {
	struct slice segment;
	size_t body_bytes; /* maximum of a body */
	void *context;
	void (*handle)(
	    void *context, const struct api_caller *caller, struct http_request *request, struct http_response *response);
};

/* All pointers must stay valid as long as the api. */
struct api_options {
	struct http_caps caps;
	size_t body_bytes, bulk_body_bytes; /* maximum of a body; and that of bulk calls */
	size_t public_body_bytes;           /* maximum of a body without a key */
	bool authenticates;                 /* POST /v1/authenticate works */
	struct api_metrics metrics;
	size_t bulk_items;                /* maximum of leads; at most BULK_LEADS_MAX */
	size_t utm_bytes;                 /* of a lead's utm parameters together, as JSON */
	size_t public_utm_bytes;          /* the same of a call without a key */
	struct slice base_url, base_path; /* of the API for browsers; empty: unknown, or none */
	size_t webhooks_per_campaign, inbound_per_campaign;
	unsigned account_bulk_jobs;                 /* maximum of queued jobs; 0: unlimited */
	struct limiter *limiter;                    /* shared by all processes of this host */
	unsigned account_per_minute;                /* GET and POST calls; 0: unlimited. Accounts may have their own limit */
	unsigned limit_hosts;                       /* hosts that share the limits of accounts; the limiter has its share */
	const struct network_list *trusted_proxies; /* whose X-Forwarded-For is used */
	const struct address_rules *webhook_addresses;
	int64_t backend_timeout_ms; /* half of server.request_timeout: from the start of a request to the backend's deadline */
};

/* Runs commands and looks up keys, campaigns and leads: the store itself, or the committer. All other reads use the store. */
struct api_backend {
	void *context;
	/* As in store/store.h, for one command or look-up; each fails after `deadline_ms` (clock_monotonic_ms). After
	 * FAILURE_UNAVAILABLE a command may have been run. Keys and campaigns may be a second old; texts are in the pool. */
	void (*execute)(
	    void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome);
	void (*look_up)(
	    void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms, struct outcome *outcome);
	enum result (*find_key)(
	    void *context, struct pool *pool, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key);
	enum result (*find_campaign)(
	    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms);
	/* As store_ready; the answer may be a second old. */
	enum result (*ready)(void *context, struct pool *pool, int64_t deadline_ms);
	/* NULL: the look-up of keys records their use. */
	enum result (*touch_key)(void *context, const struct api_key *key);
	/* The store has requested messages outside of a command. NULL: what sends them finds them. */
	void (*wake_mailer)(void *context);
};

/* The caller owns stores and backend. `reader`: a store for lists and statistics, with current data; NULL: `store`. When it
 * fails, `store` is used for the call, and for ten seconds. */
struct api *api_new(
    const struct api_options *options, struct store *store, struct store *reader, const struct api_backend *backend);
/* Before the first request; the extension must stay valid as long as the api. */
void api_extend(struct api *api, const struct api_extension *extension);
void api_free(struct api **api);

/* The names of all routes for the page of metrics, in the pool. */
const struct metric_route *api_metric_routes(struct pool *pool, size_t *count);

/* The maximum of the request's body; called before the body is read. */
size_t api_body_limit(const struct api *api, const struct http_request *request);
/* Answers any request. `path_is_valid` is the result of http_request_init. */
void api_handle(struct api *api, struct http_request *request, bool path_is_valid, struct http_response *response);
/* Work after the answer is sent: records the use of a key. */
void api_afterwards(struct api *api);

#endif
