/* SPDX-License-Identifier: MIT
 * Recovery from the kill of a dispatcher (docs/deliveries.md 4.1): what was under way counts one attempt. Modules: deliver. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "captured_log.h"
#include "deliver/lock.h"
#include "run_dispatcher.h"

static char path[] = "/tmp/leadhook-recovery-XXXXXX";

static int
open_lock_file(void **state)
{
	strcpy(path + strlen(path) - 6, "XXXXXX");
	const int fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	return fresh_world(state);
}

static int
remove_lock_file(void **state UNUSED)
{
	return unlink(path);
}

/* Runs a daemon for a minute. */
static void
run_for_a_minute(void)
{
	struct lock *lock = NULL;
	options.stay = true;
	options.max_runtime_ms = 0;
	world.stop_ms = world.now_ms + MINUTE;
	assert_int_equal(lock_take(path, dispatcher_slots(options.sender.in_flight), &lock), RESULT_OK);
	assert_int_equal(run(lock), RESULT_OK);
	lock_free(&lock);
}

static void
run_to_the_kill(void)
{
	world.leased = false;
	world_run_to_the_kill(run_for_a_minute);
}

static bool
has_previous(void)
{
	struct lock *lock = NULL;
	assert_int_equal(lock_take(path, dispatcher_slots(options.sender.in_flight), &lock), RESULT_OK);
	const bool has = lock_previous(lock) != NULL;
	lock_free(&lock);
	return has;
}

/* Recovery comes before anything is leased, sent or fetched. */
static void
a_killed_dispatcher_is_recovered_first(void **state UNUSED)
{
	world_add(1, 1, 0);
	world.killer = 1;
	assert_false(has_previous());
	run_to_the_kill();
	assert_true(has_previous());
	assert_int_equal(world.recoveries, 0);
	unsigned char killed[DISPATCH_OWNER_SIZE];
	memcpy(killed, world.owner, sizeof(killed));
	world.killer = 0;
	world.leased = false;
	world.failing_recoveries = 3;
	capture_log();
	run_for_a_minute();
	assert_int_equal(count_in(captured_log(), " recovered from=\"a dispatcher that was killed"), 1);
	assert_int_equal(world.recoveries, 1);
	assert_memory_equal(world.dead, killed, sizeof(killed));
	assert_memory_not_equal(world.owner, killed, sizeof(killed));
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
	/* after a clean exit the file has no owner */
	assert_false(has_previous());
}

/* Exactly the attempts under way are counted: not those that were recorded before, and no delivery that was not sent. */
static void
attempts_under_way_are_counted(void **state UNUSED)
{
	enum { RECORDED = 5, UNDER_WAY = 3, LATER = 4 };
	world_add(1, RECORDED, 0);
	world_add(2, UNDER_WAY, SECOND);
	world_add(3, 1, 2 * SECOND);
	world_add(4, LATER, 3 * SECOND);
	world.webhooks[2].latency_ms = 10 * SECOND;
	world.killer = RECORDED + UNDER_WAY + 1;
	run_to_the_kill();
	world.killer = 0;
	world.webhooks[2].latency_ms = 0;
	capture_log();
	run_for_a_minute();
	assert_int_equal(count_in(captured_log(), " deliveries=4\n"), 1);
	assert_int_equal(world.interrupted, UNDER_WAY + 1);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), world.delivery_count);
	for (size_t i = 0; i < world.delivery_count; i++) {
		const struct world_delivery *delivery = &world.deliveries[i];
		const bool twice = delivery->webhook_id == 2 || delivery->webhook_id == 3;
		assert_int_equal(delivery->attempts, twice ? 2 : 1);
		assert_int_equal(delivery->started, twice ? 2 : 1);
	}
}

/* A delivery that kills dispatchers is delayed longer each time, and fails when its schedule is over. The others are sent at
 * once. */
static void
a_delivery_that_kills_dispatchers_runs_out_of_attempts(void **state UNUSED)
{
	enum { OTHERS = 20, ATTEMPTS = 5 };
	schedule = (struct retry_schedule){ .delays_ms = { SECOND, SECOND, SECOND, SECOND }, .count = ATTEMPTS - 1 };
	options.health.breaker_failures = 2; /* an interrupted attempt is not a failure of the receiver */
	world_add(1, 1, 0);
	world_add(2, OTHERS, 0);
	world.killer = 1;
	for (unsigned kills = 1; kills <= ATTEMPTS; kills++) {
		const int64_t begun_ms = world.now_ms;
		run_to_the_kill();
		const int64_t delay_ms = kills <= 2 ? 0 : SECOND << (kills - 3);
		assert_int_equal(world.deliveries[0].started, kills);
		assert_in_range(world.now_ms - begun_ms, 0, 2 * delay_ms + POLL); /* a random part of twice the delay */
		if (kills <= 2)
			assert_int_equal(world_count(2, DELIVERY_DELIVERED), 0);
	}
	capture_log();
	run_for_a_minute();
	const char *log = captured_log();
	assert_int_equal(count_in(log, " delivery_failed event=new_signup delivery=1 "), 1);
	assert_int_equal(count_in(log, " attempts=5 status=0 error=interrupted\n"), 1);
	assert_int_equal(count_in(log, " breaker_opened "), 0);
	assert_int_equal(world.deliveries[0].state, DELIVERY_FAILED);
	assert_string_equal(world.deliveries[0].error, "interrupted");
	assert_int_equal(world.deliveries[0].started, ATTEMPTS);
	assert_int_equal(world.deliveries[0].attempts, ATTEMPTS); /* attempts that were not made are not counted */
	assert_int_equal(world_count(2, DELIVERY_DELIVERED), OTHERS);
	assert_int_equal(world.webhooks[1].failures, 0);
}

enum { LEFT = 200 };

/* A dispatcher dies while it has the next attempts of LEFT deliveries under way, and is recovered. */
static void
recover_after(unsigned attempts, unsigned attempts_before)
{
	struct lock *lock = NULL;
	world_add(1, LEFT, 0);
	assert_int_equal(lock_take(path, dispatcher_slots(options.sender.in_flight), &lock), RESULT_OK);
	lock_set_owner(lock, (const unsigned char *)"killed before it");
	for (size_t i = 0; i < LEFT; i++) {
		world.deliveries[i].attempts = attempts;
		world.deliveries[i].attempts_before = attempts_before;
		lock_note_attempt(lock, i,
		    &(struct due_delivery){
			.id = world.deliveries[i].id, .attempt = attempts + 1, .attempts_before = attempts_before });
	}
	lock_free(&lock);
	run_for_a_minute();
	assert_int_equal(world.interrupted, LEFT);
}

/* The delay has a maximum. It is random: with this many deliveries, the longest delay exceeds a minute. */
static void
the_delay_is_limited(void **state UNUSED)
{
	recover_after(40, 0);
	assert_in_range(world.recovery_delay_ms, MINUTE, 10 * MINUTE);
}

/* docs/deliveries.md 3, interrupted: the delay depends on the attempts since the delivery was redelivered. */
static void
the_delay_begins_anew_with_the_schedule(void **state UNUSED)
{
	recover_after(40, 39);
	assert_in_range(world.recovery_delay_ms, 1, 2 * SECOND);
}

/* There are more deliveries than one statement can count. */
static void
thousands_under_way_are_counted(void **state UNUSED)
{
	enum { MANY = 2500 };
	options.sender.in_flight = 4000;
	options.health.concurrency_start = options.health.concurrency_max = MANY;
	world_add(1, MANY, 0);
	world_add(2, 1, 5 * SECOND);
	world.webhooks[1].latency_ms = 14 * SECOND;
	world.killer = MANY + 1;
	run_to_the_kill();
	assert_int_equal(world.unrecorded, MANY + 1);
	world.killer = 0;
	run_for_a_minute();
	assert_int_equal(world.interrupted, MANY + 1);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), MANY + 1);
}

/* Without the database nothing else starts, and the attempts are not counted twice. */
static void
an_outage_only_delays_it(void **state UNUSED)
{
	world_add(1, 1, 0);
	world.killer = 1;
	run_to_the_kill();
	world.killer = 0;
	world.outage_from_ms = world.now_ms;
	world.outage_until_ms = world.now_ms + 20 * SECOND;
	run_for_a_minute();
	assert_int_equal(world.interrupted, 1);
	assert_int_equal(world.deliveries[0].started, 2);
	assert_true(world.deliveries[0].started_ms[1] >= world.outage_until_ms);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
}

#define RECOVERY_TEST(name) cmocka_unit_test_setup_teardown(name, open_lock_file, remove_lock_file)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RECOVERY_TEST(a_killed_dispatcher_is_recovered_first),
		RECOVERY_TEST(attempts_under_way_are_counted),
		RECOVERY_TEST(a_delivery_that_kills_dispatchers_runs_out_of_attempts),
		RECOVERY_TEST(the_delay_is_limited),
		RECOVERY_TEST(the_delay_begins_anew_with_the_schedule),
		RECOVERY_TEST(thousands_under_way_are_counted),
		RECOVERY_TEST(an_outage_only_delays_it),
	};
	return cmocka_run_group_tests_name("deliver/recovery", tests, NULL, NULL);
}
