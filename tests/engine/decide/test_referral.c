/* SPDX-License-Identifier: MIT
 * Referrals: the chain, its credit, and their events (docs/api.md 4.6, 4.7), decided without a database. */
#include "decide_leads.h"
#include "engine/visitors.h"

/* docs/api.md 4.6, Credit and Chain; 4.7: referral is sent for the direct referrer, once per referred lead. */
static void
a_referral_credits_the_chain(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 2;
	campaign(w)->points_indirect = 1;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	sign_up(w, 2, 1);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP, EVENT_NEW_SIGNUP_NOT_EXCLUDED, EVENT_SCORE_CHANGE, EVENT_SCORE_CHANGE,
	    EVENT_REWARD_LEVEL, EVENT_REFERRAL);
	assert_int_equal(w->decision.events[2].lead_id, lead(w, 0)->id);
	assert_int_equal(w->decision.events[3].lead_id, lead(w, 1)->id);
	assert_int_equal(w->decision.events[5].lead_id, lead(w, 1)->id);
	assert_string_equal(extra(w, EVENT_REFERRAL),
	    pool_printf(w->pool, "{\"social_id\":\"%.*s\",\"email\":\"u2@x.org\"}", SLICE_ARGS(lead(w, 2)->social_id)).data);
	assert_string_equal(extra(w, EVENT_SCORE_CHANGE),
	    "{\"previous_contest_score\":2,\"current_contest_score\":3,\"delta\":1,\"reason\":\"referral\"}");
	assert_string_equal(
	    extra(w, EVENT_REWARD_LEVEL), "{\"reward_level_id\":1,\"subject\":\"mug\",\"required_points\":3,\"emailed\":true}");
	assert_int_equal(lead(w, 0)->score, 3);
	assert_int_equal(lead(w, 0)->referrals, 1);
	assert_int_equal(lead(w, 0)->unverified_direct, 1);
	assert_int_equal(lead(w, 0)->unverified_indirect, 1);
	assert_contains(w->decision.events[2].payload, "\"influence\":{\"direct\":1,\"indirect\":1}");
}

/* docs/api.md 4.6: up to 16 levels; a deleted lead ends the chain. */
static void
a_chain_has_sixteen_levels_and_ends_at_a_deleted_lead(void **state)
{
	struct world *w = *state;
	campaign(w)->points_indirect = 1;
	sign_up(w, 0, -1);
	for (int i = 1; i <= 18; i++)
		sign_up(w, i, i - 1);
	assert_int_equal(lead(w, 0)->unverified_direct + lead(w, 0)->unverified_indirect, 16);
	assert_int_equal(lead(w, 0)->score, 16);
	change(w, 17, LEAD_DELETE);
	uint32_t score = lead(w, 16)->score;
	change(w, 18, LEAD_BLOCK);
	assert_int_equal(lead(w, 16)->score, score);
	assert_int_equal(lead(w, 16)->unverified_indirect, 1);
	assert_false(slice_present(lead(w, 18)->parent_social_id));
	sign_up(w, 19, 18);
	assert_int_equal(lead(w, 18)->score, 1);
	assert_int_equal(lead(w, 16)->score, score);
}

/* docs/api.md 4.6: credit is taken back when the lead is flagged, and given again when it is approved, but never twice; the
 * current settings do not matter. */
static void
blocking_takes_back_and_approving_restores(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 5;
	campaign(w)->points_verified = 2;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	change(w, 1, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED, EVENT_SCORE_CHANGE);
	assert_int_equal(lead(w, 0)->score, 7);
	assert_int_equal(lead(w, 0)->verified_direct, 1);
	give_points(w, 0, -4);
	campaign(w)->points_direct = 1;
	change_with(w, 1, LEAD_BLOCK, "bounced");
	ASSERT_EVENTS(w, EVENT_MARKED_AS_FRAUDULENT, EVENT_SCORE_CHANGE);
	assert_string_equal(extra(w, EVENT_MARKED_AS_FRAUDULENT), "[\"bounced\"]");
	assert_int_equal(lead(w, 0)->score, 0);
	assert_int_equal(lead(w, 0)->referrals, 0);
	assert_int_equal(lead(w, 0)->verified_direct, 0);
	assert_int_equal(w->decision.entries[0].requested, -7);
	assert_int_equal(w->decision.entries[0].delta, -3);
	change_with(w, 1, LEAD_BLOCK, "again");
	assert_int_equal(w->decision.event_count, 0);
	assert_int_equal(w->decision.entry_count, 0);
	campaign(w)->points_direct = 5;
	change(w, 1, LEAD_APPROVE);
	ASSERT_EVENTS(w, EVENT_SCORE_CHANGE);
	assert_string_equal(extra(w, EVENT_SCORE_CHANGE),
	    "{\"previous_contest_score\":0,\"current_contest_score\":3,\"delta\":3,\"reason\":\"approve\"}");
	assert_int_equal(lead(w, 0)->referrals, 1);
	change(w, 1, LEAD_APPROVE);
	assert_int_equal(w->decision.event_count, 0);
	assert_false(w->decision.changes);
}

static void
delete_itself(struct world *w, size_t i)
{
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change.action = LEAD_DELETE;
	command.as.change.lead = (struct lead_reference){ .identity = LEAD_BY_ID, .id = lead(w, i)->id };
	command.as.change.address = lead(w, i)->email_key;
	command.as.change.by_lead = true;
	run(w, &command, 1);
	settle(w);
}

/* docs/api.md 4.6, Deletion: a lead that deletes itself could sign up again, so it no longer counts as a referral of any of its
 * referrers. */
static void
a_lead_that_deletes_itself_takes_its_credit_back(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 5;
	campaign(w)->points_indirect = 2;
	for (int i = 0; i < 4; i++)
		sign_up(w, i, i < 3 ? i - 1 : 1);
	change(w, 2, LEAD_BLOCK);
	change(w, 2, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 9);
	assert_int_equal(lead(w, 1)->score, 10);
	change_with(w, 3, LEAD_DELETE, "unverified"); /* deleted by an operator: the credit stays */
	assert_int_equal(lead(w, 1)->score, 10);
	delete_itself(w, 2);
	ASSERT_EVENTS(w, EVENT_SCORE_CHANGE, EVENT_SCORE_CHANGE, EVENT_DELETED);
	assert_string_equal(extra(w, EVENT_SCORE_CHANGE),
	    "{\"previous_contest_score\":9,\"current_contest_score\":7,\"delta\":-2,\"reason\":\"fraud\"}");
	assert_int_equal(lead(w, 0)->unverified_indirect, 1);
	assert_int_equal(lead(w, 1)->score, 5);
	assert_int_equal(lead(w, 1)->referrals, 1);
	assert_int_equal(lead(w, 1)->unverified_direct, 1);
}

/* docs/api.md 4.6, Deletion: spent credit is owed, however often a person signs up, even with another address, and deletes the
 * lead again. */
static void
spent_credit_is_set_off(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 5;
	campaign(w)->points_verified = 2;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	change(w, 1, LEAD_VERIFY);
	give_points(w, 0, -6);
	for (int i = 2; i < 5; i++) {
		delete_itself(w, (size_t)i - 1);
		assert_int_equal(lead(w, 0)->score, 0);
		assert_int_equal(lead(w, 0)->points_owed, 6);
		sign_up(w, i, 0);
		ASSERT_EVENTS(w, EVENT_NEW_SIGNUP, EVENT_NEW_SIGNUP_NOT_EXCLUDED, EVENT_REFERRAL);
		change(w, i, LEAD_VERIFY);
		assert_string_equal(extra(w, EVENT_SCORE_CHANGE),
		    "{\"previous_contest_score\":0,\"current_contest_score\":1,\"delta\":1,\"reason\":\"verified\"}");
		assert_int_equal(lead(w, 0)->points_owed, 0);
	}
	change(w, 4, LEAD_BLOCK); /* only the credit that was booked for it is taken back */
	assert_int_equal(lead(w, 0)->points_owed, 0);
	assert_int_equal(lead(w, 0)->score, 0);
	change(w, 4, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 1);
	campaign(w)->ends_ms = 1; /* after the end, nothing is taken back, or set off later */
	delete_itself(w, 4);
	assert_int_equal(lead(w, 0)->score, 1);
	assert_int_equal(lead(w, 0)->points_owed, 0);
}

/* docs/api.md 4.6, Deletion: credit is also taken back from referrers beyond one that has deleted itself. */
static void
a_gap_keeps_no_credit(void **state)
{
	struct world *w = *state;
	campaign(w)->points_indirect = 2;
	for (int i = 0; i < 3; i++)
		sign_up(w, i, i - 1);
	delete_itself(w, 1);
	assert_int_equal(lead(w, 0)->score, 2);
	delete_itself(w, 2);
	assert_int_equal(lead(w, 0)->score, 0);
	assert_int_equal(lead(w, 0)->unverified_indirect, 0);
}

/* docs/api.md 4.6, Deletion: an address that verified a lead and was removed from it can verify another lead. */
static void
an_address_that_is_taken_away_verifies_no_referral(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 5;
	campaign(w)->require_verification = true;
	sign_up(w, 0, -1);
	struct command command = public_signup(NULL, "+4930123456");
	command.as.signup.referrer_id = lead(w, 0)->social_id;
	run(w, &command, 1);
	settle(w);
	command = public_signup("u1@x.org", "+4930123456");
	run(w, &command, 1);
	settle(w);
	change_with(w, 1, LEAD_VERIFY, "email");
	assert_int_equal(lead(w, 0)->score, 5);
	delete_itself(w, 1);
	assert_false(slice_present(lead(w, 1)->email));
	assert_int_equal(lead(w, 0)->score, 0);
	assert_int_equal(lead(w, 0)->referrals, 0);
	change_with(w, 1, LEAD_VERIFY, "phone");
	assert_int_equal(lead(w, 0)->score, 5);
}

/* docs/api.md 4.1.11, Not verified: points that waited for verification are booked once, when the lead signs up again after the
 * campaign has stopped requiring it. */
static void
what_was_due_is_booked_by_the_next_signup(void **state)
{
	struct world *w = *state;
	campaign(w)->points_signup = 3;
	campaign(w)->points_direct = 5;
	campaign(w)->verify_email = true;
	campaign(w)->public_lookup = PUBLIC_LOOKUP_OWN;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	sign_up(w, 1, 0);
	assert_int_equal(lead(w, 1)->score, 0);
	assert_int_equal(lead(w, 0)->score, 0);
	campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
	for (int i = 0; i < 2; i++) {
		sign_up(w, 1, 0);
		assert_int_equal(lead(w, 1)->score, 3);
		assert_int_equal(lead(w, 0)->score, 5);
		assert_int_equal(lead(w, 0)->referrals, 1);
	}
}

/* docs/api.md 4.6: points are never given twice, in whatever order a lead is blocked, approved, verified and given another
 * email, and however settings change. */
static void
credit_is_earned_once(void **state)
{
	struct world *w = *state;
	campaign(w)->points_direct = 5;
	campaign(w)->points_verified = 3;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	change(w, 1, LEAD_VERIFY);
	for (int i = 0; i < 3; i++) {
		give_points(w, 0, -8); /* a score of 0: the credit cannot be taken back */
		change(w, 1, LEAD_BLOCK);
		struct command update = signup(pool_printf(w->pool, "new%d@x.org", i).data, NULL);
		update.as.signup.subject = lead(w, 1)->social_id;
		run(w, &update, 1);
		settle(w);
		campaign(w)->points_direct = 50;
		change(w, 1, LEAD_APPROVE);
		change(w, 1, LEAD_VERIFY);
		assert_int_equal(lead(w, 0)->score, 0);
		give_points(w, 0, 8);
	}
	change(w, 1, LEAD_BLOCK);
	assert_int_equal(lead(w, 0)->score, 0);
	change(w, 1, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 8);
}

/* docs/api.md 4.6: "the same cause is never booked twice", even if the booking had no effect because the score was at its
 * maximum. */
static void
credit_above_the_maximum_is_lost(void **state)
{
	struct world *w = *state;
	campaign(w)->points_verified = 3;
	sign_up(w, 0, -1);
	lead(w, 0)->score = UINT32_MAX;
	sign_up(w, 1, 0);
	assert_int_equal(w->decision.entry_count, 1);
	lead(w, 0)->score = UINT32_MAX - 1;
	change(w, 1, LEAD_VERIFY);
	assert_int_equal(w->decision.entry_count, 1);
	assert_int_equal(w->decision.entries[0].reason, SCORE_VERIFIED);
	assert_int_equal(w->decision.entries[0].delta, 1);
	assert_int_equal(w->decision.entries[0].requested, 3);
	lead(w, 0)->score = 10;
	change(w, 1, LEAD_BLOCK);
	assert_int_equal(lead(w, 0)->score, 9);
	change(w, 1, LEAD_APPROVE);
	assert_int_equal(lead(w, 0)->score, 10);
}

/* docs/api.md 4.6: with require_verification, a referral counts when the lead is verified; points_verified are added once. */
static void
a_referral_may_have_to_be_verified(void **state)
{
	struct world *w = *state;
	campaign(w)->require_verification = true;
	campaign(w)->points_verified = 1;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	assert_int_equal(lead(w, 0)->referrals, 0);
	assert_int_equal(lead(w, 0)->unverified_direct, 1);
	change(w, 1, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED, EVENT_SCORE_CHANGE, EVENT_REFERRAL);
	assert_contains(w->decision.events[1].extra, "\"delta\":2,\"reason\":\"verified\"");
	assert_contains(w->decision.events[1].payload, "\"verified_leads\":{\"direct\":1,\"indirect\":0}");
	/* docs/api.md 4.3 rule 4: the flag is reset, credit already given stays */
	struct command update = signup("new@x.org", NULL);
	update.as.signup.subject = lead(w, 1)->social_id;
	run(w, &update, 1);
	settle(w);
	assert_int_equal(lead(w, 0)->score, 2);
	assert_int_equal(lead(w, 0)->unverified_direct, 1);
	change(w, 1, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED);
	assert_int_equal(lead(w, 0)->score, 2);
	assert_int_equal(lead(w, 0)->verified_direct, 1);
	/* docs/api.md 4.6, Lost verification: `unverify` has the same effect */
	change(w, 1, LEAD_UNVERIFY);
	assert_int_equal(w->decision.event_count, 0);
	assert_int_equal(lead(w, 0)->score, 2);
	assert_int_equal(lead(w, 0)->referrals, 1);
	assert_int_equal(lead(w, 0)->verified_direct, 0);
	assert_int_equal(lead(w, 0)->unverified_direct, 1);
	change(w, 1, LEAD_VERIFY);
	ASSERT_EVENTS(w, EVENT_VERIFIED);
	assert_int_equal(lead(w, 0)->score, 2);
	assert_int_equal(lead(w, 0)->verified_direct, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_referral_credits_the_chain),
		WORLD_TEST(a_chain_has_sixteen_levels_and_ends_at_a_deleted_lead),
		WORLD_TEST(blocking_takes_back_and_approving_restores),
		WORLD_TEST(a_lead_that_deletes_itself_takes_its_credit_back),
		WORLD_TEST(spent_credit_is_set_off),
		WORLD_TEST(a_gap_keeps_no_credit),
		WORLD_TEST(an_address_that_is_taken_away_verifies_no_referral),
		WORLD_TEST(what_was_due_is_booked_by_the_next_signup),
		WORLD_TEST(credit_is_earned_once),
		WORLD_TEST(credit_above_the_maximum_is_lost),
		WORLD_TEST(a_referral_may_have_to_be_verified),
	};
	return cmocka_run_group_tests_name("engine/decide/referral", tests, NULL, NULL);
}
