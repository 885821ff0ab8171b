/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <string.h>
#include <time.h>

static int64_t
read_clock(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t
clock_wall_ms(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t
clock_monotonic_ms(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* `count` digits at *at, moved past; -1 when there are none. */
static int
digits(struct slice text, size_t *at, size_t count)
{
	int number = 0;
	for (size_t i = 0; i < count; i++, (*at)++) {
		if (*at >= text.size || !ascii_is_digit(text.data[*at]))
			return -1;
		number = number * 10 + (text.data[*at] - '0');
	}
	return number;
}

static bool
literal(struct slice text, size_t *at, const char *any_of)
{
	for (; *at < text.size && *any_of != '\0'; any_of++)
		if (text.data[*at] == *any_of) {
			(*at)++;
			return true;
		}
	return false;
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t
days_from_civil(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = y / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static void
write_digits(char *out, int64_t number, int count)
{
	for (; count > 0; number /= 10)
		out[--count] = (char)('0' + number % 10);
}

/* days_from_civil the other way round: years begin in March, so that the leap day is the last. */
void
clock_rfc3339(int64_t ms, char out[CLOCK_RFC3339_SIZE])
{
	int64_t seconds = ms < 0 || ms >= CLOCK_END_MS ? 0 : ms / 1000;
	int64_t days = seconds / 86400 + 719468, second = seconds % 86400;
	int64_t era = days / 146097, day_of_era = days % 146097;
	int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t from_march = (5 * day_of_year + 2) / 153;
	int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
	memcpy(out, "0000-00-00T00:00:00Z", sizeof("0000-00-00T00:00:00Z"));
	write_digits(out, era * 400 + year_of_era + (month <= 2), 4);
	write_digits(out + 5, month, 2);
	write_digits(out + 8, day_of_year - (153 * from_march + 2) / 5 + 1, 2);
	write_digits(out + 11, second / 3600, 2);
	write_digits(out + 14, second / 60 % 60, 2);
	write_digits(out + 17, second % 60, 2);
}

static int
days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && leap ? 29 : days[month - 1];
}

/* "Z" or "+01:00" at *at, in minutes east of UTC. */
static bool
parse_offset(struct slice text, size_t *at, int *minutes)
{
	if (literal(text, at, "Zz")) {
		*minutes = 0;
		return true;
	}
	bool west = *at < text.size && text.data[*at] == '-';
	if (!literal(text, at, "+-"))
		return false;
	int hour = digits(text, at, 2);
	if (!literal(text, at, ":"))
		return false;
	int minute = digits(text, at, 2);
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59)
		return false;
	*minutes = (hour * 60 + minute) * (west ? -1 : 1);
	return true;
}

bool
clock_parse_rfc3339(struct slice text, int64_t *ms)
{
	size_t at = 0;
	int year = digits(text, &at, 4);
	if (year < 1970 || !literal(text, &at, "-"))
		return false;
	int month = digits(text, &at, 2);
	if (month < 1 || month > 12 || !literal(text, &at, "-"))
		return false;
	int day = digits(text, &at, 2);
	if (day < 1 || day > days_in_month(year, month))
		return false;
	int64_t result = days_from_civil(year, month, day) * 86400000;
	if (at < text.size) {
		int offset = 0;
		if (!literal(text, &at, "Tt "))
			return false;
		int hour = digits(text, &at, 2);
		bool colons = literal(text, &at, ":");
		int minute = digits(text, &at, 2);
		colons = literal(text, &at, ":") && colons;
		int second = digits(text, &at, 2);
		if (!colons || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
			return false;
		int64_t fraction = 0;
		if (literal(text, &at, ".")) {
			int scale = 100;
			size_t first = at;
			for (; at < text.size && ascii_is_digit(text.data[at]); at++, scale /= 10)
				fraction += (text.data[at] - '0') * scale;
			if (at == first)
				return false;
		}
		if (!parse_offset(text, &at, &offset))
			return false;
		result += ((int64_t)hour * 3600 + minute * 60 + second) * 1000 + fraction - (int64_t)offset * 60000;
	}
	/* an offset or a leap second may lead out of the years that the text names */
	if (at != text.size || result < 0 || result >= CLOCK_END_MS)
		return false;
	*ms = result;
	return true;
}
