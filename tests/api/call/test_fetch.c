/* SPDX-License-Identifier: MIT
 * docs/cluster.md 4.1: what calls read at database.read_host, and what happens when it is away. Modules: api, api/handlers. */
#include "unit.h"

#include <string.h>

#include "api/fake_service.h"
#include "api/fake_store.h"
#include "store/lead_pages.h"

enum { AWAY_MS = 10000 };

static int64_t now_ms = 5000000;

int64_t __wrap_clock_monotonic_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now_ms;
}

static struct fake_service service;

/* The reads of lists from each store, and whether they fail. */
struct reads {
	size_t count;
	bool fail;
};
static struct reads of_store, of_reader;

static enum result
read_list(const struct store *store)
{
	struct reads *reads = store == service.reader ? &of_reader : &of_store;
	reads->count++;
	return reads->fail ? RESULT_UNAVAILABLE : RESULT_OK;
}

/* Counts the call of a function of the store that reads lists, then runs it. */
#define READ(name, parameters, arguments)                                      \
	enum result __real_##name parameters;                                  \
	enum result __wrap_##name parameters;                                  \
	enum result __wrap_##name parameters                                   \
	{                                                                      \
		const enum result result = read_list(store);                   \
		return result == RESULT_OK ? __real_##name arguments : result; \
	}

READ(store_find_campaign, (struct store * store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *time_ms),
    (store, pool, id, campaign, time_ms))
READ(store_list_campaigns,
    (struct store * store, struct pool *pool, uint64_t account_id, struct list_part part, struct campaign **campaigns,
	size_t *count, int64_t *time_ms),
    (store, pool, account_id, part, campaigns, count, time_ms))
READ(store_find_versions, (struct store * store, struct pool *pool, uint64_t campaign_id, struct campaign_versions *versions),
    (store, pool, campaign_id, versions))
READ(store_list_leads,
    (struct store * store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page),
    (store, pool, campaign_id, filter, page))

static int
begin(void **state UNUSED)
{
	fake_service_open(&service);
	api_free(&service.api);
	of_store = of_reader = (struct reads){ 0 };
	service.reader = fake_store_new(service.pool);
	service.api = api_new(&service.options, &service.common, service.store, service.reader, &service.backend);
	return 0;
}

static int
end(void **state UNUSED)
{
	fake_service_close(&service);
	return 0;
}

static const char *const lists[] = { "/v2/campaigns", "/v2/1/stats", "/v2/1/leads", "/v2/1/leaderboard" };

struct answer {
	unsigned status;
	struct slice all;
};

static struct answer
get(const char *target)
{
	struct fake_environment environment = { .count = 0 };
	struct http_request request;
	struct http_response response;
	struct buffer out;
	fake_set(&environment, SLICE("REQUEST_METHOD"), SLICE("GET"));
	fake_set(&environment, SLICE("REQUEST_URI"), slice_of(target));
	fake_set(&environment, SLICE("HTTP_AUTHORIZATION"), SLICE(FAKE_KEY));
	fake_service_call(&service, &environment, &request, &response);
	buffer_init(&out, response.body.maximum);
	assert_true(http_response_render(&response, SLICE("id"), &out));
	const struct answer answer = { response.status, pool_copy(service.pool, buffer_slice(&out)) };
	buffer_free(&out);
	http_response_free(&response);
	return answer;
}

static void
lists_and_statistics_are_read_there(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		of_reader.count = 0;
		assert_int_equal(get(lists[i]).status, 200);
		if (of_reader.count == 0 || of_store.count != 0)
			fail_msg("%s is not read at the read host alone", lists[i]);
	}
}

static void
everything_else_is_not(void **state UNUSED)
{
	static const char *const others[] = { ("/v2/1?email=" FAKE_EMAIL), "/v2/1/tags", "/v2/1/actions",
		"/v2/1/outbound-webhook" };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(get(others[i]).status, 200);
	assert_int_equal(of_reader.count + fake_reads(service.reader, FAKE_CAMPAIGN), 0);
}

/* The answer, including its headers, is the same as without a read host. */
static void
a_read_host_that_is_away_is_replaced(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct answer usual = get(lists[i]);
		of_reader.fail = true;
		const struct answer answer = get(lists[i]);
		of_reader.fail = false;
		assert_int_equal(answer.status, 200);
		assert_slice(answer.all, usual.all.data);
		now_ms += AWAY_MS;
	}
}

/* docs/cluster.md 4.1, "Not used": no answer has data of another installation. */
static void
a_host_of_another_installation_is_not_used(void **state UNUSED)
{
	fake_other_installation = true;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		assert_int_equal(get(lists[i]).status, 200);
		now_ms += AWAY_MS;
	}
	fake_other_installation = false;
	assert_int_equal(of_reader.count, 0);
}

static void
it_is_tried_again_after_ten_seconds(void **state UNUSED)
{
	of_reader.fail = true;
	get(lists[0]);
	of_reader = (struct reads){ 0 };
	now_ms += AWAY_MS - 1;
	get(lists[0]);
	assert_int_equal(of_reader.count, 0);
	now_ms += 1;
	get(lists[0]);
	assert_int_equal(of_reader.count, 1);
}

static void
without_any_database_lists_are_unavailable(void **state UNUSED)
{
	of_reader.fail = of_store.fail = true;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		assert_int_equal(get(lists[i]).status, 503);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_and_statistics_are_read_there, begin, end),
		cmocka_unit_test_setup_teardown(everything_else_is_not, begin, end),
		cmocka_unit_test_setup_teardown(a_read_host_that_is_away_is_replaced, begin, end),
		cmocka_unit_test_setup_teardown(a_host_of_another_installation_is_not_used, begin, end),
		cmocka_unit_test_setup_teardown(it_is_tried_again_after_ten_seconds, begin, end),
		cmocka_unit_test_setup_teardown(without_any_database_lists_are_unavailable, begin, end),
	};
	return cmocka_run_group_tests_name("api/call/fetch", tests, NULL, NULL);
}
