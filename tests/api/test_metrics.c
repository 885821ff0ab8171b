/* SPDX-License-Identifier: MIT
 * GET /metrics (docs/operating.md 12.1): access to it, and what it counts. Modules: api, os/metrics. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/api_call.h"
#include "api/fake_service.h"
#include "api/fake_store.h"
#include "os/metrics_table.h"

#define TOKEN "0123456789abcdef"

static struct fake_service service;

static int
begin(void **state UNUSED)
{
	fake_service_open(&service);
	service.options.metrics = (struct api_metrics){ .loopback = true, .token = SLICE(""), .state_dir = "", .log_file = "" };
	return 0;
}

static int
end(void **state UNUSED)
{
	fake_service_close(&service);
	return 0;
}

/* Sends a request with up to three additional variables. Returns the status. `body` may be NULL; *body is in the pool. */
static unsigned
send_call(const char *method, const char *path, const char *const variables[][2], size_t count, const char **body)
{
	struct fake_environment environment = { .body = SLICE("") };
	struct http_request request;
	struct http_response response;
	fake_set(&environment, SLICE("REQUEST_METHOD"), slice_of(method));
	fake_set(&environment, SLICE("REQUEST_URI"), slice_of(path));
	for (size_t i = 0; i < count; i++)
		fake_set(&environment, slice_of(variables[i][0]), slice_of(variables[i][1]));
	fake_set(&environment, SLICE("HTTP_HOST"), SLICE("localhost:80")); /* a variable of the request replaces this */
	fake_service_call(&service, &environment, &request, &response);
	if (body != NULL)
		*body = pool_string(service.pool, buffer_slice(&response.body));
	const unsigned status = response.status;
	http_response_free(&response);
	return status;
}

static uint64_t
count_of(enum metric metric, size_t index)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	metrics_copy(cells, &counts);
	return cells[metrics_definition(metric)->first + index];
}

/* docs/operating.md 12.1: without a setting, the path is unknown for every method. With `loopback`, it answers calls from this
 * host, but not through a proxy, trusted or not, and not from a page. With a token, it answers calls with this token. */
static void
access_is_as_configured(void **state UNUSED)
{
	static const struct {
		bool loopback, token;
		unsigned status;
		const char *variables[3][2];
	} cases[] = {
		{ false, false, 404, { { "REMOTE_ADDR", "127.0.0.1" } } },
		{ false, false, 404, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_AUTHORIZATION", "Bearer " TOKEN } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "::1" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "::ffff:127.5.0.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "192.0.2.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "::2" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_X_FORWARDED_FOR", "127.0.0.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_X_FORWARDED_FOR", "192.0.2.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_X_FORWARDED_FOR", "127.0.0.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_ORIGIN", "https://elsewhere.example" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_FORWARDED", "for=127.0.0.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_VIA", "1.1 proxy" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_SEC_FETCH_SITE", "same-origin" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_SEC_FETCH_SITE", "none" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "127.1.2.3:8080" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "[::1]:8080" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "[::ffff:127.0.0.1]:8080" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "[::ffff:192.0.2.1]:8080" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "LocalHost" } } },
		{ true, false, 200, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "Leads.example.org:443" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "evil.example" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "localhost.evil.example:80" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "192.0.2.1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "[::1" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_HOST", "" } } },
		{ true, false, 403, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", "Bearer " TOKEN } } },
		{ false, true, 401, { { "REMOTE_ADDR", "127.0.0.1" } } },
		{ false, true, 401, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", "Bearer " TOKEN "0" } } },
		{ false, true, 401, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", "Bearer 0123456789abcde" } } },
		{ false, true, 401, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", "Bearer " FAKE_KEY } } },
		{ false, true, 401, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", " " } } },
		{ false, true, 200, { { "REMOTE_ADDR", "192.0.2.1" }, { "HTTP_AUTHORIZATION", "Bearer " TOKEN } } },
		{ false, true, 200,
		    { { "REMOTE_ADDR", "127.0.0.1" }, { "HTTP_X_FORWARDED_FOR", "192.0.2.1" },
			{ "HTTP_AUTHORIZATION", "Bearer " TOKEN } } },
		{ true, true, 200, { { "REMOTE_ADDR", "127.0.0.1" } } },
		{ true, true, 401, { { "REMOTE_ADDR", "192.0.2.1" } } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t count = 0;
		while (count < 3 && cases[i].variables[count][0] != NULL)
			count++;
		service.options.metrics.loopback = cases[i].loopback;
		service.options.metrics.token = cases[i].token ? SLICE(TOKEN) : SLICE("");
		service.options.base_url = SLICE("https://leads.example.org/lead");
		const unsigned status = send_call("GET", "/metrics", cases[i].variables, count, NULL);
		if (status != cases[i].status)
			fail_msg("case %zu: %u", i, status);
	}
	service.options.base_url = SLICE("");
	service.options.metrics =
	    (struct api_metrics){ .loopback = false, .token = SLICE(""), .state_dir = "", .log_file = "" };
	static const char *const local[][2] = { { "REMOTE_ADDR", "127.0.0.1" } };
	assert_int_equal(send_call("POST", "/metrics", local, 1, NULL), 404);
	service.options.metrics.loopback = true;
	assert_int_equal(send_call("POST", "/metrics", local, 1, NULL), 405);
}

/* docs/operating.md 12.1: requests are counted by the template of their route, so ids and unknown paths do not create
 * series. */
static void
requests_count_by_route(void **state UNUSED)
{
	static const char *const key[][2] = { { "HTTP_AUTHORIZATION", "Bearer " FAKE_KEY }, { "REMOTE_ADDR", "127.0.0.1" } };
	const struct route *stats = route_table;
	while (strcmp(stats->path, "v2/{campaign}/stats") != 0)
		stats++;
	const size_t first = route_metric(stats) * METRIC_CLASS_COUNT, unknown = METRIC_ROUTE_UNKNOWN * METRIC_CLASS_COUNT,
		     preflight = METRIC_ROUTE_PREFLIGHT * METRIC_CLASS_COUNT;
	const uint64_t good = count_of(METRIC_REQUESTS, first + METRIC_CLASS_2XX),
		       bad = count_of(METRIC_REQUESTS, first + METRIC_CLASS_4XX),
		       none = count_of(METRIC_REQUESTS, unknown + METRIC_CLASS_4XX),
		       preflights = count_of(METRIC_REQUESTS, preflight + METRIC_CLASS_2XX);
	assert_int_equal(send_call("GET", "/v2/1/stats", key, 2, NULL), 200);
	assert_int_equal(send_call("HEAD", "/v2/1/stats", key, 2, NULL), 200);
	assert_int_equal(send_call("GET", "/v2/999/stats", key, 2, NULL), 404);
	assert_int_equal(send_call("DELETE", "/v2/1/stats", key, 2, NULL), 405);
	assert_int_equal(send_call("GET", "/no/such/path", key, 2, NULL), 404);
	assert_int_equal(send_call("GET", "/%zz", key, 2, NULL), 404);
	assert_int_equal(send_call("OPTIONS", "/v2/1/stats", key, 2, NULL), 204);
	assert_int_equal(count_of(METRIC_REQUESTS, first + METRIC_CLASS_2XX) - good, 2);
	assert_int_equal(count_of(METRIC_REQUESTS, first + METRIC_CLASS_4XX) - bad, 1);
	assert_int_equal(count_of(METRIC_REQUESTS, unknown + METRIC_CLASS_4XX) - none, 3);
	assert_int_equal(count_of(METRIC_REQUESTS, preflight + METRIC_CLASS_2XX) - preflights, 1);
	const char *body;
	assert_int_equal(send_call("GET", "/metrics", key + 1, 1, &body), 200);
	assert_non_null(
	    strstr(body, "\nleadhook_requests_total{method=\"GET\",route=\"/v2/{campaign}/stats\",class=\"2xx\"} "));
	assert_null(strstr(body, "such"));
}

static void
the_page_has_the_figures(void **state UNUSED)
{
	static const char *const local[][2] = { { "REMOTE_ADDR", "127.0.0.1" } };
	static const char *const lines[] = { "database_up 1", "leads 3", "webhooks{state=\"active\"} 3",
		"webhooks{state=\"failing\"} 2", "deliveries_oldest_due_age_seconds 0", "bulk_jobs_oldest_age_seconds 1.5",
		"limiter_fill_ratio{limit=\"account_per_minute\"} 0" };
	const char *body;
	assert_int_equal(send_call("GET", "/metrics", local, 1, &body), 200);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *line = pool_printf(service.pool, "\nleadhook_%s\n", lines[i]).data;
		if (strstr(body, line) == NULL)
			fail_msg("no %s in %s", lines[i], body);
	}
	assert_null(strstr(body, "filesystem"));
}

/* The events of the counts are those of the engine. They have their own list, because the file of the counts does not depend on
 * the engine. */
static void
events_have_the_names_of_the_engine(void **state UNUSED)
{
	const struct metric_labels *labels = metrics_definition(METRIC_EVENTS)->labels[0];
	assert_int_equal(labels->count, EVENT_TYPES);
	for (size_t i = 0; i < EVENT_TYPES; i++)
		assert_slice(event_name((enum event_type)i), labels->values[i]);
}

#define METRICS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		METRICS_TEST(access_is_as_configured),
		METRICS_TEST(requests_count_by_route),
		METRICS_TEST(the_page_has_the_figures),
		METRICS_TEST(events_have_the_names_of_the_engine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
