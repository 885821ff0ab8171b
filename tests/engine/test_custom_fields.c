/* SPDX-License-Identifier: MIT
 * Names of custom fields (docs/api.md 4.4); test_decide.c tests the fields. */
#include "unit.h"
#include "with_pool.h"

#include <stdlib.h>
#include <string.h>

#include "engine/custom_fields.h"

/* "lower case, nothing else changed" */
static void
names_become_lower_case_in_every_script(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "plan", "plan" },
		{ "Favourite Color!", "favourite color!" },
		{ "N\xc3\x84ME", "n\xc3\xa4me" },
		{ "\xd0\x98\xd0\xbc\xd1\x8f", "\xd0\xb8\xd0\xbc\xd1\x8f" },
		{ "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8" },
		/* no language: no dotless i as in Turkish */
		{ "PLAN I", "plan i" },
		/* not normalised: a letter and its accent stay two characters */
		{ "A\xcc\x88 \xef\xac\x81", "a\xcc\x88 \xef\xac\x81" },
		/* KELVIN SIGN is a letter k: "\u212aid" and "kid" are the same name */
		{ "\xe2\x84\xaaID", "kid" },
		/* no lower case */
		{ "\xe5\x90\x8d\xe5\x89\x8d", "\xe5\x90\x8d\xe5\x89\x8d" },
		{ "stra\xc3\x9f\x65", "stra\xc3\x9f\x65" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice name = custom_field_name(pool, slice_of(cases[i][0]));
		assert_slice(name, cases[i][1]);
		assert_slice(custom_field_name(pool, name), cases[i][1]);
	}
}

/* LATIN CAPITAL LETTER A WITH STROKE has two bytes, its lower case three. */
static void
a_name_may_become_longer(void **state UNUSED)
{
	assert_slice(custom_field_name(pool, SLICE("\xc8\xba\xc8\xba")), "\xe2\xb1\xa5\xe2\xb1\xa5");
}

/* Texts of stored objects, found with and without a parser. */
static void
texts_of_stored_objects_are_found(void **state UNUSED)
{
	static const struct {
		struct slice json, name, other;
	} cases[] = {
		{ SLICE_NONE, SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\"}"), SLICE("Ada"), SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\",\"other\":\"x, y}\"}"), SLICE("Ada"), SLICE("x, y}") },
		{ SLICE("{\"a\":[\"],\",1,null],\"b\":-1.5e3,\"c\":true,\"other\":\"[\",\"d\":[]}"), SLICE_NONE, SLICE("[") },
		{ SLICE("{\"name\":\"\",\"other\":\":\"}"), SLICE_NONE, SLICE(":") },
		{ SLICE("{\"name\":7,\"other\":[\"x\"]}"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"my name\":\"Ada\",\"name \":\"Bob\",\"\":\"other\"}"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"x\":\"name\",\"name\":\"other\",\"other\":null}"), SLICE("other"), SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\",\"name\":\"Bob\"}"), SLICE("Ada"), SLICE_NONE },
		/* escaped, or not in the form that is written */
		{ SLICE("{\"name\":\"A\\\"d\\u0061\",\"other\":\"\\\\\"}"), SLICE("A\"da"), SLICE("\\") },
		{ SLICE("{\"n\\u0061me\":\"Ada\"}"), SLICE("Ada"), SLICE_NONE },
		{ SLICE(" {\"name\":\"Ada\"}"), SLICE("Ada"), SLICE_NONE },
		{ SLICE("{ \"name\" : \"Ada\" , \"other\" : [ \"x\" ] }"), SLICE("Ada"), SLICE_NONE },
		{ SLICE("{\"other\": \"x,\",\"name\":\"Ada\"}\n"), SLICE("Ada"), SLICE("x,") },
		{ SLICE("{\"a\":[1, \"]\"],\"name\":\"Ada\"}"), SLICE("Ada"), SLICE_NONE },
		{ SLICE("{\"a\":\n[],\"name\":\"Ada\"}"), SLICE("Ada"), SLICE_NONE },
		/* not an object of scalars and arrays */
		{ SLICE(""), SLICE_NONE, SLICE_NONE },
		{ SLICE("{}"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{"), SLICE_NONE, SLICE_NONE },
		{ SLICE("[\"name\",\"Ada\"]"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\""), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\"}}"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\",}"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\""), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\",\"a\":[\"x"), SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"name\":\"Ada\";\"a\":1}"), SLICE_NONE, SLICE_NONE },
	};
	static const struct slice names[] = { SLICE("name"), SLICE("other") };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice texts[ARRAY_SIZE(names)];
		/* a copy, so that a sanitizer reports reads beyond its end */
		struct slice json = cases[i].json;
		char *copy = memory_alloc(json.size);
		if (slice_present(json))
			json.data = memcpy(copy, json.data, json.size);
		custom_fields_texts(pool, json, names, ARRAY_SIZE(names), texts);
		assert_slices_equal(texts[0], cases[i].name);
		assert_slices_equal(texts[1], cases[i].other);
		assert_int_equal(slice_present(texts[0]), cases[i].name.size > 0);
		assert_int_equal(slice_present(texts[1]), cases[i].other.size > 0);
		free(copy);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_lower_case_in_every_script),
		cmocka_unit_test(a_name_may_become_longer),
		cmocka_unit_test(texts_of_stored_objects_are_found),
	};
	return cmocka_run_group_tests_name("custom_fields", tests, begin, end);
}
