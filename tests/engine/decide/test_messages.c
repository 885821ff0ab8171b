/* SPDX-License-Identifier: MIT
 * What callers without a key can see and change, the mails that commands request, and confirmations by leads (docs/api.md
 * 4.1.11, 4.1.12), decided without a database. Modules: engine/decide. */
#include "decide_leads.h"

#include "base/duration.h"
#include "engine/visitors.h"

/* A strict campaign with all mails. */
static int
open_strict(void **state)
{
	open_world(state);
	struct world *w = *state;
	w->id_supply.sends_mail = true;
	campaign(w)->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	campaign(w)->public_update = PUBLIC_UPDATE_OWN;
	campaign(w)->mails = MESSAGES_CHOSEN;
	return 0;
}

/* Signs up an email address without a key. */
static void
sign_up_public(struct world *w, const char *email)
{
	const struct command command = public_signup(email, NULL);
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
}

static const struct made_message *
only_message(const struct world *w)
{
	assert_int_equal(w->decision.message_count, 1);
	return &w->decision.messages[0];
}

#define ASSERT_MAIL(w, lead_number, wanted)                                             \
	do {                                                                            \
		assert_int_equal(only_message(w)->kind, (wanted));                      \
		assert_int_equal(only_message(w)->lead_id, lead(w, (lead_number))->id); \
		assert_int_equal(only_message(w)->campaign_id, CAMPAIGN);               \
	} while (0)

static void
confirm_as(struct world *w, size_t i, const char *key)
{
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change = (struct lead_change){
		.action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, i)->id },
		.argument = SLICE("email"),
		.address = slice_of(key),
		.by_lead = true,
		.ip = SLICE("192.0.2.1"),
		.user_agent = SLICE("Browser"),
	};
	run(w, &command, 1);
	settle(w);
}

/* docs/api.md 4.1.12: if the campaign requires it, a new lead has to confirm before it gets the welcome mail. */
static void
a_new_lead_gets_a_mail(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	ASSERT_MAIL(w, 0, MESSAGE_WELCOME);
	campaign(w)->verify_email = true;
	sign_up(w, 1, -1);
	ASSERT_MAIL(w, 1, MESSAGE_VERIFY);
	confirm_as(w, 1, "u1@x.org");
	ASSERT_EVENTS(w, EVENT_VERIFIED);
	ASSERT_MAIL(w, 1, MESSAGE_WELCOME);
	assert_true(lead(w, 1)->verified_email);
	confirm_as(w, 1, "u1@x.org");
	assert_int_equal(w->decision.message_count, 0);
}

/* docs/inbound.md 2: a call of an inbound webhook sends no known lead a link to its page, and causes a mail only to a lead that
 * has opted out. */
static void
a_call_of_another_system_requests_no_link(void **state)
{
	struct world *w = *state;
	struct command call = public_signup("u0@x.org", NULL);
	call.as.signup.inbound = true;
	sign_up(w, 0, -1);
	sign_up_public(w, "u0@x.org");
	ASSERT_MAIL(w, 0, MESSAGE_STATUS_LINK);
	run(w, &call, 1);
	assert_int_equal(w->decision.message_count, 0);
	lead(w, 0)->opted_out = true;
	run(w, &call, 1);
	ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
	lead(w, 0)->opted_out = false;
	campaign(w)->verify_email = true;
	run(w, &call, 1);
	ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
	lead(w, 0)->verified_email = true;
	run(w, &call, 1);
	assert_int_equal(w->decision.message_count, 0);
}

/* No mail is requested if the installation has no mail server, the campaign does not want it, or the lead has no address or is
 * fraudulent. */
static void
some_leads_get_none(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_mail = false;
	sign_up(w, 0, -1);
	assert_int_equal(w->decision.message_count, 0);
	w->id_supply.sends_mail = true;
	campaign(w)->mails = 0;
	sign_up(w, 1, -1);
	assert_int_equal(w->decision.message_count, 0);
	campaign(w)->mails = MESSAGES_CHOSEN;
	struct command command = signup(NULL, "+14155552671");
	run(w, &command, 1);
	assert_int_equal(w->decision.message_count, 0);
	settle(w);
	campaign(w)->blocked_email_domains = SLICE("x.org");
	sign_up(w, 3, -1);
	assert_true(lead(w, 3)->fraudulent);
	assert_int_equal(w->decision.message_count, 0);
}

/* docs/api.md 8: a lead without proof of work has to confirm, whatever the campaign's settings. Until then it is flagged; a
 * repeated sign-up changes nothing, and sends the mail again. */
static void
an_unproven_lead_confirms(void **state)
{
	struct world *w = *state;
	struct command command = public_signup("u0@x.org", NULL);
	command.as.signup.unproven = true;
	campaign(w)->mails = 0;
	for (unsigned counter = 1; counter <= 2; counter++) {
		run(w, &command, 1);
		ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
		settle(w);
		assert_true(lead(w, 0)->fraudulent && !lead(w, 0)->announced);
		assert_slice(lead(w, 0)->fraud_flags, "[\"unproven\"]");
		assert_int_equal(lead(w, 0)->counter, 1);
	}
	confirm_as(w, 0, "u0@x.org");
	assert_true(lead(w, 0)->verified_email && !lead(w, 0)->fraudulent && lead(w, 0)->announced);
	assert_false(slice_present(lead(w, 0)->fraud_flags));
	run(w, &command, 1);
	assert_int_equal(w->decision.message_count, 0);
}

/* docs/api.md 8.2: a proof can be used once, within a batch and after it, even if the sign-up changes nothing else; a sign-up
 * that fails does not use it up. */
static void
a_proof_is_used_once(void **state)
{
	struct world *w = *state;
	struct command commands[3] = { public_signup("u0@x.org", NULL), public_signup("u1@x.org", NULL),
		public_signup("u0@x.org", NULL) };
	campaign(w)->public_update = PUBLIC_UPDATE_NONE;
	campaign(w)->mails = 0;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		commands[i].as.signup.proof = SLICE("a nonce");
	commands[0].as.signup.must_exist = true;
	run(w, commands, ARRAY_SIZE(commands));
	assert_int_equal(w->outcomes[0].failure, FAILURE_LEAD_NOT_FOUND);
	assert_int_equal(w->outcomes[1].failure, FAILURE_NONE);
	assert_int_equal(w->outcomes[2].failure, FAILURE_PROOF_INVALID);
	assert_int_equal(w->decision.proof_count, 1);
	assert_slice(w->decision.proofs[0].nonce, "a nonce");
	settle(w);
	commands[1].as.signup.proof = SLICE("another");
	run(w, &commands[1], 1); /* a known lead that is not changed */
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	assert_true(w->decision.changes && w->decision.event_count == 0);
	assert_int_equal(w->decision.proof_count, 1);
	static const struct slice used[] = { SLICE("another") };
	w->set.used_proofs = used;
	w->set.used_proof_count = 1;
	run(w, &commands[1], 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_PROOF_INVALID);
	assert_false(w->decision.changes);
}

/* docs/api.md 4.1.11: if a mail leads to the page, the answers to a first and to a repeated sign-up are the same. */
static void
the_answer_does_not_show_which_leads_exist(void **state)
{
	struct world *w = *state;
	sign_up_public(w, "ada@x.org");
	assert_int_equal(w->outcomes[0].showing, WITHHELD);
	sign_up_public(w, "ada@x.org");
	assert_int_equal(w->outcomes[0].showing, WITHHELD);
	ASSERT_MAIL(w, 0, MESSAGE_STATUS_LINK);
	campaign(w)->mails = MESSAGE_BIT(MESSAGE_STATUS_LINK); /* a new lead would get no mail */
	sign_up_public(w, "other@x.org");
	assert_int_equal(w->outcomes[0].showing, SHOWN_TO_OWNER);
}

/* docs/api.md 4.1.11, none: nothing changes, but the link is sent. */
static void
a_link_is_sent_without_a_change(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	campaign(w)->public_update = PUBLIC_UPDATE_NONE;
	const struct command command = public_signup("u0@x.org", NULL);
	run(w, &command, 1);
	assert_true(w->decision.changes);
	assert_int_equal(w->decision.event_count, 0);
	ASSERT_MAIL(w, 0, MESSAGE_STATUS_LINK);
}

/* docs/api.md 4.1.12: a repeated sign-up sends the link again to a lead that has not confirmed or has opted out; a confirmation
 * ends the opt-out. A sign-up with a key, or by the lead itself, sends no link. */
static void
a_repeated_signup_sends_the_link_again(void **state)
{
	struct world *w = *state;
	campaign(w)->verify_email = true;
	sign_up(w, 0, -1);
	sign_up_public(w, "u0@x.org");
	ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
	struct command command = public_signup("u0@x.org", NULL);
	command.as.signup.own_id = lead(w, 0)->social_id;
	run(w, &command, 1);
	assert_int_equal(w->decision.message_count, 0);
	settle(w);
	sign_up(w, 0, -1); /* with a key */
	assert_int_equal(w->decision.message_count, 0);
	confirm_as(w, 0, "u0@x.org");
	change(w, 0, LEAD_OPTOUT);
	sign_up_public(w, "u0@x.org");
	ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
	assert_true(lead(w, 0)->opted_out);
	confirm_as(w, 0, "u0@x.org");
	assert_false(lead(w, 0)->opted_out);
	assert_int_equal(w->decision.message_count, 0); /* it was verified before */
}

/* docs/api.md 4.1.12: a lead has to confirm a new address. */
static void
a_changed_address_is_confirmed(void **state)
{
	struct world *w = *state;
	campaign(w)->verify_email = true;
	sign_up(w, 0, -1);
	confirm_as(w, 0, "u0@x.org");
	struct command command = signup("new@x.org", NULL);
	command.account_id = ACCOUNT;
	command.rights = RIGHTS_FULL_KEY;
	command.as.signup.subject = lead(w, 0)->social_id;
	command.as.signup.must_exist = true;
	run(w, &command, 1);
	ASSERT_MAIL(w, 0, MESSAGE_VERIFY);
	settle(w);
	assert_false(lead(w, 0)->verified_email);
	confirm_as(w, 0, "u0@x.org"); /* the link that was sent to the old address */
	assert_int_equal(w->outcomes[0].failure, FAILURE_INVALID_CODE);
	assert_int_equal(w->decision.confirmation_count, 0);
	assert_false(lead(w, 0)->verified_email);
}

/* docs/api.md 4.1.12: each confirmation by the lead is recorded, with what the browser sent; a verification by the operator is
 * not. */
static void
confirmations_are_recorded(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	change_with(w, 0, LEAD_VERIFY, "email");
	assert_int_equal(w->decision.confirmation_count, 0);
	confirm_as(w, 0, "u0@x.org");
	assert_int_equal(w->decision.confirmation_count, 1);
	const struct made_confirmation *made = &w->decision.confirmations[0];
	assert_int_equal(made->lead_id, lead(w, 0)->id);
	assert_int_equal(made->channel, CHANNEL_EMAIL);
	assert_int_equal(w->decision.event_count, 0); /* it was verified before */
	assert_true(slice_equal(made->address, SLICE("u0@x.org")));
	assert_true(slice_equal(made->ip, SLICE("192.0.2.1")));
	assert_true(slice_equal(made->user_agent, SLICE("Browser")));
}

/* docs/api.md 4.1.12: mails go to a referrer, and to a lead that reaches a level with mail. */
static void
referrals_and_rewards_are_mailed(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	sign_up(w, 1, 0);
	assert_int_equal(w->decision.message_count, 2);
	assert_int_equal(w->decision.messages[0].kind, MESSAGE_REFERRAL);
	assert_int_equal(w->decision.messages[0].lead_id, lead(w, 0)->id);
	assert_int_equal(w->decision.messages[0].ref, lead(w, 1)->id);
	assert_int_equal(w->decision.messages[1].kind, MESSAGE_WELCOME);
	give_points(w, 0, 3);
	ASSERT_MAIL(w, 0, MESSAGE_REWARD);
	assert_contains(slice_of(extra(w, EVENT_REWARD_LEVEL)), "\"emailed\":true");
	assert_int_equal(only_message(w)->ref, 1);
	give_points(w, 0, 9); /* this level has no mail */
	assert_int_equal(w->decision.message_count, 0);
}

/* The link of the lead with this number to its direct referrer. */
static const struct referral_link *
link_of(struct world *w, size_t number)
{
	for (size_t i = 0; i < w->set.link_count; i++)
		if (w->set.links[i]->link.lead_id == lead(w, number)->id && w->set.links[i]->link.level == 1)
			return &w->set.links[i]->link;
	return NULL;
}

/* docs/mail.md 3, Digests: the first referral gets a mail of its own; those of each day after it are mailed together when the
 * day ends. */
static void
referrals_of_a_day_are_mailed_together(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	const int64_t begun_ms = w->set.now_ms;
	campaign(w)->mails = MESSAGE_BIT(MESSAGE_REFERRAL);
	sign_up(w, 1, 0);
	ASSERT_MAIL(w, 0, MESSAGE_REFERRAL);
	assert_int_equal(link_of(w, 1)->digest_ms, 0);
	sign_up(w, 2, 0); /* in the same millisecond */
	ASSERT_MAIL(w, 0, MESSAGE_DIGEST);
	assert_int_equal(only_message(w)->due_ms, begun_ms + DAY_MS);
	assert_int_equal(only_message(w)->ref, begun_ms + DAY_MS);
	assert_int_equal(link_of(w, 2)->digest_ms, begun_ms + DAY_MS);
	w->set.now_ms = begun_ms + DAY_MS - 1;
	sign_up(w, 3, 0);
	assert_int_equal(w->decision.message_count, 0);
	assert_int_equal(link_of(w, 3)->digest_ms, begun_ms + DAY_MS);
	w->set.now_ms = begun_ms + DAY_MS; /* the digest is due: no leads are added to it, however late it is composed */
	sign_up(w, 4, 0);
	ASSERT_MAIL(w, 0, MESSAGE_DIGEST);
	assert_int_equal(link_of(w, 4)->digest_ms, begun_ms + INT64_C(2) * DAY_MS);
	w->set.now_ms = begun_ms + INT64_C(3) * DAY_MS; /* a day without a referral has passed */
	sign_up(w, 5, 0);
	ASSERT_MAIL(w, 0, MESSAGE_REFERRAL);
	assert_int_equal(link_of(w, 5)->digest_ms, 0);
	campaign(w)->mails = 0;
	sign_up(w, 6, 0);
	assert_int_equal(w->decision.message_count, 0);
	assert_int_equal(link_of(w, 6)->digest_ms, 0);
}

/* leadhook.conf(5), lead.unverified_days: a lead that was verified after the job was queued stays. */
static void
only_an_unverified_lead_is_deleted(void **state)
{
	struct world *w = *state;
	sign_up(w, 0, -1);
	sign_up(w, 1, -1);
	confirm_as(w, 0, "u0@x.org");
	change_with(w, 0, LEAD_DELETE, "unverified");
	assert_int_equal(w->decision.event_count, 0);
	assert_false(w->set.leads[0]->gone);
	change_with(w, 1, LEAD_DELETE, "unverified");
	ASSERT_EVENTS(w, EVENT_DELETED);
}

#define STRICT_TEST(name) cmocka_unit_test_setup_teardown(name, open_strict, close_world)

/* docs/api.md 4.1.14: a campaign that verifies phone numbers. */
static int
open_texts(void **state)
{
	open_strict(state);
	struct world *w = *state;
	w->id_supply.sends_texts = true;
	campaign(w)->verify_phone = true;
	return 0;
}

#define PHONE "+4915112345678"

static void
sign_up_phone(struct world *w, const char *email, bool no_code)
{
	struct command command = public_signup(email, PHONE);
	command.as.signup.no_code = no_code;
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
}

/* docs/api.md 4.1.14: a typed number gets a code if it is not verified, or if the lead is withheld. */
static void
a_number_gets_a_code(void **state)
{
	struct world *w = *state;
	sign_up_phone(w, NULL, false);
	ASSERT_MAIL(w, 0, MESSAGE_CODE);
	assert_int_equal(w->outcomes[0].showing, WITHHELD);
	sign_up_phone(w, NULL, false);
	ASSERT_MAIL(w, 0, MESSAGE_CODE);
	assert_int_equal(w->outcomes[0].showing, WITHHELD);
	sign_up_phone(w, NULL, true);
	assert_int_equal(w->decision.message_count, 0);
	change_with(w, 0, LEAD_VERIFY, "phone");
	sign_up_phone(w, NULL, false);
	ASSERT_MAIL(w, 0, MESSAGE_CODE);
	campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
	sign_up_phone(w, NULL, false);
	assert_int_equal(w->decision.message_count, 0);
}

/* docs/api.md 4.1.14: no code is sent without a gateway or the setting, for a lead that opted out of texts, for a sign-up with
 * only an email address, for a known lead that a caller with a key signs up, or for a fraudulent lead, unless it lacks only
 * proof of work. */
static void
some_numbers_get_none(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_texts = false;
	sign_up_phone(w, NULL, false);
	assert_int_equal(w->decision.message_count, 0);
	assert_int_equal(w->outcomes[0].showing, SHOWN_TO_OWNER);
	w->id_supply.sends_texts = true;
	campaign(w)->verify_phone = false;
	sign_up_phone(w, NULL, false);
	assert_int_equal(w->decision.message_count, 0);
	campaign(w)->verify_phone = true;
	run(w, (struct command[]){ signup(NULL, PHONE) }, 1);
	assert_int_equal(w->decision.message_count, 0);
	settle(w);
	change(w, 0, LEAD_SMS_OPTOUT);
	sign_up_phone(w, NULL, false);
	assert_int_equal(w->decision.message_count, 0);
	change(w, 0, LEAD_SMS_OPTIN);
	change_with(w, 0, LEAD_BLOCK, "bad");
	sign_up_phone(w, NULL, false);
	assert_int_equal(w->decision.message_count, 0);
	w->id_supply.sends_mail = false;
	run(w, (struct command[]){ signup("b@x.org", "+4915100000000") }, 1);
	ASSERT_MAIL(w, 1, MESSAGE_CODE);
	settle(w);
	sign_up_public(w, "b@x.org");
	assert_int_equal(w->decision.message_count, 0);
	run(w, (struct command[]){ public_signup("b@x.org", "+4915111111111") }, 1); /* counts as another person: the number
										      * decides */
	ASSERT_MAIL(w, 2, MESSAGE_CODE);
	campaign(w)->verify_email = true;
	settle(w);
	run(w, (struct command[]){ public_signup("b@x.org", "+4915122222222") }, 1); /* the number is not stored */
	assert_int_equal(w->decision.message_count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		STRICT_TEST(a_new_lead_gets_a_mail),
		STRICT_TEST(a_call_of_another_system_requests_no_link),
		STRICT_TEST(some_leads_get_none),
		STRICT_TEST(an_unproven_lead_confirms),
		STRICT_TEST(a_proof_is_used_once),
		STRICT_TEST(the_answer_does_not_show_which_leads_exist),
		STRICT_TEST(a_link_is_sent_without_a_change),
		STRICT_TEST(a_repeated_signup_sends_the_link_again),
		STRICT_TEST(a_changed_address_is_confirmed),
		STRICT_TEST(confirmations_are_recorded),
		STRICT_TEST(referrals_and_rewards_are_mailed),
		STRICT_TEST(referrals_of_a_day_are_mailed_together),
		STRICT_TEST(only_an_unverified_lead_is_deleted),
		cmocka_unit_test_setup_teardown(a_number_gets_a_code, open_texts, close_world),
		cmocka_unit_test_setup_teardown(some_numbers_get_none, open_texts, close_world),
	};
	return cmocka_run_group_tests_name("engine/decide/messages", tests, NULL, NULL);
}
