/* SPDX-License-Identifier: MIT
 * deliver/process/companion.h: a process that hangs is killed and restarted; a process that reports is not. The metrics count
 * this. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "captured_log.h"
#include "deliver/process/companion.h"
#include "os/metrics_table.h"

enum { SILENCE_MS = 300, TURN_MS = 20, DEADLINE_MS = 20 * 1000 };

/* Memory that is shared with the processes. */
struct seen {
	_Atomic(int) starts, turns;
	_Atomic(int) forks, failing_fork; /* the number of the fork that fails; 0: none */
	_Atomic(pid_t) child, died;
};

static struct seen *seen;

pid_t __real_fork(void);
pid_t __wrap_fork(void);
void __wrap_metrics_process_died(pid_t pid);

pid_t
__wrap_fork(void)
{
	if (atomic_fetch_add(&seen->forks, 1) + 1 != atomic_load(&seen->failing_fork))
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

void
__wrap_metrics_process_died(pid_t pid)
{
	atomic_store(&seen->died, pid);
}

static uint64_t
restarts(void)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	metrics_copy(cells, &counts);
	return cells[metrics_definition(METRIC_RESTARTS)->first + METRIC_PROCESS_MAILER];
}

static int
set_up(void **state UNUSED)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(seen, MAP_FAILED);
	capture_log();
	return 0;
}

static int
clean_up(void **state UNUSED)
{
	return munmap(seen, sizeof(*seen));
}

static bool
has_to_end(int stop_fd, int ms)
{
	struct pollfd stop = { stop_fd, POLLIN, 0 };
	return poll(&stop, 1, ms) > 0;
}

static int
report(void *context UNUSED, int stop_fd, struct companion_life *life)
{
	atomic_fetch_add(&seen->starts, 1);
	while (!has_to_end(stop_fd, TURN_MS)) {
		companion_alive(life);
		atomic_fetch_add(&seen->turns, 1);
	}
	return 0;
}

/* The first process hangs, the next one works. */
static int
hang_once(void *context, int stop_fd, struct companion_life *life)
{
	if (atomic_load(&seen->starts) > 0)
		return report(context, stop_fd, life);
	atomic_fetch_add(&seen->starts, 1);
	while (pause() < 0 && errno == EINTR)
		;
	return 0;
}

/* A process that crashes when it has to end. */
static int
crash_at_end(void *context UNUSED, int stop_fd, struct companion_life *life UNUSED)
{
	atomic_store(&seen->child, getpid());
	atomic_fetch_add(&seen->starts, 1);
	while (!has_to_end(stop_fd, TURN_MS))
		;
	return raise(SIGKILL);
}

static bool
reaches(_Atomic(int) *number, int wanted)
{
	const struct timespec turn = { .tv_nsec = TURN_MS * 1000000 };
	for (int ms = 0; ms < DEADLINE_MS && atomic_load(number) < wanted; ms += TURN_MS)
		nanosleep(&turn, NULL);
	return atomic_load(number) >= wanted;
}

static void
a_process_that_hangs_is_started_again(void **state UNUSED)
{
	const struct companion_options options = { hang_once, METRIC_PROCESS_MAILER, NULL, -1, SILENCE_MS };
	struct companion process;
	assert_true(companion_start(&options, &process));
	assert_true(reaches(&seen->turns, 1));
	companion_stop(&process);
	assert_int_equal(atomic_load(&seen->starts), 2);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " companion_stuck pid="), 1);
	assert_int_equal(count_in(log, " companion_crashed signal=9 "), 1);
}

/* It runs for many times as long as it may be silent. */
static void
a_process_that_reports_goes_on(void **state UNUSED)
{
	const struct companion_options options = { report, METRIC_PROCESS_MAILER, NULL, -1, 4 * SILENCE_MS };
	struct companion process;
	assert_true(companion_start(&options, &process));
	assert_true(reaches(&seen->turns, 10 * SILENCE_MS / TURN_MS));
	companion_stop(&process);
	assert_int_equal(atomic_load(&seen->starts), 1);
	assert_int_equal(count_in(captured_log(), " companion_stuck "), 0);
}

/* docs/operating.md 12.1: a process that never ran has not died. */
static void
a_failed_fork_is_no_crash(void **state UNUSED)
{
	const struct companion_options options = { report, METRIC_PROCESS_MAILER, NULL, -1, SILENCE_MS };
	struct companion process;
	const uint64_t before = restarts();
	atomic_store(&seen->failing_fork, 2); /* the first fork makes the keeper */
	assert_true(companion_start(&options, &process));
	assert_true(reaches(&seen->turns, 1));
	companion_stop(&process);
	assert_int_equal(restarts() - before, 0);
	assert_int_equal(atomic_load(&seen->forks), 3);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " no_companion error="), 1);
	assert_int_equal(count_in(log, " companion_crashed "), 0);
}

/* docs/operating.md 12.1: a process that is killed at the end is no longer counted. */
static void
a_crash_at_the_end_frees_its_place(void **state UNUSED)
{
	const struct companion_options options = { crash_at_end, METRIC_PROCESS_MAILER, NULL, -1, SILENCE_MS };
	struct companion process;
	assert_true(companion_start(&options, &process));
	assert_true(reaches(&seen->starts, 1));
	companion_stop(&process);
	assert_int_equal(atomic_load(&seen->died), atomic_load(&seen->child));
	captured_log();
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(a_process_that_hangs_is_started_again),
		TEST(a_process_that_reports_goes_on),
		TEST(a_failed_fork_is_no_crash),
		TEST(a_crash_at_the_end_frees_its_place),
	};
	metrics_open("", LOG_LEVEL_WARNING); /* memory that is shared with the processes */
	return cmocka_run_group_tests_name("deliver/process/companion", tests, NULL, NULL);
}
