/* SPDX-License-Identifier: MIT */
#include "os/clock.h"

#include <string.h>
#include <time.h>

static int64_t
read_us(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_wall_ms(void)
{
	return read_us(CLOCK_REALTIME) / 1000;
}

int64_t
clock_monotonic_ms(void)
{
	return clock_monotonic_us() / 1000;
}

int64_t
clock_monotonic_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

int64_t
clock_boot_ms(void)
{
	return read_us(CLOCK_BOOTTIME) / 1000;
}

/* Parses the pattern at the start of *rest, where 'd' is a digit, and stores its numbers in order. Returns false, with *rest
 * unchanged, when the text does not match. */
static bool
take_numbers(struct slice *rest, struct slice pattern, int *numbers)
{
	if (rest->size < pattern.size)
		return false;
	int number = 0;
	for (size_t i = 0; i < pattern.size; i++) {
		char c = rest->data[i];
		if (pattern.data[i] == 'd' ? !ascii_is_digit(c) : c != pattern.data[i])
			return false;
		number = pattern.data[i] == 'd' ? number * 10 + (c - '0') : 0;
		if (pattern.data[i] == 'd' && (i + 1 == pattern.size || pattern.data[i + 1] != 'd'))
			*numbers++ = number;
	}
	*rest = slice_sub(*rest, pattern.size, rest->size);
	return true;
}

static bool
take_any_of(struct slice *rest, const char *characters)
{
	if (rest->size == 0 || rest->data[0] == '\0' || strchr(characters, rest->data[0]) == NULL)
		return false;
	*rest = slice_sub(*rest, 1, rest->size);
	return true;
}

/* ".5", or nothing. */
static bool
take_fraction(struct slice *rest, int64_t *ms)
{
	if (!take_any_of(rest, "."))
		return true;
	int number;
	bool any = false;
	for (int scale = 100; take_numbers(rest, SLICE("d"), &number); scale /= 10) {
		*ms += number * scale;
		any = true;
	}
	return any;
}

/* "Z" or "+01:00", in ms east of UTC. */
static bool
take_offset(struct slice *rest, int64_t *ms)
{
	int east[2];
	if (take_any_of(rest, "Zz"))
		return true;
	const bool west = slice_starts_with(*rest, SLICE("-"));
	if (!take_any_of(rest, "+-") || !take_numbers(rest, SLICE("dd:dd"), east) || east[0] > 23 || east[1] > 59)
		return false;
	*ms = (east[0] * 60 + east[1]) * INT64_C(60000) * (west ? -1 : 1);
	return true;
}

/* A time of day with fraction and offset, in ms of the UTC day; may lie before or after it. */
static bool
take_time(struct slice *rest, int64_t *ms)
{
	int time[3];
	int64_t fraction_ms = 0, offset_ms = 0;
	if (!take_any_of(rest, "Tt ") || !take_numbers(rest, SLICE("dd:dd:dd"), time) || time[0] > 23 || time[1] > 59 ||
	    time[2] > 60 || !take_fraction(rest, &fraction_ms) || !take_offset(rest, &offset_ms))
		return false;
	*ms = (time[0] * 3600 + time[1] * 60 + time[2]) * INT64_C(1000) + fraction_ms - offset_ms;
	return true;
}

bool
clock_parse_rfc3339(struct slice text, int64_t *ms)
{
	int date[3];
	int64_t time_ms = 0;
	if (!take_numbers(&text, SLICE("dddd-dd-dd"), date) || (text.size > 0 && !take_time(&text, &time_ms)) || text.size > 0)
		return false;
	struct tm day = { .tm_year = date[0] - 1900, .tm_mon = date[1] - 1, .tm_mday = date[2] };
	const int64_t result = (int64_t)timegm(&day) * 1000 + time_ms;
	/* timegm(3) converts a day that the month does not have to one of another month */
	if (day.tm_mon != date[1] - 1 || day.tm_mday != date[2] || result < 0 || result >= CLOCK_END_MS)
		return false;
	*ms = result;
	return true;
}

/* Writes that many digits and the character after them. Returns the end. */
static char *
put_number(char *out, int number, size_t digits, char after)
{
	for (size_t i = digits; i > 0; i--, number /= 10)
		out[i - 1] = (char)('0' + number % 10);
	out[digits] = after;
	return out + digits + 1;
}

/* Every payload has such times, and strftime is several times slower. */
void
clock_rfc3339(int64_t ms, char out[CLOCK_RFC3339_SIZE])
{
	const time_t seconds = ms < 0 || ms >= CLOCK_END_MS ? 0 : (time_t)(ms / 1000);
	struct tm utc;
	gmtime_r(&seconds, &utc);
	out = put_number(out, utc.tm_year + 1900, 4, '-');
	out = put_number(out, utc.tm_mon + 1, 2, '-');
	out = put_number(out, utc.tm_mday, 2, 'T');
	out = put_number(out, utc.tm_hour, 2, ':');
	out = put_number(out, utc.tm_min, 2, ':');
	out = put_number(out, utc.tm_sec, 2, 'Z');
	*out = '\0';
}
