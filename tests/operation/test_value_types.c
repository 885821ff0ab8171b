/* SPDX-License-Identifier: MIT
 * Values of settings and options: what each type accepts, and where it is stored (docs/api.md 1 and 4.6, docs/operating.md 4).
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/operations.h"
#include "engine/events.h"
#include "operation/object_settings.h"
#include "operation/value_types.h"
#include "store/operator/campaign_settings.h"

static struct pool *pool;

static struct slice invalid; /* set for the last value */

static bool
reads_text(const struct value_type *type, struct slice text, void *place)
{
	struct value_reading reading = { .pool = pool, .invalid = SLICE_NONE, .type = type };
	const bool valid = type->parse(&reading, text, place);
	invalid = reading.invalid;
	return valid;
}

static bool
reads_as(const struct value_type *type, const char *text, void *place)
{
	return reads_text(type, slice_of(text), place);
}
#define reads(type, text, place) reads_as(&(type), text, place)

/* The type of a setting that an operation changes. */
static const struct value_type *
setting_of(const struct operation *operation, const char *name)
{
	return settings_find(operation->settings, slice_of(name))->type;
}

static void
numbers_have_limits(void **state)
{
	(void)state;
	static const char *const no_numbers[] = { "", "x", "1.5", "+1", " 1", "01", "1e3", "--1", "-", "99999999999" };
	uint32_t unsigned_number = 7;
	int32_t number = 7;
	uint64_t id = 7;
	size_t limit = 7;
	for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++) {
		assert_false(reads(value_count, no_numbers[i], &unsigned_number));
		assert_false(reads(value_points, no_numbers[i], &unsigned_number));
		assert_false(reads(value_delta, no_numbers[i], &number));
		assert_false(reads(value_limit, no_numbers[i], &limit));
	}
	assert_true(reads(value_count, "4294967295", &unsigned_number) && unsigned_number == UINT32_MAX);
	assert_true(reads(value_points, "99999", &unsigned_number) && unsigned_number == 99999);
	assert_false(reads(value_points, "100000", &unsigned_number) || reads(value_points, "-1", &unsigned_number));
	assert_true(reads(value_delta, "-99999", &number) && number == -99999);
	assert_true(reads(value_delta, "0", &number) && number == 0);
	assert_false(reads(value_delta, "100000", &number) || reads(value_delta, "-100000", &number));
	assert_true(reads(value_limit, "10000", &limit) && limit == 10000);
	assert_false(reads(value_limit, "0", &limit) || reads(value_limit, "10001", &limit));
	assert_true(reads(value_tag, "9223372036854775807", &id) && id == INT64_MAX);
	assert_false(reads(value_tag, "0", &id) || reads(value_tag, "", &id) || reads(value_tag_or_none, "0", &id));
	assert_true(reads(value_tag_or_none, "", &id) && id == 0);
}

/* docs/api.md 1, Booleans, as settings and as filters */
static void
words_for_on_and_off(void **state)
{
	(void)state;
	static const char *const words[] = { "off", "on", "no", "yes", "false", "true", "0", "1", "OFF", "ON", "No", "Yes" };
	bool on;
	int filter;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_true(reads(value_boolean, words[i], &on) && on == (i % 2 == 1));
		assert_true(reads(value_filter, words[i], &filter) && filter == (int)(i % 2));
	}
	assert_false(reads(value_boolean, "", &on) || reads(value_boolean, "none", &on) || reads(value_filter, "2", &filter));
	on = false;
	assert_true(reads(value_on, "", &on) && on);
}

static void
states_and_times(void **state)
{
	(void)state;
	enum campaign_request request = CAMPAIGN_STAYS;
	int64_t ms = 7;
	assert_true(reads(*setting_of(&operation_campaign_set, "state"), "ended", &request) && request == CAMPAIGN_ENDS);
	assert_true(reads(*setting_of(&operation_campaign_set, "state"), "active", &request) && request == CAMPAIGN_OPENS);
	assert_false(reads(*setting_of(&operation_campaign_set, "state"), "", &request) ||
		     reads(*setting_of(&operation_campaign_set, "state"), "open", &request));
	assert_true(reads(value_end, "", &ms) && ms == -1);
	assert_true(reads(value_end, "1970-01-02", &ms) && ms == 86400000);
	assert_true(reads(value_time, "1970-01-01T00:00:01Z", &ms) && ms == 1000);
	assert_false(reads(value_time, "", &ms) || reads(value_end, "soon", &ms));
}

/* "Lists are separated by commas or white space"; a list is stored as typed, and an empty list as none. */
static void
lists_are_checked(void **state)
{
	(void)state;
	static const struct {
		const struct value_type *type;
		const char *text, *bad;
	} wrong[] = {
		{ &value_hosts, "good.example, not a_host!", "a_host!" },
		{ &value_hosts, "a..b", "a..b" },
		{ &value_networks, "10.0.0.0/8 10.0.0.1/8", "10.0.0.1/8" },
		{ &value_networks, "10.0.0.0/33", "10.0.0.0/33" },
		{ &value_networks, "example.org", "example.org" },
	};
	struct slice text;
	assert_true(reads(value_hosts, " a.example, *.B.example\xc3\xbc.org ", &text));
	assert_slice(text, "a.example b.xn--example-t2a.org");
	assert_true(reads(value_networks, "10.0.0.0/8 2001:db8::1", &text));
	assert_slice(text, "10.0.0.0/8 2001:db8::1");
	assert_true(reads(value_hosts, " ", &text) && !slice_present(text));
	assert_true(reads(value_networks, "", &text) && !slice_present(text));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_false(reads_as(wrong[i].type, wrong[i].text, &text));
		assert_slice(invalid, wrong[i].bad);
	}
}

static void
descriptions_are_short_texts(void **state)
{
	(void)state;
	struct slice text;
	char *const long_text = pool_alloc(pool, 65537);
	memset(long_text, 'a', 65536);
	long_text[65536] = '\0';
	assert_false(reads(value_description, long_text, &text));
}

static void
texts_of_lookups_are_trimmed(void **state)
{
	(void)state;
	struct slice text;
	assert_true(reads(value_title, "  two words ", &text));
	assert_slice(text, "two words");
	assert_false(reads(value_title, "  ", &text) || reads(value_name, "", &text));
	assert_true(reads(value_name, " name ", &text));
	assert_slice(text, " name ");
	assert_true(reads(value_description, "", &text) && !slice_present(text));
	assert_true(reads(value_url, "", &text) && !slice_present(text));
	assert_false(reads(value_url, "ftp://a.example", &text) || reads(value_url, "http://a b", &text));
	assert_true(reads(value_social_id, "5nk9rvhr93", &text));
	assert_slice(text, "5NK9RVHR93");
}

/* leadhook(1), blocked_email_domains and allowed_networks */
static void
lists_have_limits(void **state)
{
	(void)state;
	enum { ITEMS_MAX = 5000 };
	struct buffer hosts, networks;
	struct slice text;
	buffer_init(&hosts, 1 << 20);
	buffer_init(&networks, 1 << 20);
	for (int i = 0; i < ITEMS_MAX; i++) {
		buffer_printf(&hosts, "h%d.x ", i);
		buffer_printf(&networks, "10.%d.%d.1 ", i / 256, i % 256);
	}
	assert_true(reads_text(&value_hosts, buffer_slice(&hosts), &text));
	assert_true(reads_text(&value_networks, buffer_slice(&networks), &text));
	buffer_printf(&hosts, "h.x");
	buffer_printf(&networks, "11.0.0.0/8");
	assert_false(reads_text(&value_hosts, buffer_slice(&hosts), &text));
	assert_slice(invalid, "5001 host names");
	assert_false(reads_text(&value_networks, buffer_slice(&networks), &text));
	assert_slice(invalid, "5001 networks");
	/* names that need more bytes in their stored form */
	buffer_clear(&hosts);
	for (int i = 0; i < ITEMS_MAX; i++)
		buffer_printf(&hosts, "\xc3\xbc%d.x ", i);
	assert_true(buffer_slice(&hosts).size < 1 << 16);
	assert_false(reads_text(&value_hosts, buffer_slice(&hosts), &text));
	assert_true(slice_ends_with(invalid, SLICE(" bytes")));
	buffer_free(&hosts);
	buffer_free(&networks);
}

static const struct value_type test_points = { NUMBER_TYPE(uint32_t, 0, UINT32_MAX), .expected = "a number" };
static const struct parameter rows[] = {
	SETTING("points", test_points, offsetof(struct campaign_settings, points_direct)),
	SETTING("waitlist", value_boolean, offsetof(struct campaign_settings, waitlist)),
	SETTING("hosts", value_hosts, offsetof(struct campaign_settings, blocked_referrers)),
};
static const struct settings_table table = SETTINGS_OF(rows, struct campaign_settings, "a test");

/* Applies the operands "first|second". Returns what was written to errors, in the pool. */
static const char *
errors_of(const char *operands, bool *applied, struct campaign_settings *target)
{
	char *text = NULL;
	size_t size = 0;
	struct slice rest = slice_of(operands), operand;
	const struct operation operation = { .settings = &table };
	struct operation_call call = { .operation = &operation, .pool = pool, .errors = open_memstream(&text, &size) };
	parameters_begin(&call);
	*applied = true;
	while (*applied && slice_next(&rest, '|', &operand))
		*applied = settings_take(&call, operand);
	if (*applied)
		settings_assign(&call, target);
	fclose(call.errors);
	const char *errors = pool_string(pool, slice_of(text));
	free(text);
	return errors;
}

static void
settings_are_stored_by_the_table(void **state)
{
	(void)state;
	struct campaign_settings target = { .points_direct = 1, .points_indirect = 9 };
	bool applied;
	assert_string_equal(errors_of("points=5|waitlist=on|points=6", &applied, &target), "");
	assert_true(applied && target.points_direct == 6 && target.waitlist && target.points_indirect == 9);
	static const char *const wrong[][2] = {
		{ "points", "leadhook: points=: expected a number\n" },
		{ "points=x", "leadhook: points=: expected a number, not x\n" },
		{ "hosts=a.example b_c", "leadhook: hosts=: expected at most 5000 host names without scheme and path, "
					 "separated by commas or spaces, or nothing, not b_c\n" },
		{ "point=5", "leadhook: a test has no setting \"point\"; did you mean points?\n" },
		{ "WAITLST=5", "leadhook: a test has no setting \"WAITLST\"; did you mean waitlist?\n" },
		{ "=5", "leadhook: a test has no setting \"\"; there are: points, waitlist, hosts\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_string_equal(errors_of(wrong[i][0], &applied, &target), wrong[i][1]);
		assert_false(applied);
	}
}

static int
make_pool(void **state UNUSED)
{
	pool = pool_new();
	return 0;
}

static int
free_pool(void **state UNUSED)
{
	pool_free(&pool);
	return 0;
}

/* docs/operating.md 4, `webhook set`; docs/deliveries.md 1 to 4 */
static void
settings_of_a_webhook(void **state)
{
	(void)state;
	static const char *const no_schedules[] = { ",", " , ", "5", "0s", "8d", "1s bogus", "1s;2s" };
	struct slice text;
	uint32_t number = 7;
	bool form = false;
	assert_true(reads(*setting_of(&operation_webhook_set, "format"), "form", &form) && form);
	assert_true(reads(*setting_of(&operation_webhook_set, "format"), "json", &form) && !form);
	assert_false(reads(*setting_of(&operation_webhook_set, "format"), "", &form) ||
		     reads(*setting_of(&operation_webhook_set, "format"), "xml", &form));
	assert_true(reads(*setting_of(&operation_webhook_set, "events"), "new_signup,verified", &number));
	assert_int_equal(number, EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_VERIFIED));
	assert_true(reads(*setting_of(&operation_webhook_set, "events"), "fraudulent marked_as_fraudulent", &number));
	assert_int_equal(number, EVENT_BIT(EVENT_MARKED_AS_FRAUDULENT));
	assert_false(reads(*setting_of(&operation_webhook_set, "events"), "", &number) ||
		     reads(*setting_of(&operation_webhook_set, "events"), ",", &number) ||
		     reads(*setting_of(&operation_webhook_set, "events"), "verified,bogus", &number));
	assert_true(reads(*setting_of(&operation_webhook_set, "rate"), "0", &number) && number == 0);
	assert_true(reads(*setting_of(&operation_webhook_set, "rate"), "10000", &number) && number == 10000);
	assert_false(reads(*setting_of(&operation_webhook_set, "rate"), "10001", &number) ||
		     reads(*setting_of(&operation_webhook_set, "rate"), "", &number) ||
		     reads(*setting_of(&operation_webhook_set, "rate"), "1.5", &number));
	assert_true(reads(*setting_of(&operation_webhook_set, "schedule"), " 5s, 1m 2h ", &text) &&
		    slice_equal(text, SLICE("5s, 1m 2h")));
	assert_true(reads(*setting_of(&operation_webhook_set, "schedule"), " ", &text) && !slice_present(text));
	for (size_t i = 0; i < ARRAY_SIZE(no_schedules); i++)
		assert_false(reads(*setting_of(&operation_webhook_set, "schedule"), no_schedules[i], &text));
	assert_true(reads(value_source, "crm", &text) && slice_equal(text, SLICE("crm")));
	assert_true(reads(value_source, "", &text) && !slice_present(text));
}

/* A value has at most as many bytes as its column. */
static void
long_settings_of_a_webhook(void **state)
{
	(void)state;
	const struct {
		const struct value_type *type;
		const char *beginning, *filling;
		size_t maximum;
	} cases[] = {
		{ &value_host_file, "/", "x", 1024 },
		{ setting_of(&operation_webhook_set, "schedule"), "7d",
		    "                                                                1s", 255 },
		{ &value_source, "", "x", 65535 },
	};
	struct slice text;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buffer buffer;
		buffer_init(&buffer, 100000);
		buffer_add_text(&buffer, cases[i].beginning);
		while (buffer.size + strlen(cases[i].filling) <= cases[i].maximum)
			buffer_add_text(&buffer, cases[i].filling);
		struct slice longest = pool_copy(pool, buffer_slice(&buffer));
		assert_true(reads_as(cases[i].type, longest.data, &text) && slice_equal(text, longest));
		while (buffer.size <= cases[i].maximum)
			buffer_add_text(&buffer, cases[i].filling);
		assert_false(reads_as(cases[i].type, buffer.data, &text));
		buffer_free(&buffer);
	}
	assert_true(reads(value_host_file, "", &text) && !slice_present(text));
	assert_false(reads(value_host_file, "ca.pem", &text) || reads(value_host_file, "./ca.pem", &text));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_limits),
		cmocka_unit_test(words_for_on_and_off),
		cmocka_unit_test(states_and_times),
		cmocka_unit_test(lists_are_checked),
		cmocka_unit_test(lists_have_limits),
		cmocka_unit_test(descriptions_are_short_texts),
		cmocka_unit_test(texts_of_lookups_are_trimmed),
		cmocka_unit_test(settings_are_stored_by_the_table),
		cmocka_unit_test(settings_of_a_webhook),
		cmocka_unit_test(long_settings_of_a_webhook),
	};
	return cmocka_run_group_tests_name("operation/value_types", tests, make_pool, free_pool);
}
