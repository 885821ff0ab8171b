/* SPDX-License-Identifier: MIT */
#include "admin/data/repeat.h"

#include <sysexits.h>

#include "os/clock.h"
#include "os/fiber.h"

enum { TRIES = 4 };

bool
repeat_later(unsigned *failures)
{
	if (++*failures == TRIES)
		return false;
	fiber_pause((int64_t)*failures * 1000);
	return true;
}

int
removal_finish(struct operation_call *call, const struct removal *removal, struct removal_counts *counts, bool *done)
{
	unsigned failures = 0;
	for (*done = false; !*done && clock_monotonic_ms() < removal->end_ms;) {
		const enum result result = removal->go_on(call->store, removal->what, counts, done);
		if (removal->progress != NULL)
			progress_show(removal->progress, counts->leads, counts->leads);
		if (result == RESULT_OK)
			failures = 0;
		else if (result == RESULT_FAILED)
			return operation_answer(call, result);
		else if (call->is_remote)
			break;
		else if (!repeat_later(&failures))
			return operation_fail(call, PROBLEM_INCOMPLETE,
			    "the database is out of reach: the dispatcher does the rest; leadhook status shows whether any is "
			    "left");
	}
	return EX_OK;
}
