/* SPDX-License-Identifier: MIT
 * Rate limits (docs/api.md 5) with a fake clock: several windows and limits at once, compared with an exact model; a full
 * table; many processes, and killed ones. */
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limit/limiter.h"
#include "os/clock.h"
#include "os/log.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HISTORIES = 16, TIMES = 8192 };

static int64_t now;
static struct limiter *limiter;
static struct limiter_options options;

static int64_t
fake_clock(void)
{
	return now;
}

static int
begin(void **state)
{
	(void)state;
	now = 5000000;
	options = (struct limiter_options){
		.folder = "",
		.memory = LIMITER_MEMORY_MIN,
		.rules = {
			[LIMIT_LOOKUPS] = { { { 100, MINUTE }, { 200, 3 * MINUTE }, { 300, 9 * MINUTE } }, 3 },
			[LIMIT_SIGNUPS] = { { { 10, MINUTE }, { 20, 3 * MINUTE }, { 30, 9 * MINUTE } }, 3 },
			[LIMIT_POSTS] = { { { 50, MINUTE } }, 1 },
			[LIMIT_FAILED_KEYS] = { { { 30, MINUTE } }, 1 },
			[LIMIT_ACCOUNT] = { { { LIMIT_MAX, MINUTE } }, 1 },
		},
		.now_ms = fake_clock,
	};
	limiter = limiter_open(&options);
	return limiter == NULL;
}

static int
end(void **state)
{
	(void)state;
	limiter_close(&limiter);
	return 0;
}

static struct limit_verdict verdict;

static struct slice
name_of(uint64_t number)
{
	static char names[LIMITER_CLAIMS_MAX][32];
	static size_t turn;
	char *name = names[turn++ % LIMITER_CLAIMS_MAX];
	return (struct slice){ name, (size_t)snprintf(name, sizeof(names[0]), "%llu", (unsigned long long)number) };
}

static bool
pass_claims(const struct limit_claim *claims, size_t count)
{
	const struct limit_network own = { claims[count - 1].caller, LIMITER_SPREAD };
	return limiter_pass(limiter, &own, claims, count, &verdict);
}

static bool
pass(enum limit_kind kind, uint64_t caller)
{
	const struct limit_claim claim = { .kind = kind, .caller = name_of(caller) };
	return pass_claims(&claim, 1);
}

static bool
sign_up(uint64_t address, uint64_t campaign)
{
	const struct limit_claim claims[] = {
		{ .kind = LIMIT_SIGNUPS, .caller = name_of(address * 1000 + campaign) },
		{ .kind = LIMIT_POSTS, .caller = name_of(address) },
	};
	return pass_claims(claims, 2);
}

static size_t
passes_of(enum limit_kind kind, uint64_t caller, size_t tries)
{
	size_t count = 0;
	for (size_t i = 0; i < tries; i++)
		count += pass(kind, caller) ? 1 : 0;
	return count;
}

/* ---- the rules ---- */

/* The first window slides; refused calls and other callers do not count. */
static void
a_count_is_that_of_the_first_window(void **state)
{
	(void)state;
	const struct slice name = name_of(1);
	const struct limit_network own = { name, LIMITER_SPREAD };
	const struct limit_claim claim = { .kind = LIMIT_SIGNUPS, .caller = name },
				 other = { .kind = LIMIT_READINESS, .caller = name };
	assert_int_equal(limiter_count(limiter, &own, &claim), 0);
	assert_int_equal(passes_of(LIMIT_SIGNUPS, 2, 3), 3);
	assert_int_equal(limiter_count(limiter, &own, &claim), 0);
	assert_int_equal(passes_of(LIMIT_SIGNUPS, 1, 12), 10);
	assert_int_equal(limiter_count(limiter, &own, &claim), 10);
	now += MINUTE + SECOND;
	assert_int_equal(limiter_count(limiter, &own, &claim), 0);
	assert_int_equal(limiter_count(limiter, &own, &other), 0); /* without a rule */
}

static void
each_window_holds(void **state)
{
	(void)state;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 100);
	assert_int_equal(verdict.kind, LIMIT_LOOKUPS);
	assert_int_equal(verdict.limit, 100);
	now += verdict.wait_ms - 1;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 1), 0);
	now += 1;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 100);
	now += 61 * SECOND;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 0); /* 200 in three minutes */
	assert_int_equal(verdict.limit, 200);
	now += verdict.wait_ms;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 100); /* 300 in nine */
	now += 200 * SECOND;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 0);
	assert_int_equal(verdict.limit, 300);
	now += verdict.wait_ms;
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 150), 100);
}

static void
each_caller_has_its_own_limit(void **state)
{
	(void)state;
	assert_int_equal(passes_of(LIMIT_FAILED_KEYS, 1, 50), 30);
	assert_int_equal(passes_of(LIMIT_FAILED_KEYS, 2, 50), 30);
	assert_int_equal(passes_of(LIMIT_POSTS, 1, 60), 50);
}

static void
a_kind_without_a_rule_passes(void **state)
{
	(void)state;
	assert_int_equal(passes_of(LIMIT_DELETES, 1, 1000), 1000);
	assert_int_equal(verdict.wait_ms, 0);
}

static void
the_limit_of_an_account_comes_with_the_claim(void **state)
{
	(void)state;
	struct limit_claim claim = { .kind = LIMIT_ACCOUNT, .caller = SLICE("7"), .limit = 70000 };
	size_t passed = 0;
	for (size_t i = 0; i < 80000; i++)
		passed += pass_claims(&claim, 1) ? 1 : 0;
	assert_int_equal(passed, 70000);
	assert_int_equal(verdict.limit, 70000);
	claim.limit = 70001; /* as changed by the operator */
	assert_true(pass_claims(&claim, 1));
	claim.limit = 5;
	assert_false(pass_claims(&claim, 1));
	assert_int_equal(verdict.limit, 5);
}

/* Each account has its own ring, even if its limit is far below the maximum. */
static void
accounts_do_not_share(void **state)
{
	(void)state;
	enum { ACCOUNTS = 30, LIMIT = 10 };
	for (size_t i = 0; i < LIMIT + 1; i++)
		for (uint64_t account = 1; account <= ACCOUNTS; account++) {
			const struct limit_claim claim = { .kind = LIMIT_ACCOUNT, .caller = name_of(account), .limit = LIMIT };
			assert_int_equal(pass_claims(&claim, 1), i < LIMIT);
		}
}

/* All limits apply; a request that one refuses counts for none. */
static void
a_refused_request_counts_nowhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		assert_true(sign_up(1, 1));
	for (size_t i = 0; i < 500; i++)
		assert_false(sign_up(1, 1));
	assert_int_equal(verdict.kind, LIMIT_SIGNUPS);
	for (uint64_t campaign = 2; campaign <= 5; campaign++)
		for (size_t i = 0; i < 10; i++)
			assert_true(sign_up(1, campaign));
	assert_false(sign_up(1, 6)); /* 50 in all */
	assert_int_equal(verdict.kind, LIMIT_POSTS);
	assert_int_equal(verdict.limit, 50);
	assert_true(sign_up(2, 1));
	now += 61 * SECOND;
	assert_true(sign_up(1, 6));
	assert_int_equal(passes_of(LIMIT_POSTS, 1, 60), 49);
}

/* Makes claims of two kinds for a caller, its site and its provider, whose limits are 1, 4 and 16 times that of the rule. A
 * request that one of them refuses counts for none. */
static bool
sign_up_in(uint64_t caller, uint64_t site)
{
	const struct limit_claim claims[] = {
		{ LIMIT_SIGNUPS, REACH_CALLER, name_of(caller), 0 },
		{ LIMIT_POSTS, REACH_CALLER, name_of(caller), 0 },
		{ LIMIT_SIGNUPS, REACH_SITE, name_of(site), 0 },
		{ LIMIT_POSTS, REACH_SITE, name_of(site), 0 },
		{ LIMIT_SIGNUPS, REACH_PROVIDER, SLICE("48"), 0 },
		{ LIMIT_POSTS, REACH_PROVIDER, SLICE("48"), 0 },
	};
	return pass_claims(claims, ARRAY_SIZE(claims));
}

static void
networks_have_more_and_count_too(void **state)
{
	(void)state;
	for (uint64_t caller = 0; caller < 4; caller++) {
		for (size_t i = 0; i < 10; i++)
			assert_true(sign_up_in(caller, 100));
		assert_false(sign_up_in(caller, 100));
		assert_int_equal(verdict.limit, caller < 3 ? 10 : verdict.limit);
	}
	assert_false(sign_up_in(4, 100)); /* a new caller */
	assert_int_equal(verdict.limit, 40);
	for (uint64_t caller = 5; caller < 5 + 12; caller++)
		for (size_t i = 0; i < 10; i++)
			assert_true(sign_up_in(caller, 200 + caller / 4));
	assert_false(sign_up_in(50, 300));
	assert_int_equal(verdict.limit, 160);
	assert_int_equal(verdict.kind, LIMIT_SIGNUPS);
	assert_int_equal(passes_of(LIMIT_POSTS, 50, 60), 50); /* the refused requests were not counted */
	now += 61 * SECOND;
	assert_true(sign_up_in(50, 300));
}

static void
a_check_without_counting_does_not_count(void **state)
{
	(void)state;
	const struct limit_claim claim = { .kind = LIMIT_FAILED_KEYS, .caller = SLICE("1") };
	const struct limit_network network = { claim.caller, LIMITER_SPREAD };
	for (size_t i = 0; i < 100; i++)
		assert_true(limiter_would_pass(limiter, &network, &claim, 1, &verdict));
	assert_int_equal(passes_of(LIMIT_FAILED_KEYS, 1, 50), 30);
	assert_false(limiter_would_pass(limiter, &network, &claim, 1, &verdict));
	assert_true(verdict.limit == 30 && verdict.wait_ms > 0);
}

static void
noted_names_stay_until_they_are_replaced(void **state)
{
	(void)state;
	enum { MANY = 20000 };
	assert_false(limiter_is_noted(limiter, SLICE("a")));
	limiter_note(limiter, SLICE("a"));
	limiter_note(limiter, SLICE("b"));
	assert_true(limiter_is_noted(limiter, SLICE("a")));
	limiter_remove(limiter, SLICE("a"));
	assert_false(limiter_is_noted(limiter, SLICE("a")));
	assert_true(limiter_is_noted(limiter, SLICE("b")));
	for (uint64_t i = 0; i < MANY; i++) {
		now += MINUTE;
		assert_true(limiter_is_noted(limiter, SLICE("b"))); /* a queried name stays */
		limiter_note(limiter, name_of(i));
	}
	assert_false(limiter_is_noted(limiter, name_of(0)));
	assert_true(limiter_is_noted(limiter, name_of(MANY - 1)));
}

/* ---- compared with an exact model ---- */

struct history {
	int64_t times[TIMES];
	size_t count;
};

/* Whether a request would pass with windows longer by `parts`. */
static bool
exact(const struct history *history, const struct limit_rule *rule, int64_t parts)
{
	for (size_t i = 0; i < rule->count; i++) {
		const int64_t ms = rule->windows[i].ms + parts * rule->windows[i].ms / 60;
		uint32_t count = 0;
		for (size_t j = history->count; j > 0 && now - history->times[j - 1] < ms; j--)
			count++;
		if (count >= rule->windows[i].limit)
			return false;
	}
	return true;
}

/* Requests that pass also pass the exact model; refused ones are also refused by a model with windows that are a sixtieth
 * longer. The histories contain bursts, pauses, and waits until the reported time or just before it. */
static void
random_histories(void **state)
{
	(void)state;
	static struct history histories[HISTORIES];
	unsigned seed = 20261122;
	for (size_t step = 0; step < 60000; step++) {
		const size_t caller = (size_t)rand_r(&seed) % HISTORIES;
		struct history *history = &histories[caller];
		const struct limit_rule *rule = &options.rules[LIMIT_SIGNUPS];
		const bool at_most = exact(history, rule, 0), at_least = exact(history, rule, 1);
		const bool passed = pass(LIMIT_SIGNUPS, caller);
		assert_true(passed ? at_most : !at_least);
		if (passed)
			history->times[history->count++ % TIMES] = now;
		assert_true(history->count < TIMES);
		const int choice = rand_r(&seed) % 1000;
		now += choice < 900 ? rand_r(&seed) % 30 : choice < 990 ? rand_r(&seed) % 5000 : rand_r(&seed) % (4 * MINUTE);
		if (!passed && choice % 20 == 0)
			now += verdict.wait_ms - choice / 20 % 2;
	}
}

/* ---- a full table ---- */

/* A flood of addresses does not erase counts, and does not block others. */
static void
a_flood_does_not_erase_counts(void **state)
{
	(void)state;
	enum { FLOOD = 30000 }; /* about thirty times the capacity */
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 1, 200), 100);
	assert_int_equal(passes_of(LIMIT_LOOKUPS, 2, 60), 60);
	for (uint64_t i = 0; i < FLOOD; i++) {
		now += i % 10 == 0 ? 1 : 0;
		assert_true(pass(LIMIT_LOOKUPS, 1000 + i));
	}
	assert_false(pass(LIMIT_LOOKUPS, 1));
	assert_in_range(passes_of(LIMIT_LOOKUPS, 2, 100), 0, 40);
	for (uint64_t i = 0; i < 100; i++)
		assert_true(pass(LIMIT_LOOKUPS, 10000000 + i)); /* a new caller */
}

/* Enough memory that a few hundred callers share no ring. */
static void
make_room(void)
{
	options.memory = 64 * LIMITER_MEMORY_MIN;
	limiter_close(&limiter);
	limiter = limiter_open(&options);
	assert_non_null(limiter);
}

/* Any number of callers of one network fills only a few sets, without effect on others. */
static void
a_network_fills_its_own_sets(void **state)
{
	(void)state;
	enum { CALLERS = 65536, OTHERS = 1000 };
	const struct limit_network site = { SLICE("2001:db8:1::/48"), LIMITER_SPREAD };
	size_t passed = 0, refused = 0;
	make_room();
	for (uint64_t i = 0; i < 400; i++) { /* as long as there is room each caller has its own ring */
		const struct limit_claim claim = { .kind = LIMIT_FAILED_KEYS, .caller = name_of(i) };
		for (size_t j = 0; j < 5; j++)
			assert_true(limiter_pass(limiter, &site, &claim, 1, &verdict));
	}
	for (size_t round = 0; round < 30; round++)
		for (uint64_t i = 0; i < CALLERS; i++) {
			const struct limit_claim claim = { .kind = LIMIT_FAILED_KEYS, .caller = name_of(i) };
			passed += limiter_pass(limiter, &site, &claim, 1, &verdict) ? 1 : 0;
		}
	assert_in_range(passed, 1, LIMITER_SPREAD * LIMITER_WAYS * 30);
	for (uint64_t i = 0; i < OTHERS; i++)
		refused += pass(LIMIT_FAILED_KEYS, 1000000 + i) ? 0 : 1;
	assert_in_range(refused, 0, OTHERS / 50); /* those in the 64 sets of the network, out of about ten thousand */
}

/* Callers that replace each other gain nothing: with full sets, the requests that pass in a window stay below the capacity of
 * the sets. */
static void
a_full_table_limits_all_callers(void **state)
{
	(void)state;
	enum { PEOPLE = 50000, ROUNDS = 40 };
	size_t passed = 0;
	for (size_t round = 0; round < ROUNDS; round++)
		for (uint64_t i = 0; i < PEOPLE; i++)
			passed += pass(LIMIT_FAILED_KEYS, i) ? 1 : 0;
	/* 128 KiB of entries: 40 bytes and a ring of 64 */
	const size_t rings = LIMITER_MEMORY_MIN / 32 * 4 / 104;
	assert_true(passed <= rings * 30);
	assert_true(passed >= rings * 30 / 2);
	now += 61 * SECOND;
	assert_true(pass(LIMIT_FAILED_KEYS, 1)); /* passes again after the window */
}

/* Each caller has its own ring as long as there is room, even while the windows of others pass. */
static void
expired_entries_are_replaced_first(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000000; i++) {
		now += 60; /* a thousand in a minute */
		assert_true(pass(LIMIT_FAILED_KEYS, i));
		assert_true(pass(LIMIT_FAILED_KEYS, i));
	}
}

/* ---- processes ---- */

struct tally {
	size_t passed;
};

static void
many_processes_share_one_limit(void **state)
{
	(void)state;
	enum { PROCESSES = 8, TRIES = 4000 };
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	make_room();
	for (size_t i = 0; i < PROCESSES; i++) {
		const pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid != 0)
			continue;
		for (size_t j = 0; j < TRIES; j++)
			if (sign_up(j % 40, j % 3))
				__atomic_fetch_add(&tally->passed, 1, __ATOMIC_SEQ_CST);
		_exit(0);
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		int status;
		assert_true(wait(&status) > 0 && status == 0);
	}
	/* Each of 40 addresses in three campaigns: 10 of each campaign, below 50 in all */
	assert_int_equal(tally->passed, 40 * 3 * 10);
	munmap(tally, sizeof(*tally));
}

static bool
pass_account(uint64_t account, uint32_t limit)
{
	const struct limit_claim claim = { .kind = LIMIT_ACCOUNT, .caller = name_of(account), .limit = limit };
	return pass_claims(&claim, 1);
}

static bool
gets_above(const size_t *number, size_t before)
{
	const int64_t end_ms = clock_monotonic_ms() + 10 * 1000;
	while (__atomic_load_n(number, __ATOMIC_SEQ_CST) <= before) {
		if (clock_monotonic_ms() >= end_ms)
			return false;
		sched_yield();
	}
	return true;
}

/* Processes killed at any instruction, with or without a lock, do not stop the others, and passed requests are counted. */
static void
killed_processes_do_not_stop_others(void **state)
{
	(void)state;
	enum { ACCOUNTS = 10, KILLS = 30, LIFE_PASSED = 500 };
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	log_init("test", LOG_LEVEL_WARNING);
	for (uint64_t account = 1; account <= ACCOUNTS; account++) {
		tally->passed = 0;
		for (size_t i = 0; i < KILLS; i++) {
			const size_t before = tally->passed;
			const pid_t pid = fork();
			while (pid == 0)
				if (pass_account(account, LIMIT_MAX))
					__atomic_fetch_add(&tally->passed, 1, __ATOMIC_SEQ_CST);
			assert_true(pid > 0);
			const bool works = gets_above(&tally->passed, before + (size_t)(rand() % LIFE_PASSED));
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			assert_true(works);
		}
		assert_in_range(tally->passed, KILLS, LIMIT_MAX - KILLS - 1);
		assert_false(pass_account(account, (uint32_t)tally->passed));
		assert_true(
		    pass_account(account, (uint32_t)tally->passed + KILLS + 1)); /* at worst the killed calls count as well */
	}
	log_init("test", LOG_LEVEL_INFO);
	munmap(tally, sizeof(*tally));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(a_count_is_that_of_the_first_window),
		TEST(each_window_holds),
		TEST(each_caller_has_its_own_limit),
		TEST(a_kind_without_a_rule_passes),
		TEST(the_limit_of_an_account_comes_with_the_claim),
		TEST(accounts_do_not_share),
		TEST(a_refused_request_counts_nowhere),
		TEST(networks_have_more_and_count_too),
		TEST(a_check_without_counting_does_not_count),
		TEST(noted_names_stay_until_they_are_replaced),
		TEST(random_histories),
		TEST(a_flood_does_not_erase_counts),
		TEST(a_network_fills_its_own_sets),
		TEST(a_full_table_limits_all_callers),
		TEST(expired_entries_are_replaced_first),
		TEST(many_processes_share_one_limit),
		TEST(killed_processes_do_not_stop_others),
	};
	log_init("test", LOG_LEVEL_INFO);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
