/* SPDX-License-Identifier: MIT
 * Leads as records of a file (leadhook(1), lead export). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/lead_writer.h"

static const struct tag tags[] = { { .id = 1, .name = SLICE("vip") }, { .id = 2, .name = SLICE("a, b") } };
static const struct action actions[] = { { .id = 7, .text = SLICE("say \"hi\"") } };
static const struct definitions definitions = { .tags = tags, .tag_count = 2, .actions = actions, .action_count = 1 };

#define OWN_HEADING                                                                                             \
	"email,phone_number,social_id,parent_id,when,subscription_number,contest_score,verified_email,"         \
	"verified_phone_number,opted_out,sms_opted_out,waitlisted,fraudulent,tags,completed_actions,ip,source," \
	"user_agent,uid,referrer_url,signup_url"

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
		.tag_ids = SLICE("1,2,3"), /* 3 was removed */
		.action_ids = SLICE("7"),
		.source = SLICE("a;b"),
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
	struct lead_writer *writer = lead_writer_new(RECORDS_CSV, ',', &definitions);
	assert_true(lead_writer_add_names(writer, pool, &lead));
	assert_true(lead_writer_add_names(writer, pool, &other));
	assert_written(writer, &lead, OWN_HEADING ",utm_medium,utm_source,custom_fields[email],first_name,list,size,zip\r\n",
	    "a@example.org,'+4930123456,4VNGWYKT3P,,2025-07-15T12:29:23Z,4000000000,12,true,false,false,false,false,false,"
	    "\"vip,\"\"a, b\"\"\",\"\"\"say \"\"\"\"hi\"\"\"\"\"\"\",,\"a;b\",,,,,,'=x,x,A,\"[1,\"\"b\"\"]\",4.50,\r\n");
	lead_writer_free(&writer);
}

static void
ndjson_keeps_types(void **state UNUSED)
{
	const struct lead lead = sample();
	struct lead_writer *writer = lead_writer_new(RECORDS_NDJSON, ',', &definitions);
	assert_written(writer, &lead, "",
	    "{\"email\":\"a@example.org\",\"phone_number\":\"+4930123456\",\"social_id\":\"4VNGWYKT3P\",\"parent_id\":null,"
	    "\"when\":\"2025-07-15T12:29:23Z\",\"subscription_number\":4000000000,\"contest_score\":12,\"verified_email\":true,"
	    "\"verified_phone_number\":false,\"opted_out\":false,\"sms_opted_out\":false,\"waitlisted\":false,\"fraudulent\":"
	    "false,"
	    "\"tags\":[\"vip\",\"a, b\"],\"completed_actions\":[\"say \\\"hi\\\"\"],\"ip\":null,\"source\":\"a;b\","
	    "\"user_agent\":null,\"uid\":null,\"referrer\":null,\"signup_url\":null,\"utm\":{\"source\":\"=x\"},"
	    "\"custom_fields\":{\"first_name\":\"A\",\"list\":[1,\"b\"],\"email\":\"x\",\"none\":null,\"size\":4.50}}\n");
	lead_writer_free(&writer);
}

/* A file with more columns could not be imported. */
static void
csv_has_at_most_1000_columns(void **state UNUSED)
{
	struct lead_writer *writer = lead_writer_new(RECORDS_CSV, ',', &definitions);
	struct lead lead = { 0 };
	for (unsigned i = 0; i < 1000 - 21; i++) {
		lead.custom_fields = pool_printf(pool, "{\"k%u\":1}", i);
		assert_true(lead_writer_add_names(writer, pool, &lead));
	}
	lead.utm = SLICE("{\"source\":\"x\"}");
	assert_false(lead_writer_add_names(writer, pool, &lead));
	lead_writer_free(&writer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_column_for_each_name),
		cmocka_unit_test(ndjson_keeps_types),
		cmocka_unit_test(csv_has_at_most_1000_columns),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
