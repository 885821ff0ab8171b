/* SPDX-License-Identifier: MIT
 * The HTTP request of a delivery (docs/deliveries.md 2). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "deliver/send/delivery_request.h"

#define SECRET "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static const struct destination there = { .url = SLICE("https://hooks.example/in"), .secret = SLICE(SECRET) };
static const struct due_delivery usual = {
	.destination = &there,
	.message_id = SLICE("msg_1"),
	.payload = SLICE("{\"id\":1,\"tags\":[]}"),
};

static void
headers_and_body_follow_the_format(void **state UNUSED)
{
	struct due_delivery delivery = usual;
	struct attempt attempt;
	memset(&attempt, 0xff, sizeof(attempt)); /* nothing of this may remain */
	assert_true(delivery_request_make(pool, &delivery, 1700000000999, &attempt));
	assert_false(attempt.by_get);
	assert_string_equal(attempt.url, "https://hooks.example/in");
	assert_slice(attempt.body, "{\"id\":1,\"tags\":[]}");
	assert_int_equal(attempt.header_count, 4);
	assert_slice(attempt.headers[0], "Content-Type: application/json");
	assert_slice(attempt.headers[1], "webhook-id: msg_1");
	assert_slice(attempt.headers[2], "webhook-timestamp: 1700000000");
	assert_true(slice_starts_with(attempt.headers[3], SLICE("webhook-signature: v1,")));
	delivery.form = true;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_slice(attempt.headers[0], "Content-Type: application/x-www-form-urlencoded");
	assert_slice(attempt.body, "id=1");
	delivery.payload = SLICE("{\"list\":[1,2]}");
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_slice(attempt.body, "list%5B0%5D=1&list%5B1%5D=2");
	delivery.form_brackets = true;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_slice(attempt.body, "list%5B%5D=1&list%5B%5D=2");
	delivery.form = false;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_slice(attempt.body, "{\"list\":[1,2]}");
}

/* docs/deliveries.md 2, Headers: during a rotation there are both signatures, the new one first. */
static void
a_rotation_has_two_signatures(void **state UNUSED)
{
	struct due_delivery delivery = usual;
	struct destination destination = there, old = there;
	struct attempt attempt, by_old;
	delivery.destination = &old;
	old.secret = SLICE("whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB");
	assert_true(delivery_request_make(pool, &delivery, 0, &by_old));
	destination.previous_secret = old.secret;
	delivery.destination = &there;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	struct slice both = pool_printf(pool, "%.*s%.*s", SLICE_ARGS(attempt.headers[3]),
	    SLICE_ARGS(slice_sub(by_old.headers[3], strlen("webhook-signature:"), SIZE_MAX)));
	delivery.destination = &destination;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_true(slice_equal(attempt.headers[3], both));
}

/* docs/deliveries.md 2, TLS: CA file and client certificate per webhook. */
static void
a_destination_has_its_own_certificates(void **state UNUSED)
{
	struct due_delivery delivery = usual;
	struct destination destination = there;
	struct attempt attempt;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_true(attempt.ca_file == NULL && attempt.client_certificate == NULL && attempt.client_key == NULL);
	destination.ca_file = SLICE("/ca");
	destination.client_certificate = SLICE("/certificate");
	destination.client_key = SLICE("/key");
	delivery.destination = &destination;
	assert_true(delivery_request_make(pool, &delivery, 0, &attempt));
	assert_string_equal(attempt.ca_file, "/ca");
	assert_string_equal(attempt.client_certificate, "/certificate");
	assert_string_equal(attempt.client_key, "/key");
}

static void
invalid_deliveries_are_not_sent(void **state UNUSED)
{
	struct due_delivery no_url = usual, no_secret = usual, no_payload = usual, missing = usual;
	struct attempt attempt;
	struct destination bad_url = there, bad_secret = there;
	bad_url.url = SLICE_NONE; /* it is invalid */
	bad_secret.secret = SLICE("whsec_");
	no_url.destination = &bad_url;
	no_secret.destination = &bad_secret;
	no_payload.payload = SLICE("[]");
	no_payload.form = true;
	missing.payload = SLICE_NONE; /* the row of its event is missing */
	assert_false(delivery_request_make(pool, &no_url, 0, &attempt));
	assert_false(delivery_request_make(pool, &no_secret, 0, &attempt));
	assert_false(delivery_request_make(pool, &no_payload, 0, &attempt));
	assert_false(delivery_request_make(pool, &missing, 0, &attempt));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_and_body_follow_the_format),
		cmocka_unit_test(a_rotation_has_two_signatures),
		cmocka_unit_test(a_destination_has_its_own_certificates),
		cmocka_unit_test(invalid_deliveries_are_not_sent),
	};
	return cmocka_run_group_tests_name("deliver/send/delivery_request", tests, begin, end);
}
