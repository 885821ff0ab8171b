/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7.1.1: turns of accounts. */
#include "commit/turns.h"

#include "unit.h"
#include "with_pool.h"

enum { MOST = 300, FLOOD = 1, OTHER = 2, LIGHT = 10, HEAVY = 2500 };

static struct turns *turns;
static struct turn items[MOST];
static size_t item_count;
static uint64_t arrivals;

static int
open_turns(void **state)
{
	turns = turns_new();
	item_count = 0;
	return begin(state);
}

static int
close_turns(void **state)
{
	turns_free(&turns);
	return end(state);
}

#define TURNS_TEST(name) cmocka_unit_test_setup_teardown(name, open_turns, close_turns)

/* The campaign of the account whose commands cause this much work. */
static uint64_t
campaign_of(uint64_t account, uint32_t work)
{
	const struct turn turn = { .account_id = account, .campaign_id = account * 8 + work % 7, .leads = 1 };
	while (turns_expect(turns, &turn) != work)
		turns_learn(turns, &turn, (struct work){ .rows = work - 1 });
	return turn.campaign_id;
}

static void
wait_with(uint64_t account, uint32_t work, size_t count)
{
	const uint64_t campaign = campaign_of(account, work);
	for (size_t i = 0; i < count; i++)
		items[item_count++] =
		    (struct turn){ .account_id = account, .campaign_id = campaign, .leads = 1, .arrival = ++arrivals };
}

/* Runs a batch: removes the chosen commands. Returns the work of an account in it. */
static uint32_t
run_batch(uint64_t account, size_t *count)
{
	static const struct turns_limits limits = { 128, 256 };
	const struct turn *waiting[MOST], *ran[MOST];
	size_t chosen[MOST], left = 0;
	uint32_t work = 0, all = 0;
	bool is_chosen[MOST] = { false };
	for (size_t i = 0; i < item_count; i++)
		waiting[i] = &items[i];
	*count = turns_choose(turns, pool, waiting, item_count, limits, chosen);
	for (size_t i = 0; i < *count; i++) {
		ran[i] = waiting[chosen[i]];
		assert_false(is_chosen[chosen[i]]);
		is_chosen[chosen[i]] = true;
		all += turns_expect(turns, ran[i]);
		work += ran[i]->account_id == account ? turns_expect(turns, ran[i]) : 0;
		for (size_t k = 0; k < i; k++) /* the commands of an account run in their order */
			assert_true(ran[k]->account_id != ran[i]->account_id || ran[k]->arrival < ran[i]->arrival);
	}
	assert_true(*count == 1 || all <= TURNS_BATCH_WORK);
	for (size_t i = 0; i < item_count; i++)
		if (!is_chosen[i])
			items[left++] = items[i];
	item_count = left;
	return work;
}

static size_t
waiting_of(uint64_t account)
{
	size_t count = 0;
	for (size_t i = 0; i < item_count; i++)
		count += items[i].account_id == account;
	return count;
}

static void
an_account_alone_fills_batches(void **state UNUSED)
{
	size_t count;
	assert_int_equal(run_batch(FLOOD, &count), 0);
	assert_int_equal(count, 0);
	wait_with(FLOOD, 30, 120);
	assert_int_equal(run_batch(FLOOD, &count), TURNS_BATCH_WORK);
	assert_int_equal(run_batch(FLOOD, &count), 600);
	wait_with(FLOOD, HEAVY, 2);
	run_batch(FLOOD, &count);
	assert_int_equal(count, 1);
}

/* Another account's flood of commands does not come first, even if it has waited longest. */
static void
a_flood_leaves_room_for_others(void **state UNUSED)
{
	size_t count;
	wait_with(FLOOD, 30, 200);
	wait_with(OTHER, LIGHT, 1);
	assert_in_range(run_batch(FLOOD, &count), 1, TURNS_QUANTUM);
	assert_int_equal(waiting_of(OTHER), 0);
}

/* A command with more work than a quantum waits for a few batches, but no longer: commands of others do not keep it from its
 * turn. */
static void
heavy_commands_get_their_turn(void **state UNUSED)
{
	enum { BATCHES = 30 };
	size_t count, heavy = 0;
	wait_with(FLOOD, HEAVY, 20);
	for (size_t i = 0; i < BATCHES; i++) {
		wait_with(OTHER, LIGHT, 3);
		const uint32_t flood = run_batch(FLOOD, &count);
		heavy += flood / HEAVY;
		assert_int_equal(waiting_of(OTHER), flood > 0 ? 3 : 0);
	}
	const size_t share = BATCHES * TURNS_QUANTUM / (HEAVY + TURNS_QUANTUM); /* each follows a batch without a quantum */
	assert_in_range(heavy, share - 1, share + 1);
}

static void
accounts_make_equal_work(void **state UNUSED)
{
	uint32_t work[3] = { 0 };
	size_t count;
	for (size_t i = 0; i < 60; i++) {
		if (waiting_of(FLOOD) < 50)
			wait_with(FLOOD, 40, 100);
		if (waiting_of(OTHER) < 5)
			wait_with(OTHER, 700, 10);
		if (waiting_of(3) < 2)
			wait_with(3, HEAVY, 4);
		const size_t before[] = { waiting_of(FLOOD), waiting_of(OTHER), waiting_of(3) };
		run_batch(0, &count);
		work[0] += (uint32_t)(before[0] - waiting_of(FLOOD)) * 40;
		work[1] += (uint32_t)(before[1] - waiting_of(OTHER)) * 700;
		work[2] += (uint32_t)(before[2] - waiting_of(3)) * HEAVY;
	}
	for (size_t i = 0; i < 3; i++)
		assert_in_range(work[i], work[0] - TURNS_QUANTUM - HEAVY, work[0] + TURNS_QUANTUM + HEAVY);
}

/* There are more accounts than fit into a batch; the next batches leave out none of them. */
static void
a_full_batch_goes_on_with_the_next_account(void **state UNUSED)
{
	enum { ACCOUNTS = 8 };
	size_t count;
	for (uint64_t account = 1; account <= ACCOUNTS; account++)
		wait_with(account, 450, 4);
	for (size_t batch = 0; batch * TURNS_BATCH_WORK < ACCOUNTS * TURNS_QUANTUM; batch++)
		run_batch(0, &count);
	for (uint64_t account = 1; account <= ACCOUNTS; account++)
		assert_true(waiting_of(account) < 4);
}

/* A large command is a batch of its own, and then another account begins the next batch. */
static void
large_commands_run_apart(void **state UNUSED)
{
	enum { LARGE = 700 };
	size_t count, batches = 0;
	wait_with(FLOOD, LARGE, 10);
	for (; waiting_of(FLOOD) > 0; batches++) {
		wait_with(OTHER, LIGHT, 2);
		const size_t before = waiting_of(OTHER);
		const uint32_t flood = run_batch(FLOOD, &count);
		assert_true(flood <= LARGE && (flood == 0 || waiting_of(OTHER) == before));
		assert_true(flood > 0 || waiting_of(OTHER) == 0);
	}
	assert_in_range(batches, 10, 20);
}

/* Work is not saved up: an account that had no commands begins anew. */
static void
an_absent_account_saves_nothing(void **state UNUSED)
{
	size_t count;
	for (size_t i = 0; i < 10; i++) {
		wait_with(FLOOD, LIGHT, 1);
		wait_with(OTHER, LIGHT, 1);
		run_batch(0, &count);
	}
	wait_with(OTHER, 30, 100);
	wait_with(FLOOD, LIGHT, 1);
	assert_in_range(run_batch(OTHER, &count), 1, TURNS_QUANTUM);
}

static void
batches_have_limits(void **state UNUSED)
{
	size_t count;
	wait_with(FLOOD, 1, 200);
	run_batch(FLOOD, &count);
	assert_int_equal(count, 128);
	item_count = 0;
	wait_with(FLOOD, 1, 3);
	for (size_t i = 0; i < 3; i++)
		items[i].leads = 128;
	run_batch(FLOOD, &count);
	assert_int_equal(count, 2);
	items[0].leads = 300;
	run_batch(FLOOD, &count);
	assert_int_equal(count, 1);
}

/* The estimate rises at once and falls slowly; there is one for each kind and campaign, which counts the work per lead. */
static void
work_is_learned(void **state UNUSED)
{
	struct turn points = { .campaign_id = 5, .kind = COMMAND_POINTS, .leads = 10 }, one = points, other = points;
	one.leads = 1;
	other.kind = COMMAND_SIGNUP;
	const uint32_t unknown = turns_expect(turns, &other);
	assert_true(unknown > 0);
	turns_learn(turns, &points, (struct work){ .rows = 2000, .bytes = 100 * 1024 });
	assert_in_range(turns_expect(turns, &one), 210, 211);
	assert_in_range(turns_expect(turns, &points), 2100, 2110);
	turns_learn(turns, &points, (struct work){ .rows = 10 });
	assert_in_range(turns_expect(turns, &one), 150, 170);
	for (size_t i = 0; i < 50; i++)
		turns_learn(turns, &points, (struct work){ .rows = 10 });
	assert_in_range(turns_expect(turns, &one), 1, 2);
	assert_int_equal(turns_expect(turns, &other), unknown);
	turns_learn(turns, &one, (struct work){ .rows = UINT32_MAX, .bytes = UINT32_MAX });
	assert_int_equal(turns_expect(turns, &points), TURNS_COMMAND_WORK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TURNS_TEST(an_account_alone_fills_batches),
		TURNS_TEST(a_flood_leaves_room_for_others),
		TURNS_TEST(heavy_commands_get_their_turn),
		TURNS_TEST(accounts_make_equal_work),
		TURNS_TEST(a_full_batch_goes_on_with_the_next_account),
		TURNS_TEST(large_commands_run_apart),
		TURNS_TEST(an_absent_account_saves_nothing),
		TURNS_TEST(batches_have_limits),
		TURNS_TEST(work_is_learned),
	};
	return cmocka_run_group_tests_name("commit/turns", tests, NULL, NULL);
}
