/* SPDX-License-Identifier: MIT */
#include "deliver/send/single_attempt.h"

#include "deliver/send/delivery_request.h"
#include "os/clock.h"
#include "os/event_loop.h"

struct single_attempt {
	struct pool *pool;
	struct attempt_result *result;
	bool done;
};

/* A sender_done. */
static void
take_result(void *context, void *cookie UNUSED, const struct attempt_result *result)
{
	struct single_attempt *single = context;
	*single->result = *result;
	single->result->retry_after = SLICE_NONE;
	single->result->answer = pool_copy(single->pool, result->answer);
	single->result->location = pool_copy(single->pool, result->location);
	single->done = true;
}

bool
single_attempt_send(struct pool *pool, const struct sender_options *options, const struct due_delivery *delivery,
    int64_t now_ms, struct attempt_result *result)
{
	struct single_attempt single = { .pool = pool, .result = result };
	struct sender_options sender_options = *options;
	struct attempt attempt;
	sender_options.in_flight = 1;
	if (!delivery_request_make(pool, delivery, now_ms, &attempt)) {
		*result = (struct attempt_result){ .error = SENDER_INTERNAL };
		return true;
	}
	struct event_loop *loop = event_loop_new();
	struct sender *sender = sender_new(loop, &sender_options, take_result, &single);
	if (sender != NULL)
		sender_start(sender, &attempt, NULL);
	while (sender != NULL && !single.done)
		event_loop_wait(loop, clock_monotonic_ms() + options->timeout_ms);
	sender_free(&sender);
	event_loop_free(&loop);
	return single.done;
}
