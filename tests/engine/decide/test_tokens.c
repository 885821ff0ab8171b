/* SPDX-License-Identifier: MIT
 * Who owns a lead (docs/api.md 4.1.11, Own): when the token of its page ends, decided without a database.
 * Modules: engine/decide. */
#include "decide_tokens.h"

/* Eve enters another person's number. When that person signs up and adds an email address, Eve's token ends. */
static void
an_added_address_ends_the_token(void **state)
{
	struct world *w = *state;
	run_one(w, public_signup(NULL, EVE.data));
	const struct slice eves = token_in(w, w->outcomes[0].body);
	assert_true(slice_present(eves));
	run_one(w, public_signup("ada@x.org", EVE.data));
	assert_slice(lead(w, 0)->email, "ada@x.org");
	assert_false(slice_present(token_in(w, w->outcomes[0].body)));
	const struct slice later = token_now(w);
	assert_false(slice_equal(later, eves));
	run_one(w, with_token(w, public_signup(NULL, EVE.data), 0));
	assert_false(slice_present(token_in(w, w->outcomes[0].body)));
	run_one(w, with_token(w, public_signup(NULL, EVE.data), 1));
	assert_true(slice_equal(token_in(w, w->outcomes[0].body), later));
}

/* An address that a key adds without the token ends the token, too, and so does one that replaces another. An address that the
 * lead itself adds, or that is added to a verified lead, does not. */
static void
it_matters_which_caller_adds_an_address(void **state)
{
	struct world *w = *state;
	static const struct {
		bool key, owns, verified;
		const char *phone;
		bool ends;
	} rows[] = {
		{ .owns = true, .phone = "+4930123456" },
		{ .verified = true, .phone = "+4930123456" },
		{ .phone = NULL },
		{ .phone = "+4930123456", .ends = true },
		{ .key = true, .phone = "+4930123456", .ends = true },
		{ .key = true, .owns = true, .phone = "+4930123456" },
		{ .key = true, .verified = true, .phone = "+4930123456" },
		{ .key = true, .owns = true, .verified = true, .phone = "+4930999999", .ends = true },
	};
	run_one(w, public_signup("ada@x.org", NULL));
	struct slice token = token_now(w);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct command command =
		    rows[i].key ? signup("ada@x.org", rows[i].phone) : public_signup("ada@x.org", rows[i].phone);
		if (rows[i].owns)
			command = with_token(w, command, lead(w, 0)->token_epoch);
		if (!rows[i].ends || rows[i].phone == NULL || slice_equal(slice_of(rows[i].phone), EVE))
			lead(w, 0)->phone = SLICE_NONE;
		lead(w, 0)->verified_email = rows[i].verified;
		run_one(w, command);
		assert_slices_equal(lead(w, 0)->phone, slice_of(rows[i].phone == NULL ? "" : rows[i].phone));
		const struct slice now = token_now(w);
		assert_int_equal(slice_equal(now, token), !rows[i].ends);
		token = now;
	}
}

/* If two people may have signed up an address, the lead belongs to the one who proves it. If there was only one, the lead stays
 * with its creator, and bookmarks stay valid. */
static void
a_proof_ends_the_token_of_a_shared_lead(void **state)
{
	struct world *w = *state;
	static const struct {
		bool shared, by_operator, is_verified, ends;
		enum lead_channel channel;
	} rows[] = {
		{ .shared = false },
		{ .shared = true, .ends = true },
		{ .shared = true, .by_operator = true },
		{ .shared = true, .channel = CHANNEL_PHONE, .ends = true },
		{ .shared = true, .channel = CHANNEL_PHONE, .is_verified = true },
	};
	run_one(w, public_signup("ada@x.org", EVE.data));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct slice token = token_now(w);
		lead(w, 0)->shared = rows[i].shared;
		lead(w, 0)->verified_email = rows[i].is_verified;
		lead(w, 0)->verified_phone = false;
		lead(w, 0)->proven = 0;
		lead(w, 0)->claimed = CLAIM_NONE;
		if (rows[i].by_operator)
			change(w, 0, LEAD_VERIFY);
		else
			prove(w, rows[i].channel);
		if (!rows[i].is_verified) /* the event already contains the new token */
			assert_int_equal(slice_equal(token_in(w, w->decision.events[0].payload), token), !rows[i].ends);
		const struct slice now = token_now(w);
		assert_int_equal(slice_equal(now, token), !rows[i].ends);
		/* the number may belong to the person who signed the lead up before */
		assert_int_equal(
		    lead(w, 0)->claimed, rows[i].ends && rows[i].channel == CHANNEL_EMAIL ? CLAIM_PHONE : CLAIM_NONE);
		prove(w, rows[i].channel); /* again */
		assert_int_equal(slice_equal(token_now(w), now), !rows[i].by_operator);
	}
}

/* Any call that signs up an existing lead may come from another person, even if it is not counted or changes nothing. A call
 * with the lead's token, an operator's correction and a repeated import do not. */
static void
each_signup_shares_the_lead(void **state)
{
	struct world *w = *state;
	static const struct {
		bool by_key, owns, unproven, edits, tags, imports, imported;
		enum public_update update;
		bool shares;
	} rows[] = {
		{ .shares = true },
		{ .by_key = true, .shares = true },
		{ .owns = true },
		{ .by_key = true, .edits = true },
		{ .unproven = true, .shares = true },
		{ .update = PUBLIC_UPDATE_OWN, .shares = true },
		{ .update = PUBLIC_UPDATE_NONE, .shares = true },
		{ .by_key = true, .tags = true, .shares = true },
		{ .tags = true, .owns = true },
		{ .imports = true, .shares = true },
		{ .imports = true, .imported = true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct import import = { .signup = { .email = SLICE("ada@x.org"), .email_key = SLICE("ada@x.org") },
			.created_ms = -1,
			.waitlisted = -1 };
		const struct command imports = { .kind = COMMAND_IMPORT, .campaign_id = CAMPAIGN, .as.import = &import };
		campaign(w)->public_update = rows[i].update;
		run_one(w, rows[i].imported ? imports : public_signup("ada@x.org", NULL));
		assert_false(lead(w, 0)->shared);
		struct command command = rows[i].by_key ? signup("ada@x.org", NULL) : public_signup("ada@x.org", NULL);
		if (rows[i].owns)
			command = with_token(w, command, 0);
		command.as.signup.unproven = rows[i].unproven;
		command.as.signup.edits = rows[i].edits;
		if (rows[i].tags) {
			command.kind = COMMAND_TAGGING;
			command.as.tagging = (struct tagging){ command.as.signup, some_tags[0].id, false };
		}
		run_one(w, rows[i].imports ? imports : command);
		assert_int_equal(lead(w, 0)->shared, rows[i].shares);
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* A verification by an operator is not a proof: the token of the first sign-up ends with the first proof, even if the lead was
 * passed on before by the proof of another address. */
static void
a_proof_after_a_verification_ends_the_token(void **state)
{
	struct world *w = *state;
	for (unsigned phone = 0; phone < 3; phone++) {
		run_one(w, public_signup(phone == 2 ? NULL : "ada@x.org", phone ? EVE.data : NULL));
		if (phone == 2) {
			run_one(w, public_signup(NULL, EVE.data));
			prove(w, CHANNEL_PHONE);
			run_one(w, with_token(w, public_signup("ada@x.org", EVE.data), lead(w, 0)->token_epoch));
		}
		const struct slice eves = token_now(w);
		change_with(w, 0, LEAD_VERIFY, "email");
		run_one(w, public_signup("ada@x.org", NULL));
		if (phone == 1) { /* the proof of the number proves nothing about the email address */
			prove(w, CHANNEL_PHONE);
			assert_true(slice_equal(token_now(w), eves));
		}
		prove(w, CHANNEL_EMAIL);
		const struct slice adas = token_now(w);
		assert_false(slice_equal(adas, eves));
		assert_int_equal(lead(w, 0)->claimed, phone ? CLAIM_PHONE : CLAIM_NONE);
		run_one(w, public_signup("ada@x.org", NULL));
		prove(w, CHANNEL_EMAIL);
		assert_true(slice_equal(token_now(w), adas));
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* If a person proves an address before anyone else has signed up with it, the lead stays this person's and the link valid, even
 * if another person signs it up afterwards. This ends when the address is replaced, or an operator takes the verification
 * back. */
static void
a_person_that_comes_back_keeps_its_lead(void **state)
{
	struct world *w = *state;
	for (unsigned by_number = 0; by_number < 2; by_number++) {
		const enum lead_channel decides = by_number ? CHANNEL_PHONE : CHANNEL_EMAIL;
		campaign(w)->verify_phone = true;
		campaign(w)->verify_email = !by_number;
		run_one(w, public_signup("ada@x.org", EVE.data));
		prove(w, decides);
		if (!by_number)
			prove(w, CHANNEL_PHONE);
		const struct slice token = token_now(w);
		run_one(w, public_signup("ada@x.org", EVE.data));
		prove(w, decides);
		change_with(w, 0, LEAD_VERIFY, by_number ? "phone" : "email");
		prove(w, decides);
		assert_true(slice_equal(token_now(w), token));
		assert_int_equal(lead(w, 0)->claimed, CLAIM_NONE);
		change_with(w, 0, LEAD_UNVERIFY, by_number ? "phone" : "email");
		prove(w, decides);
		assert_false(slice_equal(token_now(w), token));
		assert_int_equal(lead(w, 0)->claimed, by_number ? CLAIM_EMAIL : CLAIM_PHONE);
		assert_int_equal(lead(w, 0)->proven, CHANNEL_BIT(decides));
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* docs/api.md 4.1.12, 4.1.14: a proof is judged by the state of the lead when its command runs: a claim leads to no page, even
 * if it was not a claim yet when the caller read the lead; an address that the lead no longer has changes nothing. */
static void
a_proof_is_judged_with_its_command(void **state)
{
	struct world *w = *state;
	static const enum lead_action actions[] = { LEAD_VERIFY, LEAD_OPTOUT, LEAD_DELETE };
	campaign(w)->verify_phone = true;
	run_one(w, public_signup("eve@x.org", EVE.data));
	run_one(w, public_signup(NULL, EVE.data));
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change = (struct lead_change){ .action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, 0)->id },
		.argument = SLICE("email"),
		.address = SLICE("eve@x.org"),
		.by_lead = true };
	prove(w, CHANNEL_PHONE);
	assert_int_equal(w->outcomes[0].showing, SHOWN_TO_OWNER);
	assert_slices_equal(token_in(w, w->outcomes[0].body), token_now(w));
	assert_int_equal(lead(w, 0)->claimed, CLAIM_EMAIL);
	run_one(w, command);
	assert_false(slice_present(w->outcomes[0].body));
	command.as.change.action = LEAD_OPTOUT;
	run_one(w, command);
	assert_true(w->outcomes[0].claim_alone && !lead(w, 0)->opted_out && !slice_present(lead(w, 0)->email));
	lead(w, 0)->email = lead(w, 0)->email_key = SLICE("vic@x.org");
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		command.as.change.action = actions[i];
		command.as.change.argument = actions[i] == LEAD_VERIFY ? SLICE("email") : SLICE_NONE;
		run(w, &command, 1);
		assert_int_equal(
		    w->outcomes[0].failure, actions[i] == LEAD_VERIFY ? FAILURE_INVALID_CODE : FAILURE_LEAD_NOT_FOUND);
		assert_false(lead(w, 0)->verified_email || lead(w, 0)->opted_out || w->set.leads[0]->gone);
	}
}

/* When a number is added or replaced, the link that was mailed to the email address ends. The new link is mailed once, if the
 * campaign sends such mails. */
static void
an_ended_link_is_sent_again(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *email, *phone, *new_email, *new_phone;
		bool by_key, verify_email, verified;
		unsigned mails;
		int wanted; /* -1: none */
	} rows[] = {
		{ "ada@x.org", NULL, "ada@x.org", "+4930123456", .mails = MESSAGES_CHOSEN, .wanted = MESSAGE_STATUS_LINK },
		{ "ada@x.org", NULL, "ada@x.org", "+4930123456", .by_key = true, .mails = MESSAGES_CHOSEN,
		    .wanted = MESSAGE_STATUS_LINK },
		{ "ada@x.org", NULL, "ada@x.org", "+4930123456", .verify_email = true, .mails = MESSAGES_CHOSEN,
		    .wanted = MESSAGE_VERIFY },
		{ "ada@x.org", NULL, "ada@x.org", "+4930123456", .verified = true, .mails = MESSAGES_CHOSEN, .wanted = -1 },
		{ "ada@x.org", NULL, "ada@x.org", "+4930123456", .mails = MESSAGE_BIT(MESSAGE_WELCOME), .wanted = -1 },
		{ "ada@x.org", "+4930123456", "ada@x.org", "+4930999999", .by_key = true, .mails = MESSAGES_CHOSEN,
		    .wanted = MESSAGE_STATUS_LINK },
		{ NULL, "+4930123456", "ada@x.org", "+4930123456", .verify_email = true, .mails = MESSAGES_CHOSEN,
		    .wanted = MESSAGE_VERIFY },
		{ NULL, "+4930123456", "ada@x.org", "+4930123456", .mails = MESSAGES_CHOSEN, .wanted = -1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		w->id_supply.sends_mail = false;
		run_one(w, public_signup(rows[i].email, rows[i].phone));
		w->id_supply.sends_mail = true;
		campaign(w)->mails = rows[i].mails;
		campaign(w)->verify_email = rows[i].verify_email;
		lead(w, 0)->verified_email = rows[i].verified;
		run_one(w, rows[i].by_key ? signup(rows[i].new_email, rows[i].new_phone)
					  : public_signup(rows[i].new_email, rows[i].new_phone));
		assert_int_equal(w->decision.message_count, rows[i].wanted < 0 ? 0 : 1);
		if (rows[i].wanted >= 0) {
			assert_int_equal(w->decision.messages[0].kind, rows[i].wanted);
			assert_int_equal(w->decision.messages[0].ref, 0);
		}
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* A stranger who signs up someone's email address with the stranger's own number, and proves that number first, has proven
 * nothing about the email address. */
static void
a_proof_of_the_email_address_is_the_stronger_one(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_mail = true;
	campaign(w)->verify_email = true;
	run_one(w, public_signup("ada@x.org", EVE.data));
	prove(w, CHANNEL_PHONE);
	assert_int_equal(w->decision.message_count, 1); /* goes to the email address, whose owner decides */
	assert_int_equal(w->decision.messages[0].kind, MESSAGE_VERIFY);
	const struct slice eves = token_now(w);
	run_one(w, public_signup("ada@x.org", EVE.data));
	prove(w, CHANNEL_EMAIL);
	const struct slice adas = token_now(w);
	assert_false(slice_equal(adas, eves));
	campaign(w)->mails = MESSAGES_CHOSEN;
	prove(w, CHANNEL_PHONE);
	assert_int_equal(w->decision.message_count, 1);
	assert_int_equal(w->decision.messages[0].kind, MESSAGE_STATUS_LINK);
	assert_int_equal(w->decision.messages[0].ref, 0); /* requested; no link has ended */
	assert_true(slice_equal(token_now(w), adas));
}

/* An import can give a new lead the social id of a deleted one. */
static void
an_imported_social_id_revives_no_token(void **state)
{
	struct world *w = *state;
	struct slice tokens[3];
	run_one(w, public_signup("ada@x.org", NULL));
	tokens[0] = token_now(w);
	const struct slice social_id = lead(w, 0)->social_id;
	for (size_t i = 1; i < ARRAY_SIZE(tokens); i++) {
		const struct import import = {
			.signup = { .email = SLICE("ada@x.org"), .email_key = SLICE("ada@x.org"), .subject = social_id },
			.created_ms = -1,
			.waitlisted = -1
		};
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
		run_one(w, (struct command){ .kind = COMMAND_IMPORT, .campaign_id = CAMPAIGN, .as.import = &import });
		assert_slices_equal(lead(w, 0)->social_id, social_id);
		tokens[i] = token_now(w);
		for (size_t k = 0; k < i; k++)
			assert_false(slice_equal(tokens[i], tokens[k]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAGES_TEST(an_added_address_ends_the_token),
		PAGES_TEST(it_matters_which_caller_adds_an_address),
		PAGES_TEST(a_proof_ends_the_token_of_a_shared_lead),
		PAGES_TEST(each_signup_shares_the_lead),
		PAGES_TEST(a_proof_after_a_verification_ends_the_token),
		PAGES_TEST(a_person_that_comes_back_keeps_its_lead),
		PAGES_TEST(a_proof_is_judged_with_its_command),
		PAGES_TEST(an_ended_link_is_sent_again),
		PAGES_TEST(a_proof_of_the_email_address_is_the_stronger_one),
		PAGES_TEST(an_imported_social_id_revives_no_token),
	};
	return cmocka_run_group_tests_name("engine/decide/tokens", tests, NULL, NULL);
}
