/* SPDX-License-Identifier: MIT */
#include "fake_service.h"

#include <stdlib.h>

#include "base/attributes.h"
#include "fake_store.h"
#include "manage/manage.h"
#include "os/clock.h"
#include "store/bulk.h"
#include "store/codes/lead_codes.h"
#include "store/sources.h"

enum { ANSWER_MAX_BYTES = 16 * 1024 * 1024, BODY_MAX_BYTES = 256 * 1024 };

static const struct api_options defaults = {
	.body_bytes = BODY_MAX_BYTES,
	.bulk_body_bytes = 4 * BODY_MAX_BYTES,
	.public_body_bytes = BODY_MAX_BYTES,
	.authenticates = true,
	.bulk_items = BULK_LEADS_MAX,
	.utm_bytes = 16384,
	.public_utm_bytes = 16384,
	.webhooks_per_campaign = 3,
	.inbound_per_campaign = 3,
	.limit_hosts = 1,
	.backend_timeout_ms = 10000,
};

/* Limits that are never reached. */
static struct limiter *
generous_limiter(void)
{
	static const struct limit_rule rule = { { { LIMIT_MAX, 60000 } }, 1 };
	struct limiter_options options = { .folder = "", .memory = LIMITER_MEMORY_MIN, .now_ms = clock_monotonic_ms };
	for (size_t i = 0; i < LIMIT_KINDS; i++)
		options.rules[i] = rule;
	return limiter_open(&options);
}

void
fake_set(struct fake_environment *environment, struct slice name, struct slice value)
{
	if (environment->count < FAKE_VARIABLES_MAX)
		environment->variables[environment->count++] = (struct fake_variable){ name, value };
}

static struct slice
get(void *context, const char *name)
{
	const struct fake_environment *environment = context;
	for (size_t i = 0; i < environment->count; i++)
		if (slice_equal(environment->variables[i].name, slice_of(name)))
			return environment->variables[i].value;
	return SLICE_NONE;
}

void
fake_service_open(struct fake_service *service)
{
	struct slice bad;
	*service = (struct fake_service){ .pool = pool_new(), .options = defaults };
	if (!address_rules_parse(service->pool, SLICE_NONE, SLICE_NONE, &service->webhook_addresses, &bad) ||
	    !network_list_parse(service->pool, SLICE("127.0.0.0/8"), &service->trusted_proxies, &bad))
		abort();
	service->options.caps = HTTP_CAPS_DEFAULT;
	service->options.trusted_proxies = &service->trusted_proxies;
	service->options.webhook_addresses = &service->webhook_addresses;
	service->answer_bytes = ANSWER_MAX_BYTES;
	service->options.limiter = generous_limiter();
	service->store = fake_store_new(service->pool);
	service->backend = fake_backend(service->store);
	service->api = api_new(&service->options, &service->common, service->store, service->reader, &service->backend);
}

void
fake_service_close(struct fake_service *service)
{
	api_free(&service->api);
	limiter_close(&service->options.limiter);
	pool_free(&service->pool);
}

void
fake_service_call(struct fake_service *service, struct fake_environment *environment, struct http_request *request,
    struct http_response *response)
{
	(void)!http_request_init(request, service->pool, get, environment, SLICE(""));
	http_response_init(response, service->pool, service->answer_bytes);
	if (environment->body.size > api_body_limit(service->api, request))
		request->body_state = HTTP_BODY_TOO_LARGE;
	else
		request->body = environment->body;
	api_handle(service->api, request, response);
}

/* No path below /manage exists. */
void
manage_handle(struct manage *manage UNUSED, struct call *call UNUSED)
{
}

bool fake_other_installation;

enum result
store_same_installation(struct store *store UNUSED, struct store *other UNUSED)
{
	return fake_other_installation ? RESULT_UNAVAILABLE : RESULT_OK;
}

bool
store_sends_texts(const struct store *store UNUSED)
{
	return true;
}

enum result
store_add_refusals(struct store *store UNUSED, uint64_t campaign_id UNUSED, uint32_t signups UNUSED, uint32_t addresses UNUSED)
{
	return RESULT_OK;
}

bool
store_sends_mail(const struct store *store UNUSED)
{
	return true;
}

enum result
lead_code_try(struct store *store UNUSED, const struct lead_code *code UNUSED, struct slice digits UNUSED,
    enum lead_code_verdict *verdict)
{
	*verdict = LEAD_CODE_RIGHT;
	return RESULT_OK;
}

enum result
lead_code_remove(struct store *store UNUSED, const struct lead_code *code UNUSED, struct slice digits UNUSED)
{
	return RESULT_OK;
}
