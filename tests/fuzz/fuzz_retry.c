/* SPDX-License-Identifier: MIT
 * Retry-After (RFC 9110 10.2.3) and retry schedules (docs/deliveries.md 3). */
#include <time.h>

#include "base/buffer.h"
#include "base/duration.h"
#include "fuzz.h"
#include "webhook/retry.h"

enum { SCHEDULE_MAX = 4096 };
/* A moment, and the end of the year 9999. */
#define NOW_MS INT64_C(1795232293000)
#define END_MS INT64_C(253402300799000)

static bool
is_number(struct slice text)
{
	text = slice_trim(text);
	const size_t point = slice_find(text, '.');
	for (size_t i = 0; i < text.size; i++)
		if (i != point && !ascii_is_digit(text.data[i]))
			return false;
	return point > 0 && point + 1 != text.size;
}

/* In the preferred form of RFC 9110 the date is the same. */
static void
require_date(int64_t date_ms)
{
	char text[64];
	struct tm parts;
	time_t seconds = (time_t)(date_ms / SECOND_MS);
	REQUIRE(date_ms % SECOND_MS == 0 && date_ms <= END_MS && gmtime_r(&seconds, &parts) != NULL);
	REQUIRE(strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0);
	REQUIRE(retry_after_parse(slice_of(text), 0) == date_ms);
}

static void
require_header(struct slice header)
{
	int64_t at_first = retry_after_parse(header, 0), now = retry_after_parse(header, NOW_MS);
	REQUIRE(at_first >= -1 && now >= -1 && (now == -1) == (at_first == -1));
	if (is_number(header))
		REQUIRE(now == at_first && now >= 0);
	else if (at_first >= 0)
		REQUIRE(now == (at_first > NOW_MS ? at_first - NOW_MS : 0));
	if (at_first >= 0 && !is_number(header))
		require_date(at_first);
}

/* Retry-After delays the decision, up to the cap, and never advances it. */
static void
require_decision(const struct retry_schedule *schedule, int64_t retry_after_ms)
{
	for (unsigned made = 1; made <= schedule->count + 1; made++) {
		const struct retry_answer outcome = { true, 503, retry_after_ms, SLICE_NONE };
		struct retry_decision decision = retry_decide(schedule, &outcome, made, (uint64_t)retry_after_ms * made);
		REQUIRE((decision.kind == RETRY_LATER) == (made <= schedule->count));
		REQUIRE(decision.hold_ms >= 0 && decision.hold_ms <= RETRY_AFTER_MAX_MS);
		if (decision.kind == RETRY_LATER)
			REQUIRE(decision.delay_ms >= decision.hold_ms && decision.delay_ms > 0 &&
				decision.delay_ms <= RETRY_DELAY_MAX_MS / 100 * (100 + RETRY_JITTER_PERCENT));
	}
}

static void
require_schedule(struct slice text, int64_t retry_after_ms)
{
	struct retry_schedule schedule, again;
	struct slice bad = SLICE_NONE;
	struct buffer out;
	if (!retry_schedule_parse(text, &schedule, &bad)) {
		REQUIRE(bad.size > 0);
		return;
	}
	REQUIRE(schedule.count <= RETRY_DELAYS_MAX);
	buffer_init(&out, SCHEDULE_MAX);
	for (unsigned i = 0; i < schedule.count; i++) {
		REQUIRE(schedule.delays_ms[i] >= SECOND_MS && schedule.delays_ms[i] <= RETRY_DELAY_MAX_MS);
		duration_add(&out, schedule.delays_ms[i]);
		buffer_add_byte(&out, ',');
	}
	REQUIRE(retry_schedule_parse(buffer_slice(&out), &again, &bad) && again.count == schedule.count);
	for (unsigned i = 0; i < schedule.count; i++)
		REQUIRE(schedule.delays_ms[i] == again.delays_ms[i]);
	require_decision(&schedule, retry_after_ms);
	buffer_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_input(data, size), header = fuzz_line(&rest);
	require_header(header);
	require_header(rest);
	require_schedule(rest, retry_after_parse(header, NOW_MS));
	return 0;
}
