/* SPDX-License-Identifier: MIT
 * docs/mail.md 4 and 6: rows of messages, their leases, outcomes and clean-up. Modules: store/messages. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "store/message_requests.h"
#include "store/messages/mail_list.h"
#include "store/queue/clean_up.h"
#include "store/state.h"
#include "store/transaction.h"
#include "store/world.h"

enum { LEASE_MS = 60000 };

static const unsigned char ours[MAIL_OWNER_SIZE] = "owner of a test", other[MAIL_OWNER_SIZE] = "another owner..";

/* Requests messages of these kinds to a new lead, whose id it returns. */
static uint64_t
request(struct world *w, const char *email, const enum message_kind *kinds, size_t count)
{
	const struct command command = signup(w, w->campaign, email);
	struct made_message messages[8];
	run_all(w, &command, 1);
	const uint64_t lead = find_lead(w, w->campaign, LEAD_BY_EMAIL, email).id;
	for (size_t i = 0; i < count; i++)
		messages[i] = (struct made_message){ .campaign_id = w->campaign, .lead_id = lead, .kind = kinds[i], .ref = 7 };
	assert_int_equal(store_request_messages(w->store, messages, count), RESULT_OK);
	return lead;
}

static uint64_t
request_one(struct world *w, const char *email)
{
	const enum message_kind kind = MESSAGE_VERIFY;
	return request(w, email, &kind, 1);
}

/* Leases everything that is due. */
static size_t
lease(struct world *w, const unsigned char owner[MAIL_OWNER_SIZE], struct queued_mail **mails)
{
	struct mail_campaign *campaigns;
	struct mail_request requests[64];
	struct due_mail *found;
	uint64_t ids[64];
	size_t count, found_count, leased;
	int64_t next_ms;
	assert_int_equal(store_mail_campaigns(w->store, w->pool, MAIL_CHANNEL, &campaigns, &count, &next_ms), RESULT_OK);
	for (size_t i = 0; i < count; i++)
		requests[i] = (struct mail_request){
			.campaign_id = campaigns[i].sender.campaign_id, .turn = campaigns[i].turn, .rows = 16
		};
	assert_int_equal(store_find_due_mails(w->store, w->pool, requests, count, &found, &found_count), RESULT_OK);
	for (size_t i = 0; i < found_count; i++)
		ids[i] = found[i].id;
	*mails = NULL;
	if (found_count == 0)
		return 0;
	assert_int_equal(store_lease_mails(w->store, w->pool, owner, ids, found_count, LEASE_MS, mails, &leased), RESULT_OK);
	return leased;
}

static struct queued_mail
lease_one(struct world *w)
{
	struct queued_mail *mails;
	assert_int_equal(lease(w, ours, &mails), 1);
	return mails[0];
}

static const unsigned char hash[MAIL_HASH_SIZE] = "hash of a person";

static void
make_ready(struct world *w, uint64_t id)
{
	const struct ready_mail ready = { .id = id,
		.recipient_hash = hash,
		.recipient = SLICE("ada@example.org"),
		.message_id = SLICE("<1@example.org>"),
		.content = SLICE("A: b\r\n\r\n") };
	assert_int_equal(store_mail_ready(w->store, ours, &ready), RESULT_OK);
}

static void
a_request_becomes_ready_and_is_sent(void **state)
{
	struct world *w = *state;
	const uint64_t lead = request_one(w, "ada@example.org");
	struct queued_mail mail = lease_one(w);
	assert_false(mail.is_ready);
	assert_true(mail.has_lead);
	assert_int_equal(mail.lead_id, lead);
	assert_int_equal(mail.kind, MESSAGE_VERIFY);
	assert_int_equal(mail.ref, 7);
	make_ready(w, mail.id);
	const struct mail_outcome later = { mail.id, MESSAGE_READY, 0, true, 451, SLICE("451 later"), SLICE("refused_for_now"),
		0, 0, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &later), RESULT_OK);
	mail = lease_one(w);
	assert_true(mail.is_ready);
	assert_int_equal(mail.attempts, 1);
	assert_int_equal(mail.crashes, 0);
	assert_true(mail.first_attempt_ms_ago >= 0);
	assert_true(slice_equal(mail.content, SLICE("A: b\r\n\r\n")));
	const struct mail_outcome sent = { mail.id, MESSAGE_SENT, 0, true, 250, SLICE("250 good"), SLICE_NONE, w->account,
		w->campaign, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &sent), RESULT_OK);
	assert_int_equal(store_mail_outcome(w->store, ours, &sent), RESULT_NOT_FOUND);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_messages WHERE id = %" PRIu64 " AND turn IS NULL AND sent_ms = ended_ms "
			"AND attempts = 2 AND lease_owner IS NULL AND reason IS NULL",
		mail.id),
	    1);
}

static enum lead_code_verdict
type(struct world *w, uint64_t lead_id, const char *digits)
{
	const struct lead_code code = { CHANNEL_EMAIL, lead_id, SLICE("ada@example.org") };
	enum lead_code_verdict verdict;
	assert_int_equal(lead_code_try(w->store, &code, slice_of(digits), &verdict), RESULT_OK);
	return verdict;
}

/* docs/api.md 4.1.14: the code of the last mail that became ready is valid; nothing of a mail whose lease has ended is
 * stored. */
static void
a_code_is_stored_with_its_mail(void **state)
{
	struct world *w = *state;
	const enum message_kind kinds[] = { MESSAGE_VERIFY, MESSAGE_VERIFY };
	const uint64_t lead = request(w, "ada@example.org", kinds, 2);
	struct queued_mail *mails;
	assert_int_equal(lease(w, ours, &mails), 2);
	struct ready_mail ready = { .id = mails[0].id,
		.recipient_hash = hash,
		.recipient = SLICE("ada@example.org"),
		.message_id = SLICE("<1@example.org>"),
		.content = SLICE("A: b\r\n\r\n"),
		.code_for = { CHANNEL_EMAIL, lead, SLICE("ada@example.org") },
		.code = SLICE("000111") };
	assert_int_equal(type(w, lead, "000111"), LEAD_CODE_MISSING);
	assert_int_equal(store_mail_ready(w->store, ours, &ready), RESULT_OK);
	assert_int_equal(type(w, lead, "000222"), LEAD_CODE_WRONG);
	ready.id = mails[1].id;
	ready.code = SLICE("000222");
	assert_int_equal(store_mail_ready(w->store, other, &ready), RESULT_NOT_FOUND);
	assert_int_equal(type(w, lead, "000222"), LEAD_CODE_WRONG);
	assert_int_equal(type(w, lead, "000111"), LEAD_CODE_RIGHT);
	assert_int_equal(store_mail_ready(w->store, ours, &ready), RESULT_OK);
	assert_int_equal(type(w, lead, "000111"), LEAD_CODE_WRONG);
	for (int i = 0; i < LEAD_CODE_TRIES - 1; i++)
		assert_int_equal(type(w, lead, "000222"), LEAD_CODE_RIGHT);
	assert_int_equal(type(w, lead, "000222"), LEAD_CODE_MISSING);
}

/* A code belongs to a channel, a lead and an address, and is removed by its digits. */
static void
codes_are_separate(void **state)
{
	struct world *w = *state;
	enum lead_code_verdict verdict;
	const struct lead_code mailed = { CHANNEL_EMAIL, 1, SLICE("+15550100") },
			       texted = { CHANNEL_PHONE, 1, SLICE("+15550100") };
	const struct lead_code others[] = { texted, { CHANNEL_EMAIL, 2, SLICE("+15550100") },
		{ CHANNEL_EMAIL, 1, SLICE("+15550101") } };
	assert_int_equal(lead_code_put(w->store, &mailed, SLICE("123456"), CODE_RESETS_TRIES), RESULT_OK);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_int_equal(lead_code_try(w->store, &others[i], SLICE("123456"), &verdict), RESULT_OK);
		assert_int_equal(verdict, LEAD_CODE_MISSING);
		assert_int_equal(lead_code_remove(w->store, &others[i], SLICE("123456")), RESULT_OK);
	}
	assert_int_equal(lead_code_remove(w->store, &mailed, SLICE("123457")), RESULT_OK);
	assert_int_equal(lead_code_try(w->store, &mailed, SLICE("123456"), &verdict), RESULT_OK);
	assert_int_equal(verdict, LEAD_CODE_RIGHT);
	root_run("UPDATE t_lead_codes SET expires_ms = expires_ms - %d", EMAIL_CODE_MS);
	assert_int_equal(lead_code_try(w->store, &mailed, SLICE("123456"), &verdict), RESULT_OK);
	assert_int_equal(verdict, LEAD_CODE_MISSING);
}

/* No message is leased twice before its lease ends; an ended lease counts as a crash. */
static void
a_lease_is_exclusive(void **state)
{
	struct world *w = *state;
	struct queued_mail *mails;
	request_one(w, "ada@example.org");
	const struct queued_mail mail = lease_one(w);
	assert_int_equal(lease(w, other, &mails), 0);
	assert_int_equal(store_lease_mails(w->store, w->pool, other, &mail.id, 1, LEASE_MS, &mails, &(size_t){ 0 }), RESULT_OK);
	size_t renewed;
	assert_int_equal(store_renew_mails(w->store, other, &mail.id, 1, LEASE_MS, &renewed), RESULT_OK);
	assert_int_equal(renewed, 0);
	assert_int_equal(store_renew_mails(w->store, ours, &mail.id, 1, LEASE_MS, &renewed), RESULT_OK);
	assert_int_equal(renewed, 1);
	root_run("UPDATE t_messages SET due_ms = 0 WHERE id = %" PRIu64, mail.id);
	assert_int_equal(lease(w, other, &mails), 1);
	assert_int_equal(mails[0].crashes, 1);
	const struct mail_outcome late = { mail.id, MESSAGE_FAILED, 0, true, 550, SLICE_NONE, SLICE("refused"), 0, 0, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &late), RESULT_NOT_FOUND);
	/* a message that was sent stays sent */
	const struct mail_outcome sent = { mail.id, MESSAGE_SENT, 0, true, 250, SLICE_NONE, SLICE_NONE, w->account, w->campaign,
		false };
	assert_int_equal(store_mail_outcome(w->store, ours, &sent), RESULT_OK);
}

static bool
lease_in_process(struct store *store, const struct world *world, unsigned index)
{
	unsigned char owner[MAIL_OWNER_SIZE] = { 0 };
	struct pool *pool = pool_new();
	struct queued_mail *mails;
	size_t count = 0;
	owner[0] = (unsigned char)(1 + index);
	const struct mail_request wanted = { .campaign_id = world->campaign, .turn = 0, .rows = 20 };
	struct due_mail *found;
	size_t found_count;
	bool good = store_find_due_mails(store, pool, &wanted, 1, &found, &found_count) == RESULT_OK;
	uint64_t ids[20];
	for (size_t i = 0; good && i < found_count; i++)
		ids[i] = found[i].id;
	if (good && found_count > 0)
		good = store_lease_mails(store, pool, owner, ids, found_count, LEASE_MS, &mails, &count) == RESULT_OK;
	shared[index] = count;
	pool_free(&pool);
	return good;
}

static void
processes_lease_each_message_once(void **state)
{
	struct world *w = *state;
	enum { PROCESSES = 4, MAILS = 20 };
	uint64_t sum = 0;
	for (unsigned i = 0; i < MAILS; i++)
		request_one(w, numbered_email(w->pool, "lead", i));
	processes_start(w, PROCESSES, lease_in_process);
	assert_true(processes_end());
	for (unsigned i = 0; i < PROCESSES; i++)
		sum += shared[i];
	assert_int_equal(sum, MAILS);
}

static void
a_killed_process_leaves_its_messages_due(void **state)
{
	struct world *w = *state;
	struct queued_mail *mails;
	request_one(w, "ada@example.org");
	lease_one(w);
	assert_int_equal(store_release_crashed(w->store, other), RESULT_OK);
	assert_int_equal(lease(w, other, &mails), 0);
	assert_int_equal(store_release_crashed(w->store, ours), RESULT_OK);
	assert_int_equal(lease(w, other, &mails), 1);
	assert_int_equal(mails[0].crashes, 1);
	assert_int_equal(store_release_mails(w->store, other, &mails[0].id, 1), RESULT_OK);
	assert_int_equal(lease(w, ours, &mails), 1);
	assert_int_equal(mails[0].crashes, 1); /* that was not a crash */
}

static void
texts_to_phones_are_not_mails(void **state)
{
	struct world *w = *state;
	struct queued_mail *mails;
	const enum message_kind kind = MESSAGE_CODE;
	request(w, "ada@example.org", &kind, 1);
	assert_int_equal(lease(w, ours, &mails), 0);
}

static void
mails_of_an_address_are_counted(void **state)
{
	struct world *w = *state;
	unsigned day;
	int64_t youngest_ms;
	root_run("UPDATE t_messages SET composed_ms = composed_ms - 86400000");
	request_one(w, "ada@example.org");
	const uint64_t id = lease_one(w).id;
	make_ready(w, id);
	assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
	assert_true(day == 1 && youngest_ms >= 0 && youngest_ms < 60000);
	root_run("UPDATE t_messages SET composed_ms = composed_ms - 61000");
	assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
	assert_true(day == 1 && youngest_ms >= 61000);
	/* a mail that was not handed over does not count, unless a page has requested it */
	static const char *const states[] = { "failed", "dropped" };
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		root_run("UPDATE t_messages SET state = '%s' WHERE id = %" PRIu64, states[i], id);
		assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
		assert_true(day == 0 && youngest_ms == -1);
		root_run("UPDATE t_messages SET requested_for = REPEAT('h', 16) WHERE id = %" PRIu64, id);
		assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
		assert_int_equal(day, 1);
		root_run("UPDATE t_messages SET requested_for = NULL WHERE id = %" PRIu64, id);
	}
	root_run("UPDATE t_messages SET state = 'sent', composed_ms = composed_ms - 86400000");
	assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
	assert_true(day == 0 && youngest_ms == -1);
}

static void
mails_that_wait_for_another_attempt_are_brought_forward(void **state)
{
	struct world *w = *state;
	request_one(w, "ada@example.org");
	const struct queued_mail mail = lease_one(w);
	make_ready(w, mail.id);
	const struct mail_outcome later = { mail.id, MESSAGE_READY, 3600000, true, 451, SLICE_NONE, SLICE("refused_for_now"), 0,
		0, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &later), RESULT_OK);
	struct queued_mail *none;
	struct queued_mail request = mail;
	request.kind = mail.kind == MESSAGE_WELCOME ? MESSAGE_VERIFY : MESSAGE_WELCOME;
	assert_int_equal(store_bring_mail_forward(w->store, &request), RESULT_OK);
	assert_int_equal(lease(w, ours, &none), 0);
	assert_int_equal(store_bring_mail_forward(w->store, &mail), RESULT_OK);
	assert_int_equal(lease_one(w).id, mail.id);
	assert_int_equal(store_bring_mail_forward(w->store, &mail), RESULT_OK); /* it is under way */
	assert_int_equal(lease(w, other, &none), 0);
}

/* Sendings count for the campaign, its account and the installation. */
static void
sendings_of_the_last_hour_count(void **state)
{
	struct world *w = *state;
	struct mail_campaign *campaigns;
	struct queued_mail *mails;
	size_t count;
	int64_t next_ms;
	root_run("DELETE FROM t_sendings");
	for (unsigned i = 0; i < 3; i++)
		request_one(w, numbered_email(w->pool, "lead", i));
	const uint64_t beside = add_campaign(w);
	assert_int_equal(lease(w, ours, &mails), 3);
	for (unsigned i = 0; i < 2; i++) {
		const struct mail_outcome sent = {
			.id = mails[i].id, .state = MESSAGE_SENT, .account_id = w->account, .campaign_id = w->campaign
		};
		make_ready(w, mails[i].id);
		assert_int_equal(store_mail_outcome(w->store, ours, &sent), RESULT_OK);
		assert_int_equal(store_mail_outcome(w->store, ours, &sent), RESULT_NOT_FOUND);
	}
	assert_int_equal(store_release_mails(w->store, ours, &mails[2].id, 1), RESULT_OK);
	assert_int_equal(store_mail_campaigns(w->store, w->pool, MAIL_CHANNEL, &campaigns, &count, &next_ms), RESULT_OK);
	assert_int_equal(count, 1);
	assert_int_equal(campaigns[0].sender.campaign_id, w->campaign);
	assert_int_equal(campaigns[0].sender.account_id, w->account);
	for (size_t scope = 0; scope < SENDING_SCOPES; scope++)
		assert_int_equal(campaigns[0].sender.sent.of[scope], 2);
	struct sender_count senders[] = { { w->account, beside, { { 0 } } }, { UNKNOWN_ID, UNKNOWN_ID, { { 0 } } } };
	assert_int_equal(store_read_sendings(w->store, w->pool, MAIL_CHANNEL, senders, 2), RESULT_OK);
	assert_int_equal(senders[0].sent.of[SENDINGS_OF_ACCOUNT], 2);
	assert_int_equal(senders[0].sent.of[SENDINGS_OF_CAMPAIGN], 0);
	assert_int_equal(senders[1].sent.of[SENDINGS_OF_ALL], 2);
	assert_int_equal(senders[1].sent.of[SENDINGS_OF_ACCOUNT], 0);
	assert_int_equal(store_read_sendings(w->store, w->pool, TEXT_CHANNEL, senders, 1), RESULT_OK);
	assert_int_equal(senders[0].sent.of[SENDINGS_OF_ALL], 0);
	root_run("UPDATE t_sendings SET slot = slot - 12");
	assert_int_equal(store_read_sendings(w->store, w->pool, MAIL_CHANNEL, senders, 1), RESULT_OK);
	assert_in_range(senders[0].sent.of[SENDINGS_OF_ALL], 0, 2); /* a new slot may have begun in the meantime */
	root_run("UPDATE t_sendings SET slot = slot - 1");
	assert_int_equal(store_read_sendings(w->store, w->pool, MAIL_CHANNEL, senders, 1), RESULT_OK);
	assert_int_equal(senders[0].sent.of[SENDINGS_OF_ALL], 0);
}

static void
a_bounce_marks_the_address_that_the_lead_has(void **state)
{
	struct world *w = *state;
	const uint64_t lead = request_one(w, "ada@example.org");
	assert_int_equal(store_mail_bounced(w->store, w->campaign, lead, SLICE("old@example.org")), RESULT_OK);
	assert_false(find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org").bounced);
	assert_int_equal(store_mail_bounced(w->store, w->campaign, lead, SLICE("ada@example.org")), RESULT_OK);
	assert_true(find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org").bounced);
	assert_true(lease_one(w).bounced);
	const struct command change = change_of(w, lead, LEAD_VERIFY);
	run_all(w, &change, 1);
	assert_false(find_lead(w, w->campaign, LEAD_BY_EMAIL, "ada@example.org").bounced);
	assert_int_equal(store_mail_bounced(w->store, UNKNOWN_ID, lead, SLICE("ada@example.org")), RESULT_OK);
}

static void
the_server_is_held_and_resumed(void **state)
{
	struct world *w = *state;
	struct mail_hold hold;
	assert_int_equal(store_hold_mail(w->store, MAIL_CHANNEL, 3, 60000, SLICE("login_refused"), SLICE("535 no")), RESULT_OK);
	assert_int_equal(store_mail_hold(w->store, w->pool, MAIL_CHANNEL, &hold), RESULT_OK);
	assert_int_equal(hold.failures, 3);
	assert_in_range(hold.left_ms, 50000, 60000);
	assert_true(slice_equal(hold.reason, SLICE("login_refused")) && hold.since_ms > 0);
	assert_int_equal(store_resume_mail(w->store, MAIL_CHANNEL), RESULT_OK);
	assert_int_equal(store_mail_hold(w->store, w->pool, MAIL_CHANNEL, &hold), RESULT_OK);
	assert_true(hold.failures == 0 && hold.left_ms <= 0 && hold.since_ms == -1 && !slice_present(hold.reason));
}

static enum mail_again
again(struct world *w, uint64_t id)
{
	enum mail_again what = MAIL_MISSING;
	assert_int_equal(store_mail_again(w->store, id, &what), RESULT_OK);
	return what;
}

static void
a_mail_is_sent_again_with_the_same_bytes(void **state)
{
	struct world *w = *state;
	request_one(w, "ada@example.org");
	const uint64_t id = lease_one(w).id;
	make_ready(w, id);
	assert_int_equal(again(w, id), MAIL_LEASED);
	const struct mail_outcome failed = { id, MESSAGE_FAILED, 0, true, 550, SLICE_NONE, SLICE("refused"), 0, 0, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &failed), RESULT_OK);
	/* another mail, which is counted before it is sent; the first one does not change */
	assert_int_equal(again(w, id), MAIL_QUEUED);
	const struct queued_mail mail = lease_one(w);
	assert_true(mail.id != id && !mail.is_ready && mail.is_repeated && mail.first_attempt_ms_ago == -1);
	assert_true(slice_equal(mail.message_id, SLICE("<1@example.org>")) && slice_present(mail.content));
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE state = 'failed' AND id = %" PRIu64, id), 1);
	make_ready(w, mail.id);
	unsigned day = 0;
	int64_t youngest_ms = -1;
	assert_int_equal(store_count_mails(w->store, hash, &day, &youngest_ms), RESULT_OK);
	assert_true(day >= 1 && youngest_ms >= 0 && youngest_ms < 60000);
	/* a waiting mail becomes due at once and is not doubled */
	const struct mail_outcome later = { mail.id, MESSAGE_READY, 3600000, true, 451, SLICE_NONE, SLICE("refused_for_now"), 0,
		0, false };
	assert_int_equal(store_mail_outcome(w->store, ours, &later), RESULT_OK);
	assert_int_equal(again(w, mail.id), MAIL_QUEUED);
	const struct queued_mail same = lease_one(w);
	assert_true(same.id == mail.id && same.is_ready && same.first_attempt_ms_ago == -1);
	root_run("UPDATE t_messages SET content = NULL WHERE id = %" PRIu64, id);
	assert_int_equal(again(w, id), MAIL_NO_CONTENT);
	/* a mail that failed before it was composed is composed */
	root_run("UPDATE t_messages SET message_id = NULL WHERE id = %" PRIu64, id);
	assert_int_equal(again(w, id), MAIL_QUEUED);
	const struct queued_mail composed = lease_one(w);
	assert_true(!composed.is_ready && composed.is_repeated && !slice_present(composed.content));
	root_run("UPDATE t_messages SET kind = %d, lease_owner = NULL WHERE id = %" PRIu64, MESSAGE_CODE, id);
	assert_int_equal(again(w, id), MAIL_IS_TEXT);
	assert_int_equal(again(w, UNKNOWN_ID), MAIL_MISSING);
}

/* A lead gets no more rows than the number of mails that its address may get in a day. */
static void
a_lead_has_a_number_of_repetitions(void **state)
{
	struct world *w = *state;
	const uint64_t lead = request_one(w, "ada@example.org");
	const uint64_t id = lease_one(w).id;
	const struct mail_outcome dropped = { id, MESSAGE_DROPPED, 0, false, 0, SLICE_NONE, SLICE("address_limit"), 0, 0,
		false };
	assert_int_equal(store_mail_outcome(w->store, ours, &dropped), RESULT_OK);
	for (unsigned i = 0; i < MAIL_REPEATS_MAX; i++)
		assert_int_equal(again(w, id), MAIL_QUEUED);
	assert_int_equal(again(w, id), MAIL_ENOUGH);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = %" PRIu64, lead), 1 + MAIL_REPEATS_MAX);
	root_run("UPDATE t_messages SET created_ms = created_ms - 86400000 WHERE repeats IS NOT NULL ORDER BY id LIMIT 1");
	assert_int_equal(again(w, id), MAIL_QUEUED);
	root_run("UPDATE t_messages SET lead_id = 0 WHERE id = %" PRIu64, id);
	assert_int_equal(again(w, id), MAIL_NO_LEAD);
}

/* Contents are removed after a week, rows after the retention, and everything of a deleted lead. */
static void
messages_are_cleaned_up(void **state)
{
	struct world *w = *state;
	const enum message_kind kinds[] = { MESSAGE_VERIFY, MESSAGE_WELCOME, MESSAGE_REWARD, MESSAGE_REFERRAL };
	const uint64_t lead = request(w, "ada@example.org", kinds, ARRAY_SIZE(kinds));
	const int64_t day_ms = 86400000;
	root_run("UPDATE t_message_channels SET contents_removed_ms = 0");
	root_run("UPDATE t_messages SET content = IF(kind = 1, NULL, 'c'), recipient = 'r', last_answer = 'a', state = 'sent', "
		 "turn = NULL, ended_ms = UNIX_TIMESTAMP() * 1000 - "
		 "CASE kind WHEN 0 THEN 6 WHEN 1 THEN 8 WHEN 2 THEN 31 END * %" PRId64 " WHERE lead_id = %" PRIu64
		 " AND kind < 3",
	    day_ms, lead);
	assert_int_equal(store_clean_up_mails(w->store, 30 * day_ms), RESULT_OK);
	assert_int_equal(
	    root_number(
		"SELECT GROUP_CONCAT(kind ORDER BY kind SEPARATOR '') + 0 FROM t_messages WHERE lead_id = %" PRIu64, lead),
	    13);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = %" PRIu64
				     " AND content IS NOT NULL AND recipient IS NOT NULL AND kind = 0",
			     lead),
	    1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = %" PRIu64
				     " AND content IS NULL AND recipient IS NULL AND kind = 1",
			     lead),
	    1);
	const struct command change = change_of(w, lead, LEAD_DELETE);
	struct queued_mail *mails;
	run_all(w, &change, 1);
	assert_int_equal(lease(w, ours, &mails), 1);
	assert_false(mails[0].has_lead);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE lead_id = %" PRIu64, lead), 0);
}

/* Empties the table for each test. */
static int
open_empty(void **state)
{
	const int status = world_open(state);
	root_run("DELETE FROM t_messages");
	return status;
}
#define MAIL_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MAIL_TEST(a_request_becomes_ready_and_is_sent),
		MAIL_TEST(a_code_is_stored_with_its_mail),
		MAIL_TEST(codes_are_separate),
		MAIL_TEST(a_lease_is_exclusive),
		MAIL_TEST(processes_lease_each_message_once),
		MAIL_TEST(a_killed_process_leaves_its_messages_due),
		MAIL_TEST(texts_to_phones_are_not_mails),
		MAIL_TEST(mails_of_an_address_are_counted),
		MAIL_TEST(mails_that_wait_for_another_attempt_are_brought_forward),
		MAIL_TEST(sendings_of_the_last_hour_count),
		MAIL_TEST(a_bounce_marks_the_address_that_the_lead_has),
		MAIL_TEST(the_server_is_held_and_resumed),
		MAIL_TEST(a_mail_is_sent_again_with_the_same_bytes),
		MAIL_TEST(a_lead_has_a_number_of_repetitions),
		MAIL_TEST(messages_are_cleaned_up),
	};
	return WORLD_MAIN(tests);
}
