/* SPDX-License-Identifier: MIT
 * docs/architecture.md 8.2: whether the background processes work. */
#include "unit.h"

#include <inttypes.h>
#include <unistd.h>

#include "store/heartbeats.h"
#include "store/state.h"
#include "world.h"

static const unsigned char owners[][HEARTBEAT_OWNER_SIZE] = { "owner of the one", "owner of another" };

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_heartbeats");
	return world_open(state);
}

#define HEARTBEAT_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static struct heartbeat
dispatcher(size_t owner, bool stays)
{
	return (struct heartbeat){ .process = HEARTBEAT_DISPATCHER, .owner = owners[owner], .stays = stays };
}

static void
beat(struct world *w, struct heartbeat *heartbeat)
{
	assert_int_equal(store_beat(w->store, heartbeat), RESULT_OK);
}

static void
end(struct world *w, const struct heartbeat *heartbeat)
{
	assert_int_equal(store_end_beats(w->store, heartbeat), RESULT_OK);
}

/* Makes it look as if everything had happened that long ago; negative: the database's clock was set back. */
static void
pass(int64_t ms)
{
	root_run("UPDATE t_heartbeats SET beat_ms = beat_ms - %" PRId64 ", started_ms = started_ms - %" PRId64, ms, ms);
}

static enum heartbeat_state
state_of(struct world *w, enum heartbeat_process process)
{
	struct heartbeat_seen seen[HEARTBEAT_PROCESSES];
	assert_int_equal(store_see_heartbeats(w->store, w->pool, seen), RESULT_OK);
	return seen[process].state;
}
#define assert_state(wanted) assert_int_equal(state_of(w, HEARTBEAT_DISPATCHER), wanted)

/* A minute is longer than the time until the next heartbeat is written and a process that checks every 20 s sees it. */
static void
a_hang_shows_within_a_minute(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, true);
	assert_state(HEARTBEAT_NEVER);
	beat(w, &one);
	assert_state(HEARTBEAT_WORKS);
	pass(2 * HEARTBEAT_MS);
	assert_state(HEARTBEAT_WORKS);
	pass(40 * 1000 - 2 * HEARTBEAT_MS);
	assert_state(HEARTBEAT_SILENT);
	beat(w, &one);
	assert_state(HEARTBEAT_WORKS);
}

static void
the_end_of_a_daemon_shows_at_once(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, true), next = dispatcher(1, true);
	beat(w, &one);
	end(w, &one);
	assert_state(HEARTBEAT_STOPPED);
	beat(w, &next);
	assert_state(HEARTBEAT_WORKS);
}

/* Cron, which starts a run every minute. */
static void
a_run_promises_the_next_one(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, false), next = dispatcher(1, false);
	beat(w, &one);
	assert_state(HEARTBEAT_WORKS);
	end(w, &one);
	assert_state(HEARTBEAT_BETWEEN);
	pass(80 * 1000);
	assert_state(HEARTBEAT_BETWEEN);
	pass(15 * 1000);
	assert_state(HEARTBEAT_STOPPED);
	beat(w, &next);
	end(w, &next);
	assert_state(HEARTBEAT_BETWEEN);
}

static void
a_run_that_is_killed_is_silent(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, false);
	beat(w, &one);
	pass(40 * 1000);
	assert_state(HEARTBEAT_SILENT);
}

/* Some hosts start programs only every five minutes. */
static void
the_period_is_that_of_the_last_runs(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, false), next = dispatcher(1, false);
	beat(w, &one);
	end(w, &one);
	pass(5 * 60 * 1000);
	beat(w, &next);
	end(w, &next);
	pass(5 * 60 * 1000 + 20 * 1000);
	assert_state(HEARTBEAT_BETWEEN);
	pass(20 * 1000);
	assert_state(HEARTBEAT_STOPPED);
}

static void
a_run_by_hand_promises_no_more(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, false), daemon = dispatcher(1, true), last = dispatcher(0, false);
	beat(w, &one);
	end(w, &one);
	pass(HEARTBEAT_PERIOD_MAX_MS + 60 * 1000);
	one.started_ms = 0;
	beat(w, &one);
	end(w, &one);
	pass(100 * 1000);
	assert_state(HEARTBEAT_STOPPED);
	/* nor after a daemon */
	beat(w, &daemon);
	end(w, &daemon);
	pass(5 * 60 * 1000);
	beat(w, &last);
	end(w, &last);
	pass(100 * 1000);
	assert_state(HEARTBEAT_STOPPED);
}

/* Two hosts: while one of them delivers, the dispatcher works. */
static void
the_end_of_one_is_not_that_of_another(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, true), other = dispatcher(1, true), silent = dispatcher(0, true);
	beat(w, &one);
	beat(w, &other);
	end(w, &one);
	assert_state(HEARTBEAT_WORKS);
	end(w, &silent); /* this process wrote no heartbeat */
	assert_state(HEARTBEAT_WORKS);
	end(w, &other);
	assert_state(HEARTBEAT_STOPPED);
}

static void
a_clock_that_was_set_back_hides_nothing(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, true);
	beat(w, &one);
	pass(-60 * 60 * 1000);
	assert_state(HEARTBEAT_SILENT);
}

static void
what_is_not_set_up_is_not_awaited(void **state)
{
	struct world *w = *state;
	struct heartbeat mailer = { .process = HEARTBEAT_MAILER, .owner = owners[0], .stays = true };
	assert_int_equal(state_of(w, HEARTBEAT_MAILER), HEARTBEAT_OFF);
	assert_int_equal(state_of(w, HEARTBEAT_TEXTER), HEARTBEAT_OFF);
	w->store->options.sends_mail = true;
	assert_int_equal(state_of(w, HEARTBEAT_MAILER), HEARTBEAT_NEVER);
	assert_int_equal(state_of(w, HEARTBEAT_TEXTER), HEARTBEAT_OFF);
	beat(w, &mailer);
	assert_int_equal(state_of(w, HEARTBEAT_MAILER), HEARTBEAT_WORKS);
	assert_state(HEARTBEAT_NEVER);
	w->store->options.sends_mail = false;
}

static void
the_process_is_shown(void **state)
{
	struct world *w = *state;
	struct heartbeat one = dispatcher(0, true);
	struct heartbeat_seen seen[HEARTBEAT_PROCESSES];
	char host[256] = "";
	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	beat(w, &one);
	assert_int_equal(store_see_heartbeats(w->store, w->pool, seen), RESULT_OK);
	assert_int_equal(seen[HEARTBEAT_DISPATCHER].pid, getpid());
	assert_slice(seen[HEARTBEAT_DISPATCHER].host, host);
	assert_true(seen[HEARTBEAT_DISPATCHER].stays && seen[HEARTBEAT_DISPATCHER].beat_ms >= one.started_ms);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		HEARTBEAT_TEST(a_hang_shows_within_a_minute),
		HEARTBEAT_TEST(the_end_of_a_daemon_shows_at_once),
		HEARTBEAT_TEST(a_run_promises_the_next_one),
		HEARTBEAT_TEST(a_run_that_is_killed_is_silent),
		HEARTBEAT_TEST(the_period_is_that_of_the_last_runs),
		HEARTBEAT_TEST(a_run_by_hand_promises_no_more),
		HEARTBEAT_TEST(the_end_of_one_is_not_that_of_another),
		HEARTBEAT_TEST(a_clock_that_was_set_back_hides_nothing),
		HEARTBEAT_TEST(what_is_not_set_up_is_not_awaited),
		HEARTBEAT_TEST(the_process_is_shown),
	};
	return WORLD_MAIN(tests);
}
