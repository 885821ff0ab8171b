/* SPDX-License-Identifier: MIT
 * prog/signal_thread.h: which processes get the signal to reopen the log, and when a reload runs. */
#include "unit.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/attributes.h"
#include "os/clock.h"
#include "prog/signal_thread.h"

enum { GROUP = 4711, CHANGES = 5000, RUN_MS = 1000, DEADLINE_MS = 20 * 1000 };

static _Atomic(int) passed_on, elsewhere, reloads;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);

int
__wrap_kill(pid_t pid, int number)
{
	atomic_fetch_add(pid == -GROUP && number == SIGUSR2 ? &passed_on : &elsewhere, 1);
	return 0;
}

static void
count_reload(void *context)
{
	atomic_fetch_add((_Atomic(int) *)context, 1);
}

/* A group is removed while a signal is passed on: this group gets the signal, or no group does, but never our own, which
 * kill(0) would signal. */
static void
a_removed_group_gets_no_signal(void **state UNUSED)
{
	static _Atomic(pid_t) groups[] = { GROUP, 0 };
	const int64_t begun_ms = clock_monotonic_ms();
	int64_t ms = 0;
	const struct signal_tasks tasks = { .groups = groups, .group_count = 2, .reload = count_reload, .context = &reloads };
	signal_thread_block(&tasks);
	signal_thread_start(&tasks);
	for (; ms < RUN_MS || (atomic_load(&passed_on) == 0 && ms < DEADLINE_MS); ms = clock_monotonic_ms() - begun_ms) {
		__real_kill(getpid(), SIGUSR1);
		for (unsigned i = 0; i < CHANGES; i++) {
			atomic_store(&groups[0], 0);
			atomic_store(&groups[0], GROUP);
		}
	}
	assert_int_equal(atomic_load(&elsewhere), 0);
	assert_true(atomic_load(&passed_on) > 0);
}

/* Waits for the thread that the test above has started. */
static void
wait_for(const _Atomic(int) *count, int wanted)
{
	const int64_t begun_ms = clock_monotonic_ms();
	while (atomic_load(count) < wanted && clock_monotonic_ms() - begun_ms < DEADLINE_MS)
		nanosleep(&(struct timespec){ .tv_nsec = 1000 * 1000 }, NULL);
	assert_true(atomic_load(count) >= wanted);
}

/* The thread has taken a signal once it is no longer pending. */
static void
wait_until_taken(int number)
{
	const int64_t begun_ms = clock_monotonic_ms();
	sigset_t pending;
	while (sigpending(&pending) == 0 && sigismember(&pending, number) == 1 && clock_monotonic_ms() - begun_ms < DEADLINE_MS)
		continue;
	assert_int_equal(sigismember(&pending, number), 0);
}

static void
hup_reloads_until_the_end(void **state UNUSED)
{
	__real_kill(getpid(), SIGHUP);
	wait_for(&reloads, 1);
	signal_thread_end();
	__real_kill(getpid(), SIGHUP);
	wait_until_taken(SIGHUP);
	assert_int_equal(atomic_load(&reloads), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_removed_group_gets_no_signal),
		cmocka_unit_test(hup_reloads_until_the_end),
	};
	return cmocka_run_group_tests_name("prog/signal_thread", tests, NULL, NULL);
}
