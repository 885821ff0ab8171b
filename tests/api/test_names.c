/* SPDX-License-Identifier: MIT
 * docs/api.md 1.1, 1.6: how a name is read, for each name of the table of parameters, and for names that differ a little. */
#include "unit.h"

#include <string.h>

#include "api/parameters.h"
#include "with_pool.h"

static bool
has(const struct parameter *parameter, struct slice name)
{
	const bool exact = slice_starts_with(name, SLICE("_"));
	for (size_t i = 0; parameter_has_name(parameter, i); i++)
		if (exact ? slice_equal(parameter->names[i], name) : slice_equal_nocase(parameter->names[i], name))
			return true;
	return false;
}

/* What the first row with the name says. */
static enum http_name_kind
kind_by_rows(struct slice name)
{
	size_t count;
	const struct parameter *rows = api_parameters(&count);
	for (size_t i = 0; i < count; i++)
		if (has(&rows[i], name))
			return (rows[i].flags & PARAMETER_INFORMS) != 0      ? HTTP_NAME_INFORMS
			       : (rows[i].flags & PARAMETER_STRUCTURED) != 0 ? HTTP_NAME_FIELD
									     : HTTP_NAME_PARAMETER;
	if (slice_starts_with(name, SLICE("_")))
		return HTTP_NAME_DROPPED;
	return slice_starts_with_nocase(name, SLICE("utm_")) ? HTTP_NAME_OPTIONAL : HTTP_NAME_FIELD;
}

static struct http_names
names_of_call(void)
{
	static const struct route route = { .method = HTTP_POST, .path = "v2/{campaign}/points" };
	struct http_request request = { .pool = pool };
	const struct call call = { .route = &route, .request = &request };
	return call_names(&call);
}

static void
assert_kind(const struct http_names *names, struct slice name)
{
	if (names->kind_of(name) != kind_by_rows(name))
		fail_msg("%.*s", SLICE_ARGS(name));
}

static void
a_name_is_read_as_the_table_says(void **state UNUSED)
{
	const struct http_names names = names_of_call();
	size_t count, seen = 0;
	const struct parameter *rows = api_parameters(&count);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; parameter_has_name(&rows[i], k); k++, seen++) {
			const struct slice name = rows[i].names[k];
			char *other = pool_string(pool, name);
			assert_kind(&names, name);
			assert_true(names.kind_of(name) != HTTP_NAME_DROPPED);
			assert_kind(&names, POOL_JOIN(pool, name, SLICE("x")));
			assert_kind(&names, slice_sub(name, 0, name.size - 1));
			other[0] = (char)(other[0] ^ 0x20); /* the other case, or a character with the same low bits */
			assert_kind(&names, slice_of(other));
			other[0] = (char)(other[0] ^ 0x60);
			assert_kind(&names, slice_of(other));
			other[0] = (char)0xff;
			assert_kind(&names, slice_of(other));
		}
	assert_true(seen > 50);
}

static void
any_name_can_be_looked_up(void **state UNUSED)
{
	const struct http_names names = names_of_call();
	char text[300];
	for (int c = 0; c < 256; c++)
		for (size_t size = 0; size <= sizeof(text); size++) {
			memset(text, c, sizeof(text));
			assert_kind(&names, (struct slice){ text, size });
		}
	assert_int_equal(names.kind_of(SLICE("EMAIL")), HTTP_NAME_PARAMETER);
	assert_int_equal(names.kind_of(SLICE("__REF")), HTTP_NAME_DROPPED);
	assert_int_equal(names.kind_of(SLICE("__ref")), HTTP_NAME_INFORMS);
	assert_int_equal(names.kind_of(SLICE("Utm_x")), HTTP_NAME_OPTIONAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_is_read_as_the_table_says, begin, end),
		cmocka_unit_test_setup_teardown(any_name_can_be_looked_up, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
