/* SPDX-License-Identifier: MIT
 * The HTTP interface: from a request to its response, over one store (contract.md). Knows nothing of FastCGI. */
#ifndef LEADHOOK_API_API_H
#define LEADHOOK_API_API_H

#include <stddef.h>
#include <stdint.h>

#include "core/address.h"
#include "http/params.h"
#include "http/request.h"
#include "http/response.h"
#include "store/store.h"

struct api;

/* Everything must stay valid as long as the api. */
struct api_options {
	struct http_caps caps;
	size_t body_bytes, bulk_body_bytes; /* the most that a body may have; and where many leads may be named */
	size_t bulk_items;                  /* how many; at most BULK_LEADS_MAX */
	size_t utm_bytes;                   /* of a lead's utm parameters together, as JSON */
	size_t webhooks_per_campaign;
	const struct network_list *trusted_proxies; /* whose X-Forwarded-For counts */
	const struct address_rules *webhook_addresses;
	int64_t request_timeout_ms; /* a command is given up after that long */
};

/* The store is the caller's. */
struct api *api_new(const struct api_options *options, struct store *store);
void api_free(struct api **api);

/* The most bytes of body that this request may have; asked before the body is read. */
size_t api_body_limit(const struct api *api, const struct http_request *request);
/* Answers the request, whatever it is. `path_is_valid`: what http_request_init said. */
void api_handle(struct api *api, struct http_request *request, bool path_is_valid, struct http_response *response);
/* What may be done when the answer is out: notes the use of a key. */
void api_afterwards(struct api *api);

#endif
