/* SPDX-License-Identifier: MIT
 * What happened to a lead (leadhook(1), lead timeline): the content of pages, no gaps between them, and their cost. */
#include "unit.h"

#include <inttypes.h>

#include "engine/events.h"
#include "store/operator/timeline.h"
#include "store/world.h"

static struct timeline
read_page(struct world *w, uint64_t lead, const struct timeline_place *after, size_t limit)
{
	struct timeline timeline;
	assert_int_equal(store_lead_timeline(w->store, w->pool, lead, after, limit, &timeline), RESULT_OK);
	return timeline;
}

static struct timeline
read_all(struct world *w, uint64_t lead)
{
	const struct timeline timeline = read_page(w, lead, &(struct timeline_place){ 0 }, TIMELINE_ENTRIES_MAX);
	assert_false(timeline.more);
	return timeline;
}

/* "event new_signup", one per line. */
static void
assert_entries(struct world *w, const struct timeline *timeline, const char *expected)
{
	struct slice all = SLICE("");
	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_entry *entry = &timeline->entries[i];
		const struct slice name = slice_present(entry->name) ? entry->name : SLICE("-");
		all = POOL_JOIN(w->pool, all, timeline_kind_name(entry->kind), SLICE(" "), name, SLICE("\n"));
	}
	assert_string_equal(pool_string(w->pool, all), expected);
}

/* Sets the times of everything that is stored about a lead, so that its order is known. */
static void
set_times(uint64_t lead)
{
	root_run("UPDATE t_leads SET created_ms = 1000 WHERE id = %" PRIu64, lead);
	root_run("UPDATE t_score_entries SET created_ms = 1000 + 1000 * (reason = 'custom') WHERE lead_id = %" PRIu64, lead);
	root_run(
	    "UPDATE t_events SET created_ms = 1000 + 1000 * (type = %d) WHERE lead_id = %" PRIu64, EVENT_SCORE_CHANGE, lead);
}

/* The latest come first; at the same time, consequences come before their causes. */
static void
entries_of_all_tables_come_by_time(void **state)
{
	struct world *w = *state;
	const uint64_t webhook =
	    add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_SCORE_CHANGE));
	set_columns(w->campaign, "points_signup = 3");
	struct command command = signup(w, w->campaign, "ada@example.org");
	command.as.signup.ip = SLICE("192.0.2.7");
	command.as.signup.user_agent = SLICE("agent");
	run_all(w, &command, 1);
	struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org");
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = lead.id };
	const struct points_call points = { .leads = &reference, .lead_count = 1, .points = -2, .message = SLICE("sorry") };
	command = (struct command){ .kind = COMMAND_POINTS, .campaign_id = w->campaign, .as.points = points };
	run_all(w, &command, 1);
	set_times(lead.id);
	root_run("INSERT INTO t_messages (id, campaign_id, lead_id, kind, state, created_ms, due_ms, attempts, reason, "
		 "ended_ms) VALUES"
		 " (7, %" PRIu64 ", %" PRIu64 ", %d, 'failed', 3000, 0, 2, 'rejected', 3500)",
	    w->campaign, lead.id, MESSAGE_WELCOME);
	root_run("INSERT INTO t_confirmations (lead_id, confirmed_ms, channel, address, ip) VALUES (%" PRIu64
		 ", 4000, 'email', 'a', '192.0.2.8')",
	    lead.id);
	root_run("INSERT INTO t_inbound_calls (id, inbound_id, campaign_id, refused, state, error, lead_id, ip, size, body, "
		 "received_ms, ended_ms,"
		 " expires_ms) VALUES (9, 1, 1, 0, 'updated', NULL, %" PRIu64 ", '192.0.2.9', 0, '', 5000, 0, 0)",
	    lead.id);
	const struct timeline all = read_all(w, lead.id);
	assert_entries(w, &all,
	    "inbound_call -\nconfirmation email\nmessage welcome\nevent score_change\nevent score_change\npoints custom\n"
	    "event new_signup\npoints signup\nsignup -\n");
	const struct timeline_entry *at = all.entries;
	assert_true(at[0].id == 9 && at[0].at_ms == 5000 && slice_equal(at[0].state, SLICE("updated")) &&
		    slice_equal(at[0].ip, SLICE("192.0.2.9")));
	assert_true(slice_equal(at[1].ip, SLICE("192.0.2.8")) && at[1].ended_ms == -1);
	assert_true(at[2].id == 7 && at[2].attempts == 2 && at[2].ended_ms == 3500 &&
		    slice_equal(at[2].text, SLICE("rejected")) && slice_equal(at[2].state, SLICE("failed")));
	assert_true(slice_starts_with(at[3].extra, SLICE("{\"previous_contest_score\":3,\"current_contest_score\":1")));
	assert_true(at[3].delivery_count == 1 && at[3].deliveries->webhook_id == webhook);
	assert_int_equal(at[3].deliveries->id, at[3].id + 1);
	assert_int_equal(at[3].deliveries->state, DELIVERY_PENDING);
	assert_true(at[5].points == -2 && slice_equal(at[5].text, SLICE("sorry")));
	assert_true(at[6].delivery_count == 1 && at[6].deliveries->event == EVENT_NEW_SIGNUP);
	assert_false(slice_present(at[6].extra));
	assert_int_equal(at[7].points, 3);
	assert_true(
	    at[8].id == lead.id && slice_equal(at[8].ip, SLICE("192.0.2.7")) && slice_equal(at[8].user_agent, SLICE("agent")));
}

/* Every entry is on exactly one page, no matter how long pages are. */
static void
assert_pages_join(struct world *w, uint64_t lead, const struct timeline *all)
{
	for (size_t limit = 1; limit <= all->count; limit += 3) {
		struct timeline_place place = { 0 };
		size_t count = 0;
		for (bool more = true; more;) {
			const struct timeline page = read_page(w, lead, &place, limit);
			assert_true(page.count > 0 && page.count <= limit);
			for (size_t i = 0; i < page.count; i++, count++) {
				assert_int_equal(page.entries[i].kind, all->entries[count].kind);
				assert_int_equal(page.entries[i].id, all->entries[count].id);
			}
			more = page.more;
			assert_true(timeline_place_parse(timeline_place_text(w->pool, &page.end), &place));
		}
		assert_int_equal(count, all->count);
	}
}

/* Pages join even if many entries have the same time. */
static void
pages_follow_each_other(void **state)
{
	enum { BOOKINGS = 30 };
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "lead", 4);
	const uint64_t lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead1@example.org").id;
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT %" PRIu64
		 ", IF(seq %% 2, 'referral', 'custom'), seq, 0, 1, 1, 5000 + seq DIV 8 FROM seq_1_to_%d",
	    lead, BOOKINGS);
	const struct timeline all = read_all(w, lead);
	assert_int_equal(all.count, BOOKINGS + 2);
	assert_pages_join(w, lead, &all);
}

/* Each process takes ids from its own block: a later event can have a lower id. */
static void
events_come_by_time(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", 1);
	const uint64_t lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org").id;
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT 10 * seq, "
		 "%" PRIu64 ", %" PRIu64 ", %d, 1, 9000 - 100 * (seq %% 3), '' FROM seq_1_to_6",
	    w->campaign, lead, EVENT_REFERRAL);
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms) SELECT 10 * seq + 1, 10 * seq, 0, 1, 1 FROM "
		 "seq_1_to_6");
	root_run("UPDATE t_leads SET created_ms = 1 WHERE id = %" PRIu64, lead);
	static const uint64_t expected[] = { 60, 30, 40, 10, 50, 20 };
	const struct timeline all = read_all(w, lead);
	assert_int_equal(all.count, ARRAY_SIZE(expected) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(all.entries[i].id, expected[i]);
		assert_int_equal(all.entries[i].delivery_count, 1);
		assert_int_equal(all.entries[i].deliveries->id, expected[i] + 1);
	}
	assert_pages_join(w, lead, &all);
}

static void
places_are_texts(void **state)
{
	static const char *const bad[] = { "", "1", "1.2.3", "1.2.", "a.2", "1.4294967296", "9223372036854775808.2", "-1.2" };
	struct world *w = *state;
	const struct timeline_place place = { INT64_C(1732612345678), 3 };
	struct timeline_place read;
	assert_true(timeline_place_parse(timeline_place_text(w->pool, &place), &read));
	assert_true(read.at_ms == place.at_ms && read.count == place.count);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(timeline_place_parse(slice_of(bad[i]), &read));
}

/* No more is read than necessary, even with many other leads, and for a lead through whom many signed up. */
static void
a_page_costs_what_it_has(void **state)
{
	enum { REFERRED = 3 * TIMELINE_EXAMINED };
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "lead", 20);
	const uint64_t lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead1@example.org").id;
	const struct timeline_place start = { 0 };
	read_page(w, lead, &start, 10);
	int64_t before = root_rows_read();
	assert_int_equal(read_page(w, lead, &start, 10).count, 2);
	assert_in_range(root_rows_read() - before, 2, 60);
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT %" PRIu64
		 ", 'referral', seq, 0, 1, 1, seq FROM seq_1_to_%d",
	    lead, REFERRED);
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT 1000 + seq, "
		 "%" PRIu64 ", %" PRIu64 ", %d, 0, seq, ''"
		 " FROM seq_1_to_%d",
	    w->campaign, lead, EVENT_REFERRAL, REFERRED);
	before = root_rows_read();
	assert_int_equal(read_page(w, lead, &start, 10).count, 10);
	assert_in_range(root_rows_read() - before, 2 * TIMELINE_EXAMINED, 5 * TIMELINE_EXAMINED);
}

/* The origin of a sign-up is read for one lead. */
static void
the_origin_is_found(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "ada@example.org");
	command.as.signup.signup_url = SLICE("https://a.example/form");
	command.as.signup.session_id = SLICE("session");
	command.as.signup.request_id = SLICE("request");
	run_all(w, &command, 1);
	struct lead lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org");
	assert_int_equal(store_find_origin(w->store, w->pool, &lead), RESULT_OK);
	assert_true(slice_equal(lead.signup_url, SLICE("https://a.example/form")) &&
		    slice_equal(lead.session_id, SLICE("session")) && slice_equal(lead.request_id, SLICE("request")));
	lead.id = UNKNOWN_ID;
	assert_int_equal(store_find_origin(w->store, w->pool, &lead), RESULT_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(entries_of_all_tables_come_by_time),
		WORLD_TEST(pages_follow_each_other),
		WORLD_TEST(events_come_by_time),
		WORLD_TEST(places_are_texts),
		WORLD_TEST(a_page_costs_what_it_has),
		WORLD_TEST(the_origin_is_found),
	};
	return WORLD_MAIN(tests);
}
