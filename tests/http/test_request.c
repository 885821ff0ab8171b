/* SPDX-License-Identifier: MIT
 * Requests from CGI variables: docs/api.md 1 "Path" and "Methods", docs/api.md 3 for the sources of keys. */
#include "unit.h"
#include "with_pool.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "http/request.h"

static struct http_request request;

/* `context` is an array: NAME, value, NAME, value, …, NULL. */
static struct slice
get(void *context, const char *name)
{
	for (const char **pair = context; *pair != NULL; pair += 2)
		if (strcmp(pair[0], name) == 0)
			return slice_of(pair[1]);
	return SLICE_NONE;
}

static enum result
start(const char *base_path, const char *uri)
{
	const char *environment[] = { "REQUEST_METHOD", "GET", "REQUEST_URI", uri, NULL };
	return http_request_init(&request, pool, get, environment, slice_of(base_path));
}

static void
assert_segments(const char *expected)
{
	struct slice joined = SLICE("");
	for (size_t i = 0; i < request.segment_count; i++)
		joined = pool_printf(pool, "%.*s|%.*s", SLICE_ARGS(joined), SLICE_ARGS(request.segments[i]));
	assert_string_equal(pool_string(pool, joined), expected);
}

static void
paths_are_split_and_then_decoded(void **state)
{
	(void)state;
	static const struct {
		const char *base_path, *uri, *segments, *query;
	} cases[] = {
		{ "", "/v2/7", "|v2|7", NULL },
		{ "", "/v2/7/", "|v2|7", NULL },
		{ "", "/", "", NULL },
		{ "", "/v2/7?a=b?c=/d", "|v2|7", "a=b?c=/d" },
		{ "", "/v2/?", "|v2", "" },
		{ "", "//v2///7//", "|v2|7", NULL },
		{ "", "//", "", NULL },
		{ "", "/v%32/%37/a+b%20%C3%A4", "|v2|7|a+b \xc3\xa4", NULL },
		{ "", "/v2/%252F", "|v2|%2F", NULL },
		{ "", "/v2/.../..a", "|v2|...|..a", NULL },
		{ "", "http://example.com/v2/7?x", "|v2|7", "x" },
		{ "", "HTTPS://example.com?/v2/7", "", "/v2/7" },
		{ "", "http://example.com#/v2/7", "|#|v2|7", NULL },
		{ "", "http://example.com", "", NULL },
		{ "", "http://", "", NULL },
		{ "/api", "/api/v2", "|v2", NULL },
		{ "/api/", "/api", "", NULL },
		{ "/api//x", "//api/x//v2", "|v2", NULL },
		{ "api/lead hook", "/api/lead%20hook/v2", "|v2", NULL },
		/* docs/api.md 1.4: links to pages that people have copied */
		{ "/api", "/api/c/7%3Fkid=ABCD1234", "|c|7", "kid=ABCD1234&" },
		{ "", "/c/7%3Fkid%3DABCD1234%26utm_source%3Dmail?utm_medium=x", "|c|7",
		    "kid=ABCD1234&utm_source=mail&utm_medium=x" },
		{ "", "/c/7%253Fkid%253DABCD1234", "|c|7", "kid%3DABCD1234&" },
		{ "", "/c/7&utm_source=a/b", "|c|7", "utm_source=a&" },
		{ "", "/c/7/&kid=ABCD1234", "|c|7", "kid=ABCD1234&" },
		{ "", "/c/7.?kid=ABCD1234", "|c|7", "kid=ABCD1234" },
		{ "", "/c/7)", "|c|7", NULL },
		{ "", "/c/7%20", "|c|7", NULL },
		{ "", "/c/7/%E2%80%9D", "|c|7", NULL },
		{ "", "/c/7%25", "|c|7", NULL },
		{ "", "/C/7?KID=ABCD1234", "|c|7", "KID=ABCD1234" },
		{ "", "/c/7/s/ABCD1234/a-b_%3E,", "|c|7|s|ABCD1234|a-b_", NULL },
		{ "", "/c/style/page.css?v=1", "|c|style|page.css", "v=1" },
		{ "", "/opt-out/7/ABCD1234/token%22?safe=1", "|opt-out|7|ABCD1234|token", "safe=1" },
		{ "", "/v2/7&a=b", "|v2|7&a=b", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(start(cases[i].base_path, cases[i].uri), RESULT_OK);
		assert_segments(cases[i].segments);
		assert_int_equal(slice_present(request.query), cases[i].query != NULL);
		assert_slice(request.query, cases[i].query);
	}
}

static void
dangerous_paths_are_not_found(void **state)
{
	(void)state;
	static const struct {
		const char *base_path, *uri;
	} cases[] = {
		{ "", "/v2/a%2Fb" },
		{ "", "/v2/a%2fb" },
		{ "", "/v2/%00" },
		{ "", "/v2/.." },
		{ "", "/v2/%2e%2E/x" },
		{ "", "/v2/./7" },
		{ "", "/v2/%" },
		{ "", "/v2/%4" },
		{ "", "/v2/%4g" },
		{ "", "/v2//../7" },
		{ "", "/v2//%2F7" },
		{ "", "//." },
		{ "", "v2" },
		{ "", "*" },
		{ "/api", "/apis/v2" },
		{ "/api", "/v2" },
		{ "/api/x", "/api" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(start(cases[i].base_path, cases[i].uri), RESULT_NOT_FOUND);
		assert_int_equal(request.segment_count, 0);
		assert_int_equal(request.method, HTTP_GET);
		assert_true(request.request_id.size >= 16);
	}
}

/* docs/operating.md 5: the example for mod_proxy_fcgi sends a long target in pieces; a whole target takes precedence. */
static void
a_target_in_pieces_is_joined(void **state)
{
	(void)state;
	const char *pieces[] = { "LEADHOOK_URI_2", "%37?a=%", "SCRIPT_NAME", "/v2/8", "LEADHOOK_URI_1", "/v2/",
		"LEADHOOK_URI_3", "41", "LEADHOOK_URI_4", "", "LEADHOOK_URI_5", "&b", NULL };
	assert_int_equal(http_request_init(&request, pool, get, pieces, SLICE("")), RESULT_OK);
	assert_segments("|v2|7");
	assert_slice(request.query, "a=%41&b");
	const char *both[] = { "REQUEST_URI", "/v2/9?c", "LEADHOOK_URI_1", "/v2/7", NULL };
	assert_int_equal(http_request_init(&request, pool, get, both, SLICE("")), RESULT_OK);
	assert_segments("|v2|9");
	assert_slice(request.query, "c");
}

/* Without REQUEST_URI the path is already decoded (RFC 3875, 4.1.5) and is not decoded again. */
static void
script_name_and_path_info_are_a_fallback(void **state)
{
	(void)state;
	const char *environment[] = { "SCRIPT_NAME", "/api", "PATH_INFO", "/v2/a%20b", "QUERY_STRING", "x=1", NULL };
	assert_int_equal(http_request_init(&request, pool, get, environment, SLICE("/api")), RESULT_OK);
	assert_segments("|v2|a%20b");
	assert_slice(request.query, "x=1");
	const char *above[] = { "PATH_INFO", "/v2/..", NULL };
	assert_int_equal(http_request_init(&request, pool, get, above, SLICE("")), RESULT_NOT_FOUND);
}

static void
methods_are_case_sensitive(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum http_method method;
	} cases[] = { { "GET", HTTP_GET }, { "HEAD", HTTP_HEAD }, { "POST", HTTP_POST }, { "PATCH", HTTP_PATCH },
		{ "DELETE", HTTP_DELETE }, { "OPTIONS", HTTP_OPTIONS }, { "get", HTTP_OTHER }, { "PUT", HTTP_OTHER },
		{ "", HTTP_OTHER } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *environment[] = { "REQUEST_URI", "/", "REQUEST_METHOD", cases[i].name, NULL };
		assert_int_equal(http_request_init(&request, pool, get, environment, SLICE("")), RESULT_OK);
		assert_int_equal(request.method, cases[i].method);
	}
}

/* docs/api.md 3: Apache may pass the header as REDIRECT_HTTP_AUTHORIZATION. */
static void
headers_are_copied_and_empty_ones_are_absent(void **state)
{
	(void)state;
	const char *environment[] = { "REQUEST_URI", "/", "HTTP_AUTHORIZATION", "", "REDIRECT_HTTP_AUTHORIZATION", "Bearer k",
		"HTTP_AUTHENTICATION", "t", "CONTENT_TYPE", "", "HTTP_REFERER", "r", "HTTP_USER_AGENT", "u",
		"HTTP_X_FORWARDED_FOR", "192.0.2.1", "REMOTE_ADDR", "192.0.2.2", NULL };
	assert_int_equal(http_request_init(&request, pool, get, environment, SLICE("")), RESULT_OK);
	assert_slice(request.authorization, "Bearer k");
	assert_slice(request.authentication, "t");
	assert_false(slice_present(request.content_type));
	assert_slice(request.referer, "r");
	assert_slice(request.user_agent, "u");
	assert_slice(request.forwarded_for, "192.0.2.1");
	assert_slice(request.remote_addr, "192.0.2.2");
	const char *both[] = { "REQUEST_URI", "/", "HTTP_AUTHORIZATION", "own", "REDIRECT_HTTP_AUTHORIZATION", "other", NULL };
	struct slice first_id = request.request_id;
	assert_int_equal(http_request_init(&request, pool, get, both, SLICE("")), RESULT_OK);
	assert_slice(request.authorization, "own");
	assert_false(slice_equal(request.request_id, first_id));
}

static void
trailing_slashes_are_noted(void **state)
{
	(void)state;
	static const struct {
		const char *uri;
		bool noted;
	} cases[] = { { "/v2/7", false }, { "/v2/7/", true }, { "/v2/7//?a", true }, { "/v2/7?a=/", false }, { "/", true } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(start("", cases[i].uri), RESULT_OK);
		assert_int_equal(request.trailing_slash, cases[i].noted);
	}
	const char *decoded[] = { "SCRIPT_NAME", "/v2", "PATH_INFO", "/7/", NULL };
	assert_int_equal(http_request_init(&request, pool, get, decoded, SLICE("")), RESULT_OK);
	assert_true(request.trailing_slash);
}

/* RFC 9110, 12.5.3. Nothing may be read after the last byte of a value. */
static void
gzip_is_accepted_unless_it_is_refused(void **state)
{
	(void)state;
	static const struct {
		struct slice value;
		bool accepted;
	} cases[] = { { SLICE("gzip"), true }, { SLICE("br, GZIP ; q=0.5"), true }, { SLICE("gzip;q=1"), true },
		{ SLICE("gzip;q=0.001"), true }, { SLICE("gzip;level=1"), true }, { SLICE("gzip;q=0"), false },
		{ SLICE("gzip; Q=0.000"), false }, { SLICE("gzip;level=1;q=0."), false }, { SLICE("gzip;q="), false },
		{ SLICE("identity"), false }, { SLICE("x-gzip"), false }, { SLICE("gzi"), false }, { SLICE(";q=0"), false } };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct slice value = cases[i].value;
		const struct http_request sent = { .accept_encoding = { pages + page - value.size, value.size } };
		memcpy(pages + page - value.size, value.data, value.size);
		assert_int_equal(http_accepts_gzip(&sent), cases[i].accepted);
	}
	assert_false(http_accepts_gzip(&(struct http_request){ .method = HTTP_GET }));
	munmap(pages, 2 * page);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(paths_are_split_and_then_decoded, begin, end),
		cmocka_unit_test_setup_teardown(dangerous_paths_are_not_found, begin, end),
		cmocka_unit_test_setup_teardown(a_target_in_pieces_is_joined, begin, end),
		cmocka_unit_test_setup_teardown(script_name_and_path_info_are_a_fallback, begin, end),
		cmocka_unit_test_setup_teardown(methods_are_case_sensitive, begin, end),
		cmocka_unit_test_setup_teardown(headers_are_copied_and_empty_ones_are_absent, begin, end),
		cmocka_unit_test_setup_teardown(trailing_slashes_are_noted, begin, end),
		cmocka_unit_test(gzip_is_accepted_unless_it_is_refused),
	};
	return cmocka_run_group_tests_name("http/request", tests, NULL, NULL);
}
