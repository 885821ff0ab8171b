/* SPDX-License-Identifier: MIT
 * A whole request to the API: CGI variables as lines NAME=value, an empty line, the body. Every request gets an answer, a
 * refused one changes nothing, and a key gives access to its own account's campaigns only (docs/api.md 1, 2). */
#include "answer_rules.h"
#include "api/call/api_call.h"
#include "api/fake_service.h"
#include "api/fake_store.h"

static void
read_environment(struct slice rest, struct fake_environment *environment)
{
	struct slice line;
	while (slice_next(&rest, '\n', &line) && line.size > 0) {
		size_t equals = slice_find(line, '=');
		fake_set(environment, slice_sub(line, 0, equals), slice_sub(line, equals + 1, line.size));
	}
	environment->body = rest;
}

static size_t
all_changes(const struct store *store)
{
	size_t changes = 0;
	for (uint64_t id = 1; id <= FAKE_CAMPAIGNS; id++)
		changes += fake_changes(store, id);
	return changes;
}

static void
require_isolation(const struct fake_service *service)
{
	uint64_t account = service->api->used_key.account_id;
	for (uint64_t id = 1; id <= FAKE_CAMPAIGNS && service->api->used_key.id != 0; id++)
		if (fake_account(service->store, id) != account)
			REQUIRE(fake_reads(service->store, id) == 0 && fake_changes(service->store, id) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake_environment environment = { .count = 0 };
	struct fake_service service;
	struct http_request request;
	struct http_response response;
	fake_service_open(&service);
	read_environment(fuzz_input(data, size), &environment);
	fake_service_call(&service, &environment, &request, &response);
	require_answer(&request, &response);
	require_isolation(&service);
	REQUIRE(response.status < 400 || all_changes(service.store) == 0);
	REQUIRE((request.method != HTTP_HEAD && request.method != HTTP_OPTIONS) || all_changes(service.store) == 0);
	REQUIRE(fake_changes(service.store, FAKE_SUSPENDED_CAMPAIGN) == 0);
	http_response_free(&response);
	api_afterwards(service.api);
	fake_service_close(&service);
	return 0;
}
