/* SPDX-License-Identifier: MIT
 * The name of a JSONP callback (docs/api.md 4.1): a name that matches [A-Za-z_$][\w$.]{0,63} gets the answer, an empty one is
 * ignored, and any other one gets no script. */
#include "answer_rules.h"
#include "api/fake_service.h"
#include "api/fake_store.h"
#include "base/encode.h"
#include "http/http_text.h"

enum { NAME_MAX_BYTES = 64, TARGET_MAX = 64 * 1024 };

static bool
is_name(struct slice name)
{
	const struct slice firsts = SLICE("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$"),
			   rest = SLICE("0123456789.");
	for (size_t i = 0; i < name.size; i++) {
		bool fits = slice_find(firsts, name.data[i]) < firsts.size;
		if (!fits && (i == 0 || slice_find(rest, name.data[i]) == rest.size))
			return false;
	}
	return name.size >= 1 && name.size <= NAME_MAX_BYTES;
}

/* The name cleaned like a value; absent when nothing is left, or it is too long. */
static struct slice
value_of(struct pool *pool, struct slice name)
{
	const struct slice value = http_text_clean(pool, name);
	return value.size > HTTP_CAPS_DEFAULT.value_bytes || value.size == 0 ? SLICE_NONE : value;
}

static void
request_info(struct fake_service *service, struct slice name, const char *query, struct http_request *request,
    struct http_response *response)
{
	struct fake_environment environment = { .count = 0 };
	struct buffer target;
	buffer_init(&target, TARGET_MAX);
	buffer_printf(&target, "/v1/%d/info?%s&jsonp=", FAKE_CAMPAIGN, query);
	encode_percent(&target, name);
	fake_set(&environment, SLICE("REQUEST_METHOD"), SLICE("GET"));
	fake_set(&environment, SLICE("REQUEST_URI"), buffer_slice(&target));
	fake_service_call(service, &environment, request, response);
	require_answer(request, response);
	buffer_free(&target);
}

static void
require_rule(const struct http_response *response, struct slice value, unsigned status)
{
	struct slice body = buffer_slice(&response->body);
	if (slice_present(value) && is_name(value)) {
		REQUIRE(response->content == HTTP_JAVASCRIPT && response->status == status);
		REQUIRE(slice_starts_with(body, value) && body.data[value.size] == '(');
	} else {
		/* unless an earlier check refuses the call; an invalid value is an error of the request */
		REQUIRE(response->content == HTTP_JSON);
		REQUIRE(response->status == 406 || (!slice_present(value) && response->status == status));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *query;
		unsigned status; /* without a callback */
	} calls[] = { { "email=" FAKE_EMAIL, 200 }, { "email=unknown@example.org", 404 }, { "email=x", 406 } };
	struct slice name = fuzz_input(data, size < TARGET_MAX / 4 ? size : TARGET_MAX / 4);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct fake_service service;
		struct http_request request;
		struct http_response response;
		fake_service_open(&service);
		request_info(&service, name, calls[i].query, &request, &response);
		require_rule(&response, value_of(service.pool, name), calls[i].status);
		http_response_free(&response);
		fake_service_close(&service);
	}
	return 0;
}
