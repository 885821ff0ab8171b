/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "run_dispatcher.h"

enum { STOP_FD = 0 };

struct retry_schedule schedule;
struct dispatcher_options options;

int
fresh_world(void **state UNUSED)
{
	struct slice bad;
	world_reset();
	assert_true(retry_schedule_parse(SLICE("5s 1m 5m 30m 2h 5h 10h 14h 20h 24h"), &schedule, &bad));
	options = (struct dispatcher_options){
		.sender = { .in_flight = SLOTS, .timeout_ms = 15 * SECOND },
		/* no breaker, because most tests are not about it */
		.health = { .concurrency_start = PER_WEBHOOK,
		    .concurrency_max = PER_WEBHOOK,
		    .breaker_failures = UINT32_MAX,
		    .probe_wait_ms = 10 * SECOND,
		    .probe_wait_max_ms = HOUR,
		    .disable_after_ms = INT64_MAX },
		.lease_ms = 60 * SECOND,
		.schedule = &schedule,
		.poll_ms = POLL,
		.max_runtime_ms = 55 * SECOND,
		.stop_fd = STOP_FD,
		.wake_fd = -1,
		.companion_fds = { -1, -1 },
	};
	return 0;
}

enum result
run(struct lock *lock)
{
	const struct dispatcher_stores stores = { WORLD_FEEDER, WORLD_RECORDER, WORLD_MAINTENANCE, WORLD_OPERATOR };
	struct dispatcher *dispatcher = dispatcher_new(&options, &stores, lock);
	assert_non_null(dispatcher);
	enum result result = dispatcher_run(dispatcher);
	dispatcher_free(&dispatcher);
	assert_null(dispatcher);
	return result;
}

size_t
sent(uint64_t webhook_id)
{
	return world.webhooks[webhook_id].received;
}

void
stay_until(int64_t until_ms)
{
	options.stay = true;
	options.max_runtime_ms = 0;
	world.stop_ms = until_ms;
	assert_int_equal(run(NULL), RESULT_OK);
}
