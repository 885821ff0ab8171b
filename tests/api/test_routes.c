/* SPDX-License-Identifier: MIT
 * docs/api.md 2, campaign_not_found: with a key of another account, a campaign looks like a missing one on every route, and
 * nothing of it is read or changed. The same requests succeed with the owner's key.
 * Modules: api, api/call, api/handlers. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/api_call.h"
#include "api/call/param_names.h"
#include "api/fake_service.h"
#include "api/fake_store.h"
#include "page/page_fields.h"
#include "webhook/mapping.h"

static struct fake_service service;

static int
begin(void **state UNUSED)
{
	fake_service_open(&service);
	return 0;
}

static int
end(void **state UNUSED)
{
	fake_service_close(&service);
	return 0;
}

struct answer {
	unsigned status;
	struct slice body, all; /* all: the whole answer, without parts that differ between requests */
};

/* The parameters of all routes, including the campaign for routes without it in the path. */
static struct slice
body_for(uint64_t campaign_id)
{
	struct slice social_id = fake_social_id(service.store, FAKE_CAMPAIGN);
	return pool_printf(service.pool,
	    "{\"campaign_id\":%u,\"campaignId\":%u,\"list_id\":%u,\"__lid\":%u,\"social_id\":\"%.*s\",\"points\":7,"
	    "\"aid\":%d,\"tag_id\":%d,\"tag_ids\":[%d],\"url\":\"" FAKE_URL "\",\"event\":\"new_signup\",\"name\":\"Shop\"}",
	    (unsigned)campaign_id, (unsigned)campaign_id, (unsigned)campaign_id, (unsigned)campaign_id, SLICE_ARGS(social_id),
	    FAKE_ACTION, FAKE_TAG, FAKE_TAG);
}

/* The values for {…} in paths: objects of the first campaign. A token is secret and valid for only one lead, so the test uses
 * that of another lead. */
static struct slice
fill(struct slice part, uint64_t campaign_id)
{
	const struct {
		struct slice name, value;
	} values[] = {
		{ SLICE("{campaign}"), pool_printf(service.pool, "%u", (unsigned)campaign_id) },
		{ SLICE("{action_id}"), pool_printf(service.pool, "%d", FAKE_ACTION) },
		{ SLICE("{tag_id}"), pool_printf(service.pool, "%d", FAKE_TAG) },
		{ SLICE("{social_id}"), fake_social_id(service.store, FAKE_CAMPAIGN) },
		{ SLICE("{kid}"), fake_social_id(service.store, FAKE_CAMPAIGN) },
		{ SLICE("{probe}"), SLICE("0.invalid") },
		{ SLICE("{token}"), fake_opt_out_token(service.store, FAKE_OTHER_CAMPAIGN) },
		{ SLICE("{version}"), SLICE("0") },
		{ SLICE("{page}"), SLICE("7") },
		{ SLICE("{file}"), SLICE("main.js") },
	};
	if (!slice_starts_with(part, SLICE("{")))
		return part;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (slice_equal(part, values[i].name))
			return values[i].value;
	fail_msg("this test has no value for %.*s", SLICE_ARGS(part));
	return SLICE_NONE;
}

static struct slice
path_for(const struct route *route, uint64_t campaign_id)
{
	struct slice rest = slice_of(route->path), part, path = SLICE("");
	while (slice_next(&rest, '/', &part))
		path = POOL_JOIN(service.pool, path, SLICE("/"), fill(part, campaign_id));
	return path;
}

static struct slice
rendered(const struct http_response *response)
{
	struct buffer out;
	buffer_init(&out, response->body.maximum);
	assert_true(http_response_render(response, SLICE("id"), &out));
	struct slice all = pool_copy(service.pool, buffer_slice(&out));
	buffer_free(&out);
	return all;
}

static struct answer
send_call(const struct route *route, uint64_t campaign_id, struct slice key)
{
	static const struct slice methods[] = {
		[HTTP_GET] = SLICE("GET"), [HTTP_POST] = SLICE("POST"), [HTTP_DELETE] = SLICE("DELETE")
	};
	struct fake_environment environment = { .body = body_for(campaign_id) };
	struct http_request request;
	struct http_response response;
	assert_in_range(route->method, 0, ARRAY_SIZE(methods) - 1);
	fake_set(&environment, SLICE("REQUEST_METHOD"), methods[route->method]);
	fake_set(&environment, SLICE("REQUEST_URI"), path_for(route, campaign_id));
	fake_set(&environment, SLICE("CONTENT_TYPE"), SLICE("application/json"));
	fake_set(&environment, SLICE("HTTP_AUTHORIZATION"), key);
	fake_service_call(&service, &environment, &request, &response);
	struct answer answer = { response.status, pool_copy(service.pool, buffer_slice(&response.body)), rendered(&response) };
	http_response_free(&response);
	return answer;
}

static void
require_untouched(const struct route *route, uint64_t campaign_id)
{
	if (fake_reads(service.store, campaign_id) != 0)
		fail_msg("%s reads a campaign of another account", route->path);
	if (fake_changes(service.store, campaign_id) != 0)
		fail_msg("%s changes a campaign of another account", route->path);
}

static void
a_campaign_of_another_account_looks_like_a_missing_one(void **state UNUSED)
{
	const size_t count = route_count;
	const struct route *routes = route_table;
	for (size_t i = 0; i < count; i++) {
		if (routes[i].key == KEY_PAGE || routes[i].key == KEY_TOKEN) /* open to everyone, with any key */
			continue;
		struct answer missing = send_call(&routes[i], FAKE_NO_CAMPAIGN, SLICE(FAKE_OTHER_KEY));
		struct answer foreign = send_call(&routes[i], FAKE_CAMPAIGN, SLICE(FAKE_OTHER_KEY));
		require_untouched(&routes[i], FAKE_CAMPAIGN);
		if (!slice_equal(missing.all, foreign.all))
			fail_msg("%s answers %.*s\nwhere a missing campaign is %.*s", routes[i].path, SLICE_ARGS(foreign.all),
			    SLICE_ARGS(missing.all));
		if (routes[i].campaign != NO_CAMPAIGN && foreign.status != 404)
			fail_msg("%s answers %u", routes[i].path, foreign.status);
	}
}

/* Verifies that the requests of the test above are valid. */
static void
requests_of_the_owner_succeed(void **state UNUSED)
{
	const size_t count = route_count;
	const struct route *routes = route_table;
	for (size_t i = 0; i < count; i++) {
		if (routes[i].campaign == NO_CAMPAIGN || routes[i].key == KEY_TOKEN || routes[i].key == KEY_INBOUND ||
		    strstr(routes[i].path, "{token}") != NULL)
			continue;
		struct answer own = send_call(&routes[i], FAKE_CAMPAIGN, SLICE(FAKE_KEY));
		if (own.status == 404)
			fail_msg("%s: %.*s", routes[i].path, SLICE_ARGS(own.body));
	}
}

/* The test above depends on the table of routes, so the table must be right. */
static void
a_path_with_a_campaign_says_so(void **state UNUSED)
{
	const size_t count = route_count;
	const struct route *routes = route_table;
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		struct slice rest = slice_of(routes[i].path), first, second = SLICE_NONE, part;
		const bool is_file = slice_ends_with(slice_of(routes[i].path), SLICE("{file}"));
		bool named = slice_next(&rest, '/', &first) && slice_next(&rest, '/', &second) &&
			     slice_equal(second, SLICE("{campaign}"));
		if (named != (routes[i].campaign == CAMPAIGN_IN_PATH))
			fail_msg("%s does not say where its campaign is", routes[i].path);
		while (slice_next(&rest, '/', &part))
			if (!named && !is_file && routes[i].key != KEY_PROBE && slice_starts_with(part, SLICE("{")))
				fail_msg("%s names something of no campaign", routes[i].path);
	}
}

/* docs/api.md 4.1: `/v2/campaigns` lists the campaigns of the key's account. */
static void
campaigns_of_others_are_not_listed(void **state UNUSED)
{
	const size_t count = route_count;
	const struct route *routes = route_table;
	for (size_t i = 0; i < count; i++)
		if (routes[i].campaign == NO_CAMPAIGN)
			send_call(&routes[i], FAKE_CAMPAIGN, SLICE(FAKE_OTHER_KEY));
	for (uint64_t id = 1; id <= FAKE_CAMPAIGNS; id++)
		if (fake_account(service.store, id) != FAKE_OTHER_ACCOUNT)
			assert_int_equal(fake_reads(service.store, id) + fake_changes(service.store, id), 0);
	assert_true(fake_reads(service.store, FAKE_OTHER_CAMPAIGN) > 0);
}

/* docs/inbound.md 3: a map can name every parameter of a sign-up, but not keys, campaigns, callbacks or ignored names. */
static void
maps_name_the_parameters_of_signups(void **state UNUSED)
{
	const unsigned never = GROUP_KEY | GROUP_CAMPAIGN | GROUP_CALLBACK | GROUP_IGNORED;
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; param_has_name(&param_table[i], k); k++) {
			const struct slice name = param_table[i].names[k];
			const bool refused = mapping_check(name, SLICE("a")) != NULL;
			if ((param_table[i].groups & never) != 0 && !refused)
				fail_msg("%.*s can be mapped", SLICE_ARGS(name));
			if ((param_table[i].groups & GROUP_SIGNUP) != 0 && (param_table[i].groups & never) == 0 && refused)
				fail_msg("%.*s cannot be mapped", SLICE_ARGS(name));
		}
}

/* docs/pages.md 2: a field of a page cannot have the name of another parameter. */
static void
fields_of_pages_are_custom_fields(void **state UNUSED)
{
	struct pool *pool = pool_new();
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; param_has_name(&param_table[i], k); k++) {
			const struct slice name = param_table[i].names[k];
			struct page_fields fields;
			struct slice problem;
			const bool identifies = slice_equal(name, SLICE("email")) || slice_equal(name, SLICE("phone_number"));
			if (identifies || (param_table[i].groups & GROUPS_RESERVED) == 0)
				continue;
			if (page_fields_parse(pool, POOL_JOIN(pool, SLICE("email;"), name, SLICE(": A")), &fields, &problem))
				fail_msg("a field can have the name %.*s", SLICE_ARGS(name));
		}
	pool_free(&pool);
}

/* docs/api.md 2, answer_too_large: the failure replaces the answer, in the format of the route. */
static void
an_answer_that_is_too_large_is_a_failure(void **state UNUSED)
{
	static const struct {
		const char *target, *beginning;
	} calls[] = {
		{ "/v2/campaigns", "{\"message\":\"The answer is too large (request " },
		{ "/v1/1/info?email=" FAKE_EMAIL "&jsonp=show", "show({\"status\":500,\"message\":\"The answer is too large" },
	};
	enum { ROOM = 160 };
	service.answer_bytes = ROOM;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct fake_environment environment = { .count = 0 };
		struct http_request request;
		struct http_response response;
		fake_set(&environment, SLICE("REQUEST_METHOD"), SLICE("GET"));
		fake_set(&environment, SLICE("REQUEST_URI"), slice_of(calls[i].target));
		fake_set(&environment, SLICE("HTTP_AUTHORIZATION"), SLICE(FAKE_KEY));
		fake_service_call(&service, &environment, &request, &response);
		const struct slice body = buffer_slice(&response.body);
		if (response.status != 500 || !slice_starts_with(body, slice_of(calls[i].beginning)))
			fail_msg("%s: %u %.*s", calls[i].target, response.status, SLICE_ARGS(body));
		assert_true(buffer_ok(&response.body));
		http_response_free(&response);
	}
}

#define ROUTE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ROUTE_TEST(a_campaign_of_another_account_looks_like_a_missing_one),
		ROUTE_TEST(requests_of_the_owner_succeed),
		ROUTE_TEST(a_path_with_a_campaign_says_so),
		ROUTE_TEST(campaigns_of_others_are_not_listed),
		ROUTE_TEST(an_answer_that_is_too_large_is_a_failure),
		cmocka_unit_test(maps_name_the_parameters_of_signups),
		cmocka_unit_test(fields_of_pages_are_custom_fields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
