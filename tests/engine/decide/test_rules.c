/* SPDX-License-Identifier: MIT
 * Scores, tags, actions, rewards, verification, and their events (docs/api.md 4.6, 4.7, 6), decided without a database.
 * Modules: engine/decide. */
#include "decide_leads.h"

/* docs/api.md 4.6: the score is never below 0, `delta` is the change that took effect, and reasons are in order. */
static void
scores_have_a_floor(void **state)
{
	struct world *w = *state;
	campaign(w)->points_signup = 4;
	struct command command = signup("a@x.org", NULL);
	command.as.signup.points = -10;
	run(w, &command, 1);
	settle(w);
	assert_int_equal(lead(w, 0)->score, 0);
	assert_int_equal(w->decision.entry_count, 2);
	assert_int_equal(w->decision.entries[1].reason, SCORE_CUSTOM);
	assert_int_equal(w->decision.entries[1].requested, -10);
	assert_int_equal(w->decision.entries[1].delta, -4);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP, EVENT_NEW_SIGNUP_NOT_EXCLUDED);
	give_points(w, 0, 3);
	ASSERT_EVENTS(w, EVENT_SCORE_CHANGE, EVENT_REWARD_LEVEL);
	assert_slice(w->decision.entries[0].message, "thanks");
	give_points(w, 0, -9);
	give_points(w, 0, 3);
	ASSERT_EVENTS(w, EVENT_SCORE_CHANGE); /* a level is reached once */
	give_points(w, 0, 0);
	assert_int_equal(w->decision.event_count, 0);
	command = public_signup("b@x.org", NULL);
	command.as.signup.points = 10;
	run(w, &command, 1);
	assert_int_equal(lead(w, 1)->score, 4); /* points need a key */
}

/* docs/api.md 4.6, Tag: given once per lead, with its points; it completes the actions bound to it. */
static void
a_tag_books_and_completes(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	change(w, 0, LEAD_TAG);
	ASSERT_EVENTS(w, EVENT_TAGGED, EVENT_SCORE_CHANGE, EVENT_REWARD_LEVEL, EVENT_REWARD_LEVEL);
	assert_string_equal(extra(w, EVENT_TAGGED), "{\"tag_id\":1,\"name\":\"vip\",\"points\":5}");
	assert_contains(w->decision.events[1].extra, "\"delta\":9,\"reason\":\"action\"");
	assert_contains(w->decision.events[0].payload, "\"completed_actions\":[2]");
	assert_contains(w->decision.events[0].payload, "\"tags\":[{\"tag_id\":1,\"name\":\"vip\"}]");
	change(w, 0, LEAD_TAG);
	assert_false(w->decision.changes);
}

static void
actions_are_completed_once(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	struct command command = {
		.kind = COMMAND_COMPLETION, .rights = RIGHTS_FULL_KEY, .campaign_id = CAMPAIGN, .account_id = ACCOUNT
	};
	command.as.completion =
	    (struct completion){ { .identity = LEAD_BY_EMAIL, .value = SLICE("u0@x.org") }, 1, SLICE("twice") };
	run(w, (struct command[]){ command, command }, 2);
	assert_int_equal(w->outcomes[1].failure, FAILURE_NONE);
	assert_int_equal(lead(w, 0)->score, 2);
	assert_int_equal(w->decision.entry_count, 1);
	assert_true(slice_equal(w->decision.entries[0].message, SLICE("twice")));
	command.as.completion.action_id = 2;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_INVALID_ACTION); /* bound to a tag: a call cannot complete it */
	command.as.completion.action_id = 3;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_ACTION_NOT_FOUND);
	command.as.completion = (struct completion){ { .identity = LEAD_BY_EMAIL, .value = SLICE("no@x.org") }, 1, SLICE_NONE };
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_LEAD_NOT_FOUND);
}

/* docs/api.md 4.1.3: without a key, only public actions that are not bound to a tag exist. */
static void
a_page_completes_public_actions(void **state)
{
	static const struct action actions[] = {
		{ .id = 1, .points = 2 },
		{ .id = 2, .points = 2, .tag_id = 1, .public = true },
		{ .id = 3, .points = 3, .public = true },
	};
	static const enum failure failures[] = { FAILURE_ACTION_NOT_FOUND, FAILURE_ACTION_NOT_FOUND, FAILURE_NONE,
		FAILURE_ACTION_NOT_FOUND };
	struct world *w = *state;
	struct definitions definitions = *w->set.campaigns[0].definitions;
	struct command command = { .kind = COMMAND_COMPLETION, .campaign_id = CAMPAIGN };
	definitions.actions = actions;
	definitions.action_count = ARRAY_SIZE(actions);
	w->set.campaigns[0].definitions = &definitions;
	sign_up(w, 0, -1);
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		command.as.completion.action_id = i + 1;
		command.as.completion.lead = (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = SLICE("no@x.org") };
		run(w, &command, 1);
		assert_int_equal(
		    w->outcomes[0].failure, failures[i] == FAILURE_NONE ? FAILURE_LEAD_NOT_FOUND : FAILURE_ACTION_NOT_FOUND);
		command.as.completion.lead.value = SLICE("u0@x.org");
		run(w, &command, 1);
		assert_int_equal(w->outcomes[0].failure, failures[i]);
	}
	assert_int_equal(lead(w, 0)->score, 3);
}

/* docs/api.md 4.1: an existing lead is only tagged. */
static void
tagging_is_no_signup_for_an_existing_lead(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	lead(w, 0)->opted_out = true;
	struct command command = signup("u0@x.org", NULL);
	struct signup request = command.as.signup;
	command.kind = COMMAND_TAGGING;
	command.as.tagging = (struct tagging){ request, 1, .update = false };
	run(w, &command, 1);
	ASSERT_EVENTS(w, EVENT_TAGGED, EVENT_SCORE_CHANGE, EVENT_REWARD_LEVEL, EVENT_REWARD_LEVEL);
	assert_contains(w->outcomes[0].body, "\"counter\":1,");
	assert_true(lead(w, 0)->opted_out);
	command.as.tagging.signup.email = command.as.tagging.signup.email_key = SLICE("new@x.org");
	run(w, &command, 1);
	assert_int_equal(w->decision.events[0].type, EVENT_NEW_SIGNUP);
	assert_contains(w->outcomes[0].body, "\"contest_score\":9,");
	command.as.tagging.tag_id = 9;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_TAG_NOT_FOUND);
}

/* docs/inbound.md 2: one command updates and tags an existing lead. */
static void
tagging_may_update_an_existing_lead(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	lead(w, 0)->opted_out = true;
	struct command command = signup("u0@x.org", NULL);
	struct signup request = command.as.signup;
	command.kind = COMMAND_TAGGING;
	command.as.tagging = (struct tagging){ request, 1, .update = true };
	run(w, &command, 1);
	ASSERT_EVENTS(w, EVENT_REPEAT_SIGNUP, EVENT_TAGGED, EVENT_SCORE_CHANGE, EVENT_REWARD_LEVEL, EVENT_REWARD_LEVEL);
	assert_contains(w->outcomes[0].body, "\"counter\":2,");
	assert_false(lead(w, 0)->opted_out);
	assert_int_equal(w->outcomes[0].lead_id, lead(w, 0)->id);
	run(w, &command, 1); /* the tag applies once */
	ASSERT_EVENTS(w, EVENT_REPEAT_SIGNUP);
	assert_false(w->outcomes[0].created);
}

/* docs/api.md 6: changes and events continue after the end; their points are never booked. */
static void
nothing_is_booked_after_the_end(void **state)
{
	struct world *w = *state;
	campaign(w)->require_verification = true;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	campaign(w)->ended_ms = w->set.now_ms;
	change(w, 1, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED, EVENT_REFERRAL);
	assert_int_equal(lead(w, 0)->score, 0);
	change(w, 0, LEAD_TAG);
	ASSERT_EVENTS(w, EVENT_TAGGED);
	give_points(w, 0, 5);
	assert_failure(w, 0, FAILURE_CAMPAIGN_ENDED);
	campaign(w)->ended_ms = -1;
	change(w, 1, LEAD_VERIFY);
	assert_int_equal(w->decision.event_count, 0);
	change(w, 1, LEAD_BLOCK);
	change(w, 1, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 0);
	/* an approval after the end does not restore credit that was taken back before it */
	sign_up(w, 2, 0);
	change(w, 2, LEAD_VERIFY);
	assert_int_equal(lead(w, 0)->score, 1);
	change(w, 2, LEAD_BLOCK);
	campaign(w)->ended_ms = w->set.now_ms;
	change(w, 2, LEAD_APPROVE);
	campaign(w)->ended_ms = -1;
	change(w, 2, LEAD_BLOCK);
	change(w, 2, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 0);
}

/* docs/api.md 4.7: `deleted` shows the lead as it was before; 4.6: credit stays. */
static void
a_deleted_lead_is_shown_as_it_was(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	change(w, 1, LEAD_DELETE);
	ASSERT_EVENTS(w, EVENT_DELETED);
	assert_contains(w->decision.events[0].payload, "\"lead_count\":102,");
	assert_contains(w->decision.events[0].payload, "\"contest_score_rank\":2,");
	assert_int_equal(lead(w, 0)->score, 1);
	assert_int_equal(lead(w, 0)->referrals, 1);
	assert_int_equal(campaign(w)->counters.leads, 1);
	assert_int_equal(campaign(w)->counters.referred, 0);
	struct command again = signup("u1@x.org", NULL);
	run(w, &again, 1);
	assert_contains(w->outcomes[0].body, "\"subscription_number\":3,");
}

/* The counters for statistics, and opt-outs. */
static void
counters_follow_the_leads(void **state)
{
	struct world *w = *state;
	struct campaign_counters *counters = &campaign(w)->counters;
	campaign(w)->waitlist = true;
	sign_up(w, 0, -1);
	assert_int_equal(counters->waitlisted, 1);
	change(w, 0, LEAD_UNWAITLIST);
	change(w, 0, LEAD_UNWAITLIST);
	assert_int_equal(counters->waitlisted, 0);
	assert_int_equal(counters->removed_from_waitlist, 1);
	change(w, 0, LEAD_WAITLIST);
	assert_int_equal(counters->removed_from_waitlist, 0);
	change(w, 0, LEAD_OPTOUT);
	ASSERT_EVENTS(w, EVENT_OPTED_OUT);
	change(w, 0, LEAD_OPTOUT);
	assert_int_equal(w->decision.event_count, 0);
	assert_false(w->decision.changes); /* no row is written */
	change(w, 0, LEAD_SMS_OPTOUT);
	ASSERT_EVENTS(w, EVENT_PHONE_NUMBER_OPT_OUT);
	change(w, 0, LEAD_SMS_OPTOUT);
	assert_false(w->decision.changes);
	assert_int_equal(counters->opted_out, 1);
	change_with(w, 0, LEAD_VERIFY, "phone"); /* it has no phone number */
	assert_int_equal(counters->verified, 0);
	change_with(w, 0, LEAD_VERIFY, "email");
	assert_int_equal(counters->verified, 1);
	assert_true(lead(w, 0)->verified_email);
	change(w, 0, LEAD_SMS_OPTIN);
	assert_int_equal(w->decision.event_count, 0);
	assert_true(w->decision.changes);
	assert_false(lead(w, 0)->sms_opted_out);
	change(w, 0, LEAD_SMS_OPTIN);
	assert_false(w->decision.changes);
	change_with(w, 0, LEAD_UNVERIFY, "phone");
	assert_false(w->decision.changes);
	change_with(w, 0, LEAD_UNVERIFY, "email");
	assert_int_equal(w->decision.event_count, 0);
	assert_int_equal(counters->verified, 0);
	change(w, 0, LEAD_UNVERIFY);
	assert_false(w->decision.changes);
}

/* docs/api.md 4.1.9, Number: a code verifies only the number that it was made for, even if the number changes while the code is
 * compared. */
static void
a_code_verifies_its_own_number_alone(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change = (struct lead_change){ .action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, 0)->id },
		.argument = SLICE("phone"),
		.address = SLICE("+14155552671") };
	const struct slice numbers[] = { SLICE_NONE, SLICE("+14155552672"), SLICE("+14155552671") };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const bool same = slice_equal(numbers[i], command.as.change.address);
		lead(w, 0)->phone = numbers[i];
		run(w, &command, 1);
		assert_int_equal(w->outcomes[0].failure, same ? FAILURE_NONE : FAILURE_INVALID_CODE);
		assert_int_equal(w->decision.changes, same);
		settle(w);
		assert_int_equal(lead(w, 0)->verified_phone, same);
	}
}

/* docs/api.md 4.1.4: `channel` chooses the channel; without it, neither channel stays verified. */
static void
unverify_without_a_channel_resets_both(void **state)
{
	struct world *w = *state;
	const struct campaign_counters *counters = &campaign(w)->counters;
	struct command command = signup("u0@x.org", "+491701234567");
	run(w, &command, 1);
	settle(w);
	for (int i = 0; i < 2; i++) {
		change_with(w, 0, LEAD_VERIFY, "email");
		assert_int_equal(w->decision.event_count, i == 0 ? 1 : 0);
		change_with(w, 0, LEAD_VERIFY, "phone");
		change_with(w, 0, LEAD_UNVERIFY, "email");
		assert_false(lead(w, 0)->verified_email);
		assert_true(lead(w, 0)->verified_phone);
		assert_int_equal(counters->verified, 1);
	}
	change_with(w, 0, LEAD_VERIFY, "email");
	change(w, 0, LEAD_UNVERIFY);
	assert_false(lead(w, 0)->verified_email || lead(w, 0)->verified_phone);
	assert_int_equal(counters->verified, 0);
	change(w, 0, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED);
}

/* decide.h: an item of a bulk job is run once, when the job is at it, even if it fails. */
static void
items_of_bulk_jobs_run_once(void **state)
{
	struct world *w = *state;
	struct working_job job = { .id = 5, .position = 0, .total = 2 };
	sign_up(w, 0, -1);
	w->set.jobs = &job;
	w->set.job_count = 1;
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change =
	    (struct lead_change){ .action = LEAD_BLOCK, .lead = { .identity = LEAD_BY_ID, .id = lead(w, 0)->id }, .job_id = 5 };
	struct command missing = command;
	missing.as.change.lead.id = 99;
	missing.as.change.job_position = 1;
	campaign(w)->account_suspended = true; /* the job was queued before the suspension */
	run(w, (struct command[]){ missing, command, command, missing }, 4);
	assert_failure(w, 0, FAILURE_NOT_FOUND);
	assert_int_equal(w->outcomes[1].failure, FAILURE_NONE);
	assert_failure(w, 2, FAILURE_NOT_FOUND);
	assert_failure(w, 3, FAILURE_LEAD_NOT_FOUND);
	assert_int_equal(job.position, 2);
	assert_true(job.changed);
	assert_int_equal(lead(w, 0)->times_flagged, 1);
}

/* decide.h: a decision that ran out of ids reports how many it needs. */
static void
too_few_ids_make_no_event(void **state)
{
	struct world *w = *state;
	w->history_ids = (struct id_range){ 1, 4 };
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("b@x.org", NULL) }, 2);
	assert_true(w->decision.short_of_ids);
	assert_int_equal(w->decision.history_wanted, 8);
}

/* docs/api.md 4.5: fraudulent leads do not lower the rank of others. */
static void
fraudulent_leads_have_no_effect_on_ranks(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++)
		sign_up(w, i, -1);
	give_points(w, 0, 5);
	give_points(w, 1, 5);
	assert_contains(w->decision.events[0].payload, "\"contest_score_rank\":1,");
	change(w, 2, LEAD_OPTOUT);
	assert_contains(w->decision.events[0].payload, "\"contest_score_rank\":3,");
	change(w, 0, LEAD_BLOCK);
	assert_contains(w->decision.events[0].payload, "\"contest_score_rank\":1,");
	change(w, 2, LEAD_VERIFY);
	assert_contains(w->decision.events[0].payload, "\"contest_score_rank\":2,");
	decide_rank_changes(w->pool, &w->decision);
	assert_int_equal(w->decision.rank_change_count, 0);
	uint64_t *nodes;
	assert_int_equal(decide_rank_nodes(w->pool, &w->decision, &nodes), w->decision.event_count * RANK_LEVELS);
}

/* decide.h: leads with the same score, and their events, need the nodes of this score only once; each other score adds its
 * nodes. */
static void
leads_of_one_score_need_the_same_nodes(void **state)
{
	struct world *w = *state;
	uint64_t *nodes;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("b@x.org", NULL), signup("c@x.org", NULL) }, 3);
	assert_int_equal(decide_rank_nodes(w->pool, &w->decision, &nodes), RANK_LEVELS);
	struct command richer = signup("d@x.org", NULL);
	richer.as.signup.points = 1000;
	run(w, (struct command[]){ signup("e@x.org", NULL), richer, signup("f@x.org", NULL) }, 3);
	assert_int_equal(decide_rank_nodes(w->pool, &w->decision, &nodes), 2 * RANK_LEVELS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(scores_have_a_floor),
		WORLD_TEST(a_tag_books_and_completes),
		WORLD_TEST(actions_are_completed_once),
		WORLD_TEST(a_page_completes_public_actions),
		WORLD_TEST(tagging_is_no_signup_for_an_existing_lead),
		WORLD_TEST(tagging_may_update_an_existing_lead),
		WORLD_TEST(nothing_is_booked_after_the_end),
		WORLD_TEST(a_deleted_lead_is_shown_as_it_was),
		WORLD_TEST(counters_follow_the_leads),
		WORLD_TEST(unverify_without_a_channel_resets_both),
		WORLD_TEST(a_code_verifies_its_own_number_alone),
		WORLD_TEST(items_of_bulk_jobs_run_once),
		WORLD_TEST(too_few_ids_make_no_event),
		WORLD_TEST(fraudulent_leads_have_no_effect_on_ranks),
		WORLD_TEST(leads_of_one_score_need_the_same_nodes),
	};
	return cmocka_run_group_tests_name("engine/decide/rules", tests, NULL, NULL);
}
