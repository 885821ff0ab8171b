/* SPDX-License-Identifier: MIT
 * Which lead a sign-up finds, and which of its addresses it changes (docs/api.md 4.1.11, 4.3). Modules: engine/decide. */
#include "decide_world.h"

#include "engine/visitors.h"

/* docs/api.md 4.3 rule 1: the email of one lead together with the phone of another. */
static void
email_and_phone_of_two_leads_conflict(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup(NULL, "+4930123456"), signup("a@x.org", "+4930123456") }, 3);
	assert_int_equal(w->set.lead_count, 2);
	assert_failure(w, 2, FAILURE_CONFLICTING_IDENTIFIERS);
	assert_int_equal(w->set.leads[0]->lead.counter, 1);
	/* without the right to set addresses the number is ignored */
	run(w, (struct command[]){ public_signup("a@x.org", "+4930123456") }, 1);
	assert_int_equal(w->set.leads[0]->lead.counter, 2);
	assert_false(slice_present(w->set.leads[0]->lead.phone));
	assert_int_equal(w->set.leads[1]->lead.counter, 1);
}

static void
an_email_completes_a_lead_that_has_a_phone_only(void **state)
{
	struct world *w = *state;
	run(w,
	    (struct command[]){ signup(NULL, "+4930123456"), public_signup("a@x.org", "+4930123456"), signup("a@x.org", NULL) },
	    3);
	assert_int_equal(w->set.lead_count, 1);
	assert_contains(w->outcomes[2].body, "\"email\":\"a@x.org\",\"phone_number\":\"+4930123456\"");
	assert_int_equal(w->set.leads[0]->lead.email_hash.size, LEAD_HASH_SIZE);
}

/* docs/api.md 4.3 rule 4 */
static void
only_a_key_replaces_identities(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", "+4930123456") }, 1);
	settle(w);
	w->set.leads[0]->lead.verified_phone = w->set.leads[0]->lead.verified_email = true;
	run(w, (struct command[]){ public_signup("a@x.org", "+4930999999") }, 1);
	assert_slice(w->set.leads[0]->lead.phone, "+4930123456");
	assert_true(w->set.leads[0]->lead.verified_phone);
	run(w, (struct command[]){ signup("a@x.org", "+4930999999") }, 1);
	assert_slice(w->set.leads[0]->lead.phone, "+4930999999");
	assert_false(w->set.leads[0]->lead.verified_phone);
	assert_true(w->set.leads[0]->lead.verified_email);
	/* the first spelling stays (docs/api.md 4.2) */
	struct command other = signup("A@x.org", NULL);
	other.as.signup.email_key = SLICE("a@x.org");
	run(w, &other, 1);
	assert_slice(w->set.leads[0]->lead.email, "a@x.org");
}

/* docs/api.md 4.3: a stranger has stored the number with another email. */
static void
without_a_key_the_email_takes_precedence(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ public_signup("eve@x.org", "+4930123456") }, 1);
	settle(w);
	/* the first request creates a lead, the second finds it by its email; the number stays with the other lead */
	for (uint32_t counter = 1; counter <= 2; counter++) {
		run(w, (struct command[]){ public_signup("ada@x.org", "+4930123456") }, 1);
		settle(w);
		assert_int_equal(w->set.lead_count, 2);
		const struct lead *eve = &w->set.leads[0]->lead, *ada = &w->set.leads[1]->lead;
		assert_slice(eve->email, "eve@x.org");
		assert_slice(eve->phone, "+4930123456");
		assert_int_equal(eve->counter, 1);
		assert_slice(ada->email, "ada@x.org");
		assert_int_equal(ada->counter, counter);
		assert_false(slice_present(ada->phone) || slice_present(ada->phone_hash));
		assert_contains(
		    w->outcomes[0].body, pool_printf(w->pool, "\"social_id\":\"%.*s\"", SLICE_ARGS(ada->social_id)).data);
	}
	/* with a key it is a conflict */
	run(w, (struct command[]){ signup("ada@x.org", "+4930123456") }, 1);
	assert_failure(w, 0, FAILURE_CONFLICTING_IDENTIFIERS);
	/* the number alone, or with its lead's email, finds its lead */
	run(w, (struct command[]){ public_signup(NULL, "+4930123456"), public_signup("eve@x.org", "+4930123456") }, 2);
	assert_int_equal(w->set.lead_count, 2);
	assert_int_equal(w->set.leads[0]->lead.counter, 3);
	/* with must_exist the number does not match either */
	struct command command = public_signup("new@x.org", "+4930123456");
	command.as.signup.must_exist = true;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_LEAD_NOT_FOUND);
}

/* docs/api.md 4.1.11: if addresses are not shown, the owner of a lead without an email cannot find out which emails are
 * known. */
static void
a_number_of_ones_own_shows_no_emails(void **state)
{
	struct world *w = *state;
	static const char *const emails[] = { "known@x.org", "new@x.org" };
	struct campaign *campaign = &w->set.campaigns[0].campaign;
	campaign->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	campaign->public_update = PUBLIC_UPDATE_OWN;
	run(w, (struct command[]){ public_signup("known@x.org", NULL), public_signup(NULL, "+4930123456") }, 2);
	settle(w);
	const struct slice own_id = w->set.leads[1]->lead.social_id;
	for (size_t i = 0; i < ARRAY_SIZE(emails); i++) {
		struct command command = public_signup(emails[i], "+4930123456");
		command.as.signup.own_id = own_id;
		run(w, &command, 1);
		assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
		assert_false(slice_present(w->set.leads[1]->lead.email));
		settle(w);
	}
	assert_int_equal(w->set.leads[0]->lead.counter, 2);
	assert_int_equal(w->set.lead_count, 3);
}

/* Returns the redirect_url of the only answer, or SLICE_NONE if it is null. */
static struct slice
shown_redirect(const struct world *w)
{
	static const char name[] = "\"redirect_url\":";
	struct slice body = w->outcomes[0].body;
	const char *value = strstr(body.data, name);
	assert_non_null(value);
	value += strlen(name);
	return *value == 'n' ? SLICE_NONE : (struct slice){ value + 1, strcspn(value + 1, "?") };
}

/* docs/api.md 4.5: a URL that another request without a key has stored is not shown without a key. */
static void
without_a_key_a_redirect_url_stored_by_others_is_not_shown(void **state)
{
	struct world *w = *state;
	const struct {
		bool key;
		const char *sent, *shown;
	} steps[] = { { false, "/evil", "/evil" }, { false, NULL, NULL }, { true, NULL, "/evil" }, { true, "/own", "/own" },
		{ false, NULL, "/own" }, { false, "/evil", "/evil" }, { false, NULL, NULL }, { true, NULL, "/evil" },
		{ false, NULL, NULL } };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct command command = steps[i].key ? signup("a@x.org", NULL) : public_signup("a@x.org", NULL);
		command.as.signup.redirect_url = slice_of(steps[i].sent);
		run(w, &command, 1);
		settle(w);
		struct slice shown = shown_redirect(w);
		assert_int_equal(slice_present(shown), steps[i].shown != NULL);
		if (steps[i].shown != NULL)
			assert_slice(shown, steps[i].shown);
		assert_contains(
		    w->decision.events[0].payload, i < 3 || i > 4 ? "\"redirect_url\":\"/evil?" : "\"redirect_url\":\"/own?");
	}
	/* of a new lead */
	struct command command = signup("b@x.org", NULL);
	command.as.signup.redirect_url = SLICE("/own");
	run(w, &command, 1);
	settle(w);
	run(w, (struct command[]){ public_signup("b@x.org", NULL) }, 1);
	assert_slice(shown_redirect(w), "/own");
}

/* docs/api.md 4.3 rule 2, 4.3.3 */
static void
a_key_may_name_the_lead_to_update(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("b@x.org", NULL) }, 2);
	settle(w);
	struct command update = signup("new@x.org", NULL);
	update.as.signup.subject = w->set.leads[0]->lead.social_id;
	update.as.signup.must_exist = true;
	run(w, &update, 1);
	assert_contains(w->outcomes[0].body, "\"email\":\"new@x.org\"");
	ASSERT_EVENTS(w, EVENT_REPEAT_SIGNUP);
	update.as.signup.email = update.as.signup.email_key = SLICE("b@x.org");
	run(w, &update, 1);
	assert_failure(w, 0, FAILURE_CONFLICTING_IDENTIFIERS);
	update.as.signup.subject = SLICE("ZZZZZZZZZZ");
	run(w, &update, 1);
	assert_failure(w, 0, FAILURE_LEAD_NOT_FOUND);
	/* an id of another campaign is not found */
	update.campaign_id = CAMPAIGN + 1;
	update.as.signup.subject = w->set.leads[0]->lead.social_id;
	run(w, &update, 1);
	assert_failure(w, 0, FAILURE_LEAD_NOT_FOUND);
}

/* docs/manage.md 2: a key without the right `change` is a stranger to existing leads, whatever its other rights. A key with
 * only this right is a stranger to their addresses. */
static void
only_the_right_to_change_changes_a_lead(void **state)
{
	static const enum public_update updates[] = { PUBLIC_UPDATE_NONE, PUBLIC_UPDATE_OWN, PUBLIC_UPDATE_ALL };
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", "+4930123456") }, 1);
	settle(w);
	struct lead *lead = &w->set.leads[0]->lead;
	for (unsigned number = 0; number < RIGHTS * ARRAY_SIZE(updates); number++) {
		struct command command = signup("a@x.org", "+4930999999"), other = signup("b@x.org", "+4930123456");
		const bool may = (1 << number % RIGHTS) == RIGHT_CHANGE, open = updates[number / RIGHTS] == PUBLIC_UPDATE_ALL;
		w->set.campaigns[0].campaign.public_update = updates[number / RIGHTS];
		command.rights = other.rights = UINT32_C(1) << number % RIGHTS;
		command.as.signup.points = 7;
		command.as.signup.redirect_url = SLICE("/mine");
		lead->phone = SLICE("+4930123456");
		lead->redirect_url = SLICE_NONE;
		lead->redirect_by_key = false;
		lead->opted_out = true;
		lead->score = 0;
		run(w, (struct command[]){ command, other }, 2);
		settle(w);
		assert_slice(lead->phone, "+4930123456");
		assert_int_equal(lead->score, may ? 7 : 0);
		assert_int_equal(slice_present(lead->redirect_url), may || open);
		assert_int_equal(lead->redirect_by_key, may);
		assert_int_equal(lead->opted_out, !may && !open);
	}
	assert_int_equal(w->set.lead_count, 2); /* the number of the first did not match the second */
}

/* docs/manage.md 2: a caller that sets an address could reach the lead's page by a mail or a text to it. */
static void
only_the_right_to_read_as_well_sets_addresses(void **state)
{
	static const enum public_update updates[] = { PUBLIC_UPDATE_NONE, PUBLIC_UPDATE_OWN, PUBLIC_UPDATE_ALL };
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup(NULL, "+4930123456") }, 2);
	settle(w);
	struct lead *mailed = &w->set.leads[0]->lead, *called = &w->set.leads[1]->lead;
	for (size_t i = 0; i < ARRAY_SIZE(updates); i++) {
		struct command adds = signup("a@x.org", "+4930999999"), names = signup("mine@x.org", NULL);
		adds.rights = names.rights = RIGHT_CHANGE;
		names.as.signup.subject = called->social_id;
		names.as.signup.must_exist = true;
		w->set.campaigns[0].campaign.public_update = updates[i];
		run(w, (struct command[]){ adds, names }, 2);
		assert_failure(w, 1, FAILURE_MISSING_RIGHT);
		settle(w);
		assert_int_equal(slice_present(mailed->phone), updates[i] == PUBLIC_UPDATE_ALL); /* as without a key */
		assert_false(slice_present(called->email));
		mailed->phone = SLICE_NONE;
		names.rights |= RIGHT_LEADS;
		run(w, &names, 1);
		assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
		settle(w);
		assert_slice(called->email, "mine@x.org");
		called->email = called->email_key = SLICE_NONE;
	}
}

/* docs/api.md 4.1.11: only callers that may read leads can find out which leads exist. */
static void
only_the_right_to_read_shows_a_lead(void **state)
{
	struct world *w = *state;
	w->set.campaigns[0].campaign.public_lookup = PUBLIC_LOOKUP_OWN;
	run(w, (struct command[]){ signup("a@x.org", NULL) }, 1);
	settle(w);
	for (unsigned number = 0; number < RIGHTS; number++) {
		struct command command = signup("a@x.org", NULL);
		command.rights = UINT32_C(1) << number;
		run(w, &command, 1);
		settle(w);
		assert_int_equal(w->outcomes[0].showing, command.rights == RIGHT_LEADS ? SHOWN_BY_VIEW : WITHHELD);
	}
}

static void
must_exist_makes_no_lead(void **state)
{
	struct world *w = *state;
	struct command command = signup("a@x.org", NULL);
	command.as.signup.must_exist = true;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_LEAD_NOT_FOUND);
	assert_int_equal(w->set.lead_count, 0);
	assert_int_equal(w->decision.event_count, 0);
	assert_false(w->decision.changes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(email_and_phone_of_two_leads_conflict),
		WORLD_TEST(an_email_completes_a_lead_that_has_a_phone_only),
		WORLD_TEST(only_a_key_replaces_identities),
		WORLD_TEST(without_a_key_the_email_takes_precedence),
		WORLD_TEST(a_number_of_ones_own_shows_no_emails),
		WORLD_TEST(without_a_key_a_redirect_url_stored_by_others_is_not_shown),
		WORLD_TEST(a_key_may_name_the_lead_to_update),
		WORLD_TEST(only_the_right_to_change_changes_a_lead),
		WORLD_TEST(only_the_right_to_read_as_well_sets_addresses),
		WORLD_TEST(only_the_right_to_read_shows_a_lead),
		WORLD_TEST(must_exist_makes_no_lead),
	};
	return cmocka_run_group_tests_name("engine/decide/matching", tests, NULL, NULL);
}
