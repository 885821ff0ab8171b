/* SPDX-License-Identifier: MIT
 * docs/api.md 1.1, 1.6, 4.4: how the values of a name are read, on a sign-up and on other calls. */
#include "unit.h"

#include <string.h>

#include "api/call/param_names.h"
#include "webhook/mapping.h"
#include "with_pool.h"

static struct http_names
names_of(const char *path, unsigned flags)
{
	const struct route route = { .method = HTTP_POST, .path = path, .flags = flags };
	return param_names(&route);
}

static struct http_names
names_of_signup(void)
{
	return names_of("v2/{campaign}", ROUTE_FIELDS);
}

static struct http_names
names_of_points(void)
{
	return names_of("v2/{campaign}/points", ROUTE_BULK);
}

static void
a_name_is_read_by_the_call(void **state UNUSED)
{
	enum { PARAMETER = HTTP_NAME_PARAMETER, FIELD = HTTP_NAME_FIELD, INFORMS = HTTP_NAME_INFORMS };
	enum { OPTIONAL = HTTP_NAME_OPTIONAL, DROPPED = HTTP_NAME_DROPPED };
	static const struct {
		const char *name;
		int signup, other;
	} cases[] = {
		{ "email", PARAMETER, PARAMETER },
		{ "EMAIL", PARAMETER, PARAMETER },
		{ "emai", FIELD, FIELD },
		{ "emailx", FIELD, FIELD },
		{ "\x05mail", FIELD, FIELD },
		{ "phone_number", PARAMETER, PARAMETER },
		{ "country_code", PARAMETER, PARAMETER },
		{ "api_key", PARAMETER, PARAMETER },
		{ "campaignId", PARAMETER, PARAMETER },
		{ "__lid", PARAMETER, PARAMETER },
		{ "points", PARAMETER, PARAMETER },
		{ "must_exist", PARAMETER, PARAMETER },
		{ "redirect_url", PARAMETER, PARAMETER },
		{ "kolid", DROPPED, DROPPED },
		{ "Action", DROPPED, DROPPED },
		{ "skip_ar", DROPPED, DROPPED },
		{ "__uid", PARAMETER, PARAMETER },
		{ "__UID", DROPPED, DROPPED },
		{ "__skip_urls", PARAMETER, PARAMETER },
		{ "ip", INFORMS, INFORMS },
		{ "__url", INFORMS, INFORMS },
		{ "__ref", INFORMS, INFORMS },
		{ "__REF", DROPPED, DROPPED },
		{ "referrer", INFORMS, INFORMS },
		{ "__source", INFORMS, INFORMS },
		{ "__custom", DROPPED, DROPPED },
		{ "_", DROPPED, DROPPED },
		{ "utm_source", OPTIONAL, OPTIONAL },
		{ "Utm_x", OPTIONAL, OPTIONAL },
		{ "utm", FIELD, FIELD },
		{ "plan", FIELD, FIELD },
		{ "", DROPPED, DROPPED },
		{ "utm_source[a]", DROPPED, DROPPED },
		{ "\xff", FIELD, FIELD },
		/* names of leads and tags, which look as if they had an effect */
		{ "emails", PARAMETER, PARAMETER },
		{ "social_ids", PARAMETER, PARAMETER },
		{ "tag", PARAMETER, PARAMETER },
		{ "tag_ids", PARAMETER, PARAMETER },
		/* names of other calls, which are fields of a sign-up */
		{ "message", FIELD, PARAMETER },
		{ "url", FIELD, PARAMETER },
		{ "event", FIELD, PARAMETER },
		{ "name", FIELD, PARAMETER },
		{ "password", FIELD, PARAMETER },
		{ "code", FIELD, PARAMETER },
		{ "limit", FIELD, PARAMETER },
		{ "channel", FIELD, PARAMETER },
		{ "data", FIELD, FIELD },
	};
	static const struct {
		const char *name;
		enum http_name_kind kind;
	} members[] = { { "plan", HTTP_NAME_FIELD }, { "message", HTTP_NAME_FIELD }, { "email", HTTP_NAME_DROPPED },
		{ "Points", HTTP_NAME_DROPPED }, { "action", HTTP_NAME_DROPPED }, { "_x", HTTP_NAME_DROPPED },
		{ "UTM_source", HTTP_NAME_DROPPED }, { "", HTTP_NAME_DROPPED }, { "referrer", HTTP_NAME_DROPPED } };
	const struct http_names signup = names_of_signup(), other = names_of_points();
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (signup.kind_of_member(slice_of(members[i].name)) != members[i].kind)
			fail_msg("custom_fields[%s]", members[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct slice name = slice_of(cases[i].name);
		if ((int)signup.kind_of(name) != cases[i].signup || (int)other.kind_of(name) != cases[i].other)
			fail_msg("%s: %d, %d", cases[i].name, (int)signup.kind_of(name), (int)other.kind_of(name));
	}
}

/* Names are looked up by their first letter and size: every row must be found in that way. */
static void
every_name_of_the_table_is_found(void **state UNUSED)
{
	const struct http_names names = names_of_points();
	size_t seen = 0;
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; param_has_name(&param_table[i], k); k++, seen++) {
			const bool structured = (param_table[i].flags & PARAM_STRUCTURED) != 0,
				   ignored = param_table[i].groups == GROUP_IGNORED;
			const enum http_name_kind kind = names.kind_of(param_table[i].names[k]);
			if ((kind == HTTP_NAME_DROPPED) != ignored || (kind == HTTP_NAME_FIELD) != structured)
				fail_msg("%.*s", SLICE_ARGS(param_table[i].names[k]));
		}
	assert_true(seen > 50);
}

static void
any_name_can_be_looked_up(void **state UNUSED)
{
	const struct http_names names = names_of_signup();
	char text[300];
	for (int c = 0; c < 256; c++)
		for (size_t size = 0; size <= sizeof(text); size++) {
			memset(text, c, sizeof(text));
			const enum http_name_kind kind = names.kind_of((struct slice){ text, size });
			assert_int_equal(kind, c == '_' || size == 0 ? HTTP_NAME_DROPPED : HTTP_NAME_FIELD);
		}
}

/* docs/inbound.md 3: a map may name exactly these parameters of the table. */
static void
maps_have_the_parameters_of_a_signup(void **state UNUSED)
{
	const unsigned mapped = GROUP_SIGNUP | GROUP_SIGNUP_POINTS;
	size_t names = 0;
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; param_has_name(&param_table[i], k); k++) {
			const struct slice name = param_table[i].names[k];
			char *upper = pool_string(pool, name);
			upper[name.size - 1] = ascii_upper(upper[name.size - 1]);
			if ((param_table[i].groups & GROUPS_RESERVED) == 0)
				continue;
			if ((mapping_check(name, SLICE("a")) == NULL) != ((param_table[i].groups & mapped) != 0))
				fail_msg("%.*s", SLICE_ARGS(name));
			if (mapping_check(slice_of(upper), SLICE("a")) == NULL)
				fail_msg("%s", upper);
			names++;
		}
	assert_true(names > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_is_read_by_the_call, begin, end),
		cmocka_unit_test_setup_teardown(every_name_of_the_table_is_found, begin, end),
		cmocka_unit_test_setup_teardown(any_name_can_be_looked_up, begin, end),
		cmocka_unit_test_setup_teardown(maps_have_the_parameters_of_a_signup, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
