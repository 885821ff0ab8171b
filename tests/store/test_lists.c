/* SPDX-License-Identifier: MIT
 * Lists of leads and the leaderboard: the content of pages, no gaps between them, and their cost. Modules: store. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/lead_pages.h"
#include "store/shown_leads.h"
#include "world.h"

static const struct lead_filter all_leads = {
	.verified = -1, .waitlisted = -1, .fraudulent = -1, .opted_out = -1, .since_ms = -1, .limit = 50
};

/* Leads 1 to `count` with properties that follow from their numbers. */
static void
plant_leads(uint64_t campaign, unsigned count)
{
	root_run(
	    "INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, verified_email, verified_phone, waitlisted, "
	    "fraudulent, opted_out, tag_ids, score, created_ms, updated_ms) SELECT %" PRIu64 " * 1000000 + seq, %" PRIu64
	    ", seq, CONCAT(LPAD(%" PRIu64 ", 4, 'c'), LPAD(seq, 6, '0')), seq %% 4 = 1, seq %% 4 = 2, seq %% 3 = 0, "
	    "seq %% 5 = 0, seq %% 7 = 0, CASE seq %% 3 WHEN 0 THEN '12,2' WHEN 1 THEN '1,12' END, seq %% 10, seq, 0 "
	    "FROM seq_1_to_%u",
	    campaign, campaign, campaign, count);
}

static struct lead_page
list(struct world *w, struct lead_filter filter)
{
	struct lead_page page;
	assert_int_equal(store_list_leads(w->store, w->pool, w->campaign, &filter, &page), RESULT_OK);
	return page;
}

/* The sum of the numbers on all pages, which must be in order. */
static uint64_t
sum_of_pages(struct world *w, struct lead_filter filter, size_t *pages, size_t *leads)
{
	uint64_t sum = 0;
	uint32_t last = filter.after;
	*pages = *leads = 0;
	do {
		struct lead_page page = list(w, filter);
		assert_true(page.count <= filter.limit);
		for (size_t i = 0; i < page.count; i++) {
			assert_true(page.leads[i].subscription_number > last);
			last = page.leads[i].subscription_number;
			sum += last;
		}
		*leads += page.count;
		(*pages)++;
		assert_true(page.next == 0 || page.next > filter.after);
		filter.after = page.next;
	} while (filter.after != 0);
	return sum;
}

/* docs/api.md 4.1.2: pages follow subscription_number */
static void
pages_follow_each_other(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	size_t pages, leads;
	assert_int_equal(list(w, filter).count, 0);
	assert_int_equal(list(w, filter).next, 0);
	plant_leads(w->campaign, 100);
	root_run("DELETE FROM t_leads WHERE subscription_number IN (1, 50, 51, 100) AND campaign_id = %" PRIu64, w->campaign);
	plant_leads(add_campaign(w), 10);
	assert_int_equal(sum_of_pages(w, filter, &pages, &leads), 5050 - 202);
	assert_int_equal(pages, 2);
	filter.limit = 96; /* all of them: there is no next page */
	assert_int_equal(list(w, filter).next, 0);
	filter.limit = 95;
	assert_int_equal(list(w, filter).next, 98);
	filter.after = 99;
	assert_int_equal(list(w, filter).count, 0);
}

#define FILTER(after_number, is_verified, is_waitlisted, is_fraudulent, has_opted_out, tag, since)                        \
	{                                                                                                                 \
		.after = after_number, .verified = is_verified, .waitlisted = is_waitlisted, .fraudulent = is_fraudulent, \
		.opted_out = has_opted_out, .tag_id = tag, .since_ms = since, .limit = 7                                  \
	}

static void
filters_are_applied_together(void **state)
{
	static const struct {
		struct lead_filter filter;
		size_t leads;
		uint64_t first;
	} cases[] = {
		{ FILTER(0, 1, -1, -1, -1, 0, -1), 60, 1 },
		{ FILTER(0, 0, -1, -1, -1, 0, -1), 60, 3 },
		{ FILTER(0, -1, 1, -1, -1, 0, -1), 40, 3 },
		{ FILTER(0, -1, 0, -1, -1, 0, -1), 80, 1 },
		{ FILTER(0, -1, -1, 1, -1, 0, -1), 24, 5 },
		{ FILTER(0, -1, -1, 0, -1, 0, -1), 96, 1 },
		{ FILTER(0, -1, -1, -1, 1, 0, -1), 17, 7 },
		{ FILTER(0, -1, -1, -1, 0, 0, -1), 103, 1 },
		{ FILTER(0, -1, -1, -1, -1, 12, -1), 80, 1 },
		{ FILTER(0, -1, -1, -1, -1, 2, -1), 40, 3 },
		{ FILTER(0, -1, -1, -1, -1, 1, -1), 40, 1 },
		{ FILTER(0, -1, -1, -1, -1, 3, -1), 0, 0 },
		{ FILTER(0, -1, -1, -1, -1, 0, 101), 20, 101 },
		{ FILTER(60, 1, 1, 0, 0, 12, 62), 8, 66 },
	};
	struct world *w = *state;
	size_t pages, leads;
	plant_leads(w->campaign, 120);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sum_of_pages(w, cases[i].filter, &pages, &leads);
		assert_int_equal(leads, cases[i].leads);
		struct lead_page page = list(w, cases[i].filter);
		assert_int_equal(page.count > 0 ? page.leads[0].subscription_number : 0, cases[i].first);
		assert_int_equal(pages, cases[i].leads == 0 ? 1 : (cases[i].leads + 6) / 7); /* none is empty */
	}
}

/* "a page examines a bounded number of rows (10,000), so with a filter it may be short or empty and still have a next one" */
static void
a_filtered_page_ends_with_its_range(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	size_t pages, leads;
	plant_leads(w->campaign, 2 * LEAD_PAGE_ROWS_MAX + 100);
	root_run("UPDATE t_leads SET opted_out = subscription_number IN (3, 20050) WHERE campaign_id = %" PRIu64, w->campaign);
	filter.opted_out = 1;
	struct lead_page page = list(w, filter);
	assert_true(page.count == 1 && page.next == LEAD_PAGE_ROWS_MAX);
	filter.name = SLICE("ada");
	assert_true(list(w, filter).next == LEAD_PAGE_NAMES_MAX);
	filter.name = SLICE_NONE;
	filter.after = page.next;
	page = list(w, filter);
	assert_true(page.count == 0 && page.next == 2 * LEAD_PAGE_ROWS_MAX);
	filter.after = page.next;
	page = list(w, filter);
	assert_true(page.count == 1 && page.next == 0);
	filter.after = 0;
	filter.limit = 1;
	assert_int_equal(sum_of_pages(w, filter, &pages, &leads), 20053);
	assert_int_equal(pages, 3);
	/* rows are limited, not numbers: after deletions a page reaches further; the last page ends with the leads */
	root_run(
	    "DELETE FROM t_leads WHERE subscription_number BETWEEN 5001 AND 15000 AND campaign_id = %" PRIu64, w->campaign);
	page = list(w, filter);
	assert_true(page.count == 1 && page.next == 20000);
	root_run(
	    "DELETE FROM t_leads WHERE subscription_number BETWEEN 15001 AND 15100 AND campaign_id = %" PRIu64, w->campaign);
	filter.limit = 2;
	page = list(w, filter);
	assert_true(page.count == 2 && page.next == 0);
	root_run("DELETE FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign);
}

/* The numbers of a page, in its order: "3 2 1". */
static void
assert_page(const struct lead_page *page, const char *expected)
{
	struct buffer out;
	buffer_init(&out, 4096);
	for (size_t i = 0; i < page->count; i++)
		buffer_printf(&out, "%s%" PRIu32, i == 0 ? "" : " ", page->leads[i].subscription_number);
	buffer_add(&out, (struct slice){ "", 1 });
	assert_string_equal(out.data, expected);
	buffer_free(&out);
}

static void
assert_numbers(struct world *w, struct lead_filter filter, const char *expected)
{
	const struct lead_page page = list(w, filter);
	assert_page(&page, expected);
}

/* leadhook(1), lead list --newest: the latest first, and pages go on after the last one shown */
static void
the_newest_come_first(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	plant_leads(w->campaign, 20);
	plant_leads(add_campaign(w), 30);
	filter.newest = true;
	filter.limit = 3;
	assert_numbers(w, filter, "20 19 18");
	assert_int_equal(list(w, filter).next, 18);
	filter.after = 18;
	filter.opted_out = 1;
	assert_numbers(w, filter, "14 7");
	assert_int_equal(list(w, filter).next, 0);
	filter.after = 3;
	filter.opted_out = -1;
	assert_numbers(w, filter, "2 1");
}

/* A page that examined as many rows as it may ends there, in either order; a page of the same list examines no more. */
static void
the_newest_are_examined_in_ranges(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	plant_leads(w->campaign, LEAD_PAGE_ROWS_MAX + 100);
	root_run(
	    "UPDATE t_leads SET opted_out = subscription_number IN (50, 200, 201) WHERE campaign_id = %" PRIu64, w->campaign);
	filter.newest = true;
	filter.opted_out = 1;
	struct lead_page page = list(w, filter);
	assert_true(page.count == 2 && page.next == 101 && page.last == 101);
	filter.limit = 1;
	page = list(w, filter);
	assert_true(page.count == 1 && page.next == 201 && page.last == 101);
	filter.after = page.next;
	filter.last = page.last;
	page = list(w, filter);
	assert_true(page.count == 1 && page.next == 101);
	filter.after = 101;
	filter.last = 0;
	assert_numbers(w, filter, "50");
	root_run("DELETE FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign);
}

static void
name_lead(struct world *w, unsigned number, const char *custom_fields)
{
	root_run("UPDATE t_leads SET custom_fields = '%s' WHERE subscription_number = %u AND campaign_id = %" PRIu64,
	    custom_fields, number, w->campaign);
}

/* leadhook(1), lead list --name: words, each the beginning of one of the names */
static void
names_are_found_by_their_beginnings(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = { { "ada", "1 5" }, { "LOVE", "1" }, { "ada  lov", "1" }, { "lovelace ada", "1" }, { "da", "" },
		{ "ad love", "1" }, { "love x", "" }, { "jose", "2" }, { "muñ", "2" }, { "100%", "3" }, { "1%", "" },
		{ "a_b", "3" }, { "a|b", "" }, { "grace", "4" }, { "hop", "4" }, { "gr hopper", "4" }, { "byron", "5" },
		{ "first", "" }, { " ", "1 2 3 4 5 6" } };
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	plant_leads(w->campaign, 6);
	name_lead(w, 1, "{\"first_name\":\"Ada\",\"last_name\":\"Lovelace\"}");
	name_lead(w, 2, "{\"given_name\":\"Jos\\\\u00e9\",\"family_name\":\"MU\\\\u00d1OZ\",\"age\":7}");
	name_lead(w, 3, "{\"first_name\":\"100%%\",\"last_name\":\"a_b\"}");
	name_lead(w, 4, "{\"name\":\"Grace Brewster Hopper\",\"topics\":[\"ada\"]}");
	name_lead(w, 5, "{\"first_name\":\"Ada\",\"last_name\":\"Byron\"}");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		filter.name = slice_of(cases[i].name);
		assert_numbers(w, filter, cases[i].expected);
	}
	filter.name = slice_of("ada");
	filter.newest = true;
	filter.limit = 1;
	assert_numbers(w, filter, "5");
}

/* leadhook(1), lead list: an address finds the one lead of the campaign that has it, together with the other filters */
static void
identities_find_one_lead(void **state)
{
	static const struct lead_reference other = { .identity = LEAD_BY_PHONE, .value = SLICE("+14155552671") };
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	sign_up_many(w, "lead", 3);
	const struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead1@example.org");
	char number[16];
	snprintf(number, sizeof(number), "%" PRIu32, lead.subscription_number);
	filter.identities[0] = (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = lead.email_key };
	filter.identity_count = 1;
	for (int newest = 0; newest < 2; newest++) {
		filter.newest = newest == 1;
		assert_numbers(w, filter, number);
		assert_int_equal(list(w, filter).next, 0);
	}
	filter.identities[1] = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = lead.social_id };
	filter.identity_count = 2;
	assert_numbers(w, filter, number);
	filter.after = lead.subscription_number;
	assert_numbers(w, filter, "");
	filter.after = 0;
	filter.opted_out = 1;
	assert_numbers(w, filter, "");
	filter.opted_out = -1;
	filter.identities[1] = other;
	assert_numbers(w, filter, "");
	filter.identity_count = 1;
	struct lead_page page;
	assert_int_equal(store_list_leads(w->store, w->pool, add_campaign(w), &filter, &page), RESULT_OK);
	assert_int_equal(page.count, 0);
}

/* Each of the other filters alone, and all of them together. */
static void
sources_and_times_are_filters(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	plant_leads(w->campaign, 6);
	root_run("UPDATE t_leads SET source = IF(subscription_number %% 2 = 0, 'API', 'api') WHERE campaign_id = %" PRIu64,
	    w->campaign);
	filter.source = SLICE("API");
	assert_numbers(w, filter, "2 4 6");
	filter.until_ms = 6;
	assert_numbers(w, filter, "2 4");
	filter.since_ms = 3;
	assert_numbers(w, filter, "4");
	filter.source = SLICE_NONE;
	assert_numbers(w, filter, "3 4 5");
}

/* The next page of a list in another order, as a call of its own. */
static struct lead_page
list_in_order(struct world *w, struct lead_filter filter, struct lead_order *order)
{
	struct lead_page page;
	order->examined = 0;
	assert_int_equal(store_list_leads_in_order(w->store, w->pool, w->campaign, &filter, order, &page), RESULT_OK);
	return page;
}

static void
assert_order(struct world *w, struct lead_filter filter, struct lead_order *order, const char *expected, bool more)
{
	const struct lead_page page = list_in_order(w, filter, order);
	assert_page(&page, expected);
	assert_int_equal(order->more, more);
}

/* leadhook(1), lead list --order score: the highest score first, then by sign-up, including fraudulent leads */
static void
scores_are_an_order(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	struct lead_order order = { 0 };
	assert_order(w, filter, &order, "", false);
	plant_leads(w->campaign, 30); /* scores are the last digits; every fifth is fraudulent */
	plant_leads(add_campaign(w), 10);
	root_run("UPDATE t_leads SET score = 4294967295 WHERE subscription_number IN (15, 20) AND campaign_id = %" PRIu64,
	    w->campaign);
	filter.limit = 4;
	assert_order(w, filter, &order, "15 20 9 19", true);
	assert_order(w, filter, &order, "29 8 18 28", true);
	assert_order(w, filter, &order, "7 17 27 6", true);
	filter.limit = 13;
	assert_order(w, filter, &order, "16 26 5 25 4 14 24 3 13 23 2 12 22", true);
	filter.limit = 5;
	assert_order(w, filter, &order, "1 11 21 10 30", false);
	filter.fraudulent = 1;
	filter.limit = 3;
	order = (struct lead_order){ 0 };
	assert_order(w, filter, &order, "15 20 5", true);
	assert_order(w, filter, &order, "25 10 30", false);
	filter.fraudulent = 0;
	filter.opted_out = 1;
	order = (struct lead_order){ 0 };
	assert_order(w, filter, &order, "28 7 14", true);
	assert_order(w, filter, &order, "21", false);
}

/* leadhook(1), lead list --referred-by: the leads that it has referred directly, without deleted ones */
static void
referred_leads_are_listed(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	const uint64_t first = w->campaign * 1000000;
	struct lead_order order = { .referrer_id = first + 1 };
	plant_leads(w->campaign, 40);
	root_run("INSERT INTO t_referral_links (lead_id, level, ancestor_id) SELECT %" PRIu64
		 " + seq, IF(seq <= 20, 1, 2), %" PRIu64 " FROM seq_11_to_30",
	    first, first + 1);
	root_run("DELETE FROM t_leads WHERE id IN (%" PRIu64 ", %" PRIu64 ")", first + 12, first + 20);
	filter.limit = 5;
	assert_order(w, filter, &order, "11 13 14 15 16", true);
	assert_order(w, filter, &order, "17 18 19", false);
	filter.newest = true;
	order = (struct lead_order){ .referrer_id = first + 1 };
	assert_order(w, filter, &order, "19 18 17 16 15", true);
	assert_order(w, filter, &order, "14 13 11", false);
	filter.waitlisted = 1;
	order = (struct lead_order){ .referrer_id = first + 1 };
	assert_order(w, filter, &order, "18 15", false);
	order = (struct lead_order){ .referrer_id = first + 2 };
	assert_order(w, filter, &order, "", false);
	root_run("DELETE FROM t_referral_links WHERE ancestor_id = %" PRIu64, first + 1);
}

/* All calls with the same order examine as many rows as one page by number; the next list goes on after them. */
static void
orders_examine_as_much_as_pages(void **state)
{
	struct world *w = *state;
	struct lead_filter filter = all_leads;
	struct lead_order order = { 0 };
	struct lead_page page;
	plant_leads(w->campaign, LEAD_PAGE_ROWS_MAX + 100);
	root_run("UPDATE t_leads SET score = 0, opted_out = subscription_number IN (50, 60, %d) WHERE campaign_id = %" PRIu64,
	    LEAD_PAGE_ROWS_MAX + 50, w->campaign);
	filter.opted_out = 1;
	filter.fraudulent = -1;
	filter.limit = 2;
	page = list_in_order(w, filter, &order);
	assert_page(&page, "50 60");
	assert_true(order.more && order.examined == 60 && !store_order_is_spent(&filter, &order));
	assert_int_equal(store_list_leads_in_order(w->store, w->pool, w->campaign, &filter, &order, &page), RESULT_OK);
	assert_true(page.count == 0 && order.more && store_order_is_spent(&filter, &order));
	assert_true(order.examined == LEAD_PAGE_ROWS_MAX && order.number == LEAD_PAGE_ROWS_MAX);
	assert_int_equal(store_list_leads_in_order(w->store, w->pool, w->campaign, &filter, &order, &page), RESULT_OK);
	assert_true(page.count == 0 && order.number == LEAD_PAGE_ROWS_MAX);
	page = list_in_order(w, filter, &order);
	assert_int_equal(page.leads[0].subscription_number, LEAD_PAGE_ROWS_MAX + 50);
	assert_false(order.more);
	root_run("DELETE FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign);
}

static int64_t
cost_of_order(struct world *w, struct lead_filter filter, struct lead_order order)
{
	int64_t before = root_rows_read();
	list_in_order(w, filter, &order);
	return root_rows_read() - before;
}

static int64_t
cost_of_list(struct world *w, struct lead_filter filter)
{
	int64_t before = root_rows_read();
	list(w, filter);
	return root_rows_read() - before;
}

static int64_t
cost_of_leaderboard(struct world *w)
{
	struct lead *leads;
	size_t count;
	int64_t before = root_rows_read();
	assert_int_equal(store_leaderboard(w->store, w->pool, w->campaign, 10, &leads, &count), RESULT_OK);
	assert_int_equal(count, 10);
	return root_rows_read() - before;
}

/* The cost depends on the page, not on the campaign or on the page's place in it. */
static void
a_page_costs_what_is_on_it(void **state)
{
	struct world *w = *state;
	struct lead_filter far = all_leads, rare = all_leads;
	plant_leads(w->campaign, 3 * LEAD_PAGE_ROWS_MAX);
	far.after = 29000;
	rare.tag_id = 3;
	assert_in_range(cost_of_list(w, all_leads), 50, 60);
	assert_in_range(cost_of_list(w, far), 50, 60);
	assert_in_range(cost_of_leaderboard(w), 10, 20);
	/* by score: the index for either value of `fraudulent`, the order of both, the rows */
	struct lead_filter fraudulent = all_leads;
	fraudulent.fraudulent = 1;
	const struct lead_order middle = { .has_place = true, .score = 5, .number = 1000 };
	assert_in_range(cost_of_order(w, all_leads, (struct lead_order){ 0 }), 50, 320);
	assert_in_range(cost_of_order(w, all_leads, middle), 50, 320);
	assert_in_range(cost_of_order(w, fraudulent, middle), 50, 270);
	/* once to find the end of the range, once to read it */
	assert_in_range(cost_of_list(w, rare), LEAD_PAGE_ROWS_MAX, 2 * LEAD_PAGE_ROWS_MAX + 100);
	far.newest = rare.newest = true;
	assert_in_range(cost_of_list(w, far), 50, 60);
	assert_in_range(cost_of_list(w, rare), LEAD_PAGE_ROWS_MAX, 2 * LEAD_PAGE_ROWS_MAX + 100);
	rare.identities[0] = (struct lead_reference){ .identity = LEAD_BY_ID, .id = w->campaign * 1000000 + 6 };
	rare.identity_count = 1;
	assert_in_range(cost_of_list(w, rare), 1, 10);
	root_run("DELETE FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign);
}

/* docs/api.md 4.1.2: "by score, then by sign-up"; docs/api.md 4.6: a fraudulent lead is not on it. */
static void
the_leaderboard_is_by_score_then_sign_up(void **state)
{
	struct world *w = *state;
	struct lead *leads;
	size_t count;
	assert_int_equal(store_leaderboard(w->store, w->pool, w->campaign, 10, &leads, &count), RESULT_OK);
	assert_int_equal(count, 0);
	plant_leads(w->campaign, 40);
	plant_leads(add_campaign(w), 10);
	root_run(
	    "UPDATE t_leads SET score = 4294967295 WHERE subscription_number = 20 AND campaign_id = %" PRIu64, w->campaign);
	root_run(
	    "UPDATE t_leads SET score = 4294967294 WHERE subscription_number = 38 AND campaign_id = %" PRIu64, w->campaign);
	static const uint32_t expected[] = { 38, 9, 19, 29, 39, 8, 18, 28, 7 };
	assert_int_equal(store_leaderboard(w->store, w->pool, w->campaign, ARRAY_SIZE(expected), &leads, &count), RESULT_OK);
	assert_int_equal(count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(leads[i].subscription_number, expected[i]);
	assert_int_equal(store_leaderboard(w->store, w->pool, w->campaign, 100, &leads, &count), RESULT_OK);
	assert_int_equal(count, 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(pages_follow_each_other),
		WORLD_TEST(filters_are_applied_together),
		WORLD_TEST(a_filtered_page_ends_with_its_range),
		WORLD_TEST(the_newest_come_first),
		WORLD_TEST(the_newest_are_examined_in_ranges),
		WORLD_TEST(names_are_found_by_their_beginnings),
		WORLD_TEST(identities_find_one_lead),
		WORLD_TEST(sources_and_times_are_filters),
		WORLD_TEST(scores_are_an_order),
		WORLD_TEST(referred_leads_are_listed),
		WORLD_TEST(orders_examine_as_much_as_pages),
		WORLD_TEST(a_page_costs_what_is_on_it),
		WORLD_TEST(the_leaderboard_is_by_score_then_sign_up),
	};
	return WORLD_MAIN(tests);
}
