/* SPDX-License-Identifier: MIT
 * Erasures and removals (docs/operating.md 7.4, 7.5): what the pattern of an address finds, and failures at any transaction. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/breaks.h"
#include "store/removal/pattern.h"
#include "store/removal/removal.h"
#include "store/world.h"

/* `text` must not have an apostrophe. */
static bool
finds(struct slice pattern, const char *text)
{
	char quoted[8192];
	size_t size = 0;
	for (size_t i = 0; i < pattern.size; i++)
		size += (size_t)snprintf(quoted + size, sizeof(quoted) - size, "%02x", (unsigned char)pattern.data[i]);
	assert_true(size + 1 < sizeof(quoted));
	return root_number(
		   "SELECT COALESCE(CONVERT('%s' USING utf8mb4) REGEXP CONVERT(x'%s' USING utf8mb4), 0)", text, quoted) == 1;
}

static void
check_texts(struct slice pattern, const char *const *texts, size_t count, bool found)
{
	for (size_t i = 0; i < count; i++)
		if (finds(pattern, texts[i]) != found)
			fail_msg("%s: %s", found ? "not found" : "found", texts[i]);
}

static void
an_email_address_is_found_in_texts(void **state)
{
	struct world *w = *state;
	static const struct slice spellings[] = { SLICE("ada+x@example.org"), SLICE("ADA+x@b\303\274cher.example") };
	static const char *const with[] = { "ada+x@example.org", "{\"email\":\"Ada+X@Example.ORG\"}",
		"a=1&m=ada%2bx%40example.org&b", "<ada+x@example.org>", "mailto:ada+x@example.org.", "(ada+x@example.org)",
		"\\\\u003cada\\\\u002bx\\\\u0040example.org\\\\u003e", "%3Cada%2Bx%40example.org%3E",
		"ada+x@b\303\274cher.example", "ada+x@b%c3%bccher.example", "x, ada+x@example.org, y",
		"\"a\\\\nada+x@example.org\"", "\\'ada+x@example.org\\'", "https://a.example/?m=ada%2Bx%40example.org",
		"https:\\\\/\\\\/a.example\\\\/ada+x@example.org" };
	static const char *const without[] = { "bada+x@example.org", "ada@example.org", "x.ada+x@example.org",
		"ada+x@example.organic", "ada+x@example.org.uk", "ada+x@example-org", "ada+x@example", "",
		"d\\'ada+x@example.org", "x/ada+x@example.org", "\"b=ada+x@example.org\"", "!ada+x@example.org",
		"https://a.example/?m=news%2Bada%2Bx%40example.org", "https://a.example/?m=a%5Fada%2Bx%40example.org" };
	const struct slice pattern = address_patterns(w->pool, CHANNEL_EMAIL, spellings, ARRAY_SIZE(spellings)).in_text;
	check_texts(pattern, with, ARRAY_SIZE(with), true);
	check_texts(pattern, without, ARRAY_SIZE(without), false);
}

static void
a_number_is_found_in_texts(void **state)
{
	struct world *w = *state;
	static const struct slice spellings[] = { SLICE("+4930123456") };
	static const char *const with[] = { "+4930123456", "tel:+4930123456;", "%2B4930123456", "004930123456",
		"\\\\u002b4930123456", "+49 30 123-456", "+49 (30) 123.456", "+49%2030%20123456" };
	static const char *const without[] = { "4930123456", "+49301234567", "+14930123456", "1004930123456", "+493012345" };
	const struct slice pattern = address_patterns(w->pool, CHANNEL_PHONE, spellings, ARRAY_SIZE(spellings)).in_text;
	check_texts(pattern, with, ARRAY_SIZE(with), true);
	check_texts(pattern, without, ARRAY_SIZE(without), false);
}

/* Characters that mean something in patterns. */
static void
every_character_is_taken_as_it_is(void **state)
{
	struct world *w = *state;
	static const struct slice spellings[] = { SLICE("a.b|c{2}^$*?/`~=@example.org") };
	const struct slice pattern = address_patterns(w->pool, CHANNEL_EMAIL, spellings, ARRAY_SIZE(spellings)).in_text;
	assert_true(finds(pattern, "a.b|c{2}^$*?/`~=@example.org"));
	assert_false(finds(pattern, "axb|c{2}^$*?/`~=@example.org"));
	assert_false(finds(pattern, "c@example.org"));
}

static void
fill(struct world *w)
{
	add_webhook(w, w->campaign, "https://example.org/hook", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REFERRAL));
	const struct lead ada = sign_up_referred(w, "ada@example.org", SLICE_NONE);
	sign_up_referred(w, "bob@example.org", ada.social_id);
}

static int64_t
rows_with(const char *address)
{
	return root_number(
	    "SELECT (SELECT COUNT(*) FROM t_leads WHERE email = '%s') + (SELECT COUNT(*) FROM t_events WHERE payload LIKE "
	    "'%%%s%%') + (SELECT COUNT(*) FROM t_erasures)",
	    address, address);
}

static void
erase_all(struct world *w, const unsigned char id[REMOVAL_ID_SIZE], struct removal_counts *counts)
{
	bool done = false;
	for (unsigned i = 0; i < 100 && !done; i++)
		if (store_continue_erasure(w->store, id, counts, &done) != RESULT_OK)
			done = false;
	assert_true(done);
}

/* The connection is lost at a COMMIT, before or after it took effect. */
static void
an_erasure_survives_lost_connections(void **state)
{
	struct world *w = *state;
	for (unsigned commit = 0; commit < 12; commit++)
		for (unsigned after = 0; after < 2; after++) {
			const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL,
								   .address = SLICE("ada@example.org") } };
			struct removal_counts counts = { 0 };
			unsigned char id[REMOVAL_ID_SIZE];
			size_t leads;
			bool done = false;
			w->campaign = add_campaign(w);
			fill(w);
			assert_true(rows_with("ada@example.org") >= 2);
			assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
			assert_int_equal(leads, 1);
			for (unsigned i = 0; i < commit && !done; i++)
				assert_int_equal(store_continue_erasure(w->store, id, &counts, &done), RESULT_OK);
			breaks = (struct breaks){ .commits = 1, .after = after == 1 };
			erase_all(w, id, &counts);
			breaks = (struct breaks){ 0 };
			assert_int_equal(counts.leads, 1);
			assert_int_equal(rows_with("ada@example.org"), 0);
			assert_int_equal(
			    root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), 1);
		}
}

static void
a_removal_survives_lost_connections(void **state)
{
	struct world *w = *state;
	for (unsigned commit = 0; commit < 12; commit++)
		for (unsigned after = 0; after < 2; after++) {
			struct removal_counts counts = { 0 };
			bool done = false;
			const uint64_t campaign = w->campaign = add_campaign(w);
			fill(w);
			assert_int_equal(store_remove_campaign(w->store, campaign), RESULT_OK);
			assert_int_equal(store_remove_campaign(w->store, campaign), RESULT_NOT_FOUND);
			for (unsigned i = 0; i < commit && !done; i++)
				assert_int_equal(store_continue_removal(w->store, campaign, &counts, &done), RESULT_OK);
			breaks = (struct breaks){ .commits = 1, .after = after == 1 };
			for (unsigned i = 0; i < 100 && !done; i++)
				if (store_continue_removal(w->store, campaign, &counts, &done) != RESULT_OK)
					done = false;
			breaks = (struct breaks){ 0 };
			assert_true(done);
			assert_int_equal(counts.leads, 2);
			assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, campaign), 0);
			assert_int_equal(
			    root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, campaign), 0);
			assert_int_equal(root_number("SELECT COUNT(*) FROM t_removed_campaigns"), 0);
		}
}

/* The dispatcher takes what nothing has worked on for a minute, and then stays with it. */
static void
what_stands_still_is_resumed(void **state)
{
	struct world *w = *state;
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") } };
	struct resumed_removals resumed = { 0 };
	unsigned char id[REMOVAL_ID_SIZE];
	size_t leads;
	bool more = true;
	fill(w);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_false(more);
	assert_true(rows_with("ada@example.org") > 0);
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000");
	do
		assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	while (more);
	assert_int_equal(rows_with("ada@example.org"), 0);
}

static void
plant_jobs(const struct world *w)
{
	root_run("DELETE FROM t_operator_jobs");
	root_run(
	    "INSERT INTO t_operator_jobs (id, account_id, campaign_id, kind, parameters, made_by, result, created_ms) VALUES "
	    "(1, 0, NULL, 'mail_test', '{\"address\":\"Ada@example.org\"}', 'x', NULL, 0), "
	    "(2, 0, NULL, 'mail_test', '{\"address\":\"a@b.example\"}', 'x', '{\"answer\":\"550 <ada@example.org>\"}', 0), "
	    "(3, %" PRIu64 ", %" PRIu64 ", 'redelivery', '{}', 'x', '{}', 0), "
	    "(4, %" PRIu64 ", NULL, 'mail_test', '{\"address\":\"bada@example.org\"}', 'x', NULL, 0)",
	    w->account, w->campaign, w->account);
}

static int64_t
jobs(void)
{
	return root_number("SELECT COALESCE(SUM(1 << id), 0) FROM t_operator_jobs");
}

/* A test mail to a person, and what the mail server has answered. */
static void
jobs_have_addresses(void **state)
{
	struct world *w = *state;
	struct erase_request request = {
		.person = { .campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") }
	};
	struct removal_counts counts = { 0 };
	struct report_section found[REPORT_FOUND_SECTIONS];
	unsigned char id[REMOVAL_ID_SIZE];
	size_t leads;
	plant_jobs(w);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts); /* of the campaign alone */
	assert_int_equal(jobs(), 2 + 4 + 8 + 16);
	request.person.campaign_id = 0;
	assert_int_equal(store_report_found(w->store, w->pool, &request.person, NULL, 0, found), RESULT_OK);
	assert_string_equal(found[REPORT_FOUND_SECTIONS - 1].name, "jobs");
	assert_int_equal(found[REPORT_FOUND_SECTIONS - 1].count, 1);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(jobs(), 8 + 16);
}

static void
jobs_go_with_their_campaign_and_account(void **state)
{
	struct world *w = *state;
	struct removal_counts counts = { 0 };
	bool done = false;
	plant_jobs(w);
	assert_int_equal(store_remove_campaign(w->store, w->campaign), RESULT_OK);
	while (!done)
		assert_int_equal(store_continue_removal(w->store, w->campaign, &counts, &done), RESULT_OK);
	assert_int_equal(jobs(), 2 + 4 + 16);
	assert_int_equal(store_remove_account(w->store, w->account), RESULT_OK);
	assert_int_equal(jobs(), 2 + 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(an_email_address_is_found_in_texts),
		WORLD_TEST(a_number_is_found_in_texts),
		WORLD_TEST(every_character_is_taken_as_it_is),
		WORLD_TEST(an_erasure_survives_lost_connections),
		WORLD_TEST(a_removal_survives_lost_connections),
		WORLD_TEST(what_stands_still_is_resumed),
		WORLD_TEST(jobs_have_addresses),
		WORLD_TEST(jobs_go_with_their_campaign_and_account),
	};
	return WORLD_MAIN(tests);
}
