/* SPDX-License-Identifier: MIT
 * prog/reopening.h: which processes get the signal to reopen the log. */
#include "unit.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "prog/reopening.h"

enum { GROUP = 4711, CHANGES = 5000, RUN_MS = 1000, DEADLINE_MS = 20 * 1000 };

static _Atomic(int) passed_on, elsewhere;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);

int
__wrap_kill(pid_t pid, int number)
{
	atomic_fetch_add(pid == -GROUP && number == SIGUSR2 ? &passed_on : &elsewhere, 1);
	return 0;
}

/* A group is removed while a signal is passed on: the signal is for this group or none, and never for our own one, kill(0). */
static void
a_removed_group_gets_no_signal(void **state UNUSED)
{
	static _Atomic(pid_t) groups[] = { GROUP, 0 };
	const int64_t begun_ms = clock_monotonic_ms();
	int64_t ms = 0;
	reopening_block();
	reopening_start(groups, ARRAY_SIZE(groups));
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

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_removed_group_gets_no_signal) };
	return cmocka_run_group_tests_name("tests/prog/test_reopening", tests, NULL, NULL);
}
