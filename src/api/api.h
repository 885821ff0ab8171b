/* SPDX-License-Identifier: MIT
 * The HTTP interface: from a request to its response, over one store (docs/api.md). Knows nothing of FastCGI. */
#ifndef LEADHOOK_API_API_H
#define LEADHOOK_API_API_H

#include <stddef.h>
#include <stdint.h>

#include "http/params.h"
#include "http/request.h"
#include "http/response.h"
#include "limit/limiter.h"
#include "store/store.h"
#include "webhook/address.h"

struct api;

/* Everything must stay valid as long as the api. */
struct api_options {
	struct http_caps caps;
	size_t body_bytes, bulk_body_bytes; /* the most that a body may have; and where many leads may be named */
	size_t public_body_bytes;           /* the most of a body without a key */
	size_t bulk_items;                  /* how many; at most BULK_LEADS_MAX */
	size_t utm_bytes;                   /* of a lead's utm parameters together, as JSON */
	size_t webhooks_per_campaign;
	unsigned account_bulk_jobs;  /* queued at a time; 0: any number */
	struct limiter *limiter;     /* of all processes of this host */
	unsigned account_per_minute; /* GET and POST calls; 0: any number. An account may have a number of its own */
	const struct network_list *trusted_proxies; /* whose X-Forwarded-For counts */
	const struct address_rules *webhook_addresses;
	int64_t request_timeout_ms; /* the backend is given up that long after a request has come */
};

/* Who carries out commands and looks up what every call begins with: the store itself, or a process that does it for many.
 * Everything else the api reads from its store. */
struct api_backend {
	void *context;
	/* As in store/store.h, for one command or look-up; each gives up when `deadline_ms` (clock_monotonic_ms) is over. Keys
	 * and campaigns may be a second old; texts are in the pool. */
	void (*execute)(
	    void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome);
	void (*look_up)(
	    void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms, struct outcome *outcome);
	enum result (*find_key)(
	    void *context, struct pool *pool, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key);
	enum result (*find_campaign)(
	    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms);
	/* As store_ready, perhaps a second old. */
	enum result (*ready)(void *context, int64_t deadline_ms);
	/* NULL: whoever looks up keys notes their use as well. */
	enum result (*touch_key)(void *context, const struct api_key *key);
};

/* Store and backend are the caller's. */
struct api *api_new(const struct api_options *options, struct store *store, const struct api_backend *backend);
void api_free(struct api **api);

/* The most bytes of body that this request may have; asked before the body is read. */
size_t api_body_limit(const struct api *api, const struct http_request *request);
/* Answers the request, whatever it is. `path_is_valid`: what http_request_init said. */
void api_handle(struct api *api, struct http_request *request, bool path_is_valid, struct http_response *response);
/* What may be done when the answer is out: notes the use of a key. */
void api_afterwards(struct api *api);

#endif
