/* SPDX-License-Identifier: MIT
 * docs/mail.md 8.3: the limits of codes. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "store/message_requests.h"
#include "store/messages/text_limits.h"
#include "store/state.h"
#include "store/world.h"

enum { LEASE_MS = 60000, PROCESSES = 4, ROUNDS = 24, PASSING = 2 };

static const unsigned char ours[MAIL_OWNER_SIZE] = "owner of a test", other[MAIL_OWNER_SIZE] = "another owner..";
static const struct text_limits wide = { 1000, 1000, { { 0, 0, 0 } } };

/* Requests a code for a new lead of the campaign; returns the request's id. */
static uint64_t
request(struct world *w, uint64_t campaign, const char *email)
{
	const struct command command = signup(w, campaign, email);
	run_all(w, &command, 1);
	const struct made_message message = {
		.campaign_id = campaign, .lead_id = find_lead(w, campaign, LEAD_BY_EMAIL, email).id, .kind = MESSAGE_CODE
	};
	assert_int_equal(store_request_messages(w->store, &message, 1), RESULT_OK);
	return (uint64_t)root_number("SELECT MAX(id) FROM t_messages");
}

static void
lease(struct world *w, const unsigned char owner[MAIL_OWNER_SIZE], uint64_t id)
{
	struct queued_mail *mails;
	size_t leased;
	assert_int_equal(store_lease_mails(w->store, w->pool, owner, &id, 1, LEASE_MS, &mails, &leased), RESULT_OK);
	assert_int_equal(leased, 1);
	assert_int_equal(mails[0].kind, MESSAGE_CODE);
}

/* The beginning of the hash of a text. */
static const unsigned char *
hash_of(struct world *w, const char *text)
{
	unsigned char *hash = pool_alloc(w->pool, MAIL_HASH_SIZE);
	memset(hash, 0, MAIL_HASH_SIZE);
	memcpy(hash, text, strlen(text) < MAIL_HASH_SIZE ? strlen(text) : MAIL_HASH_SIZE);
	return hash;
}

static int64_t wait_ms; /* from the last claim */

static enum text_verdict
claim(struct world *w, uint64_t id, uint64_t campaign, const char *number, const char *prefix, const struct text_limits *limits)
{
	enum text_verdict verdict = TEXT_TOO_SOON;
	const struct text_claim wanted = { id, w->account, campaign, hash_of(w, number), hash_of(w, prefix) };
	assert_int_equal(store_claim_text(w->store, ours, &wanted, limits, &verdict, &wait_ms), RESULT_OK);
	return verdict;
}

/* A new request that is leased and claimed. */
static enum text_verdict
next(struct world *w, const char *number, const char *prefix, const struct text_limits *limits)
{
	static unsigned leads;
	const uint64_t id = request(w, w->campaign, numbered_email(w->pool, "next", leads++));
	lease(w, ours, id);
	return claim(w, id, w->campaign, number, prefix, limits);
}

static int64_t
counted(void)
{
	return root_number("SELECT COUNT(*) FROM t_sent_codes");
}

/* A code counts once, however often it is tried again. */
static void
a_code_counts_once(void **state)
{
	struct world *w = *state;
	const uint64_t id = request(w, w->campaign, "ada@example.org");
	enum text_verdict verdict;
	lease(w, ours, id);
	const struct text_claim wanted = { id, w->account, w->campaign, hash_of(w, "n"), hash_of(w, "p") };
	assert_int_equal(store_claim_text(w->store, other, &wanted, &wide, &verdict, &wait_ms), RESULT_NOT_FOUND);
	assert_int_equal(counted(), 0);
	assert_int_equal(claim(w, id, w->campaign, "n", "p", &wide), TEXT_PASSES);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE id = %" PRIu64 " AND state = 'ready'", id), 1);
	assert_int_equal(counted(), 1);
	/* a ready request has been sent, or may have been */
	assert_int_equal(store_claim_text(w->store, ours, &wanted, &wide, &verdict, &wait_ms), RESULT_NOT_FOUND);
	const struct mail_outcome later = { id, MESSAGE_REQUESTED, 0, true, 429, SLICE_NONE, SLICE("refused_for_now"), 0, 0,
		false };
	assert_int_equal(store_mail_outcome(w->store, ours, &later), RESULT_OK);
	lease(w, ours, id);
	const struct text_limits one = { 1, 1, { { 1, 1, 1 } } };
	assert_int_equal(claim(w, id, w->campaign, "n", "p", &one), TEXT_PASSES_AGAIN);
	assert_int_equal(counted(), 1);
}

/* docs/mail.md 8.3: a request for a number that may belong to no lead counts for the number and its prefix; once it is sent,
 * for the other limits too. */
static void
a_request_counts_for_its_number_alone(void **state)
{
	struct world *w = *state;
	const struct text_limits one = { 3, 1000, { { 1, 1, 1 } } };
	const uint64_t first = request(w, w->campaign, "ada@example.org"), second = request(w, w->campaign, "eve@example.org");
	lease(w, ours, first);
	lease(w, ours, second);
	assert_int_equal(claim(w, first, 0, "n", "p", &one), TEXT_PASSES);
	assert_int_equal(claim(w, second, 0, "m", "p", &one), TEXT_PASSES);
	assert_int_equal(counted(), 2);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_sendings"), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_messages WHERE state = 'ready'"), 0);
	assert_int_equal(claim(w, first, w->campaign, "n", "p", &one), TEXT_PASSES);
	assert_int_equal(claim(w, second, w->campaign, "m", "p", &one), TEXT_INSTALLATION_LIMIT);
	assert_int_equal(claim(w, second, 0, "m", "p", &one), TEXT_PASSES);
	assert_int_equal(counted(), 2);
}

static void
what_was_not_sent_is_uncounted(void **state)
{
	struct world *w = *state;
	const struct text_limits limits = { 3, 1000, { { 0, 0, 0 } } };
	assert_int_equal(next(w, "n", "p", &limits), TEXT_PASSES);
	assert_int_equal(next(w, "n", "p", &limits), TEXT_EARLY);
	const uint64_t id = (uint64_t)root_number("SELECT message_id FROM t_sent_codes");
	struct mail_outcome outcome = { .id = id, .state = MESSAGE_FAILED, .reason = SLICE("gave_up"), .uncounts = true };
	assert_int_equal(store_mail_outcome(w->store, other, &outcome), RESULT_NOT_FOUND);
	assert_int_equal(counted(), 1);
	assert_int_equal(store_mail_outcome(w->store, ours, &outcome), RESULT_OK);
	assert_int_equal(counted(), 0);
	assert_int_equal(next(w, "n", "p", &limits), TEXT_PASSES);
}

/* The lead has the code of the first request; another lead with the same number has none. */
static void
a_second_code_of_a_lead_is_too_soon(void **state)
{
	struct world *w = *state;
	const struct text_limits limits = { 3, 1000, { { 0, 0, 0 } } };
	static const enum text_verdict wanted[] = { TEXT_PASSES, TEXT_TOO_SOON };
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const uint64_t id = request(w, w->campaign, "ada@example.org");
		lease(w, ours, id);
		assert_int_equal(claim(w, id, w->campaign, "n", "p", &limits), wanted[i]);
	}
	assert_int_equal(next(w, "n", "p", &limits), TEXT_EARLY);
}

static void
a_number_has_pauses_and_a_maximum(void **state)
{
	struct world *w = *state;
	const struct text_limits limits = { 3, 1000, { { 0, 0, 0 } } };
	for (unsigned sent = 0; sent < 3; sent++) {
		if (sent > 0) {
			root_run("UPDATE t_sent_codes SET sent_ms = sent_ms - %" PRId64, text_pause_ms(sent) - 2000);
			assert_int_equal(next(w, "n", "p", &limits), TEXT_EARLY);
			assert_true(wait_ms > 0 && wait_ms <= 2000);
			root_run("UPDATE t_sent_codes SET sent_ms = sent_ms - 2000");
		}
		assert_int_equal(next(w, "n", "p", &limits), TEXT_PASSES);
	}
	root_run("UPDATE t_sent_codes SET sent_ms = sent_ms - 7200000");
	assert_int_equal(next(w, "n", "p", &limits), TEXT_NUMBER_LIMIT);
	assert_int_equal(next(w, "another", "p", &limits), TEXT_PASSES);
	assert_int_equal(counted(), 4);
	root_run("UPDATE t_sent_codes SET sent_ms = sent_ms - 86400000");
	assert_int_equal(next(w, "n", "p", &limits), TEXT_PASSES);
}

static void
neighbours_and_campaigns_have_an_hour(void **state)
{
	struct world *w = *state;
	const uint64_t beside = add_campaign(w);
	const struct text_limits prefix = { 3, 2, { { 0, 0, 0 } } }, campaign = { 3, 1000, { { 0, 0, 3 } } },
				 account = { 3, 1000, { { 0, 4, 0 } } }, all = { 3, 1000, { { 4, 0, 0 } } };
	assert_int_equal(next(w, "1", "p", &prefix), TEXT_PASSES);
	assert_int_equal(next(w, "2", "p", &prefix), TEXT_PASSES);
	assert_int_equal(next(w, "3", "p", &prefix), TEXT_PREFIX_LIMIT);
	assert_int_equal(next(w, "3", "q", &prefix), TEXT_PASSES);
	assert_int_equal(next(w, "4", "r", &campaign), TEXT_CAMPAIGN_LIMIT);
	const uint64_t elsewhere = request(w, beside, "a@example.org");
	lease(w, ours, elsewhere);
	assert_int_equal(claim(w, elsewhere, beside, "4", "r", &campaign), TEXT_PASSES);
	/* a code that waits for an hourly limit is not counted, and is still requested */
	const int64_t before = counted();
	assert_int_equal(next(w, "5", "s", &account), TEXT_ACCOUNT_LIMIT);
	assert_int_equal(next(w, "5", "s", &all), TEXT_INSTALLATION_LIMIT);
	assert_int_equal(counted(), before);
	root_run("UPDATE t_sent_codes SET sent_ms = sent_ms - 3600000");
	root_run("UPDATE t_sendings SET slot = slot - 13");
	assert_int_equal(next(w, "3b", "p", &prefix), TEXT_PASSES);
	assert_int_equal(next(w, "4b", "r", &campaign), TEXT_PASSES);
}

/* In each round, all processes claim a code for numbers with the same prefix. */
static bool
claim_in_process(struct store *store, const struct world *world, unsigned index)
{
	struct pool *pool = pool_new();
	const struct text_limits limits = { 1000, PASSING, { { 0, 0, 0 } } };
	const unsigned char owner[MAIL_OWNER_SIZE] = { (unsigned char)(1 + index) };
	uint64_t ids[ROUNDS];
	struct queued_mail *mails;
	size_t leased;
	for (size_t i = 0; i < ROUNDS; i++)
		ids[i] = shared[PROCESSES] + i * PROCESSES + index;
	bool good =
	    store_lease_mails(store, pool, owner, ids, ROUNDS, LEASE_MS, &mails, &leased) == RESULT_OK && leased == ROUNDS;
	for (size_t i = 0; good && i < ROUNDS; i++) {
		const unsigned char number[MAIL_HASH_SIZE] = { (unsigned char)(1 + i), (unsigned char)(1 + index) };
		const unsigned char prefix[MAIL_HASH_SIZE] = { (unsigned char)(1 + i) };
		const struct text_claim wanted = { ids[i], world->account, world->campaign, number, prefix };
		enum text_verdict verdict;
		good = store_claim_text(store, owner, &wanted, &limits, &verdict, &wait_ms) == RESULT_OK;
		shared[index] += good && verdict == TEXT_PASSES ? 1 : 0;
	}
	pool_free(&pool);
	return good;
}

static void
processes_exceed_no_limit(void **state)
{
	struct world *w = *state;
	uint64_t passed = 0;
	for (unsigned i = 0; i < ROUNDS * PROCESSES; i++) {
		const uint64_t id = request(w, w->campaign, numbered_email(w->pool, "lead", i));
		if (i == 0)
			shared[PROCESSES] = id;
		assert_int_equal(id, shared[PROCESSES] + i);
	}
	processes_start(w, PROCESSES, claim_in_process);
	assert_true(processes_end());
	for (unsigned i = 0; i < PROCESSES; i++)
		passed += shared[i];
	assert_int_equal(passed, ROUNDS * PASSING);
	assert_int_equal(counted(), ROUNDS * PASSING);
}

/* Empties the tables for each test. */
static int
open_empty(void **state)
{
	const int status = world_open(state);
	root_run("DELETE FROM t_messages");
	root_run("DELETE FROM t_sent_codes");
	root_run("DELETE FROM t_sendings");
	return status;
}
#define TEXT_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEXT_TEST(a_code_counts_once),
		TEXT_TEST(a_request_counts_for_its_number_alone),
		TEXT_TEST(what_was_not_sent_is_uncounted),
		TEXT_TEST(a_second_code_of_a_lead_is_too_soon),
		TEXT_TEST(a_number_has_pauses_and_a_maximum),
		TEXT_TEST(neighbours_and_campaigns_have_an_hour),
		TEXT_TEST(processes_exceed_no_limit),
	};
	return WORLD_MAIN(tests);
}
