/* SPDX-License-Identifier: MIT
 * Every kind of row that a decision changes or makes. */
#include "unit.h"

#include <inttypes.h>

#include "engine/decide/decide.h"
#include "engine/events.h"
#include "engine/id_list.h"
#include "store/batch_write.h"
#include "store/find.h"
#include "store/state.h"
#include "store/transaction.h"
#include "world.h"

enum { ALL_EVENTS = (1 << EVENT_TYPES) - 1 };

/* Returns whether there are messages to send now. */
static bool
write_loaded(struct world *w, const struct working_set *loaded, const struct decision *decision, enum result expected)
{
	struct decision complete = *decision;
	bool made_messages = false;
	decide_rank_changes(w->pool, &complete);
	assert_int_equal(db_begin(w->store->db), RESULT_OK);
	assert_int_equal(store_write(w->store, w->pool, loaded, &complete, &made_messages), expected);
	assert_int_equal(store_finish(w->store, expected), expected);
	return made_messages;
}

/* Every member has a distinct value, so that exchanged columns are found; all values that commands change depend on `n`. */
static struct lead
some_lead(struct world *w, uint64_t id, uint32_t n)
{
	struct slice text[16];
	for (uint32_t i = 0; i < ARRAY_SIZE(text); i++)
		text[i] = pool_printf(w->pool, "text%" PRIu32 "-%" PRIu32, i, n);
	return (struct lead){
		.id = id,
		.campaign_id = w->campaign,
		.subscription_number = 77,
		.counter = n + 1,
		.social_id = pool_printf(w->pool, "s%09" PRIu64, id % 1000000000),
		.parent_id = 4711,
		.email = text[0],
		.email_key = text[1],
		.email_hash = pool_printf(w->pool, "e%015" PRIu32, n),
		.phone = pool_printf(w->pool, "+1%" PRIu32, n),
		.phone_hash = pool_printf(w->pool, "p%015" PRIu64, w->campaign),
		.verified_email = n & 1,
		.verified_phone = n & 2,
		.waitlisted = n & 4,
		.removed_from_waitlist = n & 8,
		.opted_out = n & 16,
		.sms_opted_out = n & 32,
		.fraudulent = n & 64,
		.announced = n & 128,
		.custom_fields = text[2],
		.keyed_fields = n % 1000 + 10,
		.utm = text[3],
		.uid = text[4],
		.redirect_url = text[5],
		.redirect_by_key = n & 256,
		.ip = text[6],
		.user_agent = text[7],
		.referrer = SLICE("referrer"),
		.source = SLICE("source"),
		.source_id = UINT64_MAX,
		.source_class = 200,
		.fraud_flags = text[8],
		.times_flagged = n + 2,
		.score = n + 3,
		.referrals = n + 4,
		.unverified_direct = n + 5,
		.unverified_indirect = n + 6,
		.verified_direct = n + 7,
		.verified_indirect = n + 8,
		.tag_ids = pool_printf(w->pool, "1,%" PRIu32, n),
		.action_ids = pool_printf(w->pool, "2,%" PRIu32, n),
		.reward_ids = pool_printf(w->pool, "3,%" PRIu32, n),
		.created_ms = 1,
		.updated_ms = n + 9,
	};
}

static void
assert_same_lead(const struct lead *a, const struct lead *b)
{
	const struct slice mine[] = { a->social_id, a->email, a->email_key, a->email_hash, a->phone, a->phone_hash,
		a->custom_fields, a->utm, a->uid, a->redirect_url, a->ip, a->user_agent, a->referrer, a->source, a->fraud_flags,
		a->tag_ids, a->action_ids, a->reward_ids };
	const struct slice theirs[] = { b->social_id, b->email, b->email_key, b->email_hash, b->phone, b->phone_hash,
		b->custom_fields, b->utm, b->uid, b->redirect_url, b->ip, b->user_agent, b->referrer, b->source, b->fraud_flags,
		b->tag_ids, b->action_ids, b->reward_ids };
	for (size_t i = 0; i < ARRAY_SIZE(mine); i++)
		assert_slices_equal(mine[i], theirs[i]);
	assert_true(a->id == b->id && a->campaign_id == b->campaign_id && a->subscription_number == b->subscription_number &&
		    a->counter == b->counter && a->parent_id == b->parent_id && a->source_id == b->source_id);
	assert_int_equal(a->source_class, b->source_class);
	assert_int_equal(a->keyed_fields, b->keyed_fields);
	assert_true(a->verified_email == b->verified_email && a->verified_phone == b->verified_phone &&
		    a->waitlisted == b->waitlisted && a->removed_from_waitlist == b->removed_from_waitlist &&
		    a->opted_out == b->opted_out && a->sms_opted_out == b->sms_opted_out && a->fraudulent == b->fraudulent &&
		    a->announced == b->announced && a->redirect_by_key == b->redirect_by_key);
	assert_true(a->times_flagged == b->times_flagged && a->score == b->score && a->referrals == b->referrals &&
		    a->created_ms == b->created_ms && a->updated_ms == b->updated_ms);
	assert_int_equal(a->unverified_direct, b->unverified_direct);
	assert_int_equal(a->unverified_indirect, b->unverified_indirect);
	assert_int_equal(a->verified_direct, b->verified_direct);
	assert_int_equal(a->verified_indirect, b->verified_indirect);
}

/* Columns are stored in a new row and in a changed one. */
static void
every_column_of_a_lead_is_stored(void **state)
{
	static const uint32_t kinds[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 255, 256, 0xfffffff0 };
	struct world *w = *state;
	const uint64_t id = 2000000000 + w->campaign;
	struct working_lead lead = { .change = ROW_CREATED };
	struct working_lead *leads[] = { &lead };
	struct working_set loaded = { .leads = leads, .lead_count = 1 };
	struct lead_reference reference = { .identity = LEAD_BY_ID, .id = id };
	struct lead found;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		lead.lead = some_lead(w, id, kinds[i]);
		write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
		assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, &reference, &found), RESULT_OK);
		assert_same_lead(&found, &lead.lead);
		lead.change = ROW_CHANGED;
	}
	/* and in a new row with all values at once, or with none */
	lead.change = ROW_DELETED;
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, &reference, &found), RESULT_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads WHERE lead_id = %" PRIu64, id), 1);
	root_run("DELETE FROM t_deleted_leads");
	lead.change = ROW_CREATED;
	lead.lead = some_lead(w, id, 170);
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, &reference, &found), RESULT_OK);
	assert_same_lead(&found, &lead.lead);
	lead.change = ROW_CHANGED;
	lead.lead = (struct lead){ .id = id,
		.campaign_id = w->campaign,
		.subscription_number = 77,
		.social_id = lead.lead.social_id,
		.parent_id = 4711,
		.referrer = SLICE("referrer"),
		.source = SLICE("source"),
		.source_id = UINT64_MAX,
		.source_class = 200,
		.created_ms = 1 };
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	assert_int_equal(store_find_lead(w->store, w->pool, w->campaign, &reference, &found), RESULT_OK);
	assert_same_lead(&found, &lead.lead);
	assert_false(slice_present(found.tag_ids));
}

static void
counters_and_links_are_stored(void **state)
{
	struct world *w = *state;
	struct working_campaign changed = { .campaign = find_campaign(w, w->campaign), .changed = true };
	struct campaign *campaign = &changed.campaign;
	struct working_set loaded = { .campaigns = &changed, .campaign_count = 1 };
	campaign->last_subscription_number = 9;
	campaign->counters = (struct campaign_counters){ 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct working_link links[] = {
		{ { 2000000000 + w->campaign, 1, 8, REFERRAL_VERIFIED, true, false, true, 7, 99, 2, 5 }, ROW_CREATED },
		{ { 2000000000 + w->campaign, 16, 9, REFERRAL_UNVERIFIED, false, true, false, 6, 98, 4, 0 }, ROW_CREATED },
	};
	struct working_link *pointers[] = { &links[0], &links[1] };
	loaded.links = pointers;
	loaded.link_count = 2;
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	struct campaign found = find_campaign(w, w->campaign);
	assert_int_equal(found.last_subscription_number, 9);
	assert_memory_equal(&found.counters, &campaign->counters, sizeof(found.counters));
	static const char row[] = "SELECT CONCAT(level, ancestor_id, counted + 0, counts, settled, verified_settled, earned, "
				  "credit, set_off, digest_ms) FROM "
				  "t_referral_links WHERE level = %u AND lead_id = %" PRIu64;
	assert_int_equal(root_number(row, 1, links[0].link.lead_id), 18310179925);
	assert_int_equal(root_number(row, 16, links[0].link.lead_id), 169201069840);
	links[0] = (struct working_link){ { links[0].link.lead_id, 1, 8, REFERRAL_NOT_COUNTED, false, true, false, 5, 0, 3, 6 },
		ROW_CHANGED };
	links[1].change = ROW_AS_LOADED;
	links[1].link.credit = 1;
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	assert_int_equal(root_number(row, 1, links[0].link.lead_id), 1810105036);
	assert_int_equal(root_number(row, 16, links[0].link.lead_id), 169201069840);
}

/* store/batch.h: new messages, and those that no longer wait for a confirmation; the mailer is woken for them. */
static void
messages_to_send_are_reported(void **state)
{
	struct world *w = *state;
	const struct working_set loaded = { .now_ms = 1 };
	uint64_t lead_id = 3000000000 + w->campaign;
	struct made_message message = { .campaign_id = w->campaign, .lead_id = lead_id, .kind = MESSAGE_WELCOME };
	const struct decision confirmed = { .confirmed_leads = &lead_id, .confirmed_count = 1 };
	assert_false(write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK));
	assert_true(write_loaded(w, &loaded, &(struct decision){ .messages = &message, .message_count = 1 }, RESULT_OK));
	assert_false(write_loaded(w, &loaded, &confirmed, RESULT_OK)); /* it does not wait */
	root_run("UPDATE t_messages SET reason = 'unconfirmed' WHERE lead_id = %" PRIu64, lead_id);
	assert_true(write_loaded(w, &loaded, &confirmed, RESULT_OK));
}

/* With a key an address can be replaced (docs/api.md 4.3): in one batch three leads exchange theirs in a circle, and a new one
 * gets an address that was given up. */
static void
addresses_move_between_leads_within_a_batch(void **state)
{
	static const char *const old[] = { "a@example.org", "b@example.org", "c@example.org" };
	static const char *const moves[][2] = { { "a", "free" }, { "c", "a" }, { "b", "c" }, { "a", "b" } };
	struct world *w = *state;
	struct command commands[5];
	struct lead leads[3];
	for (size_t i = 0; i < 3; i++)
		leads[i] = sign_up_referred(w, old[i], SLICE_NONE);
	for (size_t i = 0; i < 4; i++) {
		commands[i] = signup(w, w->campaign, pool_printf(w->pool, "%s@example.org", moves[i][1]).data);
		commands[i].as.signup.subject = leads[moves[i][0][0] - 'a'].social_id;
		commands[i].as.signup.must_exist = true;
	}
	commands[4] = signup(w, w->campaign, "free@example.org");
	int64_t batches = root_number("SELECT COUNT(*) FROM t_commit_tokens");
	run_all(w, commands, 5);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), batches + 1); /* the batch was not split */
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "b@example.org").id, leads[0].id);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "c@example.org").id, leads[1].id);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org").id, leads[2].id);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "free@example.org").subscription_number, 4);
}

/* The invariants of all rows of a campaign. */
static void
assert_agree(uint64_t campaign)
{
	assert_int_equal(
	    root_number(
		"SELECT COUNT(*) FROM t_leads l LEFT JOIN (SELECT lead_id, SUM(delta) AS score FROM t_score_entries "
		"GROUP BY lead_id) e ON e.lead_id = l.id WHERE COALESCE(e.score, 0) <> l.score AND campaign_id = %" PRIu64,
		campaign),
	    0);
	assert_int_equal(
	    root_number(
		"SELECT COUNT(*) FROM t_campaign_counters c JOIN (SELECT campaign_id, COUNT(*) AS leads, "
		"SUM(verified_email OR verified_phone) AS verified, SUM(waitlisted) AS waitlisted, SUM(fraudulent) AS "
		"fraudulent, SUM(opted_out) AS opted_out, SUM(parent_id IS NOT NULL) AS referred FROM t_leads WHERE "
		"campaign_id = %" PRIu64 ") l ON l.campaign_id = c.campaign_id WHERE c.lead_count = l.leads AND c.verified = "
		"l.verified AND c.waitlisted = l.waitlisted AND c.fraudulent = l.fraudulent AND c.opted_out = l.opted_out "
		"AND c.referred = l.referred",
		campaign),
	    1);
	/* each level of the histogram counts the leads with a score that are not fraudulent; the lowest gives their scores */
	assert_int_equal(
	    root_number(
		"SELECT COUNT(*) FROM (SELECT score, COUNT(*) AS leads FROM t_leads WHERE NOT fraudulent AND score > 0 AND "
		"campaign_id = %" PRIu64 " GROUP BY score) l LEFT JOIN t_score_histogram h ON h.node = "
		"(%" PRIu64 " << 29) + 17895697 + (l.score >> 4) WHERE COALESCE(ELT((l.score & 15) + 1, s0, s1, s2, "
		"s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15), 0) <> l.leads",
		campaign, campaign),
	    0);
	assert_int_equal(
	    root_number("SELECT SUM(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11 + s12 + s13 + s14 "
			"+ s15) - 8 * (SELECT COUNT(*) FROM t_leads WHERE NOT fraudulent AND score > 0 AND campaign_id = "
			"%" PRIu64 ") FROM t_score_histogram WHERE node >> 29 = %" PRIu64,
		campaign, campaign),
	    0);
}

/* One of each command, in one batch. */
static void
a_mixed_batch_leaves_consistent_rows(void **state)
{
	struct world *w = *state;
	plant_definitions(w->campaign);
	set_columns(w->campaign, "points_signup = 3, points_direct = 10, points_indirect = 5");
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	struct lead a = sign_up_referred(w, "a@example.org", SLICE_NONE);
	struct lead b = sign_up_referred(w, "b@example.org", a.social_id);
	struct lead_reference all_leads[] = { { .identity = LEAD_BY_ID, .id = a.id }, { .identity = LEAD_BY_ID, .id = b.id } };
	struct command commands[] = {
		referred_signup(w, "c@example.org", b.social_id),
		{ .kind = COMMAND_TAGGING,
		    .campaign_id = w->campaign,
		    .rights = RIGHTS_FULL_KEY,
		    .account_id = w->account,
		    .view = { .full = true } },
		{ .kind = COMMAND_POINTS,
		    .campaign_id = w->campaign,
		    .as.points = { all_leads, 2, 500, 0, SLICE("well done") } },
		{ .kind = COMMAND_COMPLETION,
		    .campaign_id = w->campaign,
		    .rights = RIGHTS_FULL_KEY,
		    .account_id = w->account,
		    .as.completion = { .lead = all_leads[1], .action_id = w->campaign * 10 + 1 } },
		change_of(w, b.id, LEAD_VERIFY),
		change_of(w, b.id, LEAD_BLOCK),
		change_of(w, a.id, LEAD_OPTOUT),
	};
	commands[1].as.tagging.tag_id = w->campaign * 10 + 1;
	commands[1].as.tagging.signup.email = commands[1].as.tagging.signup.email_key = SLICE("t@example.org");
	run_all(w, commands, ARRAY_SIZE(commands));
	assert_agree(w->campaign);
	a = find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org");
	b = find_lead(w, w->campaign, LEAD_BY_EMAIL, "b@example.org");
	struct lead tagged = find_lead(w, w->campaign, LEAD_BY_EMAIL, "t@example.org");
	assert_int_equal(a.score, 3 + 5 + 500); /* b earns nothing any more, c does */
	assert_int_equal(b.score, 3 + 10 + 500 + 3);
	assert_int_equal(tagged.score, 3 + 7 + 4);
	assert_true(id_list_has(tagged.tag_ids, w->campaign * 10 + 1) && id_list_has(tagged.action_ids, w->campaign * 10 + 2));
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_score_entries WHERE reason = 'custom' AND requested = 500 AND message = "
			"'well done' AND lead_id IN (%" PRIu64 ", %" PRIu64 ")",
		a.id, b.id),
	    2);
	assert_int_equal(root_number("SELECT COUNT(DISTINCT ref) FROM t_score_entries WHERE reason = 'custom'"), 1);
	struct command back[] = { change_of(w, b.id, LEAD_APPROVE), change_of(w, tagged.id, LEAD_DELETE) };
	run_all(w, back, 2);
	assert_agree(w->campaign);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org").score, 3 + 10 + 5 + 500);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deleted_leads WHERE lead_id = %" PRIu64, tagged.id), 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE id = %" PRIu64, tagged.id), 0);
}

/* A lead that is made and deleted in one batch leaves the same rows as any deleted lead. */
static void
a_lead_is_made_and_deleted_in_one_batch(void **state)
{
	struct world *w = *state;
	struct command gone = { .kind = COMMAND_CHANGE,
		.campaign_id = w->campaign,
		.as.change = {
		    .action = LEAD_DELETE, .lead = { .identity = LEAD_BY_EMAIL, .value = SLICE("a@example.org") } } };
	struct command commands[] = { signup(w, w->campaign, "a@example.org"), gone, signup(w, w->campaign, "a@example.org") };
	set_columns(w->campaign, "points_signup = 3");
	root_run("DELETE FROM t_deleted_leads");
	run_all(w, commands, 3);
	assert_int_equal(find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org").subscription_number, 2);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_deleted_leads d JOIN t_score_entries e ON e.lead_id = d.lead_id"), 1);
	assert_agree(w->campaign);
}

/* "the number of round trips does not depend on … the campaign", nor does the number of rows read. */
static void
a_large_campaign_costs_what_a_small_one_does(void **state)
{
	enum { LEADS = 20000 };
	struct world *w = *state;
	plant_definitions(w->campaign);
	set_columns(w->campaign, "max_per_ip = 1000, points_indirect = 1");
	root_run("UPDATE t_campaign_counters SET ip_counted_to = %" PRIu32 " WHERE campaign_id = %" PRIu64, IP_COUNTED_ALL,
	    w->campaign);
	struct lead a = sign_up_referred(w, "a@example.org", SLICE_NONE);
	struct lead b = sign_up_referred(w, "b@example.org", a.social_id);
	struct command commands[] = { referred_signup(w, "c@example.org", b.social_id), change_of(w, b.id, LEAD_VERIFY),
		change_of(w, b.id, LEAD_DELETE) };
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, parent_id, created_ms, updated_ms) "
		 "SELECT 7000000000 + seq, %" PRIu64 ", 100 + seq, CONCAT('y', LPAD(seq, 9, '0')), %" PRIu64
		 ", 0, 0 FROM seq_1_to_%d",
	    w->campaign, a.id, LEADS);
	root_run("INSERT INTO t_referral_links (lead_id, level, ancestor_id) SELECT id, 1, parent_id FROM t_leads WHERE id > "
		 "7000000000");
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT %" PRIu64
		 ", 'referral', id, 0, 0, 0, 0 FROM t_leads WHERE id > 7000000000",
	    a.id);
	root_run(
	    "INSERT INTO t_ip_leads (campaign_id, ip, leads) SELECT campaign_id, id, 1 FROM t_leads WHERE id > 7000000000");
	commands[0].as.signup.phone = SLICE("+14155552671");
	commands[0].as.signup.ip = SLICE("192.0.2.1");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		int64_t before = root_rows_read();
		run_all(w, &commands[i], 1);
		assert_in_range(root_rows_read() - before, 3, 150);
	}
	root_run("DELETE FROM t_leads WHERE id > 7000000000");
}

/* More bytes than the server takes in one statement. */
static void
large_payloads_are_split_into_statements(void **state)
{
	enum { EVENTS = 24, PAYLOAD = 100 * 1024 };
	struct world *w = *state;
	struct made_event events[EVENTS];
	struct slice payload = { pool_alloc(w->pool, PAYLOAD), PAYLOAD };
	struct working_set loaded = { 0 };
	const struct campaign campaign = { 0 };
	struct snapshot snapshot = { .subject.campaign = &campaign };
	assert_true(root_number("SELECT @@GLOBAL.max_allowed_packet") < EVENTS * PAYLOAD);
	for (size_t i = 0; i < EVENTS; i++)
		events[i] = (struct made_event){ .id = 3000000000 + i,
			.campaign_id = w->campaign,
			.lead_id = 1,
			.payload = payload,
			.snapshot = &snapshot };
	write_loaded(w, &loaded, &(struct decision){ .events = events, .event_count = EVENTS }, RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE LENGTH(payload) = %d AND campaign_id = %" PRIu64,
			     PAYLOAD, w->campaign),
	    EVENTS);
}

/* Rows without a text must not exceed the maximum, either: the lost connection would look like a server that is down. */
static void
many_small_rows_are_split_into_statements(void **state)
{
	enum { DELIVERIES = 40000, ROW = 4 * sizeof(uint64_t) };
	struct world *w = *state;
	struct made_delivery *deliveries = POOL_ARRAY(w->pool, DELIVERIES, struct made_delivery);
	struct working_set loaded = { 0 };
	assert_true(root_number("SELECT @@GLOBAL.max_allowed_packet") < DELIVERIES * ROW);
	for (size_t i = 0; i < DELIVERIES; i++)
		deliveries[i] = (struct made_delivery){ .id = 3000000000 + i, .event_id = 1, .webhook_id = 1 };
	write_loaded(w, &loaded, &(struct decision){ .deliveries = deliveries, .delivery_count = DELIVERIES }, RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_due WHERE id BETWEEN 3000000000 AND 3999999999"), DELIVERIES);
	root_run("DELETE FROM t_due WHERE id BETWEEN 3000000000 AND 3999999999");
}

static uint64_t
plant_job(struct world *w, uint64_t first_lead, uint64_t second_lead)
{
	uint64_t id = 5000 + w->campaign;
	root_run("INSERT INTO t_bulk_jobs (id, campaign_id, action, lead_ids, total, created_ms) VALUES (%" PRIu64 ", %" PRIu64
		 ", 'block', '%" PRIu64 ",%" PRIu64 "', 2, 0)",
	    id, w->campaign, first_lead, second_lead);
	return id;
}

static struct command
job_item(const struct world *w, uint64_t job, uint32_t position, uint64_t lead)
{
	struct command command = change_of(w, lead, LEAD_BLOCK);
	command.as.change.job_id = job;
	command.as.change.job_position = position;
	return command;
}

/* "a crash neither loses nor repeats an item": two runs at the same position have one effect. */
static void
an_item_of_a_job_is_done_once(void **state)
{
	struct world *w = *state;
	struct lead a = sign_up_referred(w, "a@example.org", SLICE_NONE);
	struct lead b = sign_up_referred(w, "b@example.org", SLICE_NONE);
	uint64_t job = plant_job(w, a.id, b.id);
	struct command first = job_item(w, job, 0, a.id), approve = change_of(w, a.id, LEAD_APPROVE);
	struct outcome outcome;
	static const char position[] = "SELECT position FROM t_bulk_jobs WHERE id = %" PRIu64;
	run_all(w, &first, 1);
	assert_int_equal(root_number(position, job), 1);
	run_all(w, &approve, 1);
	execute(w->store, w->pool, &first, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_NOT_FOUND);
	assert_false(find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org").fraudulent);
	assert_int_equal(root_number(position, job), 1);
	/* it is removed at its end, no matter what the result of the last item is */
	struct command last = job_item(w, job, 1, UNKNOWN_ID);
	execute(w->store, w->pool, &last, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_LEAD_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs WHERE id = %" PRIu64, job), 0);
}

static bool
do_the_job(struct store *store, const struct world *world, unsigned index UNUSED)
{
	struct pool *pool = pool_new();
	struct command items[] = { job_item(world, shared[0], 0, shared[1]), job_item(world, shared[0], 1, shared[2]) };
	struct outcome outcomes[2];
	execute(store, pool, items, 2, outcomes);
	bool both = outcomes[0].failure == outcomes[1].failure;
	bool done = outcomes[0].failure == FAILURE_NONE || outcomes[0].failure == FAILURE_NOT_FOUND;
	pool_free(&pool);
	return both && done;
}

static void
processes_at_one_job_do_it_once(void **state)
{
	enum { PROCESSES = 8 };
	struct world *w = *state;
	sign_up_many(w, "lead", 2);
	shared[1] = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead0@example.org").id;
	shared[2] = find_lead(w, w->campaign, LEAD_BY_EMAIL, "lead1@example.org").id;
	shared[0] = plant_job(w, shared[1], shared[2]);
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_MARKED_AS_FRAUDULENT));
	processes_start(w, PROCESSES, do_the_job);
	assert_true(processes_end());
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, w->campaign), 2);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs WHERE id = %" PRIu64, shared[0]), 0);
}

/* The guard itself: the job is moved after `decide`. */
static void
a_job_that_was_moved_is_a_conflict(void **state)
{
	struct world *w = *state;
	struct working_job job = { .id = plant_job(w, 1, 2), .loaded_position = 1, .position = 2, .total = 3, .changed = true };
	struct working_set loaded = { .jobs = &job, .job_count = 1 };
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_CONFLICT);
	job.total = 2;
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_CONFLICT);
	assert_int_equal(root_number("SELECT position FROM t_bulk_jobs WHERE id = %" PRIu64, job.id), 0);
	job.loaded_position = 0;
	write_loaded(w, &loaded, &(struct decision){ 0 }, RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_bulk_jobs WHERE id = %" PRIu64, job.id), 0);
}

/* A command that makes more events, for more webhooks, than are reserved. */
static void
a_batch_that_is_short_of_ids_is_decided_again(void **state)
{
	enum { DEPTH = REFERRAL_LEVELS, WEBHOOKS = 30 };
	struct world *w = *state;
	struct lead lead = sign_up_referred(w, "0@example.org", SLICE_NONE);
	set_columns(w->campaign, "points_direct = 1, points_indirect = 1");
	for (unsigned i = 1; i < DEPTH; i++)
		lead = sign_up_referred(w, pool_printf(w->pool, "%u@example.org", i).data, lead.social_id);
	for (unsigned i = 0; i < WEBHOOKS; i++)
		add_webhook(w, w->campaign, pool_printf(w->pool, "https://a.example/%u", i).data, ALL_EVENTS);
	/* as many ids are left as one command is expected to need */
	w->store->ids[ID_HISTORY].end = w->store->ids[ID_HISTORY].next + 84;
	static const char batches[] = "SELECT leads_version FROM t_campaign_counters WHERE campaign_id = %" PRIu64;
	int64_t before = root_number(batches, w->campaign);
	lead = sign_up_referred(w, "last@example.org", lead.social_id);
	assert_int_equal(root_number(batches, w->campaign), before + 1);
	assert_int_equal(lead.subscription_number, DEPTH + 1);
	/* new_signup, new_signup_not_excluded, referral, and the score_change of each ancestor */
	int64_t events = root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, w->campaign);
	assert_int_equal(events, 3 + DEPTH);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_due u JOIN t_events e ON e.id = u.event_id WHERE e.deliveries = 30 AND "
			"e.campaign_id = %" PRIu64,
		w->campaign),
	    events * WEBHOOKS);
	assert_agree(w->campaign);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(every_column_of_a_lead_is_stored),
		WORLD_TEST(counters_and_links_are_stored),
		WORLD_TEST(messages_to_send_are_reported),
		WORLD_TEST(addresses_move_between_leads_within_a_batch),
		WORLD_TEST(a_mixed_batch_leaves_consistent_rows),
		WORLD_TEST(a_lead_is_made_and_deleted_in_one_batch),
		WORLD_TEST(a_large_campaign_costs_what_a_small_one_does),
		WORLD_TEST(large_payloads_are_split_into_statements),
		WORLD_TEST(many_small_rows_are_split_into_statements),
		WORLD_TEST(an_item_of_a_job_is_done_once),
		WORLD_TEST(processes_at_one_job_do_it_once),
		WORLD_TEST(a_job_that_was_moved_is_a_conflict),
		WORLD_TEST(a_batch_that_is_short_of_ids_is_decided_again),
	};
	return WORLD_MAIN(tests);
}
