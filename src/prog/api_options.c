/* SPDX-License-Identifier: MIT */
#include "prog/api_options.h"

struct api_options
api_options_of(const struct wiring *wiring, struct limiter *limiter, int64_t backend_timeout_ms)
{
	const struct conf_limits *limits = &wiring->conf->limits;
	struct api_options api = {
		.caps = HTTP_CAPS_DEFAULT,
		.body_bytes = limits->body_bytes,
		.bulk_body_bytes = limits->bulk_body_bytes,
		.public_body_bytes = limits->public_body_bytes,
		.authenticates = wiring->conf->compat.authenticate,
		.metrics = { .loopback = wiring->conf->metrics.loopback,
		    .token = slice_of(wiring->conf->metrics.token),
		    .state_dir = wiring->conf->server.state_dir,
		    .log_file = wiring->conf->log.file },
		.bulk_items = limits->bulk_items,
		.utm_bytes = limits->custom_fields_bytes,
		.public_utm_bytes = limits->public_custom_fields_bytes < limits->custom_fields_bytes
					? limits->public_custom_fields_bytes
					: limits->custom_fields_bytes,
		.base_url = slice_of(wiring->conf->server.base_url),
		.base_path = slice_of(wiring->conf->server.base_path),
		.webhooks_per_campaign = limits->webhooks_per_campaign,
		.inbound_per_campaign = limits->inbound_per_campaign,
		.account_bulk_jobs = limits->account_bulk_jobs,
		.limiter = limiter,
		.account_per_minute = limits->account_per_minute,
		.limit_hosts = limits->hosts,
		.trusted_proxies = &wiring->trusted_proxies,
		.webhook_addresses = &wiring->webhook_addresses,
		.backend_timeout_ms = backend_timeout_ms,
	};
	api.caps.depth = limits->json_depth;
	api.caps.parameters = limits->parameters;
	api.caps.name_bytes = limits->name_bytes;
	api.caps.value_bytes = limits->value_bytes;
	return api;
}
