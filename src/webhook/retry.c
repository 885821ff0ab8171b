/* SPDX-License-Identifier: MIT */
#include "webhook/retry.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool
retry_schedule_parse(struct slice text, struct retry_schedule *schedule, struct slice *bad)
{
	struct retry_schedule parsed = { .count = 0 };
	while (slice_next_item(&text, bad)) {
		int64_t delay_ms;
		if (parsed.count == RETRY_DELAYS_MAX || !duration_parse(*bad, &delay_ms) || delay_ms < SECOND_MS ||
		    delay_ms > RETRY_DELAY_MAX_MS)
			return false;
		parsed.delays_ms[parsed.count++] = delay_ms;
	}
	*schedule = parsed;
	return true;
}

int64_t
retry_jitter_ms(int64_t delay_ms, uint64_t random)
{
	int64_t reach = delay_ms * RETRY_JITTER_PERCENT / 100;
	return delay_ms - reach + (int64_t)(random % (uint64_t)(2 * reach + 1));
}

bool
retry_is_taken(int status, struct slice accepts)
{
	char text[16];
	struct slice item;
	if (status >= 200 && status < 300)
		return true;
	const int size = snprintf(text, sizeof(text), "%d", status);
	while (slice_next_item(&accepts, &item))
		if (slice_equal(item, (struct slice){ text, (size_t)size }))
			return true;
	return false;
}

struct retry_decision
retry_decide(const struct retry_schedule *schedule, const struct retry_answer *answer, unsigned attempts_made, uint64_t random)
{
	const int status = answer->answered ? answer->status : 0;
	struct retry_decision decision = { .kind = RETRY_LATER };
	if (retry_is_taken(status, answer->accepts)) {
		decision.kind = RETRY_DELIVERED;
		return decision;
	}
	decision.gone = status == 410;
	int64_t floor_ms = answer->retry_after_ms > RETRY_AFTER_MAX_MS ? RETRY_AFTER_MAX_MS : answer->retry_after_ms;
	if ((status == 429 || status == 503) && floor_ms > 0)
		decision.hold_ms = floor_ms;
	if (attempts_made == 0 || attempts_made > schedule->count) {
		decision.kind = RETRY_EXHAUSTED;
		return decision;
	}
	decision.delay_ms = retry_jitter_ms(schedule->delays_ms[attempts_made - 1], random);
	if (decision.delay_ms < floor_ms)
		decision.delay_ms = floor_ms;
	return decision;
}

/* RFC 9110 5.6.7: IMF-fixdate, then the two obsolete forms that a recipient must accept too. */
static const char *const date_forms[] = {
	"%a, %d %b %Y %H:%M:%S GMT",
	"%A, %d-%b-%y %H:%M:%S GMT",
	"%a %b %e %H:%M:%S %Y",
};

/* Returns -1 for other forms. strptime(3) reads English names because our programs set no locale. */
static int64_t
parse_date_ms(struct slice text)
{
	char terminated[40];
	if (text.size >= sizeof(terminated) || slice_find(text, '\0') != text.size)
		return -1;
	memcpy(terminated, text.data, text.size);
	terminated[text.size] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(date_forms); i++) {
		struct tm when = { .tm_isdst = 0 };
		const char *end = strptime(terminated, date_forms[i], &when);
		if (end == NULL || *end != '\0')
			continue;
		const int day = when.tm_mday;
		const time_t seconds = timegm(&when);
		return seconds < 0 || when.tm_mday != day ? -1 : (int64_t)seconds * SECOND_MS;
	}
	return -1;
}

/* Returns false if not all characters are digits; saturates on overflow. */
static bool
parse_digits(struct slice text, int64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (!ascii_is_digit(text.data[i]))
			return false;
		if (*number < INT64_MAX / SECOND_MS / 10 - 1)
			*number = *number * 10 + (text.data[i] - '0');
	}
	return text.size > 0;
}

/* Returns -1 if it is not a number. A fraction, which some services send, is rounded up. */
static int64_t
parse_seconds_ms(struct slice text)
{
	const size_t point = slice_find(text, '.');
	int64_t seconds, fraction = 0;
	if (!parse_digits(slice_sub(text, 0, point), &seconds) ||
	    (point < text.size && !parse_digits(slice_sub(text, point + 1, text.size), &fraction)))
		return -1;
	return (seconds + (fraction > 0 ? 1 : 0)) * SECOND_MS;
}

int64_t
retry_after_parse(struct slice header, int64_t now_ms)
{
	struct slice text = slice_trim(header);
	int64_t wait_ms = parse_seconds_ms(text);
	if (wait_ms >= 0 || text.size == 0)
		return wait_ms;
	int64_t date_ms = parse_date_ms(text);
	if (date_ms < 0)
		return -1;
	return date_ms > now_ms ? date_ms - now_ms : 0;
}
