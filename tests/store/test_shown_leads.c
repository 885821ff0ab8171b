/* SPDX-License-Identifier: MIT
 * Leads as they are shown: the content, that it is never older than the request, and the number of statements. */
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "os/clock.h"
#include "store/lead_pages.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/definitions.h"
#include "store/rank_cache.h"
#include "store/shown_leads.h"
#include "store/state.h"
#include "world.h"

/* The process's clock, which stands still while a test runs: the age of a cached row does not depend on the machine's load. */
static int64_t now_ms = 1000000;
int64_t __wrap_clock_monotonic_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now_ms;
}

static const struct lead_filter all_leads = {
	.verified = -1, .waitlisted = -1, .fraudulent = -1, .opted_out = -1, .since_ms = -1, .limit = 50
};

static struct lead_page
everyone(struct world *w)
{
	struct lead_page page;
	assert_int_equal(store_list_leads(w->store, w->pool, w->campaign, &all_leads, &page), RESULT_OK);
	return page;
}

/* Looks a lead up through the given store: the world's, or one of its own, as another process would. */
static struct payload_subject *
look_up(struct world *w, struct store *store, uint64_t campaign, const char *email)
{
	struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = slice_of(email) };
	struct payload_subject *subject;
	assert_int_equal(store_look_up(store, w->pool, campaign, &reference, &subject), RESULT_OK);
	return subject;
}

static void
give_points(struct world *w, const char *email, int32_t points)
{
	struct lead_reference reference = { .identity = LEAD_BY_EMAIL, .value = slice_of(email) };
	struct command command = {
		.kind = COMMAND_POINTS, .campaign_id = w->campaign, .as.points = { &reference, 1, points, 0, SLICE_NONE }
	};
	run_all(w, &command, 1);
}

static uint64_t
rank_of(uint64_t campaign, uint32_t score)
{
	return (uint64_t)root_number("SELECT 1 + COUNT(*) FROM t_leads WHERE NOT fraudulent AND campaign_id = %" PRIu64
				     " AND score > %" PRIu32,
	    campaign, score);
}

/* Leads 0 to 8; the seventh is fraudulent. */
static void
plant_scores(struct world *w)
{
	static const int32_t points[] = { 0, 1, 255, 256, 255, 99999, 65536, 70000, 1 };
	sign_up_many(w, "lead", ARRAY_SIZE(points));
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		give_points(w, numbered_email(w->pool, "lead", i), points[i]);
	uint64_t flagged = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead7@example.org").id;
	struct command block = change_of(w, flagged, LEAD_BLOCK);
	run_all(w, &block, 1);
}

/* "1 + number of non-fraudulent leads of the campaign with a higher score (ties share a rank)" */
static void
leads_are_shown_with_their_ranks(void **state)
{
	struct world *w = *state;
	struct payload_subject *subjects;
	plant_scores(w);
	struct lead_page page = everyone(w);
	assert_int_equal(page.count, 9);
	/* the second time from the cache */
	for (int time = 0; time < 2; time++) {
		assert_int_equal(
		    store_show_leads(w->store, w->pool, w->campaign, page.leads, page.count, &subjects), RESULT_OK);
		for (size_t i = 0; i < page.count; i++) {
			assert_ptr_equal(subjects[i].lead, &page.leads[i]);
			assert_int_equal(subjects[i].campaign->counters.leads, 9);
			assert_int_equal(subjects[i].score_rank, rank_of(w->campaign, page.leads[i].score));
		}
	}
}

static void
leads_are_shown_with_what_is_defined(void **state)
{
	struct world *w = *state;
	struct payload_subject *subjects;
	plant_definitions(w->campaign);
	sign_up_many(w, "lead", 2);
	struct lead_page page = everyone(w);
	assert_int_equal(store_show_leads(w->store, w->pool, w->campaign, page.leads, 2, &subjects), RESULT_OK);
	assert_slice(definitions_tag(subjects[1].definitions, w->campaign * 10 + 2)->name, "aaa");
	assert_int_equal(store_show_leads(w->store, w->pool, w->campaign, page.leads, 0, &subjects), RESULT_OK);
	assert_int_equal(store_show_leads(w->store, w->pool, UNKNOWN_ID, page.leads, 2, &subjects), RESULT_NOT_FOUND);
}

/* A look-up by any identity returns the whole row. */
static void
a_look_up_has_the_whole_lead(void **state)
{
	struct world *w = *state;
	struct lead parent = sign_up_referred(w, "parent@example.org", SLICE_NONE);
	uint64_t id = sign_up_referred(w, "ada@example.org", parent.social_id).id;
	root_run("UPDATE t_leads SET counter = 2, phone = '+14155552671', phone_hash = UNHEX(LEFT(SHA2('phone:%" PRIu64
		 ":+14155552671', 256), 32)), verified_email = 1, waitlisted = 1, opted_out = 1, custom_fields = '{\"a\":1}', "
		 "utm = '{\"b\":2}', uid = 'uid', redirect_url = 'http://r.example', redirect_by_key = 1, ip = '10.0.0.1', "
		 "referrer = "
		 "'http://f.example', "
		 "referrals = 3, unverified_direct = 4, unverified_indirect = 5, verified_direct = 6, verified_indirect = 7, "
		 "tag_ids = '1,2', action_ids = '3' WHERE id = %" PRIu64,
	    w->campaign, id);
	struct lead row = find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org");
	const struct lead_reference references[] = {
		{ .identity = LEAD_BY_EMAIL, .value = SLICE("ada@example.org") },
		{ .identity = LEAD_BY_PHONE, .value = SLICE("+14155552671") },
		{ .identity = LEAD_BY_SOCIAL_ID, .value = row.social_id },
		{ .identity = LEAD_BY_ID, .id = id },
	};
	for (size_t i = 0; i < ARRAY_SIZE(references); i++) {
		struct payload_subject *subject;
		assert_int_equal(store_look_up(w->store, w->pool, w->campaign, &references[i], &subject), RESULT_OK);
		const struct lead *lead = subject->lead;
		assert_true(lead->id == id && lead->campaign_id == w->campaign && lead->subscription_number == 2);
		assert_true(lead->counter == 2 && lead->created_ms == row.created_ms && lead->score == row.score);
		assert_true(lead->verified_email && !lead->verified_phone && lead->waitlisted && lead->opted_out &&
			    !lead->sms_opted_out && !lead->fraudulent && lead->redirect_by_key);
		assert_true(lead->referrals == 3 && lead->unverified_direct == 4 && lead->unverified_indirect == 5 &&
			    lead->verified_direct == 6 && lead->verified_indirect == 7);
		const struct {
			struct slice found, expected;
		} texts[] = { { lead->social_id, row.social_id }, { lead->parent_social_id, parent.social_id },
			{ lead->email, row.email }, { lead->email_key, row.email_key }, { lead->phone, row.phone },
			{ lead->custom_fields, row.custom_fields }, { lead->utm, row.utm }, { lead->uid, row.uid },
			{ lead->redirect_url, row.redirect_url }, { lead->ip, row.ip }, { lead->referrer, row.referrer },
			{ lead->tag_ids, row.tag_ids }, { lead->action_ids, row.action_ids } };
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
			assert_true(texts[k].expected.size > 0 && slice_equal(texts[k].found, texts[k].expected));
		assert_int_equal(store_look_up(w->store, w->pool, add_campaign(w), &references[i], &subject), RESULT_NOT_FOUND);
	}
}

/* Another process has everything in its cache and returns each change at once. */
static void
a_look_up_is_never_older_than_its_request(void **state)
{
	struct world *w = *state;
	struct store *other = store_new(&world_options);
	struct campaign_settings settings = plain_campaign();
	const char *email = "lead1@example.org";
	plant_scores(w);
	assert_int_equal(look_up(w, other, w->campaign, email)->score_rank, 6);
	give_points(w, "lead0@example.org", 2);
	assert_int_equal(look_up(w, other, w->campaign, email)->score_rank, 7);
	give_points(w, email, 100000 - 1);
	assert_int_equal(look_up(w, other, w->campaign, email)->score_rank, 1);
	assert_int_equal(look_up(w, other, w->campaign, email)->lead->score, 100000);
	sign_up_many(w, "more", 3);
	assert_int_equal(look_up(w, other, w->campaign, email)->campaign->counters.leads, 12);
	settings.jump_start = 70;
	assert_int_equal(set_campaign(w, w->campaign, settings), RESULT_OK);
	assert_int_equal(look_up(w, other, w->campaign, email)->campaign->jump_start, 70);
	struct definition tag = { .kind = DEFINITION_TAG, .as.tag = { .name = SLICE("new") } };
	struct new_definition new = { .definition = &tag };
	assert_int_equal(store_add_definition(w->store, NULL, w->campaign, &new), RESULT_OK);
	assert_slice(definitions_tag(look_up(w, other, w->campaign, email)->definitions, new.id)->name, "new");
	store_free(&other);
}

/* Campaigns and scores with the same place in the cache do not get each other's rank. */
static void
cached_ranks_are_not_mixed_up(void **state)
{
	struct world *w = *state;
	struct lead_page page;
	plant_scores(w);
	give_points(w, "lead0@example.org", 255 + 1024);
	give_points(w, "lead3@example.org", 255 + 2048 - 256);
	for (int time = 0; time < 3; time++) {
		page = everyone(w);
		for (size_t i = 0; i < page.count; i++)
			assert_int_equal(look_up(w, w->store, w->campaign, page.leads[i].email.data)->score_rank,
			    rank_of(w->campaign, page.leads[i].score));
	}
	enum { OTHERS = 1100 };
	uint64_t campaign = w->campaign, first = rank_of(campaign, 1), second = rank_of(campaign, 255);
	struct campaign_versions versions;
	assert_int_equal(store_find_versions(w->store, w->pool, campaign, &versions), RESULT_OK);
	root_run("INSERT INTO t_campaign_counters (campaign_id, leads_version) SELECT %" PRIu64 " + seq, %" PRIu64
		 " FROM seq_1_to_%d",
	    campaign, versions.leads, OTHERS);
	for (uint64_t other = campaign + 1; other <= campaign + OTHERS; other++) {
		struct rank mine[] = { { 1, 0, 0 }, { 255, 0, 0 } }, others[] = { { 1, 0, 0 }, { 255, 0, 0 } };
		assert_int_equal(store_rank(w->store, w->pool, other, versions.leads, others, 2), RESULT_OK);
		assert_true(others[0].rank == 1 && others[1].rank == 1);
		assert_int_equal(store_rank(w->store, w->pool, campaign, versions.leads, mine, 2), RESULT_OK);
		assert_true(mine[0].rank == first && mine[1].rank == second);
	}
	/* and once more with the ranks of all others cached before ours */
	root_run("UPDATE t_campaign_counters SET leads_version = leads_version + 1");
	versions.leads++;
	for (uint64_t other = campaign + 1; other <= campaign + OTHERS; other++) {
		struct rank others[] = { { 1, 0, 0 }, { 255, 0, 0 } };
		assert_int_equal(store_rank(w->store, w->pool, other, versions.leads, others, 2), RESULT_OK);
	}
	struct rank mine[] = { { 1, 0, 0 }, { 255, 0, 0 } };
	assert_int_equal(store_rank(w->store, w->pool, campaign, versions.leads, mine, 2), RESULT_OK);
	assert_true(mine[0].rank == first && mine[1].rank == second);
	root_run("DELETE FROM t_campaign_counters WHERE campaign_id > %" PRIu64, campaign);
}

/* Of the eight nodes of a score, only the lowest is read again for the next one. */
static void
upper_nodes_are_read_once(void **state)
{
	struct world *w = *state;
	struct campaign_versions versions;
	struct rank first[] = { { 1, 0, 0 } }, beside[] = { { RANK_BUCKETS + 1, 0, 0 } };
	plant_scores(w);
	assert_int_equal(store_find_versions(w->store, w->pool, w->campaign, &versions), RESULT_OK);
	assert_int_equal(store_rank(w->store, w->pool, w->campaign, versions.leads, first, 1), RESULT_OK);
	int64_t before = root_rows_read();
	assert_int_equal(store_rank(w->store, w->pool, w->campaign, versions.leads, beside, 1), RESULT_OK);
	assert_int_equal(root_rows_read() - before, 2); /* the version and the node */
	assert_int_equal(beside->rank, rank_of(w->campaign, RANK_BUCKETS + 1));
}

static int64_t
questions_of_look_up(struct world *w, const char *email)
{
	int64_t before = root_questions();
	look_up(w, w->store, w->campaign, email);
	return root_questions() - before;
}

/* A look-up takes one statement, even after changes by the same process; one more for a rank that another process may have
 * changed. */
static void
a_look_up_is_one_statement(void **state)
{
	struct world *w = *state;
	plant_scores(w);
	look_up(w, w->store, w->campaign, "lead1@example.org"); /* prepares the statements, fills the cache */
	give_points(w, "lead1@example.org", 3);
	assert_int_equal(questions_of_look_up(w, "lead1@example.org"), 1);
	struct world other = *w;
	other.store = store_new(&world_options);
	give_points(&other, "lead1@example.org", 3);
	assert_int_equal(questions_of_look_up(w, "lead1@example.org"), 2); /* the histogram with its version */
	assert_int_equal(questions_of_look_up(w, "lead1@example.org"), 1);
	now_ms += STORE_FRESH_MS;
	assert_int_equal(questions_of_look_up(w, "lead1@example.org"), 5); /* settings and definitions too */
	store_free(&other.store); /* closed here, because the end of a connection counts as a question at some later time */
}

/* Rows changed by hand, without a new version, are seen after a while. */
static void
cached_data_is_read_again(void **state)
{
	struct world *w = *state;
	plant_scores(w);
	assert_int_equal(look_up(w, w->store, w->campaign, "lead1@example.org")->score_rank, 6);
	root_run("UPDATE t_score_histogram SET s15 = s15 + 10 WHERE node = %" PRIu64, rank_first_node(w->campaign));
	assert_int_equal(look_up(w, w->store, w->campaign, "lead1@example.org")->score_rank, 6);
	now_ms += STORE_FRESH_MS;
	assert_int_equal(look_up(w, w->store, w->campaign, "lead1@example.org")->score_rank, 16);
	root_run("UPDATE t_score_histogram SET s15 = s15 - 10 WHERE node = %" PRIu64, rank_first_node(w->campaign));
}

/* Nodes of one look-up serve the next one, but not after a change. */
static void
ranks_follow_every_change(void **state)
{
	struct world *w = *state;
	plant_scores(w);
	for (unsigned round = 0; round < 6; round++) {
		give_points(w, pool_printf(w->pool, "lead%u@example.org", round).data, 1 << 4 * round);
		for (unsigned lead = 0; lead < 6; lead++) {
			const char *email = pool_printf(w->pool, "lead%u@example.org", lead).data;
			const struct payload_subject *subject = look_up(w, w->store, w->campaign, email);
			assert_int_equal(subject->score_rank, rank_of(w->campaign, subject->lead->score));
		}
	}
}

/* On each level of the histogram there is a lead whose score is higher than that of the first lead only on this level. */
static void
ranks_are_counted_on_all_levels(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "lead", RANK_LEVELS + 1);
	for (unsigned i = 0; i <= RANK_LEVELS; i++)
		give_points(
		    w, pool_printf(w->pool, "lead%u@example.org", i).data, 0x12345678 + (i == 0 ? 0 : 1 << 4 * (i - 1)));
	for (unsigned i = 0; i <= RANK_LEVELS; i++) {
		const char *email = pool_printf(w->pool, "lead%u@example.org", i).data;
		const struct payload_subject *subject = look_up(w, w->store, w->campaign, email);
		assert_int_equal(subject->score_rank, rank_of(w->campaign, subject->lead->score));
	}
}

/* Reads run twice as they are, then in a snapshot; inside a snapshot, they run once. */
static void
reads_that_conflict_are_repeated(void **state)
{
	struct world *w = *state;
	struct consistent_read read = { .store = w->store };
	unsigned runs = 0;
	while (store_reads(&read)) {
		struct consistent_read inner = { .store = w->store };
		unsigned inner_runs = 0;
		const bool in_snapshot = ++runs == 3;
		assert_int_equal(store_in_snapshot(w->store), in_snapshot);
		assert_int_equal(db_in_transaction(w->store->db), in_snapshot);
		while (store_reads(&inner)) {
			inner_runs++;
			inner.result = RESULT_CONFLICT;
		}
		assert_int_equal(inner.result, RESULT_CONFLICT);
		assert_int_equal(inner_runs, in_snapshot ? 1 : 3);
		read.result = RESULT_CONFLICT;
	}
	assert_int_equal(runs, 3);
	assert_int_equal(read.result, RESULT_CONFLICT);
	assert_false(store_in_snapshot(w->store) || db_in_transaction(w->store->db));
}

static struct outcome
standing_of(struct world *w, uint64_t campaign, struct slice social_id, bool full)
{
	const struct look_up look_up = {
		.campaign_id = campaign,
		.reference = { .identity = LEAD_BY_SOCIAL_ID, .value = social_id },
		.view.full = full,
		.standing = true,
	}, *one = &look_up;
	struct outcome outcome;
	store_answer_look_ups(w->store, w->pool, &one, 1, &outcome);
	return outcome;
}

/* "with `social_id` the answer adds that lead" */
static void
a_standing_has_lead_rank_and_versions(void **state)
{
	struct world *w = *state;
	plant_scores(w);
	struct slice social_id = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead3@example.org").social_id;
	struct outcome before = standing_of(w, w->campaign, social_id, true);
	assert_int_equal(before.failure, FAILURE_NONE);
	assert_slice(before.body,
	    pool_printf(w->pool, "{\"rank\":3,\"social_id\":\"%.*s\",\"display_name\":\"lead3\",\"contest_score\":256}",
		SLICE_ARGS(social_id))
		.data);
	assert_int_equal(rank_of(w->campaign, 256), 3);
	assert_true(before.place.score == 256 && before.place.subscription_number == 4 && !before.place.fraudulent);
	struct outcome hidden = standing_of(w, w->campaign, social_id, false);
	assert_non_null(strstr(hidden.body.data, "\"display_name\":\"l***\""));
	give_points(w, "lead1@example.org", 1);
	struct outcome after = standing_of(w, w->campaign, social_id, true);
	assert_true(after.versions.leads > before.versions.leads);
	assert_int_equal(after.versions.settings, before.versions.settings);
	assert_int_equal(set_campaign(w, w->campaign, plain_campaign()), RESULT_OK);
	after = standing_of(w, w->campaign, social_id, true);
	assert_true(after.versions.settings > before.versions.settings);
	root_run("UPDATE t_leads SET fraudulent = TRUE WHERE social_id = '%.*s'", SLICE_ARGS(social_id));
	assert_true(standing_of(w, w->campaign, social_id, false).place.fraudulent);
	assert_int_equal(standing_of(w, add_campaign(w), social_id, true).failure, FAILURE_LEAD_NOT_FOUND);
	assert_int_equal(standing_of(w, UNKNOWN_ID, social_id, true).failure, FAILURE_LEAD_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(leads_are_shown_with_their_ranks),
		WORLD_TEST(leads_are_shown_with_what_is_defined),
		WORLD_TEST(a_look_up_has_the_whole_lead),
		WORLD_TEST(a_look_up_is_never_older_than_its_request),
		WORLD_TEST(cached_ranks_are_not_mixed_up),
		WORLD_TEST(upper_nodes_are_read_once),
		WORLD_TEST(a_look_up_is_one_statement),
		WORLD_TEST(cached_data_is_read_again),
		WORLD_TEST(ranks_follow_every_change),
		WORLD_TEST(ranks_are_counted_on_all_levels),
		WORLD_TEST(reads_that_conflict_are_repeated),
		WORLD_TEST(a_standing_has_lead_rank_and_versions),
	};
	return WORLD_MAIN(tests);
}
