/* SPDX-License-Identifier: MIT
 * Fraud flags: at sign-up, at repeated sign-ups, set and cleared later (docs/api.md 4.6), decided without a database. */
#include "decide_leads.h"

#include "engine/visitors.h"
#include "identity/domain.h"

static void
limit_addresses(struct world *w, uint32_t max_per_ip)
{
	campaign(w)->max_per_ip = max_per_ip;
	campaign(w)->ip_counted_to = IP_COUNTED_ALL;
}

/* docs/api.md 4.6, Fraud flags at sign-up: a lead gets all flags that apply, in the documented order; its approval makes
 * new_signup_not_excluded. */
static void
a_suspicious_lead_is_flagged(void **state)
{
	struct world *w = *state;
	const struct ip_count counted = { CAMPAIGN, SLICE("192.0.2.1"), 1 };
	struct slice hosts[] = { SLICE("mail.example") };
	const struct host_list disposable = { hosts, 1 };
	w->set.ip_counts = &counted;
	w->set.ip_count_count = 1;
	w->id_supply.disposable_domains = &disposable;
	limit_addresses(w, 1);
	campaign(w)->blocked_email_domains = SLICE("mail.example");
	campaign(w)->blocked_referrers = SLICE("spam.example");
	sign_up(w, 0, -1);
	struct command command = signup("a@in.mail.example", NULL);
	command.as.signup.ip = SLICE("192.0.2.1");
	command.as.signup.referrer = SLICE("https://www.spam.example/x");
	command.as.signup.source = SLICE("form");
	command.as.signup.referrer_id = lead(w, 0)->social_id;
	run(w, &command, 1);
	settle(w);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP, EVENT_MARKED_AS_FRAUDULENT);
	assert_string_equal(extra(w, EVENT_MARKED_AS_FRAUDULENT),
	    "[\"duplicate_ip\",\"blocked_email_domain\",\"disposable_email\",\"blocked_referrer\"]");
	assert_int_equal(lead(w, 0)->unverified_direct, 0);
	assert_int_equal(campaign(w)->counters.fraudulent, 1);
	assert_int_equal(campaign(w)->counters.leads, 2);
	change(w, 1, LEAD_APPROVE);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP_NOT_EXCLUDED, EVENT_SCORE_CHANGE, EVENT_REFERRAL);
	assert_int_equal(lead(w, 0)->score, 1);
	change(w, 1, LEAD_BLOCK);
	change(w, 1, LEAD_APPROVE);
	ASSERT_EVENTS(w, EVENT_SCORE_CHANGE);
}

/* docs/api.md 4.6: sign-ups with a key, and those from allowed networks, are not counted per address. */
static void
an_address_may_be_shared(void **state)
{
	struct world *w = *state;
	limit_addresses(w, 1);
	struct command first = signup("a@x.org", NULL), second = signup("b@x.org", NULL);
	first.as.signup.ip = second.as.signup.ip = SLICE("192.0.2.1");
	first.as.signup.source = second.as.signup.source = SLICE("API");
	run(w, (struct command[]){ first, second }, 2);
	assert_false(lead(w, 1)->fraudulent);
	assert_int_equal(w->decision.ip_moves[0].leads, 2);
	settle(w);
	struct command both[] = { public_signup("g@x.org", NULL), public_signup("h@x.org", NULL) };
	both[0].as.signup.ip = both[1].as.signup.ip = SLICE("198.51.100.7");
	run(w, both, 2);
	assert_false(w->set.leads[w->set.lead_count - 2]->lead.fraudulent);
	assert_true(w->set.leads[w->set.lead_count - 1]->lead.fraudulent);
	/* an IPv6 caller is counted by its /64 */
	both[0].as.signup.ip = SLICE("2001:db8::1");
	both[1].as.signup.ip = SLICE("2001:db8::9:0:0:1");
	both[0].as.signup.email = both[0].as.signup.email_key = SLICE("k@x.org");
	both[1].as.signup.email = both[1].as.signup.email_key = SLICE("l@x.org");
	run(w, both, 2);
	assert_true(w->set.leads[w->set.lead_count - 1]->lead.fraudulent);
	both[0].as.signup.ip = both[1].as.signup.ip = SLICE("198.51.100.7");
	campaign(w)->allowed_networks = SLICE("198.51.100.0/24");
	both[0].as.signup.email = both[0].as.signup.email_key = SLICE("i@x.org");
	both[1].as.signup.email = both[1].as.signup.email_key = SLICE("j@x.org");
	run(w, both, 2);
	assert_false(w->set.leads[w->set.lead_count - 1]->lead.fraudulent);
}

/* Runs the sign-up of lead `i` from the address. Returns the change of the address's count. */
static int64_t
moved_by(struct world *w, struct command command, int i, const char *ip)
{
	int64_t moved = 0;
	command.as.signup.email = command.as.signup.email_key = pool_printf(w->pool, "u%d@x.org", i);
	command.as.signup.ip = slice_of(ip);
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	for (size_t k = 0; k < w->decision.ip_move_count; k++)
		if (slice_equal(w->decision.ip_moves[k].ip, slice_of(ip)))
			moved += w->decision.ip_moves[k].leads;
	settle(w);
	return moved;
}

static int64_t
moved_by_signup(struct world *w, int i, const char *ip)
{
	return moved_by(w, public_signup(NULL, NULL), i, ip);
}

/* docs/inbound.md 2: a call of an inbound webhook has the right to read leads, but passes on what a visitor types. */
static struct command
inbound_signup(void)
{
	struct command command = public_signup(NULL, NULL);
	command.account_id = ACCOUNT;
	command.rights = RIGHT_INGEST | RIGHT_LEADS;
	command.as.signup.inbound = command.as.signup.replace_ip = true;
	return command;
}

/* docs/inbound.md 2: such a call counts as a stranger's, even if its source is a server. */
static void
an_inbound_webhook_is_a_stranger(void **state)
{
	struct world *w = *state;
	struct command command = inbound_signup();
	limit_addresses(w, 1);
	campaign(w)->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	campaign(w)->verify_email = true;
	moved_by_signup(w, 0, "192.0.2.1");
	assert_int_equal(moved_by(w, command, 0, "192.0.2.2"), 1);
	moved_by_signup(w, 1, "192.0.2.2");
	assert_true(lead(w, 1)->fraudulent);
	command.as.signup.source = SLICE("API");
	moved_by(w, command, 2, "192.0.2.2");
	assert_slice(lead(w, 2)->fraud_flags, "[\"duplicate_ip\"]");
}

/* docs/api.md 4.6, Judged again: another person may have signed the lead up first. Flags that are not about a sign-up stay. */
static void
a_sign_up_from_elsewhere_is_judged_again(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *ip, *referrer, *flags;
		bool unproven;
	} rows[] = {
		{ "192.0.2.1", "https://fine.example/", "[\"duplicate_ip\",\"blocked_referrer\",\"unproven\"]", false },
		{ "192.0.2.2", "https://spam.example/", "[\"duplicate_ip\",\"blocked_referrer\",\"unproven\"]", false },
		{ "192.0.2.2", "https://fine.example/", "[\"duplicate_ip\",\"blocked_referrer\",\"unproven\"]", true },
		{ "192.0.2.2", "https://fine.example/", "[\"unproven\"]", false },
	};
	limit_addresses(w, 1);
	campaign(w)->blocked_referrers = SLICE("spam.example");
	sign_up(w, 0, -1);
	moved_by_signup(w, 1, "192.0.2.1");
	struct command command = public_signup("ada@x.org", NULL);
	command.as.signup.ip = SLICE("192.0.2.1");
	command.as.signup.referrer = SLICE("https://spam.example/");
	command.as.signup.referrer_id = lead(w, 0)->social_id;
	command.as.signup.unproven = true;
	run(w, &command, 1);
	settle(w);
	for (enum public_update update = 0; update < PUBLIC_UPDATES; update++) {
		campaign(w)->public_update = update;
		const struct lead poisoned = *lead(w, 2);
		const size_t counts = w->set.ip_count_count;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			command.as.signup.ip = slice_of(rows[i].ip);
			command.as.signup.referrer = slice_of(rows[i].referrer);
			command.as.signup.unproven = rows[i].unproven;
			run(w, &command, 1);
			settle(w);
			assert_slice(lead(w, 2)->fraud_flags, rows[i].flags);
		}
		assert_slice(lead(w, 2)->ip, "192.0.2.2");
		assert_slice(lead(w, 2)->referrer, "https://spam.example/"); /* docs/api.md 4.3, step 6 */
		*lead(w, 2) = poisoned;
		w->set.ip_count_count = counts;
	}
	lead(w, 2)->fraud_flags = SLICE("[\"duplicate_ip\"]");
	assert_int_equal(lead(w, 0)->score, 0);
	run(w, &command, 1);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP_NOT_EXCLUDED, EVENT_SCORE_CHANGE, EVENT_REFERRAL);
	assert_false(lead(w, 2)->fraudulent);
	assert_int_equal(lead(w, 0)->score, 1);
	assert_int_equal(lead(w, 0)->referrals, 1);
}

/* docs/api.md 4.6, Judged again: only facts about the visitor count. A server that sends back stored values states none. */
static void
a_call_without_a_visitor_clears_no_flag(void **state)
{
	struct world *w = *state;
	static const char both[] = "[\"duplicate_ip\",\"blocked_referrer\"]", page[] = "[\"blocked_referrer\"]";
	static const char elsewhere[] = "192.0.2.2", fine[] = "https://fine.example/";
	static const struct {
		rights rights;
		bool inbound, names_ip;
		const char *source, *ip, *referrer, *flags;
	} rows[] = {
		{ RIGHTS_NONE, false, false, "form", NULL, fine, both },
		{ RIGHTS_NONE, false, false, "form", "192.0.2.1", fine, both },
		{ RIGHTS_NONE, false, false, "form", elsewhere, NULL, NULL },
		{ RIGHTS_FULL_KEY, false, false, "API", NULL, fine, both },
		{ RIGHTS_FULL_KEY, false, true, "API", elsewhere, fine, both },
		{ RIGHTS_FULL_KEY, false, false, "crm", elsewhere, fine, both },
		{ RIGHTS_FULL_KEY, false, true, "crm", elsewhere, NULL, page },
		{ RIGHTS_FULL_KEY, false, true, "crm", elsewhere, fine, NULL },
		{ RIGHTS_NONE, true, false, "typeform", NULL, fine, both },
		{ RIGHTS_NONE, true, true, "typeform", elsewhere, NULL, page },
		{ RIGHTS_NONE, true, true, "typeform", elsewhere, fine, NULL },
	};
	limit_addresses(w, 1);
	sign_up(w, 0, -1);
	moved_by_signup(w, 1, "192.0.2.1");
	moved_by_signup(w, 2, "192.0.2.1");
	campaign(w)->blocked_referrers = SLICE("spam.example");
	lead(w, 2)->fraud_flags = slice_of(both);
	const struct lead flagged = *lead(w, 2);
	const size_t counts = w->set.ip_count_count;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct command command = signup("u2@x.org", NULL);
		command.rights = rows[i].rights;
		command.as.signup.inbound = rows[i].inbound;
		command.as.signup.replace_ip = rows[i].names_ip;
		command.as.signup.source = slice_of(rows[i].source);
		command.as.signup.ip = slice_of(rows[i].ip);
		command.as.signup.referrer = slice_of(rows[i].referrer);
		run(w, &command, 1);
		settle(w);
		assert_int_equal(lead(w, 2)->fraudulent, rows[i].flags != NULL);
		assert_true(slice_equal(lead(w, 2)->fraud_flags, slice_of(rows[i].flags)));
		*lead(w, 2) = flagged;
		w->set.ip_count_count = counts;
	}
}

/* docs/api.md 4.6: the `max_per_ip` leads include the one that signs up again. */
static void
a_lead_is_no_other_one_of_its_address(void **state)
{
	struct world *w = *state;
	limit_addresses(w, 2);
	campaign(w)->blocked_referrers = SLICE("spam.example");
	moved_by_signup(w, 0, "192.0.2.1");
	struct command command = public_signup("u1@x.org", NULL);
	command.as.signup.ip = SLICE("192.0.2.1");
	command.as.signup.referrer = SLICE("https://spam.example/");
	run(w, &command, 1);
	settle(w);
	assert_slice(lead(w, 1)->fraud_flags, "[\"blocked_referrer\"]");
	assert_int_equal(moved_by_signup(w, 1, "192.0.2.1"), 0);
	assert_false(lead(w, 1)->fraudulent);
	moved_by_signup(w, 2, "192.0.2.1");
	assert_slice(lead(w, 2)->fraud_flags, "[\"duplicate_ip\"]");
	moved_by_signup(w, 2, "192.0.2.1");
	assert_true(lead(w, 2)->fraudulent);
}

/* docs/api.md 4.6, Fraud flags later: a lead that an operator blocks stays blocked, whatever the reason. */
static void
a_block_outlasts_sign_ups_and_verification(void **state)
{
	struct world *w = *state;
	static const char *const reasons[] = { NULL, "duplicate_ip", "blocked_referrer", "unproven" };
	limit_addresses(w, 1);
	for (int i = 0; i < (int)ARRAY_SIZE(reasons); i++) {
		sign_up(w, i, -1);
		change_with(w, i, LEAD_BLOCK, reasons[i]);
		moved_by_signup(w, i, pool_printf(w->pool, "192.0.2.%d", i + 1).data);
		change_with(w, i, LEAD_VERIFY, "email");
		assert_true(lead(w, (size_t)i)->fraudulent);
		assert_true(slice_starts_with(lead(w, (size_t)i)->fraud_flags, SLICE("[\"manual\"")));
	}
}

/* decide.h: leads with a number above ip_counted_to are not counted, and max_per_ip has no effect while such leads may exist.
 */
static void
a_lead_after_the_mark_is_not_counted(void **state)
{
	struct world *w = *state;
	campaign(w)->max_per_ip = 1;
	campaign(w)->ip_counted_to = 2;
	assert_int_equal(moved_by_signup(w, 1, "192.0.2.1"), 1);
	assert_int_equal(moved_by_signup(w, 2, "192.0.2.1"), 1);
	assert_int_equal(moved_by_signup(w, 3, "192.0.2.1"), 0);
	for (size_t i = 0; i < 3; i++)
		assert_false(lead(w, i)->fraudulent);
	change(w, 2, LEAD_DELETE);
	assert_int_equal(w->decision.ip_move_count, 0);
	change(w, 1, LEAD_DELETE);
	assert_int_equal(w->decision.ip_moves[0].leads, -1);
	/* leads are counted with and without max_per_ip */
	campaign(w)->max_per_ip = 0;
	change(w, 0, LEAD_DELETE);
	assert_int_equal(w->decision.ip_moves[0].leads, -1);
	campaign(w)->ip_counted_to = IP_COUNTED_ALL;
	assert_int_equal(moved_by_signup(w, 4, "192.0.2.1"), 1);
	assert_int_equal(moved_by_signup(w, 5, "192.0.2.1"), 1);
	assert_false(lead(w, 4)->fraudulent);
	campaign(w)->max_per_ip = 1;
	assert_int_equal(moved_by_signup(w, 6, "192.0.2.1"), 0); /* one lead too many */
	assert_true(lead(w, 5)->fraudulent);
	campaign(w)->ip_counted_to = 0;
	assert_int_equal(moved_by_signup(w, 7, "192.0.2.1"), 0);
	assert_false(lead(w, 6)->fraudulent);
}

/* docs/api.md 4.1.11, Not verified: a sign-up with a known email address takes as much room of the caller's network address as
 * one with a new email address, so that the caller's next lead does not show which it was. If there is no room, neither takes
 * any, and no other network address gets any back. */
static void
room_of_an_address_shows_no_lead(void **state)
{
	struct world *w = *state;
	limit_addresses(w, 1);
	campaign(w)->public_lookup = PUBLIC_LOOKUP_SOCIAL_ID;
	campaign(w)->verify_email = true;
	moved_by_signup(w, 0, "192.0.2.1");
	for (enum public_update update = 0; update < PUBLIC_UPDATES; update++) {
		campaign(w)->public_update = update;
		const char *const probed = pool_printf(w->pool, "198.51.100.%d", (int)update).data;
		assert_int_equal(moved_by_signup(w, 0, probed), 1);
		assert_int_equal(moved_by_signup(w, 0, probed), 0);
		moved_by_signup(w, 2 * (int)update + 1, probed);
		assert_true(lead(w, 2 * update + 1)->fraudulent);
		moved_by_signup(w, 2 * (int)update + 2, pool_printf(w->pool, "203.0.113.%d", (int)update).data);
		assert_int_equal(moved_by_signup(w, 2 * (int)update + 2, probed), 0);
		assert_false(lead(w, 2 * update + 2)->fraudulent);
		assert_slice(lead(w, 2 * update + 2)->ip, pool_printf(w->pool, "203.0.113.%d", (int)update).data);
	}
	assert_slice(lead(w, 0)->ip, "198.51.100.2");
	struct command command = signup("u0@x.org", NULL);
	command.as.signup.ip = SLICE("192.0.2.9");
	run(w, &command, 1);
	assert_slice(lead(w, 0)->ip, "198.51.100.2"); /* not changed by a caller with the right to read leads */
	campaign(w)->public_lookup = PUBLIC_LOOKUP_ALL;
	assert_int_equal(moved_by_signup(w, 0, "192.0.2.9"), 0);
}

/* Lead 1 has a phone number, and lead 0 has the credit for lead 1. */
static void
refer_a_number(struct world *w)
{
	struct command command = public_signup(NULL, "+4930123456");
	w->set.lead_count = w->set.link_count = 0;
	sign_up(w, 0, -1);
	command.as.signup.referrer_id = lead(w, 0)->social_id;
	run(w, &command, 1);
	settle(w);
	assert_int_equal(lead(w, 0)->score, 1);
}

/* Adds this email address to lead 1. */
static void
add_address(struct world *w, struct command command, const char *email)
{
	command.as.signup.email = command.as.signup.email_key = slice_of(email);
	command.as.signup.phone = SLICE("+4930123456");
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
	assert_slice(lead(w, 1)->email, email);
}

/* docs/api.md 4.6, Another address: an address that a lead gets later is judged like that of a new lead, unless it comes from a
 * caller that may set addresses. */
static void
an_address_that_is_added_is_judged(void **state)
{
	struct world *w = *state;
	struct slice hosts[] = { SLICE("throw.example") };
	const struct host_list disposable = { hosts, 1 };
	struct command change_only = signup(NULL, NULL);
	change_only.rights = RIGHT_CHANGE;
	const struct {
		struct command command;
		const char *email, *flags; /* NULL: none */
	} rows[] = {
		{ public_signup(NULL, NULL), "a@mail.example", "[\"blocked_email_domain\"]" },
		{ public_signup(NULL, NULL), "a@throw.example", "[\"disposable_email\"]" },
		{ public_signup(NULL, NULL), "a@fine.example", NULL },
		{ inbound_signup(), "a@mail.example", "[\"blocked_email_domain\"]" },
		{ change_only, "a@mail.example", "[\"blocked_email_domain\"]" },
		{ signup(NULL, NULL), "a@mail.example", NULL },
	};
	w->id_supply.disposable_domains = &disposable;
	w->id_supply.sends_mail = true;
	campaign(w)->blocked_email_domains = SLICE("mail.example");
	campaign(w)->verify_email = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool is_flagged = rows[i].flags != NULL;
		refer_a_number(w);
		add_address(w, rows[i].command, rows[i].email);
		assert_int_equal(lead(w, 1)->fraudulent, is_flagged);
		assert_slices_equal(lead(w, 1)->fraud_flags, slice_of(is_flagged ? rows[i].flags : ""));
		assert_int_equal(lead(w, 0)->score, !is_flagged);
		assert_int_equal(lead(w, 0)->referrals, !is_flagged);
		assert_int_equal(w->decision.message_count, !is_flagged); /* docs/api.md 4.1.12: the mail that asks to confirm
									   * the address */
	}
}

/* docs/api.md 4.6, Another address: the flag for an address ends when the address is replaced or removed. The flag of `block`
 * stays. */
static void
a_flag_of_an_address_ends_with_it(void **state)
{
	struct world *w = *state;
	struct command by_owner = public_signup(NULL, NULL), erasure = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	campaign(w)->blocked_email_domains = SLICE("mail.example");
	for (int i = 0; i < 4; i++) {
		refer_a_number(w);
		change_with(w, 1, LEAD_VERIFY, "phone");
		add_address(w, public_signup(NULL, NULL), "a@mail.example");
		ASSERT_EVENTS(w, EVENT_REPEAT_SIGNUP, EVENT_MARKED_AS_FRAUDULENT, EVENT_SCORE_CHANGE);
		if (i == 3)
			change_with(w, 1, LEAD_BLOCK, "disposable_email");
		by_owner.as.signup.own_id = lead(w, 1)->social_id;
		by_owner.as.signup.own_epoch = lead(w, 1)->token_epoch;
		erasure.as.change = (struct lead_change){ .action = LEAD_DELETE,
			.lead = { .identity = LEAD_BY_ID, .id = lead(w, 1)->id },
			.argument = LEAD_DELETE_ERASED,
			.address = SLICE("a@mail.example") };
		if (i == 0) {
			run(w, &erasure, 1);
			settle(w);
		} else {
			add_address(w, i == 1 ? signup(NULL, NULL) : by_owner, "a@fine.example");
		}
		assert_int_equal(lead(w, 1)->fraudulent, i == 3);
		assert_slices_equal(lead(w, 1)->fraud_flags, slice_of(i == 3 ? "[\"manual\"]" : ""));
		assert_int_equal(lead(w, 0)->score, i != 3);
	}
}

/* docs/api.md 4.6, Fraud flags at sign-up: own_referral, by mailbox and by number, also with other leads in between. */
static void
a_lead_does_not_refer_itself(void **state)
{
	static const struct {
		const char *email, *phone;
		bool own;
	} leads[] = {
		{ "rosa.lind@gmail.com", "+491711234567", false },
		{ "rosalind+1@googlemail.com", NULL, true },
		{ "eve@example.org", NULL, false },
		{ "RosaLind+2@gmail.com", NULL, true },
		{ "eve+x@example.org", NULL, true },
		{ "pat@example.org", "+491711234567", true },
		{ "rosalind@example.org", "+491711234568", false },
	};
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		struct command command = signup(leads[i].email, leads[i].phone);
		command.rights = RIGHTS_NONE; /* a number is left out if a stranger sends it and it belongs to another lead */
		command.as.signup.email_key = pool_copy(w->pool, command.as.signup.email);
		if (i == 3)
			command.as.signup.email_key = SLICE("rosalind+2@gmail.com");
		if (i > 0)
			command.as.signup.referrer_id = lead(w, i - 1)->social_id;
		run(w, &command, 1);
		assert_int_equal(lead(w, i)->fraudulent, leads[i].own);
		if (leads[i].own)
			assert_slice(lead(w, i)->fraud_flags, "[\"own_referral\"]");
		settle(w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_suspicious_lead_is_flagged),
		WORLD_TEST(a_lead_does_not_refer_itself),
		WORLD_TEST(an_address_may_be_shared),
		WORLD_TEST(a_sign_up_from_elsewhere_is_judged_again),
		WORLD_TEST(a_call_without_a_visitor_clears_no_flag),
		WORLD_TEST(a_lead_is_no_other_one_of_its_address),
		WORLD_TEST(a_block_outlasts_sign_ups_and_verification),
		WORLD_TEST(a_lead_after_the_mark_is_not_counted),
		WORLD_TEST(room_of_an_address_shows_no_lead),
		WORLD_TEST(an_inbound_webhook_is_a_stranger),
		WORLD_TEST(an_address_that_is_added_is_judged),
		WORLD_TEST(a_flag_of_an_address_ends_with_it),
	};
	return cmocka_run_group_tests_name("engine/decide/fraud", tests, NULL, NULL);
}
