/* SPDX-License-Identifier: MIT
 * Responses: docs/api.md 1.1 "Methods", docs/api.md 7. */
#include "unit.h"

#include <string.h>

#include "http/response.h"

#define COMMON "Cache-Control: no-store\r\n" COMMON_OF_ALL
#define COMMON_OF_ALL                                                                                                         \
	"X-Content-Type-Options: nosniff\r\n"                                                                                 \
	"Access-Control-Allow-Origin: *\r\n"                                                                                  \
	"Access-Control-Expose-Headers: Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id\r\n" \
	"X-Request-Id: abc\r\n"

static struct pool *pool;
static struct buffer out;
static struct http_response response;

static int
set_up(void **state)
{
	(void)state;
	pool = pool_new();
	buffer_init(&out, 2000);
	http_response_init(&response, pool, 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	http_response_free(&response);
	buffer_free(&out);
	pool_free(&pool);
	return 0;
}

static void
assert_rendered(const char *expected)
{
	assert_true(http_response_render(&response, SLICE("abc"), &out));
	assert_int_equal(buffer_slice(&out).size, strlen(expected));
	assert_string_equal(buffer_slice(&out).data, expected);
}

static void
a_response_has_all_its_headers(void **state)
{
	(void)state;
	response.status = 429;
	assert_true(http_response_header(&response, "Retry-After", SLICE("7")));
	buffer_add_text(&response.body, "{}");
	assert_rendered(
	    "Status: 429 Too Many Requests\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n" COMMON
	    "Retry-After: 7\r\n\r\n{}");
}

/* docs/api.md 7, Headers: public responses may be cached; 304 has no content, and no headers about content. */
static void
a_public_response_may_be_cached(void **state)
{
	(void)state;
	response.is_public = true;
	response.status = 304;
	response.content = HTTP_JAVASCRIPT;
	assert_true(http_response_header(&response, "ETag", SLICE("\"1\"")));
	assert_rendered(
	    "Status: 304 Not Modified\r\nCache-Control: public, max-age=3600\r\n" COMMON_OF_ALL "ETag: \"1\"\r\n\r\n");
	buffer_clear(&out);
	response.is_immutable = true;
	assert_rendered("Status: 304 Not Modified\r\nCache-Control: public, max-age=31536000, immutable\r\n" COMMON_OF_ALL
			"ETag: \"1\"\r\n\r\n");
}

/* docs/api.md 1: HEAD is GET without the body. */
static void
head_is_get_without_the_body(void **state)
{
	(void)state;
	response.head = true;
	buffer_add_text(&response.body, "12345");
	assert_rendered(
	    "Status: 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 5\r\n" COMMON "\r\n");
}

/* The length of GET's body is not known, so it is not sent. */
static void
head_without_a_body_has_no_length(void **state)
{
	(void)state;
	response.head = true;
	assert_rendered("Status: 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n" COMMON "\r\n");
}

/* docs/api.md 7, Body: JSONP and opt-out pages have their own types. */
static void
a_response_has_its_content_type(void **state)
{
	(void)state;
	response.content = HTTP_JAVASCRIPT;
	buffer_add_text(&response.body, "f({});");
	assert_rendered(
	    "Status: 200 OK\r\nContent-Type: text/javascript; charset=utf-8\r\nContent-Length: 6\r\n" COMMON "\r\nf({});");
	buffer_clear(&out);
	buffer_clear(&response.body);
	response.content = HTTP_HTML;
	assert_rendered("Status: 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 0\r\n" COMMON "\r\n");
}

#define USUAL_HEADERS "Authorization, Authentication, Content-Type, X-Requested-With"

static void
a_preflight_is_204_without_content(void **state)
{
	(void)state;
	buffer_add_text(&response.body, "never sent");
	http_response_preflight(&response, SLICE_NONE);
	assert_rendered("Status: 204 No Content\r\n" COMMON "Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r\n"
			"Access-Control-Allow-Headers: " USUAL_HEADERS "\r\nAccess-Control-Max-Age: 86400\r\n"
			"Vary: Access-Control-Request-Headers\r\n\r\n");
}

static void
assert_allowed(struct slice requested, struct slice allowed)
{
	http_response_preflight(&response, requested);
	assert_string_equal(response.headers[1].name, "Access-Control-Allow-Headers");
	assert_true(slice_equal(response.headers[1].value, allowed));
}

/* docs/api.md 7, Preflight. */
static void
a_preflight_repeats_the_requested_headers(void **state)
{
	(void)state;
	const struct slice lists[] = { SLICE("x"), SLICE("authorization,content-type"), SLICE("X-A,  Cache-Control ,x_b"),
		SLICE("!#$%&'*+-.^_`|~09azAZ") };
	const struct slice bad[] = { SLICE_NONE, SLICE(""), SLICE(","), SLICE(",a"), SLICE("a,,b"), SLICE("a b"),
		SLICE("a\r\nSet-Cookie: a"), SLICE("a,\nb"), SLICE("a,\tb"), SLICE("a\0b"), SLICE("\"a\""), SLICE("a:b"),
		SLICE("a;b"), SLICE("(a)"), SLICE("a/b"), SLICE("\xc3\xa4"), SLICE("a\x7f") };
	char text[1025];
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		assert_allowed(lists[i], lists[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_allowed(bad[i], SLICE(USUAL_HEADERS));
	memset(text, 'a', sizeof(text));
	assert_allowed((struct slice){ text, 1024 }, (struct slice){ text, 1024 });
	assert_allowed((struct slice){ text, 1025 }, SLICE(USUAL_HEADERS));
}

static void
a_header_cannot_contain_another(void **state)
{
	(void)state;
	assert_false(http_response_header(&response, "Allow", SLICE("GET\r\nSet-Cookie: a=b")));
	assert_false(http_response_header(&response, "Allow", SLICE("GET\n")));
	assert_false(http_response_header(&response, "Allow", SLICE("GET\0")));
	assert_int_equal(response.header_count, 0);
	for (int i = 0; i < HTTP_RESPONSE_HEADERS; i++)
		assert_true(http_response_header(&response, "Allow", SLICE("GET")));
	assert_false(http_response_header(&response, "Allow", SLICE("GET")));
}

static void
a_body_that_does_not_fit_is_an_error(void **state)
{
	(void)state;
	buffer_add_text(&response.body, "more than twenty bytes");
	assert_false(http_response_render(&response, SLICE("abc"), &out));
}

/* Every status of docs/api.md 2, 4.1 and docs/architecture.md. */
static void
every_status_has_a_text(void **state)
{
	(void)state;
	static const unsigned ours[] = { 200, 202, 204, 304, 400, 404, 405, 406, 409, 413, 415, 422, 423, 429, 500, 503 };
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		assert_string_not_equal(http_status_text(ours[i]), "");
	assert_string_equal(http_status_text(299), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_response_has_all_its_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(head_is_get_without_the_body, set_up, tear_down),
		cmocka_unit_test_setup_teardown(head_without_a_body_has_no_length, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_response_has_its_content_type, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_public_response_may_be_cached, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_preflight_is_204_without_content, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_preflight_repeats_the_requested_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_header_cannot_contain_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_body_that_does_not_fit_is_an_error, set_up, tear_down),
		cmocka_unit_test(every_status_has_a_text),
	};
	return cmocka_run_group_tests_name("http/response", tests, NULL, NULL);
}
