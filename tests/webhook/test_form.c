/* SPDX-License-Identifier: MIT
 * The form body of a payload (docs/deliveries.md 2, `form`). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "webhook/form.h"

static void
payloads_become_forms(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "{}", "" },
		{ "{\"id\":7}", "id=7" },
		{ "{\"a\":1.50,\"b\":-3e2,\"c\":12345678901234567890}", "a=1.50&b=-3e2&c=12345678901234567890" },
		{ "{\"verified\":true,\"fraudulent\":false,\"uid\":null}", "verified=true&fraudulent=false&uid=" },
		{ "{\"custom_fields\":{\"plan\":\"x\"}}", "custom_fields%5Bplan%5D=x" },
		{ "{\"tags\":[{\"tag_id\":1,\"name\":\"x\"},{\"name\":\"y\"}]}",
		    "tags%5B0%5D%5Btag_id%5D=1&tags%5B0%5D%5Bname%5D=x&tags%5B1%5D%5Bname%5D=y" },
		{ "{\"completed_actions\":[3,4],\"z\":\"\"}", "completed_actions%5B0%5D=3&completed_actions%5B1%5D=4&z=" },
		/* "empty arrays and objects are left out" */
		{ "{\"a\":[],\"b\":{},\"c\":{\"d\":[]},\"e\":1}", "e=1" },
		{ "{\"a\":[[],[1],{}, 2]}", "a%5B1%5D%5B0%5D=1&a%5B3%5D=2" },
		{ "{\"email\":\"a+b@mail.example\"}", "email=a%2Bb%40mail.example" },
		{ "{\"n\":\"A & B = C;\\u00e4\\n\"}", "n=A%20%26%20B%20%3D%20C%3B%C3%A4%0A" },
		{ "{\"a b\":{\"c&d\":1}}", "a%20b%5Bc%26d%5D=1" },
		{ "{\"a\":{\"\":1}}", "a%5B%5D=1" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice body;
		if (!form_encode(pool, slice_of(cases[i][0]), FORM_NUMBERED, &body))
			fail_msg("refused: %s", cases[i][0]);
		if (!slice_equal(body, slice_of(cases[i][1])))
			fail_msg("%s: %.*s", cases[i][0], SLICE_ARGS(body));
	}
}

/* docs/deliveries.md 2.2: with `compat`, plain values in arrays have no number. */
static void
arrays_may_have_empty_brackets(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "{\"id\":7,\"a\":{\"b\":1}}", "id=7&a%5Bb%5D=1" },
		{ "{\"completed_actions\":[3,4],\"z\":\"\"}", "completed_actions%5B%5D=3&completed_actions%5B%5D=4&z=" },
		{ "{\"custom_fields\":{\"colors\":[\"a b\",true,null]}}",
		    "custom_fields%5Bcolors%5D%5B%5D=a%20b&custom_fields%5Bcolors%5D%5B%5D=true&custom_fields%5Bcolors%5D%5B%"
		    "5D=" },
		{ "{\"tags\":[{\"tag_id\":1,\"name\":\"x\"},{\"name\":\"y\"}]}",
		    "tags%5B0%5D%5Btag_id%5D=1&tags%5B0%5D%5Bname%5D=x&tags%5B1%5D%5Bname%5D=y" },
		{ "{\"a\":[[1,2],[3],[]]}", "a%5B0%5D%5B%5D=1&a%5B0%5D%5B%5D=2&a%5B1%5D%5B%5D=3" },
		{ "{\"a\":[],\"b\":1}", "b=1" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice body;
		assert_true(form_encode(pool, slice_of(cases[i][0]), FORM_UNNUMBERED, &body));
		if (!slice_equal(body, slice_of(cases[i][1])))
			fail_msg("%s: %.*s", cases[i][0], SLICE_ARGS(body));
	}
}

static void
other_texts_are_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "", "[]", "1", "null", "\"x\"", "[{\"a\":1}]", "{\"a\":1", "{\"a\":1} x",
		"{a:1}" };
	struct slice body = SLICE("untouched");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (form_encode(pool, slice_of(wrong[i]), i % 2 == 0 ? FORM_UNNUMBERED : FORM_NUMBERED, &body))
			fail_msg("taken: %s", wrong[i]);
	assert_slice(body, "untouched");
}

static bool
encode_nested(size_t depth)
{
	struct slice body;
	char text[4 * FORM_DEPTH_MAX] = "{\"a\":";
	size_t size = strlen(text);
	memset(text + size, '[', depth - 1);
	memset(text + size + depth - 1, ']', depth - 1);
	text[size + 2 * (depth - 1)] = '}';
	return form_encode(pool, slice_of(text), FORM_NUMBERED, &body);
}

static void
depth_has_a_limit(void **state UNUSED)
{
	assert_true(encode_nested(FORM_DEPTH_MAX));
	assert_false(encode_nested(FORM_DEPTH_MAX + 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payloads_become_forms),
		cmocka_unit_test(arrays_may_have_empty_brackets),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(depth_has_a_limit),
	};
	return cmocka_run_group_tests_name("webhook/form", tests, begin, end);
}
