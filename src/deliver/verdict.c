/* SPDX-License-Identifier: MIT */
#include "deliver/verdict.h"

#include "base/random.h"

struct verdict
verdict_of(const struct retry_schedule *schedule, unsigned attempt, const struct attempt_result *result, int64_t now_ms)
{
	struct verdict verdict = { .state = DELIVERY_PENDING };
	int64_t floor = 0;
	if (attempt_delivered(result)) {
		verdict.state = DELIVERY_DELIVERED;
		return verdict;
	}
	if (result->status == 410) {
		verdict.state = DELIVERY_FAILED;
		verdict.webhook_gone = true;
		return verdict;
	}
	if (!retry_after_parse(result->retry_after, now_ms, &floor))
		floor = 0;
	if (result->status == 429 || result->status == 503)
		verdict.webhook_hold_ms = floor;
	if (!retry_delay(schedule, attempt, random_below(1000), &verdict.retry_in_ms))
		verdict.state = DELIVERY_FAILED;
	else if (verdict.retry_in_ms < floor)
		verdict.retry_in_ms = floor;
	return verdict;
}
