/* SPDX-License-Identifier: MIT
 * Leads as records of a file (leadhook(1), lead export). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/lead_writer.h"

static const struct tag tags[] = { { .id = 1, .name = SLICE("vip") }, { .id = 2, .name = SLICE("a, b") } };
static const struct action actions[] = { { .id = 7, .text = SLICE("say \"hi\"") } };
static const struct definitions definitions = { .tags = tags, .tag_count = 2, .actions = actions, .action_count = 1 };

#define OWN_HEADING                                                                                                     \
	"email,phone_number,social_id,parent_id,when,subscription_number,contest_score,verified_email,"                 \
	"verified_phone_number,claimed,opted_out,sms_opted_out,waitlisted,fraudulent,tags,completed_actions,ip,source," \
	"user_agent,uid,referrer_url,signup_url,language"

static struct lead
sample(void)
{
	return (struct lead){
		.email = SLICE("a@example.org"),
		.phone = SLICE("+4930123456"),
		.social_id = SLICE("4VNGWYKT3P"),
		.created_ms = INT64_C(1752582563000),
		.subscription_number = 4000000000,
		.score = 12,
		.verified_email = true,
		.claimed = CLAIM_PHONE,
		.tag_ids = SLICE("1,2,3"), /* 3 was removed */
		.action_ids = SLICE("7"),
		.source = SLICE("a;b"),
		.language = SLICE("de-AT"),
		.utm = SLICE("{\"source\":\"=x\"}"),
		.custom_fields = SLICE("{\"first_name\":\"A\",\"list\":[1,\"b\"],\"email\":\"x\",\"none\":null,\"size\":4.50}"),
	};
}

static void
assert_written(struct lead_writer *writer, const struct lead *lead, const char *heading, const char *record)
{
	struct buffer out;
	buffer_init(&out, 10000);
	lead_writer_heading(writer, pool, &out);
	assert_slice(buffer_slice(&out), heading);
	buffer_clear(&out);
	lead_writer_add(writer, pool, lead, &out);
	assert_slice(buffer_slice(&out), record);
	buffer_free(&out);
}

static void
csv_has_a_column_for_each_name(void **state UNUSED)
{
	const struct lead lead = sample();
	const struct lead other = { .custom_fields = SLICE("{\"zip\":\"1\",\"first_name\":\"B\"}"),
		.utm = SLICE("{\"medium\":\"m\"}") };
	struct lead_writer *writer = lead_writer_new(RECORDS_CSV, ',', &definitions, LEAD_WRITER_ANY_ROOM);
	lead_writer_add_names(writer, pool, &lead);
	lead_writer_add_names(writer, pool, &other);
	assert_written(writer, &lead, OWN_HEADING ",utm_medium,utm_source,custom_fields[email],first_name,list,size,zip\r\n",
	    "a@example.org,'+4930123456,4VNGWYKT3P,,2025-07-15T12:29:23Z,4000000000,12,true,false,phone_number,false,false,"
	    "false,false,"
	    "\"vip,\"\"a, b\"\"\",\"\"\"say \"\"\"\"hi\"\"\"\"\"\"\",,\"a;b\",,,,,de-AT,,'=x,x,A,\"[1,\"\"b\"\"]\",4.50,\r\n");
	lead_writer_free(&writer);
}

static void
ndjson_keeps_types(void **state UNUSED)
{
	const struct lead lead = sample();
	struct lead_writer *writer = lead_writer_new(RECORDS_NDJSON, ',', &definitions, LEAD_WRITER_ANY_ROOM);
	assert_written(writer, &lead, "",
	    "{\"email\":\"a@example.org\",\"phone_number\":\"+4930123456\",\"social_id\":\"4VNGWYKT3P\",\"parent_id\":null,"
	    "\"when\":\"2025-07-15T12:29:23Z\",\"subscription_number\":4000000000,\"contest_score\":12,\"verified_email\":true,"
	    "\"verified_phone_number\":false,\"claimed\":\"phone_number\",\"opted_out\":false,\"sms_opted_out\":false,"
	    "\"waitlisted\":false,\"fraudulent\":"
	    "false,"
	    "\"tags\":[\"vip\",\"a, b\"],\"completed_actions\":[\"say \\\"hi\\\"\"],\"ip\":null,\"source\":\"a;b\","
	    "\"user_agent\":null,\"uid\":null,\"referrer\":null,\"signup_url\":null,\"language\":\"de-AT\",\"utm\":{\"source\":"
	    "\"="
	    "x\"},"
	    "\"custom_fields\":{\"first_name\":\"A\",\"list\":[1,\"b\"],\"email\":\"x\",\"none\":null,\"size\":4.50}}\n");
	lead_writer_free(&writer);
}

static size_t
columns_of(struct slice heading)
{
	size_t count = 1;
	for (size_t i = 0; i < heading.size; i++)
		count += heading.data[i] == ',';
	return count;
}

static bool
has_column(struct slice heading, const char *name)
{
	struct slice cell;
	while (slice_next(&heading, ',', &cell))
		if (slice_equal(slice_trim(cell), slice_of(name)))
			return true;
	return false;
}

/* Rare fields, however many there are and whenever they occur, take no columns from frequent fields, in one file or in parts:
 * they are all in the last column. */
static void
fields_of_many_leads_have_columns(void **state UNUSED)
{
	static const size_t rooms[] = { LEAD_WRITER_ANY_ROOM, 1800 };
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		struct lead_writer *writer = lead_writer_new(RECORDS_CSV, ',', &definitions, rooms[i]);
		struct lead lead = { 0 };
		struct buffer out;
		for (unsigned k = 0; k < 4000; k++) {
			struct slice json = pool_printf(pool, "{\"made up %u\":1,\"x%u\":2,\"\u00fc%u\":3}", k, k, k);
			lead.custom_fields = k % 4 == 3 ? SLICE("{\"plan\":\"gold\",\"size\":4}") : json;
			lead.utm = k % 4 == 3 ? SLICE("{\"source\":\"x\"}") : pool_printf(pool, "{\"u%u\":\"x\"}", k);
			lead_writer_add_names(writer, pool, &lead);
			if (k % 500 == 0) { /* the next part has another writer */
				const struct slice names = lead_writer_names(writer, pool);
				struct lead_writer *next = lead_writer_new(RECORDS_CSV, ',', &definitions, rooms[i]);
				assert_true(lead_writer_set_columns(next, names));
				assert_slice(lead_writer_names(next, pool), names.data);
				lead_writer_free(&writer);
				writer = next;
			}
		}
		buffer_init(&out, 100000);
		lead_writer_heading(writer, pool, &out);
		const struct slice heading = pool_copy(pool, buffer_slice(&out));
		assert_true(columns_of(heading) <= 21 + LEAD_WRITER_NAMES_MAX + 1);
		assert_true(has_column(heading, "plan") && has_column(heading, "size") && has_column(heading, "utm_source"));
		assert_true(has_column(heading, "__fields"));
		buffer_clear(&out);
		lead = (struct lead){ .custom_fields = SLICE("{\"plan\":\"gold\",\"made up 1\":[1,\"=2\"],\"none\":null}"),
			.utm = SLICE("{\"u1\":\"x\"}") };
		lead_writer_add(writer, pool, &lead, &out);
		assert_true(slice_ends_with(buffer_slice(&out), SLICE(",\"{\"\"utm\"\":{\"\"u1\"\":\"\"x\"\"},\"\"custom_"
								      "fields\"\":{\"\"made up 1\"\":[1,\"\"=2\"\"]}}\"\r\n")));
		buffer_free(&out);
		lead_writer_free(&writer);
	}
}

static void
other_texts_are_no_names(void **state UNUSED)
{
	static const char *const texts[] = { "", "[]", "{\"utm\":[\"a\"]}", "{\"custom\":{\"a\":0}}", "{\"custom\":{\"a\":-1}}",
		"{\"custom\":{\"a\":1,\"a\":2}}", "{\"x\":{\"a\":1}}", "{\"custom\":{\"a\":{}}}", "{\"all\":1}",
		"{\"all\":{\"a\":1}}" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct lead_writer *writer = lead_writer_new(RECORDS_CSV, ',', &definitions, 1800);
		assert_false(lead_writer_set_columns(writer, slice_of(texts[i])));
		lead_writer_free(&writer);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_column_for_each_name),
		cmocka_unit_test(ndjson_keeps_types),
		cmocka_unit_test(fields_of_many_leads_have_columns),
		cmocka_unit_test(other_texts_are_no_names),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
