/* SPDX-License-Identifier: MIT
 * Whose a lead is (docs/api.md 4.1.11, Own): when the token of its page ends, to which leads strangers add addresses, and which
 * of them are claims, decided without a database. */
#include "decide_leads.h"

#include "engine/strangers.h"

#define EVE SLICE("+4930123456") /* the number that the stranger enters */

/* A campaign as it is made, with pages. */
static int
open_pages(void **state)
{
	open_world(state);
	struct world *w = *state;
	campaign(w)->pages = true;
	return 0;
}

static void
run_one(struct world *w, struct command command)
{
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
}

/* What the answer or the first event has of the token: the end of status_url; absent: no token. */
static struct slice
token_in(const struct world *w, struct slice json)
{
	static const char mark[] = "/c/7/s/";
	enum { ID_AND_SLASH = 11 };
	const char *url = strstr(json.data, mark);
	assert_non_null(url);
	url += strlen(mark);
	const size_t size = strcspn(url, "\"");
	return size > ID_AND_SLASH ? pool_copy(w->pool, (struct slice){ url + ID_AND_SLASH, size - ID_AND_SLASH }) : SLICE_NONE;
}

/* The token of lead number 0, as the operator sees it. */
static struct slice
token_now(struct world *w)
{
	struct command command = signup(NULL, NULL);
	command.as.signup.subject = lead(w, 0)->social_id;
	command.as.signup.edits = true;
	run_one(w, command);
	return token_in(w, w->outcomes[0].body);
}

static struct command
with_token(struct world *w, struct command command, uint32_t epoch)
{
	command.as.signup.own_id = lead(w, 0)->social_id;
	command.as.signup.own_epoch = epoch;
	return command;
}

static void
prove(struct world *w, enum lead_channel channel)
{
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change = (struct lead_change){
		.action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, 0)->id },
		.argument = lead_channel_name(channel),
		.address = channel == CHANNEL_EMAIL ? lead(w, 0)->email_key : lead(w, 0)->phone,
		.by_lead = true,
	};
	run_one(w, command);
}

/* Eve enters a number that is another person's, which adds an email address by signing up: what Eve has is then a stranger's.
 */
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

/* The same by a key without the token. Nothing that the lead itself adds, and nothing that is added to a verified lead, ends
 * it; an address that is replaced does. */
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

/* Of two people that may have signed up an address, the one that proves it is the lead. Alone, its creator stays so, as do the
 * bookmarks. */
static void
a_proof_ends_the_token_of_a_shared_lead(void **state)
{
	struct world *w = *state;
	static const struct {
		uint32_t signups;
		bool by_operator, is_verified, ends;
		enum lead_channel channel;
		enum public_update update;
		enum campaign_bots bots;
	} rows[] = {
		{ .signups = 1 },
		{ .signups = 2, .ends = true },
		{ .signups = 2, .by_operator = true },
		{ .signups = 2, .channel = CHANNEL_PHONE, .ends = true },
		{ .signups = 2, .channel = CHANNEL_PHONE, .is_verified = true },
		/* repeated sign-ups are not counted there */
		{ .signups = 1, .update = PUBLIC_UPDATE_NONE, .ends = true },
		{ .signups = 1, .bots = BOTS_PROOF_OR_CONFIRM, .ends = true },
		{ .signups = 1, .update = PUBLIC_UPDATE_OWN },
	};
	run_one(w, public_signup("ada@x.org", EVE.data));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct slice token = token_now(w);
		lead(w, 0)->counter = rows[i].signups;
		lead(w, 0)->verified_email = rows[i].is_verified;
		lead(w, 0)->verified_phone = false;
		lead(w, 0)->claimed = CLAIM_NONE;
		campaign(w)->public_update = rows[i].update;
		campaign(w)->bots = rows[i].bots;
		if (rows[i].by_operator)
			change(w, 0, LEAD_VERIFY);
		else
			prove(w, rows[i].channel);
		if (!rows[i].is_verified) /* the event has the new one already */
			assert_int_equal(slice_equal(token_in(w, w->decision.events[0].payload), token), !rows[i].ends);
		const struct slice now = token_now(w);
		assert_int_equal(slice_equal(now, token), !rows[i].ends);
		/* the number may be that of the person that signed it up before */
		assert_int_equal(
		    lead(w, 0)->claimed, rows[i].ends && rows[i].channel == CHANNEL_EMAIL ? CLAIM_PHONE : CLAIM_NONE);
		prove(w, rows[i].channel); /* again */
		assert_true(slice_equal(token_now(w), now));
	}
}

/* An operator's verification is no proof: the token that the first sign-up got ends at the first one. */
static void
a_proof_after_a_verification_ends_the_token(void **state)
{
	struct world *w = *state;
	for (unsigned phone = 0; phone < 2; phone++) {
		run_one(w, public_signup("ada@x.org", phone ? EVE.data : NULL));
		const struct slice eves = token_now(w);
		change_with(w, 0, LEAD_VERIFY, "email");
		run_one(w, public_signup("ada@x.org", NULL));
		if (phone) { /* proves nothing about the email address */
			prove(w, CHANNEL_PHONE);
			assert_true(slice_equal(token_now(w), eves));
		}
		prove(w, CHANNEL_EMAIL);
		const struct slice adas = token_now(w);
		assert_false(slice_equal(adas, eves));
		run_one(w, public_signup("ada@x.org", NULL));
		prove(w, CHANNEL_EMAIL);
		assert_true(slice_equal(token_now(w), adas));
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* A number that is added or replaced ends the link that the email address was sent. The new one is sent there: once, and as the
 * campaign sends mails. */
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
			assert_int_equal(
			    w->decision.messages[0].ref, rows[i].wanted == MESSAGE_STATUS_LINK ? STATUS_LINK_REPLACES : 0);
		}
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* A stranger that signs up an address with its own number, and proves that number first, has proven nothing about the address.
 */
static void
a_proof_of_the_email_address_is_the_stronger_one(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_mail = true;
	campaign(w)->verify_email = true;
	run_one(w, public_signup("ada@x.org", EVE.data));
	prove(w, CHANNEL_PHONE);
	assert_int_equal(w->decision.message_count, 1); /* to the email address: its owner decides */
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
	assert_int_equal(w->decision.messages[0].ref, 0); /* requested: it ends nothing */
	assert_true(slice_equal(token_now(w), adas));
}

/* 4.1.11, Loose address: one that waits to be verified, beside one that is, belongs to the next stranger that signs up with it.
 */
static void
a_loose_address_is_taken(void **state)
{
	struct world *w = *state;
	static const struct {
		bool verify_email, verify_phone, verified_email, verified_phone;
		enum lead_claim claimed;
		const char *email, *phone; /* of the next sign-up */
		bool by_key, by_owner, takes;
	} rows[] = {
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .takes = true },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .phone = "+4930999999", .takes = true },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .phone = "+4930123456" },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .by_key = true },
		{ .verify_email = true, .verified_phone = true, .email = "ada@x.org", .by_owner = true },
		{ .verify_email = true, .verified_phone = true, .verified_email = true, .email = "ada@x.org" },
		{ .verify_email = true, .email = "ada@x.org" },
		{ .verify_phone = true, .verified_phone = true, .email = "ada@x.org" },
		{ .verified_phone = true, .email = "ada@x.org" },
		{ .verified_phone = true, .claimed = CLAIM_EMAIL, .email = "ada@x.org" },
		{ .verify_phone = true, .claimed = CLAIM_EMAIL, .email = "ada@x.org" },
		{ .verify_phone = true, .verified_phone = true, .claimed = CLAIM_EMAIL, .email = "ada@x.org", .takes = true },
		{ .verify_email = true, .verified_email = true, .claimed = CLAIM_PHONE, .phone = "+4930123456", .takes = true },
		{ .verify_phone = true, .verified_email = true, .phone = "+4930123456", .takes = true },
		{ .verify_phone = true, .phone = "+4930123456" },
		{ .verified_email = true, .phone = "+4930123456" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		campaign(w)->verify_email = rows[i].verify_email;
		campaign(w)->verify_phone = rows[i].verify_phone;
		campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
		run_one(w, public_signup("ada@x.org", "+4930123456"));
		lead(w, 0)->verified_email = rows[i].verified_email;
		lead(w, 0)->verified_phone = rows[i].verified_phone;
		lead(w, 0)->claimed = rows[i].claimed;
		struct command command =
		    rows[i].by_key ? signup(rows[i].email, rows[i].phone) : public_signup(rows[i].email, rows[i].phone);
		if (rows[i].by_owner)
			command = with_token(w, command, lead(w, 0)->token_epoch);
		run_one(w, command);
		assert_int_equal(w->set.lead_count, rows[i].takes ? 2 : 1);
		assert_int_equal(slice_present(lead(w, 0)->email), !rows[i].takes || rows[i].email == NULL);
		assert_int_equal(slice_present(lead(w, 0)->phone), !rows[i].takes || rows[i].email != NULL);
		if (rows[i].takes) {
			assert_slices_equal(lead(w, 1)->email, slice_of(rows[i].email == NULL ? "" : rows[i].email));
			assert_slices_equal(lead(w, 1)->phone, slice_of(rows[i].phone == NULL ? "" : rows[i].phone));
		}
		w->set.lead_count = 0;
	}
}

/* 4.1.11, New number. */
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
		assert_slices_equal(lead_waiting_number(w->pool, lead(w, 0)), slice_of(rows[i].waits ? "+4930123456" : ""));
		w->set.lead_count = 0;
	}
	static const char *const others[] = { "{\"unconfirmed_phone_number\":\"<b>1</b>\"}", "{\"unconfirmed_phone_number\":1}",
		"{\"unconfirmed_phone_number\":\"030123456\"}", "{}" };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct lead other = { .custom_fields = slice_of(others[i]) };
		assert_false(slice_present(lead_waiting_number(w->pool, &other)));
	}
}

/* 4.1.11, Claim: what a stranger adds to a lead that exists, by whatever campaign or state of the lead. What a key adds is
 * none. A key that sends what the lead has, as it got it from a webhook, ends none. */
static void
what_a_stranger_adds_is_a_claim(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *email, *phone; /* of the first sign-up */
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
		/* it has it already */
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, STRANGER, "ada@x.org", "+4930123456", true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, KEY, "ada@x.org", "+4930123456", true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, TOKEN, "ada@x.org", NULL, true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, TOKEN, "ada@x.org", "+4930123456", true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_EMAIL, TOKEN, "ada@x.org", NULL, true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, OPERATOR, NULL, NULL, true, CLAIM_PHONE },
		{ "ada@x.org", "+4930123456", CLAIM_PHONE, OPERATOR, NULL, "+4930123456", true, CLAIM_NONE },
		{ "ada@x.org", "+4930123456", CLAIM_EMAIL, OPERATOR, "ada@x.org", NULL, true, CLAIM_NONE },
		/* another one */
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

/* The proof of a claim is one of the person that added it, not of the lead: no token ends, and nothing is sent. The proof of
 * the other address is that of the owner, also of a number beside an email address. */
static void
a_proof_of_a_claim_passes_nothing_on(void **state)
{
	struct world *w = *state;
	w->id_supply.sends_mail = true;
	campaign(w)->mails = MESSAGE_BIT(MESSAGE_STATUS_LINK);
	campaign(w)->verify_phone = true;
	for (enum lead_channel owner = CHANNEL_EMAIL; owner <= CHANNEL_PHONE; owner++) {
		const enum lead_channel claimed = owner == CHANNEL_EMAIL ? CHANNEL_PHONE : CHANNEL_EMAIL;
		run_one(w, owner == CHANNEL_EMAIL ? public_signup("ada@x.org", NULL) : public_signup(NULL, EVE.data));
		run_one(w, public_signup("ada@x.org", EVE.data));
		const struct slice before = token_now(w);
		change(w, 0, LEAD_VERIFY); /* means the owner's */
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

/* docs/operating.md 7.4: by what mails to it had no one acts for the lead any more, and what it had verified is not. */
static void
an_erased_claim_leaves_nothing(void **state)
{
	struct world *w = *state;
	campaign(w)->verify_phone = true;
	for (enum lead_channel claimed = CHANNEL_EMAIL; claimed <= CHANNEL_PHONE; claimed++) {
		const bool email = claimed == CHANNEL_EMAIL;
		run_one(w, email ? public_signup(NULL, EVE.data) : public_signup("ada@x.org", NULL));
		run_one(w, public_signup("ada@x.org", EVE.data));
		prove(w, claimed);
		const struct lead before = *lead(w, 0);
		struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
		command.as.change = (struct lead_change){ .action = LEAD_DELETE,
			.lead = { .identity = LEAD_BY_ID, .id = before.id },
			.argument = LEAD_DELETE_ERASED,
			.address = email ? EVE : SLICE("ada@x.org") };
		run_one(w, command); /* not by the owner's address */
		assert_true(slice_present(lead(w, 0)->email) && slice_present(lead(w, 0)->phone));
		command.as.change.address = email ? SLICE("ada@x.org") : EVE;
		run_one(w, command);
		assert_int_equal(slice_present(lead(w, 0)->email), !email);
		assert_int_equal(slice_present(lead(w, 0)->phone), email);
		assert_false(lead_is_verified(lead(w, 0)));
		assert_int_equal(lead(w, 0)->claimed, CLAIM_NONE);
		assert_int_equal(lead(w, 0)->opt_out_epoch > before.opt_out_epoch, email);
		assert_int_equal(lead(w, 0)->token_epoch, before.token_epoch); /* it has got no link to the page */
		change(w, 0, LEAD_DELETE);
		w->set.lead_count = 0;
	}
}

/* An import can bring a social id again, of a lead that was deleted. */
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

/* 4.1.11, New number, known address: a code or a link would go to the stranger's address. */
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

#define PAGES_TEST(f) cmocka_unit_test_setup_teardown(f, open_pages, close_world)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAGES_TEST(an_added_address_ends_the_token),
		PAGES_TEST(it_matters_which_caller_adds_an_address),
		PAGES_TEST(a_proof_ends_the_token_of_a_shared_lead),
		PAGES_TEST(a_proof_after_a_verification_ends_the_token),
		PAGES_TEST(an_ended_link_is_sent_again),
		PAGES_TEST(a_proof_of_the_email_address_is_the_stronger_one),
		PAGES_TEST(a_loose_address_is_taken),
		PAGES_TEST(a_number_waits_for_the_email_address),
		PAGES_TEST(what_a_stranger_adds_is_a_claim),
		PAGES_TEST(a_proof_of_a_claim_passes_nothing_on),
		PAGES_TEST(an_erased_claim_leaves_nothing),
		PAGES_TEST(an_imported_social_id_revives_no_token),
		PAGES_TEST(strangers_add_nothing_to_leads_that_they_may_not_look_up),
	};
	return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
