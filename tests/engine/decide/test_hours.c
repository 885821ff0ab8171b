/* SPDX-License-Identifier: MIT
 * Where leads come from, and how changes of leads affect the counts by hour (docs/statistics.md 1, 2).
 * Modules: engine/decide, engine/source. */
#include "decide_leads.h"

#include "base/duration.h"
#include "engine/source.h"

/* The values of a sign-up and its class, which is the first one that applies. */
static void
a_source_is_of_the_first_class_that_applies(void **state)
{
	struct world *w = *state;
	static const struct {
		struct slice source, utm, referrer, url;
		bool referred, inbound, is_page;
		enum source_class class;
	} cases[] = {
		{ .class = SOURCE_DIRECT },
		{ .source = SLICE("API"), .class = SOURCE_DIRECT },
		{ .referrer = SLICE("https://blog.example/a"), .class = SOURCE_LINK },
		{ .referrer = SLICE("https://blog.example/a"), .url = SLICE("https://shop.example/b"), .class = SOURCE_LINK },
		/* the site's own pages */
		{ .referrer = SLICE("https://Shop.example/a"), .url = SLICE("https://shop.example/b"), .class = SOURCE_DIRECT },
		{ .referrer = SLICE("https://shop.example/a"), .is_page = true, .class = SOURCE_DIRECT },
		/* no host */
		{ .referrer = SLICE("/a"), .class = SOURCE_DIRECT },
		{ .referrer = SLICE("https://blog.example/a"), .inbound = true, .class = SOURCE_INBOUND },
		{ .utm = SLICE("{\"source\":\"x\"}"), .inbound = true, .class = SOURCE_CAMPAIGN },
		{ .utm = SLICE("{\"source\":\"x\"}"), .referrer = SLICE("https://blog.example/a"), .class = SOURCE_CAMPAIGN },
		{ .utm = SLICE("{\"source\":\"x\"}"), .referred = true, .class = SOURCE_REFERRAL },
		/* a caller cannot make its sign-up an import */
		{ .source = SLICE("import"), .referred = true, .class = SOURCE_REFERRAL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct lead made = {
			.parent_id = cases[i].referred ? 5 : 0,
			.source = cases[i].source,
			.utm = cases[i].utm,
			.referrer = cases[i].referrer,
			.signup_url = cases[i].url,
		};
		const struct signup signup = { .inbound = cases[i].inbound, .referrer_is_page = cases[i].is_page };
		assert_int_equal(source_of_signup(w->pool, &made, &signup), cases[i].class);
	}
}

#define TEN "0123456789"
#define NINETY TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void
values_of_sources_are_short_texts_without_addresses(void **state)
{
	struct world *w = *state;
	static const struct {
		struct slice utm, value; /* absent: none; empty: not counted by itself */
	} cases[] = {
		{ SLICE_NONE, SLICE_NONE },
		{ SLICE("{\"medium\":\"mail\"}"), SLICE_NONE },
		{ SLICE("{\"source\":\"News Letter\"}"), SLICE("News Letter") },
		{ SLICE("{\"source\":\" \\n news \\t\"}"), SLICE("news") },
		{ SLICE("{\"source\":\"  \"}"), SLICE_NONE },
		{ SLICE("{\"source\":[\"a\"]}"), SLICE_NONE },
		{ SLICE("{\"source\":\"ada@example.org\"}"), SLICE("") },
		{ SLICE("{\"source\":\"ada%40example.org\"}"), SLICE("") },
		{ SLICE("{\"source\":\"ada%2540example.org\"}"), SLICE("") },
		{ SLICE("{\"source\":\"ada\xef\xbc\xa0"
			"example.org\"}"),
		    SLICE("") },
		{ SLICE("{\"source\":\"ada\xef\xb9\xab"
			"example.org\"}"),
		    SLICE("") },
		{ SLICE("{\"source\":\" +49 170 1234567\"}"), SLICE("") },
		{ SLICE("{\"source\":\"%2B49 170 1234567\"}"), SLICE("") },
		{ SLICE("{\"source\":\"0049 151-1234567\"}"), SLICE("") },
		{ SLICE("{\"source\":\"(0151) 1234567\"}"), SLICE("") },
		{ SLICE("{\"source\":\"01.02.2026\"}"), SLICE("01.02.2026") },
		{ SLICE("{\"source\":\"0123456789x\"}"), SLICE("0123456789x") },
		{ SLICE("{\"source\":\"+100 000\"}"), SLICE("+100 000") },
		{ SLICE("{\"source\":\"120210987654321\"}"), SLICE("120210987654321") },
		{ SLICE("{\"source\":\"" NINETY TEN TEN "@\"}"), SLICE("") },
		{ SLICE("{\"source\":\"" NINETY TEN "x\"}"), SLICE(NINETY TEN) },
		{ SLICE("{\"source\":\"" NINETY "012345678\xc3\xa4\"}"), SLICE(NINETY "012345678") },
		{ SLICE("{\"source\":\"" NINETY "012345678 x\"}"), SLICE(NINETY "012345678") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice values[SOURCE_KINDS];
		source_values(w->pool, &(struct lead){ .utm = cases[i].utm }, values);
		assert_int_equal(slice_present(values[SOURCE_UTM_SOURCE]), slice_present(cases[i].value));
		assert_true(slice_equal(values[SOURCE_UTM_SOURCE], cases[i].value));
		assert_false(slice_present(values[SOURCE_UTM_CAMPAIGN]));
	}
}

/* The class of the source decides; if another class takes precedence, the page with the form does. */
static void
a_site_is_not_the_page_of_the_form(void **state)
{
	struct world *w = *state;
	static const struct {
		enum source_class class;
		struct slice referrer, url, site;
	} cases[] = {
		{ SOURCE_DIRECT, SLICE("https://blog.example/a"), SLICE("https://shop.example/"), SLICE_NONE },
		{ SOURCE_LINK, SLICE("https://u:p@Blog.example:8080/a"), SLICE_NONE, SLICE("blog.example") },
		{ SOURCE_CAMPAIGN, SLICE("https://blog.example/a"), SLICE("https://shop.example/"), SLICE("blog.example") },
		{ SOURCE_CAMPAIGN, SLICE("https://shop.example/a"), SLICE("https://shop.example/"), SLICE_NONE },
		{ SOURCE_CAMPAIGN, SLICE("https://blog.example/a"), SLICE_NONE, SLICE_NONE },
		{ SOURCE_REFERRAL, SLICE_NONE, SLICE("https://shop.example/"), SLICE_NONE },
		{ SOURCE_UNKNOWN, SLICE("/a"), SLICE("https://shop.example/"), SLICE_NONE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice values[SOURCE_KINDS];
		const struct lead lead = {
			.source_class = cases[i].class, .referrer = cases[i].referrer, .signup_url = cases[i].url
		};
		source_values(w->pool, &lead, values);
		assert_int_equal(slice_present(values[SOURCE_SITE]), slice_present(cases[i].site));
		assert_true(slice_equal(values[SOURCE_SITE], cases[i].site));
	}
}

static void
assert_change(const struct world *w, size_t i, int64_t at_ms, enum source_class source, struct campaign_counters counters,
    uint32_t deleted)
{
	assert_true(i < w->decision.hour_count);
	const struct hour_change *change = &w->decision.hours[i];
	assert_int_equal(change->campaign_id, CAMPAIGN);
	assert_int_equal(change->hour, at_ms / HOUR_MS);
	assert_int_equal(change->source_class, source);
	assert_memory_equal(&change->counters, &counters, sizeof(counters));
	assert_int_equal(change->deleted, deleted);
}

/* A lead is counted in the hour of its sign-up, whenever the change is made. */
static void
changes_count_in_the_hour_of_the_signup(void **state)
{
	struct world *w = *state;
	const int64_t first_ms = w->set.now_ms, second_ms = first_ms + 5 * HOUR_MS;
	sign_up(w, 0, -1);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, first_ms, SOURCE_DIRECT, (struct campaign_counters){ .leads = 1 }, 0);
	w->set.now_ms = second_ms;
	sign_up(w, 1, 0);
	assert_int_equal(w->decision.hour_count, 2);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .leads = 1, .referred = 1 }, 0);
	assert_change(w, 1, first_ms, SOURCE_DIRECT, (struct campaign_counters){ .referrers = 1 }, 0);
	change(w, 0, LEAD_VERIFY);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, first_ms, SOURCE_DIRECT, (struct campaign_counters){ .verified = 1 }, 0);
	change(w, 1, LEAD_BLOCK);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .fraudulent = 1 }, 0);
	change(w, 1, LEAD_APPROVE);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .fraudulent = UINT32_MAX }, 0);
	change(w, 0, LEAD_OPTOUT);
	assert_change(w, 0, first_ms, SOURCE_DIRECT, (struct campaign_counters){ .opted_out = 1 }, 0);
	give_points(w, 0, 3);
	assert_int_equal(w->decision.hour_count, 0);
	change(w, 0, LEAD_DELETE);
	assert_change(w, 0, first_ms, SOURCE_DIRECT,
	    (struct campaign_counters){
		.leads = UINT32_MAX, .verified = UINT32_MAX, .opted_out = UINT32_MAX, .referrers = UINT32_MAX },
	    1);
	assert_int_equal(campaign(w)->counters.referrers, 0);
	assert_int_equal(campaign(w)->counters.referred, 1); /* its referrer has been deleted */
}

/* A referrer is counted in the hour of its own sign-up when it gets its first referral, and stays counted whatever happens to
 * the referred leads. */
static void
a_lead_becomes_a_referrer_once(void **state)
{
	struct world *w = *state;
	const int64_t first_ms = w->set.now_ms, second_ms = first_ms + 5 * HOUR_MS;
	sign_up(w, 0, -1);
	w->set.now_ms = second_ms;
	campaign(w)->blocked_email_domains = SLICE("x.org");
	sign_up(w, 1, 0); /* fraudulent */
	assert_true(lead(w, 1)->fraudulent);
	assert_int_equal(w->decision.hour_count, 2);
	assert_change(
	    w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .leads = 1, .fraudulent = 1, .referred = 1 }, 0);
	assert_change(w, 1, first_ms, SOURCE_DIRECT, (struct campaign_counters){ .referrers = 1 }, 0);
	change(w, 1, LEAD_APPROVE);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .fraudulent = UINT32_MAX }, 0);
	assert_int_equal(w->decision.hour_count, 1);
	campaign(w)->blocked_email_domains = SLICE_NONE;
	sign_up(w, 2, 0);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .leads = 1, .referred = 1 }, 0);
	change(w, 1, LEAD_VERIFY);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL, (struct campaign_counters){ .verified = 1, .referred_verified = 1 }, 0);
	change(w, 2, LEAD_DELETE);
	change(w, 1, LEAD_DELETE);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, second_ms, SOURCE_REFERRAL,
	    (struct campaign_counters){
		.leads = UINT32_MAX, .verified = UINT32_MAX, .referred = UINT32_MAX, .referred_verified = UINT32_MAX },
	    1);
	assert_true(campaign(w)->counters.referrers == 1 && campaign(w)->counters.referred_verified == 0);
}

/* A batch has one row for each hour and class. */
static void
a_batch_is_counted_together(void **state)
{
	struct world *w = *state;
	struct command commands[] = { signup("a@x.org", NULL), signup("b@x.org", NULL), signup("c@x.org", NULL) };
	commands[2].as.signup.utm = SLICE("{\"source\":\"x\"}");
	run(w, commands, ARRAY_SIZE(commands));
	assert_int_equal(w->decision.hour_count, 2);
	assert_change(w, 0, w->set.now_ms, SOURCE_DIRECT, (struct campaign_counters){ .leads = 2 }, 0);
	assert_change(w, 1, w->set.now_ms, SOURCE_CAMPAIGN, (struct campaign_counters){ .leads = 1 }, 0);
}

/* docs/architecture.md 9.3: only leads from `hours_counted_from` on are counted. */
static void
only_leads_from_the_mark_on_are_counted(void **state)
{
	struct world *w = *state;
	campaign(w)->hours_counted_from = 2;
	sign_up(w, 0, -1);
	assert_int_equal(w->decision.hour_count, 0);
	sign_up(w, 1, -1);
	assert_int_equal(w->decision.hour_count, 1);
	change(w, 0, LEAD_DELETE);
	assert_int_equal(w->decision.hour_count, 0);
	campaign(w)->hours_counted_from = UINT32_MAX;
	change(w, 1, LEAD_DELETE);
	assert_int_equal(w->decision.hour_count, 0);
}

/* The counts of the campaign cover all leads, except those counts that are sums of hours. */
static void
sums_of_hours_count_the_same_leads(void **state)
{
	struct world *w = *state;
	campaign(w)->hours_counted_from = 2;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, w->set.now_ms, SOURCE_REFERRAL, (struct campaign_counters){ .leads = 1, .referred = 1 }, 0);
	sign_up(w, 2, 1);
	assert_true(campaign(w)->counters.referrers == 1 && campaign(w)->counters.referred == 2);
	campaign(w)->hours_counted_from = UINT32_MAX;
	change(w, 2, LEAD_VERIFY);
	assert_int_equal(w->decision.hour_count, 0);
	assert_true(campaign(w)->counters.referred_verified == 0 && campaign(w)->counters.verified == 1);
}

/* A lead keeps the class of its sign-up. */
static void
later_utm_moves_no_lead(void **state)
{
	struct world *w = *state;
	struct command again = signup("u0@x.org", NULL);
	again.as.signup.utm = SLICE("{\"source\":\"x\"}");
	sign_up(w, 0, -1);
	run(w, &again, 1);
	assert_int_equal(w->decision.hour_count, 0);
	assert_int_equal(lead(w, 0)->source_class, SOURCE_DIRECT);
}

/* Imported leads are counted at the time that is given in their row. */
static void
an_import_counts_in_its_own_hour(void **state)
{
	struct world *w = *state;
	const struct import import = {
		.signup = { .email = SLICE("a@x.org"), .email_key = SLICE("a@x.org"), .source = SLICE("shop") },
		.created_ms = 7 * (int64_t)HOUR_MS,
		.verified_email = true
	};
	struct command command = { .kind = COMMAND_IMPORT, .campaign_id = CAMPAIGN, .account_id = ACCOUNT };
	command.as.import = &import;
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	assert_int_equal(w->decision.hour_count, 1);
	assert_change(w, 0, 7 * (int64_t)HOUR_MS, SOURCE_IMPORT, (struct campaign_counters){ .leads = 1, .verified = 1 }, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_source_is_of_the_first_class_that_applies),
		WORLD_TEST(values_of_sources_are_short_texts_without_addresses),
		WORLD_TEST(a_site_is_not_the_page_of_the_form),
		WORLD_TEST(changes_count_in_the_hour_of_the_signup),
		WORLD_TEST(a_batch_is_counted_together),
		WORLD_TEST(only_leads_from_the_mark_on_are_counted),
		WORLD_TEST(a_lead_becomes_a_referrer_once),
		WORLD_TEST(sums_of_hours_count_the_same_leads),
		WORLD_TEST(later_utm_moves_no_lead),
		WORLD_TEST(an_import_counts_in_its_own_hour),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
