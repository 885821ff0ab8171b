/* SPDX-License-Identifier: MIT
 * How many long operations run at a time (docs/users.md 3), with processes that are killed and stopped. */
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"
#include "limit/work_slots.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/fiber.h"
#include "own_process.h"

enum { MANY = 12, TURNS = 200, ENDS_MS = 10000 };

static char folder[] = "/tmp/slots-XXXXXX";
static struct work_slots *slots;

/* What all processes of a test share. */
static struct shown {
	atomic_int inside, most, taken, refused;
} * shown;

static int slot_count = WORK_SLOTS_MAX;

static int
begin(void **state UNUSED)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	shown = mmap(NULL, sizeof(*shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shown == MAP_FAILED || mkdtemp(folder) == NULL)
		return -1;
	slots = work_slots_open(folder, WORK_HASHES, slot_count);
	return slots == NULL ? -1 : 0;
}

static int
end(void **state UNUSED)
{
	work_slots_close(&slots);
	munmap(shown, sizeof(*shown));
	return remove_folder(folder);
}

/* A process with a mapping of its own, as another program has. */
static pid_t
start(void (*body)(struct work_slots *own))
{
	fflush(NULL);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	MUST(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	struct work_slots *own = work_slots_open(folder, WORK_HASHES, slot_count);
	MUST(own != NULL);
	body(own);
	work_slots_close(&own);
	_exit(0);
}

static bool
wait_until(const atomic_int *number, int wanted)
{
	const int64_t end_ms = clock_monotonic_ms() + ENDS_MS;
	while (atomic_load(number) != wanted && clock_monotonic_ms() < end_ms)
		usleep(1000);
	return atomic_load(number) == wanted;
}

static void
hold(struct work_slots *own)
{
	MUST(work_slots_take(own) >= 0);
	atomic_fetch_add(&shown->taken, 1);
	for (;;)
		pause();
}

static void
end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* All slots in use, by these processes. */
static void
fill(pid_t pids[WORK_SLOTS_MAX])
{
	for (size_t i = 0; i < WORK_SLOTS_MAX; i++)
		pids[i] = start(hold);
	assert_true(wait_until(&shown->taken, WORK_SLOTS_MAX));
}

static void
take_turns(struct work_slots *own)
{
	for (unsigned i = 0; i < TURNS; i++) {
		const int slot = work_slots_take(own);
		if (slot < 0)
			continue;
		const int inside = atomic_fetch_add(&shown->inside, 1) + 1;
		if (inside > atomic_load(&shown->most))
			atomic_store(&shown->most, inside);
		sched_yield();
		atomic_fetch_add(&shown->taken, 1);
		atomic_fetch_sub(&shown->inside, 1);
		work_slots_give_back(own, slot);
	}
}

/* docs/users.md 3: two on a host, or one on a host with few cores, no matter how many processes there are. */
static void
no_more_than_the_slots_at_a_time(void **state UNUSED)
{
	pid_t pids[MANY];
	for (size_t i = 0; i < MANY; i++)
		pids[i] = start(take_turns);
	for (size_t i = 0; i < MANY; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_in_range(atomic_load(&shown->most), 1, slot_count);
	assert_true(atomic_load(&shown->taken) > TURNS);
}

/* A process that is killed while it hashes. */
static void
a_dead_process_frees_its_slot(void **state UNUSED)
{
	pid_t pids[WORK_SLOTS_MAX];
	fill(pids);
	end_process(pids[1]);
	const int64_t before_ms = clock_monotonic_ms();
	const int slot = work_slots_take(slots);
	assert_int_not_equal(slot, -1);
	assert_true(clock_monotonic_ms() - before_ms < WORK_SLOTS_WAIT_MS);
	end_process(pids[0]);
	work_slots_give_back(slots, slot);
}

static void
try_once(struct work_slots *own)
{
	if (work_slots_take(own) < 0)
		atomic_fetch_add(&shown->refused, 1);
}

/* docs/users.md 3: callers wait two seconds at most, and only a few of them. */
static void
a_caller_waits_for_a_time_and_few_wait(void **state UNUSED)
{
	pid_t holding[WORK_SLOTS_MAX], pids[WORK_SLOTS_WAITING + 1];
	fill(holding);
	const int64_t before_ms = clock_monotonic_ms();
	for (size_t i = 0; i <= WORK_SLOTS_WAITING; i++)
		pids[i] = start(try_once);
	assert_true(wait_until(&shown->refused, 1)); /* one too many, at once */
	assert_true(clock_monotonic_ms() - before_ms < WORK_SLOTS_WAIT_MS);
	assert_true(wait_until(&shown->refused, WORK_SLOTS_WAITING + 1));
	assert_in_range(clock_monotonic_ms() - before_ms, WORK_SLOTS_WAIT_MS, 3 * WORK_SLOTS_WAIT_MS);
	for (size_t i = 0; i <= WORK_SLOTS_WAITING; i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	for (size_t i = 0; i < WORK_SLOTS_MAX; i++)
		end_process(holding[i]);
}

/* A caller that waits gets the first slot that becomes free. */
static void
a_caller_that_waits_gets_a_slot(void **state UNUSED)
{
	pid_t holding[WORK_SLOTS_MAX];
	for (size_t freed = 0; freed < WORK_SLOTS_MAX; freed++) {
		atomic_store(&shown->taken, 0);
		fill(holding);
		const pid_t waiting = start(hold);
		end_process(holding[freed]);
		assert_true(wait_until(&shown->taken, WORK_SLOTS_MAX + 1));
		end_process(waiting);
		end_process(holding[1 - freed]);
	}
}

static int
begin_with_one(void **state)
{
	slot_count = 1;
	return begin(state);
}

static int
end_with_one(void **state)
{
	slot_count = WORK_SLOTS_MAX;
	return end(state);
}

/* ---- fibers of one thread ---- */

static struct event_loop *loop;
static int taken[WORK_SLOTS_MAX + 1];

/* Takes all slots, and gives them back after a while. */
static void
take_all(void *context UNUSED)
{
	for (int i = 0; i < slot_count; i++)
		taken[i] = work_slots_take(slots);
	fiber_pause(50);
	for (int i = 0; i < slot_count; i++)
		work_slots_give_back(slots, taken[i]);
}

static void
take_one(void *context UNUSED)
{
	taken[slot_count] = work_slots_take(slots);
	event_loop_return(loop);
}

static void
a_fiber_waits_for_another_of_its_thread(void **state UNUSED)
{
	loop = event_loop_new();
	struct fiber *holder = fiber_new(loop), *waiter = fiber_new(loop);
	fiber_run(holder, take_all, NULL);
	fiber_run(waiter, take_one, NULL);
	assert_true(fiber_is_running(holder) && fiber_is_running(waiter));
	event_loop_wait(loop, clock_monotonic_ms() + ENDS_MS);
	assert_false(fiber_is_running(holder) || fiber_is_running(waiter));
	assert_true(taken[slot_count] >= 0);
	work_slots_give_back(slots, taken[slot_count]);
	fiber_free(&waiter);
	fiber_free(&holder);
	event_loop_free(&loop);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_more_than_the_slots_at_a_time, begin, end),
		{ "one_at_a_time", no_more_than_the_slots_at_a_time, begin_with_one, end_with_one, NULL },
		cmocka_unit_test_setup_teardown(a_dead_process_frees_its_slot, begin, end),
		cmocka_unit_test_setup_teardown(a_caller_waits_for_a_time_and_few_wait, begin, end),
		cmocka_unit_test_setup_teardown(a_caller_that_waits_gets_a_slot, begin, end),
		cmocka_unit_test_setup_teardown(a_fiber_waits_for_another_of_its_thread, begin, end),
	};
	return cmocka_run_group_tests_name("limit/work_slots", tests, NULL, NULL);
}
