/* SPDX-License-Identifier: MIT
 * Names of custom fields (docs/api.md 4.4); decide.c tests the fields. */
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
		/* independent of the language: no dotless i as in Turkish */
		{ "PLAN I", "plan i" },
		/* not normalised: a letter and its accent stay two characters */
		{ "A\xcc\x88 \xef\xac\x81", "a\xcc\x88 \xef\xac\x81" },
		/* KELVIN SIGN becomes the letter k: "\u212aid" and "kid" are the same name */
		{ "\xe2\x84\xaaID", "kid" },
		/* a script without lower case */
		{ "\xe5\x90\x8d\xe5\x89\x8d", "\xe5\x90\x8d\xe5\x89\x8d" },
		{ "stra\xc3\x9f\x65", "stra\xc3\x9f\x65" },
		/* only paired brackets are kept, so that a name within brackets can be read in only one way */
		{ "A[b][]", "a[b][]" },
		{ "[[x]", "([x]" },
		{ "a]b[c", "a)b(c" },
		{ "]][a[][", "))(a[](" },
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

/* Reads texts of stored objects, with and without the parser. */
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
		/* with escapes, or not in the form that custom_fields_merge writes */
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

/* docs/api.md 1.3: the limits are four fields and 40 bytes, 24 of them for callers without a key. Braces, names, quotes, colons
 * and commas count: {"a":1,"b":2} has 13 bytes. */
static void
public_fields_give_way(void **state UNUSED)
{
	enum { PUBLIC, KEYED };
	static const struct {
		struct slice stored;
		size_t keyed;
		int by;
		struct slice sent, merged;
		size_t now_keyed, optional;
	} cases[] = {
		/* fields stored with a key come first; null removes a field, with or without a key */
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"b\":null}"), SLICE("{\"a\":1}"), 1, 0 },
		{ SLICE("{\"x\":1}"), 0, KEYED, SLICE("{\"a\":1}"), SLICE("{\"a\":1,\"x\":1}"), 1, 0 },
		{ SLICE("{\"x\":1}"), 0, KEYED, SLICE("{\"x\":2}"), SLICE("{\"x\":2}"), 1, 0 },
		{ SLICE("{\"a\":1}"), 1, PUBLIC, SLICE("{\"a\":2,\"x\":1}"), SLICE("{\"a\":2,\"x\":1}"), 0, 0 },
		{ SLICE("{\"a\":1,\"x\":1}"), 1, PUBLIC, SLICE("{\"a\":null,\"x\":null}"), SLICE_NONE, 0, 0 },
		{ SLICE("{\"a\":1}"), 65535, PUBLIC, SLICE("{\"x\":1}"), SLICE("{\"a\":1,\"x\":1}"), 1, 0 },
		/* limit on the number: the fields of the call are stored, regardless of how many were stored before */
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1,\"s\":1}"), 0, KEYED, SLICE("{\"a\":1,\"b\":1,\"c\":1}"),
		    SLICE("{\"a\":1,\"b\":1,\"c\":1,\"p\":1}"), 3, 0 },
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1}"), 0, PUBLIC, SLICE("{\"a\":1,\"b\":1}"), SLICE("{\"p\":1,\"a\":1,\"b\":1}"),
		    0, 0 },
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}"), SLICE("4 custom"), 0, 0 },
		/* keyed fields never give way to strangers; if they leave no room for those of another call with a key, the
		 * call fails */
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1,\"s\":1}"), 4, KEYED, SLICE("{\"a\":1}"), SLICE("4 custom"), 0, 0 },
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1,\"s\":1}"), 3, PUBLIC, SLICE("{\"a\":1,\"b\":1}"),
		    SLICE("{\"p\":1,\"q\":1,\"r\":1,\"a\":1}"), 3, 0 },
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1,\"s\":1}"), 4, PUBLIC, SLICE("{\"a\":1,\"q\":2}"),
		    SLICE("{\"p\":1,\"r\":1,\"s\":1,\"q\":2}"), 3, 0 },
		/* limit on bytes */
		{ SLICE("{\"x\":\"123456789\"}"), 0, PUBLIC, SLICE("{\"y\":\"12345678901234567\"}"), SLICE("24 bytes"), 0, 0 },
		{ SLICE("{\"x\":\"1234567890\"}"), 0, PUBLIC, SLICE("{\"y\":\"1234567890\"}"), SLICE("{\"y\":\"1234567890\"}"),
		    0, 0 },
		{ SLICE("{\"x\":\"1234567890123456\"}"), 0, KEYED, SLICE("{\"y\":\"12\"}"),
		    SLICE("{\"y\":\"12\",\"x\":\"1234567890123456\"}"), 1, 0 },
		{ SLICE("{\"x\":\"1234567890123456\"}"), 0, KEYED, SLICE("{\"y\":\"1234567890123\"}"),
		    SLICE("{\"y\":\"1234567890123\"}"), 1, 0 },
		{ SLICE("{\"x\":\"1234567890123456\"}"), 1, KEYED, SLICE("{\"y\":\"1234567890123\"}"), SLICE("40 bytes"), 0,
		    0 },
		/* the reported cause is that of the first field without room, even if later fields use up the number */
		{ SLICE("{\"p\":\"12345\",\"q\":1}"), 2, KEYED, SLICE("{\"y\":\"1234567890123456\",\"a\":1,\"b\":1}"),
		    SLICE("40 bytes"), 0, 0 },
		{ SLICE("{\"a\":\"12345678901234567890123456789012\"}"), 1, PUBLIC, SLICE("{\"x\":1}"),
		    SLICE("{\"a\":\"12345678901234567890123456789012\"}"), 1, 0 },
		/* if a stranger's change does not fit, the keyed value stays */
		{ SLICE("{\"a\":\"123456789012345678901\",\"b\":12}"), 2, PUBLIC, SLICE("{\"b\":\"1234567\"}"),
		    SLICE("{\"a\":\"123456789012345678901\",\"b\":12}"), 2, 0 },
		/* only optional fields, which come last, are left out, with or without a key (docs/api.md 1.4) */
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}"),
		    SLICE("{\"a\":1,\"b\":1,\"c\":1,\"d\":1}"), 2, 3 },
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"x\":\"12345678901234567890\"}"), SLICE("{\"a\":1}"), 1, 1 },
		/* optional fields give way like a stranger's, and replace only a stranger's */
		{ SLICE("{\"p\":1,\"q\":1}"), 0, KEYED, SLICE("{\"a\":1,\"b\":1,\"x\":1}"),
		    SLICE("{\"a\":1,\"b\":1,\"p\":1,\"x\":1}"), 2, 1 },
		{ SLICE("{\"p\":1,\"q\":1}"), 1, KEYED, SLICE("{\"p\":2,\"q\":2}"), SLICE("{\"p\":1,\"q\":2}"), 1, 2 },
		{ SLICE("{\"p\":1,\"q\":1}"), 1, PUBLIC, SLICE("{\"p\":2,\"q\":2}"), SLICE("{\"p\":1,\"q\":2}"), 1, 2 },
		{ SLICE_NONE, 0, PUBLIC, SLICE("{\"a\":\"1234567890123456\",\"x\":2}"), SLICE("{\"a\":\"1234567890123456\"}"),
		    0, 1 },
		/* an optional field is left out if its name is already in the call */
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"a\":2}"), SLICE("{\"a\":1}"), 1, 1 },
		{ SLICE_NONE, 0, KEYED, SLICE("{\"a\":1,\"a\":2}"), SLICE("{\"a\":2}"), 0, 2 },
		{ SLICE_NONE, 0, PUBLIC, SLICE("{\"a\":1,\"b\":1,\"a\":2}"), SLICE("{\"a\":1,\"b\":1}"), 0, 1 },
		{ SLICE("{\"p\":1,\"q\":1,\"r\":1}"), 3, KEYED, SLICE("{\"a\":1,\"x\":1}"),
		    SLICE("{\"p\":1,\"q\":1,\"r\":1,\"a\":1}"), 4, 1 },
	};
	static const struct custom_field_limits limits = { 4, 40, 24 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct custom_fields sent = custom_fields_read(pool, cases[i].sent);
		for (size_t k = 0; k < sent.count; k++)
			if (slice_equal(sent.items[k].json, SLICE("null")))
				sent.items[k].json = SLICE_NONE;
		const struct stored_fields stored = { cases[i].stored, cases[i].keyed };
		const struct custom_field_changes changes = { sent.items, sent.count, cases[i].optional, cases[i].by == KEYED };
		struct stored_fields merged;
		struct slice problem;
		if (!custom_fields_merge(pool, &stored, &changes, &limits, &merged, &problem)) {
			assert_non_null(strstr(problem.data, cases[i].merged.data));
			continue;
		}
		assert_slices_equal(merged.json, cases[i].merged);
		assert_int_equal(merged.keyed, cases[i].now_keyed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_lower_case_in_every_script),
		cmocka_unit_test(a_name_may_become_longer),
		cmocka_unit_test(texts_of_stored_objects_are_found),
		cmocka_unit_test(public_fields_give_way),
	};
	return cmocka_run_group_tests_name("engine/custom_fields", tests, begin, end);
}
