/* SPDX-License-Identifier: MIT
 * What a process caches between batches - settings, webhooks, definitions, the histogram - is never older than what the batch
 * would have read under its lock. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "breaks.h"
#include "store/batch_load.h"
#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/definitions.h"
#include "store/state.h"
#include "world.h"

static struct working_set
load(struct world *w, uint64_t campaign)
{
	struct command command = signup(w, campaign, "unknown@example.org");
	const struct command *pointer = &command;
	struct working_set loaded;
	assert_int_equal(db_begin(w->store->db), RESULT_OK);
	assert_int_equal(store_load(w->store, w->pool, &pointer, 1, NULL, &loaded), RESULT_OK);
	db_rollback(w->store->db);
	return loaded;
}

static const struct working_campaign *
seen(struct world *w)
{
	struct working_set loaded = load(w, w->campaign);
	assert_int_equal(loaded.campaign_count, 1);
	return loaded.campaigns;
}

static void
cached_campaigns_are_not_read_again(void **state)
{
	struct world *w = *state;
	sign_up_many(w, "first", 1);
	int64_t before = root_questions();
	sign_up_many(w, "second", 1);
	/* BEGIN, lock, leads by email, the lead, counters, those by hour, token, COMMIT */
	assert_int_equal(root_questions() - before, 8);
}

/* docs/api.md 1, 4.6: a change by the operator applies to the next sign-up, in every process. */
static bool
double_points(void *context, struct definition *definition)
{
	(void)context;
	definition->as.tag.points *= 2;
	return true;
}

static void
every_change_is_seen_by_the_next_batch(void **state)
{
	struct world *w = *state;
	struct store *other = store_new(&world_options);
	struct campaign_settings settings = plain_campaign();
	struct definition tag = { .kind = DEFINITION_TAG, .as.tag = { .name = SLICE("VIP"), .points = 7 } };
	struct webhook_put put = { .campaign_id = w->campaign,
		.url = SLICE("https://a.example/"),
		.events = 1,
		.secret = SLICE("whsec_x"),
		.maximum = 2 };
	struct new_definition new = { .definition = &tag };
	uint64_t webhook_id;
	bool created;
	struct world elsewhere = *w;
	elsewhere.store = other;

	assert_int_equal(seen(w)->campaign.points_signup, 0);
	settings.points_signup = 5;
	assert_int_equal(set_campaign(&elsewhere, w->campaign, settings), RESULT_OK);
	assert_int_equal(seen(w)->campaign.points_signup, 5);

	assert_int_equal(store_add_definition(other, NULL, w->campaign, &new), RESULT_OK);
	const struct definition_reference reference = { DEFINITION_TAG, new.id };
	struct definition_change change = { .edit = double_points };
	assert_int_equal(seen(w)->definitions->tags[0].points, 7);
	assert_int_equal(store_edit_definition(other, NULL, &reference, &change), RESULT_OK);
	assert_int_equal(seen(w)->definitions->tags[0].points, 14);
	assert_int_equal(store_remove_definition(other, NULL, &reference), RESULT_OK);
	assert_int_equal(seen(w)->definitions->tag_count, 0);

	assert_int_equal(store_put_webhook(other, NULL, &put, &webhook_id, &created), RESULT_OK);
	assert_int_equal(seen(w)->webhooks[0].events, 1);
	put.events = 6;
	assert_int_equal(store_put_webhook(other, NULL, &put, &webhook_id, &created), RESULT_OK);
	assert_int_equal(seen(w)->webhooks[0].events, 6);
	assert_int_equal(store_remove_webhook(other, w->campaign, put.url), RESULT_OK);
	assert_int_equal(seen(w)->webhook_count, 0);

	assert_int_equal(store_end_campaign(other, NULL, w->campaign), RESULT_OK);
	assert_true(seen(w)->campaign.ended_ms > 0);
	assert_int_equal(store_reopen_campaign(other, NULL, w->campaign), RESULT_OK);
	assert_int_equal(seen(w)->campaign.ended_ms, -1);

	assert_int_equal(store_suspend_account(other, w->account), RESULT_OK);
	assert_true(seen(w)->campaign.account_suspended);
	assert_int_equal(store_resume_account(other, w->account), RESULT_OK);
	assert_false(seen(w)->campaign.account_suspended);
	store_free(&other);
}

/* Changes by hand do not change the versions. */
static void
unversioned_changes_are_seen_after_the_cache_age(void **state)
{
	struct world *w = *state;
	assert_int_equal(seen(w)->campaign.points_signup, 0);
	root_run("UPDATE t_campaigns SET points_signup = 9 WHERE id = %" PRIu64, w->campaign);
	assert_int_equal(seen(w)->campaign.points_signup, 0);
	for (size_t i = 0; i < w->store->campaign_cache.count; i++)
		w->store->campaign_cache.items[i].read_ms -= STORE_FRESH_MS;
	assert_int_equal(seen(w)->campaign.points_signup, 9);
}

static void
more_campaigns_than_the_cache_holds(void **state)
{
	enum { CAMPAIGNS = 2 * BATCH_MAX + 10 };
	struct world *w = *state;
	struct command commands[CAMPAIGNS];
	for (size_t i = 0; i < CAMPAIGNS; i++)
		commands[i] = signup(w, add_campaign(w), "a@example.org");
	for (size_t from = 0; from < CAMPAIGNS; from += BATCH_MAX)
		run_all(w, commands + from, CAMPAIGNS - from < BATCH_MAX ? CAMPAIGNS - from : BATCH_MAX);
	for (size_t i = 0; i < CAMPAIGNS; i++)
		assert_int_equal(find_campaign(w, commands[i].campaign_id).last_subscription_number, 1);
	sign_up_many(w, "one", 1);
	assert_in_range(w->store->campaign_cache.count, 1, BATCH_MAX + 1);
}

static struct command
points(const struct world *w, const struct lead_reference *lead, int32_t number)
{
	return (struct command){ .kind = COMMAND_POINTS,
		.campaign_id = w->campaign,
		.account_id = w->account,
		.as.points = { .leads = lead, .lead_count = 1, .points = number } };
}

/* Signs up a lead with some points through this store; the rank in the answer must be the counted one. */
static void
check_rank(struct world *w, struct store *store, size_t number, int32_t score)
{
	struct command command = signup(w, w->campaign, numbered_email(w->pool, "rank", number));
	struct outcome outcome;
	command.as.signup.points = score;
	execute(store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_NONE);
	int64_t above =
	    root_number("SELECT COUNT(*) FROM t_leads WHERE NOT fraudulent AND campaign_id = %" PRIu64 " AND score > %" PRId32,
		w->campaign, score);
	assert_non_null(strstr(outcome.body.data, pool_printf(w->pool, "\"contest_score_rank\":%" PRId64 ",", above + 1).data));
}

/* docs/api.md 4.5, contest_score_rank: also when other processes change the histogram, or the same leads. */
static void
ranks_are_right_after_changes_of_other_processes(void **state)
{
	struct world *w = *state;
	struct store *other = store_new(&world_options);
	for (size_t i = 0; i < 40; i++) {
		check_rank(w, i % 3 == 0 ? other : w->store, i, (int32_t)(i * 7919 % 50));
		struct lead_reference lead = { .identity = LEAD_BY_EMAIL,
			.value = slice_of(numbered_email(w->pool, "rank", i / 2)) };
		struct command command = points(w, &lead, i % 5 == 0 ? -20 : 13);
		struct outcome outcome;
		execute(i % 4 == 0 ? other : w->store, w->pool, &command, 1, &outcome);
		assert_int_equal(outcome.failure, FAILURE_NONE);
	}
	check_rank(w, w->store, 40, 10);
	check_rank(w, other, 41, 10);
	store_free(&other);
}

/* A COMMIT of unknown outcome may have changed the histogram. */
static void
ranks_are_right_after_a_lost_answer(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < 12; i++) {
		breaks = (struct breaks){ .commits = i % 3 == 0, .after = i % 2 == 0 };
		check_rank(w, w->store, i, (int32_t)(i * 5 % 12));
		assert_int_equal(breaks.commits, 0);
	}
}

/* More nodes than are cached. */
static void
a_wide_histogram_is_not_cached_whole(void **state)
{
	enum { LEADS = 1000 };
	struct world *w = *state;
	struct command commands[BATCH_MAX];
	for (size_t i = 0; i < LEADS; i += BATCH_MAX) {
		for (size_t k = 0; k < BATCH_MAX; k++) {
			commands[k] = signup(w, w->campaign, numbered_email(w->pool, "wide", i + k));
			commands[k].as.signup.points = (int32_t)((i + k) * 7919 % 99991);
		}
		run_all(w, commands, BATCH_MAX);
	}
	for (size_t i = 0; i < 20; i++)
		check_rank(w, w->store, i, (int32_t)(i * 5003 % 99991));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(cached_campaigns_are_not_read_again),
		WORLD_TEST(every_change_is_seen_by_the_next_batch),
		WORLD_TEST(unversioned_changes_are_seen_after_the_cache_age),
		WORLD_TEST(more_campaigns_than_the_cache_holds),
		WORLD_TEST(ranks_are_right_after_changes_of_other_processes),
		WORLD_TEST(ranks_are_right_after_a_lost_answer),
		WORLD_TEST(a_wide_histogram_is_not_cached_whole),
	};
	return WORLD_MAIN(tests);
}
