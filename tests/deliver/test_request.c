/* SPDX-License-Identifier: MIT
 * What is sent for a delivery (delivery.md 2). */
#include "unit.h"
#include "with_pool.h"

#include "deliver/request.h"

#define SECRET "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static const struct due_delivery usual = {
	.url = SLICE("https://hooks.example/in"),
	.secret = SLICE(SECRET),
	.message_id = SLICE("msg_1"),
	.payload = SLICE("{\"id\":1,\"tags\":[]}"),
};

static void
headers_and_body_are_those_of_the_format(void **state UNUSED)
{
	struct due_delivery delivery = usual;
	struct attempt attempt;
	assert_true(request_make(pool, &delivery, 1700000000999, &attempt));
	assert_string_equal(attempt.url, "https://hooks.example/in");
	assert_slice(attempt.body, "{\"id\":1,\"tags\":[]}");
	assert_int_equal(attempt.header_count, 4);
	assert_slice(attempt.headers[0], "Content-Type: application/json");
	assert_slice(attempt.headers[1], "webhook-id: msg_1");
	assert_slice(attempt.headers[2], "webhook-timestamp: 1700000000");
	assert_true(slice_starts_with(attempt.headers[3], SLICE("webhook-signature: v1,")));
	delivery.form = true;
	assert_true(request_make(pool, &delivery, 0, &attempt));
	assert_slice(attempt.headers[0], "Content-Type: application/x-www-form-urlencoded");
	assert_slice(attempt.body, "id=1");
}

/* 1: the typed URL is what is stored; libcurl would read other bytes than ASCII by the locale's charset. */
static void
a_url_is_dialled_in_ascii(void **state UNUSED)
{
	struct due_delivery delivery = usual;
	struct attempt attempt;
	delivery.url = SLICE("http://ex\xc3\xa4mple.org:8080/\xc3\xa4?\xc3\xb6=1#\xc3\xbc");
	assert_true(request_make(pool, &delivery, 0, &attempt));
	assert_string_equal(attempt.url, "http://xn--exmple-cua.org:8080/%C3%A4?%C3%B6=1");
}

static void
what_is_broken_is_not_sent(void **state UNUSED)
{
	struct due_delivery no_url = usual, no_secret = usual, no_payload = usual;
	struct attempt attempt;
	no_url.url = SLICE("http://ann@hooks.example/");
	no_secret.secret = SLICE("whsec_");
	no_payload.payload = SLICE("[]");
	no_payload.form = true;
	assert_false(request_make(pool, &no_url, 0, &attempt));
	assert_false(request_make(pool, &no_secret, 0, &attempt));
	assert_false(request_make(pool, &no_payload, 0, &attempt));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_and_body_are_those_of_the_format),
		cmocka_unit_test(a_url_is_dialled_in_ascii),
		cmocka_unit_test(what_is_broken_is_not_sent),
	};
	return cmocka_run_group_tests_name("request", tests, begin, end);
}
