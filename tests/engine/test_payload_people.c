/* SPDX-License-Identifier: MIT
 * The people in payloads (docs/api.md 4.7). */
#include "unit.h"

#include "engine/payload_people.h"

static void
expect(struct slice text, const char *expected)
{
	assert_string_equal(slice_present(text) ? text.data : "(absent)", expected);
}

static void
a_payload_names_its_lead_and_the_referred_one(void **state UNUSED)
{
	struct pool *pool = pool_new();
	struct payload_people people = payload_people_read(pool,
	    SLICE("{\"id\":1,\"social_id\":\"A1\",\"email\":\"\\u0061@example.org\",\"phone_number\":"
		  "null,\"__event\":\"referral\",\"verified_email\":true,\"verified_phone_number\":false,\"claimed\":\"email\","
		  "\"__referral\":{\"social_id\":\"B2\",\"phone_number\":\"+4915112345678\"}}"));
	expect(people.lead.social_id, "A1");
	expect(people.lead.email, "a@example.org");
	expect(people.lead.phone, "(absent)");
	assert_true(people.lead.verified_email && !people.lead.verified_phone);
	expect(people.lead.claimed, "email");
	expect(people.referred.social_id, "B2");
	expect(people.referred.email, "(absent)");
	expect(people.referred.phone, "+4915112345678");
	pool_free(&pool);
}

/* Any visitor can send custom fields, so their members never identify a lead, whatever their names and depth. */
static void
members_of_custom_fields_do_not_count(void **state UNUSED)
{
	static const char *const fields[] = {
		"{\"email\":\"v@example.org\"}",
		"{\"__referral\":{\"social_id\":\"V9\",\"email\":\"v@example.org\"}}",
		"{\"x\":{\"__referral\":{\"email\":\"v@example.org\"}},\"y\":[{\"email\":\"v@example.org\"}]}",
		"\"{\\\"email\\\":\\\"v@example.org\\\"}\"",
	};
	struct pool *pool = pool_new();
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		for (unsigned last = 0; last < 2; last++) {
			const struct slice own = SLICE("\"email\":\"a@example.org\""),
					   custom = POOL_JOIN(pool, SLICE("\"custom_fields\":"), slice_of(fields[i])),
					   text = last ? POOL_JOIN(pool, SLICE("{"), own, SLICE(","), custom, SLICE("}"))
						       : POOL_JOIN(pool, SLICE("{"), custom, SLICE(","), own, SLICE("}"));
			const struct payload_people people = payload_people_read(pool, text);
			expect(people.lead.email, "a@example.org");
			expect(people.referred.email, "(absent)");
			expect(people.referred.social_id, "(absent)");
		}
	pool_free(&pool);
}

static void
other_texts_have_no_people(void **state UNUSED)
{
	static const char *const texts[] = { "", "null", "[{\"email\":\"a@example.org\"}]",
		"{\"email\":{\"email\":\"a@example.org\"}}", "{\"email\":\"a@example.org\"", "{\"email\":[\"a@example.org\"]}",
		"{\"__referral\":[\"email\",\"a@example.org\"]}" };
	struct pool *pool = pool_new();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct payload_people people = payload_people_read(pool, slice_of(texts[i]));
		expect(people.lead.email, "(absent)");
		expect(people.referred.email, "(absent)");
	}
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_payload_names_its_lead_and_the_referred_one),
		cmocka_unit_test(members_of_custom_fields_do_not_count),
		cmocka_unit_test(other_texts_have_no_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
