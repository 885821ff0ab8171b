/* SPDX-License-Identifier: MIT
 * Load, decide, write (docs/architecture.md 4): batches of every size as one transaction each, many processes at once, locks
 * and failures. */
#include "unit.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "batches.h"
#include "captured_log.h"
#include "engine/events.h"
#include "os/clock.h"
#include "store/batch.h"
#include "store/operator/campaign_settings.h"
#include "store/state.h"
#include "store/transaction.h"
#include "world.h"

enum { ALL_EVENTS = (1 << EVENT_TYPES) - 1, CREATES = 8, TOO_LONG = 70000, TIME_MS = 10 * 1000 };

static void
a_batch_of_any_size_is_done(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 16, 63, 64 };
	struct world *w = *state;
	int64_t total = 0;
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	add_webhook(w, w->campaign, "https://b.example/", ALL_EVENTS);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		sign_up_many(w, pool_printf(w->pool, "size%zu-", s).data, sizes[s]);
		total += (int64_t)sizes[s];
	}
	assert_consistent(w->campaign, total, 2);
	assert_int_equal(root_number(COUNT_EVENTS, w->campaign), 2 * total); /* new_signup and new_signup_not_excluded */
}

/* docs/api.md 4.3, within a batch. */
static void
the_same_email_twice_is_one_lead(void **state)
{
	struct world *w = *state;
	struct command commands[] = { signup(w, w->campaign, "a@example.org"), signup(w, w->campaign, "b@example.org"),
		signup(w, w->campaign, "a@example.org") };
	struct outcome outcomes[3];
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REPEAT_SIGNUP));
	execute(w->store, w->pool, commands, 3, outcomes);
	assert_outcomes(outcomes, 3, FAILURE_NONE);
	assert_consistent(w->campaign, 2, 1);
	assert_int_equal(root_number(COUNT_EVENTS " AND type = %d", w->campaign, EVENT_NEW_SIGNUP), 2);
	assert_int_equal(root_number(COUNT_EVENTS " AND type = %d", w->campaign, EVENT_REPEAT_SIGNUP), 1);
	assert_non_null(strstr(outcomes[0].body.data, "\"counter\":1"));
	assert_non_null(strstr(outcomes[2].body.data, "\"counter\":2"));
	execute(w->store, w->pool, commands, 3, outcomes);
	assert_non_null(strstr(outcomes[0].body.data, "\"counter\":3"));
	assert_int_equal(
	    root_number("SELECT counter FROM t_leads WHERE email = 'a@example.org' AND campaign_id = %" PRIu64, w->campaign),
	    4);
}

/* docs/api.md 4.1.12: several confirmations in one batch are each stored, without a second attempt. */
static void
confirmations_of_a_batch_are_stored(void **state)
{
	static const char *const addresses[] = { "a@example.org", "b@example.org", "c@example.org" };
	enum { LEADS = ARRAY_SIZE(addresses) };
	struct world *w = *state;
	struct command commands[LEADS];
	for (size_t i = 0; i < LEADS; i++)
		commands[i] = signup(w, w->campaign, addresses[i]);
	run_all(w, commands, LEADS);
	for (size_t i = 0; i < LEADS; i++) {
		commands[i] = change_of(w, find_lead(w, w->campaign, LEAD_BY_EMAIL, addresses[i]).id, LEAD_VERIFY);
		commands[i].as.change.argument = lead_channel_name(CHANNEL_EMAIL);
		commands[i].as.change.address = slice_of(addresses[i]);
		commands[i].as.change.by_lead = true;
	}
	capture_log();
	run_all(w, commands, LEADS);
	assert_null(strstr(captured_log(), "database_error"));
	assert_int_equal(root_number("SELECT COUNT(DISTINCT address) FROM t_confirmations"), LEADS);
}

/* "the number of round trips does not depend on the size of the batch or of the campaign" */
static void
round_trips_do_not_depend_on_the_size(void **state)
{
	static const size_t sizes[] = { 1, 16, 64 };
	struct world *w = *state;
	int64_t trips[ARRAY_SIZE(sizes)];
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		/* statements are prepared and blocks of ids taken now and then: the cheapest of a few batches has neither */
		trips[s] = INT64_MAX;
		for (int again = 0; again < 4; again++) {
			int64_t before = root_questions();
			sign_up_many(w, pool_printf(w->pool, "trips%zu-%d-", s, again).data, sizes[s]);
			int64_t now = root_questions() - before;
			trips[s] = now < trips[s] ? now : trips[s];
		}
	}
	assert_int_equal(trips[1], trips[0]);
	assert_int_equal(trips[2], trips[0]);
	assert_in_range(trips[0], 8, 15);
}

/* Blocks of ids seldom cost a round trip, no matter how large batches are. */
static void
ids_come_from_blocks(void **state)
{
	enum { BATCHES = 16 };
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	sign_up_many(w, "warm", BATCH_MAX);
	int64_t before = root_number("SELECT next FROM t_id_blocks WHERE name = 'history'"), taken = 0;
	for (size_t i = 0; i < BATCHES; i++) {
		sign_up_many(w, pool_printf(w->pool, "blocks%zu-", i).data, BATCH_MAX);
		int64_t now = root_number("SELECT next FROM t_id_blocks WHERE name = 'history'");
		taken += now != before;
		before = now;
	}
	assert_in_range(taken, 0, BATCHES / 2);
}

static void
more_webhooks_than_expected_get_their_deliveries(void **state)
{
	enum { WEBHOOKS = 50 };
	struct world *w = *state;
	for (size_t i = 0; i < WEBHOOKS; i++)
		add_webhook(w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data, ALL_EVENTS);
	sign_up_many(w, "many-webhooks", 32);
	assert_consistent(w->campaign, 32, WEBHOOKS);
}

/* Commands of several campaigns in one batch. A refused command changes nothing; a batch of refused commands leaves no
 * token. */
static void
each_command_has_its_own_outcome(void **state)
{
	struct world *w = *state;
	uint64_t other = add_campaign(w), ended = add_campaign(w), ends = add_campaign(w);
	set_end(w, ends, 1);
	assert_int_equal(store_end_campaign(w->store, NULL, ended), RESULT_OK);
	struct command commands[] = { signup(w, w->campaign, "x@example.org"), signup(w, ended, "x@example.org"),
		signup(w, UINT64_MAX, "x@example.org"), signup(w, other, "x@example.org"), signup(w, ends, "x@example.org") };
	static const enum failure expected[] = { FAILURE_NONE, FAILURE_CAMPAIGN_ENDED, FAILURE_CAMPAIGN_NOT_FOUND, FAILURE_NONE,
		FAILURE_CAMPAIGN_ENDED };
	struct outcome outcomes[ARRAY_SIZE(commands)];
	execute(w->store, w->pool, commands, ARRAY_SIZE(commands), outcomes);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		assert_int_equal(outcomes[i].failure, expected[i]);
	assert_consistent(w->campaign, 1, 0);
	assert_consistent(other, 1, 0);
	assert_consistent(ended, 0, 0);
	assert_consistent(ends, 0, 0);
	int64_t tokens = root_number("SELECT COUNT(*) FROM t_commit_tokens");
	execute(w->store, w->pool, commands + 1, 2, outcomes);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), tokens);
	execute(w->store, w->pool, commands, 1, outcomes);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), tokens + 1);
}

static void
a_passed_deadline_is_unavailable(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "late@example.org");
	const struct command *pointer = &command;
	struct outcome outcome;
	struct execution execution = {
		.commands = &pointer, .count = 1, .deadline_ms = clock_monotonic_ms(), .outcomes = &outcome
	};
	store_execute(w->store, w->pool, &execution);
	assert_outcomes(&outcome, 1, FAILURE_UNAVAILABLE);
	assert_consistent(w->campaign, 0, 0);
}

static bool
create(struct store *store, const struct world *world, const char *email)
{
	struct pool *pool = pool_new();
	struct outcome outcome;
	struct command command = signup(world, world->campaign, email);
	execute(store, pool, &command, 1, &outcome);
	pool_free(&pool);
	return outcome.failure == FAILURE_NONE;
}

static bool
create_one_email(struct store *store, const struct world *world, unsigned index UNUSED)
{
	bool all = true;
	for (unsigned i = 0; i < CREATES; i++)
		all = create(store, world, "everyone@example.org") && all;
	return all;
}

/* docs/api.md 4.3 */
static void
many_processes_make_one_lead_of_one_email(void **state)
{
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REPEAT_SIGNUP));
	processes_start(w, PROCESSES_MAX, create_one_email);
	assert_true(processes_end());
	assert_consistent(w->campaign, 1, 1);
	assert_int_equal(
	    root_number("SELECT counter FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), PROCESSES_MAX * CREATES);
	assert_int_equal(root_number(COUNT_EVENTS " AND type = %d", w->campaign, EVENT_NEW_SIGNUP), 1);
	assert_int_equal(
	    root_number(COUNT_EVENTS " AND type = %d", w->campaign, EVENT_REPEAT_SIGNUP), PROCESSES_MAX * CREATES - 1);
}

static bool
create_own_emails(struct store *store, const struct world *world, unsigned index)
{
	char email[64];
	bool all = true;
	for (unsigned i = 0; i < CREATES; i++) {
		snprintf(email, sizeof(email), "own%u-%u@example.org", index, i);
		all = create(store, world, email) && all;
	}
	return all;
}

/* Every process takes its ids from its own blocks; each number is assigned once. */
static void
many_processes_give_dense_numbers_and_unique_ids(void **state)
{
	struct world *w = *state;
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	processes_start(w, PROCESSES_MAX, create_own_emails);
	assert_true(processes_end());
	assert_consistent(w->campaign, PROCESSES_MAX * CREATES, 1);
}

static bool
update_the_lead(struct store *store, const struct world *world, unsigned index UNUSED)
{
	return create(store, world, "contended@example.org");
}

/* "Retry: the whole batch … on deadlock": the test's transaction is the heavier one, so the batch is the victim. */
static void
a_deadlock_is_retried(void **state)
{
	struct world *w = *state;
	static const char deadlocks[] =
	    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_DEADLOCKS'";
	assert_true(create(w->store, w, "contended@example.org"));
	int64_t before = root_number(deadlocks);
	root_run("START TRANSACTION");
	root_run("INSERT INTO t_commit_tokens (token) SELECT CONCAT('heavy-', seq) FROM seq_1_to_500");
	root_run("UPDATE t_leads SET uid = 'root' WHERE campaign_id = %" PRIu64 " AND subscription_number = 1", w->campaign);
	processes_start(w, 1, update_the_lead);
	assert_true(root_wait_for(1, ROW_LOCK_WAITS));
	root_number("SELECT lead_count FROM t_campaign_counters WHERE campaign_id = %" PRIu64 " FOR UPDATE", w->campaign);
	root_run("DELETE FROM t_commit_tokens WHERE token LIKE 'heavy-%%'");
	root_run("COMMIT");
	assert_true(processes_end());
	assert_int_equal(root_number(deadlocks), before + 1);
	assert_int_equal(root_number("SELECT counter FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), 2);
}

/* docs/architecture.md 4, 9: a batch is one transaction, READ COMMITTED, whatever the server's default is. */
static void
transactions_read_committed(void **state)
{
	struct world *w = *state;
	assert_true(create(w->store, w, "contended@example.org"));
	root_run("START TRANSACTION");
	root_run("UPDATE t_campaign_counters SET lead_count = lead_count WHERE campaign_id = %" PRIu64, w->campaign);
	processes_start(w, 1, update_the_lead);
	assert_true(root_wait_for(1, ROW_LOCK_WAITS));
	assert_int_equal(root_number("SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT' AND "
				     "trx_isolation_level = 'READ COMMITTED'"),
	    1);
	root_run("COMMIT");
	assert_true(processes_end());
}

static bool
update_in_turns(struct store *store, const struct world *world, unsigned index)
{
	struct pool *pool = pool_new();
	struct outcome outcomes[4];
	bool all = true;
	for (unsigned i = 0; i < CREATES; i++) {
		/* the same leads in opposite order */
		const char *first = index % 2 ? "a@example.org" : "b@example.org";
		const char *second = index % 2 ? "b@example.org" : "a@example.org";
		struct command commands[] = { signup(world, world->campaign, first), signup(world, shared[0], second),
			signup(world, world->campaign, second), signup(world, shared[0], first) };
		execute(store, pool, commands, ARRAY_SIZE(commands), outcomes);
		for (size_t k = 0; k < ARRAY_SIZE(commands); k++)
			all = outcomes[k].failure == FAILURE_NONE && all;
	}
	pool_free(&pool);
	return all;
}

/* Batches with the same campaigns and leads in any order: no command is refused and none is lost. */
static void
batches_that_cross_are_all_done(void **state)
{
	enum { PROCESSES = 8 };
	struct world *w = *state;
	uint64_t other = add_campaign(w);
	shared[0] = other;
	processes_start(w, PROCESSES, update_in_turns);
	assert_true(processes_end());
	assert_consistent(w->campaign, 2, 0);
	assert_consistent(other, 2, 0);
	assert_int_equal(
	    root_number("SELECT SUM(counter) FROM t_leads WHERE campaign_id IN (%" PRIu64 ", %" PRIu64 ")", w->campaign, other),
	    4 * PROCESSES * CREATES);
}

/* "only the culprit gets the error": a value that its column refuses. */
static void
a_command_that_breaks_the_batch_fails_alone(void **state)
{
	struct world *w = *state;
	struct command commands[8];
	struct outcome outcomes[8];
	char *long_text = pool_alloc(w->pool, TOO_LONG);
	memset(long_text, 'x', TOO_LONG);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		commands[i] = signup(w, w->campaign, numbered_email(w->pool, "culprit", i));
	commands[3].as.signup.uid = (struct slice){ long_text, TOO_LONG };
	add_webhook(w, w->campaign, "https://a.example/", ALL_EVENTS);
	execute(w->store, w->pool, commands, ARRAY_SIZE(commands), outcomes);
	assert_outcomes(outcomes, 3, FAILURE_NONE);
	assert_outcomes(outcomes + 3, 1, FAILURE_INTERNAL);
	assert_outcomes(outcomes + 4, 4, FAILURE_NONE);
	assert_consistent(w->campaign, 7, 1);
}

/* As above, for a unique key that is always taken after `decide`: the command may succeed later, so the answer is 503. */
static void
a_key_that_is_always_taken_fails_alone(void **state)
{
	struct world *w = *state;
	uint64_t spoilt = add_campaign(w);
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, created_ms, updated_ms) "
		 "VALUES (999999999, %" PRIu64 ", 1, 'planted001', 0, 0)",
	    spoilt);
	struct command commands[] = { signup(w, w->campaign, "a@example.org"), signup(w, spoilt, "a@example.org"),
		signup(w, w->campaign, "b@example.org") };
	struct outcome outcomes[3];
	execute(w->store, w->pool, commands, 3, outcomes);
	assert_outcomes(outcomes, 1, FAILURE_NONE);
	assert_outcomes(outcomes + 1, 1, FAILURE_UNAVAILABLE);
	assert_outcomes(outcomes + 2, 1, FAILURE_NONE);
	assert_consistent(w->campaign, 2, 0);
	assert_int_equal(root_number(COUNT_LEADS, spoilt), 1);
}

/* Locks the campaign shared[0] until shared[1] is set. */
static bool
hold_campaign(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	struct pool *pool = pool_new();
	bool good = db_begin(store->db) == RESULT_OK && store_lock_counters(store, pool, shared[0]) == RESULT_OK;
	__atomic_store_n(&shared[2], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared[1], __ATOMIC_SEQ_CST) == 0)
		poll(NULL, 0, 1);
	db_rollback(store->db);
	pool_free(&pool);
	return good;
}

/* Without waiting, the other commands are run at once, and the locked ones are reported as not begun. */
static void
a_locked_campaign_delays_no_other(void **state)
{
	struct world *w = *state;
	uint64_t other = add_campaign(w);
	struct command all[] = { signup(w, other, "a@example.org"), signup(w, w->campaign, "a@example.org"),
		signup(w, UNKNOWN_ID, "a@example.org"), signup(w, w->campaign, "b@example.org"),
		signup(w, other, "b@example.org") };
	const struct command *commands[ARRAY_SIZE(all)];
	struct outcome outcomes[ARRAY_SIZE(all)];
	bool locked[ARRAY_SIZE(all)];
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		commands[i] = &all[i];
	shared[0] = w->campaign;
	processes_start(w, 1, hold_campaign);
	while (__atomic_load_n(&shared[2], __ATOMIC_SEQ_CST) == 0)
		poll(NULL, 0, 1);
	int64_t start_ms = clock_monotonic_ms();
	struct execution execution = { .commands = commands,
		.count = ARRAY_SIZE(all),
		.deadline_ms = start_ms + TIME_MS,
		.outcomes = outcomes,
		.locked = locked };
	store_execute(w->store, w->pool, &execution);
	assert_in_range(clock_monotonic_ms() - start_ms, 0, 4000); /* the lock wait timeout is 5 s */
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_int_equal(locked[i], all[i].campaign_id == w->campaign);
	assert_int_equal(outcomes[0].failure, FAILURE_NONE);
	assert_int_equal(outcomes[2].failure, FAILURE_CAMPAIGN_NOT_FOUND);
	assert_int_equal(outcomes[4].failure, FAILURE_NONE);
	assert_int_equal(find_campaign(w, other).last_subscription_number, 2);
	assert_int_equal(find_campaign(w, w->campaign).last_subscription_number, 0);
	__atomic_store_n(&shared[1], 1, __ATOMIC_SEQ_CST);
	assert_true(processes_end());
	execution.deadline_ms = clock_monotonic_ms() + TIME_MS;
	store_execute(w->store, w->pool, &execution);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_false(locked[i]);
	assert_int_equal(find_campaign(w, w->campaign).last_subscription_number, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_batch_of_any_size_is_done),
		WORLD_TEST(the_same_email_twice_is_one_lead),
		WORLD_TEST(confirmations_of_a_batch_are_stored),
		WORLD_TEST(round_trips_do_not_depend_on_the_size),
		WORLD_TEST(ids_come_from_blocks),
		WORLD_TEST(more_webhooks_than_expected_get_their_deliveries),
		WORLD_TEST(each_command_has_its_own_outcome),
		WORLD_TEST(a_passed_deadline_is_unavailable),
		WORLD_TEST(many_processes_make_one_lead_of_one_email),
		WORLD_TEST(many_processes_give_dense_numbers_and_unique_ids),
		WORLD_TEST(a_deadlock_is_retried),
		WORLD_TEST(a_locked_campaign_delays_no_other),
		WORLD_TEST(transactions_read_committed),
		WORLD_TEST(batches_that_cross_are_all_done),
		WORLD_TEST(a_command_that_breaks_the_batch_fails_alone),
		WORLD_TEST(a_key_that_is_always_taken_fails_alone),
	};
	return WORLD_MAIN(tests);
}
