/* SPDX-License-Identifier: MIT
 * Which addresses strangers can add to leads, which of these are claims, and what a sign-up with one of two addresses changes
 * (docs/api.md 4.1.11), decided without a database. Modules: engine/decide. */
#include "decide_tokens.h"

/* docs/api.md 4.1.11, Verified campaigns: if a lead has two addresses, a stranger cannot change it by using one that was not
 * proven. */
static void
a_lead_with_two_addresses_is_changed_by_its_person(void **state)
{
	struct world *w = *state;
	static const struct {
		bool verify_email, verify_phone, verified_email, verified_phone;
		enum lead_claim claimed;
		const char *email, *phone; /* sent by the next sign-up */
		bool by_key, by_owner, changes;
	} rows[] = {
		{ .email = "ada@x.org", .changes = true },
		{ .phone = "+4930123456", .changes = true },
		{ .verified_phone = true, .email = "ada@x.org", .changes = true },
		{ .verify_email = true, .email = "ada@x.org", .changes = true },
		{ .verify_email = true, .email = "ada@x.org", .phone = "+4930999999", .changes = true },
		{ .verify_email = true, .phone = "+4930123456" },
		{ .verify_email = true, .email = "ada@x.org", .phone = "+4930123456", .changes = true },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org" },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .by_key = true, .changes = true },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .by_owner = true, .changes = true },
		{ .verify_email = true, .verified_email = true, .email = "ada@x.org", .changes = true },
		{ .verify_email = true, .verified_email = true, .phone = "+4930123456" },
		{ .verify_email = true, .verified_email = true, .claimed = CLAIM_EMAIL, .email = "ada@x.org" },
		{ .verify_email = true, .verified_phone = true, .claimed = CLAIM_PHONE, .email = "ada@x.org", .changes = true },
		{ .verify_phone = true, .email = "ada@x.org" },
		{ .verify_phone = true, .phone = "+4930123456", .changes = true },
		{ .verify_phone = true, .verified_phone = true, .email = "ada@x.org" },
		{ .verify_phone = true, .verified_phone = true, .phone = "+4930123456", .changes = true },
		{ .verify_phone = true, .verified_phone = true, .claimed = CLAIM_PHONE, .phone = "+4930123456" },
		/* the email address decides, even if it is proven later */
		{ .verify_email = true, .verify_phone = true, .verified_phone = true, .phone = "+4930123456" },
		{ .verify_email = true,
		    .verified_phone = true,
		    .claimed = CLAIM_EMAIL,
		    .phone = "+4930123456",
		    .changes = true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		campaign(w)->verify_email = rows[i].verify_email;
		campaign(w)->verify_phone = rows[i].verify_phone;
		run_one(w, public_signup("ada@x.org", "+4930123456"));
		lead(w, 0)->verified_email = rows[i].verified_email;
		lead(w, 0)->verified_phone = rows[i].verified_phone;
		lead(w, 0)->claimed = rows[i].claimed;
		lead(w, 0)->opted_out = true;
		struct command command =
		    rows[i].by_key ? signup(rows[i].email, rows[i].phone) : public_signup(rows[i].email, rows[i].phone);
		command.as.signup.uid = SLICE("typed");
		if (rows[i].by_owner)
			command = with_token(w, command, lead(w, 0)->token_epoch);
		run_one(w, command);
		assert_int_equal(w->set.lead_count, 1);
		assert_slices_equal(lead(w, 0)->uid, slice_of(rows[i].changes ? "typed" : ""));
		assert_int_equal(lead(w, 0)->opted_out, !rows[i].changes);
		assert_int_equal(lead(w, 0)->counter, 2);
		assert_slices_equal(lead(w, 0)->email, SLICE("ada@x.org"));
		assert_slices_equal(lead(w, 0)->phone, SLICE("+4930123456"));
		w->set.lead_count = 0;
	}
}

/* docs/api.md 4.1.11, Verified campaigns: with verify_phone, adding an address to a lead takes its token or a key. Otherwise
 * the address is left out, or becomes a new lead. */
static void
an_address_is_added_by_the_lead_alone(void **state)
{
	struct world *w = *state;
	enum { STRANGER, TOKEN, KEY };
	static const struct {
		bool verify_email, verify_phone;
		const char *first_email, *first_phone, *email, *phone;
		int caller;
		const char *left_email, *left_phone, *made_email, *made_phone; /* of the first lead, and of a new second one */
	} rows[] = {
		{ false, false, "a@x.org", NULL, "a@x.org", "+4930123456", STRANGER, "a@x.org", "+4930123456", NULL, NULL },
		{ false, false, NULL, "+4930123456", "a@x.org", "+4930123456", STRANGER, "a@x.org", "+4930123456", NULL, NULL },
		{ true, false, "a@x.org", NULL, "a@x.org", "+4930123456", STRANGER, "a@x.org", "+4930123456", NULL, NULL },
		{ true, false, "a@x.org", NULL, "a@x.org", "+4930123456", TOKEN, "a@x.org", "+4930123456", NULL, NULL },
		{ true, false, "a@x.org", NULL, "a@x.org", "+4930123456", KEY, "a@x.org", "+4930123456", NULL, NULL },
		{ true, false, NULL, "+4930123456", "a@x.org", "+4930123456", STRANGER, "a@x.org", "+4930123456", NULL, NULL },
		{ true, false, NULL, "+4930123456", "a@x.org", "+4930123456", TOKEN, "a@x.org", "+4930123456", NULL, NULL },
		{ true, true, "a@x.org", NULL, "a@x.org", "+4930123456", STRANGER, "a@x.org", NULL, NULL, NULL },
		{ true, true, NULL, "+4930123456", "a@x.org", "+4930123456", STRANGER, NULL, "+4930123456", "a@x.org", NULL },
		/* only the number can be proven */
		{ false, true, "a@x.org", NULL, "a@x.org", "+4930123456", STRANGER, "a@x.org", NULL, NULL, "+4930123456" },
		{ false, true, "a@x.org", NULL, "a@x.org", "+4930123456", TOKEN, "a@x.org", "+4930123456", NULL, NULL },
		{ false, true, NULL, "+4930123456", "a@x.org", "+4930123456", STRANGER, NULL, "+4930123456", NULL, NULL },
		{ false, true, "a@x.org", "+4930111111", "a@x.org", "+4930123456", STRANGER, "a@x.org", "+4930111111", NULL,
		    "+4930123456" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		campaign(w)->verify_email = rows[i].verify_email;
		campaign(w)->verify_phone = rows[i].verify_phone;
		run_one(w, public_signup(rows[i].first_email, rows[i].first_phone));
		struct command command =
		    rows[i].caller == KEY ? signup(rows[i].email, rows[i].phone) : public_signup(rows[i].email, rows[i].phone);
		if (rows[i].caller == TOKEN)
			command = with_token(w, command, lead(w, 0)->token_epoch);
		run_one(w, command);
		const bool makes = rows[i].made_email != NULL || rows[i].made_phone != NULL;
		assert_int_equal(w->set.lead_count, makes ? 2 : 1);
		for (size_t k = 0; k < w->set.lead_count; k++) {
			const char *const email = k == 0 ? rows[i].left_email : rows[i].made_email;
			const char *const phone = k == 0 ? rows[i].left_phone : rows[i].made_phone;
			assert_slices_equal(lead(w, k)->email, slice_of(email == NULL ? "" : email));
			assert_slices_equal(lead(w, k)->phone, slice_of(phone == NULL ? "" : phone));
		}
		w->set.lead_count = 0;
	}
}

/* docs/api.md 4.1.11, Claim: the lead replaces a claim with its token, which stays valid. */
static void
the_lead_replaces_a_claim(void **state)
{
	struct world *w = *state;
	static const struct {
		enum lead_claim claimed;
		const char *email, *phone, *left_email, *left_phone;
	} rows[] = {
		{ CLAIM_PHONE, "ada@x.org", "+4930999999", "ada@x.org", "+4930999999" },
		{ CLAIM_EMAIL, "other@x.org", "+4930123456", "other@x.org", "+4930123456" },
		{ CLAIM_NONE, "ada@x.org", "+4930999999", "ada@x.org", "+4930123456" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run_one(w, public_signup("ada@x.org", "+4930123456"));
		lead(w, 0)->claimed = rows[i].claimed;
		lead(w, 0)->verified_email = lead(w, 0)->verified_phone = lead(w, 0)->sms_opted_out = true;
		const struct slice token = token_now(w);
		run_one(w, with_token(w, public_signup(rows[i].email, rows[i].phone), lead(w, 0)->token_epoch));
		assert_int_equal(w->set.lead_count, 1);
		assert_slices_equal(lead(w, 0)->email, slice_of(rows[i].left_email));
		assert_slices_equal(lead(w, 0)->phone, slice_of(rows[i].left_phone));
		assert_int_equal(lead(w, 0)->claimed, CLAIM_NONE);
		/* docs/api.md 4.5: the opt-out is about the number */
		assert_int_equal(lead(w, 0)->sms_opted_out, rows[i].claimed != CLAIM_PHONE);
		assert_true(slice_equal(token_now(w), token));
		w->set.lead_count = 0;
	}
}

/* docs/api.md 4.1.11, New number. */
static void
a_number_waits_for_the_email_address(void **state)
{
	struct world *w = *state;
	static const struct {
		bool sends_mail, verify_email, by_key, by_owner;
		enum public_lookup lookup;
		bool waits;
	} rows[] = {
		{ .sends_mail = true, .verify_email = true, .lookup = PUBLIC_LOOKUP_SOCIAL_ID, .waits = true },
		{ .sends_mail = true, .verify_email = true, .lookup = PUBLIC_LOOKUP_NONE, .waits = true },
		{ .sends_mail = true, .verify_email = true, .lookup = PUBLIC_LOOKUP_ALL },
		{ .verify_email = true, .lookup = PUBLIC_LOOKUP_SOCIAL_ID },
		{ .sends_mail = true, .lookup = PUBLIC_LOOKUP_SOCIAL_ID },
		{ .sends_mail = true, .verify_email = true, .lookup = PUBLIC_LOOKUP_SOCIAL_ID, .by_key = true },
		{ .sends_mail = true, .verify_email = true, .lookup = PUBLIC_LOOKUP_SOCIAL_ID, .by_owner = true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		w->id_supply.sends_mail = rows[i].sends_mail;
		campaign(w)->verify_email = rows[i].verify_email;
		campaign(w)->public_lookup = rows[i].lookup;
		struct command command =
		    rows[i].by_key ? signup("ada@x.org", "+4930123456") : public_signup("ada@x.org", "+4930123456");
		if (rows[i].by_owner) {
			run_one(w, public_signup("ada@x.org", NULL));
			command = with_token(w, command, lead(w, 0)->token_epoch);
		}
		run_one(w, command);
		assert_slices_equal(lead(w, 0)->phone, slice_of(rows[i].waits ? "" : "+4930123456"));
		assert_slices_equal(
		    lead(w, 0)->custom_fields, slice_of(rows[i].waits ? "{\"unconfirmed_phone_number\":\"+4930123456\"}" : ""));
		assert_slices_equal(
		    lead_waiting_number(w->pool, campaign(w), lead(w, 0)), slice_of(rows[i].waits ? "+4930123456" : ""));
		w->set.lead_count = 0;
	}
	static const char *const others[] = { "{\"unconfirmed_phone_number\":\"<b>1</b>\"}", "{\"unconfirmed_phone_number\":1}",
		"{\"unconfirmed_phone_number\":\"030123456\"}", "{}" };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct lead other = { .custom_fields = slice_of(others[i]) };
		assert_false(slice_present(lead_waiting_number(w->pool, campaign(w), &other)));
	}
	/* the field was sent by its name, in a campaign in which numbers do not wait */
	const struct lead named = { .custom_fields = SLICE("{\"unconfirmed_phone_number\":\"+4930123456\"}") };
	const struct campaign by_number = { .verify_phone = true, .public_lookup = PUBLIC_LOOKUP_SOCIAL_ID };
	assert_false(slice_present(lead_waiting_number(w->pool, &by_number, &named)));
}

/* docs/api.md 4.1.11, New number: the number of the last sign-up waits until the address is confirmed; a stranger cannot set
 * the field by its name. */
static void
the_number_of_the_last_signup_waits(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *phone;
		bool names_field, verified;
		const char *fields;
	} rows[] = {
		{ "+4930123456", false, false, "{\"unconfirmed_phone_number\":\"+4930123456\"}" },
		{ "+4930999999", false, false, "{\"unconfirmed_phone_number\":\"+4930999999\"}" },
		{ NULL, false, false, "" },
		{ NULL, true, false, "" },
		{ "+4930123456", true, false, "{\"unconfirmed_phone_number\":\"+4930123456\"}" },
		{ "+4930999999", false, true, "{\"unconfirmed_phone_number\":\"+4930123456\"}" },
	};
	static const struct custom_field named = { SLICE("unconfirmed_phone_number"), SLICE("\"+4930777777\""),
		SLICE("+4930777777") };
	w->id_supply.sends_mail = true;
	campaign(w)->verify_email = true;
	campaign(w)->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	for (enum public_update update = PUBLIC_UPDATE_ALL; update < PUBLIC_UPDATES; update++) {
		campaign(w)->public_update = update;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct command command = public_signup("ada@x.org", rows[i].phone);
			if (rows[i].names_field) {
				command.as.signup.custom_fields = &named;
				command.as.signup.custom_field_count = 1;
			}
			if (rows[i].verified)
				lead(w, 0)->verified_email = true;
			run_one(w, command);
			if (!rows[i].verified || update != PUBLIC_UPDATE_ALL)
				assert_slices_equal(lead(w, 0)->custom_fields, slice_of(rows[i].fields));
			assert_int_equal(w->set.lead_count, 1);
			assert_false(slice_present(lead(w, 0)->phone));
		}
		w->set.lead_count = 0;
	}
	campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
	struct command command = public_signup("ada@x.org", NULL);
	command.as.signup.custom_fields = &named;
	command.as.signup.custom_field_count = command.as.signup.optional_fields = 1;
	run_one(w, command);
	assert_false(slice_present(lead(w, 0)->custom_fields));
}

/* A waiting number never displaces another field. */
static void
a_number_waits_where_there_is_room(void **state)
{
	struct world *w = *state;
	static const struct custom_field typed[] = { { SLICE("a"), SLICE("1"), SLICE_NONE },
		{ SLICE("b"), SLICE("1"), SLICE_NONE } };
	w->id_supply.sends_mail = true;
	w->id_supply.custom_fields.fields = 3;
	campaign(w)->verify_email = true;
	campaign(w)->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	campaign(w)->public_update = PUBLIC_UPDATE_OWN;
	struct command first = public_signup("ada@x.org", "+4930123456");
	first.as.signup.custom_fields = typed;
	first.as.signup.custom_field_count = ARRAY_SIZE(typed);
	run_one(w, first);
	const struct slice with_number = SLICE("{\"a\":1,\"b\":1,\"unconfirmed_phone_number\":\"+4930123456\"}");
	assert_slices_equal(lead(w, 0)->custom_fields, with_number);
	w->id_supply.custom_fields.fields = 2;
	run_one(w, public_signup("ada@x.org", "+4930999999"));
	assert_slices_equal(lead(w, 0)->custom_fields, SLICE("{\"a\":1,\"b\":1}"));
	run_one(w, public_signup("ada@x.org", "+4930999999"));
	assert_slices_equal(lead(w, 0)->custom_fields, SLICE("{\"a\":1,\"b\":1}"));
}

/* docs/api.md 4.1.11, Claim: an address that a stranger adds to an existing lead is a claim, whatever the lead's state. An
 * address that a key adds is not. A key that sends back an address that it got from a webhook does not end a claim. */
static void
what_a_stranger_adds_is_a_claim(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *email, *phone; /* sent by the first sign-up */
		enum lead_claim before;
		enum { STRANGER, TOKEN, KEY, CHANGE_ALONE, OPERATOR } caller;
		const char *sent_email, *sent_phone;
		bool verified;
		enum lead_claim after;
	} rows[] = {
		{ "ada@x.org", NULL, CLAIM_NONE, STRANGER, "ada@x.org", "+4930123456", false, CLAIM_PHONE },
		{ "ada@x.org", NULL, CLAIM_NONE, STRANGER, "ada@x.org", "+4930123456", true, CLAIM_PHONE },
		{ NULL, "+4930123456", CLAIM_NONE, STRANGER, "ada@x.org", "+4930123456", false, CLAIM_EMAIL },
		{ NULL, "+4930123456", CLAIM_NONE, STRANGER, "ada@x.org", "+4930123456", true, CLAIM_EMAIL },
		{ "ada@x.org", NULL, CLAIM_NONE, CHANGE_ALONE, "ada@x.org", "+4930123456", false, CLAIM_PHONE },
		{ "ada@x.org", NULL, CLAIM_NONE, TOKEN, "ada@x.org", "+4930123456", false, CLAIM_NONE },
		{ "ada@x.org", NULL, CLAIM_NONE, KEY, "ada@x.org", "+4930123456", false, CLAIM_NONE },
		/* the lead already has the address */
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, STRANGER, "ada@x.org", "+4930123456", true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, KEY, "ada@x.org", "+4930123456", true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, TOKEN, "ada@x.org", NULL, true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, TOKEN, "ada@x.org", "+4930123456", true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_EMAIL, TOKEN, "ada@x.org", NULL, true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, OPERATOR, NULL, NULL, true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, OPERATOR, NULL, "+4930123456", true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_EMAIL, OPERATOR, "ada@x.org", NULL, true, CLAIM_NONE },
		/* another address */
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, KEY, "ada@x.org", "+4930999999", true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, STRANGER, "ada@x.org", "+4930999999", true, CLAIM_PHONE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run_one(w, public_signup(rows[i].email, rows[i].phone));
		assert_int_equal(lead(w, 0)->claimed, CLAIM_NONE);
		lead(w, 0)->claimed = rows[i].before;
		lead(w, 0)->verified_email = rows[i].verified && rows[i].email != NULL;
		lead(w, 0)->verified_phone = rows[i].verified && rows[i].email == NULL;
		struct command command = rows[i].caller < KEY ? public_signup(rows[i].sent_email, rows[i].sent_phone)
							      : signup(rows[i].sent_email, rows[i].sent_phone);
		if (rows[i].caller == TOKEN)
			command = with_token(w, command, lead(w, 0)->token_epoch);
		if (rows[i].caller == CHANGE_ALONE)
			command.rights = RIGHT_CHANGE;
		if (rows[i].caller == OPERATOR) {
			command.as.signup.subject = lead(w, 0)->social_id;
			command.as.signup.edits = true;
		}
		run_one(w, command);
		assert_int_equal(lead(w, 0)->claimed, rows[i].after);
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* Proving a claim proves something about the person who added it, not about the lead: no token ends, and nothing is sent.
 * Proving the other address proves the owner, even if that address is a number and the claim an email address. */
static void
a_proof_of_a_claim_passes_nothing_on(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_mail = true;
	campaign(w)->mails = MESSAGE_BIT(MESSAGE_STATUS_LINK);
	for (enum lead_channel owner = CHANNEL_EMAIL; owner <= CHANNEL_PHONE; owner++) {
		const enum lead_channel claimed = owner == CHANNEL_EMAIL ? CHANNEL_PHONE : CHANNEL_EMAIL;
		campaign(w)->verify_phone = false;
		run_one(w, owner == CHANNEL_EMAIL ? public_signup("ada@x.org", NULL) : public_signup(NULL, EVE.data));
		run_one(w, public_signup("ada@x.org", EVE.data));
		campaign(w)->verify_phone = true;
		const struct slice before = token_now(w);
		change(w, 0, LEAD_VERIFY); /* verifies the owner's address */
		assert_true(claimed == CHANNEL_EMAIL ? lead(w, 0)->verified_phone : lead(w, 0)->verified_email);
		change(w, 0, LEAD_UNVERIFY);
		prove(w, claimed);
		assert_true(slice_equal(token_now(w), before));
		assert_true(claimed == CHANNEL_EMAIL ? lead(w, 0)->verified_email : lead(w, 0)->verified_phone);
		assert_true(lead_claims(lead(w, 0), claimed) && lead_only_claims(lead(w, 0), claimed));
		assert_false(lead_only_claims(lead(w, 0), owner));
		prove(w, owner);
		assert_int_equal(w->decision.message_count, 0);
		assert_false(slice_equal(token_now(w), before));
		assert_true(lead_only_claims(lead(w, 0), claimed) && !lead_only_claims(lead(w, 0), owner));
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* docs/operating.md 7.4: after a claim is erased, links in mails to it no longer act for the lead, and it no longer verifies
 * the lead. */
static void
an_erased_claim_leaves_nothing(void **state)
{
	struct world *w = *state;
	for (enum lead_channel claimed = CHANNEL_EMAIL; claimed <= CHANNEL_PHONE; claimed++) {
		const bool email = claimed == CHANNEL_EMAIL;
		campaign(w)->verify_phone = false;
		run_one(w, email ? public_signup(NULL, EVE.data) : public_signup("ada@x.org", NULL));
		run_one(w, public_signup("ada@x.org", EVE.data));
		campaign(w)->verify_phone = true;
		prove(w, claimed);
		change(w, 0, LEAD_SMS_OPTOUT);
		const struct lead before = *lead(w, 0);
		struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
		command.as.change = (struct lead_change){ .action = LEAD_DELETE,
			.lead = { .identity = LEAD_BY_ID, .id = before.id },
			.argument = LEAD_DELETE_ERASED,
			.address = email ? EVE : SLICE("ada@x.org") };
		run_one(w, command); /* naming the owner's address erases nothing */
		assert_true(slice_present(lead(w, 0)->email) && slice_present(lead(w, 0)->phone));
		command.as.change.address = email ? SLICE("ada@x.org") : EVE;
		run_one(w, command);
		assert_int_equal(slice_present(lead(w, 0)->email), !email);
		assert_int_equal(slice_present(lead(w, 0)->phone), email);
		assert_int_equal(lead(w, 0)->sms_opted_out, email);
		assert_false(lead_is_verified(lead(w, 0)));
		assert_int_equal(lead(w, 0)->claimed, CLAIM_NONE);
		assert_int_equal(lead(w, 0)->opt_out_epoch > before.opt_out_epoch, email);
		assert_int_equal(lead(w, 0)->token_epoch, before.token_epoch); /* no link to the page was sent to the claim */
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* docs/api.md 4.1.11, New number, known address: otherwise a code or a link would go to the stranger's address. */
static void
strangers_add_nothing_to_leads_that_they_may_not_look_up(void **state)
{
	struct world *w = *state;
	run_one(w, public_signup("ada@x.org", NULL));
	for (enum public_lookup lookup = PUBLIC_LOOKUP_SOCIAL_ID; lookup < PUBLIC_LOOKUPS; lookup++) {
		campaign(w)->public_lookup = lookup;
		run_one(w, public_signup("ada@x.org", EVE.data));
		assert_false(slice_present(lead(w, 0)->phone));
		run_one(w, with_token(w, public_signup("ada@x.org", EVE.data), 0));
		assert_slices_equal(lead(w, 0)->phone, EVE);
		lead(w, 0)->phone = SLICE_NONE;
	}
	campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
	run_one(w, public_signup("ada@x.org", EVE.data));
	assert_slices_equal(lead(w, 0)->phone, EVE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAGES_TEST(a_lead_with_two_addresses_is_changed_by_its_person),
		PAGES_TEST(an_address_is_added_by_the_lead_alone),
		PAGES_TEST(the_lead_replaces_a_claim),
		PAGES_TEST(a_number_waits_for_the_email_address),
		PAGES_TEST(the_number_of_the_last_signup_waits),
		PAGES_TEST(a_number_waits_where_there_is_room),
		PAGES_TEST(what_a_stranger_adds_is_a_claim),
		PAGES_TEST(a_proof_of_a_claim_passes_nothing_on),
		PAGES_TEST(an_erased_claim_leaves_nothing),
		PAGES_TEST(strangers_add_nothing_to_leads_that_they_may_not_look_up),
	};
	return cmocka_run_group_tests_name("engine/decide/claims", tests, NULL, NULL);
}
